"""What mechanisms read: the rows of the engine by key, checked and canonical, without keys outside of public values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dpproxy.canonical import canonical, rank, whole
from dpproxy.errors import EngineFailure
from dpproxy.exact_pairs import NO_PAIRS, pairs_by_key
from dpproxy.mechanisms.clipped_noise import TotalsByNorm
from dpproxy.mechanisms.histograms import Cells, Histograms
from dpproxy.mechanisms.paired_noise import Totals
from dpproxy.plan.private_plan import Bounded, Key, PrivateKeys
from dpproxy.plan.space import KeyValues, Space, part_of
from dpproxy.rows import Rows, Value


@dataclass(slots=True)
class KeyTotals:
    """What the engine found for one key: its number of units, or their weight, and a total for each measure; or where
    units are scaled down, each measure's totals by bucket of the norm; or a histogram."""

    units: int = 0
    totals: tuple[int, ...] = ()
    by_norm: tuple[dict[int, int], ...] = ()
    histogram: Cells = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExactCells:
    """What the mechanisms read. public: all keys but the private ones; private: the places of those. units: of each
    measure that is scaled down, how many there are by bucket. pairs: of each key, the measures by pairs of units."""

    cells: Mapping[KeyValues, KeyTotals]
    public: Space
    private: tuple[int, ...]
    units: Sequence[Mapping[int, int]]
    pairs: Mapping[KeyValues, Sequence[Totals]] = field(default_factory=dict)

    def vector(self, keys: Sequence[KeyValues], measure: int) -> list[int]:
        """The totals of a measure over known keys, 0 where there are no rows.

        Claim: one unit moves it as `Bounded.sensitivity` says. Because: the keys do not depend on it but through
        mechanisms, and absent ones are there.
        Checked by: tests/test_release.py::test_absent_public_keys_get_noise.
        """
        return [self.cells[key].totals[measure] if key in self.cells else 0 for key in keys]

    def by_norm(self, keys: Sequence[KeyValues], measure: int) -> TotalsByNorm:
        """The totals of a measure over known keys by bucket, and the units of all, whatever keys they have."""
        return TotalsByNorm(
            self.units[measure], [self.cells[key].by_norm[measure] if key in self.cells else {} for key in keys]
        )

    def by_pair(self, keys: Sequence[KeyValues], measure: int) -> list[Totals]:
        """The totals of a measure by pairs of units, of known keys."""
        return [self.pairs[key][measure] if key in self.pairs else NO_PAIRS for key in keys]

    def histograms(self, keys: Sequence[KeyValues], buckets: int) -> Histograms:
        """The histograms of known keys, empty where there are no rows.

        Claim: one unit moves them as `Bounded.sensitivity` says, in sum over buckets.
        Because: as `vector`; a bucket that is not among them is left out whatever is in it.
        Checked by: tests/test_quantiles.py.
        """
        found = (self.cells[key].histogram if key in self.cells else {} for key in keys)
        within = ({bucket: count for bucket, count in each.items() if 0 <= bucket < buckets} for each in found)
        return Histograms(buckets, tuple(within))

    def scores(self) -> dict[KeyValues, int]:
        """The private parts of keys with their numbers of units, summed over public keys, in the order of their values.

        Claim: what the order tells follows from the values alone, and one unit moves the numbers as the plan claims.
        Checked by: tests/test_release.py::test_unselected_keys_leave_nothing, ::test_scores_add_up_over_public_keys.
        """
        scores: dict[KeyValues, int] = {}
        for key, cell in self.cells.items():
            part = part_of(key, self.private)
            scores[part] = scores.get(part, 0) + cell.units
        return {part: scores[part] for part in sorted(scores, key=lambda part: tuple(map(rank, part)))}


def exact_cells(bounded: Bounded, exact: Rows, public: Space, private: tuple[int, ...]) -> ExactCells:
    """Those of the rows. Raises EngineFailure for rows that bounded SQL cannot yield (a key twice, a wrong type)."""
    if bounded.pair is not None:
        return ExactCells({}, public, private, (), pairs_by_key(bounded, exact, public))
    if bounded.clip is None:
        return ExactCells(_cells(bounded, exact, public), public, private, ())
    units = tuple(dict[int, int]() for _ in bounded.measures)
    return ExactCells(_bucketed_cells(bounded, exact, public, units), public, private, units)


