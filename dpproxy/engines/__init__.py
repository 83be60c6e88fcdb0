"""Engines: the databases that hold the data. What dpproxy asks of them; each engine has a module of its own.

Nothing but SQL that dpproxy generated reaches an engine, and nothing but integers, keys and public rows leaves it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol, TypeVar

from dpproxy.catalog.model import Proof
from dpproxy.rows import Rows, Value

Result = TypeVar("Result")


class Ticket:
    """One running request. `cancel` may be called at any time from the event loop: before, during, after, and again.

    canceled_at: when that was done first, on `time.monotonic`.
    """

    __slots__ = ("_listener", "canceled_at")

    def __init__(self) -> None:
        self.canceled_at: float | None = None
        self._listener: Callable[[], object] | None = None

    @property
    def canceled(self) -> bool:
        """Whether anybody has asked for the end."""
        return self.canceled_at is not None

    def cancel(self) -> None:
        """Ask for the end of the request. Nothing is lost: a request that has not begun will not begin."""
        if self.canceled_at is None:
            self.canceled_at = monotonic()
        if self._listener is not None:
            self._listener()

    def on_cancel(self, listener: Callable[[], object] | None) -> None:
        """For who works on the request: `listener` is called at each `cancel`, and at once if there was one; None takes
        it away."""
        self._listener = listener
        if self.canceled and listener is not None:
            listener()


@dataclass(frozen=True, slots=True)
class Query:
    """One query. `inputs`: the array for each of its parameters `$name`, which the text casts: CAST($name AS BIGINT[]).

    The cast takes all that a released column of the type may hold, NULL and no element at all included, and makes
    ±infinity of a numeric beyond DOUBLE's range. It fails for a value that the type does not have.
    lock: a statement without a result that goes before it, and so before the snapshot if it is the first.
    """

    sql: str
    inputs: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    lock: str | None = None


Work = Generator[Query, Rows, Result]
"""One request: yields a query, is sent its rows, yields the next, and returns what it made of them."""


def in_turn(*queries: Query) -> Work[tuple[Rows, ...]]:
    """The work of running `queries` one after the other; returns the rows of each."""
    found: list[Rows] = []
    for query in queries:
        found.append((yield query))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class EngineColumn:
    """A column as the engine has it. `type` is Postgres's name for it, or the engine's own where Postgres has none.

    stored: the engine's own type, where a scan must cast the column to `type`: of an enum, of a domain.
    """

    name: str
    type: str
    nullable: bool
    stored: str | None = None


@dataclass(frozen=True, slots=True)
class EngineTable:
    """A base table: its columns in order, and the sets of columns that the engine enforces as unique and not null.

    place: the schema and the relation that a text names it by; None: its name in `EngineSchema`.
    """

    columns: tuple[EngineColumn, ...]
    unique: frozenset[tuple[str, ...]] = frozenset()
    place: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class EngineSchema:
    """All base tables: `table` in the engine's default schema, `schema.table` in others.

    views: the names of all that is no base table of the engine's own, and what each is ("a view").
    unreadable: the names of the tables that the engine's role may not read.
    """

    tables: Mapping[str, EngineTable]
    views: Mapping[str, str] = field(default_factory=dict)
    unreadable: frozenset[str] = frozenset()


class Engine(Protocol):
    """What dpproxy asks of a database.

    A failure of any kind is `EngineFailure` with the cause chained to it for the operator's log; a cancelled ticket is
    `QueryCanceled`. A cancelled task interrupts the database too. A DPProxyError of the work itself comes out as it is.
    Only where the engine cannot be reached at all, before any query was sent, it is `EngineUnavailable`.
    """

    @property
    def dialect(self) -> str:
        """The sqlglot dialect of the engine's SQL."""
        ...

    @property
    def verifies(self) -> bool:
        """Whether `unique` looks at the data, which cannot change meanwhile; else at constraints alone."""
        ...

    async def reach(self) -> None:
        """See to it that there is a way to the database, touching no data. Raises EngineUnavailable."""
        ...

    async def run(self, work: Work[Result], ticket: Ticket) -> Result:
        """What `work` returns, its queries run one after the other in one read-only snapshot. One query per text.

        The time allowed is for all of it. `work` may run in a thread of the engine's.
        """
        ...

    async def schema(self) -> EngineSchema:
        """What the engine really holds."""
        ...

    async def unique(self, table: str, columns: tuple[str, ...]) -> bool:
        """Whether `columns` are *proved* unique and not null, now and for as long as the engine is open.

        True where a constraint enforces it, or where it was verified and the data cannot change meanwhile.
        """
        ...

    async def proof(self, keys: Collection[tuple[str, tuple[str, ...]]]) -> Proof | None:
        """How to ask whether `keys`, a table and columns each, are still unique and not null. None where that cannot
        change."""
        ...

    async def read(self, table: str, columns: tuple[str, ...], limit: int, ticket: Ticket) -> Rows:
        """At most `limit` rows of a *public* table, in no order."""
        ...

    async def warnings(self, tables: Collection[str]) -> tuple[str, ...]:
        """What is doubtful about the way into the engine, where `tables` are the policy's: a line each."""
        ...

    async def close(self) -> None:
        """End what runs and let go of the database."""
        ...
