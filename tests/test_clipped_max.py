"""A choice of keys where nobody said how much a unit adds: its share, its whole path on neighbours, its statements."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from lanes import thinned
from test_clipped_noise import chances, found
from test_noisy_max import of_places
from uncapped import policy, uncapped

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.clipped_max import MOVED, ClippedMax, clipped_max
from dpproxy.mechanisms.clipped_noise import TotalsByNorm, clipped
from dpproxy.mechanisms.noise_at_a_clip import PARTS
from dpproxy.mechanisms.norms import Norm, edge
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.losses import lost
from dpproxy.plan.private_plan import Applied, Plan
from dpproxy.plan.space import key_space
from dpproxy.release import release
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.explain import explain_text
from dpproxy.rows import Rows

WAYS = [(Norm.L1, Accounting.PURE), (Norm.L1, Accounting.ZCDP), (Norm.L2, Accounting.ZCDP)]
FLAG = "SELECT flag FROM lineitem GROUP BY flag ORDER BY count(*) DESC LIMIT 1"


@pytest.mark.parametrize(("norm", "accounting"), WAYS)
@pytest.mark.parametrize("loss", ["0.01", "1", "30"])
@pytest.mark.parametrize("row", [1, None])
def test_it_keeps_to_its_share(norm: Norm, accounting: Accounting, loss: str, row: int | None) -> None:
    for places in (1, 3):
        made = clipped_max(norm, True, accounting, Decimal(loss), row, among=9, places=places)
        assert Decimal(loss) * Decimal("0.99999") <= made.loss(accounting).main <= Decimal(loss)
        assert made.made_for == Sensitivity(1, MOVED) and made.places == places and made.error is None
    with pytest.raises(ValueError, match="share"):
        clipped_max(norm, True, accounting, Decimal(0), row)


UNITS = ((3, 0, 0), (1, 1, 0), (0, 0, 2), (0, 9, 1))


@pytest.mark.parametrize(("norm", "accounting"), WAYS)
@pytest.mark.parametrize("places", thinned([1, 2], 2))
def test_the_whole_path_of_neighbours(norm: Norm, accounting: Accounting, places: int) -> None:
    """Enumerated: every clip and every sequence of keys, of two tables one of which has a unit more."""
    loss = Decimal("0.8")
    made = clipped_max(norm, True, accounting, loss, 1, most=16, among=3, places=places)
    for one in ((0, 0, 0), (1, 0, 0), (12, 0, 0), (3, 3, 3), (0, 16, 0), (2, 0, 7)):
        p, q = (_outcomes(made, found(units, 3, norm)) for units in (UNITS, (*UNITS, one)))
        assert p.sum() == pytest.approx(1) == q.sum()
        if accounting is Accounting.PURE:
            assert np.abs(np.log(p / q)).max() <= float(loss) * (1 + 1e-9)
            continue
        for order in (1.1, 2.0, 8.0):
            for often, seldom in ((p, q), (q, p)):
                divergence = np.log((often**order * seldom ** (1 - order)).sum()) / (order - 1)
                assert divergence <= order * float(loss) * (1 + 1e-9)


def _outcomes(made: ClippedMax, exact: TotalsByNorm) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The chance of each clip with each sequence of keys."""
    assert isinstance(made.start, int)
    clips = chances(made.choice, made.scores(exact.units, 3, made.start))
    every = list(itertools.permutations(range(3), made.places))
    both = []
    for bucket, chance in enumerate(clips):
        told = of_places(made.best, clipped(exact.totals, edge(bucket)))
        both += [float(chance) * told[each] for each in every]
    return np.array(both)


def test_a_total_moves_by_no_more_than_a_clip_and_one_way() -> None:
    for norm, one in itertools.product(Norm, ((1, 0, 0), (5, 4, 3), (0, 0, 700), (1, 1, 1))):
        for bucket in (0, 5, 40):
            with_it, without = (clipped(found(u, 3, norm).totals, edge(bucket)) for u in ((*UNITS, one), UNITS))
            steps = [a - b for a, b in zip(with_it, without, strict=True)]
            assert all(0 <= step <= PARTS + 1 == MOVED for step in steps)


def test_it_errs_by_what_the_clip_is() -> None:
    """Ten thousand units of one row: the clip is near one, and so is the noise of a choice at ε = 1."""
    made = clipped_max(Norm.L2, True, Accounting.ZCDP, Decimal("0.05"), 1, among=3)
    exact = TotalsByNorm({0: 10_000}, [{0: 3000}, {0: 3400}, {0: 3600}])
    assert {made.release(exact) for _ in range(50)} == {(2,)}
    assert made.worth(3) == pytest.approx(3 / 2 * made.best.scale / PARTS * math.pi / math.sqrt(6))


