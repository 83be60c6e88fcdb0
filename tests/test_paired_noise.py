"""A clip for pairs of units, and noise at it: its share, its scores, its sensitivity, and how far it is off."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from lanes import thinned
from test_pair_totals import drawn, without

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.noise_at_a_clip import PARTS, sensitivity
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.pair_totals import MOST_FINE, PairTotals, above, below, left_at
from dpproxy.mechanisms.paired_noise import GAIN, MOVED, PairedNoise, paired_noise

MADE = [
    (Accounting.PURE, paired_noise(Norm.L1, Accounting.PURE, Decimal("0.8"), 1, 1)),
    (Accounting.ZCDP, paired_noise(Norm.L1, Accounting.ZCDP, Decimal("0.3"), None, 2)),
    (Accounting.ZCDP, paired_noise(Norm.L2, Accounting.ZCDP, Decimal("0.3"), 100, 2)),
]
SHARES = [Decimal("0.8"), Decimal("0.3"), Decimal("0.3")]


def halves(pairs: PairTotals) -> list[tuple[PairTotals, PairTotals]]:
    return [(above(pairs), below(pairs))]


@pytest.mark.parametrize(("made", "share"), list(zip(MADE, SHARES, strict=True)))
def test_it_keeps_to_its_share(made: tuple[Accounting, PairedNoise], share: Decimal) -> None:
    accounting, noise = made
    assert share * Decimal("0.9999") < noise.loss(accounting).main <= share
    assert noise.made_for.l1 >= sensitivity(noise.norm) and noise.choice.sensitivity.linf >= MOVED


@pytest.mark.parametrize("alike", [False, True])
def test_one_unit_moves_scores_as_claimed(alike: bool) -> None:
    """By no more than MOVED beside one another, whatever the signs of amounts."""
    random = np.random.default_rng(1)
    for noise in (MADE[0][1], MADE[1][1]):
        for _ in range(5):
            pairs = drawn(random, alike, 50)
            signed = PairTotals(pairs.one, pairs.other, pairs.amounts - 25 * (noise.signs - 1), alike)
            scores = noise.scores(halves(signed))
            for unit, second in ((unit, second) for unit in range(3) for second in (False, True)):
                others = noise.scores(halves(without(signed, unit, second)))
                moved = [after - before for before, after in zip(scores, others, strict=True)]
                assert max(moved) <= 2 * GAIN + 1 and min(moved) >= -(GAIN + 1)
                assert max(moved) - min(moved) <= MOVED


@pytest.mark.long
def test_one_unit_of_many_large_rows_moves_scores_as_claimed() -> None:
    """Its sum has no room in 64 bits: the sender of all, and one of those whom it sends to."""
    noise, count = paired_noise(Norm.L2, Accounting.ZCDP, Decimal("0.5"), None, 2), 2**17

    def scores(rows: int) -> list[int]:
        ends = np.zeros(rows, dtype=np.int64), np.arange(1, rows + 1, dtype=np.int64)
        return noise.scores(halves(PairTotals(*ends, np.full(rows, 2**46, dtype=np.int64), True)))

    every = scores(count)
    for left in (0, count - 1):
        moved = [after - before for before, after in zip(every, scores(left), strict=True)]
        assert max(moved) - min(moved) <= MOVED


@pytest.mark.parametrize("norm", list(Norm))
def test_one_unit_moves_totals_of_all_keys_together_by_a_clip(norm: Norm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three keys, at a clip that is chosen beforehand, without noise."""
    made = MADE[1][1] if norm is Norm.L1 else MADE[2][1]
    random = np.random.default_rng(2)
    monkeypatch.setattr(PairedNoise, "_power", lambda _self, _halves: 3)
    monkeypatch.setattr(type(made.noise), "release", lambda _self, totals: list(totals))
    for _ in range(8):
        keys = [drawn(random, False, 50) for _ in range(3)]
        keys = [PairTotals(each.one, each.other, each.amounts - 25) for each in keys]
        told = made.release(keys).totals
        for unit, second in ((unit, second) for unit in range(8) for second in (False, True)):
            others = made.release([without(each, unit, second) for each in keys]).totals
            moved = [abs(before - after) for before, after in zip(told, others, strict=True)]
            size = sum(moved) if norm is Norm.L1 else sum(each**2 for each in moved) ** 0.5
            assert size <= sensitivity(norm) and size < PARTS + 4


def test_gains_grow_from_the_largest_clip_on_down() -> None:
    noise, random = MADE[0][1], np.random.default_rng(3)
    pairs = PairTotals(random.integers(0, 500, 9000), random.integers(0, 90, 9000), np.ones(9000, dtype=np.int64))
    scores = noise.scores(halves(pairs))
    away = round(noise.choice.scale * 1.25)
    gains = [-score - round(away * power) for power, score in enumerate(scores)]
    assert all(before >= after - 2 for before, after in pairwise(gains))


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("most", thinned([12, 2**28, 2**44], 3))
def test_what_is_skipped_changes_no_score(alike: bool, most: int) -> None:
    """Gains are those of every power of two, one after the other, whatever is left out of working them out."""
    random, noise = np.random.default_rng(5), MADE[1][1]
    enough, never = round(GAIN * noise.noise.stddev / PARTS / 2), round(64 * noise.choice.scale)
    for _ in range(4):
        ends, amounts = random.zipf(1.6, (2, 2_000)) % 300, random.integers(0, most, 2_000)
        pairs = PairTotals(ends[0], ends[1], amounts, alike)
        found, largest = [], 0
        for power in range(noise.last, -1, -1):
            (more, whole), (left, parts) = ((left_at(pairs, at), 1 << min(at, MOST_FINE)) for at in (power + 1, power))
            largest = min(never, max(largest, int(GAIN * (2 * Fraction(more, whole) - Fraction(left, parts)) // 2)))
            away = round(noise.choice.scale * 1.25 * max(0, power - noise.first))
            found.append(-max(largest, enough) - away)
        assert noise.scores(halves(pairs)) == found[::-1]
        assert len(set(found)) > 10


def test_answers_are_near() -> None:
    """A thousand units of one kind and ten times as many of the other: within a twentieth at an ε of 1."""
    noise, random = paired_noise(Norm.L1, Accounting.PURE, Decimal(1), 1, 1), np.random.default_rng(4)
    ends = random.integers(0, 10_000, 200_000), random.integers(0, 1_000, 200_000)
    pairs = PairTotals(*ends, np.ones(200_000, dtype=np.int64))
    told = [noise.release([pairs]) for _ in range(5)]
    assert all(abs(each.totals[0] * each.part / 200_000 - 1) < Fraction(1, 5) for each in told)


@pytest.mark.parametrize("made", [MADE[0][1], paired_noise(Norm.L2, Accounting.ZCDP, Decimal("0.05"), 8, 2)])
def test_few_units_are_cut_off(made: PairedNoise) -> None:
    """Half as many as it says are; of one and a half as many, with a thousand rows each, nearly all is left."""
    for units, left in ((made.few // 2, False), (made.few * 3 // 2, True)):
        ends = np.arange(units * 1_000), np.repeat(np.arange(units), 1_000)
        scores = made.scores(halves(PairTotals(*ends, np.full(units * 1_000, 1 << made.first))))
        chosen = [made.choice.release(scores)[0] for _ in range(100)]
        assert (sum(power >= made.first + 9 for power in chosen) > 70) is left


def test_nothing_is_noise_alone() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    told = MADE[0][1].release([PairTotals(nothing, nothing, nothing)] * 2)
    assert len(told.totals) == 2 and told.clip >= 2
