"""The releases of a plan, run in order over a world, with noise of the test's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from random import Random

import exact_quantiles
import pytest
import sqlglot
from across import in_all_parts
from sqlglot import exp
from worlds import own_column

from dpproxy.canonical import canonical
from dpproxy.catalog.types import Family, SqlType
from dpproxy.engines import EngineQuery
from dpproxy.estimates import Noised
from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.noisy_max import NoisyMax
from dpproxy.mechanisms.selection import Selection
from dpproxy.plan.private_plan import FromPublic, FromRelease, Plan, PrivateKeys, Release
from dpproxy.plan.space import key_space
from dpproxy.plan.told_columns import OwnColumn, PublicColumn, ReleasedColumn, values_of
from dpproxy.release import release
from dpproxy.rows import Column, Rows, Value
from neighbours.places import Place

_NONSENSE: dict[Family, list[Value]] = {
    Family.INTEGER: [0, 1, -3, 20, 32767],
    Family.NUMERIC: [Decimal(0), Decimal("0.05"), Decimal(-7), Decimal("1e14")],
    Family.FLOAT: [0.0, -1.5, 1e300, float("nan"), float("inf")],
    Family.TEXT: ["", "cardio", "é", "x"],
    Family.BOOLEAN: [True, False],
    Family.DATE: [date(2024, 1, 1), date(1, 1, 1), date(9999, 12, 31)],
    Family.TIMESTAMP: [datetime(2024, 1, 1), datetime(1, 1, 1)],
}


def largest(totals: Sequence[int]) -> tuple[int, ...]:
    """The places of the totals, the largest first."""
    return tuple(sorted(range(len(totals)), key=lambda place: -totals[place]))


@contextmanager
def noise_of(add: Callable[[int], int]) -> Iterator[None]:
    """Inside, each total becomes `add` of it, and every private key is selected. The product has no such switch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Noise, "release", lambda _, totals: list(map(add, totals)))
        patch.setattr(Noised, "is_noise", lambda it, count: it.count(count) <= 0)
        patch.setattr(NoisyMax, "release", lambda choice, totals: largest(totals)[: choice.places])
        exact_quantiles.without_noise(patch)
        patch.setattr(Selection, "release", lambda _, counts: dict(enumerate(counts)))
        yield


def read(place: Place, plan: Plan, sql: str, inputs: Iterable[PublicColumn], earlier: Sequence[Rows]) -> Rows:
    """The rows of a text that may read what was released earlier, and tables of the analyst's own."""
    return place(EngineQuery(sql, {each.name: told(plan, each, earlier) for each in inputs}))


def told(plan: Plan, column: PublicColumn, earlier: Sequence[Rows]) -> tuple[Value, ...]:
    """The values of an input of a release."""
    if isinstance(column, OwnColumn):
        return own_column(plan, column)
    rows = earlier[column.release]
    return values_of(rows, column.part, rows.column(column.column))


Kept = Callable[[Release, Rows, Rows], Rows]


def released(plan: Plan, place: Place, kept: Kept) -> tuple[Rows, ...]:
    """What each release gives, as later ones read it; `kept` is told the exact rows and those released. Of releases
    that the front reads side by side, row by row, the exact rows are those of the first, which has the most."""
    earlier: list[Rows] = []
    seen: list[Rows] = []
    first = _side_by_side(plan)
    for number, each in enumerate(plan.releases):
        keys = each.bounded.keys
        public = {
            key.domain.sql: read(place, plan, key.domain.sql, key.domain.inputs, earlier)
            for key in keys
            if isinstance(key.domain, FromPublic)
        }
        exact = read(place, plan, each.bounded.sql, each.bounded.inputs, earlier)
        seen.append(_of_somebody(each, exact))
        rows = release(each, exact, key_space(keys, public, earlier), earlier)
        there = in_all_parts(plan, number, seen[first.get(number, number)])
        earlier.append(kept(each, there, rows))
    return tuple(earlier)


def _of_somebody(each: Release, exact: Rows) -> Rows:
    """Without the rows of 0 that packed counts have for keys that nobody has."""
    if not re.search(r" & [1-9]", each.bounded.sql):
        return exact
    return Rows(exact.columns, tuple(row for row in exact.rows if row[-1]))


def _side_by_side(plan: Plan) -> dict[int, int]:
    """The first of the releases whose columns one UNNEST of the post statement puts together, by each of them."""
    found: dict[int, int] = {}
    for call in sqlglot.parse_one(plan.post.sql, read="postgres").find_all(exp.Unnest):
        numbers = [int(each.name) for each in call.find_all(exp.Parameter)]
        inputs = [plan.post.inputs[number - 1] for number in numbers if number <= len(plan.post.inputs)]
        places = sorted({each.release for each in inputs if isinstance(each, ReleasedColumn)})
        found |= dict.fromkeys(places, places[0])
    return found


def everything(_release: Release, _exact: Rows, rows: Rows) -> Rows:
    """All of it."""
    return rows


def present(each: Release, exact: Rows, rows: Rows) -> Rows:
    """Rows whose key is in the data, as plain SQL has them. Keys of an earlier release are in it already."""
    keys = each.bounded.keys
    if any(isinstance(key.domain, FromRelease) for key in keys):
        return rows

    def key(row: Sequence[Value]) -> tuple[Value, ...]:
        return tuple(canonical(value, key.type) for value, key in zip(row, keys, strict=False))

    there = {key(row) for row in exact.rows}
    return Rows(rows.columns, tuple(row for row in rows.rows if key(row) in there or not keys))


def nonsense(plan: Plan, random: Random) -> tuple[Rows, ...]:
    """Rows of the right types that no world would give: each key once, and one row where there is no key."""
    made = []
    for each in plan.releases:
        keys, outputs = [key.type for key in each.bounded.keys], [output.type for output in each.outputs]
        columns = tuple(Column(f"c{index}", str(kind)) for index, kind in enumerate((*keys, *outputs)))
        chosen = {tuple(_value(kind, random) for kind in keys) for _ in range(random.choice([0, 1, 3]) if keys else 1)}
        rows = ((*key, *(_value(kind, random) for kind in outputs)) for key in chosen)
        made.append(Rows(columns, tuple(rows)))
    return tuple(made)


def _value(kind: SqlType, random: Random) -> Value:
    if random.random() < 0.2 or kind.family not in _NONSENSE:
        return None
    return canonical(random.choice(_NONSENSE[kind.family]), kind)


CENTRES: tuple[int | None, ...] = (0, 1, -3, 17_000, 2**45, -(2**45) - 1, 2**63 - 1, -(2**63), None)


def reads_centres_alone(each: Release) -> bool:
    """Whether what it is told of earlier releases is where its values are centred."""
    return set(each.bounded.inputs) <= {measure.moved for measure in each.bounded.measures}


def some_centres(each: Release, random: Random) -> dict[str, tuple[Value, ...]]:
    """For each column that it is told a centre, also one that no release tells."""
    assert reads_centres_alone(each)
    return {column.name: (random.choice(CENTRES),) for column in each.bounded.inputs}


def private_keys(plan: Plan) -> bool:
    """Whether some key has to be selected."""
    return any(isinstance(key.domain, PrivateKeys) for each in plan.releases for key in each.bounded.keys)
