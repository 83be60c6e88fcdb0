"""Which tests run, and how much each of them tries: one switch, `pytest --lane change|rest|all|nightly`.

    change     what a change needs, and what `pytest` runs: five minutes on two cores are the aim
    rest       what `change` has left out, and what it tried less of: so that both together are `all`
    all        every client, every version of Postgres, attacks, faults, audits, fuzzing: before a release
    nightly    the same, trying many times as much: hours

A test, a file by its `pytestmark`, or a parameter that is not for every change is marked `long`. What a test tries more
of in a longer lane is `sized`, and the test is marked `larger`: it runs in `rest` again. A change is judged by the same
random series as the one before it; `--seed` picks others, and `nightly` has new ones in each run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

Size = TypeVar("Size")


class Lane(StrEnum):
    """How long the tests may take."""

    CHANGE = "change"
    REST = "rest"
    ALL = "all"
    NIGHTLY = "nightly"


SEED = "1"
_chosen = Lane.CHANGE
_seed = SEED


def choose(config: pytest.Config) -> None:
    """Called before tests are collected: they read it while they are imported."""
    global _chosen, _seed
    _chosen, _seed = Lane(config.getoption("lane")), config.getoption("seed")


def lane() -> Lane:
    """The one that was chosen."""
    return _chosen


def seed() -> str:
    """What random series begin with."""
    return _seed


def is_repeatable() -> bool:
    """Whether generated cases are those of the run before."""
    return _seed == SEED and _chosen is not Lane.NIGHTLY


def sized(change: Size, every: Size, nightly: Size) -> Size:
    """So much of it in each lane."""
    return {Lane.CHANGE: change, Lane.REST: every, Lane.ALL: every, Lane.NIGHTLY: nightly}[_chosen]


def crossed(engines: Sequence[str], others: Mapping[str, object]) -> list[ParameterSet]:
    """Each engine with each of the others: in the lane `change` the first with the first, the second with the second;
    what is left in the lane `rest`."""
    return [
        pytest.param(engine, other, id=f"{engine} {name}", marks=() if at == place else pytest.mark.long)
        for at, engine in enumerate(engines)
        for place, (name, other) in enumerate(others.items())
    ]


def thinned(values: Iterable[object], step: int) -> list[ParameterSet]:
    """Each of them: every `step`th in the lane `change`, what is left in the lane `rest`."""
    return [pytest.param(value, marks=pytest.mark.long if at % step else ()) for at, value in enumerate(values)]


def thinned_rows(rows: Iterable[Sequence[object]], step: int) -> list[ParameterSet]:
    """The same of values for several parameters."""
    return [pytest.param(*row, marks=pytest.mark.long if at % step else ()) for at, row in enumerate(rows)]


def runs(item: pytest.Item) -> bool:
    """Whether the test is in the lane."""
    names = {marker.name for marker in item.iter_markers()}
    long, larger = "long" in names, "larger" in names
    return {Lane.CHANGE: not long, Lane.REST: long or larger, Lane.ALL: True, Lane.NIGHTLY: True}[_chosen]
