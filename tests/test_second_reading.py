"""Each text for an engine means to the engine's own parser what the checker proved of it.

The checker proves the tree that sqlglot reads. Here the same text goes through Postgres's grammar (libpg_query) or
DuckDB's parser (json_serialize_sql), both trees become neutral ones, and these are compared node by node.
Every night fifty times as many random texts are read, `--seed` reads other ones.

What the comparison notices is tested too: every kind of mutant of a text, texts that sqlglot is known to read otherwise
than an engine, and pairs of texts that differ in precedence, a sign or a quote alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random

import duckdb
import pytest
from attacks.oddities import FIXED, odd
from attacks.plan_mutants import of_bounded, with_release
from attacks.sql_mutants import KINDS as KINDS_OF_MUTANTS
from attacks.sql_mutants import grown
from expression_world import anything
from hypothesis import HealthCheck, Phase, given, settings
from lanes import seed, sized, thinned
from scratch_postgres import MAJORS, scratch_postgres
from second_reading.planted import (
    NOT_READ_BY_ENGINES,
    NOT_READ_BY_THE_CHECKER,
    PAIRS,
    QUERIES,
    READ_DIFFERENTLY,
    WRITTEN_TWICE,
)
from second_reading.proved import READERS, proved
from second_reading.read import Text, by_engine
from second_reading.texts import DIALECTS, Asked, fixtures, of_expression, planned, random_statements, read_by, texts_of
from second_reading.tree import Node, Unread, first_difference, kinds
from sql_cases import FIXTURES, by_file, cases
from sqlglot import exp, parse_one
from test_executed import CLINIC
from tpch.data import make_tpch
from tpch.report import asked as tpch_queries
from tpch.report import text as tpch_text
from worlds import TERMS, fitted, make_postgres_world, uncapped, world_catalog

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import SyntaxFault
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite.checker import CheckFault, check_plan, nodes
from dpproxy.rewrite.checker.nodes import parsed

SEED = seed()
STATEMENTS, EXPRESSIONS, ODD, MUTANTS = sized((60, 40, 15, 1), (60, 120, 40, 1), (3_000, 6_000, 2_000, 20))


def _item(written: str) -> str:
    return f"SELECT {written} AS m FROM t"


@cache
def policy() -> Catalog:
    """The catalog of sql_fixtures/world.toml."""
    return world_catalog()


@cache
def plans(dialect: str) -> tuple[Plan, ...]:
    """Those of all fixtures."""
    return tuple(made for each in fixtures() if (made := planned(each, policy(), dialect)) is not None)


@pytest.fixture(scope="module")
def parser() -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB, for its parser alone."""
    with duckdb.connect() as connection:
        yield connection


@dataclass(frozen=True, slots=True)
class Read:
    """How many texts were read twice, and of which kinds their nodes were."""

    texts: int
    kinds: frozenset[str]


def read_twice(texts: Iterable[Text], parser: duckdb.DuckDBPyConnection) -> Read:
    """Raises AssertionError where a text means something else to its engine than what was proved."""
    each_once, seen = dict.fromkeys(texts), set[str]()
    for text in each_once:
        tree = proved(parsed(text.sql, text.dialect), text.dialect)
        found = first_difference(tree, by_engine(text, parser))
        assert found is None, f"{found}\n{text.dialect}: {text.sql}"
        seen.update(kinds(tree))
    return Read(len(each_once), frozenset(seen))


def of_plans(statements: Iterable[Asked], catalog: Catalog, dialect: str) -> Iterator[Text]:
    """The texts of the plans of statements, at least half of which have one."""
    made = [planned(each, catalog, dialect) for each in statements]
    assert sum(each is not None for each in made) >= len(made) / 2
    yield from (text for each in made if each for text in texts_of(each, dialect))


@pytest.mark.long
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_texts_of_the_fixtures_are_read_as_proved(dialect: str, parser: duckdb.DuckDBPyConnection) -> None:
    texts = [text for made in plans(dialect) for text in texts_of(made, dialect)]
    assert any(text.inputs for text in texts)
    read = read_twice(texts, parser)
    assert read.texts > 500 and len(read.kinds) > 80, read


