"""Bounded SQL as a tree: what is written of it, and that steps change its length alone."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import psycopg
import pytest
from expression_world import (
    IN_POSTGRES,
    ORDINARY,
    SCOPE,
    create,
    engine_text,
    fill_postgres,
    parse,
    query_text,
    rows_of,
)
from scratch_postgres import MAJORS, scratch_postgres
from sqlglot import exp
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.told_columns import OwnColumn, ReleasedColumn
from dpproxy.rewrite import algebra
from dpproxy.rewrite.algebra.layers import MOST_NODES, layered, written_out
from dpproxy.rewrite.algebra.nested import exists, nested_in, scalar
from dpproxy.rewrite.algebra.render import parameter, written
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.expressions import total
from dpproxy.rewrite.expressions.trees.steps import Definition, definition_of, named, step, steps_in

# What needs a guard, each with a way to be nested.
GUARDED = (
    "sqrt({} - 1)",
    "ln({} + 1)",
    "log(2, {} + 1)",
    "power({}, 0.5)",
    "round({} / 3)",
    "100 / ({})",
    "mod(({})::bigint, 7)",
    "width_bucket({}, 0, 10, 5)",
    "least(greatest({}, 0), 5)",
    "({})::int",
    "exp({})",
)
DIALECTS = ("duckdb", "postgres")
SCOPES = {"duckdb": SCOPE, "postgres": IN_POSTGRES}


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(create())
        connection.execute(f"INSERT INTO t VALUES {', '.join(rows_of(ORDINARY, 40))}")
        yield connection


def column(name: str, table: str | None = None) -> exp.Expression:
    return exp.column(name, table=table)


def nest(form: str, depth: int, inner: str = "y") -> str:
    for _ in range(depth):
        inner = form.format(inner)
    return inner


SCAN = algebra.Scan(("main", "visits"))
ONE = algebra.Select((algebra.Item("a", column("x", "s0")),), algebra.of(SCAN, "s0"))
LARGE = exp.Mul(this=exp.Ln(this=column("x", "s0")), expression=exp.Ln(this=column("y", "s0")))
WRITTEN: dict[str, tuple[algebra.Relation, str]] = {
    "a projection": (ONE, 'SELECT s0.x AS a FROM "main"."visits" AS s0'),
    "all columns": (
        algebra.Select((), algebra.JoinedRows(algebra.Source(ONE, "q"), where=(column("a"),)), star=True),
        'SELECT * FROM (SELECT s0.x AS a FROM "main"."visits" AS s0) AS q WHERE a',
    ),
    "joins": (
        algebra.Select(
            (algebra.Item("", exp.Literal.number(1)),),
            algebra.JoinedRows(
                algebra.Source(SCAN, "s0"),
                (
                    algebra.Join(algebra.JoinKind.INNER, algebra.Source(SCAN, "s1")),
                    algebra.Join(algebra.JoinKind.LEFT, algebra.Source(SCAN, "s2"), (column("c"), column("d"))),
                    algebra.Join(algebra.JoinKind.FULL, algebra.Source(SCAN, "s3")),
                ),
            ),
        ),
        'SELECT 1 FROM "main"."visits" AS s0 CROSS JOIN "main"."visits" AS s1 LEFT JOIN "main"."visits" AS s2'
        ' ON c AND d FULL JOIN "main"."visits" AS s3 ON TRUE',
    ),
    "groups": (
        algebra.Select(
            (algebra.Item("u", column("u")), algebra.Item("n", exp.Count(this=exp.Star()))),
            algebra.of(ONE, "r"),
            by=("u",),
        ),
        'SELECT u, COUNT(*) AS n FROM (SELECT s0.x AS a FROM "main"."visits" AS s0) AS r GROUP BY u',
    ),
    "an order": (
        algebra.Select(
            (algebra.Item("a", column("a")),), algebra.of(ONE, "r"), order=algebra.Order((column("a"),), 3, 1)
        ),
        'SELECT a FROM (SELECT s0.x AS a FROM "main"."visits" AS s0) AS r ORDER BY a LIMIT 3 OFFSET 1',
    ),
    "a set operation in one": (
        algebra.SetOperation(
            algebra.SetKind.EXCEPT, False, algebra.SetOperation(algebra.SetKind.UNION, True, ONE, ONE), ONE
        ),
        '(SELECT s0.x AS a FROM "main"."visits" AS s0 UNION ALL SELECT s0.x AS a FROM "main"."visits" AS s0)'
        ' EXCEPT SELECT s0.x AS a FROM "main"."visits" AS s0',
    ),
    "constants": (
        algebra.Constants(("c0",), ((exp.Literal.number(1),), (exp.Literal.number(2),))),
        "SELECT v0.c0 AS c0 FROM (VALUES (1), (2)) AS v0(c0)",
    ),
    "no constants": (
        algebra.Constants(("c0",), ((exp.Null(),),), empty=True),
        "SELECT v0.c0 AS c0 FROM (VALUES (NULL)) AS v0(c0) WHERE FALSE",
    ),
    "arrays": (
        algebra.Arrays((algebra.Item("c0", exp.Explode(this=parameter(ReleasedColumn(0, 1)))),)),
        "SELECT UNNEST($r0c1) AS c0",
    ),
    "queries inside": (
        algebra.Select((algebra.Item("a", scalar(ONE)),), algebra.JoinedRows(where=(exists(ONE),))),
        'SELECT (SELECT s0.x AS a FROM "main"."visits" AS s0) AS a'
        ' WHERE EXISTS(SELECT s0.x AS a FROM "main"."visits" AS s0)',
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_it_is_written(name: str) -> None:
    relation, sql = WRITTEN[name]
    assert written(relation, "duckdb").sql == sql
    assert written(relation, "duckdb").sql == sql  # nothing was changed by it


def test_inputs_are_found_wherever_they_are_read() -> None:
    arrays = algebra.Arrays((algebra.Item("c0", exp.Explode(this=parameter(ReleasedColumn(1, 0)))),))
    own = algebra.Arrays((algebra.Item("c0", exp.Explode(this=parameter(OwnColumn(0, 2)))),))
    inner = algebra.Select((algebra.Item("", column("c0")),), algebra.of(own, "q"))
    condition = step(Definition(exp.And(this=exists(inner), expression=LARGE.copy())))
    outer = algebra.Select(
        (), algebra.JoinedRows(algebra.Source(arrays, "s0"), where=(condition, condition.copy())), star=True
    )
    assert written(outer, "duckdb").inputs == (ReleasedColumn(1, 0), OwnColumn(0, 2))


def test_a_leaf_holds_what_its_copies_hold() -> None:
    leaf = named(LARGE)
    assert definition_of(leaf.copy()) is definition_of(leaf) is not None
    assert named(LARGE) == leaf
    assert named(column("x")) == column("x")
    assert nested_in(exists(ONE).copy()) is not None
    assert exists(ONE) == exists(ONE) != scalar(ONE)


def test_a_step_is_computed_once() -> None:
    """A condition that reads it comes after it, and one that does not stays with the joins."""
    leaf = named(LARGE)
    again = exp.Mul(this=leaf, expression=leaf.copy())
    thrice = exp.Mul(this=again, expression=exp.Mul(this=leaf.copy(), expression=leaf.copy()))
    where = (exp.GT(this=leaf.copy(), expression=exp.Literal.number(0)), exp.Not(this=column("ok", "s0")))
    unit = algebra.Item("u", column("person", "s0"))
    select = algebra.Select(
        (unit, algebra.Item("a", thrice)), algebra.JoinedRows(algebra.Source(SCAN, "s0"), where=where)
    )
    assert written(select, "duckdb").sql == (
        "SELECT t.u AS u, t.g0 * t.g0 * t.g0 * t.g0 AS a FROM (SELECT s0.person AS u, LN(s0.x) * LN(s0.y) AS g0"
        ' FROM "main"."visits" AS s0 WHERE NOT s0.ok) AS t WHERE t.u IS NOT NULL AND t.g0 > 0'
    )


def test_what_is_shorter_is_written_out() -> None:
    leaf = named(LARGE)
    select = algebra.Select((algebra.Item("a", exp.Neg(this=leaf)),), algebra.of(SCAN, "s0"))
    assert layered(select, False).items[0].value.find(exp.Ln) is not None


def test_a_correlated_query_has_no_layers() -> None:
    """What it reads of the query around it, a derived table in it would not see."""
    value = exp.Ln(this=column("x", "outer"))
    for _ in range(4):
        leaf = named(exp.Mul(this=value, expression=exp.Ln(this=column("y", "s0"))))
        value = exp.Add(this=leaf, expression=leaf.copy())
    made = layered(algebra.Select((algebra.Item("a", value),), algebra.of(SCAN, "s0")), False)
    assert made.rows == algebra.of(SCAN, "s0")
    assert not list(steps_in(made.items[0].value))


def test_what_cannot_be_a_column_has_an_end() -> None:
    value: exp.Expression = LARGE
    for _ in range(20):
        leaf = named(exp.Add(this=value, expression=LARGE.copy()))
        value = exp.Mul(this=leaf, expression=leaf.copy())
    with pytest.raises(FeatureNotSupported, match="too large"):
        written_out(value)
    assert MOST_NODES < 2**20


@pytest.mark.parametrize("form", GUARDED)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_text_grows_by_what_is_nested(form: str, dialect: str) -> None:
    def length(depth: int) -> int:
        return len(query_text("t", dialect, v=total(parse(nest(form, depth)), SCOPES[dialect]).sql))

    first, second, third = length(4), length(8), length(16)
    assert third - second <= 2.4 * (second - first) + 50


@pytest.mark.parametrize("form", GUARDED)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_nested_is_planned_and_proved(form: str, dialect: str, catalog: Catalog) -> None:
    nested = nest(form, 9, "v.cost")
    sql = f"SELECT sum(least(greatest({nested}, 0), 10)) FROM visits v WHERE {nested} > 0 AND v.dept = 'cardio'"
    made = plan(sql, catalog, dialect=dialect)
    check_plan(made, catalog, dialect, Accounting.ZCDP)
    assert len(made.releases[0].bounded.sql) < 10_000


@pytest.mark.parametrize("form", GUARDED)
def test_layers_give_what_is_written_out(form: str, duck: duckdb.DuckDBPyConnection) -> None:
    """Also where several items read the same, and one reads another's steps."""
    trees = {f"v{depth}": total(parse(nest(form, depth)), SCOPE).sql for depth in (1, 2, 3)}
    listed = ", ".join(f"{engine_text(tree, 'duckdb')} AS {name}" for name, tree in trees.items())
    plain = duck.execute(f"SELECT {listed} FROM t").fetchall()
    assert [tuple(map(str, row)) for row in duck.execute(query_text("t", "duckdb", **trees)).fetchall()] == [
        tuple(map(str, row)) for row in plain
    ]


def test_postgres_keeps_layers_apart() -> None:
    """It would write them into one another, each several times: an expression of depth 30 would never be planned."""
    with scratch_postgres(list(MAJORS.values())[-1]) as server:
        conninfo = server.conninfo_of(server.owner, database="postgres")
        with psycopg.connect(conninfo, autocommit=True) as connection:
            fill_postgres(connection)
            connection.execute("SET statement_timeout = '60s'")
            sql = query_text("t", "postgres", v=total(parse(nest("sqrt({} - 1)", 30)), IN_POSTGRES).sql)
            rows = connection.execute(sql).fetchall()  # type: ignore[arg-type]
            assert "OFFSET '0'" in sql and rows