def _cells(bounded: Bounded, exact: Rows, public: Space) -> dict[KeyValues, KeyTotals]:
    """The engine's rows by key, without those of which a public combination is not in its block.

    Claim: one unit moves the cells no further than the rows they come from.
    Because: a row is kept or dropped by its key alone, and no two rows are ever merged: that could add up what one
    unit gave to both, past linf.
    Checked by: tests/test_release.py::test_a_key_twice_is_a_failure.
    """
    width = len(bounded.keys)
    blocks = [(block.places, frozenset(block.combinations)) for block in public]
    cells: dict[KeyValues, KeyTotals] = {}
    for row in exact.rows:
        if len(row) != width + bounded.counts_units + bounded.is_histogram + len(bounded.measures):
            raise EngineFailure()
        key = tuple(canonical(value, key.type) for value, key in zip(row, bounded.keys, strict=False))
        if all(part_of(key, places) in combinations for places, combinations in blocks):
            if key in cells and not bounded.is_histogram:
                raise EngineFailure()
            cells[key] = _cell(bounded, row[width:], cells.get(key))
    return cells


def _bucketed_cells(
    bounded: Bounded, exact: Rows, public: Space, units: Sequence[dict[int, int]]
) -> dict[KeyValues, KeyTotals]:
    """As `_cells`, of rows by bucket: each is of the one measure whose bucket it has. `units` gets the numbers of units
    of all rows, whether their keys are kept or not.

    Claim: one unit moves one number of each of `units`, by one; and of each cell the totals in that bucket.
    Because: its first row is in one row of the result for each measure (`Bounded`).
    Checked by: tests/test_clipped_release.py.
    """
    width, count = len(bounded.keys), len(bounded.measures)
    blocks = [(block.places, frozenset(block.combinations)) for block in public]
    first_bucket = width + bounded.counts_units + 1
    cells: dict[KeyValues, KeyTotals] = {}
    seen: set[tuple[KeyValues, int, int]] = set()
    for row in exact.rows:
        if len(row) != first_bucket + 2 * count:
            raise EngineFailure()
        measure, bucket = _bucket_of(row[first_bucket : first_bucket + count])
        if count:
            units[measure][bucket] = units[measure].get(bucket, 0) + whole(row[first_bucket - 1])
        key = tuple(canonical(value, key.type) for value, key in zip(row, bounded.keys, strict=False))
        if not all(part_of(key, places) in combinations for places, combinations in blocks):
            continue
        if (key, measure, bucket) in seen:
            raise EngineFailure()
        seen.add((key, measure, bucket))
        cell = cells.setdefault(key, KeyTotals(by_norm=tuple(dict[int, int]() for _ in range(count))))
        if bounded.counts_units and measure == 0:
            cell.units += whole(row[width])
        if count:
            cell.by_norm[measure][bucket] = whole(row[first_bucket + count + measure])
    return cells


def _bucket_of(buckets: Sequence[Value]) -> tuple[int, int]:
    """Which measure a row is of, and the bucket. Without measures, there is one row for a key."""
    given = [(measure, bucket) for measure, bucket in enumerate(buckets) if bucket is not None]
    if not buckets:
        return 0, 0
    if len(given) != 1 or whole(given[0][1]) < 0:
        raise EngineFailure()
    return given[0][0], whole(given[0][1])


def _cell(bounded: Bounded, values: Sequence[Value], before: KeyTotals | None) -> KeyTotals:
    numbers = tuple(whole(value) for value in values)
    if bounded.is_histogram:
        return _with_bucket(before or KeyTotals(), *numbers)
    return KeyTotals(numbers[0], numbers[1:]) if bounded.counts_units else KeyTotals(0, numbers)


def _with_bucket(cell: KeyTotals, bucket: int, count: int) -> KeyTotals:
    """The key's histogram with one more bucket."""
    if bucket in cell.histogram:
        raise EngineFailure()
    cell.histogram[bucket] = count
    return cell


def private_places(keys: Sequence[Key]) -> tuple[int, ...]:
    """Which of the keys are private."""
    return tuple(place for place, key in enumerate(keys) if isinstance(key.domain, PrivateKeys))
