"""The checker and whole plans: distinct counts, clips above joins, what later releases read, public keys, the post
statement. Each plan passes, its texts run in DuckDB over the world of sql_fixtures, and every loosening is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import duckdb
import pytest
from applied import applied, noises_of, with_noises
from worlds import SCRIPT, statements

from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import parse_type
from dpproxy.mechanisms.noise import gaussian
from dpproxy.mechanisms.selection import gaussian_selection
from dpproxy.mechanisms.timing import deadline_noise
from dpproxy.plan.formulas import CountOf, SelectedCount
from dpproxy.plan.private_plan import (
    Bounded,
    Domain,
    FromPublic,
    FromRelease,
    Key,
    Limit,
    Literals,
    Measure,
    MeasureKind,
    Output,
    Plan,
    Post,
    PrivateKeys,
    Release,
    ViewColumn,
)
from dpproxy.plan.told_columns import ReleasedColumn
from dpproxy.rewrite.checker import CheckFault, check_plan

DIALECTS = ("duckdb", "postgres")
SHARE, DELTA = Decimal("0.01"), Decimal("1e-8")
SHARE_OF_TIME = Decimal("0.001")
TIME = deadline_noise(Accounting.ZCDP, SHARE_OF_TIME)
TEXT, BIGINT, DOUBLE = (parse_type(name) for name in ("text", "bigint", "double precision"))
VALUES: Mapping[str, list[Any]] = {"r0c0": ["cardio", "neuro"], "r0c1": [5, 7], "r1c0": [3], "r1c1": [4]}


TOLD = "(STRPOS({0}, CHR(1)) = 0 OR {0} IS NULL)"


def key(name: str, domain: Domain) -> Key:
    return Key(name, TEXT, domain, name)


def measure(kind: MeasureKind, upper: int, name: str = "m0") -> Measure:
    return Measure(name, kind, 0, upper, Decimal(1), Decimal(0), name)


def total(name: str = "m0") -> str:
    summed = f"COALESCE(SUM({name}), 0)"
    return f"CAST(LEAST(GREATEST({summed}, -4611686018427387904), 4611686018427387904) AS BIGINT) AS {name}"


def release(bounded: Bounded) -> Release:
    noises = tuple(gaussian(bounded.sensitivity(each), SHARE) for each in bounded.measures)
    groups = bounded.groups
    shared = 1 if all(isinstance(each.domain, PrivateKeys) for each in bounded.keys) else groups
    selection = gaussian_selection(groups, groups, shared, SHARE, DELTA) if bounded.counts_units else None
    counted = CountOf(0) if noises else SelectedCount()
    return Release(bounded, applied(noises, selection), (Output("o0", BIGINT, counted, "count"),))


def plan(*bounded: Bounded, post: Post | None = None) -> Plan:
    """A plan whose mechanisms fit its releases, and whose statement reads the last one."""
    releases = tuple(map(release, bounded))
    last = len(releases) - 1
    inputs = tuple(ReleasedColumn(last, index) for index in range(len(bounded[-1].keys) + 1))
    arrays = ", ".join(f"CAST(${index + 1} AS TEXT[])" for index in range(len(inputs)))
    text = f"SELECT r.a FROM (SELECT * FROM UNNEST({arrays})) AS r(a)"
    counted = sum(len(each.mechanisms) for each in releases)
    cost = Loss(SHARE * counted + SHARE_OF_TIME, DELTA * sum(each.applied_to(None) is not None for each in releases))
    return Plan(releases, post or Post(text, inputs, ("text[]",) * len(inputs)), cost, Decimal(1), time=TIME)


def kept(rows: str, *names: str) -> str:
    """Those whose keys can be told; DuckDB's texts may hold NUL (`check`)."""
    return f"SELECT * FROM ({rows}) AS q WHERE {' AND '.join(map(TOLD.format, names))}"


