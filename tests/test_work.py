"""Work per unit: what is counted from the final texts, what is refused, and that no unit has more rows than counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from types import ModuleType

import duckdb
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from lanes import sized, thinned
from neighbours.data import _PUBLIC as PUBLIC
from neighbours.data import World, worlds
from neighbours.statements import Statement, statements
from sql_cases import FIXTURES, Case, by_file, cases, each_of
from sqlglot import exp, parse_one
from worlds import SCRIPT, plan, world_catalog

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import Family
from dpproxy.errors import DPProxyError, NotPrivate
from dpproxy.plan.private_plan import Bounded, Plan
from dpproxy.plan.work import Work
from dpproxy.rewrite.checker import CheckFault
from dpproxy.rewrite.checker.nodes import AGGREGATES, QUERIES, STRUCTURE, VALUES, WINDOWS, parsed
from dpproxy.rewrite.checker.syntax import conjuncts
from dpproxy.rewrite.work import check_cap, joins, reads_constants, selects, unit_work
from dpproxy.rewrite.work.costs import CostScope, total
from dpproxy.rewrite.work.counted import Cell, Counted, Outer
from dpproxy.rewrite.work.counted import WorkContext as Read
from dpproxy.rewrite.work.equalities import alike
from dpproxy.rewrite.work.queries import read_query
from dpproxy.rewrite.work.weights import WEIGHTS

FILE = FIXTURES / "work.sql"
ANSWERED = [case for path in by_file("rewrite") if path.stem != "expressions" for case in cases(path)][::3]
# What is read by its form and not by a weight: queries and their clauses, columns, windows, arrays of a release.
OF_FORM = {
    *STRUCTURE,
    *QUERIES,
    *(exp.Column, exp.Window, exp.WindowSpec, exp.Placeholder, exp.Parameter),
} - {exp.Star, exp.Alias, exp.Tuple, exp.Distinct, exp.Ordered}


def shown(work: Work) -> str:
    met = " × ".join(f"{factor.name}: {factor.rows}" for factor in work.widest)
    return f"-- rows {work.rows}, fan-out {work.fanout}{f' ({met})' if met else ''}, scans {work.scans}"


@pytest.fixture(scope="module")
def outcomes(catalog: Catalog) -> Callable[[Case], str]:
    """Of each case once, whoever asks: what is refused takes longest."""
    found: dict[str, str] = {}

    def of(case: Case) -> str:
        if case.title not in found:
            found[case.title] = outcome(case, catalog)
        return found[case.title]

    return of


def outcome(case: Case, catalog: Catalog) -> str:
    try:
        return shown(plan(case.sql, catalog, case.settings).work)
    except NotPrivate as fault:
        assert fault.position is not None
        where = f"at {fault.position} ({case.sql[fault.position - 1 :][:24]!r})"
        return f"-- {fault.sqlstate} {where}: {fault.message}\n-- HINT: {fault.hint}"


@each_of([FILE])
def test_rows_and_fan_out_are_those_of_the_fixtures(
    case: Case, outcomes: Callable[[Case], str], compare: Callable[[Case, str], None]
) -> None:
    compare(case, outcomes(case))


@each_of([FILE])
@pytest.mark.parametrize("dialect", ["duckdb", pytest.param("postgres", marks=pytest.mark.long)])
def test_work_is_the_same_in_each_dialect_and_counted_from_the_plan(
    case: Case, catalog: Catalog, outcomes: Callable[[Case], str], dialect: str
) -> None:
    result = outcomes(case)
    if "DP002" not in result:
        made = plan(case.sql, catalog, case.settings, dialect=dialect)
        assert shown(made.work) == result
        assert unit_work(made.releases, made.tables, catalog, dialect) == made.work


_TURNED = str.maketrans("123456789abcdefghijklmnopqrstuvwxyz", "234567891bcdefghijklmnopqrstuvwxyza")


@pytest.mark.parametrize("case", thinned(ANSWERED, 5), ids=[f"{each.path.stem}: {each.title}" for each in ANSWERED])
def test_without_limits_and_frames_constants_change_no_work(case: Case, catalog: Catalog) -> None:
    try:
        made = plan(case.sql, catalog, case.settings)
    except DPProxyError:
        return
    if not reads_constants(made.releases):
        others = [replace(each, bounded=with_other_constants(each.bounded)) for each in made.releases]
        assert unit_work(others, made.tables, catalog, "duckdb") == made.work


def with_other_constants(bounded: Bounded) -> Bounded:
    """Each number and each text is another of its length, and those that were the same still are."""
    tree = parsed(bounded.question, "duckdb").copy()
    for each in list(tree.find_all(exp.Literal)):
        if not isinstance(each.parent, exp.DataTypeParam):
            each.set("this", each.name.translate(_TURNED))
    return replace(bounded, sql=tree.sql("duckdb"), plain=None)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT t.a AS a FROM t LIMIT 3",
        "SELECT SUM(t.a) OVER (ORDER BY t.a ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS a FROM t",
        "SELECT v.a AS a FROM (VALUES (1), (2)) AS v(a)",
    ],
)
def test_where_numbers_are_counted_they_are_looked_for(text: str, catalog: Catalog) -> None:
    made = plan("SELECT count(*) FROM people", catalog)
    assert not reads_constants(made.releases)
    assert reads_constants([replace(made.releases[0], bounded=replace(made.releases[0].bounded, sql=text, plain=None))])


def test_every_node_of_the_allow_list_has_a_weight() -> None:
    assert {*VALUES, *AGGREGATES, *WINDOWS} - OF_FORM <= WEIGHTS.keys()
    assert not {kind for kind in (*STRUCTURE, *QUERIES) if kind in OF_FORM} & WEIGHTS.keys()


def test_a_node_without_a_weight_is_refused(catalog: Catalog) -> None:
    scope = CostScope({}, frozenset(), Read(catalog, (), (), "duckdb", read_query))
    with pytest.raises(CheckFault, match="JSONExtract"):
        total([exp.JSONExtract(this=exp.Literal.number(1))], scope)


@pytest.mark.parametrize("query", ["SELECT 1 FROM people PIVOT (count(*) FOR sex IN ('F'))", "DESCRIBE people"])
def test_a_form_that_is_not_known_is_refused(query: str, catalog: Catalog) -> None:
    with pytest.raises(CheckFault):
        read_query(parsed(query, "duckdb"), {}, Read(catalog, (), (), "duckdb", read_query))


def test_a_table_whose_size_nobody_knows_is_more_than_any_statement_may_meet(catalog: Catalog) -> None:
    unknown = {name: replace(table, size=None) for name, table in catalog.tables.items()}
    with pytest.raises(NotPrivate, match="departments"):
        plan("SELECT count(*) FROM visits v JOIN departments d ON v.cost > d.beds", replace(catalog, tables=unknown))
    plan("SELECT count(*) FROM visits", replace(catalog, tables=unknown))


def test_a_table_that_is_read_in_a_form_of_its_own_keeps_its_keys(catalog: Catalog) -> None:
    """Postgres's char(n) is read as text, by a SELECT around the table."""
    departments = catalog.tables["departments"]
    padded = [replace(each, stored="character(9)" if each.name == "building" else None) for each in departments.columns]
    tables = {**catalog.tables, "departments": replace(departments, columns=tuple(padded))}
    sql = "SELECT d.building, count(*) FROM visits v JOIN departments d USING (dept) GROUP BY d.building"
    made = plan(sql, replace(catalog, tables=tables, max_fanout=1), dialect="postgres")
    assert 'CAST("building" AS TEXT) AS "building"' in made.releases[0].bounded.sql
    assert made.work.fanout == 1