@pytest.mark.parametrize("dialect", thinned(DIALECTS, 2))
def test_texts_without_caps_are_read_as_proved(dialect: str, parser: duckdb.DuckDBPyConnection) -> None:
    asked = [Asked(case.sql, case.settings) for path in by_file("uncapped") for case in cases(path)]
    read = read_twice(of_plans(asked, uncapped(policy()), dialect), parser)
    assert read.texts >= 20, read


@pytest.mark.parametrize("dialect", thinned(DIALECTS, 2))
def test_texts_with_caps_that_a_clip_ends_at_are_read_as_proved(
    dialect: str, parser: duckdb.DuckDBPyConnection
) -> None:
    asked = [Asked(case.sql, case.settings) for path in by_file("capped") for case in cases(path)]
    read = read_twice(of_plans(asked, replace(policy(), caps_hold=False), dialect), parser)
    assert read.texts >= 10, read


@pytest.mark.long
@pytest.mark.skipif(not MAJORS, reason="no Postgres on this machine")
def test_texts_over_what_only_postgres_has_are_read_as_proved(
    tmp_path: Path, parser: duckdb.DuckDBPyConnection
) -> None:
    """Schemas, enums, domains, numerics without digits."""
    with scratch_postgres(MAJORS[max(MAJORS)]) as server:
        catalog = fitted(make_postgres_world(tmp_path, server, "postgres"))[1]
    read = read_twice(of_plans([Asked(sql, {}) for sql in CLINIC], catalog, "postgres"), parser)
    assert read.texts > 20 and len(read.kinds) > 40, read


@pytest.mark.long
def test_texts_of_tpch_are_read_as_proved(tmp_path: Path, parser: duckdb.DuckDBPyConnection) -> None:
    catalog = fitted(make_tpch(tmp_path, 0.01))[1]
    queries = [Asked(tpch_text(each), {"delta": "5e-7"}) for each in tpch_queries()]
    for dialect in DIALECTS:
        texts = list(of_plans(queries, catalog, dialect))
        read = read_twice(texts, parser)
        assert read.texts >= 20 and len(read.kinds) > 35, read


@pytest.mark.long
@pytest.mark.parametrize("dialect", DIALECTS)
def test_texts_of_random_statements_are_read_as_proved(dialect: str, parser: duckdb.DuckDBPyConnection) -> None:
    read = read_twice(of_plans(random_statements(SEED, STATEMENTS), policy(), dialect), parser)
    assert read.texts > STATEMENTS / 2 and len(read.kinds) > 30, read


@pytest.mark.larger
@pytest.mark.parametrize("dialect", DIALECTS)
def test_texts_of_odd_statements_are_read_as_proved(dialect: str, parser: duckdb.DuckDBPyConnection) -> None:
    """Constants and names with quotes, backslashes, dollars, comments and letters of all kinds."""
    random = Random(f"second reading {SEED}")
    asked = [*random.sample(FIXED, min(2 * ODD, len(FIXED))), *(odd(random) for _ in range(ODD))]
    made = [planned(Asked(sql, {}), policy(), dialect) for sql in asked]
    texts = [text for each in made if each for text in texts_of(each, dialect)]
    assert read_twice(texts, parser).texts > ODD / 4


def test_expressions_of_the_fixtures_are_read_as_proved(parser: duckdb.DuckDBPyConnection) -> None:
    written = [case.sql for case in cases(FIXTURES / "rewrite" / "expressions.sql")]
    read = read_twice((text for each in written for text in of_expression(each)), parser)
    assert read.texts > 250 and len(read.kinds) > 70, read


