"""Mutated SQL: an answer, a refusal or a syntax error, and nothing else.

Texts of the fixtures with tokens lost, doubled, swapped, quoted, spliced and hidden behind comments go through the gate
and the passes, and a sample of them through a served proxy. What a text reads is asked of a real Postgres, which shares
nothing with the gate: it locks the relations of what it prepares. a longer lane tries more, --seed picks another
series; a failure names its text.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import psycopg
import pytest
from clusters import front_in
from lanes import seed, sized
from mutations import mutated
from proxies import ServedProxy, serving, write_policy
from sql_cases import cases
from worlds import FIXTURES, TERMS, fitted, make_world, plan

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.errors import DPProxyError, EngineFailure, InternalFault
from dpproxy.front.embedded_front import EmbeddedFront
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.session.gate import examine
from dpproxy.session.verdicts import GateNames, Pass, Plain, Private, Refuse, Statement, Wrapped

pytestmark = pytest.mark.long

SECONDS = sized(2.0, 2.0, 600.0)
SEED = seed()
SAMPLE = 0.35  # of the time, over the wire
FAULTS = (InternalFault.sqlstate, EngineFailure.sqlstate)
TEXTS = [case.sql for path in sorted(FIXTURES.glob("*/*.sql")) for case in cases(path) if path.stem != "expressions"]
Row = tuple[object, ...]


@dataclass(frozen=True)
class Judge:
    """A Postgres with the tables of the policy, all empty, and the policy."""

    catalog: Catalog
    names: GateNames
    postgres: psycopg.Connection[Row]

    def reads(self, sql: str) -> frozenset[str] | str:
        """The relations that a query reads, or the SQLSTATE of its error."""
        try:
            with self.postgres.transaction(force_rollback=True):
                self.postgres.execute(f"PREPARE judged AS {sql}")
                found = self.postgres.execute(
                    "SELECT relation::regclass::text FROM pg_locks WHERE pid = pg_backend_pid() AND relation > 16000"
                ).fetchall()
                return frozenset(str(name) for (name,) in found)
        except psycopg.Error as fault:
            return fault.sqlstate or "?"
        finally:
            self.postgres.execute("DEALLOCATE ALL")

    def private(self, name: str) -> bool:
        """Whether rows of it are not to be had for nothing."""
        return name not in self.catalog.tables or not self.catalog.tables[name].public


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    directory = tmp_path_factory.mktemp("judge")
    catalog = fitted(make_world(directory))[1]
    private = [name for name, table in catalog.tables.items() if not table.public] + [f"dp.{view}" for view in VIEWS]
    written = {name.rpartition(".")[2] for name in private} | {f"public.{n}" for n in private if "." not in n}
    public = {name for name, table in catalog.tables.items() if table.public}
    names = GateNames(frozenset({*written, *private}), frozenset(public | {f"public.{n}" for n in public}), "alice")
    with asyncio.Runner() as runner:
        front = runner.run(EmbeddedFront.start(front_in(directory / "front"), "demo"))
        try:
            with psycopg.connect(front.address.conninfo(), autocommit=True) as postgres:
                postgres.execute("; ".join(_tables(catalog)))
                yield Judge(catalog, names, postgres)
        finally:
            runner.run(front.stop())


def _tables(catalog: Catalog) -> Iterator[str]:
    yield "CREATE SCHEMA IF NOT EXISTS dp"
    for name, table in catalog.tables.items():
        columns = ", ".join(f"{column.name} {column.type}" for column in table.columns if not column.hidden)
        yield f"CREATE TABLE public.{name} ({columns})"
    for view, columns_ in VIEWS.items():
        columns = ", ".join(f'"{column.name}" {column.type}' for column in columns_)
        yield f"CREATE TABLE IF NOT EXISTS dp.{view} ({columns})"


def outcome(judge: Judge, each: Statement) -> str:
    """What becomes of a statement short of running it. Raises AssertionError for what must not be."""
    reads = judge.reads(each.sql) if each.kind == "SelectStmt" else "not a query"
    known = not isinstance(reads, str)
    private = known and any(map(judge.private, reads))
    match each.verdict:
        case Refuse(error):
            assert error.sqlstate not in FAULTS
            return f"refused by the gate, {error.sqlstate}"
        case Pass():
            assert not private, f"the gate passes what reads {sorted(reads)}"
            return "passed" if known else f"the front's {reads}"
        case Private(_, Plain()) if known:
            return _planned(judge, each.sql)
        case Private(_, Wrapped(select=sql)):
            return _planned(judge, sql) if not isinstance(judge.reads(sql), str) else "the front's, explained"
        case _:
            return "private, and an error"


def _planned(judge: Judge, sql: str) -> str:
    try:
        made = plan(sql, judge.catalog)
        check_plan(made, judge.catalog, "duckdb", TERMS.accounting)
    except DPProxyError as refusal:
        assert refusal.sqlstate not in FAULTS
        return f"refused, {refusal.sqlstate}"
    except RecursionError:
        return "too deep"
    except CheckFault as fault:
        raise AssertionError(f"the checker refuses: {fault.reason}") from fault
    except Exception as fault:
        raise AssertionError(f"planning raised {fault!r}") from fault
    return "planned"


def test_every_mutated_text_is_answered_refused_or_wrong(judge: Judge) -> None:
    random, found = Random(f"texts {SEED}"), Counter[str]()
    end = time.monotonic() + SECONDS * (1 - SAMPLE)
    texts = [*TEXTS, *10 * list(FREE.values())]  # few others become such that pass
    while time.monotonic() < end or found.total() < 1500:
        text = mutated(random, texts)
        try:
            found.update(outcome(judge, each) for each in examine(text, judge.names))
        except AssertionError as fault:
            raise AssertionError(f"{fault}\n{text!r}") from fault
    print(f"\ntexts: {found.most_common(30)}")
    assert found["planned"] and found["passed"] and any(each.startswith("refused,") for each in found)


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProxy]:
    config = write_policy(tmp_path_factory.mktemp("fuzzed"), {"epsilon = 100.0": "epsilon = 1000000000.0"})
    with serving(config) as running:
        yield running


class Client:
    """An analyst's connection that counts the notices of charges."""

    def __init__(self, proxy: ServedProxy) -> None:
        self.connection = psycopg.connect(proxy.dsn("alice"), autocommit=True)
        self.connection.add_notice_handler(lambda told: self._heard(told.message_primary or ""))
        self.charges = 0

    def _heard(self, message: str) -> None:
        self.charges += message.startswith("dpproxy: charged")

    def ask(self, sql: str) -> str:
        """`charged`, `free`, or a SQLSTATE."""
        before = self.charges
        try:
            self.connection.execute(sql.encode())  # type: ignore[call-overload]
        except psycopg.Error as fault:
            assert not self.connection.closed, fault
            return fault.sqlstate or "?"
        finally:
            self.connection.execute("SELECT 1")
        return "charged" if self.charges > before else "free"


