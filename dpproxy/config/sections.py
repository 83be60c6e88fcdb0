"""The sections of a configuration. A field's description is what a fault at its key expects."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Literal

from pydantic import Field, PrivateAttr, ValidationInfo, field_validator

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting
from dpproxy.config import field_types
from dpproxy.config.field_types import unfit
from dpproxy.config.section import Section
from dpproxy.config.table_sections import TableSection, UnitSection
from dpproxy.plan.error_bars import USUAL_CONFIDENCE
from dpproxy.plan.session_settings import MEANINGS

_ONE_STATEMENT = Decimal("0.1")
_MEMORY = 256 * 2**20
OWN_BYTES = 256 * 2**20


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

    url: field_types.EngineUrl = Field(description='"duckdb:///FILE", "duckdb:", "postgresql://…" or "sc://…"')
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
    analyst who was stopped for a failure of the engine may be let go on. caps: whether caps of tables are where the
    search for a clip ends, or noise is made for them.
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
    caps: Literal["clip", "hold"] = Field(default="clip", description='"clip" or "hold"')


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
    def unpinned(self) -> frozenset[str]:
        """The tables of which a statement's queries may read different rows."""
        return frozenset(name for name, table in self.tables.items() if table.snapshot is not None)

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
