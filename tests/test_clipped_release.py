"""From rows by bucket to noised rows at a clip: what is malformed fails, absent keys get noise, all units count, and
the clip goes with the answer, where no statement reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanes import thinned
from neighbours.places import in_duckdb
from uncapped import STATEMENTS, policy, uncapped
from worlds import plan

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.types import BIGINT, TEXT
from dpproxy.engines import EngineQuery
from dpproxy.errors import EngineFailure
from dpproxy.mechanisms.clipped_noise import ClippedNoise, TotalsByNorm, clipped_noise
from dpproxy.mechanisms.noise import laplace
from dpproxy.mechanisms.noise_at_a_clip import Clipped
from dpproxy.mechanisms.norms import Norm, edge
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.spread_selection import WHOLE, spread_gaussian
from dpproxy.plan.formulas import CountOf, SelectedCount
from dpproxy.plan.private_plan import (
    UNCAPPED,
    Applied,
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
    PrivateKeys,
    Release,
)
from dpproxy.plan.space import key_space
from dpproxy.plan.told_columns import ReleasedColumn
from dpproxy.release import release
from dpproxy.release_identity import identity, read, written
from dpproxy.released_clips import clips_of
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rows import Column, Rows, Value
from dpproxy.session.dp_tables import last_statement

SURE = Decimal(10**8)
"""A price at which noise is all but 0, and the clip that of the largest unit."""


TWO = Literals(("a", "b"))


def made(domain: Domain | None = TWO, measures: int = 1, loss: Decimal = SURE, delta: str = "0.4") -> Release:
    """A release of that key, or of none, and so many measures."""
    keys = () if domain is None else (Key("k0", TEXT, domain, "key"),)
    private = isinstance(domain, PrivateKeys)
    found = tuple(
        Measure(f"m{at}", MeasureKind.SUM, -(2**45), 2**45, Decimal(1), Decimal(0), f"sum {at}")
        for at in range(measures)
    )
    bounded = Bounded(
        "SELECT", "person", keys, found, private, UNCAPPED, UNCAPPED, Limit.NORM_CLIPPED,
        clip=Norm.L2, spread=Norm.L2 if private else None,
    )  # fmt: skip
    selection = (Applied(spread_gaussian(Norm.L2, loss, Decimal(delta)), None),) if private else ()
    clips = tuple(Applied(clipped_noise(Norm.L2, Accounting.ZCDP, loss, 1), at) for at in range(measures))
    outputs = tuple(Output(f"o{at}", BIGINT, CountOf(at), f"sum {at}") for at in range(measures))
    return Release(bounded, (*selection, *clips), outputs)


def rows(*values: tuple[Value, ...]) -> Rows:
    return Rows(tuple(Column(f"x{at}", "bigint") for at in range(len(values[0]) if values else 0)), values)


def run(it: Release, exact: Rows, public: Rows | None = None) -> Rows:
    given_by = {key.domain.sql: public for key in it.bounded.keys if isinstance(key.domain, FromPublic) and public}
    return release(it, exact, key_space(it.bounded.keys, given_by, ()))


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[TotalsByNorm]]:
    """What clips are chosen by."""
    seen: list[TotalsByNorm] = []
    own = ClippedNoise.release

    def look(it: ClippedNoise, exact: TotalsByNorm) -> Clipped:
        seen.append(exact)
        return own(it, exact)

    with monkeypatch.context() as patch:
        patch.setattr(ClippedNoise, "release", look)
        yield seen


# Rows


BAD: Sequence[tuple[str, tuple[tuple[Value, ...], ...]]] = (
    ("a column too few", (("a", 1, 8, 2, None),)),
    ("a column too many", (("a", 1, 8, None, 2, 0, 7),)),
    ("no bucket", (("a", 1, None, None, 2, 3),)),
    ("two buckets", (("a", 1, 8, 8, 2, 3),)),
    ("a bucket below the first", (("a", 1, -1, None, 2, 3),)),
    ("a bucket that is true", (("a", 1, True, None, 2, 3),)),
    ("a bucket in floating point", (("a", 1, 8.0, None, 2, 3),)),
    ("half a bucket", (("a", 1, Decimal("8.5"), None, 2, 3),)),
    ("a bucket in words", (("a", 1, "8", None, 2, 3),)),
    ("units in floating point", (("a", 1.0, 8, None, 2, 3),)),
    ("half a unit", (("a", Decimal("0.5"), 8, None, 2, 3),)),
    ("a total in floating point", (("a", 1, 8, None, 2.5, 3),)),
    ("a total that is none", (("a", 1, 8, None, Decimal("NaN"), 3),)),
    ("a total without end", (("a", 1, 8, None, Decimal("Infinity"), 3),)),
    ("a total in words", (("a", 1, 8, None, "2", 3),)),
    ("a key of another type", ((7, 1, 8, None, 2, 3),)),
    ("a row twice", (("a", 1, 8, None, 2, 3), ("a", 1, 8, None, 2, 3))),
    ("a row twice, of a driver's own kind of number", (("a", 1, 8, None, 2, 3), ("a", 1, Decimal(8), None, 5, 3))),
)


@pytest.mark.parametrize(("name", "given_rows"), BAD, ids=[name for name, _ in BAD])
def test_rows_that_bounded_sql_cannot_yield_are_a_failure(name: str, given_rows: tuple[tuple[Value, ...], ...]) -> None:
    with pytest.raises(EngineFailure):
        run(made(measures=2), Rows((), given_rows))


def test_one_key_may_have_a_row_for_each_measure_and_bucket() -> None:
    exact = rows(("a", 1, 8, None, 2, 9), ("a", 1, 16, None, 4, 9), ("a", 1, None, 8, 9, 2), ("a", 1, None, 16, 9, 3))
    told = run(made(measures=2), exact)
    assert [row[:3] for row in told.rows] == [("a", 6, 5), ("b", 0, 0)]


def test_a_drivers_numbers_are_all_the_same() -> None:
    """Postgres has numeric for sums; NULL is what is not there."""
    exact = rows(("a", Decimal(1), Decimal(16), Decimal("4.000")), ("b", 1, 16, None))
    assert [row[:2] for row in run(made(), exact).rows] == [("a", 4), ("b", 0)]


@given(st.permutations([("a", 1, 8, 2), ("a", 1, 16, 4), ("b", 1, 8, -2), (None, 1, 8, 2), ("c", 3, 24, 8)]))
def test_the_order_of_rows_does_not_matter(order: list[tuple[Value, ...]]) -> None:
    """Keys outside of the public ones are dropped."""
    assert [row[:2] for row in run(made(), rows(*order)).rows] == [("a", 6), ("b", -2)]


# Units


def test_units_of_all_keys_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit whose first row is of a key that is dropped has its bucket all the same; once for each measure."""
    exact = rows(
        ("a", 0, 8, None, 2, 3), ("z", 1, 8, None, 5, 3), ("a", 0, None, 16, 2, 3), ("z", 1, None, 16, 5, 3),
        ("b", 2, 24, None, 7, 0), ("b", 2, None, 0, 7, 0),
    )  # fmt: skip
    with watched(monkeypatch) as seen:
        run(made(measures=2), exact)
    assert seen == [TotalsByNorm({8: 1, 24: 2}, [{8: 2}, {24: 7}]), TotalsByNorm({16: 1, 0: 2}, [{16: 3}, {0: 0}])]