def counted(rows: str, domain: Domain, *inputs: ReleasedColumn) -> Bounded:
    """A count of rows, by k0, in at most three keys."""
    contributions = f"SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM ({rows}) AS r GROUP BY u, k0"
    rank = "ROW_NUMBER() OVER (PARTITION BY u ORDER BY MD5(CAST(u AS TEXT) || k0), k0) AS r"
    ranked = f"SELECT k0, m0, {rank} FROM ({kept(contributions, 'k0')}) AS c"
    private = isinstance(domain, PrivateKeys)
    n = "COUNT(*) AS n, " if private else ""
    text = f"SELECT k0, {n}{total()} FROM (SELECT k0, m0 FROM ({ranked}) AS w WHERE r <= 3) AS l GROUP BY k0"
    keys, rows_ = (key("k0", domain),), (measure(MeasureKind.ROWS, 20),)
    return Bounded(text, "person", keys, rows_, private, 3, 20, Limit.KEYS_LIMITED, inputs=inputs)


def alone(rows: str, *inputs: ReleasedColumn) -> Bounded:
    """A sum of clipped rows, without keys."""
    contributions = f"SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 100) AS m0 FROM ({rows}) AS r GROUP BY u"
    text = f"SELECT {total()} FROM ({contributions}) AS c"
    return Bounded(text, "person", (), (measure(MeasureKind.SUM, 100),), False, 1, 20, Limit.NO_KEYS, inputs=inputs)


BY_DEPT = 'SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL'
CLIPPED = "CAST(LEAST(GREATEST({}, 0), 5) AS BIGINT)"
VISITS = 'FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL'
OF_VISITS = f'SELECT s0."person_id" AS u, {CLIPPED.format("s0.cost")} AS m0 {VISITS}'
RELEASED = "(SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS c0, UNNEST(CAST($r0c1 AS BIGINT[])) AS c1)"
BOTH = (ReleasedColumn(0, 0), ReleasedColumn(0, 1))
ABOVE = f'{BY_DEPT} AND s0."cost" > (SELECT q0."c1" FROM {RELEASED} AS q0 WHERE q0."c0" = s0."dept")'
BESIDE = (
    f'SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 JOIN {RELEASED} AS s1 ON s1."c0" = s0."dept" AND '
    's1."c1" < s0."cost" WHERE s0."person_id" IS NOT NULL'
)
HIGHEST = f'{OF_VISITS} AND s0."cost" > (SELECT q0."c0" FROM (SELECT UNNEST(CAST($r0c0 AS BIGINT[])) AS c0) AS q0)'
JOINT = (
    'SELECT DISTINCT s0."dept" AS d0, s1."nation" AS d1 FROM "departments" AS s0 CROSS JOIN "nation" AS s1 '
    'WHERE s1."nationkey" < s0."beds"'
)
READING = (
    f'SELECT DISTINCT s0."dept" AS d0 FROM "departments" AS s0 JOIN {RELEASED} AS s1 ON s1."c0" = s0."dept" '
    'WHERE s1."c1" > 3'
)

PLAIN = 'SELECT DISTINCT s0."dept" AS k FROM "departments" AS s0'


def distinct(limited: bool) -> Bounded:
    """Distinct days by department: two values a unit in each key, in one or in three keys."""
    value = "MD5(CAST(u AS TEXT) || k0 || CAST(v AS TEXT)), v"
    ranks = f"ROW_NUMBER() OVER (PARTITION BY u, k0 ORDER BY {value}) AS r"
    if limited:
        ranks += ", DENSE_RANK() OVER (PARTITION BY u ORDER BY MD5(CAST(u AS TEXT) || k0), k0) AS g"
    item, domain = ('s0."dept"', PrivateKeys()) if limited else ('s1."sex"', Literals(("F", "M")))
    rows = (
        f'SELECT s0."person_id" AS u, {item} AS k0, s0."day" AS v FROM "visits" AS s0 JOIN "people" AS s1 '
        'ON s1."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL'
    )
    inner = f"SELECT u, k0, v FROM ({rows}) AS r WHERE NOT v IS NULL GROUP BY u, k0, v"
    inner = kept(inner, "k0") if limited else f"SELECT * FROM ({inner}) AS q WHERE (k0 IN ('F', 'M'))"
    text = (
        f"SELECT k0, COUNT(DISTINCT v) AS m0 FROM (SELECT k0, v FROM (SELECT k0, v, {ranks} FROM ({inner}) AS c) AS w "
        f"WHERE r <= 2{' AND g <= 3' if limited else ''}) AS l GROUP BY k0"
    )
    limit, groups = (Limit.KEYS_LIMITED, 3) if limited else (Limit.KEY_OF_UNIT, 1)
    keys = (key("k0", FromRelease(0, 0) if limited else domain),)
    return Bounded(text, "person", keys, (measure(MeasureKind.DISTINCT, 2),), False, groups, 1, limit)


