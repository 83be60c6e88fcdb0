"""A plan: the DAG of releases of one statement, and the statement that runs over them in the front.

    Plan
      releases   Release*     bounded SQL for the engine, mechanisms, outputs; in order of the DAG
      post       Post         the analyst's statement with array parameters where release points were
      cost       Loss         what is charged, before anything runs

Names inside bounded SQL come from position: keys k0, k1 …, measures m0, m1 …, and n is the number of units of a key.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from fractions import Fraction

from dpproxy.accounting.loss import Loss
from dpproxy.catalog.types import SqlType
from dpproxy.mechanisms.joint_noise import JointNoise
from dpproxy.mechanisms.kinds import Choice, Mechanism
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.timing import TimeNoise
from dpproxy.plan.caps import Caps
from dpproxy.plan.error_bars import BarColumn, Replicates
from dpproxy.plan.formulas import Formula
from dpproxy.plan.hierarchies import Hierarchy
from dpproxy.plan.rows_met import WHERE_GIVEN, RowsMet
from dpproxy.plan.samples import Sample, SampleLoss
from dpproxy.plan.settings import Target
from dpproxy.plan.told_columns import OwnColumn, PublicColumn, ReleasedColumn
from dpproxy.plan.work import Work
from dpproxy.rows import Column, Value


@dataclass(frozen=True, slots=True)
class OwnTable:
    """A table or view of the analyst's own in the front: its name there, columns of it, and how many rows it has at
    most.

    query: what gives its rows where it is no table there, but a recursive query of the statement's.
    """

    schema: str
    name: str
    columns: tuple[Column, ...]
    rows: int = 10_000
    query: str | None = None

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}" if self.query is None else f'the recursive query "{self.name}"'


@dataclass(frozen=True, slots=True)
class Literals:
    """A public key whose values are known from the policy or the text; None stands for NULL."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class FromPublic:
    """A public key whose values are column `column` of `sql`, which reads public tables, own and released rows only and
    runs in the engine. Keys of a release with the same `sql` are joint: their combinations are its rows.

    inputs: the columns that `sql` is told. nullable: NULL is among the values, all of the joint ones together.
    """

    sql: str
    column: int = 0
    inputs: tuple[PublicColumn, ...] = ()
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class FromRelease:
    """A key whose values are those that an earlier release answered with, in its column `column`. All keys of a release
    come from the same one then: its rows are the combinations, in their order."""

    release: int
    column: int


@dataclass(frozen=True, slots=True)
class PrivateKeys:
    """A key whose values are private: only those that pass partition selection are released."""


Domain = Literals | FromPublic | FromRelease | PrivateKeys


@dataclass(frozen=True, slots=True)
class Key:
    """A grouping key: its column in the bounded result, its Postgres type, where its values come from."""

    name: str
    type: SqlType
    domain: Domain
    label: str


MOST_PUBLIC_KEYS = 10_000
"""Combinations of public keys that an answer has a row each for."""
UNCAPPED = 2**31
"""Rows of a unit in a key, or keys of a unit, where the policy has no cap."""
MOST_PAIRS = 2**24
"""Pairs of units, each with its key, of one release: as many as are held in memory. The engine is asked for one more,
which says that there are too many."""


class MeasureKind(Enum):
    """What is added up for a unit."""

    ROWS = "rows"
    VALUES = "values"
    SUM = "sum"
    CENTRED = "centred sum"
    DISTINCT = "distinct values"
    SQUARES = "centred squares"
    PRODUCTS = "centred products"
    UNITS = "units"
    HISTOGRAM = "histogram"


NO_IDENTITY = {"identity": False}
"""Of fields that make no release another one (`release_identity`)."""


@dataclass(frozen=True, slots=True)
class RowEnds:
    """Between which whole numbers of grid steps a value lies that a row adds, before it is moved; None: nobody knows.

    part: where it was itself added up, of rows of the unit that nobody capped, how much one of those adds at most.
    rounded: whether its type has values between those of the grid.
    """

    least: int | None
    most: int | None
    part: int | None = None
    rounded: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """An integer per key. One unit's contribution to one key lies in [lower, upper] grid steps, which hold 0.

    step: the width of a grid step in the measure's own units; centre: what was subtracted from each value before. row:
    how much a row adds at most, where somebody said that. moved: what was subtracted besides: so many grid steps as an
    earlier release told. ends: what is known of a row's value, for error bars and for where a clip is looked for first;
    no sensitivity leans on it, and no release is another one for it.
    A histogram has an integer per key and bucket: what one unit adds to all of a key's together lies there. One of
    blocks' answers loses one where it gains one: `upper` is what both are together.
    """

    name: str
    kind: MeasureKind
    lower: int
    upper: int
    step: Decimal
    centre: Decimal
    label: str
    row: int | None = None
    moved: ReleasedColumn | None = None
    ends: RowEnds | None = field(default=None, compare=False, metadata=NO_IDENTITY)

    @property
    def begins(self) -> int | None:
        """How much the smallest unit may add, about: from where a clip is looked for; None where nobody knows."""
        return self.ends.part if self.row is None and self.ends is not None else self.row

    @property
    def bound(self) -> int:
        """The most one unit moves one key's total, in grid steps."""
        return max(-self.lower, self.upper)


