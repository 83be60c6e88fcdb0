"""No lower bound is above the charge: a few statements each time, and every night all of them, on both engines.

All of them take half an hour on two cores: pytest --lane=nightly -n 0 tests/audit/test_campaign.py
"""

from __future__ import annotations

import pytest
from complete_engines import COMPLETE
from lanes import Lane, lane

from .campaign import ANSWERS, campaign
from .statements import SERIES, statements

pytestmark = pytest.mark.long

NIGHTLY = lane() is Lane.NIGHTLY
FEW = (
    ("SELECT sex, city, count(*), sum(income) FROM people GROUP BY sex, city",),
    SERIES[0],
)


def test_there_are_enough_statements() -> None:
    assert len(set(statements())) >= 200


@pytest.mark.parametrize("kind", COMPLETE)
def test_no_bound_is_above_the_charge(kind: str) -> None:
    asked = statements() if NIGHTLY else FEW
    figures = campaign(kind, asked, ANSWERS)
    assert not figures.broken, figures.broken
    assert figures.asked >= (200 if NIGHTLY else len(FEW))