def test_absent_keys_are_there_for_the_clip(monkeypatch: pytest.MonkeyPatch) -> None:
    with watched(monkeypatch) as seen:
        told = run(made(Literals(("a", "b", None))), rows(("b", 1, 8, 2)))
        public = FromPublic("SELECT x")
        joined = run(made(public), rows(("b", 1, 8, 2), ("q", 1, 8, 2)), Rows((Column("x", "text"),), (("b",), ("y",))))
    assert [row[:2] for row in told.rows] == [("a", 0), ("b", 2), (None, 0)]
    assert [row[:2] for row in joined.rows] == [("b", 2), ("y", 0)]
    assert seen == [TotalsByNorm({8: 1}, [{}, {8: 2}, {}]), TotalsByNorm({8: 2}, [{8: 2}, {}])]


def test_absent_keys_get_noise() -> None:
    told = [run(made(loss=Decimal("0.01")), rows()).rows for _ in range(40)]
    assert {len(each) for each in told} == {2}
    assert len({row[1] for each in told for row in each}) > 3


def test_weights_choose_the_keys() -> None:
    """Of the first measure's rows alone: those of others say the same once more. A key without weight is not there."""
    many = 10**6 * WHOLE
    exact = rows(
        ("b", many, 1, 8, None, 2, 3), ("b", many, 1, None, 8, 2, 3), ("a", many, 5, 16, None, 4, 3),
        ("c", 0, 0, 16, None, 4, 3), ("d", 1, 0, 16, None, 4, 3),
    )  # fmt: skip
    assert [row[:3] for row in run(made(PrivateKeys(), 2), exact).rows] == [("a", 4, 0), ("b", 2, 3)]
    alone = run(made(PrivateKeys(), 0), rows(("b", many, 1), ("a", many, 5), ("c", 0, 1)))
    assert alone.rows == (("a",), ("b",))
    with pytest.raises(EngineFailure):
        run(made(PrivateKeys(), 0), rows(("b", many, 1), ("b", many, 5)))