class Limit(Enum):
    """How a unit's number of keys is held to `groups`; for all but KEYS_LIMITED, why there is no step for it."""

    KEYS_LIMITED = "at most max_groups_per_unit keys per unit are kept"
    ONE_ROW = "one row per unit, so one key"
    NO_KEYS = "no keys"
    KEY_OF_UNIT = "the keys are a function of the unit"
    FEW_PUBLIC_KEYS = "there are no more public keys than that"
    NORM_CLIPPED = "all keys of a unit are kept, and scaled down together"


@dataclass(frozen=True, slots=True)
class Bounded:
    """SQL for the engine whose every result is an integer, and what one unit can change in it.

    Result columns: the keys k0 …, then `n` (units of the key, only with private keys), then the measures m0 …; of a
    histogram, which stands alone: the keys, the bucket `b`, and m0.
    groups: keys that one unit appears in at most. rows: rows that one unit counts for within a key at most; UNCAPPED,
    where nobody said how many.
    clip: where a unit's contributions to a measure are scaled down together, by which norm. Then there is a row for
    each bucket of the norm of each measure; before the measures come `c`, the units that are counted in the row, and a
    bucket b0 … for each measure, of which all but one are NULL: the row is of that measure. spread: how a unit is
    spread over private keys, of which it may have any number: `n` are weights then. caps: what the policy declares,
    where a clip stands in its place: no larger one is looked for, and nothing else depends on it.
    inputs: the released and own columns that the text reads, as `$r0c1` and `$t0c1`, arrays of their Postgres type.
    sample: which units' rows it counts; None: all. The text then reads the secret of the run, as `$coin`.
    blocks: into how many blocks units are dealt, where the histogram is of the blocks' answers: one for each block.
    pair: where each row belongs to two units, their kinds. Then there is a row for each key and pair, with a number for
    each of both, `i` and `j`, from 1: the same for the same unit, of one kind where both are of one kind.
    met: where rows of one side are counted: each has a row, too, with a number `r`; measures are of who meets it.
    plain: where `sql` reads unit indexes, the same question without them, by which the release is known and shown, and
    its work counted: so that an index costs and tells nothing.
    """

    sql: str
    unit: str
    keys: tuple[Key, ...]
    measures: tuple[Measure, ...]
    counts_units: bool
    groups: int
    rows: int
    limit: Limit
    notes: tuple[str, ...] = ()
    inputs: tuple[PublicColumn, ...] = ()
    clip: Norm | None = None
    spread: Norm | None = None
    sample: Sample | None = None
    blocks: int | None = None
    pair: tuple[str, str] | None = None
    plain: str | None = None
    caps: Caps | None = None
    met: RowsMet | None = field(default=None, metadata=WHERE_GIVEN)

    @property
    def units(self) -> tuple[str, ...]:
        """The units that it is private for."""
        return (self.unit,) if self.pair is None else tuple(dict.fromkeys(self.pair))

    @property
    def question(self) -> str:
        """The text without unit indexes."""
        return self.sql if self.plain is None else self.plain

    @property
    def before_measures(self) -> tuple[str, ...]:
        """The result columns between keys and measures."""
        if self.pair is not None:
            return ("i", "j") if self.met is None else ("i", "j", "r")
        units = ("n",) if self.counts_units else ()
        if self.clip is None or not self.measures:
            return (*units, *(("c",) if self.clip is not None else ()))
        return (*units, "c", *(f"b{index}" for index in range(len(self.measures))))

    @property
    def is_histogram(self) -> bool:
        """Whether it has a row for each key and bucket."""
        return any(measure.kind is MeasureKind.HISTOGRAM for measure in self.measures)

    def sensitivity(self, measure: Measure, places: int | None = None) -> Sensitivity:
        """Claim: removing one unit changes `measure` in at most `groups` keys, each by at most `measure.bound` steps:
        in sum over the buckets of a histogram; of `places` keys that were chosen before, in no more than those.

        Because: the limit step (or its stated reason) keeps a unit out of all other keys, and its contribution to each
        was clamped to [lower, upper] before the total. Where units are dealt into blocks, one unit's rows are all in
        one block, whose answer leaves one bucket and comes to another: two, in sum.
        Checked by: tests/test_neighbours.py, tests/test_sample_aggregate.py.
        """
        return Sensitivity(self.groups if places is None else min(self.groups, places), measure.bound)