STATEMENTS = {
    "one key": FLAG,
    "several": "SELECT shipdate FROM (SELECT date_trunc('year', shipdate) AS shipdate FROM lineitem) AS t"
    " GROUP BY shipdate ORDER BY count(*) DESC LIMIT 1",
    "a public table's": "SELECT dept FROM visits JOIN departments USING (dept)"
    " GROUP BY dept ORDER BY count(*) DESC LIMIT 1",
    "a mode of a public table's": "SELECT mode() WITHIN GROUP (ORDER BY dept)"
    " FROM visits JOIN departments USING (dept)",
}


@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("name", STATEMENTS)
def test_keys_are_chosen_at_a_clip(name: str, dialect: str, accounting: Accounting) -> None:
    made = uncapped(STATEMENTS[name], accounting, dialect)
    (it,) = made.releases
    (applied,) = it.mechanisms
    assert isinstance(applied.mechanism, ClippedMax) and not it.outputs and it.places == 1
    own = lost(made.releases, made.time, accounting)
    assert made.cost.main * Decimal("0.9999") <= own.main <= made.cost.main
    (line,) = [each for each in explain_text(made, Decimal(1), Decimal(0)) if each.startswith("  Choice by")]
    assert "scaled down to a clip" in line and "charged as one choice" in line
    check_plan(made, policy(), dialect, accounting)


def test_numbers_beside_it_are_told_of_all() -> None:
    made = uncapped("SELECT flag, count(*) FROM lineitem GROUP BY flag ORDER BY 2 DESC LIMIT 1")
    assert made.releases[0].places is None


def test_one_key_comes_out() -> None:
    (it,) = uncapped(FLAG, Accounting.PURE).releases
    sure = clipped_max(Norm.L1, True, Accounting.PURE, Decimal(2000), 1, among=3)
    it = replace(it, mechanisms=(Applied(sure, 0),))
    space = key_space(it.bounded.keys, {}, ())
    exact = (("A", 5, 0, 5), ("N", 30, 0, 30), ("N", 1, 16, 4), ("R", 2, 0, 2))
    assert release(it, Rows((), exact), space).rows == (("N",),)
    for wrong in (
        replace(sure, norm=Norm.L2),
        replace(sure, best=replace(sure.best, sensitivity=Sensitivity(1, PARTS))),
    ):
        with pytest.raises(ValueError, match=r"clip|made for"):
            release(replace(it, mechanisms=(Applied(wrong, 0),)), Rows((), ()), space)


# The checker

LOOSENED: dict[str, tuple[Callable[[ClippedMax], ClippedMax], str]] = {
    "a smaller scale": (lambda it: replace(it, best=replace(it.best, scale=it.best.scale * 0.99)), "than is charged"),
    "a clip by less noise": (
        lambda it: replace(it, choice=replace(it.choice, scale=it.choice.scale * 0.9)),
        "than is charged",
    ),
    "more places": (lambda it: replace(it, best=replace(it.best, places=2)), "than is charged"),
    "several clips": (lambda it: replace(it, choice=replace(it.choice, places=2)), "more than one clip"),
    "the other norm": (lambda it: replace(it, norm=Norm.L1), "another norm"),
    "made for less": (lambda it: replace(it, best=replace(it.best, sensitivity=Sensitivity(1, PARTS))), "than a clip"),
    "a clip of half a unit": (
        lambda it: replace(it, choice=replace(it.choice, sensitivity=Sensitivity(1, 2**9))),
        "less than one unit",
    ),
}


@pytest.mark.parametrize("name", LOOSENED)
def test_loosened_choices_are_refused(name: str) -> None:
    change, reason = LOOSENED[name]
    made = uncapped(FLAG)
    check_plan(made, policy(), "duckdb", Accounting.ZCDP)
    with pytest.raises(CheckFault, match=reason):
        check_plan(_changed(made, change), policy(), "duckdb", Accounting.ZCDP)


def _changed(made: Plan, change: Callable[[ClippedMax], ClippedMax]) -> Plan:
    (it,) = made.releases
    (applied,) = it.mechanisms
    assert isinstance(applied.mechanism, ClippedMax)
    return replace(made, releases=(replace(it, mechanisms=(Applied(change(applied.mechanism), 0),)),))
