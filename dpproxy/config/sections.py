"""The sections of a configuration. A field's description is what a fault at its key expects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationInfo, field_validator

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.types import SqlType
from dpproxy.config import column_values, field_types
from dpproxy.config.field_types import unfit
from dpproxy.plan.error_bars import USUAL_CONFIDENCE
from dpproxy.plan.session_settings import MEANINGS
from dpproxy.rows import Value

_ONE_STATEMENT = Decimal("0.1")
_MEMORY = 256 * 2**20
OWN_BYTES = 256 * 2**20


class Section(BaseModel):
    """Any section: no unknown keys, and nothing changes after it was read."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class LimitsSection(Section):
    """`[server.limits]` for every analyst, `[analysts.NAME.limits]` for one: what they may have in each proxy at once.

    connections: as many as there may be. statements: private ones in the engine, as many as it takes; others wait, up
    to `waiting`: one of each connection. memory: bytes that are kept for all sessions of the analyst. own_bytes: what
    the tables of the analyst's own take in the front.
    """

    connections: field_types.Positive | None = Field(default=None, description="a whole number above 0")
    statements: field_types.Positive | None = Field(default=None, description="a whole number above 0")
    waiting: field_types.Positive | None = Field(default=None, description="a whole number above 0")
    memory: field_types.Positive | None = Field(default=None, description="a whole number of bytes above 0")
    own_bytes: field_types.Positive | None = Field(default=None, description="a whole number of bytes above 0")


@dataclass(frozen=True, slots=True)
class AnalystLimits:
    """The limits of one analyst, each a number."""

    connections: int
    statements: int
    waiting: int
    memory: int
    own: int = OWN_BYTES


class ServerSection(Section):
    """`[server]`: where clients connect, and what the operator is told. Sizes in bytes, times in seconds."""

    host: field_types.Text = Field(default="127.0.0.1", description="an address or a host's name as text")
    port: field_types.Port = Field(default=6432, description="a port from 0 to 65535 (0 picks a free one)")
    tls_cert: field_types.File | None = Field(default=None, description="a certificate's path")
    tls_key: field_types.File | None = Field(default=None, description="a key's path", validate_default=True)
    require_tls: field_types.Flag = Field(default=False, description="true or false")
    database: field_types.Name = Field(default="dpproxy", description="the name that clients connect to, as text")
    max_connections: field_types.Positive = Field(default=100, description="a whole number above 0")
    max_message_bytes: field_types.Positive = Field(default=16 * 2**20, description="a whole number of bytes above 0")
    startup_timeout: field_types.Seconds = 10.0
    idle_timeout: field_types.Seconds = 3600.0
    drain_delay: field_types.Pause = 0.0
    drain_timeout: field_types.Pause = 30.0
    log: Literal["text", "json"] = Field(default="text", description='"text" or "json"')
    log_statements: Literal["none", "shape"] = Field(default="none", description='"none" or "shape"')
    metrics_host: field_types.Text = Field(default="127.0.0.1", description="an address or a host's name as text")
    metrics_port: field_types.Port | None = Field(
        default=None, description="a port from 0 to 65535 (0 picks a free one)"
    )
    constant_time: field_types.Flag = Field(default=False, description="true or false")
    dashboard_host: field_types.Text = Field(default="127.0.0.1", description="an address or a host's name as text")
    dashboard_port: field_types.Port | None = Field(
        default=None, description="a port from 0 to 65535 (0 picks a free one)"
    )
    dashboard_url: field_types.WebAddress | None = None
    dashboard_password: field_types.Password | None = Field(default=None, repr=False)
    limits: LimitsSection = Field(default_factory=LimitsSection, description="a table")

    @field_validator("tls_key")
    @classmethod
    def _pair(cls, key: Path | None, info: ValidationInfo) -> Path | None:
        if "tls_cert" in info.data and (info.data["tls_cert"] is None) != (key is None):
            raise unfit("tls_cert and tls_key, or neither", "one of the pair is missing")
        return key

    @field_validator("require_tls")
    @classmethod
    def _possible(cls, required: bool, info: ValidationInfo) -> bool:
        if required and info.data.get("tls_cert", required) is None:
            raise unfit("tls_cert and tls_key with it", "is true without a certificate")
        return required


class FrontSection(Section):
    """`[front]`: the Postgres that holds no private row."""

    url: field_types.FrontUrl = Field(description='"embedded:DIRECTORY" or "postgresql://…"')
    public_rows: field_types.Positive = Field(default=1_000_000, description="a whole number of rows above 0")