@pytest.mark.larger
def test_random_expressions_are_read_as_proved(parser: duckdb.DuckDBPyConnection) -> None:
    found: list[Read] = []

    @settings(
        max_examples=EXPRESSIONS,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(anything())
    def hunt(written: str) -> None:
        found.append(read_twice(of_expression(written), parser))

    hunt()
    assert sum(read.texts for read in found) > EXPRESSIONS / 2
    assert len(frozenset[str]().union(*(read.kinds for read in found))) > 30


def test_whatever_the_checker_admits_has_a_reader() -> None:
    assert set(nodes._ALL) - set(READERS) == set()


# What the comparison notices.


def drawn(
    mutated: Sequence[Plan], catalog: Catalog, dialect: str, mutations: Sequence[str]
) -> Iterator[tuple[Plan, int, str]]:
    """So many mutants of each kind, of bounded texts of plans: a plan, a release of it, and the changed text."""
    random = Random(f"mutants {SEED}")
    found = [(made, index) for made in mutated for index in range(len(made.releases))]
    for kind in mutations:
        left = MUTANTS
        while left:
            made, index = random.choice(found)
            tree = grown(made.releases[index].bounded.sql, dialect, catalog)
            sites = [site for site in tree.sites if site.kind == kind]
            sql = tree.mutant(random.choice(sites), dialect) if sites else ""
            if sites and sql != tree.tree.sql(dialect):
                left -= 1
                yield made, index, sql


@pytest.mark.long
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_mutant_is_noticed_and_those_that_are_taken_are_read_as_proved(
    dialect: str, parser: duckdb.DuckDBPyConnection
) -> None:
    """Another tree is another one to the engine, too; a text that the checker takes is read as it was proved."""
    for made, index, sql in drawn(plans(dialect), policy(), dialect, KINDS_OF_MUTANTS):
        _noticed(made, index, sql, policy(), dialect, parser)


@pytest.mark.long
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_mutant_of_a_text_without_caps_is_noticed(dialect: str, parser: duckdb.DuckDBPyConnection) -> None:
    """Theirs have grouping sets, and rows that are made once; set operations stand in those of the fixtures alone."""
    catalog = uncapped(policy())
    asked = [Asked(case.sql, case.settings) for path in by_file("uncapped") for case in cases(path)]
    made = [found for each in asked if (found := planned(each, catalog, dialect)) is not None]
    for mutated, index, sql in drawn(
        made, catalog, dialect, [kind for kind in KINDS_OF_MUTANTS if kind != "a set operation swapped"]
    ):
        _noticed(mutated, index, sql, catalog, dialect, parser)


def _noticed(
    made: Plan, index: int, sql: str, catalog: Catalog, dialect: str, parser: duckdb.DuckDBPyConnection
) -> None:
    bounded = made.releases[index].bounded
    text = Text(dialect, sql, read_by(bounded))
    tree = proved(parsed(bounded.sql, dialect), dialect)
    assert _differs(tree, text, parser) or tree == _proved(sql, dialect), f"{bounded.sql}\n{sql}"
    mutant = with_release(made, index, of_bounded(made.releases[index], sql=sql))
    try:
        check_plan(mutant, catalog, dialect, TERMS.accounting)
    except CheckFault:
        return
    read_twice([text], parser)


def _proved(sql: str, dialect: str) -> Node | None:
    """The neutral tree of a mutant: that of its original where it is but written otherwise, as 0 and -0, or u and U
    without quotes; None where the checker takes no such text."""
    try:
        tree = parsed(sql, dialect).copy()
        for name in tree.find_all(exp.Identifier):
            name.set("this", name.name if name.quoted else name.name.lower())
        return proved(tree, dialect)
    except (CheckFault, Unread):
        return None


def _differs(tree: Node, text: Text, parser: duckdb.DuckDBPyConnection) -> bool:
    """Whether the engine reads another tree in the text, or none, or one with a node that no plan has."""
    try:
        return first_difference(tree, by_engine(text, parser)) is not None
    except (Unread, SyntaxError, SyntaxFault, ValueError):
        return True


def _same(one: str, other: str, dialect: str, parser: duckdb.DuckDBPyConnection) -> bool:
    """Whether what sqlglot reads in one text is what the engine reads in the other."""
    tree = proved(parse_one(one, read=dialect), dialect)
    return first_difference(tree, by_engine(Text(dialect, other), parser)) is None


@pytest.mark.parametrize(("dialect", "sql"), READ_DIFFERENTLY)
def test_what_is_read_differently_is_noticed(dialect: str, sql: str, parser: duckdb.DuckDBPyConnection) -> None:
    assert not _same(sql, sql, dialect, parser)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("one", "other"), [*((_item(one), _item(other)) for one, other in PAIRS), *QUERIES])
