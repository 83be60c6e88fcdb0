"""Engines: the databases that hold the data. Here is what dpproxy asks of them; an engine is one folder.

providers            finds an engine by its name or URL; dialects: what its texts need, which is all that plans look at
duckdb, postgres, spark  an engine each: `dialect`, which is pure; `provider`, its URLs; `driver` and what that is made
                     of, loaded when one is opened
described, scratch   what `dpproxy init` reads of a schema, and what `dpproxy audit` makes databases of

Nothing but SQL that dpproxy generated reaches an engine, and nothing but integers, keys and public rows leaves it.

Checked by: tests/test_engines.py, tests/test_answer.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Protocol, TypeVar

from dpproxy.catalog.policy import Proof
from dpproxy.rows import Rows, Value

Result = TypeVar("Result")


class Ticket:
    """One running request. `cancel` may be called at any time from the event loop: before, during, after, and again.

    canceled_at: when that was done first, on `time.monotonic`. stopped: whether it was by `stop`.
    """

    __slots__ = ("_listener", "canceled_at", "stopped")

    def __init__(self) -> None:
        self.canceled_at: float | None = None
        self.stopped = False
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

    def stop(self) -> None:
        """Ask for the end because something else of the same analyst's has failed. A request that was cancelled before
        stays cancelled."""
        self.stopped = not self.canceled
        self.cancel()

    def on_cancel(self, listener: Callable[[], object] | None) -> None:
        """For who works on the request: `listener` is called at each `cancel`, and at once if there was one; None takes
        it away."""
        self._listener = listener
        if self.canceled and listener is not None:
            listener()


@dataclass(frozen=True, slots=True)
class EngineQuery:
    """One query. `inputs`: the array for each of its parameters `$name`, which the text casts: CAST($name AS BIGINT[]).
    secrets: the text for each of those that it casts to a text: CAST($name AS TEXT).

    The cast takes all that a released column of the type may hold, NULL and no element at all included, and makes
    ±infinity of a numeric beyond DOUBLE's range. It fails for a value that the type does not have.
    lock: a statement without a result that goes before it, and so before the snapshot if it is the first.
    numbers: whether all its columns are whole numbers of 64 bits, none NULL, of which there may be millions: they may
    come as arrays (`Rows.numbers`).
    only: whether its request asks nothing else.
    """

    sql: str
    inputs: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    lock: str | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    numbers: bool = False
    only: bool = False


Work = Generator[EngineQuery, Rows, Result]
"""One request: yields a query, is sent its rows, yields the next, and returns what it made of them."""


def in_turn(*queries: EngineQuery) -> Work[tuple[Rows, ...]]:
    """The work of running `queries` one after the other; returns the rows of each."""
    if len(queries) == 1:
        return ((yield replace(queries[0], only=True)),)
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
    held: whether its rows stay as they are for as long as the engine is open, where the engine's do at all.
    """

    columns: tuple[EngineColumn, ...]
    unique: frozenset[tuple[str, ...]] = frozenset()
    place: tuple[str, str] | None = None
    held: bool = True

    def enforces(self, columns: tuple[str, ...]) -> bool:
        """Whether a constraint makes `columns` unique and not null."""
        required = {column.name for column in self.columns if not column.nullable}
        return required.issuperset(columns) and any(set(key) <= set(columns) for key in self.unique)


@dataclass(frozen=True, slots=True)
class MadeIndex:
    """A unit index that was made: how many rows it has, and how many bytes all that were made with it take."""

    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class LinkIndex:
    """An index of a table by one column, with another one beside it where that is not empty."""

    table: str
    column: str
    beside: str = ""


@dataclass(frozen=True, slots=True)
class MissingIndex:
    """An index that is not there: the statement that makes it, and about how many bytes it takes for each row."""

    table: str
    statement: str
    row_bytes: float


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
    Only where the engine cannot be reached at all, before any query was sent, or files that it reads were replaced, it
    is `EngineUnavailable`: no row has a part in that. What has not ended within its time is `StatementTimeout`,
    whatever comes of it later.
    """

    @property
    def dialect(self) -> str:
        """The sqlglot dialect of the engine's SQL."""
        ...

    async def reach(self) -> None:
        """See to it that there is a way to the database, touching no data, and without waiting for what is at work.
        Raises EngineUnavailable."""
        ...

    @property
    def version(self) -> str:
        """Names the files that it reads, as they were found; empty where it reads a database that goes on."""
        ...

    async def replaced(self, sources: Mapping[str, str], unpinned: frozenset[str]) -> bool:
        """Whether its database, opened anew with these (see `Location.open`), would be other files than these, or read
        in another way. Raises ConfigFault."""
        ...

    @property
    def per_operation(self) -> float:
        """Seconds that one row operation takes (see `rewrite.work`), measured over made-up rows."""
        ...

    async def run(self, work: Work[Result], ticket: Ticket, seconds: float | None = None) -> Result:
        """What `work` returns, its queries run one after the other in one read-only snapshot. One query per text.

        seconds: allowed for all of it, from now on; None: as many as the engine was opened with. `work` may run in a
        thread of the engine's.
        """
        ...

    async def schema(self) -> EngineSchema:
        """What the engine really holds."""
        ...

    async def digest(self) -> str | None:
        """A text that names exactly what the engine holds, which then stays so for as long as it is open; None where
        it may change, or where that cannot be told."""
        ...

    async def unit_indexes(self, definitions: Mapping[str, str]) -> Mapping[str, tuple[str, str]]:
        """By table the schema and relation of each unit index that is there: made by the text in `definitions`, of
        exactly what the engine holds, which then stays so for as long as it is open. None where it may change."""
        ...

    async def make_unit_indexes(self, definitions: Mapping[str, str]) -> Mapping[str, MadeIndex]:
        """Make them, for `unit_indexes` of an engine that is opened later; nothing where it keeps none. For the owner,
        since it reads private rows: that it succeeds may depend on them."""
        ...

    async def missing_indexes(self, wanted: Collection[LinkIndex]) -> tuple[MissingIndex, ...]:
        """Those of `wanted` that the database has none like, where it would use them. Told by the schema alone."""
        ...

    async def proof(self, keys: Collection[tuple[str, tuple[str, ...]]]) -> Proof | None:
        """How to ask whether `keys`, a table and columns each, are still unique and not null. None where that cannot
        change."""
        ...

    async def read(self, table: str, columns: tuple[str, ...], limit: int, ticket: Ticket) -> Rows:
        """At most `limit` rows of a *public* table, in no order."""
        ...

    async def size(self, table: str) -> int:
        """How many rows a *public* table has."""
        ...

    async def warnings(self, tables: Collection[str]) -> tuple[str, ...]:
        """What is doubtful about the way into the engine, where `tables` are the policy's: a line each."""
        ...

    async def close(self) -> None:
        """End what runs and let go of the database."""
        ...
