"""What those who work say to those who watch: kinds, codes, numbers and names of the policy; never data, never SQL.

The layers below the server stay pure: they call these, and without a watcher nothing happens.

Checked by: tests/test_operation.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Final, Protocol

ANSWERED: Final = "00000"


class StatementKind(Enum):
    """Statements by who answers them. GATE: refused before it was known what they would read."""

    FRONT = "front"
    PRIVATE = "private"
    EXPLAIN = "explain"
    GATE = "gate"


@dataclass(slots=True)
class AnswerTally:
    """How many statements the front has answered. They are many: they are counted where it is seen, and read seldom."""

    answered: int = 0


class SessionObserver(Protocol):
    """Watches one session."""

    @property
    def tally(self) -> AnswerTally:
        """Where its statements that the front has answered are counted."""
        ...

    def ended(self, kind: StatementKind, sqlstate: str) -> None:
        """A statement has its answer (`ANSWERED`) or its error. Answers of the front are counted elsewhere."""
        ...

    def asked(self, sql: str) -> None:
        """A private statement of this text is planned now."""
        ...

    def worked(self, seconds: float) -> None:
        """The private statement was planned, answered or explained for so long, waiting included."""
        ...

    def loaded(self) -> None:
        """Rows of a public table are copied into the front."""
        ...


class AnswerObserver(Protocol):
    """Watches the answering of private statements, of all sessions."""

    def charged(self, analyst: str, charge: int, epsilon: Decimal) -> None:
        """A charge is on record: its number in the ledger, and the ε that was asked for."""
        ...

    def stored(self, hits: int, misses: int) -> None:
        """Releases were looked for among the stored ones."""
        ...

    def waited(self, seconds: float) -> None:
        """It was a statement's turn to be charged after so long."""
        ...

    def placed(self, seconds: float) -> None:
        """Charged, it got its place in the engine after so long."""
        ...

    def engine(self, seconds: float) -> None:
        """What a statement had to do in the engine took so long, whether it was done or failed."""
        ...

    def held(self, seconds: float) -> None:
        """What was done was kept back for so long."""
        ...


class Unobserved:
    """Nobody watches."""

    @property
    def tally(self) -> AnswerTally:
        """One that nobody reads."""
        return AnswerTally()

    def ended(self, kind: StatementKind, sqlstate: str) -> None:
        """Nothing."""

    def charged(self, analyst: str, charge: int, epsilon: Decimal) -> None:
        """Nothing."""

    def stored(self, hits: int, misses: int) -> None:
        """Nothing."""

    def waited(self, seconds: float) -> None:
        """Nothing."""

    def placed(self, seconds: float) -> None:
        """Nothing."""

    def engine(self, seconds: float) -> None:
        """Nothing."""

    def held(self, seconds: float) -> None:
        """Nothing."""

    def asked(self, sql: str) -> None:
        """Nothing."""

    def worked(self, seconds: float) -> None:
        """Nothing."""

    def loaded(self) -> None:
        """Nothing."""


UNOBSERVED: Final = Unobserved()
