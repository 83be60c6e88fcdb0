"""Which files begin first. Files run side by side, each whole and in its own order: what it starts is started once."""

from __future__ import annotations

import pytest

# The longest first, so that none is begun last and leaves the other workers waiting; all others are short.
LONG = (
    "test_neighbours.py",
    "test_course.py",
    "test_executed.py",
    "test_language.py",
    "test_drivers.py",
    "test_planted.py",
    "test_expressions_in_postgres.py",
    "test_noise_over_wire.py",
    "test_faults.py",
    "test_front_given.py",
    "test_front_schema.py",
    "test_soak.py",
    "test_campaign.py",
    "test_several.py",
    "test_mechanisms.py",
    "test_demo.py",
    "test_races.py",
    "test_operation.py",
    "test_wire_fuzz.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The clients' files stay together, early: their servers last as long as the session."""
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> tuple[int, bool]:
    turn = LONG.index(item.path.name) if item.path.name in LONG else len(LONG)
    return turn, item.path.parent.name != "clients"
