"""Time, failure and cancel tell no more than was charged, of a few of `slowing`'s statements each time.

All 200 of them, with 200 answers of each neighbour: in the nightly lane, or `python -m attacks.timing_search`. The
plain engines tell Zelda's presence by many of them.
"""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest
from clients.backends import Backend
from lanes import Lane, lane

from attacks.duel import Duel
from attacks.plainly import tells
from attacks.slowing import FAMILIES, SEED, STATEMENTS, attacks
from attacks.timing_search import ANSWERS, searched

pytestmark = pytest.mark.long

ALL = lane() is Lane.NIGHTLY
SAMPLE, FEW_ANSWERS = 3, 80
TRIES = 3
TOLD = 5
"""So many of the first attack of each family tell on each plain engine, at least."""


def test_there_are_two_hundred() -> None:
    assert len({(each.sql, each.manner, each.after) for each in attacks()}) == STATEMENTS


def test_plain_engines_tell(duel: Duel) -> None:
    """At the first try, or the second or third: one that the machine was busy in tells nothing by its time."""
    first = attacks()[: len(FAMILIES)]
    telling = (each.family for each in first if any(tells(duel.plain, each) is not None for _ in range(TRIES)))
    found = list(islice(telling, TOLD))
    assert len(found) == TOLD, found


@pytest.mark.parametrize("backend", Backend if ALL else [Backend.EMBEDDED])
def test_no_bound_is_above_the_charge(backend: Backend) -> None:
    asked = attacks() if ALL else Random(SEED).sample(attacks(), SAMPLE)
    found = searched(backend, asked, ANSWERS if ALL else FEW_ANSWERS)
    assert not [each.row for each in found if each.broken]
    assert len(found) == len(asked)
