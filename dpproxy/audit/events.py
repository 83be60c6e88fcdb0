"""The event that tells two neighbours apart best, chosen on some answers and counted in others.

As in StatDP (Ding et al. 2018) one half of the answers chooses an event and the other half counts it, so that the
confidence holds whatever was tried before. Events are thresholds of features, and of two scores that the first answers
teach, as in DP-Sniper (Bichsel et al. 2021): the logarithm of how much likelier each number is under one neighbour than
under the other, added up (naive Bayes), and the linear combination that sets them apart (Fisher's discriminant), which
finds noise that cancels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpproxy.audit.asking import TimedAnswer
from dpproxy.audit.epsilon_bounds import ChargePromise, foreseen, least_epsilon
from dpproxy.audit.features import Feature, FeatureReader, Floats

_CUTS, _BINS = 40, 8
_RIDGE = 1e-9
_UNLIKELY, _LARGE_RISK = 1e-6, 0.3


@dataclass(frozen=True, slots=True)
class Event:
    """Whether a statistic is above a threshold, or below it.

    flipped: it is commoner under the target than under the base. promise: what it is held against.
    gain: about the bound that it gives. timed: seconds have a part in it.
    """

    statistic: int
    name: str
    threshold: float
    above: bool
    flipped: bool
    promise: ChargePromise
    gain: float
    timed: bool = False

    def hits(self, values: Floats) -> NDArray[np.bool_]:
        """In which answers it happens; not where the statistic is missing."""
        with np.errstate(invalid="ignore"):
            return values >= self.threshold if self.above else values <= self.threshold

    def __str__(self) -> str:
        return f"{self.name} {'≥' if self.above else '≤'} {self.threshold:.6g}"


@dataclass(frozen=True, slots=True)
class Tally:
    """An event, counted. base, target: how often it happened there, of so many answers each.

    bound: ε is at least this at the promise's δ, but for the risk that was allowed.
    """

    event: Event
    base: int
    target: int
    trials: int
    bound: float

    @property
    def broken(self) -> bool:
        """Whether the charge promised less."""
        return self.bound > self.event.promise.epsilon


@dataclass(frozen=True, slots=True)
class Scores:
    """What was learned: for each feature its bins and their log ratios; and a direction.

    places: of the features that it was learned of.
    """

    places: tuple[int, ...]
    cuts: tuple[Floats, ...]
    ratios: tuple[Floats, ...]
    centre: Floats
    direction: Floats

    def likelier(self, features: Sequence[Feature]) -> Floats:
        """How much likelier the answer is under the target, were features independent."""
        learned = zip(self._of(features), self.cuts, self.ratios, strict=True)
        parts = (ratios[_bins(each.values, cuts)] for each, cuts, ratios in learned)
        total: Floats = np.sum(list(parts), axis=0)
        return total

    def along(self, features: Sequence[Feature]) -> Floats:
        """How far the answer lies in the direction."""
        found: Floats = _filled(self._of(features), self.centre) @ self.direction
        return found

    def _of(self, features: Sequence[Feature]) -> list[Feature]:
        return [features[place] for place in self.places]


@dataclass(frozen=True, slots=True)
class Sight:
    """How answers are looked at, and what was learned of them: without their seconds, and with them."""

    reader: FeatureReader
    scores: Scores
    timed: Scores

    def statistics(self, answers: Sequence[TimedAnswer]) -> list[Feature]:
        """All that events are made of."""
        features = self.reader.features(answers)
        return [
            *features,
            Feature("likelihood of all numbers", self.scores.likelier(features)),
            Feature("combination of all numbers", self.scores.along(features)),
            Feature("likelihood of all numbers and seconds", self.timed.likelier(features), timed=True),
            Feature("combination of all numbers and seconds", self.timed.along(features), timed=True),
        ]


def learn(base: Sequence[TimedAnswer], target: Sequence[TimedAnswer]) -> Sight:
    """How to look at answers, from some of both neighbours."""
    reader = FeatureReader.of([*base, *target])
    here, there = reader.features(base), reader.features(target)
    basic = [place for place, each in enumerate(here) if not each.derived]
    still = [place for place in basic if not here[place].timed]
    return Sight(reader, _scores(here, there, still), _scores(here, there, basic))


def _scores(base: Sequence[Feature], target: Sequence[Feature], places: Sequence[int]) -> Scores:
    first, second = ([features[place] for place in places] for features in (base, target))
    cuts = tuple(_quantiles(np.concatenate([one.values, two.values])) for one, two in zip(first, second, strict=True))
    ratios = tuple(_ratios(one, two, cut) for one, two, cut in zip(first, second, cuts, strict=True))
    centre = np.array([_centre(one.values, two.values) for one, two in zip(first, second, strict=True)])
    direction = _discriminant(_filled(first, centre), _filled(second, centre))
    return Scores(tuple(places), cuts, ratios, centre, direction)


def choose(
    sight: Sight,
    base: Sequence[TimedAnswer],
    target: Sequence[TimedAnswer],
    promise: ChargePromise,
    trials: int,
    risk: float,
    number: int,
) -> list[Event]:
    """The events of different statistics that promise most in so many trials; best first. So many that seconds have no
    part in, and then so many that they have."""
    pairs = zip(sight.statistics(base), sight.statistics(target), strict=True)
    best = [
        max(found, key=lambda event: event.gain)
        for place, (one, two) in enumerate(pairs)
        if (found := list(_events(place, one, two, promise, trials, risk)))
    ]
    best.sort(key=lambda event: -event.gain)
    still, timed = ([event for event in best if event.timed == kind] for kind in (False, True))
    return [*still[:number], *timed[:number]]


def count(
    sight: Sight, base: Sequence[TimedAnswer], target: Sequence[TimedAnswer], events: Sequence[Event], risk: float
) -> list[Tally]:
    """Each event counted in answers that had no part in its choice; all bounds together fail with `risk` at most."""
    first, second = sight.statistics(base), sight.statistics(target)
    return [_counted(event, first, second, risk / len(events)) for event in events]


def _counted(event: Event, base: Sequence[Feature], target: Sequence[Feature], risk: float) -> Tally:
    hits = event.hits(base[event.statistic].values), event.hits(target[event.statistic].values)
    here, there = (int(each.sum()) for each in hits)
    counted, sizes = (here, there), (len(hits[0]), len(hits[1]))
    if event.flipped:
        counted, sizes = counted[::-1], sizes[::-1]
    return Tally(event, here, there, len(hits[0]), least_epsilon(event.promise, counted, sizes, risk))


def _events(
    place: int, base: Feature, target: Feature, promise: ChargePromise, trials: int, risk: float
) -> Iterator[Event]:
    """For each side and direction the threshold that gives most."""
    cuts = _thresholds(np.concatenate([base.values, target.values]))
    if not len(cuts):
        return
    for above in (True, False):
        chances = [_shares(values, cuts, above) for values in (base.values, target.values)]
        for flipped in (False, True):
            often, seldom = reversed(chances) if flipped else chances
            gains = foreseen(promise, often, seldom, trials, risk)
            # Where nothing is foreseen with that risk, what would be with a larger one.
            gains = gains + _UNLIKELY * foreseen(promise, often, seldom, trials, _LARGE_RISK)
            best = int(np.argmax(gains))
            gain, cut = float(gains[best]), float(cuts[best])
            yield Event(place, base.name, cut, above, flipped, promise, gain, base.timed)


def _shares(values: Floats, cuts: Floats, above: bool) -> Floats:
    """How many of the values are past each cut, as a share that is never quite 0 or 1 (Laplace's rule)."""
    known = np.sort(values[~np.isnan(values)])
    if above:
        hits = len(known) - np.searchsorted(known, cuts, side="left")
    else:
        hits = np.searchsorted(known, cuts, side="right")
    shares: Floats = (hits + 0.5) / (len(values) + 1)
    return shares


def _thresholds(values: Floats) -> Floats:
    """Between neighbouring values, where there are few, else between quantiles."""
    known = np.unique(values[~np.isnan(values)])
    if len(known) == 1:
        return known
    if len(known) > _CUTS:
        known = np.unique(np.quantile(values[~np.isnan(values)], np.linspace(0, 1, _CUTS)))
    middles: Floats = known[:-1] / 2 + known[1:] / 2
    return middles


def _quantiles(values: Floats) -> Floats:
    known = values[~np.isnan(values)]
    inner = np.linspace(0, 1, _BINS + 1)[1:-1]
    return np.unique(np.quantile(known, inner)) if len(known) else np.zeros(0)


def _bins(values: Floats, cuts: Floats) -> NDArray[np.int64]:
    """The bin of each value; those that are missing have one of their own, the last."""
    return np.where(np.isnan(values), len(cuts) + 1, np.searchsorted(cuts, values, side="right"))


def _ratios(base: Feature, target: Feature, cuts: Floats) -> Floats:
    size = len(cuts) + 2
    here, there = (np.bincount(_bins(each.values, cuts), minlength=size) + 0.5 for each in (base, target))
    ratios: Floats = np.log(there / there.sum()) - np.log(here / here.sum())
    return ratios


def _centre(base: Floats, target: Floats) -> float:
    known = np.concatenate([base, target])
    known = known[~np.isnan(known)]
    return float(np.median(known)) if len(known) else 0.0


def _filled(features: Sequence[Feature], centre: Floats) -> Floats:
    """A row for each answer; what is missing is at the centre."""
    values = np.array([each.values for each in features]).T
    return np.where(np.isnan(values), 0.0, values - centre)


def _discriminant(base: Floats, target: Floats) -> Floats:
    """Fisher's direction: between the means, against the spread within; nearly singular where noise cancels."""
    scale = np.maximum(np.std(np.concatenate([base, target]), axis=0), 1e-300)
    one, two = base / scale, target / scale
    spread = np.atleast_2d(np.cov(np.concatenate([one - one.mean(axis=0), two - two.mean(axis=0)]).T))
    gap = two.mean(axis=0) - one.mean(axis=0)
    direction: Floats = np.linalg.lstsq(spread + _RIDGE * np.eye(len(gap)), gap, rcond=None)[0] / scale
    return direction
