"""A plan: the DAG of releases of one statement, and the statement that runs over them in the front.

    Plan
      releases   Release*     bounded SQL for the engine, noise, outputs; in order of the DAG
      post       Post         the analyst's statement with array parameters where release points were
      cost       Loss         what is charged, before anything runs

Names inside bounded SQL come from position: keys k0, k1 …, measures m0, m1 …, and n is the number of units of a key.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

from dpproxy.accounting.loss import Loss
from dpproxy.catalog.types import SqlType
from dpproxy.mechanisms.model import Noise, Selection, Sensitivity
from dpproxy.rows import Value


@dataclass(frozen=True, slots=True)
class Literals:
    """A public key whose values are known from the policy or the text; None stands for NULL."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class FromPublic:
    """A public key whose values are the rows of `sql`, which reads public tables only and runs in the engine."""

    sql: str


@dataclass(frozen=True, slots=True)
class PrivateKeys:
    """A key whose values are private: only those that pass partition selection are released."""


Domain = Literals | FromPublic | PrivateKeys


@dataclass(frozen=True, slots=True)
class Key:
    """A grouping key: its column in the bounded result, its Postgres type, where its values come from."""

    name: str
    type: SqlType
    domain: Domain
    label: str


class MeasureKind(Enum):
    """What is added up for a unit."""

    ROWS = "rows"
    VALUES = "values"
    SUM = "sum"
    CENTRED = "centred sum"


@dataclass(frozen=True, slots=True)
class Measure:
    """An integer per key. One unit's contribution to one key lies in [lower, upper] grid steps, which hold 0.

    step: the width of a grid step in the measure's own units; centre: what was subtracted from each value before.
    """

    name: str
    kind: MeasureKind
    lower: int
    upper: int
    step: Decimal
    centre: Decimal
    label: str

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


@dataclass(frozen=True, slots=True)
class Bounded:
    """SQL for the engine whose every result is an integer, and what one unit can change in it.

    Result columns: the keys k0 …, then `n` (units of the key, only with private keys), then the measures m0 ….
    groups: keys that one unit appears in at most. rows: rows that one unit counts for within a key at most.
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

    def sensitivity(self, measure: Measure) -> Sensitivity:
        """Claim: removing one unit changes `measure` in at most `groups` keys, each by at most `measure.bound` steps.

        Because: the limit step (or its stated reason) keeps a unit out of all other keys, and its contribution to each
        was clamped to [lower, upper] before the total.
        Checked by: tests/test_neighbours.py.
        """
        return Sensitivity(self.groups, measure.bound)


@dataclass(frozen=True, slots=True)
class CountOf:
    """The noisy count itself."""

    measure: int


@dataclass(frozen=True, slots=True)
class SelectedCount:
    """The count that partition selection released (one row per unit: rows are units)."""


@dataclass(frozen=True, slots=True)
class SumOf:
    """The noisy sum, scaled back by its step."""

    measure: int


@dataclass(frozen=True, slots=True)
class MeanOf:
    """centre + noisy centred sum / max(noisy count, 1), clamped to [lower, upper]. `count` None: the selected count."""

    total: int
    count: int | None
    lower: Decimal
    upper: Decimal


Formula = CountOf | SelectedCount | SumOf | MeanOf


@dataclass(frozen=True, slots=True)
class Output:
    """A released column after the keys: how it is made of noised measures, and its Postgres type."""

    name: str
    type: SqlType
    formula: Formula
    label: str


@dataclass(frozen=True, slots=True)
class Release:
    """A release point: noises[i] is added to bounded.measures[i]; `selection` is there iff some key is private."""

    bounded: Bounded
    noises: tuple[Noise, ...]
    selection: Selection | None
    outputs: tuple[Output, ...]


@dataclass(frozen=True, slots=True)
class ReleasedColumn:
    """An array parameter of the post statement: column `column` (keys first, then outputs) of release `release`."""

    release: int
    column: int


@dataclass(frozen=True, slots=True)
class ViewColumn:
    """An array parameter of the post statement: column `column` of the proxy's own table dp.`view`."""

    view: str
    column: str


Input = ReleasedColumn | ViewColumn


@dataclass(frozen=True, slots=True)
class Post:
    """A statement for the front. Parameters after the client's own are arrays, one for each input, in order."""

    sql: str
    inputs: tuple[Input, ...]
    input_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """All that is known of a statement before it is charged."""

    releases: tuple[Release, ...]
    post: Post
    cost: Loss
    epsilon: Decimal
