"""What those who work say to those who watch: kinds, codes, numbers and names of the policy; never data, never SQL.

The layers below the server stay pure: they call these, and without a watcher nothing happens.
"""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from typing import Final, Protocol

ANSWERED: Final = "00000"


class Kind(Enum):
    """Statements by who answers them. GATE: refused before it was known what they would read."""

    FRONT = "front"
    PRIVATE = "private"
    EXPLAIN = "explain"
    GATE = "gate"


class Watch(Protocol):
    """Watches one session."""

    def ended(self, kind: Kind, sqlstate: str) -> None:
        """A statement has its answer (`ANSWERED`) or its error. Answers of the front are counted elsewhere."""
        ...


class Observer(Protocol):
    """Watches the answering of private statements, of all sessions."""

    def charged(self, analyst: str, charge: int, epsilon: Decimal) -> None:
        """A charge is on record: its number in the ledger, and the ε that was asked for."""
        ...

    def stored(self, hits: int, misses: int) -> None:
        """Releases were looked for among the stored ones."""
        ...

    def engine(self, seconds: float) -> None:
        """What a statement had to do in the engine took so long, whether it was done or failed."""
        ...


class Unwatched:
    """Nobody watches."""

    def ended(self, kind: Kind, sqlstate: str) -> None:
        """Nothing."""

    def charged(self, analyst: str, charge: int, epsilon: Decimal) -> None:
        """Nothing."""

    def stored(self, hits: int, misses: int) -> None:
        """Nothing."""

    def engine(self, seconds: float) -> None:
        """Nothing."""


UNWATCHED: Final = Unwatched()