def test_the_owner_raises_the_cap(catalog: Catalog) -> None:
    sql = "SELECT count(*) FROM visits v, generate_series(1, 500) AS a(x), generate_series(1, 500) AS b(y)"
    with pytest.raises(NotPrivate, match="250,000 public rows"):
        plan(sql, catalog)
    assert plan(sql, replace(catalog, max_fanout=250_000)).work.fanout == 250_000


@pytest.mark.parametrize(
    ("key", "joined", "hint"),
    [
        ((), "d.dept = v.dept", 'If they are unique, the owner declares primary_key = ["dept"] for departments, which'),
        ((), "v.dept = d.dept AND d.beds = p.age", 'the owner declares primary_key = ["dept", "beds"] for departments'),
        ((), "d.dept > v.dept", "Join departments ON a key, which the owner declares as its primary_key, or aggregate"),
        (("dept",), "d.dept > v.dept", "Join departments ON its primary key (dept), or aggregate it first"),
    ],
)
def test_a_key_that_would_help_is_named(catalog: Catalog, key: tuple[str, ...], joined: str, hint: str) -> None:
    unkept = replace(catalog.tables["departments"], unique=frozenset(), primary_key=key)
    changed = replace(catalog, tables={**catalog.tables, "departments": unkept}, max_fanout=1)
    sql = f"SELECT count(*) FROM visits v JOIN people p USING (person_id) JOIN departments d ON {joined}"
    with pytest.raises(NotPrivate) as refused:
        plan(sql, changed)
    assert hint in (refused.value.hint or "")
    kept = replace(changed, tables=catalog.tables)
    if ">" not in joined:
        plan(sql, kept)


