"""What the gate says about a statement."""

from __future__ import annotations

from dataclasses import dataclass

from dpproxy.errors import DPProxyError


@dataclass(frozen=True, slots=True)
class Names:
    """Names that the gate looks out for, as they may be written: `people` and `public.people`.

    private: of private tables and of the proxy's own tables (`dp.budget`). schema: the analyst's own.
    """

    private: frozenset[str]
    public: frozenset[str]
    schema: str


@dataclass(frozen=True, slots=True)
class Plain:
    """A SELECT as it stands."""


@dataclass(frozen=True, slots=True)
class Explained:
    """EXPLAIN of a SELECT: `sql` is the SELECT, `start` where it begins in the statement's text, in characters."""

    sql: str
    start: int
    json: bool


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A form in which private tables cannot be read; `error` says what to write instead."""

    error: DPProxyError


Form = Plain | Explained | Unsupported


@dataclass(frozen=True, slots=True)
class Pass:
    """Runs in the front as it stands."""


@dataclass(frozen=True, slots=True)
class Private:
    """May read private tables: whether a name is one is for `to_regclass` to say, when the statement is bound.

    names: all relations of the statement, as written, each once.
    """

    names: tuple[str, ...]
    form: Form


@dataclass(frozen=True, slots=True)
class Refuse:
    """Never runs. Positions count from the beginning of the statement's own text."""

    error: DPProxyError


Verdict = Pass | Private | Refuse


@dataclass(frozen=True, slots=True)
class Nothing:
    """Leaves no trace in what the relay remembers."""


@dataclass(frozen=True, slots=True)
class Prepares:
    """PREPARE: the name is the client's from now on."""

    name: str


@dataclass(frozen=True, slots=True)
class Deallocates:
    """DEALLOCATE of one statement, or of all (None)."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Executes:
    """EXECUTE of a prepared statement."""

    name: str


@dataclass(frozen=True, slots=True)
class ClosesCursor:
    """CLOSE or DECLARE of one portal, or CLOSE of all (None)."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Sets:
    """SET or set_config() of `dp.*` settings, which the next private statement validates."""

    names: frozenset[str]


Effect = Nothing | Prepares | Deallocates | Executes | ClosesCursor | Sets


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a text: its own text, where it starts in the whole (characters), and the gate's verdict.

    public: names of public tables that it reads, as written. kind: its node class, empty for a text that is no SQL.
    """

    sql: str
    start: int
    verdict: Verdict
    effect: Effect = Nothing()
    public: tuple[str, ...] = ()
    kind: str = ""
