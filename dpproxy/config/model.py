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
from dpproxy.config import fields, values
from dpproxy.config.fields import unfit
from dpproxy.rows import Value

_ONE_STATEMENT = Decimal("0.1")
_WAITING, _MEMORY = 64, 256 * 2**20


class Section(BaseModel):
    """Any section: no unknown keys, and nothing changes after it was read."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class Limits(Section):
    """`[server.limits]` for every analyst, `[analysts.NAME.limits]` for one: what they may have in each proxy at once.

    connections: as many as there may be. statements: private ones in the engine, as many as it takes; others wait, up
    to `waiting`. memory: bytes that are kept for all sessions of the analyst.
    """

    connections: fields.Positive | None = Field(default=None, description="a whole number above 0")
    statements: fields.Positive | None = Field(default=None, description="a whole number above 0")
    waiting: fields.Positive | None = Field(default=None, description="a whole number above 0")
    memory: fields.Positive | None = Field(default=None, description="a whole number of bytes above 0")


@dataclass(frozen=True, slots=True)
class Allowed:
    """The limits of one analyst, each a number."""

    connections: int
    statements: int
    waiting: int
    memory: int


class Server(Section):
    """`[server]`: where clients connect, and what the operator is told. Sizes in bytes, times in seconds."""

    host: fields.Text = Field(default="127.0.0.1", description="an address or a host's name as text")
    port: fields.Port = Field(default=6432, description="a port from 0 to 65535 (0 picks a free one)")
    tls_cert: fields.File | None = Field(default=None, description="a certificate's path")
    tls_key: fields.File | None = Field(default=None, description="a key's path", validate_default=True)
    require_tls: fields.Flag = Field(default=False, description="true or false")
    database: fields.Name = Field(default="dpproxy", description="the name that clients connect to, as text")
    max_connections: fields.Positive = Field(default=100, description="a whole number above 0")
    max_message_bytes: fields.Positive = Field(default=16 * 2**20, description="a whole number of bytes above 0")
    startup_timeout: fields.Seconds = 10.0
    idle_timeout: fields.Seconds = 3600.0
    drain_delay: fields.Pause = 0.0
    drain_timeout: fields.Pause = 30.0
    log: Literal["text", "json"] = Field(default="text", description='"text" or "json"')
    log_statements: Literal["none", "shape"] = Field(default="none", description='"none" or "shape"')
    metrics_host: fields.Text = Field(default="127.0.0.1", description="an address or a host's name as text")
    metrics_port: fields.Port | None = Field(default=None, description="a port from 0 to 65535 (0 picks a free one)")
    constant_time: fields.Flag = Field(default=False, description="true or false")
    time_grid: fields.Seconds = 0.1
    limits: Limits = Field(default_factory=Limits, description="a table")

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


class Front(Section):
    """`[front]`: the Postgres that holds no private row."""

    url: fields.FrontUrl = Field(description='"embedded:DIRECTORY" or "postgresql://…"')
    public_rows: fields.Positive = Field(default=1_000_000, description="a whole number of rows above 0")


class Engine(Section):
    """`[engine]`: the database that holds the data."""

    url: fields.EngineUrl = Field(description='"duckdb:///FILE" or "postgresql://…"')
    max_concurrency: fields.Positive = Field(default=4, description="a whole number above 0")
    statement_timeout: fields.Seconds = 60.0


class Ledger(Section):
    """`[ledger]`: left out, it is in the front's database."""

    url: fields.LedgerUrl = Field(description='"postgresql://…", or no [ledger]: it is then in the front\'s database')


class Privacy(Section):
    """`[privacy]`: how loss is counted, the data's label, what is said to who asks for rows, and what is told again:
    so many bytes of releases for each analyst, for so long (else until `data_version` changes)."""

    accounting: Literal["pure", "zcdp"] = Field(default="zcdp", description='"zcdp" or "pure"')
    data_version: fields.Text = Field(default="", description="a label as text")
    preview: Literal["refuse", "empty"] = Field(default="refuse", description='"refuse" or "empty"')
    stored_bytes: fields.Bytes = Field(default=64 * 2**20, description="a whole number of bytes; 0 stores no releases")
    stored_for: fields.Seconds | None = None


class Unit(Section):
    """`[units.NAME]`: a privacy unit, and the column that identifies it."""

    table: fields.Text = Field(description="a table's name")
    key: fields.Text = Field(description="a column of that table")


class Column(Section):
    """A column of a table. `bounds` and `values` are typed by `type`."""

    type: fields.Type = Field(description='a type\'s name such as "integer" or "numeric(15,2)"')
    nullable: fields.Flag = Field(default=False, description="true or false")
    hidden: fields.Flag = Field(default=False, description="true or false")
    bounds: tuple[Value, Value] | None = None
    values: tuple[Value, ...] | None = None
    step: fields.Step | None = None
    note: fields.Text | None = Field(default=None, description="a remark as text")

    @field_validator("bounds", mode="plain")
    @classmethod
    def _bounds(cls, raw: Any, info: ValidationInfo) -> tuple[Value, ...] | None:
        kind: SqlType | None = info.data.get("type")
        if kind is None:
            return None
        if kind.family not in values.ORDERED:
            raise unfit("bounds of numbers, dates or timestamps only", f"{kind} has no bounds")
        typed = _typed(values.bound, kind, raw)
        if typed is None or len(typed) != 2 or typed[0] > typed[1]:  # type: ignore[operator]
            raise unfit(f"[lower, upper] with lower <= upper, each {values.words(kind)}")
        return typed

    @field_validator("values", mode="plain")
    @classmethod
    def _values(cls, raw: Any, info: ValidationInfo) -> tuple[Value, ...] | None:
        kind: SqlType | None = info.data.get("type")
        if kind is None:
            return None
        typed = _typed(values.value, kind, raw)
        if not typed or len(set(typed)) != len(typed):
            raise unfit(f"a list of different values, each {values.words(kind)}")
        return typed

    @field_validator("step")
    @classmethod
    def _step(cls, step: Decimal | None, info: ValidationInfo) -> Decimal | None:
        kind: SqlType | None = info.data.get("type")
        if step is not None and kind is not None and kind.family not in values.SUMMED:
            raise unfit("a step of numbers only", f"{kind} has no sums")
        return step


