"""Which way is taken: keys chosen first, or all totals released and sorted. It follows from the plan alone."""

from __future__ import annotations

import itertools
import math

import mpmath
import pytest
from scipy import stats

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.noisy_max import MISSED, shortfall
from dpproxy.mechanisms.norms import Norm
from dpproxy.rewrite.releases import choosing
from dpproxy.rewrite.releases.choosing import ASSUMED_KEYS, Choosing, errs_less

WAYS = [(Norm.L1, Accounting.PURE), (Norm.L1, Accounting.ZCDP), (Norm.L2, Accounting.ZCDP)]


@pytest.mark.parametrize(("norm", "accounting"), WAYS)
@pytest.mark.parametrize("among", [2, 10, 10_000, None])
def test_one_key_of_totals_that_count_is_always_chosen(norm: Norm, accounting: Accounting, among: int | None) -> None:
    """Permute-and-flip, and the exponential mechanism, have less noise than any release of all: but for Gaussian noise
    of one key of a unit among very many, whose tails are thinner."""
    for groups in (1, 2, 100):
        better = errs_less(Choosing(1, among, groups, 0, True), norm, accounting)
        assert better or (norm is Norm.L2 and groups == 1 and (among or ASSUMED_KEYS) > 1000)


@pytest.mark.parametrize(("norm", "accounting"), WAYS)
def test_many_places_of_units_in_few_keys_are_sorted(norm: Norm, accounting: Accounting) -> None:
    assert not errs_less(Choosing(20, 1000, 1, 0, True), norm, accounting)
    assert errs_less(Choosing(20, 1000, 100, 0, True), norm, accounting)
    assert not errs_less(Choosing(1, 100, 1, 1, True), norm, accounting), "the number would have half of the price"


@pytest.mark.parametrize(("norm", "accounting"), WAYS)
def test_more_keys_of_a_unit_never_speak_for_sorting(norm: Norm, accounting: Accounting) -> None:
    for places, among, numbers, one_sided in itertools.product((1, 3, 20), (50, None), (0, 1, 3), (True, False)):
        found = [
            errs_less(Choosing(places, among, groups, numbers, one_sided), norm, accounting) for groups in range(1, 50)
        ]
        assert found == sorted(found)


@pytest.mark.parametrize(("norm", "accounting"), WAYS)
@pytest.mark.parametrize("among", [2, 30, 5000])
@pytest.mark.parametrize("places", [1, 5])
def test_both_bounds_are_of_one_kind(norm: Norm, accounting: Accounting, among: int, places: int) -> None:
    """That some of m keys is chosen though it lies so far below: by the difference of two noises."""
    del accounting
    asked, rare = Choosing(places, among, 1, 0, True), MISSED / among / places
    found = choosing._sorted(1.0, asked, among, norm)
    if norm is Norm.L2:
        assert stats.norm.sf(found / math.sqrt(2)) == pytest.approx(rare)
    else:
        beyond = mpmath.quad(lambda x: mpmath.exp(-abs(x)) / 2 * _laplace_above(found + x), [-60, -found, 0, 60])
        assert float(beyond) == pytest.approx(rare, rel=1e-6)
    assert math.exp(-shortfall(1.0, among, places)) == pytest.approx(rare)


def _laplace_above(at: float) -> float:
    return mpmath.exp(-at) / 2 if at >= 0 else 1 - mpmath.exp(at) / 2
