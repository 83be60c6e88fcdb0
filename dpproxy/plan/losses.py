"""What the mechanisms of a plan lose together: the one place where losses are added up, but for the checker's own; and
what their privacy loss distribution is made of.

Mechanisms that read one sample of units are amplified together (`accounting.amplification`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dpproxy.accounting.amplification import amplified, amplified_in
from dpproxy.accounting.dominating_pairs import NO_PAIRS, Pairs, PurePair, together
from dpproxy.accounting.loss import ZERO, Accounting, Loss
from dpproxy.mechanisms.kinds import Mechanism
from dpproxy.mechanisms.timing import TimeNoise
from dpproxy.plan.private_plan import Release
from dpproxy.plan.samples import Sample, SampleLoss
from dpproxy.remembered import remembered


def lost(releases: Iterable[Release], time: TimeNoise | None, accounting: Accounting) -> Loss:
    """What some releases of a plan lose, and the noise of the time that they take.

    Claim: at least the loss of all that they tell. Because: each mechanism says its own, which holds whatever those
    before it told, so that losses add up (basic composition for ε and δ; Bun, Steinke 2016, lemma 1.7 for ρ); those of
    one sample are amplified together, where that is less. Time is that of all units' rows.
    Checked by: tests/test_allocate.py, tests/test_stored.py::test_a_part_costs_what_it_loses,
    tests/test_amplification.py.
    """
    of_time = ZERO if time is None else time.loss(accounting)
    return sum((_lost(sample, each, accounting) for sample, each in by_sample(releases).items()), of_time)


def dominating(releases: Iterable[Release], time: TimeNoise | None, accounting: Accounting) -> Pairs:
    """Pairs that dominate all that some releases of a plan tell, and the noise of the time that they take, but for what
    the δ of `lost` pays for.

    Because: each mechanism's dominate it whatever those before it told, and pairs compose; those of one sample that are
    amplified are together any mechanism of their ε'. Checked by: tests/test_history.py, tests/test_amplification.py.
    """
    of_time = NO_PAIRS if time is None else time.pairs
    return _together((of_time, *(_pairs(sample, each, accounting) for sample, each in by_sample(releases).items())))


@remembered(256)  # each charge of a plan asks
def _together(parts: tuple[Pairs, ...]) -> Pairs:
    return together(parts)


def by_sample(releases: Iterable[Release]) -> Mapping[Sample | None, Sequence[Mechanism]]:
    """The mechanisms that read each sample; None: all units."""
    found: dict[Sample | None, list[Mechanism]] = {}
    for release in releases:
        found.setdefault(release.bounded.sample, []).extend(each.mechanism for each in release.mechanisms)
    return found


def sample_losses(releases: Sequence[Release], accounting: Accounting) -> tuple[SampleLoss, ...]:
    """What is lost of each sample, for people."""
    found = []
    for sample, mechanisms in by_sample(releases).items():
        if sample is not None:
            places = tuple(index for index, each in enumerate(releases) if each.bounded.sample == sample)
            within, price = within_sample(mechanisms, sample, accounting), _lost(sample, mechanisms, accounting)
            found.append(SampleLoss(sample, places, within, price))
    return tuple(found)


def within_sample(mechanisms: Sequence[Mechanism], sample: Sample, accounting: Accounting) -> Loss | None:
    """The ε and δ of mechanisms that are amplified; None where they are not: one of them has no ε, or they lose no less
    so."""
    pure = _pure(mechanisms)
    if pure is None or accounting is Accounting.PURE:
        return pure
    fits = amplified_in(accounting, pure, sample.rate).main <= _sum(mechanisms, accounting).main
    return pure if fits else None


def _lost(sample: Sample | None, mechanisms: Sequence[Mechanism], accounting: Accounting) -> Loss:
    pure = None if sample is None else within_sample(mechanisms, sample, accounting)
    if sample is None or pure is None:
        return _sum(mechanisms, accounting)
    return amplified_in(accounting, pure, sample.rate)


def _pairs(sample: Sample | None, mechanisms: Sequence[Mechanism], accounting: Accounting) -> Pairs:
    pure = None if sample is None else within_sample(mechanisms, sample, accounting)
    if sample is None or pure is None:
        return _together(tuple(each.pairs for each in mechanisms))
    return ((PurePair(amplified(pure, sample.rate).main), 1),)


def _sum(mechanisms: Sequence[Mechanism], accounting: Accounting) -> Loss:
    return sum((each.loss(accounting) for each in mechanisms), ZERO)


def _pure(mechanisms: Sequence[Mechanism]) -> Loss | None:
    try:
        return _sum(mechanisms, Accounting.PURE)
    except ValueError:
        return None