def _typed(typed: Callable[[SqlType, Any], Value | None], kind: SqlType, raw: Any) -> tuple[Value, ...] | None:
    """All of a list, typed; None where it is no list or one of it does not fit."""
    found = tuple(typed(kind, item) for item in raw) if isinstance(raw, list) else (None,)
    return None if None in found else found


class Table(Section):
    """`[tables.NAME]`: public, or private with a unit and a way to its key."""

    public: fields.Flag = Field(default=False, description="true or false")
    unit: fields.Text | None = Field(default=None, description="a unit's name")
    link: dict[str, fields.Text] = Field(default_factory=dict, description='{ column = "table.column" }')
    primary_key: tuple[fields.Text, ...] = Field(default=(), description="a list of columns")
    max_rows_per_unit: fields.Positive | None = Field(default=None, description="a whole number above 0")
    max_groups_per_unit: fields.Positive | None = Field(default=None, description="a whole number above 0")
    note: fields.Text | None = Field(default=None, description="a remark as text")
    columns: dict[str, Column] = Field(default_factory=dict, description="a table of columns")


class Defaults(Section):
    """`[analysts.NAME.defaults]`: what one statement costs, and the most that one may ask for."""

    max_epsilon: fields.Epsilon | None = None
    epsilon: fields.Epsilon | None = None

    @field_validator("epsilon")
    @classmethod
    def _allowed(cls, epsilon: Decimal | None, info: ValidationInfo) -> Decimal | None:
        most: Decimal | None = info.data.get("max_epsilon")
        if epsilon is not None and most is not None and epsilon > most:
            raise unfit(f"at most max_epsilon, {most}")
        return epsilon


class Cap(Section):
    """ε and δ of an account, as the owner wrote them."""

    epsilon: fields.Epsilon = Field(description="a number above 0")
    delta: fields.Delta = Field(default=Decimal(0), description="a number from 0 to below 1")


class Analyst(Cap):
    """`[analysts.NAME]`: a role in the front, and its account."""

    reset: fields.Reset = "never"
    password: fields.Password | None = Field(default=None, repr=False)
    trust: fields.Flag = Field(default=False, description="true or false")
    tables: tuple[fields.Text, ...] | None = Field(default=None, description="a list of tables")
    defaults: Defaults = Field(default_factory=Defaults, description="a table")
    limits: Limits = Field(default_factory=Limits, description="a table")

    @property
    def max_epsilon(self) -> Decimal:
        """The most one statement may ask for: never more than the whole."""
        return min(self.defaults.max_epsilon or self.epsilon, self.epsilon)

    @property
    def statement_epsilon(self) -> Decimal:
        """What one statement costs unless SET says otherwise."""
        return self.defaults.epsilon or min(_ONE_STATEMENT, self.max_epsilon)


class Budgets(Section):
    """`[budgets]`: caps on what several spend together."""

    everyone: Cap | None = Field(default=None, description="a table")


class Policy(Section):
    """The part of a configuration that says what is protected, and from whom."""

    privacy: Privacy = Field(default_factory=Privacy, description="a table")
    units: dict[str, Unit] = Field(default_factory=dict, description="a table")
    tables: dict[str, Table] = Field(default_factory=dict, description="a table")
    analysts: dict[str, Analyst] = Field(default_factory=dict, description="a table")
    budgets: Budgets = Field(default_factory=Budgets, description="a table")


class Config(Policy):
    """A whole configuration, checked. `path` is the file it came from."""

    server: Server = Field(default_factory=Server, description="a table")
    front: Front = Field(description="a section [front] with its url")
    engine: Engine = Field(description="a section [engine] with its url")
    ledger: Ledger | None = Field(default=None, description="a table")
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
    def accounting(self) -> Accounting:
        """How loss is counted in every account."""
        return Accounting(self.privacy.accounting)

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

    def limits_of(self, analyst: str) -> Allowed:
        """What `analyst` may have at once: their own limits, else everybody's, which is what strangers have too."""
        all_, own = self.server.limits, self.analysts[analyst].limits if analyst in self.analysts else Limits()
        return Allowed(
            own.connections or all_.connections or self.server.max_connections,
            own.statements or all_.statements or self.engine.max_concurrency,
            own.waiting or all_.waiting or _WAITING,
            own.memory or all_.memory or _MEMORY,
        )

    def startup_options(self, analyst: str) -> dict[str, str]:
        """The settings that a session of `analyst` starts with, as Postgres takes them."""
        epsilon = self.analysts[analyst].statement_epsilon
        unset = dict.fromkeys(("dp.delta", "dp.max_groups_per_unit", "dp.max_rows_per_unit"), "")
        return {"dp.epsilon": f"{epsilon:f}", "dp.mechanism": "auto", "dp.fresh": "off", **unset}