def test_texts_that_mean_two_things_are_told_apart(
    one: str, other: str, dialect: str, parser: duckdb.DuckDBPyConnection
) -> None:
    assert _same(one, one, dialect, parser)
    assert not _same(one, other, dialect, parser)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("one", "other"), WRITTEN_TWICE)
def test_what_is_written_twice_is_read_as_proved(
    one: str, other: str, dialect: str, parser: duckdb.DuckDBPyConnection
) -> None:
    assert all(_same(*pair, dialect, parser) for pair in ((one, one), (one, other), (other, one), (other, other)))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("written", NOT_READ_BY_ENGINES)
def test_what_the_engine_does_not_read_is_noticed(
    written: str, dialect: str, parser: duckdb.DuckDBPyConnection
) -> None:
    with pytest.raises((SyntaxError, SyntaxFault)):
        _same(_item(written), _item(written), dialect, parser)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("written", NOT_READ_BY_THE_CHECKER)
def test_what_the_checker_does_not_take_is_not_compared(written: str, dialect: str) -> None:
    with pytest.raises(CheckFault):
        parsed(_item(written), dialect)


def test_a_difference_names_its_place(parser: duckdb.DuckDBPyConnection) -> None:
    tree = proved(parsed("SELECT k0 FROM t WHERE a - (b - c) > 0", "postgres"), "postgres")
    found = first_difference(tree, by_engine(Text("postgres", "SELECT k0 FROM t WHERE a - b - c > 0"), parser))
    assert found is not None
    assert found.path == "select.where > operator.operand 1 > operator.operand 1 > column"
    assert "proved is column 'a'; the engine reads operator '-'" in str(found)


@pytest.mark.parametrize(
    ("dialect", "sql", "said"),
    [
        ("postgres", "SELECT a FROM t FOR UPDATE", "SelectStmt with lockingClause"),
        ("postgres", "SELECT a FROM t TABLESAMPLE system (1)", "RangeTableSample"),
        ("postgres", "WITH q AS (SELECT 1) SELECT * FROM q", "SelectStmt with withClause"),
        ("postgres", "SELECT sum(a) FILTER (WHERE b) FROM t", "FuncCall with agg_filter"),
        ("postgres", "SELECT ARRAY[a] FROM t", "A_ArrayExpr"),
        ("duckdb", "SELECT a FROM t QUALIFY b", "SELECT_NODE with qualify"),
        ("duckdb", "WITH q AS (SELECT 1) SELECT * FROM q", "a shared query with materialized"),
        ("duckdb", "WITH q(a) AS MATERIALIZED (SELECT 1) SELECT * FROM q", "a shared query with aliases"),
        (
            "duckdb",
            "WITH RECURSIVE q AS MATERIALIZED (SELECT 1 UNION SELECT 2) SELECT * FROM q",
            "a shared query with|CTE",
        ),
        ("duckdb", "SELECT sum(a) FILTER (WHERE b) FROM t", "FUNCTION with filter"),
        ("duckdb", "SELECT a FROM t POSITIONAL JOIN u", "JOIN with ref_type"),
    ],
)
def test_a_node_that_no_plan_has_is_not_read(
    dialect: str, sql: str, said: str, parser: duckdb.DuckDBPyConnection
) -> None:
    with pytest.raises(Unread, match=said):
        by_engine(Text(dialect, sql), parser)