def test_rows_of_a_unit_are_those_that_the_policy_says(catalog: Catalog) -> None:
    tables = {**catalog.tables, "visits": replace(catalog.tables["visits"], max_unit_rows=7)}
    sql = "SELECT count(*) FROM visits a JOIN visits b USING (person_id)"
    assert plan(sql, catalog).work.rows == 100 * 100
    assert plan(sql, replace(catalog, tables=tables)).work.rows == 7 * 7


def test_of_sources_that_are_alike_the_last_is_met_by_the_others(catalog: Catalog) -> None:
    """And not the one that a set has first, which differs from one process to the next: so would the plan."""
    asked = (
        "SELECT count(*) FROM lineitem l WHERE l.quantity > "
        "(SELECT avg(m.quantity) FROM lineitem m WHERE m.orderkey = l.orderkey)"
    )
    assert plan(asked, catalog).work.rows == 100


def test_more_public_rows_and_dearer_expressions_are_more_operations(catalog: Catalog) -> None:
    def operations(sql: str) -> int:
        return plan(sql, catalog).work.operations

    fixed = operations("SELECT count(*) FROM visits")
    assert fixed < operations("SELECT count(*) FROM visits WHERE cost > 1")
    assert operations("SELECT count(*) FROM visits WHERE cost > 1") < operations(
        "SELECT count(*) FROM visits WHERE dept ~ '^a+b'"
    )
    few, many = (f"SELECT count(*) FROM visits, generate_series(1, {n}) AS a(x)" for n in (10, 1000))
    assert operations(many) > 50 * operations(few)


def test_an_expression_counts_wherever_an_engine_may_evaluate_it_again(catalog: Catalog) -> None:
    """A derived table without an aggregate is pulled up: what it calculates is calculated where it is read."""
    plain = "SELECT person_id, replace(upper(dept), 'A', 'b') AS d FROM visits"
    grouped = "SELECT person_id, max(replace(upper(dept), 'A', 'b')) AS d FROM visits GROUP BY person_id, day"
    distinct = f"SELECT DISTINCT person_id, d FROM ({plain}) s"
    once, often = "d > 'x'", "d > 'x' OR d > 'y' OR d > 'z'"

    def added(inner: str) -> int:
        few, many = (f"SELECT count(*) FROM ({inner}) s WHERE {condition}" for condition in (once, often))
        return plan(many, catalog).work.operations - plan(few, catalog).work.operations

    assert added(plain) > 100 * 2 * 5
    assert added(distinct) > 100 * 2 * 5
    assert 0 < added(grouped) < 100 * 2


def test_work_is_counted_from_the_texts_that_the_engine_is_asked(catalog: Catalog) -> None:
    few, many = (
        plan(f"SELECT count(*) FROM visits a JOIN visits b USING (person_id), generate_series(1, {n}) AS g(x)", catalog)
        for n in (9, 99)
    )
    with pytest.raises(NotPrivate, match="9 public rows"):
        check_cap(few.work, replace(catalog, max_fanout=8), lambda _: None, lambda _: ())
    longer = replace(few.releases[0], bounded=replace(few.releases[0].bounded, sql=many.releases[0].bounded.sql))
    assert few.work.fanout == 9
    assert unit_work([longer], few.tables, catalog, "duckdb") == many.work != few.work