def dense() -> Bounded:
    """The same in three keys, of rows that have a day more than once: all of one day have one rank."""
    made = distinct(limited=True)
    text = made.sql.replace("ROW_NUMBER()", "DENSE_RANK()").replace(" GROUP BY u, k0, v", "")
    return replace(made, sql=text)


def named_before() -> tuple[Bounded, Bounded]:
    """Units by city and by one of two values, and distinct days by what of these was released: two keys a unit."""
    rows = (
        """SELECT s0."person_id" AS u, s1."city" AS k0, CASE WHEN s0."cost" > CAST('5.0' AS DOUBLE) THEN 'a' """
        """WHEN s0."cost" IS NULL THEN NULL ELSE 'b' END AS k1{} FROM "visits" AS s0 JOIN "people" AS s1 """
        """ON s1."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL"""
    )
    contributions = f"SELECT u, k0, k1 FROM ({rows.format('')}) AS r GROUP BY u, k0, k1"
    text = (
        f"SELECT k0, k1, COUNT(*) AS n FROM ({kept(contributions, 'k0')} AND (k1 IN ('a', 'b'))) AS c GROUP BY k0, k1"
    )
    keys = (key("k0", PrivateKeys()), key("k1", Literals(("a", "b"))))
    first = Bounded(text, "person", keys, (), True, 2, 20, Limit.FEW_PUBLIC_KEYS)
    given = rows.format(', s0."day" AS v')
    pairs = f"SELECT u, k0, k1, v FROM ({given}) AS r WHERE NOT v IS NULL GROUP BY u, k0, k1, v"
    text = (
        "SELECT k0, k1, COUNT(DISTINCT v) AS m0 FROM (SELECT k0, k1, v FROM (SELECT k0, k1, v, ROW_NUMBER() OVER "
        "(PARTITION BY u, k0, k1 ORDER BY v) AS r FROM "
        f"({kept(pairs, 'k0', 'k1')} AND (k1 IN ('a', 'b'))) AS c) AS w WHERE r <= 2) AS l GROUP BY k0, k1"
    )
    keys = (key("k0", FromRelease(0, 0)), key("k1", FromRelease(0, 1)))
    one = measure(MeasureKind.DISTINCT, 2)
    return first, Bounded(text, "person", keys, (one,), False, 2, 20, Limit.FEW_PUBLIC_KEYS)


def product() -> Bounded:
    """A count by two public keys of one text."""
    rows = (
        'SELECT s0."person_id" AS u, s0."dept" AS k0, s1."nation" AS k1 FROM "visits" AS s0 JOIN "nation" AS s1 '
        'ON s1."nationkey" < s0."cost" WHERE s0."person_id" IS NOT NULL'
    )
    contributions = f"SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM ({rows}) AS r GROUP BY u, k0, k1"
    told = kept(contributions, "k0", "k1")
    ranked = f"SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY k0, k1) AS r FROM ({told}) AS c"
    text = f"SELECT k0, k1, {total()} FROM (SELECT k0, k1, m0 FROM ({ranked}) AS w WHERE r <= 3) AS l GROUP BY k0, k1"
    keys = (key("k0", FromPublic(JOINT, 0)), key("k1", FromPublic(JOINT, 1)))
    return Bounded(text, "person", keys, (measure(MeasureKind.ROWS, 20),), False, 3, 20, Limit.KEYS_LIMITED)


