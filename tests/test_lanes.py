"""What a longer lane adds is marked, so that the lanes `change` and `rest` together leave nothing out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import lanes
import pytest

FILES = sorted(set(Path(__file__).parent.rglob("test_*.py")) - {Path(__file__)})
# Of `sized` and of the versions of Postgres; the newest version is in every lane.
_LONGER = re.compile(r"\bsized\(|\bMAJORS\b")
_NEWEST = re.compile(
    r"^from .* import .*$|list\(MAJORS\.values\(\)\)\[-1\]|MAJORS\[max\(MAJORS\)\]|max\(MAJORS\)|not MAJORS\b",
    re.MULTILINE,
)
_MARKED = re.compile(r"mark\.(long|larger)\b")


def test_what_tries_more_in_a_longer_lane_is_marked() -> None:
    texts = {path: _NEWEST.sub("", path.read_text()) for path in FILES}
    assert [path for path, text in texts.items() if _LONGER.search(text) and not _MARKED.search(text)] == []


def test_change_and_rest_are_all() -> None:
    class Item:
        def __init__(self, *markers: str) -> None:
            self.markers = markers

        def iter_markers(self) -> Iterator[pytest.Mark]:
            return (pytest.Mark(name, (), {}, _ispytest=True) for name in self.markers)

    kinds = [Item(), Item("long"), Item("larger"), Item("long", "larger")]
    before = lanes._chosen
    ran: dict[lanes.Lane, list[bool]] = {}
    try:
        for lane in lanes.Lane:
            lanes._chosen = lane
            ran[lane] = [lanes.runs(each) for each in kinds]  # type: ignore[arg-type]
    finally:
        lanes._chosen = before
    assert ran[lanes.Lane.CHANGE] == [True, False, True, False]
    assert ran[lanes.Lane.REST] == [False, True, True, True]
    assert ran[lanes.Lane.ALL] == ran[lanes.Lane.NIGHTLY] == [True] * 4


def test_thinned_is_each_once() -> None:
    found = lanes.thinned("abcde", 2)
    assert [each.values for each in found] == [("a",), ("b",), ("c",), ("d",), ("e",)]
    assert [[mark.name for mark in each.marks] for each in found] == [[], ["long"], [], ["long"], []]


def test_rows_are_thinned_alike() -> None:
    found = lanes.thinned_rows([(1, "a"), (2, "b")], 2)
    assert [each.values for each in found] == [(1, "a"), (2, "b")]
    assert [[mark.name for mark in each.marks] for each in found] == [[], ["long"]]


def test_crossed_is_each_with_each_and_the_quick_lane_meets_all_of_both() -> None:
    found = lanes.crossed(("duckdb", "postgres"), {"pure": 1, "zcdp": 2})
    assert [each.values for each in found] == [("duckdb", 1), ("duckdb", 2), ("postgres", 1), ("postgres", 2)]
    assert [[mark.name for mark in each.marks] for each in found] == [[], ["long"], ["long"], []]
