"""The lane of tests (see `lanes`), which files begin first, and cases by title.

Files run side by side, each whole and in its own order: what it starts is started once.
"""

from __future__ import annotations

import atexit
import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lanes
import pytest
from hypothesis import HealthCheck, settings
from sql_cases import UPDATE, Case, Outcomes

from dpproxy.server.large_pages import use_large_pages

if TYPE_CHECKING:
    from dpproxy.catalog.policy import Catalog

# A hundred proxies are started: without bytecode on disk each would compile all of dpproxy anew, a third of a second.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Modules and thousands of tests come to stay: to look for garbage among them took half of the time of collection.
gc.disable()

ALL_OF_IT_LONG = "\npytestmark = pytest.mark.long\n"
# The longest first, so that none is begun last and leaves the other workers waiting; all others are short.
LONG = (
    "test_planted_time.py",
    "test_bench.py",
    "test_course.py",
    "test_planted.py",
    "test_executed.py",
    "test_faults.py",
    "test_timing_search.py",
    "test_budget.py",
    "test_pure_passes.py",
    "test_checker_attacked.py",
    "test_error_bars.py",
    "test_fuzz.py",
    "test_clipped_neighbours.py",
    "test_time.py",
    "test_soak.py",
    "test_outcomes.py",
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
    "test_fixtures.py",
    "test_coverage.py",
    "test_refusals_over_wire.py",
    "test_bi_tools.py",
    "test_cli.py",
    "test_demo.py",
    "test_operation.py",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """See `lanes`."""
    parser.addoption("--lane", choices=list(lanes.Lane), default=lanes.Lane.CHANGE, help="change, rest, all or nightly")
    parser.addoption("--seed", default=lanes.SEED, help="what random series begin with")


def pytest_configure(config: pytest.Config) -> None:
    """Before tests are collected."""
    lanes.choose(config)
    # How long a machine takes is no property of what is tested: a busy one failed tests by that alone.
    unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("any series", unhurried)
    settings.register_profile("the same series", unhurried, derandomize=True, database=None)
    settings.load_profile("the same series" if lanes.is_repeatable() else "any series")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object | None:
    """See `files_in_turn`."""
    from files_in_turn import FilesInTurn

    return FilesInTurn(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file that is long as a whole is not even imported, unless it was asked for by name."""
    if lanes.lane() is not lanes.Lane.CHANGE or not collection_path.name.startswith("test_"):
        return None
    asked = {Path(each.partition("::")[0]).resolve() for each in config.args}
    return True if collection_path not in asked and ALL_OF_IT_LONG in collection_path.read_text() else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The clients' files stay together, early: their servers last as long as the session."""
    running = [lanes.runs(item) for item in items]
    if not all(running):
        config.hook.pytest_deselected(items=[item for item, runs in zip(items, running, strict=True) if not runs])
        items[:] = [item for item, runs in zip(items, running, strict=True) if runs]
    items.sort(key=_turn)
    _keep_titled(config, items)


def _keep_titled(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`-k "the title of a case"` is its tests. pytest itself reads `-k` as words with `and` and `or` between them."""
    title = config.option.keyword
    titled = [item for item in items if " " in title and item.name.endswith(f": {title}]")]
    if titled:
        config.hook.pytest_deselected(items=[item for item in items if item not in titled])
        items[:] = titled
        config.option.keyword = ""


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """That of the small world. Imported here: the process that only hands out tests needs nothing of it."""
    from worlds import world_catalog

    return world_catalog()


@pytest.fixture(scope="module")
def compare() -> Iterator[Callable[[Case, str], None]]:
    """What compares a result with that of its case; with UPDATE_FIXTURES, writes the files when the module is done."""
    outcomes = Outcomes()

    def same(case: Case, result: str) -> None:
        outcomes.keep(case, result)
        assert result == case.expected or UPDATE

    yield same
    if UPDATE:
        outcomes.write()


def pytest_collection_finish() -> None:
    """From here on there is garbage, but not among what was collected. Trees of statements live until they are planned,
    and were looked at many times: to look seldom saves a sixth of the time of what plans."""
    gc.freeze()
    gc.set_threshold(200_000, 20, 50)
    atexit.register(gc.unfreeze)
    gc.enable()
    use_large_pages()


def _turn(item: pytest.Item) -> tuple[int, bool]:
    turn = LONG.index(item.path.name) if item.path.name in LONG else len(LONG)
    return turn, item.path.parent.name != "clients"