def test_without_any_row() -> None:
    assert [row[:1] for row in run(made(None), rows()).rows] == [(0,)]
    assert [row[:2] for row in run(made(), rows()).rows] == [("a", 0), ("b", 0)]
    assert run(made(PrivateKeys()), rows()).rows == ()


@pytest.mark.parametrize("accounting", thinned(Accounting, 2))
def test_an_empty_world(accounting: Accounting) -> None:
    """Every statement, where no table of a unit has a row: keys that are public, or the one row without keys."""
    with duckdb.connect() as connection:
        for name, table in policy().tables.items():
            columns = ", ".join(f'"{each.name}" {each.type}' for each in table.columns)
            connection.execute(f'CREATE TABLE "{name}" ({columns})')
        connection.execute("INSERT INTO departments (dept, building) VALUES ('cardio', 'north')")
        place = in_duckdb(connection)
        for sql in STATEMENTS:
            for each in uncapped(sql, accounting).releases:
                keys = each.bounded.keys
                if each.bounded.inputs or each.bounded.clip is None:
                    continue
                if any(isinstance(key.domain, FromRelease) for key in keys):
                    continue
                public = {
                    k.domain.sql: place(EngineQuery(k.domain.sql, {})) for k in keys if isinstance(k.domain, FromPublic)
                }
                exact = place(EngineQuery(each.bounded.sql, {}))
                assert exact.rows == ()
                told = release(each, exact, key_space(keys, public, ()))
                private = any(isinstance(key.domain, PrivateKeys) for key in keys)
                assert (told.rows == ()) == private, sql


# Plans


def test_plans_that_do_not_hang_together_are_refused() -> None:
    it, private = made(), made(PrivateKeys())
    (clip,), (chosen, other) = it.mechanisms, private.mechanisms
    assert isinstance(clip.mechanism, ClippedNoise)
    quiet = replace(clip.mechanism, noise=laplace(Sensitivity(1, 1), SURE))
    less = replace(chosen.mechanism, noise=laplace(Sensitivity(1, 1), SURE))  # type: ignore[type-var]
    counted = replace(private, outputs=(Output("o0", BIGINT, SelectedCount(), "n"),))
    for changed in (
        replace(it, bounded=replace(it.bounded, clip=None)),
        replace(it, bounded=replace(it.bounded, clip=Norm.L1)),
        replace(it, mechanisms=(Applied(clip.mechanism.noise, 0),)),
        replace(it, mechanisms=(Applied(clip.mechanism.choice, 0),)),
        replace(it, mechanisms=(Applied(clip.mechanism, None),)),
        replace(it, mechanisms=(Applied(quiet, 0),)),
        replace(it, mechanisms=()),
        replace(private, mechanisms=(Applied(less, None), other)),
        replace(private, bounded=replace(private.bounded, spread=None)),
        replace(private, bounded=replace(private.bounded, spread=Norm.L1)),
        counted,
    ):
        with pytest.raises(ValueError, match=r"clip|selection|selected|mechanism|weights"):
            run(changed, rows())


# The clip in the answer


def test_the_clip_goes_with_every_row() -> None:
    it = made(measures=2)
    told = run(it, rows(("a", 1, 8, None, 2, 3), ("a", 1, None, 16, 2, 4)))
    assert [column.name for column in told.columns] == ["k0", "o0", "o1", "clip of m0", "clip of m1"]
    clips = clips_of(it, told)
    assert set(clips) == {0, 1}
    assert all(row[-2:] == (clips[0], clips[1]) for row in told.rows)
    for clip in clips.values():
        assert any(abs(Fraction(clip) - edge(bucket)) < Fraction(1, 10**20) for bucket in range(500))
    assert clips_of(it, replace(told, rows=())) == {}