def test_a_sample_goes_through_a_served_proxy(judge: Judge, proxy: ServedProxy) -> None:
    random, found, client = Random(f"wire {SEED}"), Counter[str](), Client(proxy)
    end = time.monotonic() + SECONDS * SAMPLE
    while time.monotonic() < end or found.total() < 60:
        text = mutated(random, TEXTS)
        statements = examine(text, judge.names)
        kinds = [each.kind for each in statements]
        if kinds != ["SelectStmt"] and (kinds != [""] or random.random() < 0.9):
            continue
        answer = client.ask(text)
        found[answer] += 1
        assert answer not in FAULTS, text
        reads = judge.reads(statements[0].sql) if statements[0].kind else "?"
        if answer in ("free", "charged") and not isinstance(reads, str):
            paid = any(name in judge.catalog.tables and judge.private(name) for name in reads)
            assert (answer == "charged") == paid or _is_free(text), f"{answer}: {text!r} reads {sorted(reads)}"
    print(f"\nwire: {found.most_common(20)}")
    assert found["charged"]


def _is_free(text: str) -> bool:
    """What is explained, or empty whatever the tables hold."""
    return (
        re.search(
            r"^\s*EXPLAIN\b|\b(LIMIT|FIRST|NEXT)\s+0\b|\bfalse\b|\bWHERE\s+NULL\b|\b\d+\s*(=|<>)\s*\d+\b", text, re.I
        )
        is not None
    )


