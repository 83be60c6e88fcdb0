"""What the gate says about a statement."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpproxy.accounting.account import Terms
from dpproxy.errors import DPProxyError
from dpproxy.session.quoting import quoted
from dpproxy.session.set_config_calls import SettingCall


@dataclass(frozen=True, slots=True)
class GateNames:
    """Names that the gate looks out for, as they may be written: `people` and `public.people`.

    private: of private tables and of the proxy's own tables (`dp.budget`). schema: the analyst's own.
    terms: of the analyst's account, which values of settings must keep to; None: they are not looked at.
    closed: of functions and views, without a schema, that the front could not lock. printing: of settings that are the
    operator's, in lower case.
    """

    private: frozenset[str]
    public: frozenset[str]
    schema: str
    closed: frozenset[str] = frozenset()
    printing: frozenset[str] = frozenset()
    terms: Terms | None = None


@dataclass(frozen=True, slots=True)
class Plain:
    """A SELECT as it stands."""


@dataclass(frozen=True, slots=True)
class Explains:
    """EXPLAIN; format is text, json, xml or yaml. generic: whatever the parameters' values. verbose: with all details;
    documents always have them."""

    format: str
    generic: bool = False
    verbose: bool = False


@dataclass(frozen=True, slots=True)
class Declares:
    """DECLARE of a cursor. Without HOLD it is for transaction blocks only; binary: what FETCH gives by itself."""

    cursor: str
    hold: bool
    binary: bool = False


@dataclass(frozen=True, slots=True)
class Copies:
    """COPY to the client."""


@dataclass(frozen=True, slots=True)
class Creates:
    """CREATE TABLE AS, SELECT INTO. schema: empty if none is written; unless_there: IF NOT EXISTS."""

    schema: str
    table: str
    unless_there: bool

    @property
    def written(self) -> str:
        """As names are looked up."""
        return f"{self.schema}.{self.table}" if self.schema else self.table

    @property
    def quoted(self) -> str:
        """As it stands in a text."""
        return quoted(self.schema, self.table)


@dataclass(frozen=True, slots=True)
class Inserts:
    """INSERT of the rows of a SELECT."""


Use = Explains | Declares | Copies | Creates | Inserts


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A statement that does something with the rows of a SELECT, or of an EXECUTE, which stands inside of it.

    before, after: the words around `select`, which begins at character `start` of the statement. Where the words stand
    within the SELECT (INTO), blanks are in their place.
    """

    use: Use
    before: str
    select: str
    after: str
    start: int

    def around(self, sql: str) -> str:
        """The same done with the rows of another SELECT."""
        return f"{self.before}{sql}{self.after}"


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A form in which private tables cannot be read; `error` says what to write instead."""

    error: DPProxyError


Form = Plain | Wrapped | Unsupported


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
    """PREPARE: the name is the client's from now on. `select` is what it stands for, where that may be private."""

    name: str
    select: Statement | None = None


@dataclass(frozen=True, slots=True)
class Deallocates:
    """DEALLOCATE of one statement, or of all (None)."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Executes:
    """EXECUTE of a prepared statement, by itself (Plain) or inside of another one.

    arguments: their text with the parentheses, at character `start` of the statement; `count` is how many they are.
    """

    name: str
    arguments: str = ""
    count: int = 0
    start: int = 0
    form: Form = Plain()


@dataclass(frozen=True, slots=True)
class Fetches:
    """FETCH from a cursor."""

    cursor: str


@dataclass(frozen=True, slots=True)
class ClosesCursor:
    """CLOSE or DECLARE of one portal, or CLOSE of all (None)."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Sets:
    """SET or set_config() of `dp.*` settings, which the next private statement validates."""

    names: frozenset[str]


Effect = Nothing | Prepares | Deallocates | Executes | Fetches | ClosesCursor | Sets


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a text: its own text, where it starts in the whole (characters), and the gate's verdict.

    public: names of public tables that it reads, as written. kind: its node class, empty for a text that is no SQL.
    inserted: how many characters `sql` has that the client did not write, all of them before whatever an error shows.
    parameter: the first parameter's number and its position in `sql`, if there is one that needs a value.
    setters: the numbers of the parameters that name settings for set_config(). assigned: its calls that parameters are
    given to. grows: whether it may make the analyst's schema larger. copies_in: whether it is COPY … FROM STDIN. sets:
    whether it calls set_config().
    """

    sql: str
    start: int
    verdict: Verdict
    effect: Effect = Nothing()
    public: tuple[str, ...] = ()
    kind: str = ""
    inserted: int = 0
    parameter: tuple[int, int] | None = None
    setters: frozenset[int] = frozenset()
    assigned: tuple[SettingCall, ...] = ()
    grows: bool = False
    copies_in: bool = False
    sets: bool = False

    def alone(self, sql: str) -> Statement:
        """The one statement of a Parse of `sql`, whose positions count from the text's own beginning."""
        return self if self.inserted else replace(self, sql=sql, start=0)

    @property
    def is_kept(self) -> bool:
        """Whether a session remembers it by the name that it is prepared under: it does not just pass when it runs."""
        traced = type(self.effect) is not Nothing or bool(self.setters)
        return traced or self.grows or isinstance(self.verdict, Private) or self.kind == "FetchStmt"

    @property
    def shift(self) -> int:
        """What is added to a position in `sql` to have that in the client's text."""
        return self.start - self.inserted