FIRST, SECOND = counted(BY_DEPT, PrivateKeys()), counted(BY_DEPT, FromRelease(0, 0))
TOGETHER = Post(
    "SELECT * FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[]), CAST($5 AS BIGINT[])) "
    "AS r(a, b, c)) AS q WHERE q.b > $1 AND q.a = $2",
    (ReleasedColumn(0, 0), ReleasedColumn(0, 1), ReleasedColumn(1, 1)),
    ("text[]", "bigint[]", "bigint[]"),
)
HALF = OF_VISITS.replace("m0", "m")
HALVES = f'SELECT s0."u" AS u, s0."m" AS m0 FROM (({HALF}) UNION ALL ({HALF})) AS s0 WHERE s0."u" IS NOT NULL'
OF_COUNTS = (
    f'SELECT s0."u" AS u, {CLIPPED.format("s0.a0")} AS m0 FROM '
    f'(SELECT u, COUNT(*) AS a0 FROM ({BY_DEPT}) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL'
)
NUMBER = '(SELECT COUNT(*) FROM "visits" AS q0 WHERE q0."person_id" = s0."person_id")'
OF_SUBQUERY = (
    f'SELECT s0."person_id" AS u, {CLIPPED.format(NUMBER)} AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL'
)
PLANS: Mapping[str, Plan] = {
    "distinct": plan(FIRST, distinct(limited=True)),
    "dense": plan(FIRST, dense()),
    "distinct of the unit's key": plan(distinct(limited=False)),
    "distinct of declared keys": plan(*named_before()),
    "a later constant": plan(alone(OF_VISITS), alone(HIGHEST, ReleasedColumn(0, 0))),
    "a value for each key": plan(FIRST, counted(ABOVE, PrivateKeys(), *BOTH)),
    "joined with a release": plan(FIRST, counted(BESIDE, FromRelease(0, 0), *BOTH)),
    "joint keys": plan(product()),
    "keys that read a release": plan(FIRST, counted(BY_DEPT, FromPublic(READING, inputs=BOTH))),
    "releases side by side": plan(FIRST, SECOND, post=TOGETHER),
    "clipped below": plan(alone(HALVES)),
    "clipped counts": plan(alone(OF_COUNTS)),
    "clipped subqueries": plan(alone(OF_SUBQUERY)),
}


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for statement in statements(SCRIPT):
            connection.execute(statement)
        yield connection


def check(plan: Plan, catalog: Catalog, dialect: str) -> None:
    letter = "CHR(0)" if dialect == "duckdb" else "CHR(1)"
    texts = [replace(each.bounded, sql=each.bounded.sql.replace("CHR(1)", letter)) for each in plan.releases]
    releases = tuple(replace(each, bounded=text) for each, text in zip(plan.releases, texts, strict=True))
    check_plan(replace(plan, releases=releases), catalog, dialect, Accounting.ZCDP)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", PLANS)
def test_good_plans_pass(name: str, dialect: str, catalog: Catalog) -> None:
    check(PLANS[name], catalog, dialect)


@pytest.mark.parametrize("name", PLANS)
def test_their_texts_run(name: str, engine: duckdb.DuckDBPyConnection) -> None:
    for each in PLANS[name].releases:
        domains = [key.domain for key in each.bounded.keys if isinstance(key.domain, FromPublic)]
        texts = [(each.bounded.sql, each.bounded.inputs), *((domain.sql, domain.inputs) for domain in domains)]
        for sql, inputs in texts:
            given = {column.name: VALUES[column.name] for column in inputs}
            given = {"r0c0": [3]} if name == "a later constant" and inputs else given
            assert engine.execute(sql, given).fetchall()


Change = Callable[[Plan], Plan]


def of(index: int, **parts: Any) -> Change:
    """A change of the bounded part of a release."""

    def change(plan: Plan) -> Plan:
        releases = list(plan.releases)
        releases[index] = replace(releases[index], bounded=replace(releases[index].bounded, **parts))
        return replace(plan, releases=tuple(releases))

    return change


def text(index: int, old: str, new: str) -> Change:
    """A change of the text of a release, at its first place."""

    def change(plan: Plan) -> Plan:
        sql = plan.releases[index].bounded.sql
        assert old in sql
        return of(index, sql=sql.replace(old, new, 1))(plan)

    return change


def domains(index: int, *found: Domain) -> Change:
    return of(index, keys=tuple(key(f"k{at}", domain) for at, domain in enumerate(found)))


def domain(old: str, new: str, **parts: Any) -> Change:
    """A change of the text of a release's public keys."""

    def change(plan: Plan) -> Plan:
        bounded = plan.releases[-1].bounded
        keys = []
        for each in bounded.keys:
            assert isinstance(each.domain, FromPublic)
            assert old in each.domain.sql
            keys.append(replace(each, domain=replace(each.domain, sql=each.domain.sql.replace(old, new, 1), **parts)))
        return of(len(plan.releases) - 1, keys=tuple(keys))(plan)

    return change


