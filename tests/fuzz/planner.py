"""A text through the gate, the passes, the checker and the dialects: an answer or a refusal, and nothing else.

What is accepted has to hold against four judges that share no code with what made it: the checker, `attacks.reads`,
DuckDB, which binds the bounded SQL over the world's tables, and the server's grammar, which reads what is for Postgres.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from zlib import crc32

import duckdb
from attacks.reads import faults
from mutations import changed
from test_text_fuzz import TEXTS
from worlds import NOW, OWN, SCRIPT, TERMS, fitted, make_world, names_of, statements

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.engines.postgres.inputs import numbered
from dpproxy.errors import DPProxyError, EngineFailure, InternalFault
from dpproxy.plan.private_plan import FromPublic, Plan
from dpproxy.rewrite import Parameter, Question, plan_statement, read_settings
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.session.gate import examine
from dpproxy.session.postgres_parser import parse
from dpproxy.session.verdicts import GateNames, Plain, Private, Refuse, Wrapped
from fuzz.target import Mutate, Target

DIALECTS = ("duckdb", "postgres")
FAULTS = (InternalFault.sqlstate, EngineFailure.sqlstate)
PARAMETERS = (
    Parameter("integer", "30"),
    Parameter("text", "a'b\\\"$x$"),
    Parameter("date", "2024-02-29"),
    Parameter("double precision", "1e-300"),
    Parameter("integer[]", "{1,2,NULL}"),
    Parameter("text", None),
)
_PIECES = """
    people visits departments odds customer orders lineitem dp.budget mine person_id age sex income city dept cost day
    SELECT FROM WHERE GROUP HAVING ORDER LIMIT WITH AS JOIN LATERAL UNION EXCEPT EXISTS DISTINCT FILTER OVER VALUES
    count(*) sum( avg( min( max( array_agg( percentile_cont( generate_series( unnest( extract( date_trunc( CASE WHEN
    $1 $2 $5 '' $$ E' U&' /* */ -- :: [1] ( ) , ; . * || = < INTERVAL NULL
"""


class Passes:
    """The world's policy, and the engines' judges."""

    def __init__(self) -> None:
        self._place = tempfile.TemporaryDirectory(prefix="fuzz")
        self.catalog: Catalog = fitted(make_world(Path(self._place.name)))[1]
        private = [name for name, table in self.catalog.tables.items() if not table.public]
        views = [f"dp.{view}" for view in VIEWS]
        public = {name for name, table in self.catalog.tables.items() if table.public}
        self.names = GateNames(
            frozenset({*private, *(f"public.{name}" for name in private), *views}),
            frozenset(public | {f"public.{name}" for name in public}),
            "alice",
        )
        self.duckdb = duckdb.connect()
        for statement in statements(SCRIPT):
            self.duckdb.execute(statement)
        self.duckdb.execute("SET TimeZone = 'UTC'")

    def try_(self, data: bytes) -> None:
        """Raises AssertionError, or what a pass raises that it does not declare."""
        for each in examine(data.decode(errors="ignore").replace("\0", ""), self.names):
            match each.verdict:
                case Refuse(error):
                    assert error.sqlstate not in FAULTS, error
                case Private(_, Plain()):
                    self._asked(each.sql)
                case Private(_, Wrapped(select=sql)):
                    self._asked(sql)
                case _:
                    pass

    def _asked(self, sql: str) -> None:
        dialect = DIALECTS[crc32(sql.encode()) % len(DIALECTS)]
        made = self._planned(sql, dialect)
        if made is not None:
            self._judge(made, dialect)

    def _planned(self, sql: str, dialect: str) -> Plan | None:
        question = Question(
            sql, PARAMETERS, (), read_settings({"epsilon": "1"}, TERMS), names_of(self.catalog), NOW, OWN
        )
        try:
            return plan_statement(question, self.catalog, TERMS, dialect)
        except DPProxyError as refusal:
            assert refusal.sqlstate not in FAULTS, refusal
            assert refusal.position is None or 0 < refusal.position <= len(sql) + 1, "a position is in the text"
            return None

    def _judge(self, made: Plan, dialect: str) -> None:
        try:
            check_plan(made, self.catalog, dialect, TERMS.accounting)
        except CheckFault as fault:
            raise AssertionError(f"the checker refuses: {fault.reason}") from fault
        found = faults(made, self.catalog, dialect)
        assert not found, found
        parse(made.post.sql)
        for release in made.releases:
            domains = [key.domain for key in release.bounded.keys if isinstance(key.domain, FromPublic)]
            for each in (release.bounded, *domains):
                self._bind(each.sql, [column.name for column in each.inputs], dialect)

    def _bind(self, sql: str, inputs: Sequence[str], dialect: str) -> None:
        match dialect:
            case "duckdb":
                (statement,) = self.duckdb.extract_statements(sql)
                assert statement.type == duckdb.StatementType.SELECT
                self.duckdb.execute(f"PREPARE judged AS {sql}")
                self.duckdb.execute("DEALLOCATE judged")
            case _:
                (read,) = parse(numbered(sql, dict.fromkeys(inputs, ()))[0])
                assert read.kind == "SelectStmt"


def target() -> Target:
    """A text in UTF-8."""
    return Target(Passes().try_, change, [word.encode() for word in _PIECES.split()], longest=1500, blind=0.15)


def seeds() -> list[bytes]:
    """The statements of all fixtures."""
    return [text.encode() for text in TEXTS]


def change(data: bytes, random: Random, _mutate: Mutate) -> bytes:
    """Tokens lost, doubled, swapped, quoted, spliced from other statements, hidden behind comments."""
    return changed(data.decode(errors="ignore") or "SELECT", random, TEXTS).encode()