class EngineSection(Section):
    """`[engine]`: the database that holds the data.

    record: where `dpproxy check --data` writes down what it verified on the rows of a DuckDB file. unit_index: where it
    keeps beside such a file whose each row is, or "off".
    """

    url: field_types.EngineUrl = Field(description='"duckdb:///FILE", "duckdb:" or "postgresql://…"')
    max_concurrency: field_types.Positive = Field(default=4, description="a whole number above 0")
    statement_timeout: field_types.Seconds = 60.0
    record: field_types.NewFile | None = Field(default=None, description="a path")
    unit_index: Literal["off"] | field_types.NewFile | None = Field(default=None, description='a path, or "off"')

    @field_validator("record")
    @classmethod
    def _of_a_file(cls, record: Path | None, info: ValidationInfo) -> Path | None:
        if record is not None and "url" in info.data and not info.data["url"].provider.holds_rows:
            raise unfit("none: rows of this engine come and go, and constraints alone are believed", "is given")
        return record

    @field_validator("unit_index")
    @classmethod
    def _of_held_rows(cls, place: str | Path | None, info: ValidationInfo) -> str | Path | None:
        if isinstance(place, Path) and "url" in info.data and not info.data["url"].provider.holds_rows:
            raise unfit("none: rows of this engine come and go, and an index would not stay true", "is given")
        return place


class LedgerSection(Section):
    """`[ledger]`: where it is, and the file that its head is kept in. url left out: in the front's database."""

    url: field_types.LedgerUrl | None = Field(
        default=None, description='"postgresql://…", or no url: it is then in the front\'s database'
    )
    head: field_types.NewFile | None = Field(default=None, description="the path of a file in a directory that exists")


class PrivacySection(Section):
    """`[privacy]`: how loss is counted, the data's label, what is said to who asks for rows, and what is told again:
    so many bytes of releases for each analyst, for so long (else until `data_version` changes).

    max_fanout: by how many public rows one private row may be multiplied in a statement. max_failures: how often an
    analyst who was stopped for a failure of the engine may be let go on.
    """

    accounting: Literal["pure", "zcdp"] = Field(default="zcdp", description='"zcdp" or "pure"')
    data_version: field_types.Text = Field(default="", description="a label as text")
    preview: Literal["refuse", "empty"] = Field(default="refuse", description='"refuse" or "empty"')
    stored_bytes: field_types.Bytes = Field(
        default=64 * 2**20, description="a whole number of bytes; 0 stores no releases"
    )
    stored_for: field_types.Seconds | None = None
    max_fanout: field_types.Positive = Field(default=10_000, description="a whole number above 0")
    max_failures: field_types.Positive = Field(default=10, description="a whole number above 0")


class UnitSection(Section):
    """`[units.NAME]`: a privacy unit, and the column that identifies it."""

    table: field_types.Text = Field(description="a table's name")
    key: field_types.Text = Field(description="a column of that table")


class ColumnSection(Section):
    """A column of a table. `bounds` and `values` are typed by `type`."""

    type: field_types.Type = Field(description='a type\'s name such as "integer" or "numeric(15,2)"')
    nullable: field_types.Flag = Field(default=False, description="true or false")
    hidden: field_types.Flag = Field(default=False, description="true or false")
    bounds: tuple[Value, Value] | None = None
    values: tuple[Value, ...] | None = None
    step: field_types.Step | None = None
    note: field_types.Text | None = Field(default=None, description="a remark as text")

    @field_validator("bounds", mode="plain")
    @classmethod
    def _bounds(cls, raw: Any, info: ValidationInfo) -> tuple[Value, ...] | None:
        kind: SqlType | None = info.data.get("type")
        if kind is None:
            return None
        if kind.family not in column_values.ORDERED:
            raise unfit("bounds of numbers, dates or timestamps only", f"{kind} has no bounds")
        typed = _typed(column_values.bound, kind, raw)
        if typed is None or len(typed) != 2 or typed[0] > typed[1]:  # type: ignore[operator]
            raise unfit(f"[lower, upper] with lower <= upper, each {column_values.words(kind)}")
        return typed

    @field_validator("values", mode="plain")
    @classmethod
    def _values(cls, raw: Any, info: ValidationInfo) -> tuple[Value, ...] | None:
        kind: SqlType | None = info.data.get("type")
        if kind is None:
            return None
        typed = _typed(column_values.value, kind, raw)
        if not typed or len(set(typed)) != len(typed):
            raise unfit(f"a list of different values, each {column_values.words(kind)}")
        return typed

    @field_validator("step")
    @classmethod
    def _step(cls, step: Decimal | None, info: ValidationInfo) -> Decimal | None:
        kind: SqlType | None = info.data.get("type")
        if step is not None and kind is not None and kind.family not in column_values.SUMMED:
            raise unfit("a step of numbers only", f"{kind} has no sums")
        return step