@dataclass(frozen=True, slots=True)
class Output:
    """A released column after the keys: how it is made of noised measures, and its Postgres type."""

    name: str
    type: SqlType
    formula: Formula
    label: str


@dataclass(frozen=True, slots=True)
class Applied:
    """A mechanism and what it reads: a measure by its index, over all keys that the answer has by then, absent ones
    as 0; or, where that is None, the number of units of each private key. beside: the second of two that it reads."""

    mechanism: Mechanism
    measure: int | None
    beside: int | None = None

    @property
    def measures(self) -> tuple[int | None, ...]:
        """All that it reads."""
        return (self.measure,) if self.beside is None else (self.measure, self.beside)

    def seen_by(self, measure: int | None) -> Mechanism:
        """The mechanism as one of them sees it."""
        if isinstance(self.mechanism, JointNoise) and measure != self.measure:
            return self.mechanism.turned()
        return self.mechanism


@dataclass(frozen=True, slots=True)
class Release:
    """A release point: its mechanisms one after the other, each of which may go by what those before it told. Nothing
    but what they tell leaves."""

    bounded: Bounded
    mechanisms: tuple[Applied, ...]
    outputs: tuple[Output, ...]

    def applied_to(self, measure: int | None) -> Mechanism | None:
        """The last mechanism that reads that measure, or the number of units; None where there is none."""
        return next((each.seen_by(measure) for each in reversed(self.mechanisms) if measure in each.measures), None)

    @property
    def chosen_by(self) -> Applied | None:
        """The choice of keys that the others are told of; None where there is none."""
        return None if self.places is None else self.mechanisms[0]

    @property
    def places(self) -> int | None:
        """How many keys are chosen; None where all are told, or selected."""
        first = self.mechanisms[0].mechanism if self.mechanisms else None
        return first.places if isinstance(first, Choice) else None

    @property
    def read_after(self) -> list[int | None]:
        """What is read after keys were chosen, or in all."""
        after = self.mechanisms if self.chosen_by is None else self.mechanisms[1:]
        return [measure for each in after for measure in each.measures]


@dataclass(frozen=True, slots=True)
class ViewColumn:
    """An array parameter of the post statement: column `column` of the proxy's own table dp.`view`."""

    view: str
    column: str


Input = ReleasedColumn | ViewColumn | BarColumn | Replicates


@dataclass(frozen=True, slots=True)
class Post:
    """A statement for the front. Parameters after the client's own are arrays, one for each input, in order.

    with_bars: the columns of the client's own text, by their places, behind each of which there are two more: the ends
    of its interval, as double precision. before: a statement over public tables that the front runs before the charge;
    where it raises, so does the client's.
    """

    sql: str
    inputs: tuple[Input, ...]
    input_types: tuple[str, ...]
    with_bars: tuple[int, ...] = ()
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """All that is known of a statement before it is charged.

    reads: the parameters, counted from 0, whose values it depends on; the others are read by the post statement alone.
    tables: the analyst's own tables that it speaks of, whether a release reads them or the post statement alone.
    work: what one unit can change in the work of the engine, over all releases.
    notice: what the analyst is told beside a free answer. fresh: whether no stored release may stand for one of it.
    time: the noise of its time; None where nothing runs. time_part: what it has of the price, where that is more than
    mostly.
    may_filter: whether it could be a filter over an earlier statement's groups. again: the number of the statement
    whose stored releases it filters; it is answered from these or not at all.
    hierarchies: which released numbers add up to which; nonnegative: whether what cannot be negative is held at 0. Both
    are of the post statement alone: releases are stored, and read by later ones, as they are.
    samples: what releases of samples of units lose, for people. target, aim: what its ε was chosen for,
    and that in words.
    """

    releases: tuple[Release, ...]
    post: Post
    cost: Loss
    epsilon: Decimal
    reads: frozenset[int] = frozenset()
    tables: tuple[OwnTable, ...] = ()
    work: Work = field(default_factory=Work)
    notice: str | None = None
    fresh: bool = False
    time: TimeNoise | None = None
    hierarchies: tuple[Hierarchy, ...] = ()
    nonnegative: bool = False
    may_filter: bool = False
    again: int | None = None
    samples: tuple[SampleLoss, ...] = ()
    time_part: Fraction | None = None
    target: Target | None = None
    aim: str = ""

    @property
    def told(self) -> tuple[int, ...]:
        """Those of `tables` whose rows a release is told."""
        domains = (key.domain for each in self.releases for key in each.bounded.keys)
        public = (each for domain in domains if isinstance(domain, FromPublic) for each in domain.inputs)
        inputs = (*public, *(each for release in self.releases for each in release.bounded.inputs))
        return tuple(sorted({each.table for each in inputs if isinstance(each, OwnColumn)}))