@pytest.mark.long
@settings(
    max_examples=sized(30, 30, 600), deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)
@given(asked=statements(), world=worlds())
def test_no_unit_has_more_rows_than_counted(asked: Statement, world: World) -> None:
    """Every private relation of a bounded text, run by itself, over a world whose units have what the policy says."""
    with duckdb.connect() as engine, pytest.MonkeyPatch.context() as patch:
        patch.setattr(selects, "MANY", 0)
        engine.execute(PUBLIC + world.script("base"))
        engine.execute("SET search_path = 'base,main'")
        catalog = _measured(_policy(), engine)
        if asked.settings.get("mechanism") == "sample_aggregate":
            return  # there `u` is a block of units
        for made in _planned(asked, catalog):
            assert not list(_exceeded(made, catalog, engine)), asked.sql
            assert not list(_undecided(made, catalog, engine)), asked.sql


WHAT = ("rows of a unit", "rows of all units", "units")
# Joins that multiply, whose rows are grouped by what few of their sources decide; and LEFT JOINs of each kind.
FEWER = (
    "SELECT v.dept, count(DISTINCT v.visit_id) FROM visits v JOIN visits w USING (person_id) GROUP BY v.dept",
    "SELECT d.building, count(DISTINCT p.person_id) FROM people p JOIN visits v USING (person_id) "
    "JOIN visits w USING (person_id) JOIN departments d ON d.dept = v.dept GROUP BY d.building",
    "SELECT d.building, e.beds, count(*) FROM visits v JOIN visits w USING (person_id) JOIN departments d "
    "ON d.dept = v.dept LEFT JOIN departments e ON e.dept = w.dept AND w.cost > v.cost GROUP BY 1, 2",
    "SELECT count(DISTINCT x) FROM (SELECT v.person_id, length(v.dept) - length(w.dept) AS x FROM visits v "
    "JOIN visits w USING (person_id)) t",
    "SELECT count(*) FROM (SELECT DISTINCT v.person_id, v.dept, length(v.dept) FROM visits v JOIN visits w "
    "USING (person_id)) t",
    "SELECT b, count(DISTINCT k) FROM (SELECT v.person_id AS k, w.dept AS b FROM people p JOIN visits v "
    "USING (person_id) LEFT JOIN visits w ON w.person_id = v.person_id AND w.cost > 100) t GROUP BY b",
    "SELECT count(DISTINCT l.flag) FROM customer c LEFT JOIN orders o ON o.custkey = c.custkey "
    "LEFT JOIN lineitem l ON l.orderkey = o.orderkey",
    "SELECT count(o.orderkey) FROM customer c LEFT JOIN orders o ON o.custkey = c.custkey AND o.priority = '5-LOW' "
    "LEFT JOIN lineitem l ON l.orderkey = o.orderkey LEFT JOIN nation n ON n.nationkey = l.linenumber",
    "SELECT count(*) FROM customer c LEFT JOIN orders o ON o.custkey = c.custkey LEFT JOIN orders q "
    "ON q.custkey = c.custkey LEFT JOIN lineitem l ON l.orderkey = o.orderkey AND l.orderkey = q.orderkey",
    "SELECT count(*) FROM customer c LEFT JOIN orders o ON o.custkey = c.custkey LEFT JOIN lineitem l "
    "ON l.orderkey = o.orderkey JOIN nation n ON n.nationkey = c.nationkey WHERE l.price > 10 OR l.flag IS NULL",
    "SELECT sum(n) FROM (SELECT c.custkey, count(DISTINCT o.orderkey) AS n FROM customer c LEFT JOIN orders o "
    "ON o.custkey = c.custkey LEFT JOIN orders q ON q.custkey = o.custkey AND q.orderdate < o.orderdate "
    "GROUP BY c.custkey) t",
    "SELECT count(*) FROM people p FULL JOIN (SELECT * FROM visits WHERE cost > 100) v ON v.person_id = p.person_id",
    "SELECT count(*) FROM visits v FULL JOIN (SELECT * FROM visits WHERE cost > 100) w ON v.person_id = w.person_id",
)