def _typed(typed: Callable[[SqlType, Any], Value | None], kind: SqlType, raw: Any) -> tuple[Value, ...] | None:
    """All of a list, typed; None where it is no list or one of it does not fit."""
    found = tuple(typed(kind, item) for item in raw) if isinstance(raw, list) else (None,)
    return None if None in found else found


class TableSection(Section):
    """`[tables.NAME]`: public, or private with a unit and a way to its key.

    units: instead of unit and link, the units that each row belongs to, with the link to each (two, where both are of
    one kind). max_rows_per_unit, max_groups_per_unit: caps on what counts of a unit; left out: none.
    determines: columns, or lists of them, whose values are of one unit wherever they stand: joins on them are kept
    within the unit.
    max_unit_rows, max_rows: rows that a unit, and the table, have as far as time is concerned; nothing is left out
    beyond them.
    source: the Parquet files whose rows it has, all together; left out: it is a table of the engine's.
    """

    public: field_types.Flag = Field(default=False, description="true or false")
    unit: field_types.Text | None = Field(default=None, description="a unit's name")
    link: dict[str, field_types.Text] = Field(default_factory=dict, description='{ column = "table.column" }')
    units: dict[str, dict[str, field_types.Text]] = Field(
        default_factory=dict, description='{ unit = { column = "table.column" }, … }'
    )
    primary_key: tuple[field_types.Text, ...] = Field(default=(), description="a list of columns")
    max_rows_per_unit: field_types.Positive | None = Field(default=None, description="a whole number above 0")
    max_groups_per_unit: field_types.Positive | None = Field(default=None, description="a whole number above 0")
    determines: tuple[field_types.Columns, ...] = Field(
        default=(), description="a list of columns, or of lists of them"
    )
    max_unit_rows: field_types.Positive | None = Field(default=None, description="a whole number above 0")
    max_rows: field_types.Positive = Field(default=100_000, description="a whole number above 0")
    note: field_types.Text | None = Field(default=None, description="a remark as text")
    columns: dict[str, ColumnSection] = Field(default_factory=dict, description="a table of columns")
    source: field_types.Source | None = None

    @property
    def ways(self) -> tuple[tuple[str, str, str], ...]:
        """Unit, column and link of each way to one of several units."""
        return tuple((unit, column, link) for unit, links in self.units.items() for column, link in links.items())

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """Column and target of every link."""
        return (*self.link.items(), *((column, link) for _, column, link in self.ways))


class DefaultsSection(Section):
    """`[analysts.NAME.defaults]`: what one statement costs, and the most that one may ask for."""

    max_epsilon: field_types.Epsilon | None = None
    epsilon: field_types.Epsilon | None = None

    @field_validator("epsilon")
    @classmethod
    def _allowed(cls, epsilon: Decimal | None, info: ValidationInfo) -> Decimal | None:
        most: Decimal | None = info.data.get("max_epsilon")
        if epsilon is not None and most is not None and epsilon > most:
            raise unfit(f"at most max_epsilon, {most}")
        return epsilon


class BudgetCap(Section):
    """ε and δ of an account, as the owner wrote them."""

    epsilon: field_types.Epsilon = Field(description="a number above 0")
    delta: field_types.Delta = Field(default=Decimal(0), description="a number from 0 to below 1")


class AnalystSection(BudgetCap):
    """`[analysts.NAME]`: a role in the front, and its account."""

    reset: field_types.Reset = "never"
    password: field_types.Password | None = Field(default=None, repr=False)
    trust: field_types.Flag = Field(default=False, description="true or false")
    tables: tuple[field_types.Text, ...] | None = Field(default=None, description="a list of tables")
    defaults: DefaultsSection = Field(default_factory=DefaultsSection, description="a table")
    limits: LimitsSection = Field(default_factory=LimitsSection, description="a table")

    @property
    def max_epsilon(self) -> Decimal:
        """The most one statement may ask for: never more than the whole."""
        return min(self.defaults.max_epsilon or self.epsilon, self.epsilon)

    @property
    def statement_epsilon(self) -> Decimal:
        """What one statement costs unless SET says otherwise."""
        return self.defaults.epsilon or min(_ONE_STATEMENT, self.max_epsilon)