# Every form of an identifier, in statements that are answered: by count, so that 0 would be an empty stub's answer.
ANSWERED = {
    "quoted": 'SELECT count(*) FROM "people" WHERE "age" > 20',
    "quoted schema": 'SELECT count(*) FROM "public"."people"',
    "upper case": "SELECT COUNT(*) FROM PEOPLE WHERE AGE > 20",
    "mixed case": "SELECT CoUnT(*) FROM PeOpLe P WHERE p.aGe > 20",
    "schema-qualified": "SELECT count(*) FROM public.people WHERE people.age > 20",
    "an alias that is a keyword": 'SELECT count(*) FROM people AS "select" WHERE "select".age > 20',
    "a column that is a keyword": 'SELECT sum("order") FROM (SELECT age AS "order" FROM people) AS "group"',
    "a quoted name with a blank": 'SELECT sum("the age") FROM (SELECT age AS "the age" FROM people) AS "a b"',
    "a quoted name with quotes": 'SELECT sum("a""b") FROM (SELECT age AS "a""b" FROM people) t',
    "a quoted name with a dot": 'SELECT sum("p.age") FROM (SELECT age AS "p.age" FROM people) p',
    "upper case that is kept": 'SELECT sum("AGE") FROM (SELECT age AS "AGE" FROM people) t',
    "two names that differ by case": 'SELECT sum("A" - a) + 400 FROM (SELECT age AS "A", age AS a FROM people) t',
    "unicode": "SELECT sum(größe) FROM (SELECT age AS größe FROM people) AS ñandú",
    "unicode that is quoted": 'SELECT sum("größe ☃") FROM (SELECT age AS "größe ☃" FROM people) AS "日本"',
    "an alias of a table's name": "SELECT count(*) FROM people AS visits WHERE visits.age > 20",
    "an alias of a column's name": "SELECT count(*) FROM people AS age WHERE age.age > 20",
    "a CTE of a table's name": "WITH visits AS (SELECT age FROM people) SELECT sum(age) FROM visits",
    "a CTE of its own table's name": "WITH people AS (SELECT * FROM people WHERE age > 20) SELECT count(*) FROM people",
    "a schema that goes past a CTE": "WITH people AS (SELECT 1 AS age) SELECT count(*) FROM public.people",
    "a derived table of a table's name": "SELECT count(*) FROM (SELECT person_id FROM visits) AS people",
    "same names on both sides": "SELECT count(*) FROM visits a JOIN visits b ON a.person_id = b.person_id",
    "same names by USING": "SELECT count(*) FROM visits JOIN people USING (person_id)",
    "same names in a derived table": "SELECT sum(p.age + t.age) FROM people p "
    "JOIN (SELECT person_id, age FROM people) t ON t.person_id = p.person_id",
    "nested comments": "SELECT /* a /* b */ ' */ count(*) -- people\n FROM people -- where age > 1000\n",
    "a comment for a blank": "SELECT/**/count(*)FROM/**/people",
    "other blanks": "SELECT\tcount(*)\r\nFROM\fpeople",
}
# Forms of Postgres that are refused, or mean no table of the policy, each with its SQLSTATE.
NOT_ANSWERED = {
    "ONLY": ("SELECT count(*) FROM ONLY people", "0A000"),
    "quoted upper case": ('SELECT count(*) FROM "People"', "42P01"),
    "a blank that is none": ("SELECT count(*) FROM people\u00a0p", "42P01"),
    "a number that touches a word": ("SELECT count(*) FROM people WHERE age>20AND smoker", "42601"),
    "another schema": ("SELECT count(*) FROM elsewhere.people", "42P01"),
    "a hidden column": ("SELECT count(name) FROM people", "42703"),
    "two columns of a name": ("SELECT sum(person_id) FROM visits, people", "42702"),
    "an alias that hides its table": ("SELECT count(people.age) FROM people p", "42P01"),
    "rows of a table": ("TABLE people", "DP002"),
    "rows behind a CTE": ("WITH people AS (SELECT * FROM people) SELECT * FROM people", "DP002"),
}
# Names of private tables that mean something else: answered by the front, and free.
FREE = {
    "a CTE": "WITH people AS (SELECT 1 AS age) SELECT count(*) FROM people",
    "a CTE that is recursive": "WITH RECURSIVE people AS (SELECT 1 AS n UNION ALL "
    "SELECT n + 1 FROM people WHERE n < 3) SELECT count(*) FROM people",
    "a derived table": "SELECT people.age FROM (SELECT 1 AS age) AS people",
    "a string": "SELECT 'SELECT * FROM people'",
    "a dollar string": "SELECT $$ FROM people $$, $x$ FROM visits $x$",
    "a comment": "SELECT 1 /* FROM people */ -- FROM people",
    "an alias": "SELECT people.dept FROM departments AS people",
    "a column": 'SELECT dept AS "people" FROM departments',
}


@pytest.fixture(scope="module")
def client(proxy: ServedProxy) -> Client:
    return Client(proxy)


@pytest.mark.parametrize("form", ANSWERED)
def test_every_form_of_a_name_is_met(form: str, client: Client) -> None:
    before = client.charges
    (row,) = client.connection.execute(ANSWERED[form].encode()).fetchall()  # type: ignore[call-overload]
    assert client.charges == before + 1
    assert abs(row[0]) > 100


@pytest.mark.parametrize("form", NOT_ANSWERED)
def test_what_names_no_table_has_a_sqlstate(form: str, client: Client) -> None:
    sql, state = NOT_ANSWERED[form]
    assert client.ask(sql) == state


@pytest.mark.parametrize("form", FREE)
def test_a_name_that_means_something_else_is_free(form: str, client: Client) -> None:
    assert client.ask(FREE[form]) == "free"
