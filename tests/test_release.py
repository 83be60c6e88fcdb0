"""From exact integers to noised rows: values stay with their keys, absent keys are there, nothing else is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from itertools import product
from uuid import UUID

import pytest
from applied import applied, noises_of, selection_of
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized

from dpproxy.canonical import canonical
from dpproxy.catalog.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    NUMERIC,
    REAL,
    SMALLINT,
    TEXT,
    TIMESTAMP,
    SqlType,
    parse_type,
)
from dpproxy.catalog.types import UUID as UUID_TYPE
from dpproxy.errors import EngineFailure
from dpproxy.mechanisms.noise import laplace
from dpproxy.mechanisms.selection import Selection, laplace_selection
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.formulas import (
    CountOf,
    Decision,
    DecisionOf,
    Dispersion,
    DispersionOf,
    Formula,
    Line,
    LineOf,
    MeanOf,
    SelectedCount,
    Spread,
    SumOf,
)
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
    PrivateKeys,
    Release,
)
from dpproxy.plan.space import Block, key_space
from dpproxy.release import release
from dpproxy.released_clips import totals_of
from dpproxy.rows import Column, Rows, Value

EXACT = Decimal(10**6)
DISTINCT = Measure("m0", MeasureKind.DISTINCT, 0, 3, Decimal(1), Decimal(0), "count(DISTINCT x)")
COUNT = Measure("m0", MeasureKind.ROWS, 0, 1, Decimal(1), Decimal(0), "count(*)")


def total(name: str = "m0", step: str = "1", centre: str = "0", bound: int = 100) -> Measure:
    return Measure(name, MeasureKind.SUM, -bound, bound, Decimal(step), Decimal(centre), name)


def plan(
    types: Sequence[SqlType],
    domains: Sequence[Sequence[Value] | None],
    measures: Sequence[Measure] = (COUNT,),
    outputs: Sequence[tuple[SqlType, Formula]] = ((BIGINT, CountOf(0)),),
    *,
    epsilon: Decimal = EXACT,
    selection: Selection | None = None,
    groups: int = 1,
) -> Release:
    """A release whose noise is 0 all but surely (at the default ε), and whose selection passes all but tiny counts."""
    keys = tuple(
        Key(f"k{index}", sql_type, PrivateKeys() if domain is None else Literals(tuple(domain)), f"key {index}")
        for index, (sql_type, domain) in enumerate(zip(types, domains, strict=True))
    )
    private = any(domain is None for domain in domains)
    bounded = Bounded("SELECT", "person", keys, tuple(measures), private, groups, 1, Limit.KEYS_LIMITED)
    if private and selection is None:
        selection = laplace_selection(1, groups, groups, EXACT, Decimal("0.4"))
    return Release(
        bounded,
        applied([laplace(bounded.sensitivity(measure), epsilon) for measure in measures], selection),
        tuple(Output(f"c{index}", *output, f"output {index}") for index, output in enumerate(outputs)),
    )


def rows(*values: tuple[Value, ...]) -> Rows:
    width = len(values[0]) if values else 0
    return Rows(tuple(Column(f"x{index}", "bigint") for index in range(width)), values)


def one(place: int, *values: Value) -> Block:
    return Block((place,), tuple((value,) for value in values))


def run(plan_release: Release, exact: Rows) -> tuple[tuple[Value, ...], ...]:
    """Keys and outputs; what is kept beside them is left out."""
    told = release(plan_release, exact, key_space(plan_release.bounded.keys, {}, ()))
    width = len(plan_release.bounded.keys) + len(plan_release.outputs)
    return tuple(row[:width] for row in told.rows)


def test_totals_of_statistics_are_kept_beside_them() -> None:
    """As they were told, with their noise; those of other outputs are in these."""
    spread = DispersionOf(Dispersion.VAR_POP, SPREAD, None)
    it = plan([TEXT], [None], [total("m0"), SQUARES, total("m2")], [(DOUBLE, spread), (DOUBLE, SumOf(2))])
    told = release(it, rows(("a", 50, 10, -10, 3)), key_space(it.bounded.keys, {}, ()))
    assert [each.name for each in told.columns][3:] == ["total of m0", "total of m1", "total of n"]
    assert told.rows[0][3:] == (Decimal(10), Decimal(-10), Decimal(50))
    assert totals_of(it, told) == {0: (Decimal(10),), 1: (Decimal(-10),), None: (Decimal(50),)}
    assert totals_of(it, Rows(told.columns[:3], tuple(row[:3] for row in told.rows))) == {}


def test_no_keys_is_one_row() -> None:
    assert run(plan([], []), rows((7,))) == ((7,),)
    assert run(plan([], []), rows((None,))) == ((0,),)
    assert run(plan([], []), rows()) == ((0,),)


def test_columns_are_keys_then_outputs_with_their_types() -> None:
    it = plan([parse_type("numeric(15,2)"), TEXT], [[Decimal("1.5")], None])
    assert release(it, rows(), (one(0, Decimal("1.5")),)).columns == (
        Column("k0", "numeric(15,2)"),
        Column("k1", "text"),
        Column("c0", "bigint"),
    )


def test_absent_public_keys_are_there_in_order() -> None:
    it = plan([TEXT, BOOLEAN], [["b", "a", None], [True, False]])
    exact = rows(("a", False, 5), (None, True, 6), ("elsewhere", True, 9), ("a", None, 9))
    assert run(it, exact) == (
        ("b", True, 0),
        ("b", False, 0),
        ("a", True, 0),
        ("a", False, 5),
        (None, True, 6),
        (None, False, 0),
    )


def test_absent_public_keys_get_noise() -> None:
    it = plan([INTEGER], [list(range(100))], epsilon=Decimal("0.001"))
    counts = [count for _, count in run(it, rows((5, 1)))]
    assert len(set(counts)) > 50
    assert sum(count == 0 for count in counts) < 20


def test_a_count_may_be_negative() -> None:
    it = plan([INTEGER], [list(range(100))], epsilon=Decimal("0.001"))
    assert any(count < 0 for _, count in run(it, rows()))


def test_unselected_keys_leave_nothing() -> None:
    strict = laplace_selection(1, 1, 1, EXACT, Decimal("1e-30"))
    strict = Selection(strict.noise, strict.l1, 50)
    it = plan([TEXT], [None], selection=strict)
    assert run(it, rows(("few", 49, 49), ("many", 50, 50), (None, 60, 60))) == (("many", 50), (None, 60))


def test_scores_add_up_over_public_keys() -> None:
    noise = laplace_selection(1, 1, 1, EXACT, Decimal("0.4")).noise
    it = plan([INTEGER, TEXT], [[1, 2, 3], None], selection=Selection(noise, 1, 50))
    exact = rows((1, "a", 25, 25), (3, "a", 25, 26), (2, "b", 49, 49), (9, "b", 49, 49))
    assert run(it, exact) == ((1, "a", 25), (2, "a", 0), (3, "a", 26))


def test_private_keys_come_in_the_order_of_their_values() -> None:
    for sql_type, ordered in (
        (TEXT, ["", "B", "a", "é", "\U0001f600", None]),
        (BOOLEAN, [False, True, None]),
        (DOUBLE, [-math.inf, -1.5, 0.0, 2.0, math.inf]),
        (NUMERIC, [Decimal(-1), Decimal("0.5"), Decimal("Infinity"), None]),
        (DATE, [date(1990, 1, 1), date(2020, 1, 1), None]),
        (UUID_TYPE, [UUID(int=1), UUID(int=2), None]),
    ):
        found = run(plan([sql_type], [None]), rows(*((value, 99, 99) for value in reversed(ordered))))
        assert [key for key, _ in found] == ordered


def test_the_selected_count_is_the_count() -> None:
    strict = laplace_selection(1, 1, 1, Decimal("0.01"), Decimal("0.4"))
    it = plan([TEXT], [None], [], [(BIGINT, SelectedCount()), (BIGINT, SelectedCount())], selection=strict)
    ((_, one, other),) = run(it, rows(("a", 10**6)))
    assert one == other
    assert abs(one - 10**6) < 10**5


@pytest.mark.parametrize(
    ("sql_type", "step", "raw", "expected"),
    [
        (BIGINT, "1", 12, 12),
        (BIGINT, "0.5", 5, 3),
        (BIGINT, "0.5", -5, -3),
        (SMALLINT, "1", 40_000, 32_767),
        (INTEGER, "1", -(2**40), -(2**31)),
        (BIGINT, "1000", 2**61, 2**63 - 1),
        (NUMERIC, "0.01", 12345, Decimal("123.45")),
        (NUMERIC, "0.01", 100, Decimal("1.00")),
        (NUMERIC, "1E+2", 7, Decimal(700)),
        (NUMERIC, "1E-20", 2**61, Decimal(2**61).scaleb(-20)),
        (DOUBLE, "0.1", 3, 0.3),
        (DOUBLE, "1E+300", 2**61, 1.7976931348623157e308),
        (REAL, "0.1", 1, 0.10000000149011612),
    ],
)
def test_sums_are_scaled_back_exactly(sql_type: SqlType, step: str, raw: int, expected: Value) -> None:
    ((found,),) = run(plan([], [], [total(step=step)], [(sql_type, SumOf(0))]), rows((raw,)))
    assert found == expected
    assert type(found) is type(expected)
    if isinstance(expected, Decimal):
        assert str(found) == str(expected)


@pytest.mark.parametrize(
    ("sql_type", "raw", "count", "expected"),
    [
        (NUMERIC, 10, 3, Decimal("50.3333333333333333")),
        (NUMERIC, 0, 0, None),
        (NUMERIC, 7, -4, None),
        (NUMERIC, 10**6, 1, Decimal("100050.0000000000000000")),
        (NUMERIC, -(10**6), 1, Decimal("-99950.0000000000000000")),
        (DOUBLE, 10, 3, 50 + 1 / 3),
        (DOUBLE, 10**6, 1, 100050.0),
    ],
)
def test_means_are_centred_and_told_as_they_are(sql_type: SqlType, raw: int, count: int, expected: Value) -> None:
    measures = [total("m0", "0.1", "50"), total("m1")]
    mean = MeanOf(0, 1)
    ((found,),) = run(plan([], [], measures, [(sql_type, mean)]), rows((raw, count)))
    assert str(found) == str(expected)


def test_a_mean_may_divide_by_the_selected_count() -> None:
    mean = MeanOf(0, None)
    it = plan([TEXT], [None], [total("m0", "1", "50")], [(BIGINT, SelectedCount()), (DOUBLE, mean)])
    assert run(it, rows(("a", 10, 30), ("b", 20, -40))) == (("a", 10, 53.0), ("b", 20, 48.0))


SQUARES = replace(total("m1", "1", "50"), kind=MeasureKind.SQUARES)
SPREAD = Spread(0, 1)


@pytest.mark.parametrize(
    ("sql_type", "statistic", "expected"),
    [
        (NUMERIC, Dispersion.VAR_POP, "44.0000000000000000"),
        (NUMERIC, Dispersion.VAR_SAMP, "55.0000000000000000"),
        (NUMERIC, Dispersion.STDDEV_POP, "6.6332495807107997"),
        (DOUBLE, Dispersion.STDDEV_SAMP, "7.416198487095663"),
        (DOUBLE, Dispersion.SUM, "220.0"),
    ],
)
def test_spreads_are_around_the_centre_of_their_squares(
    sql_type: SqlType, statistic: Dispersion, expected: str
) -> None:
    """Five values: 10 in sum from their centre, and −10 in squares from theirs: 50 − 10/5 − (10/5)²."""
    formula = DispersionOf(statistic, SPREAD, 2)
    it = plan([], [], [total("m0"), SQUARES, total("m2")], [(sql_type, formula)])
    ((found,),) = run(it, rows((10, -10, 5)))
    assert str(found) == expected


def test_a_spread_may_divide_by_the_selected_count() -> None:
    spread = DispersionOf(Dispersion.VAR_POP, SPREAD, None)
    it = plan([TEXT], [None], [total("m0"), SQUARES], [(DOUBLE, spread)])
    assert run(it, rows(("a", 50, 10, -10), ("b", 30, 0, 0))) == (("a", 49.76), ("b", 50.0))


def test_a_line_through_values_without_spread_is_null() -> None:
    measures = [total("m0"), replace(SQUARES, centre=Decimal(0)), total("m2"), total("m3"), total("m4")]
    line = LineOf(Line.SLOPE, 2, SPREAD, 3, 4)
    it = plan([INTEGER], [[1, 2]], measures, [(DOUBLE, line)])
    assert run(it, rows((1, 0, 20, 0, 10, 5))) == ((1, 0.5), (2, None))


def test_decisions_are_booleans() -> None:
    it = plan([INTEGER], [[1, 2]], outputs=[(BOOLEAN, DecisionOf(each, 0)) for each in Decision])
    assert run(it, rows((1, 1))) == ((1, True, False), (2, False, True))


NAN = float("nan")


@pytest.mark.parametrize(
    ("sql_type", "domain", "found"),
    [
        (BOOLEAN, [True, False, None], [True, False, None]),
        (INTEGER, [1, 0, Decimal(2)], [Decimal(1), 0, 2]),
        (
            parse_type("numeric(9,2)"),
            [Decimal("1.5"), 2, Decimal(0)],
            [Decimal("1.50"), Decimal("2.00"), Decimal("-0")],
        ),
        (NUMERIC, [Decimal("NaN"), Decimal("1E+2")], [Decimal("NaN"), 100]),
        (DOUBLE, [0.0, NAN, 1, Decimal("0.1")], [-0.0, -NAN, 1.0, 0.1]),
        (REAL, [0.1], [0.10000000149011612]),
        (TEXT, ["1", "True", ""], ["1", "True", ""]),
        (DATE, [date(2020, 1, 1)], [datetime(2020, 1, 1)]),
        (TIMESTAMP, [date(2020, 1, 1)], [datetime(2020, 1, 1)]),
        (UUID_TYPE, [UUID(int=5)], [UUID(int=5)]),
    ],
)
def test_equal_values_meet_whatever_they_look_like(sql_type: SqlType, domain: list[Value], found: list[Value]) -> None:
    exact = rows(*((value, index + 1) for index, value in enumerate(found)))
    assert [count for _, count in run(plan([sql_type], [domain]), exact)] == list(range(1, len(domain) + 1))


@pytest.mark.parametrize(
    ("sql_type", "one", "other", "shown"),
    [
        (DOUBLE, -0.0, 0.0, "0.0"),
        (NUMERIC, Decimal("1.50"), Decimal("1.5"), "1.5"),
        (NUMERIC, Decimal("1E+2"), Decimal("100.0"), "100"),
        (NUMERIC, Decimal("-0.00"), Decimal(0), "0"),
        (NUMERIC, 0.1, Decimal("0.1"), "0.1"),
        (NUMERIC, 1e22, 10**22, "10000000000000000000000"),
        (NUMERIC, -0.0, Decimal(0), "0"),
        (parse_type("numeric(9,2)"), Decimal("1.5"), Decimal("1.500"), "1.50"),
    ],
)
def test_equal_keys_look_equal(sql_type: SqlType, one: Value, other: Value, shown: str) -> None:
    """How the engine shows a group may depend on a single row."""
    assert str(canonical(one, sql_type)) == str(canonical(other, sql_type)) == shown


def test_true_is_not_one() -> None:
    with pytest.raises(EngineFailure):
        canonical(True, INTEGER)
    with pytest.raises(EngineFailure):
        canonical(1, BOOLEAN)
    with pytest.raises(EngineFailure):
        canonical(True, DOUBLE)


def test_a_key_twice_is_a_failure() -> None:
    for sql_type, one, other in ((DOUBLE, 0.0, -0.0), (DOUBLE, NAN, -NAN), (NUMERIC, Decimal(1), Decimal("1.0"))):
        with pytest.raises(EngineFailure):
            run(plan([sql_type], [None]), rows((one, 5, 5), (other, 6, 6)))
    with pytest.raises(EngineFailure):
        run(plan([], []), rows((1,), (2,)))


@pytest.mark.parametrize("row", [("a", 1), ("a", 1, 2, 3), ("a", 1, "2"), ("a", 1, 2.5), ("a", 1, True), (1, 1, 1)])
def test_rows_that_bounded_sql_cannot_yield_are_a_failure(row: tuple[Value, ...]) -> None:
    with pytest.raises(EngineFailure):
        run(plan([TEXT], [None]), rows(row))


def test_public_rows_may_repeat_and_come_from_the_engine() -> None:
    base = plan([TEXT], [["x"]])
    key = Key("k0", TEXT, FromPublic("SELECT"), "dept")
    bounded = Bounded("SELECT", "person", (key,), (COUNT,), False, 1, 1, Limit.KEYS_LIMITED)
    it = Release(bounded, base.mechanisms, base.outputs)
    assert release(it, rows(("y", 3)), (one(0, "x", "y", "x"),)).rows == (("x", 0), ("y", 3))
    assert release(it, rows(("y", 3)), (one(0),)).rows == ()


def test_plans_that_do_not_hang_together_are_refused() -> None:
    private, public = plan([TEXT], [None]), plan([TEXT], [["a"]])
    weak = Release(public.bounded, applied([laplace(Sensitivity(1, 0), EXACT)]), public.outputs)
    strong = plan([TEXT], [["a"]], groups=2)
    counted = (Output("c0", BIGINT, SelectedCount(), "count"),)
    divided = (Output("c0", DOUBLE, DispersionOf(Dispersion.VAR_POP, SPREAD, None), "var_pop"),)
    a, twice, elsewhere = one(0, "a"), Block((0, 0), (("a", "a"),)), one(1, "a")
    for it, space in (
        (private, (a,)),
        (public, ()),
        (public, (a, a)),
        (public, (twice,)),
        (public, (a, elsewhere)),
        (public, (elsewhere,)),
        (Release(private.bounded, applied(noises_of(private)), private.outputs), ()),
        (Release(public.bounded, applied(noises_of(public), selection_of(private)), public.outputs), (a,)),
        (Release(public.bounded, (), public.outputs), (a,)),
        (Release(strong.bounded, weak.mechanisms, public.outputs), (a,)),
        (Release(public.bounded, public.mechanisms, counted), (a,)),
        (Release(public.bounded, public.mechanisms, divided), (a,)),
    ):
        with pytest.raises(ValueError, match=r"release|sensitivity|selected count|selection"):
            release(it, rows(), space)


POOLS: tuple[tuple[SqlType, tuple[Value, ...]], ...] = (
    (TEXT, ("a", "b", "é", "", None)),
    (BIGINT, (0, 1, -7, 2**62, None)),
    (BOOLEAN, (True, False, None)),
    (DOUBLE, (0.0, 1.0, -2.5, math.inf, None)),
    (parse_type("numeric(9,2)"), (Decimal("0.00"), Decimal("1.00"), Decimal("2.50"), None)),
    (DATE, (date(2020, 1, 1), date(2021, 5, 6), None)),
)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Release, Rows]:
    """A plan with noise of 0 over random keys, public and private, and rows for some of them and some outsiders."""
    pools = draw(st.lists(st.sampled_from(POOLS), max_size=3))
    domains = [
        draw(st.none() | st.lists(st.sampled_from(values), unique=True, min_size=0, max_size=4)) for _, values in pools
    ]
    measures = [total(f"m{index}", "1") for index in range(draw(st.integers(1, 3)))]
    outputs = [(BIGINT, SumOf(index)) for index in range(len(measures))]
    noise = laplace_selection(1, 1, 1, EXACT, Decimal("0.4")).noise
    private = any(domain is None for domain in domains)
    selection = Selection(noise, 1, draw(st.integers(1, 40))) if private else None
    it = plan([sql_type for sql_type, _ in pools], domains, measures, outputs, selection=selection)
    candidates = list(product(*(values for _, values in pools)))
    keys = draw(st.lists(st.sampled_from(candidates), unique=True, max_size=12))
    numbers = st.lists(st.integers(-(10**15), 10**15) | st.none(), min_size=len(measures), max_size=len(measures))
    units = st.integers(1, 30)
    found = [(*key, *([draw(units)] if private else []), *draw(numbers)) for key in keys]
    return it, rows(*found)


def expected(it: Release, exact: Rows) -> dict[tuple[Value, ...], tuple[Value, ...]]:
    """The same by another way: every combination of values that occur anywhere, kept or not."""
    keys = it.bounded.keys
    width, counts = len(keys), it.bounded.counts_units
    inside = [
        row
        for row in exact.rows
        if all(not isinstance(key.domain, Literals) or row[i] in key.domain.values for i, key in enumerate(keys))
    ]
    axes = [
        list(key.domain.values) if isinstance(key.domain, Literals) else list({row[i] for row in inside})
        for i, key in enumerate(keys)
    ]
    hidden = [i for i, key in enumerate(keys) if isinstance(key.domain, PrivateKeys)]
    answer = {}
    for combination in product(*axes):
        units = sum(row[width] for row in inside if counts and all(row[i] == combination[i] for i in hidden))
        here = any(all(row[i] == combination[i] for i in hidden) for row in inside)
        if not hidden or (here and units >= selection_of(it).threshold):
            found = [row[width + counts :] for row in inside if row[:width] == combination]
            answer[combination] = tuple(value or 0 for value in found[0]) if found else (0,) * len(noises_of(it))
    return answer


@pytest.mark.larger
@settings(max_examples=sized(80, 300, 3000), deadline=None)
@given(worlds())
def test_values_belong_to_their_keys(world: tuple[Release, Rows]) -> None:
    it, exact = world
    width = len(it.bounded.keys)
    found = run(it, exact)
    assert {row[:width]: row[width:] for row in found} == expected(it, exact)
    assert len(found) == len({row[:width] for row in found})


PAIRS = "SELECT a, b FROM pairs"


def table(*values: tuple[Value, ...]) -> Rows:
    return Rows(tuple(Column(f"c{index}", "text") for index in range(len(values[0]) if values else 0)), values)


def joint(
    keys: Sequence[tuple[SqlType, Domain]],
    measures: Sequence[Measure] = (COUNT,),
    *,
    epsilon: Decimal = EXACT,
    selection: Selection | None = None,
) -> Release:
    """A release of keys with any domains, one count each."""
    named = tuple(Key(f"k{index}", *key, f"key {index}") for index, key in enumerate(keys))
    bounded = Bounded("", "person", named, tuple(measures), selection is not None, 1, 1, Limit.KEYS_LIMITED)
    noises = tuple(laplace(bounded.sensitivity(measure), epsilon) for measure in measures)
    return Release(bounded, applied(noises, selection), (Output("c", BIGINT, CountOf(0), "count"),))


def answered(it: Release, exact: Rows, public: Rows | None = None, *earlier: Rows) -> tuple[tuple[Value, ...], ...]:
    space = key_space(it.bounded.keys, {} if public is None else {PAIRS: public}, earlier)
    return release(it, exact, space).rows


def test_joint_keys_are_the_rows_of_their_query() -> None:
    """Neither what only each of them holds, nor anything else that the engine may find."""
    it = joint([(TEXT, FromPublic(PAIRS)), (INTEGER, FromPublic(PAIRS, 1))])
    exact = rows(("a", 1, 5), ("a", 2, 9), ("b", 1, 9), (None, 1, 9), ("a", None, 9), (None, None, 9))
    assert answered(it, exact, table(("a", 1), ("b", 2))) == (("a", 1, 5), ("b", 2, 0))
    assert answered(it, exact, table()) == ()


def test_absent_combinations_get_noise() -> None:
    it = joint([(INTEGER, FromPublic(PAIRS)), (INTEGER, FromPublic(PAIRS, 1))], epsilon=Decimal("0.001"))
    found = answered(it, rows((5, 5, 1)), table(*((each, each) for each in range(100))))
    assert [key for *key, _ in found] == [[each, each] for each in range(100)]
    assert len({count for *_, count in found}) > 50


def test_joint_keys_stand_in_any_place_beside_others() -> None:
    """Blocks vary in the order of their first keys, the last fastest."""
    pairs = (FromPublic(PAIRS, 1), FromPublic(PAIRS))
    it = joint([(TEXT, pairs[0]), (BOOLEAN, Literals((True, False))), (TEXT, pairs[1])])
    exact = rows(("y", False, "a", 7), ("x", True, "b", 8), ("y", True, "b", 9))
    assert answered(it, exact, table(("a", "x"), ("b", "x"), ("a", "y"))) == (
        ("x", True, "a", 0),
        ("x", False, "a", 0),
        ("x", True, "b", 8),
        ("x", False, "b", 0),
        ("y", True, "a", 0),
        ("y", False, "a", 7),
    )


def test_keys_of_different_queries_are_not_joint() -> None:
    it = joint([(TEXT, FromPublic("one")), (TEXT, FromPublic("other"))])
    space = key_space(it.bounded.keys, {"one": table(("a",), ("b",)), "other": table(("x",), ("y",))}, ())
    assert release(it, rows(("b", "x", 3)), space).rows == (("a", "x", 0), ("a", "y", 0), ("b", "x", 3), ("b", "y", 0))


def test_two_keys_may_be_one_column_and_a_column_no_key() -> None:
    it = joint([(TEXT, FromPublic(PAIRS, 1)), (TEXT, FromPublic(PAIRS, 1))])
    public = table(("a", "x"), ("b", "x"), ("b", "y"))
    assert answered(it, rows(("x", "x", 3), ("x", "y", 4)), public) == (("x", "x", 3), ("y", "y", 0))


def test_nullable_keys_are_null_together() -> None:
    keys = [(TEXT, FromPublic(PAIRS)), (TEXT, FromPublic(PAIRS, 1, nullable=True))]
    exact = rows((None, None, 3), ("a", None, 4), (None, "x", 5))
    assert answered(joint(keys), exact, table(("a", "x"))) == (("a", "x", 0), (None, None, 3))
    assert answered(joint(keys), exact, table(("a", None), (None, None))) == (("a", None, 4), (None, None, 3))
    assert answered(joint(keys), exact, table()) == ((None, None, 3),)


def test_joint_values_meet_whatever_they_look_like() -> None:
    numeric = parse_type("numeric(9,2)")
    it = joint([(numeric, FromPublic(PAIRS)), (DOUBLE, FromPublic(PAIRS, 1)), (DATE, FromPublic(PAIRS, 2))])
    public = table((Decimal("1.5"), -0.0, datetime(2020, 1, 1)), (Decimal("1.500"), 0, date(2020, 1, 1)))
    found = answered(it, rows((Decimal("1.50"), 0.0, date(2020, 1, 1), 6), (2, NAN, None, 7)), public)
    assert [tuple(map(str, row)) for row in found] == [("1.50", "0.0", "2020-01-01", "6")]


def test_scores_add_up_over_joint_keys() -> None:
    noise = laplace_selection(1, 1, 1, EXACT, Decimal("0.4")).noise
    keys = [(TEXT, FromPublic(PAIRS)), (TEXT, PrivateKeys()), (INTEGER, FromPublic(PAIRS, 1))]
    it = joint(keys, selection=Selection(noise, 1, 50))
    exact = rows(("a", "p", 1, 25, 25), ("b", "p", 2, 25, 26), ("a", "q", 1, 49, 49), ("a", "q", 2, 99, 99))
    assert answered(it, exact, table(("a", 1), ("b", 2))) == (("a", "p", 1, 25), ("b", "p", 2, 26))


def test_keys_of_an_earlier_release_keep_its_order() -> None:
    """The post statement reads the arrays of both side by side."""
    it = joint([(TEXT, FromRelease(1, 1)), (INTEGER, FromRelease(1, 0))])
    earlier = table((3, "c", -7), (1, "b", 12), (None, "b", 0), (1, None, 5))
    exact = rows(("b", 1, 5), ("c", 3, 6), (None, 3, 9), ("b", None, 7), ("z", 9, 9))
    expected = (("c", 3, 6), ("b", 1, 5), ("b", None, 7), (None, 1, 0))
    assert answered(it, exact, None, table(), earlier) == expected
    assert answered(it, Rows(exact.columns, exact.rows[::-1]), None, table(), earlier) == expected
    assert answered(it, exact, None, table(), table()) == ()


def test_keys_of_an_earlier_release_get_noise_where_nothing_is_found() -> None:
    it = joint([(INTEGER, FromRelease(0, 0))], epsilon=Decimal("0.001"))
    found = answered(it, rows(), None, table(*((each,) for each in reversed(range(100)))))
    assert [key for key, _ in found] == list(reversed(range(100)))
    assert len({count for _, count in found}) > 50


def test_what_was_selected_once_is_the_keys_of_another_release() -> None:
    first = plan(
        [TEXT, INTEGER],
        [None, [2, 1]],
        selection=Selection(laplace_selection(1, 1, 1, EXACT, Decimal("0.4")).noise, 1, 50),
    )
    selected = Rows((), run(first, rows(("z", 1, 60, 60), ("a", 2, 70, 70), ("few", 1, 49, 49))))
    assert [row[:2] for row in selected.rows] == [("a", 2), ("a", 1), ("z", 2), ("z", 1)]
    second = joint([(TEXT, FromRelease(0, 0)), (INTEGER, FromRelease(0, 1))], [DISTINCT])
    found = answered(second, rows(("few", 1, 3), ("z", 1, 4), ("a", 1, 5), ("a", 3, 9)), None, selected)
    assert found == (("a", 2, 0), ("a", 1, 5), ("z", 2, 0), ("z", 1, 4))


@pytest.mark.parametrize(
    ("domains", "earlier"),
    [
        ((FromRelease(0, 0), Literals(("a",))), table(("a", "b"))),
        ((FromRelease(0, 0), FromPublic(PAIRS)), table(("a", "b"))),
        ((FromRelease(0, 0), PrivateKeys()), table(("a", "b"))),
        ((FromRelease(0, 0), FromRelease(1, 0)), table(("a", "b"))),
        ((FromRelease(0, 0), FromRelease(0, 0)), table(("a", "b"), ("a", "c"))),
        ((FromRelease(0, 0), FromRelease(0, 1)), table(("a", "b"), ("a", "b"))),
    ],
)
def test_keys_of_an_earlier_release_are_all_keys_or_none(domains: tuple[Domain, Domain], earlier: Rows) -> None:
    it = joint([(TEXT, domain) for domain in domains])
    with pytest.raises(ValueError, match="an earlier release"):
        key_space(it.bounded.keys, {PAIRS: table(("x",))}, (earlier, earlier))


@st.composite
def joint_worlds(draw: st.DrawFn) -> tuple[Release, dict[str, Rows], Rows, list[tuple[Value, ...]]]:
    """Keys of all kinds in any order, rows of their queries, exact rows; and the keys that must be answered."""
    width = draw(st.integers(1, 4))
    pools = [draw(st.sampled_from(POOLS)) for _ in range(width)]
    sources = [draw(st.sampled_from(["p", "q", "literals", "private"])) for _ in range(width)]
    public: dict[str, Rows] = {}
    domains: list[Domain] = [PrivateKeys()] * width
    allowed: list[tuple[list[int], set[tuple[Value, ...]]]] = []
    for place in (place for place in range(width) if sources[place] == "literals"):
        values = draw(st.lists(st.sampled_from(pools[place][1]), unique=True, max_size=3))
        domains[place] = Literals(tuple(values))
        allowed.append(([place], {(value,) for value in values}))
    for sql in ("p", "q"):
        if places := [place for place in range(width) if sources[place] == sql]:
            columns = draw(st.permutations(range(len(places))))
            nullable = draw(st.booleans())
            found = draw(st.lists(st.tuples(*(st.sampled_from(pools[place][1]) for place in places)), max_size=4))
            public[sql] = table(*(tuple(row[columns.index(i)] for i in range(len(places))) for row in found))
            for index, place in enumerate(places):
                domains[place] = FromPublic(sql, columns[index], nullable=nullable)
            allowed.append((places, {*found, *([(None,) * len(places)] if nullable else [])}))
    hidden = [place for place in range(width) if sources[place] == "private"]
    selection = Selection(laplace_selection(1, 1, 1, EXACT, Decimal("0.4")).noise, 1, 5) if hidden else None
    it = joint([(pool[0], domain) for pool, domain in zip(pools, domains, strict=True)], selection=selection)
    candidates = list(product(*(values for _, values in pools)))
    exact = [
        (*key, *([9] if hidden else []), draw(st.integers(1, 99)))
        for key in draw(st.lists(st.sampled_from(candidates), unique=True, max_size=10))
    ]

    def inside(key: tuple[Value, ...]) -> bool:
        return all(tuple(key[place] for place in places) in values for places, values in allowed)

    seen = {tuple(row[place] for place in hidden) for row in exact if inside(row[:width])}
    keys = [key for key in candidates if inside(key) and tuple(key[place] for place in hidden) in (seen or {()})]
    return it, public, rows(*exact), keys if seen or not hidden else []


@pytest.mark.larger
@settings(max_examples=sized(80, 300, 3000), deadline=None)
@given(joint_worlds())
def test_joint_values_belong_to_their_keys(
    world: tuple[Release, dict[str, Rows], Rows, list[tuple[Value, ...]]],
) -> None:
    it, public, exact, keys = world
    found = release(it, exact, key_space(it.bounded.keys, public, ())).rows
    counts = {row[: len(it.bounded.keys)]: row[-1] for row in exact.rows}
    assert len(found) == len(keys)
    assert {row[:-1]: row[-1] for row in found} == {key: counts.get(key, 0) for key in keys}


@pytest.mark.larger
@settings(max_examples=sized(40, 100, 1000), deadline=None)
@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_the_engines_rows_does_not_matter(world: tuple[Release, Rows], chance: object) -> None:
    it, exact = world
    shuffled = list(exact.rows)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert run(it, Rows(exact.columns, tuple(shuffled))) == run(it, exact)