class BudgetsSection(Section):
    """`[budgets]`: caps on what several spend together."""

    everyone: BudgetCap | None = Field(default=None, description="a table")


class Policy(Section):
    """The part of a configuration that says what is protected, and from whom."""

    privacy: PrivacySection = Field(default_factory=PrivacySection, description="a table")
    units: dict[str, UnitSection] = Field(default_factory=dict, description="a table")
    tables: dict[str, TableSection] = Field(default_factory=dict, description="a table")
    analysts: dict[str, AnalystSection] = Field(default_factory=dict, description="a table")
    budgets: BudgetsSection = Field(default_factory=BudgetsSection, description="a table")


class Config(Policy):
    """A whole configuration, checked. `path` is the file it came from."""

    server: ServerSection = Field(default_factory=ServerSection, description="a table")
    front: FrontSection = Field(description="a section [front] with its url")
    engine: EngineSection = Field(description="a section [engine] with its url")
    ledger: LedgerSection = Field(default_factory=LedgerSection, description="a table")
    _path: Path = PrivateAttr(default=Path("dpproxy.toml"))

    @property
    def path(self) -> Path:
        """The file that it was read from."""
        return self._path

    def at(self, path: Path) -> Config:
        """The same, as read from `path`."""
        self._path = path
        return self

    @property
    def record(self) -> Path:
        """Where it is written what was verified on the rows of a DuckDB file: beside the policy unless it says so."""
        return self.engine.record or self.path.with_suffix(".record.json")

    @property
    def unit_index(self) -> Path | None:
        """Where unit indexes of a DuckDB file are: beside the policy unless it says so; None where there shall be
        none."""
        place = self.engine.unit_index
        if place == "off" or not self.engine.url.provider.holds_rows:
            return None
        return place if isinstance(place, Path) else self.path.with_suffix(".units.duckdb")

    @property
    def sources(self) -> dict[str, str]:
        """The pattern of each table that is files of its own."""
        return {name: table.source for name, table in self.tables.items() if table.source is not None}

    @property
    def accounting(self) -> Accounting:
        """How loss is counted in every account."""
        return Accounting(self.privacy.accounting)

    @property
    def head(self) -> Path:
        """The file that the ledger's head is kept in."""
        return self.ledger.head or self.path.with_suffix(".head")

    def terms(self, analyst: str) -> Terms:
        """What `analyst` may spend. Raises KeyError where there is no such analyst."""
        account = self.analysts[analyst]
        return terms(self.accounting, account.epsilon, account.delta, account.max_epsilon)

    def group_terms(self, name: str) -> Terms:
        """What the group `name` ("everyone") may spend together. Raises KeyError where the policy has no such cap."""
        cap = self.budgets.everyone
        if name != "everyone" or cap is None:
            raise KeyError(name)
        return terms(self.accounting, cap.epsilon, cap.delta, cap.epsilon)

    def tables_of(self, analyst: str) -> frozenset[str]:
        """The tables that `analyst` may use. Raises KeyError where there is no such analyst."""
        chosen = self.analysts[analyst].tables
        return frozenset(self.tables if chosen is None else chosen)

    def limits_of(self, analyst: str) -> AnalystLimits:
        """What `analyst` may have at once: their own limits, else everybody's, which is what strangers have too."""
        all_, own = self.server.limits, self.analysts[analyst].limits if analyst in self.analysts else LimitsSection()
        connections = own.connections or all_.connections or self.server.max_connections
        return AnalystLimits(
            connections,
            own.statements or all_.statements or self.engine.max_concurrency,
            own.waiting or all_.waiting or connections,
            own.memory or all_.memory or _MEMORY,
            own.own_bytes or all_.own_bytes or OWN_BYTES,
        )

    def startup_options(self, analyst: str) -> dict[str, str]:
        """The settings that a session of `analyst` starts with, as Postgres takes them."""
        epsilon = self.analysts[analyst].statement_epsilon
        off = {f"dp.{name}": "off" for name in ("fresh", "nonnegative", "error_columns")}
        known = {"dp.epsilon": f"{epsilon:f}", "dp.mechanism": "auto", "dp.confidence": f"{USUAL_CONFIDENCE}", **off}
        return {**dict.fromkeys((f"dp.{name}" for name in MEANINGS), ""), **known}