def test_the_clip_is_stored_and_told_again() -> None:
    """With the noise at it."""
    made_plan = uncapped("SELECT flag, count(*), sum(quantity) FROM lineitem GROUP BY flag")
    each = made_plan.releases[0]
    width = each.bounded.before_measures
    exact = rows(("A", 1, 8, None, 2, 3), ("R", 1, None, 16, 2, 4))
    assert len(width) == 3
    told = release(each, exact, key_space(each.bounded.keys, {}, ()))
    again = read(written(told))
    assert again == told
    assert clips_of(each, again) == clips_of(each, told) != {}
    shown = last_statement(made_plan, [again])
    assert shown == last_statement(made_plan, [told])
    assert all(value is not None and value > 0 for row in shown.rows for value in row[2:])


def test_no_statement_reads_the_clip() -> None:
    """The post statement and later releases read keys and outputs; the checker lets none read more."""
    for sql in STATEMENTS:
        made_plan = uncapped(sql)
        for each in _read(made_plan):
            it = made_plan.releases[each.release]
            assert each.column < len(it.bounded.keys) + len(it.outputs)
    made_plan = uncapped("SELECT flag, count(*) FROM lineitem GROUP BY flag")
    post = made_plan.post
    check_plan(made_plan, policy(), "duckdb", Accounting.ZCDP)
    beyond = replace(post, inputs=(*post.inputs[:-1], ReleasedColumn(0, 2)))
    with pytest.raises(CheckFault):
        check_plan(replace(made_plan, post=beyond), policy(), "duckdb", Accounting.ZCDP)


def _read(made_plan: Plan) -> Iterator[ReleasedColumn]:
    inputs = [*made_plan.post.inputs, *(each for it in made_plan.releases for each in it.bounded.inputs)]
    yield from (each for each in inputs if isinstance(each, ReleasedColumn))


def test_a_clip_makes_another_release() -> None:
    """What was told without one, or by another norm, does not stand for it; nor does a price without a row's bound."""
    it = made()
    policy_digest = b"policy"
    others = (
        replace(it, bounded=replace(it.bounded, clip=None)),
        replace(it, bounded=replace(it.bounded, clip=Norm.L1)),
        replace(it, bounded=replace(it.bounded, spread=Norm.L1)),
        replace(it, mechanisms=(Applied(clipped_noise(Norm.L1, Accounting.ZCDP, SURE, 1), 0),)),
        replace(it, mechanisms=(Applied(clipped_noise(Norm.L2, Accounting.ZCDP, SURE, None), 0),)),
        replace(it, mechanisms=(Applied(clipped_noise(Norm.L2, Accounting.ZCDP, SURE, 1, 5), 0),)),
    )
    assert len({identity(policy_digest, each, ()) for each in (it, *others)}) == 1 + len(others)
    assert identity(policy_digest, made(), ()) == identity(policy_digest, it, ())


# Prices


@pytest.mark.parametrize("epsilon", ["1e-9", "1e-4", "1000", "1e6"])
@pytest.mark.parametrize("accounting", Accounting)
def test_extreme_prices_have_an_answer(accounting: Accounting, epsilon: str) -> None:
    account = terms(accounting, Decimal(10**7), Decimal("1e-5"))
    for sql, exact in (
        ("SELECT count(*) FROM visits", rows((3, 8, 6), (1, 620, 2**45))),
        ("SELECT flag, sum(quantity) FROM lineitem GROUP BY flag", rows(("A", 3, 8, 6), ("R", 1, 620, 2**45))),
        ("SELECT avg(cost) FROM visits", rows((3, 8, None, 6, 1), (3, None, 0, 6, 3))),
    ):
        made_plan = plan(sql, policy(), {"epsilon": epsilon}, account=account)
        check_plan(made_plan, policy(), "duckdb", accounting)
        told: list[Rows] = []
        for each in made_plan.releases:
            told.append(release(each, exact, key_space(each.bounded.keys, {}, ()), told))
            assert told[-1].rows and clips_of(each, told[-1])
        assert last_statement(made_plan, told).rows
