"""No lower bound is above the charge: a few statements each time, and with AUDIT=nightly all of them, on both engines.

All of them take half an hour on two cores: AUDIT=nightly python -m pytest -n 0 tests/audit/test_campaign.py
"""

from __future__ import annotations

import os

import pytest

from dpproxy.audit.databases import Kind

from .campaign import ANSWERS, campaign
from .statements import SERIES, statements

NIGHTLY = os.environ.get("AUDIT") == "nightly"
FEW = (
    ("SELECT sex, city, count(*), sum(income) FROM people GROUP BY sex, city",),
    SERIES[0],
)


def test_there_are_enough_statements() -> None:
    assert len(set(statements())) >= 200


@pytest.mark.parametrize("kind", Kind)
def test_no_bound_is_above_the_charge(kind: Kind) -> None:
    asked = statements() if NIGHTLY else FEW
    figures = campaign(kind, asked, ANSWERS)
    assert not figures.broken, figures.broken
    assert figures.asked >= (200 if NIGHTLY else len(FEW))
