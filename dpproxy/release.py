"""The one door out: exact integers per key go in, released rows come out.

    Rows of the bounded SQL ─ exact_cells ─> totals by key, outside of public domains dropped
                            ─ _tell ─> what each mechanism tells, one after the other, going by those before it:
                                         keys, selected ones × all public combinations, absent ones included,
                                         and noised totals over them
                            ─ estimate ─> numbers, scaled back, in the types of their columns

What is left of the data after the mechanisms is what they told; all that follows is post-processing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import chain, product
from typing import assert_never

from dpproxy.canonical import canonical
from dpproxy.estimates import Noised, estimate
from dpproxy.exact_cells import ExactCells, exact_cells, private_places
from dpproxy.mechanisms.clipped_max import ClippedMax
from dpproxy.mechanisms.clipped_noise import ClippedNoise
from dpproxy.mechanisms.contract import TotalNoise
from dpproxy.mechanisms.distinct_noise import DistinctNoise
from dpproxy.mechanisms.joint_noise import JointNoise
from dpproxy.mechanisms.kinds import AtAClip
from dpproxy.mechanisms.mode_choice import ModeChoice
from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.noise_at_a_clip import PARTS, Clipped
from dpproxy.mechanisms.noisy_max import NoisyMax
from dpproxy.mechanisms.paired_noise import PairedNoise
from dpproxy.mechanisms.quantile_brackets import QuantileBrackets
from dpproxy.mechanisms.quantile_choice import QuantileChoice
from dpproxy.mechanisms.quantile_ends import Ends
from dpproxy.mechanisms.quantile_tree import QuantileTree
from dpproxy.mechanisms.ranks import Rank
from dpproxy.mechanisms.selection import Selection
from dpproxy.mechanisms.spread_selection import SpreadSelection
from dpproxy.mechanisms.truncated_selection import TruncatedSelection
from dpproxy.plan.private_plan import Applied, Key, Measure, Output, Release
from dpproxy.plan.space import Block, KeyValues, Space, part_of
from dpproxy.release_check import check_release
from dpproxy.released_centres import centred
from dpproxy.released_clips import clip_value, kept_totals, total_name
from dpproxy.released_ends import ends_name, ends_text, kept_ends
from dpproxy.released_numbers import digits_of, typed
from dpproxy.rows import Column, Rows, Value


@dataclass(frozen=True, slots=True)
class _Told:
    """What the mechanisms have told so far: the keys of the answer; for each the number of units that selected its
    private part (0 where it has none), by measure the noise, the noised total, and the clip, where there is one, the
    bucket of each rank, and the largest bucket."""

    keys: tuple[KeyValues, ...]
    selected: tuple[int, ...]
    noises: Mapping[int, TotalNoise]
    totals: Mapping[int, Sequence[int]]
    clips: Mapping[int, Fraction]
    quantiles: Sequence[Mapping[Rank, int]] = ()
    ends: Sequence[Sequence[tuple[Ends, ...]]] = ()
    modes: Sequence[int] = ()

    def only(self, places: Sequence[int]) -> _Told:
        """The keys at those places, in their order. Nothing was told of them before."""
        kept = [(self.keys[place], self.selected[place]) for place in places]
        return _Told(tuple(key for key, _ in kept), tuple(selected for _, selected in kept), {}, {}, {})


def release(plan_release: Release, exact: Rows, space: Space, earlier: Sequence[Rows] = ()) -> Rows:
    """The released rows of one release point: columns are the keys, then the outputs, typed as the plan says.

    exact: rows of the bounded SQL: keys, then `n` if it counts units, then measures; None counts as 0.
    space: all keys but the private ones, in blocks. With no private key every combination of blocks is in the result,
    the first block's changing slowest; with no key at all there is one row.
    earlier: the rows of the plan's releases before this one, which told what its values are centred on.

    Claim: the rows lose, together, the sum of the mechanisms' losses.
    Because: the rows are made of what the mechanisms told (`_Told`), of the plan, and of what was released before. Each
    read a vector that one unit moves within what it is made for (`check_release`), over keys that those before it told.
    Losses add up, the rest is post-processing.
    Checked by: tests/test_release.py::test_values_belong_to_their_keys, ::test_absent_public_keys_get_noise,
    ::test_unselected_keys_leave_nothing.

    Raises ValueError for a plan that does not hang together, before it looks at any row, and EngineFailure for rows
    that are not what bounded SQL can yield (a key twice, a wrong type).
    """
    bounded = plan_release.bounded
    check_release(plan_release, space)
    public, private = tuple(_distinct(bounded.keys, block) for block in space), private_places(bounded.keys)
    told = _tell(plan_release.mechanisms, exact_cells(bounded, exact, public, private))
    parts = {measure: clip / PARTS for measure, clip in told.clips.items()}
    measures = centred(bounded.measures, earlier)
    found = [
        Noised(
            measures,
            told.noises,
            {at: each[index] for at, each in told.totals.items()},
            selected,
            parts,
            told.quantiles[index] if told.quantiles else {},
            told.modes[index] if told.modes else None,
        )
        for index, selected in enumerate(told.selected)
    ]
    outputs = [_output(output, bounded.measures, found) for output in plan_release.outputs]
    outputs += [_total(measure, found) for measure in kept_totals(plan_release)]
    outputs += [[ends_text(each[at]) for each in told.ends] for at, _ in enumerate(kept_ends(plan_release))]
    clips = [[clip_value(told.clips[measure])] * len(told.keys) for measure in sorted(told.clips)]
    return Rows(
        _columns(plan_release),
        tuple((*key, *values) for key, *values in zip(told.keys, *outputs, *clips, strict=True)),
    )


def _tell(mechanisms: Sequence[Applied], exact: ExactCells) -> _Told:
    """What the mechanisms tell, each of which is told what those before it did.

    Without private keys all are known beforehand; else there is none before selection tells some.
    """
    told = _keyed({} if exact.private else {(): 0}, exact)
    for each in mechanisms:
        told = _apply(each, exact, told)
    return told


def _apply(applied: Applied, exact: ExactCells, told: _Told) -> _Told:
    """What is told after one more mechanism."""
    match applied.mechanism:
        case Selection() | SpreadSelection() | TruncatedSelection() as selection:
            scores = exact.scores()
            parts, selected = list(scores), selection.release(list(scores.values()))
            return _keyed({parts[index]: count for index, count in selected.items()}, exact)
        case Noise() as noise:
            assert applied.measure is not None, "check_release saw it"
            totals = noise.release(exact.vector(told.keys, applied.measure))
            noises = {**told.noises, applied.measure: noise}
            return replace(told, noises=noises, totals={**told.totals, applied.measure: totals})
        case JointNoise() as noise:
            assert applied.measure is not None and applied.beside is not None, "check_release saw it"
            return _joint(told, applied.measure, applied.beside, noise, exact)
        case ClippedNoise() | DistinctNoise() as noise:
            assert applied.measure is not None, "check_release saw it"
            return _clipped(told, applied.measure, noise, noise.release(exact.by_norm(told.keys, applied.measure)))
        case PairedNoise() as noise:
            assert applied.measure is not None, "check_release saw it"
            return _clipped(told, applied.measure, noise, noise.release(exact.by_pair(told.keys, applied.measure)))
        case NoisyMax() as choice:
            assert applied.measure is not None, "check_release saw it"
            return told.only(choice.release(exact.vector(told.keys, applied.measure)))
        case ClippedMax() as choice:
            assert applied.measure is not None, "check_release saw it"
            return told.only(choice.release(exact.by_norm(told.keys, applied.measure)))
        case QuantileChoice() as choice:
            found = choice.release(exact.histograms(told.keys, choice.buckets))
            return replace(told, quantiles=[dict(zip(choice.ranks, each, strict=True)) for each in found])
        case QuantileBrackets() | QuantileTree() as counted:
            read = counted.release(exact.histograms(told.keys, counted.buckets))
            by_rank = [dict(zip(counted.ranks, each.buckets, strict=True)) for each in read]
            return replace(told, quantiles=by_rank, ends=[each.ends for each in read])
        case ModeChoice() as mode:
            return replace(told, modes=mode.release(exact.histograms(told.keys, mode.buckets)))
        case _:
            assert_never(applied.mechanism)


def _joint(told: _Told, one: int, other: int, noise: JointNoise, exact: ExactCells) -> _Told:
    """What is told after two totals that share their noise."""
    first, second = noise.release(list(zip(*(exact.vector(told.keys, each) for each in (one, other)), strict=True)))
    noises = {**told.noises, one: noise.total_noise, other: noise.turned().total_noise}
    return replace(told, noises=noises, totals={**told.totals, one: first, other: second})


def _clipped(told: _Told, measure: int, at: AtAClip, clipped: Clipped) -> _Told:
    """What is told after the totals of a measure at a clip."""
    return replace(
        told,
        noises={**told.noises, measure: at.noise},
        totals={**told.totals, measure: clipped.totals},
        clips={**told.clips, measure: clipped.clip},
    )


def _keyed(selected: Mapping[KeyValues, int], exact: ExactCells) -> _Told:
    """The selected private parts, each with every public combination."""
    keys = tuple(_every_key(selected, exact.public, exact.private))
    return _Told(keys, tuple(selected[part_of(key, exact.private)] for key in keys), {}, {}, {})


def _every_key(chosen: Mapping[KeyValues, int], public: Space, private: tuple[int, ...]) -> Iterator[KeyValues]:
    """Each once, because a private part is once in `chosen` and a combination once in its block."""
    places = (*private, *(place for block in public for place in block.places))
    order = sorted(range(len(places)), key=places.__getitem__)
    for part in chosen:
        for combinations in product(*(block.combinations for block in public)):
            yield part_of((*part, *chain.from_iterable(combinations)), order)


def _output(output: Output, measures: Sequence[Measure], keys: Sequence[Noised]) -> list[Value]:
    """One released column, by its formula, for each key."""
    digits = digits_of(output.formula, measures)
    return [typed(estimate(output.formula, each), output.type, digits) for each in keys]


def _total(measure: int | None, keys: Sequence[Noised]) -> list[Value]:
    """The noised totals of a measure that statistics are made of, as they are; None: the selected counts."""
    return [Decimal(each.selected if measure is None else each.totals[measure]) for each in keys]


def _columns(plan_release: Release) -> tuple[Column, ...]:
    keys = (Column(key.name, str(key.type)) for key in plan_release.bounded.keys)
    clips = (each.measure for each in plan_release.mechanisms if isinstance(each.mechanism, AtAClip))
    outputs = (Column(output.name, str(output.type)) for output in plan_release.outputs)
    totals = (Column(total_name(measure), "numeric") for measure in kept_totals(plan_release))
    ends = (Column(ends_name(rank), "text") for rank in kept_ends(plan_release))
    return (*keys, *outputs, *totals, *ends, *(Column(f"clip of m{measure}", "numeric") for measure in clips))


def _distinct(keys: Sequence[Key], block: Block) -> Block:
    """The block with canonical values, each combination once."""
    types = [keys[place].type for place in block.places]
    values = (tuple(map(canonical, combination, types)) for combination in block.combinations)
    return Block(block.places, tuple(dict.fromkeys(values)))
