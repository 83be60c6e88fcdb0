"""Caps that are declared: when noise is made for them, and when they are where the search for a clip ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from statistics import fmean

import pytest
from uncapped import ACCOUNTS, STATEMENTS, capped, policy, uncapped
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.mechanisms.clipped_max import ClippedMax
from dpproxy.mechanisms.clipped_noise import ClippedNoise, TotalsByNorm, clipped_noise
from dpproxy.mechanisms.noise import gaussian, laplace
from dpproxy.mechanisms.norms import Norm, edge
from dpproxy.mechanisms.selection import laplace_selection
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.spread_selection import SpreadSelection
from dpproxy.mechanisms.truncated_selection import TruncatedSelection
from dpproxy.plan.caps import Caps
from dpproxy.plan.private_plan import Applied, Bounded, Limit, MeasureKind, Plan, Release
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.explain import explain_text

FLAGS = "SELECT flag, count(*) FROM lineitem GROUP BY flag"
LARGEST = "SELECT flag FROM lineitem GROUP BY flag ORDER BY count(*) DESC LIMIT 1"
DEPTS = "SELECT dept, count(*), sum(cost) FROM visits GROUP BY dept"
NORMS = {Accounting.PURE: Norm.L1, Accounting.ZCDP: Norm.L2}


def planned(sql: str, catalog: Catalog, accounting: Accounting = Accounting.ZCDP, **raw: str) -> Plan:
    return plan(sql, catalog, raw, account=ACCOUNTS[accounting])


def with_caps(rows: int | None, groups: int | None) -> Catalog:
    """The small world with these caps in all tables of several rows a unit."""
    tables = {
        name: each if each.max_rows_per_unit in (None, 1) else replace(each, max_rows_per_unit=rows)
        for name, each in capped().tables.items()
    }
    tables = {name: replace(each, max_groups_per_unit=groups) for name, each in tables.items()}
    return replace(capped(), tables=tables)


def main(made: Plan) -> Bounded:
    return made.releases[-1].bounded


# Which it is


@pytest.mark.parametrize(
    ("rows", "groups", "sql", "pure", "zcdp"),
    [
        (1, 3, "SELECT count(*) FROM visits", False, False),
        (2, 3, "SELECT count(*) FROM visits", False, True),
        (3, 3, "SELECT count(*) FROM visits", True, True),
        (1, 2, DEPTS, False, False),
        (1, 3, DEPTS, True, True),
        (2, 2, DEPTS, True, True),
        (1, 8, "SELECT visit_id % 2, count(*) FROM visits GROUP BY 1", True, True),
        (1, 1, DEPTS, False, False),
    ],
)
def test_a_clip_is_chosen_where_caps_leave_room(rows: int, groups: int, sql: str, pure: bool, zcdp: bool) -> None:
    for accounting, clips in ((Accounting.PURE, pure), (Accounting.ZCDP, zcdp)):
        bounded = main(planned(sql, with_caps(rows, groups), accounting))
        assert (bounded.clip is not None) == clips, accounting
        assert (bounded.caps is not None) == clips


def test_the_owner_or_the_session_holds_to_caps() -> None:
    held = replace(capped(), caps_hold=True)
    assert main(planned(DEPTS, held)).limit is Limit.KEYS_LIMITED
    for name in ("max_rows_per_unit", "max_groups_per_unit"):
        made = main(planned(DEPTS, capped(), **{name: "2"}))
        assert made.limit is Limit.KEYS_LIMITED and made.clip is made.caps is None


def test_one_cap_alone_leaves_nothing_out() -> None:
    """There is a clip anyway."""
    for rows, groups in ((20, None), (None, 3)):
        made, free = main(planned(DEPTS, with_caps(rows, groups))), main(planned(DEPTS, with_caps(None, None)))
        assert made == free
    known = main(planned(FLAGS, with_caps(20, None)))
    assert known.caps == Caps(20, 3), "there are no more keys"


# What the engine is asked, and how far a clip is looked for


@pytest.mark.parametrize("accounting", Accounting)
def test_what_the_engine_is_asked_is_what_it_is_without_caps(accounting: Accounting) -> None:
    """So all that is proved of that, and tried on neighbours, is of this, too: caps change the mechanism alone."""
    same = 0
    for sql in STATEMENTS:
        made, free = (planned(sql, catalog, accounting).releases for catalog in (capped(), policy()))
        pairs = zip(made, free, strict=True) if len(made) == len(free) else ()
        for one, other in pairs:
            if one.bounded.caps is not None and one.bounded.sql == other.bounded.sql:
                assert replace(one.bounded, caps=None) == other.bounded
                same += 1
    assert same >= 15


@pytest.mark.parametrize("accounting", Accounting)
def test_no_clip_is_looked_for_beyond_what_caps_come_to(accounting: Accounting) -> None:
    norm = NORMS[accounting]
    (release,) = planned("SELECT flag, count(*), sum(price), count(DISTINCT orderkey) FROM lineitem GROUP BY flag",
                         capped(), accounting).releases[:1]  # fmt: skip
    rows = math.ceil(100 * (3 if norm is Norm.L1 else math.sqrt(3)))
    for applied in release.mechanisms:
        assert isinstance(applied.mechanism, ClippedNoise) and applied.measure is not None
        row = release.bounded.measures[applied.measure].row
        assert row is not None and applied.mechanism.most == row * rows
        last = applied.mechanism.candidates - 1
        assert edge(last) >= row * rows > edge(last - 1)


def test_units_count_one_in_each_key() -> None:
    release = planned("SELECT flag, count(DISTINCT custkey) FROM orders JOIN lineitem USING (orderkey) GROUP BY flag",
                      capped(), Accounting.PURE).releases[0]  # fmt: skip
    (applied,) = release.mechanisms
    assert isinstance(applied.mechanism, ClippedNoise) and applied.mechanism.most == 3


@pytest.mark.parametrize("norm", Norm)
@pytest.mark.parametrize(("rows", "groups"), [(1, 1), (3, 1), (1, 7), (40, 8), (10**6, 10**6)])
def test_the_norm_of_a_unit_that_reaches_all_caps(norm: Norm, rows: int, groups: int) -> None:
    most = Caps(rows, groups).in_norm(norm)
    square = (rows * groups) ** 2 if norm is Norm.L1 else rows**2 * groups
    assert (most - 1) ** 2 < square <= most**2


def test_a_choice_of_the_largest_looks_no_further_either() -> None:
    (release,) = planned(LARGEST, capped(), Accounting.PURE).releases
    best = release.mechanisms[0].mechanism
    assert isinstance(best, ClippedMax) and best.most == 300
    few = with_caps(2, 3)
    held = planned(LARGEST, few, Accounting.PURE).releases[0]
    assert held.bounded.clip is None, "for this noise it is no matter in how many keys a unit is"


def test_explain_says_which_it_is() -> None:
    text = "\n".join(explain_text(planned(FLAGS, capped()), Decimal(1), Decimal(0)))
    assert "; a clip is looked for up to the caps, 100 rows in 3 keys" in text
    held = "\n".join(explain_text(planned(FLAGS, replace(capped(), caps_hold=True)), Decimal(1), Decimal(0)))
    assert "Limits: 100 rows per unit and key, 3 keys per unit (there are no more public keys than that)" in held


# The checker


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "spark"])
@pytest.mark.parametrize("accounting", Accounting)
def test_what_is_planned_passes(accounting: Accounting, dialect: str) -> None:
    for sql in STATEMENTS:
        made = plan(sql, capped(), account=ACCOUNTS[accounting], dialect=dialect)
        check_plan(made, capped(), dialect, accounting)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "spark"])
@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT dept, avg(visit_id), count(DISTINCT person_id) FROM visits GROUP BY dept",
        "SELECT dept, sum(visit_id) FROM visits GROUP BY dept HAVING count(DISTINCT person_id) > 10",
    ],
)
def test_units_beside_what_has_no_bounds_are_counted_by_themselves(
    sql: str, accounting: Accounting, dialect: str
) -> None:
    """Caps hold, and yet units are spread over keys, so that no choice of these tells how many there are."""
    held = replace(capped(), caps_hold=True)
    made = plan(sql, held, account=ACCOUNTS[accounting], dialect=dialect)
    check_plan(made, held, dialect, accounting)
    assert main(made).spread is not None and main(made).measures[-1].kind is MeasureKind.UNITS


def _bounded(**parts: object) -> Callable[[Release], Release]:
    return lambda release: replace(release, bounded=replace(release.bounded, **parts))  # type: ignore[arg-type]


def _noise_for_caps(release: Release) -> Release:
    """As if a unit had no more than the caps."""
    made_for = Sensitivity(3, 20 * 40_000)
    noise = gaussian(made_for, Decimal(1)) if release.bounded.clip is Norm.L2 else laplace(made_for, Decimal(1))
    told = (replace(each, mechanism=noise) if each.measure is not None else each for each in release.mechanisms)
    return replace(release, mechanisms=tuple(told))


def _selection_for_caps(release: Release) -> Release:
    """As if a unit counted once in each of three keys."""
    selection = laplace_selection(3, 3, 1, Decimal(1), Decimal("1e-7"))
    changed = (
        Applied(selection, None) if isinstance(each.mechanism, SpreadSelection | TruncatedSelection) else each
        for each in release.mechanisms
    )
    return replace(release, mechanisms=tuple(changed))


def _narrower(release: Release) -> Release:
    """Noise of half a clip."""
    (first, *rest) = [each for each in release.mechanisms if each.measure is not None]
    clipped = first.mechanism
    assert isinstance(clipped, ClippedNoise)
    made_for = replace(clipped.noise.sensitivity, linf=clipped.noise.sensitivity.linf // 2)
    narrow = replace(clipped, noise=replace(clipped.noise, sensitivity=made_for))
    keys = [each for each in release.mechanisms if each.measure is None]
    return replace(release, mechanisms=(*keys, replace(first, mechanism=narrow), *rest))


MUTANTS: dict[str, Callable[[Release], Release]] = {
    "caps without a clip": _bounded(clip=None, spread=None),
    "a limit on keys that no step holds": _bounded(limit=Limit.KEYS_LIMITED, groups=3, rows=20),
    "few keys that no policy declares": _bounded(limit=Limit.FEW_PUBLIC_KEYS, groups=3),
    "one key": _bounded(limit=Limit.KEY_OF_UNIT, groups=1),
    "noise for the caps, which nothing holds": _noise_for_caps,
    "keys selected as if caps held": _selection_for_caps,
    "noise for half a clip": _narrower,
}


@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("name", MUTANTS)
def test_who_leans_on_caps_is_refused(name: str, accounting: Accounting) -> None:
    made = planned(DEPTS, capped(), accounting)
    check_plan(made, capped(), "duckdb", accounting)
    changed = replace(made, releases=(MUTANTS[name](made.releases[0]),))
    with pytest.raises(CheckFault):
        check_plan(changed, capped(), "duckdb", accounting)


def test_caps_themselves_mean_nothing_to_the_checker() -> None:
    """Whatever they are, a unit moves what is told by a clip at most."""
    made = planned(DEPTS, capped())
    for caps in (None, Caps(1, 1), Caps(10**6, 10**6)):
        check_plan(replace(made, releases=(_bounded(caps=caps)(made.releases[0]),)), capped(), "duckdb",
                   Accounting.ZCDP)  # fmt: skip


# How much it errs


def _errors(it: ClippedNoise, exact: TotalsByNorm, truth: list[int], runs: int) -> Iterator[float]:
    for _ in range(runs):
        told = it.release(exact)
        yield fmean(abs(float(each * told.part) - true) for each, true in zip(told.totals, truth, strict=True))


@pytest.mark.parametrize("accounting", Accounting)
def test_loose_caps_err_no_more_than_none(accounting: Accounting) -> None:
    """2,000 units with four rows in each of two keys of ten; the caps say forty in eight."""
    norm, runs = NORMS[accounting], 60
    row_norm = 8 if norm is Norm.L1 else math.sqrt(32)
    bucket = next(b for b in range(100) if edge(b) >= row_norm)
    exact = TotalsByNorm({bucket: 2000}, [{bucket: 1600}] * 10)
    most = Caps(40, 8).in_norm(norm)
    free, cut = (clipped_noise(norm, accounting, Decimal(1), 1, each, 10) for each in (None, most))
    without, with_cap = (fmean(_errors(it, exact, [1600] * 10, runs)) for it in (free, cut))
    noise = laplace(Sensitivity(8, 40), Decimal(1)) if norm is Norm.L1 else gaussian(Sensitivity(8, 40), Decimal(1))
    assert with_cap < 1.5 * without and with_cap < noise.stddev / 4


def test_without_caps_and_with_them_the_loss_is_the_same() -> None:
    for accounting in Accounting:
        made, free = planned(DEPTS, capped(), accounting), uncapped(DEPTS, accounting)
        assert made.cost == free.cost
