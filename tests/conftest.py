"""Which files begin first. Files run side by side, each whole and in its own order: what it starts is started once."""

from __future__ import annotations

import atexit
import gc
import os

import pytest

# A hundred proxies are started: without bytecode on disk each would compile all of dpproxy anew, a third of a second.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Modules and thousands of tests come to stay: to look for garbage among them took half of the time of collection.
gc.disable()

# The longest first, so that none is begun last and leaves the other workers waiting; all others are short.
LONG = (
    "test_course.py",
    "test_faults.py",
    "test_executed.py",
    "test_soak.py",
    "test_bench.py",
    "test_planted.py",
    "test_campaign.py",
    "test_neighbours.py",
    "test_language.py",
    "test_engine_postgres.py",
    "test_expressions_in_postgres.py",
    "test_front_schema.py",
    "test_noise_over_wire.py",
    "test_drivers.py",
    "test_front_given.py",
    "test_several.py",
    "test_races.py",
    "test_mechanisms.py",
    "test_front_lifecycle.py",
    "test_crashes.py",
    "test_wire_fuzz.py",
    "test_source.py",
    "test_cli.py",
    "test_demo.py",
    "test_operation.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The clients' files stay together, early: their servers last as long as the session."""
    items.sort(key=_turn)


def pytest_collection_finish() -> None:
    """From here on there is garbage, but not among what was collected."""
    gc.freeze()
    atexit.register(gc.unfreeze)
    gc.enable()


def _turn(item: pytest.Item) -> tuple[int, bool]:
    turn = LONG.index(item.path.name) if item.path.name in LONG else len(LONG)
    return turn, item.path.parent.name != "clients"