def post(**parts: Any) -> Change:
    return lambda plan: replace(plan, post=replace(plan.post, **parts))


def swapped(plan: Plan) -> Plan:
    return replace(plan, releases=plan.releases[::-1])


def noise(factor: int) -> Change:
    """Noise for less: of a plan's last release."""

    def change(plan: Plan) -> Plan:
        last = plan.releases[-1]
        less = [replace(each.sensitivity, linf=each.sensitivity.linf // factor) for each in noises_of(last)]
        noises = tuple(replace(each, sensitivity=one) for each, one in zip(noises_of(last), less, strict=True))
        return replace(plan, releases=(*plan.releases[:-1], with_noises(last, noises)))

    return change


D0 = "ORDER BY MD5(CAST(u AS TEXT) || k0), k0)"
MUTATIONS: Mapping[str, tuple[str, Change, str]] = {
    # distinct counts
    "declared keys not kept": (
        "distinct of declared keys",
        text(1, " AND (k1 IN ('a', 'b'))", ""),
        "declared values",
    ),
    "declared keys, and NULL": (
        "distinct of declared keys",
        text(1, "(k1 IN ('a', 'b'))", "(k1 IN ('a', 'b') OR k1 IS NULL)"),
        "declared values",
    ),
    "other keys kept": ("distinct of declared keys", text(1, "(k1 IN ('a', 'b'))", "(k0 IN ('a', 'b'))"), "declared"),
    "fewer keys claimed": ("distinct of declared keys", of(1, groups=1), "more public keys than the limit"),
    "more values": ("distinct", text(1, "r <= 2", "r <= 3"), "limit is not the plan's"),
    "all values": ("distinct", text(1, "r <= 2 AND ", ""), "limit is not the plan's"),
    "either limit": ("distinct", text(1, "r <= 2 AND g", "r <= 2 OR g"), "limit is not the plan's"),
    "more keys": ("distinct", text(1, "g <= 3", "g <= 4"), "limit is not the plan's"),
    "all keys": ("distinct", text(1, " AND g <= 3", ""), "limit is not the plan's"),
    "limits exchanged": ("distinct", text(1, "r <= 2 AND g <= 3", "g <= 2 AND r <= 3"), "limit is not the plan's"),
    "noise for one value": ("distinct", noise(2), "made for less than one unit"),
    "values beyond the plan": ("distinct", of(1, measures=(measure(MeasureKind.DISTINCT, 1),)), "not the plan's"),
    "a lower end": (
        "distinct",
        of(1, measures=(replace(measure(MeasureKind.DISTINCT, 2), lower=-1),)),
        "not one count",
    ),
    "a step of ten": (
        "distinct",
        of(1, measures=(replace(measure(MeasureKind.DISTINCT, 2), step=Decimal(10)),)),
        "not one count",
    ),
    "called a count of rows": ("distinct", of(1, measures=(measure(MeasureKind.ROWS, 2),)), "carries other columns"),
    "counts of all": ("distinct", text(1, "COUNT(DISTINCT v)", "COUNT(v)"), "no count of distinct values"),
    "counts of keys": ("distinct", text(1, "COUNT(DISTINCT v)", "COUNT(DISTINCT k0)"), "no count of distinct values"),
    "sums of values": ("distinct", text(1, "COUNT(DISTINCT v)", "SUM(DISTINCT v)"), "no count of distinct values"),
    "no count at all": ("distinct", text(1, "k0, COUNT(DISTINCT v) AS m0", "k0"), "not its keys and one count"),
    "nothing at all": ("distinct", text(1, "k0, COUNT(DISTINCT v) AS m0", ""), "not its keys and one count"),
    "counts of units too": ("distinct", of(1, counts_units=True), "selection is not for private keys"),
    "values ranked within the key": (
        "distinct",
        text(1, "ROW_NUMBER() OVER (PARTITION BY u, k0", "ROW_NUMBER() OVER (PARTITION BY k0"),
        "rank is not within the unit",
    ),
    "values ranked within the value": (
        "distinct",
        text(1, "ROW_NUMBER() OVER (PARTITION BY u, k0", "ROW_NUMBER() OVER (PARTITION BY u, k0, v"),
        "rank is not within the unit",
    ),
    "values ranked by hashes": ("distinct", text(1, "CAST(v AS TEXT)), v)", "CAST(v AS TEXT)))"), "to the engine"),
    "values of one rank": ("distinct", text(1, "ROW_NUMBER()", "DENSE_RANK()"), "rank is not RowNumber"),
    "values numbered that stand there twice": ("distinct", text(1, " GROUP BY u, k0, v", ""), "rank is not DenseRank"),
    "values grouped otherwise": (
        "distinct",
        text(1, "GROUP BY u, k0, v", "GROUP BY u, v"),
        "not by unit, keys and value",
    ),
    "dense values ranked with gaps": ("dense", text(1, "DENSE_RANK()", "RANK()"), "rank is not DenseRank"),
    "dense values numbered": ("dense", text(1, "DENSE_RANK()", "ROW_NUMBER()"), "rank is not DenseRank"),
    "dense values ranked within the key": (
        "dense",
        text(1, "DENSE_RANK() OVER (PARTITION BY u, k0", "DENSE_RANK() OVER (PARTITION BY k0"),
        "rank is not within the unit",
    ),
    "dense values ranked by hashes": ("dense", text(1, "CAST(v AS TEXT)), v)", "CAST(v AS TEXT)))"), "to the engine"),
    "dense values grouped by some": ("dense", text(1, "NOT v IS NULL", "NOT v IS NULL GROUP BY v"), "not by unit"),
    "dense values with NULL": ("dense", text(1, " WHERE NOT v IS NULL", ""), "NULL is counted"),
    "one dense value more": ("dense", text(1, "r <= 2", "r <= 3"), "limit is not the plan's"),
    "keys ranked by hashes": ("distinct", text(1, D0, D0.replace(", k0)", ")")), "leaves keys to the engine"),
    "keys ranked by values": ("distinct", text(1, D0, D0.replace(", k0)", ", k0, v)")), "reads more than keys"),
    "keys ranked within nothing": ("distinct", text(1, f"PARTITION BY u {D0}", D0), "rank is not within the unit"),
    "keys ranked one by one": ("distinct", text(1, "DENSE_RANK()", "RANK()"), "rank is not DenseRank"),
    "keys not ranked": (
        "distinct",
        text(1, f", DENSE_RANK() OVER (PARTITION BY u {D0} AS g", ""),
        "ranks are not the plan's",
    ),
    "the rank is counted": (
        "distinct",
        text(1, "SELECT k0, v FROM (SELECT k0, v,", "SELECT k0, r AS v FROM (SELECT k0, v,"),
        "carries other",
    ),
    "NULL is a value": ("distinct", text(1, "WHERE NOT v IS NULL ", ""), "NULL is counted"),
    "NULL is the value": ("distinct", text(1, "WHERE NOT v IS NULL ", "WHERE v IS NULL "), "NULL is counted"),
    "another filter on values": ("distinct", text(1, "NOT v IS NULL", "NOT v IS NULL AND v > '2'"), "NULL is counted"),
    "values not grouped": ("distinct", text(1, "GROUP BY u, k0, v", "GROUP BY u, k0"), "not by unit, keys and value"),
    "values without units": ("distinct", text(1, "GROUP BY u, k0, v", "GROUP BY k0, v"), "not by unit, keys and value"),
    "values of floating point": ("distinct", text(1, 's0."day" AS v', 's0."cost" AS v'), "of an exact type"),
    "values of unknown type": ("distinct", text(1, 's0."day" AS v', "INTERVAL '1 day' AS v"), "of an exact type"),
    "values of another unit": ("distinct", text(1, 's1."person_id" = s0', 's1."age" = s0'), "could be of another unit"),
    "no limit on keys": ("distinct", of(1, limit=Limit.KEY_OF_UNIT), "ranks are not the plan's"),
    "no reason for no limit": (
        "distinct of the unit's key",
        text(0, 's1."sex" AS k0', 's0."dept" AS k0'),
        "keys are a function of the unit",
    ),
    "a filter on values": (
        "distinct of the unit's key",
        text(0, "(k0 IN ('F', 'M'))", "(k0 IN ('F', 'M')) AND v > '2'"),
        "reads more than keys",
    ),
    "no filter on keys": ("distinct of the unit's key", text(0, "(k0 IN ('F', 'M'))", "TRUE"), "not held to its"),
    # what later releases read
    "an input of the release itself": (
        "a later constant",
        lambda p: of(1, inputs=(ReleasedColumn(1, 0),))(text(1, "$r0c0", "$r1c0")(p)),
        "no release before this one",
    ),
    "an input of a later release": ("a later constant", swapped, "no release before this one"),
    "an input of no column": (
        "a later constant",
        lambda p: of(1, inputs=(ReleasedColumn(0, 1),))(text(1, "$r0c0", "$r0c1")(p)),
        "an input of no column",
    ),
    "an input that is not declared": ("a later constant", of(1, inputs=()), "not those that the text reads"),
    "an input that is not read": ("a later constant", of(1, inputs=BOTH), "not those that the text reads"),
    "an input twice": ("a later constant", of(1, inputs=(BOTH[0], BOTH[0])), "not those that the text reads"),
    "a parameter of another name": ("a later constant", text(1, "$r0c0", "$secret"), "names no released column"),
    "a parameter with a number": ("a later constant", text(1, "$r0c0", "$1"), "names no released column"),
    "a parameter by itself": (
        "a later constant",
        text(1, "UNNEST(CAST($r0c0 AS BIGINT[]))", "CAST($r0c0 AS BIGINT)"),
        "no array of a release",
    ),
    "a parameter in a clip": ("a later constant", text(1, "0), 5)", "0), $r0c0)"), "no array of a release"),
    "an array of its own": (
        "a later constant",
        text(1, "CAST($r0c0 AS BIGINT[])", "CAST('{1,2}' AS BIGINT[])"),
        "ARRAY is not on the list",
    ),
    "a list of its own": (
        "a later constant",
        text(1, "CAST($r0c0 AS BIGINT[])", "ARRAY[1, 2]"),
        "is not on the list",
    ),
    "rows beside an array": (
        "a later constant",
        text(1, "AS c0) AS q0", 'AS c0 FROM "people" AS p0) AS q0'),
        "first item is not a column",
    ),
    "public rows beside an array": (
        "a later constant",
        text(1, "AS c0) AS q0", 'AS c0 FROM "nation" AS p0) AS q0'),
        "a from_ clause where none belongs",
    ),
    "a value of a release with keys": (
        "a value for each key",
        text(1, ' WHERE q0."c0" = s0."dept"', ""),
        "there could be several",
    ),
    "a value by what is no key": (
        "a value for each key",
        text(1, 'q0."c0" = s0."dept"', 'q0."c1" = s0."visit_id"'),
        "there could be several",
    ),
    "private keys in their place": (
        "releases side by side",
        lambda p: domains(1, PrivateKeys())(p),
        "selection is not for private keys",
    ),
    "keys of a later release": ("releases side by side", domains(1, FromRelease(1, 0)), "no release before this one"),
    "keys of a release beyond": ("releases side by side", domains(1, FromRelease(7, 0)), "no release before this one"),
    "keys of a release before": ("releases side by side", domains(1, FromRelease(-1, 0)), "no release before this one"),
    "an output as key": ("releases side by side", domains(1, FromRelease(0, 1)), "not the keys of an earlier release"),
    "fewer keys than the release": (
        "joint keys",
        lambda p: replace(p, releases=(p.releases[0], release(SECOND)), cost=Loss(SHARE * 3, Decimal(0))),
        "not the keys of an earlier release",
    ),
    # public keys
    "two keys of one column": ("joint keys", domains(0, FromPublic(JOINT, 0), FromPublic(JOINT, 0)), "of one column"),
    "a key of no column": ("joint keys", domains(0, FromPublic(JOINT, 0), FromPublic(JOINT, 2)), "of one column"),
    "a key of a column before": (
        "joint keys",
        domains(0, FromPublic(JOINT, -1), FromPublic(JOINT, 1)),
        "of one column",
    ),
    "public keys, not distinct": ("joint keys", domain("SELECT DISTINCT", "SELECT"), "not distinct columns"),
    "public keys under other names": ("joint keys", domain("AS d1", "AS d2"), "not distinct columns"),
    "public keys in another order": ("joint keys", domain("AS d0, s1", "AS d1, s1"), "not distinct columns"),
    "public keys of a private table": ("joint keys", domain('"nation" AS s1', '"people" AS s1'), "which is not public"),
    "public keys by a private table": (
        "joint keys",
        domain("WHERE", 'JOIN "people" AS s2 ON TRUE WHERE'),
        "which is not public",
    ),
    "public keys by a private subquery": (
        "joint keys",
        domain("WHERE", 'WHERE EXISTS (SELECT 1 FROM "people" AS q0) AND'),
        "which is not public",
    ),
    "public keys by a private value": (
        "joint keys",
        domain('< s0."beds"', '< (SELECT MAX(q0."age") FROM "people" AS q0)'),
        "which is not public",
    ),
    "public keys with a limit": ("joint keys", domain('< s0."beds"', '< s0."beds" LIMIT 3'), "a limit clause"),
    "public keys of other columns": ("joint keys", domain('s1."nation" AS', 's1."rowid" AS'), "not to be read"),
    "public keys that read more": (
        "keys that read a release",
        domain('s1."c1" > 3', 's1."c1" > 3', inputs=BOTH[:1]),
        "not those that the text reads",
    ),
    "public keys that read later": (
        "keys that read a release",
        lambda p: domain("$r0c0", "$r1c0", inputs=(BOTH[1], ReleasedColumn(1, 0)))(p),
        "no release before this one",
    ),
    # clips above joins
    "one half not clipped": (
        "clipped below",
        text(0, CLIPPED.format("s0.cost"), "s0.visit_id"),
        "not clipped to whole",
    ),
    "one half clipped wider": ("clipped below", text(0, "cost, 0), 5)", "cost, 0), 101)"), "one row of m0 passes"),
    "halves of text": (
        "clipped below",
        text(0, "s0.cost, 0), 5)", "s0.dept, 0), 5)"),
        "not proved to be a number|a text beside a integer",
    ),
    "halves moved": ("clipped below", text(0, 's0."m" AS m0', 's0."m" + 1 AS m0'), "not clipped to whole"),
    "counts not clipped": ("clipped counts", text(0, CLIPPED.format("s0.a0"), "s0.a0"), "not clipped to whole"),
    "a text as a count": (
        "clipped counts",
        text(0, "COUNT(*) AS a0", "MAX(k0) AS a0"),
        "not proved to be a number|a text beside a integer",
    ),
    "another's visits": ("clipped subqueries", text(0, 'q0."person_id" = s0', 'q0."visit_id" = s0'), "another unit"),
    # the post statement
    "columns that are not side by side": (
        "releases side by side",
        lambda p: replace(p, releases=(*p.releases[:1], release(FIRST)), cost=Loss(SHARE * 5, DELTA * 2)),
        "releases whose rows differ",
    ),
    "a view beside a release": (
        "releases side by side",
        post(inputs=(*TOGETHER.inputs[:2], ViewColumn("budget", "analyst"))),
        "columns of several tables",
    ),
    "an input too many": (
        "releases side by side",
        post(inputs=TOGETHER.inputs * 2, input_types=TOGETHER.input_types * 2),
        "does not read",
    ),
    "a parameter by name": (
        "releases side by side",
        post(sql=TOGETHER.sql.replace("$1", "$a")),
        "a parameter without a number",
    ),
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", MUTATIONS)
def test_mutated_plans_are_refused(name: str, dialect: str, catalog: Catalog) -> None:
    base, change, reason = MUTATIONS[name]
    with pytest.raises(CheckFault, match=reason):
        check(change(PLANS[base]), catalog, dialect)


def test_releases_with_the_same_public_keys_stand_side_by_side(catalog: Catalog) -> None:
    listed = replace(TOGETHER, sql=TOGETHER.sql.replace("$1", "3").replace("$2", "'x'"))
    listed = replace(listed, sql=listed.sql.replace("$3", "$1").replace("$4", "$2").replace("$5", "$3"))
    made = plan(counted(BY_DEPT, FromPublic(PLAIN)), counted(BY_DEPT, FromPublic(PLAIN)), post=listed)
    check(made, catalog, "duckdb")