@pytest.mark.parametrize("asked", FEWER)
def test_groups_and_left_joins_have_no_more_rows_than_counted(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selects, "MANY", 0)
    with duckdb.connect() as engine:
        engine.execute(SCRIPT)
        catalog = _measured(_policy(), engine)
        (made,) = _planned(Statement(asked, {}), catalog)
        assert not list(_exceeded(made, catalog, engine))


@pytest.mark.parametrize(
    ("module", "name", "wrong"),
    [
        (selects, "origins", lambda *_: frozenset()),
        (selects, "all_combinations", lambda *_: 1),
        (joins, "_unmet", lambda *_: None),
        (joins, "all_rows_of_outer_joins", lambda own, *_: min(each.all_rows for each in own.values()) // 2),
        (joins, "_met", lambda steps, last, _: tuple(each for each in steps if each is not last)),
    ],
)
def test_fewer_rows_than_there_are_would_be_found(
    module: ModuleType, name: str, wrong: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selects, "MANY", 0)
    monkeypatch.setattr(module, name, wrong)
    with duckdb.connect() as engine:
        engine.execute(SCRIPT)
        catalog = _measured(_policy(), engine)
        plans = [made for asked in FEWER for made in _planned(Statement(asked, {}), catalog)]
        assert any(list(_exceeded(made, catalog, engine)) for made in plans)


DECIDED = """
    SELECT count(*) FROM orders o JOIN (
      SELECT o.orderkey, upper(o.priority) AS p, c.segment, l.flag, sum(l.price) AS t
      FROM lineitem l JOIN orders o ON o.orderkey = l.orderkey LEFT JOIN customer c ON c.custkey = o.custkey
      GROUP BY o.orderkey, upper(o.priority), c.segment, l.flag) AS t ON t.orderkey = o.orderkey AND t.flag = 'A'
"""


def test_rows_that_agree_on_a_key_agree_on_what_it_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second half sees a fault: a pass that believes a key to decide the columns of other sources, too."""
    with duckdb.connect() as engine:
        engine.execute(SCRIPT)
        catalog, made = _measured(_policy(), engine), plan(DECIDED, _policy())
        assert any(counted.decides() for _, counted in _relations(made, catalog))
        assert not list(_undecided(made, catalog, engine))
        monkeypatch.setattr(selects, "decided", lambda places, _, scope: _every(scope))
        assert list(_undecided(made, catalog, engine))


def test_a_union_decides_nothing_by_its_left_side() -> None:
    """A row of the right side may have the key of one of the left, and other columns."""
    orders, lines = "SELECT orderkey, priority AS c FROM orders", "SELECT orderkey, flag FROM lineitem"
    for sql, decides in ((orders, True), (f"{orders} UNION ALL {lines}", False)):
        made = plan(f"SELECT count(*) FROM ({sql}) AS t", _policy())
        of_columns = [counted for _, counted in _relations(made, _policy()) if "c1" in counted.columns]
        assert of_columns
        assert any(counted.decides() for counted in of_columns) is decides


@pytest.mark.parametrize(
    ("condition", "met"),
    [
        ("COALESCE(x.a, 0) = COALESCE(r.k, 0) AND (x.a IS NULL) = (r.k IS NULL)", 1),
        ("(r.k IS NULL) = (x.a IS NULL) AND COALESCE(r.k, 0) = COALESCE(x.a, 0)", 1),
        ("COALESCE(x.a, 0) = COALESCE(r.k, 0)", 0),
        ("COALESCE(x.a, 0) = COALESCE(r.k, 1) AND (x.a IS NULL) = (r.k IS NULL)", 0),
        ("COALESCE(x.a, x.b) = COALESCE(r.k, x.b) AND (x.a IS NULL) = (r.k IS NULL)", 0),
        ("COALESCE(x.a, 0) = COALESCE(r.k, 0) AND (x.b IS NULL) = (r.k IS NULL)", 0),
        ("COALESCE(x.a, 0) = COALESCE(r.k, 0) AND (x.a IS NULL) <> (r.k IS NULL)", 0),
        ("COALESCE(x.a, 0) = COALESCE(x.b, 0) AND (x.a IS NULL) = (x.b IS NULL)", 0),
        ("COALESCE(x.t, '') = COALESCE(r.k, '') AND (x.t IS NULL) = (r.k IS NULL)", 0),
    ],
)
def test_what_stands_for_null_makes_keys_of_releases_alike(condition: str, met: int, catalog: Catalog) -> None:
    """Of other rows two may agree where they are NULL, and are no keys there."""
    own = {name: Cell(family=Family.INTEGER) for name in "ab"} | {"t": Cell(family=Family.TEXT)}
    sources = {
        "x": Counted(True, 5, own),
        "r": Counted(False, 9, {"k": Cell(family=Family.INTEGER, grouped=True)}),
    }
    scope = CostScope(sources, frozenset(sources), Read(catalog, (), (), "postgres", read_query))
    found = alike(conjuncts(parse_one(condition, dialect="postgres")), scope)
    assert found == [(("x", "a"), ("r", "k"))] * met


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_a_partition_that_may_be_null_is_met_once(dialect: str) -> None:
    rows = "SELECT income, city, avg(income) OVER (PARTITION BY city) AS a FROM people"
    asked = f"SELECT count(*) FROM ({rows}) t WHERE income > a"
    made = plan(asked, _policy(), dialect=dialect)
    assert made.work.rows == 1
    assert not made.work.widest


def _every(scope: CostScope) -> set[tuple[str, str]]:
    return {(alias, name) for alias in scope.own for name in scope.sources[alias].columns}


def _undecided(made: Plan, catalog: Catalog, engine: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """The private relations with rows of a unit that agree on a set of columns, and not on what it decides."""
    for query, counted in _relations(made, catalog):
        for names, more in counted.decides():
            sql, group = query.sql("duckdb"), ", ".join(["u", *(f'"{name}"' for name in sorted(names))])
            others = " OR ".join(f'count(DISTINCT "{name}") > 1' for name in sorted(more))
            if engine.execute(f"SELECT 1 FROM ({sql}) AS q GROUP BY {group} HAVING {others}").fetchone():
                yield f"{sorted(names)} does not decide {sorted(more)}: {sql}"


def test_a_join_that_is_counted_as_one_row_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above sees a fault: a pass that believes every join to add one row at most."""
    with duckdb.connect() as engine:
        engine.execute(SCRIPT)
        made = plan("SELECT count(*) FROM visits v JOIN departments d ON v.cost > d.beds", _policy())
        assert not list(_exceeded(made, catalog := _measured(_policy(), engine), engine))
        monkeypatch.setattr(joins, "_reached", lambda known, _, scope, *more: scope.own if known or more else known)
        assert list(_exceeded(made, catalog, engine))


def _exceeded(made: Plan, catalog: Catalog, engine: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """The private relations of which a unit, or all of them, have more rows than were counted."""
    for query, counted in _relations(made, catalog):
        sql = query.sql("duckdb")
        of_units = f"SELECT u, count(*) AS c FROM ({sql}) AS q WHERE u IS NOT NULL GROUP BY u"
        found = engine.execute(f"SELECT max(c), sum(c)::bigint, count(*) FROM ({of_units})").fetchone()
        for what, is_, most in zip(WHAT, found or (), (counted.rows, counted.all_rows, counted.units), strict=True):
            if (is_ or 0) > most:
                yield f"{is_} {what}, not {most}: {sql}"


@cache
def _policy() -> Catalog:
    return world_catalog()


def _measured(catalog: Catalog, engine: duckdb.DuckDBPyConnection) -> Catalog:
    """The policy, with no more rows of a unit than there are."""
    keys = {
        "visits": "SELECT count(*) FROM visits WHERE person_id IS NOT NULL GROUP BY person_id",
        "orders": "SELECT count(*) FROM orders WHERE custkey IS NOT NULL GROUP BY custkey",
        "lineitem": "SELECT count(*) FROM lineitem JOIN orders USING (orderkey) GROUP BY custkey",
    }
    tables = dict(catalog.tables)
    for name, sql in keys.items():
        most = max((count for (count,) in engine.execute(sql).fetchall()), default=1)
        tables[name] = replace(tables[name], max_unit_rows=most)
    for name in ("people", "customer", *keys):
        ((every,),) = engine.execute(f"SELECT count(*) FROM {name}").fetchall()
        tables[name] = replace(tables[name], max_rows=max(1, every))
    return replace(catalog, tables=tables, max_fanout=1 << 40)


def _planned(asked: Statement, catalog: Catalog) -> Iterator[Plan]:
    try:
        yield plan(asked.sql, catalog, asked.settings)
    except DPProxyError:
        return


def _relations(made: Plan, catalog: Catalog) -> list[tuple[exp.Expr, Counted]]:
    """The private relations of a plan that stand by themselves and carry their unit."""
    found: list[tuple[exp.Expr, Counted]] = []

    def read(query: exp.Expr, outer: Outer, world: Read) -> Counted:
        counted = read_query(query, outer, world)
        alone = not outer and not query.find(exp.Placeholder, exp.Parameter)
        if alone and counted.private and "u" in counted.columns:
            found.append((query, counted))
        return counted

    for release in made.releases:
        read(parsed(release.bounded.sql, "duckdb"), {}, Read(catalog, made.releases, made.tables, "duckdb", read))
    return found


def test_a_query_within_the_unit_reads_each_row_of_all_units_once_for_each_row_that_asks(catalog: Catalog) -> None:
    """One that reads public rows, too, may read them for each."""
    within = "SELECT 1 FROM visits v WHERE v.person_id = p.person_id"
    beside = "SELECT 1 FROM visits v, departments d WHERE v.person_id = p.person_id AND v.cost > d.beds"
    alone, public = (
        plan(f"SELECT count(*) FROM people p WHERE EXISTS ({sql})", catalog).work for sql in (within, beside)
    )
    assert alone.whole < 10 * (catalog.tables["people"].max_rows + catalog.tables["visits"].max_rows)
    assert public.whole > 100 * catalog.tables["people"].max_rows


@pytest.mark.parametrize(
    "condition",
    [
        "a.x > p.age",
        "a.x % 2 = p.age AND a.x + p.age > 3",
        "a.x + p.age = 3",
        "a.x = p.age OR a.x = 1",
        "(a.x = 1) = (p.age = a.x)",
    ],
)
def test_only_equalities_of_two_sides_make_a_hash_table_of_exists(catalog: Catalog, condition: str) -> None:
    asked = "SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM generate_series(1, 200) AS a(x) WHERE {})"
    assert plan(asked.format("a.x = p.age"), catalog).work.fanout == 1
    assert plan(asked.format(condition), catalog).work.fanout == 200


def test_left_join_along_a_link_adds_rows_and_multiplies_none(catalog: Catalog) -> None:
    asked = "SELECT count(l.price) FROM customer c {0} orders o ON o.custkey = c.custkey {0} lineitem l ON {1}"
    linked = asked.format("LEFT JOIN", "l.orderkey = o.orderkey")
    assert plan(linked, catalog).work.rows == 100 + 100
    assert plan(linked.replace("count(l.price)", "count(*)"), catalog).work.rows == 100 + 100


def test_rows_without_a_partner_are_counted_of_all_units(catalog: Catalog) -> None:
    """Of visits there is one row at most, by the policy: people are there all the same."""
    few = replace(catalog.tables["visits"], max_rows=1)
    sql = "SELECT count(*) FROM people p LEFT JOIN visits v ON v.person_id = p.person_id"
    work = plan(sql, replace(catalog, tables={**catalog.tables, "visits": few})).work
    assert work.whole > 2 * catalog.tables["people"].max_rows


def test_rows_of_full_join_are_counted_of_all_units_of_either_side(catalog: Catalog) -> None:
    """Of visits there is one row at most, by the policy: the people whom nobody visits are there all the same."""
    few = replace(catalog.tables["visits"], max_rows=1)
    sql = "SELECT count(*) FROM people p {} JOIN visits v ON v.person_id = p.person_id"
    left, full = (
        plan(sql.format(side), replace(catalog, tables={**catalog.tables, "visits": few})).work
        for side in ("LEFT", "FULL")
    )
    assert full.whole >= left.whole


def test_the_work_of_several_releases_is_added_up(catalog: Catalog) -> None:
    one, two = "SELECT count(*) FROM people", "SELECT sum(cost) FROM visits"
    made = [plan(sql, catalog) for sql in (one, two, f"SELECT ({one}) + ({two})")]
    assert made[2].work.operations == made[0].work.operations + made[1].work.operations
    assert made[2].work.rows == 100
    assert unit_work((), (), catalog, "duckdb") == Work()
