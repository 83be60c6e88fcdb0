"""Filters on keys stay above the contributions, which are few, and calculate nothing of them again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from worlds import make_world, plan, world_catalog


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sex, sum(cost) FROM visits JOIN people USING (person_id) GROUP BY sex",
        "SELECT sex, count(*) FROM visits JOIN people USING (person_id) GROUP BY sex",
        "SELECT extract(year FROM day), sum(cost), avg(cost) FROM visits GROUP BY 1",
    ],
)
def test_duckdb_tests_contributions(sql: str, tmp_path: Path) -> None:
    """Its planner reads through the clamp: a test of that is calculated again, or found true and left to the rows."""
    make_world(tmp_path)
    bounded = plan(sql, world_catalog()).releases[0].bounded.sql
    assert "& 0 = 0" in bounded
    with duckdb.connect(str(tmp_path / "world.duckdb"), read_only=True) as engine:
        ((_, found),) = engine.execute(f"EXPLAIN (FORMAT json) {bounded}").fetchall()
    filters = [told for name, told in _operators(json.loads(found)) if name.strip() == "FILTER"]
    assert any("(m0 & 0) = 0" in told and "CASE" in told for told in filters), filters


def _operators(found: Any) -> Iterator[tuple[str, str]]:
    for each in found:
        yield each["name"], str(each["extra_info"])
        yield from _operators(each["children"])
