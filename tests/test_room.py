"""Numbers that outgrow their types: no sum and no constant raises in the engine for the rows of one person."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from worlds import fitted, make_world, plan

HUGE = "9000000000000000000"
PERSON = "CASE WHEN dept = 'cardio' AND person_id = 7 THEN {} END"
UNIT = "SELECT person_id, {} AS s FROM visits GROUP BY person_id"


@pytest.mark.parametrize(
    "inner",
    [
        UNIT.format(f"sum({PERSON.format(f'{HUGE} * {HUGE}')})"),
        UNIT.format(f"sum({PERSON.format(f'{HUGE}::bigint * {HUGE}::bigint::numeric')})"),
        UNIT.format(f"avg({PERSON.format(f'{HUGE} * {HUGE}')})"),
        UNIT.format("max(NULLIF(CASE WHEN person_id = 7 THEN 2147483647 + 1 ELSE 1 END, visit_id))"),
        f"SELECT sum({PERSON.format(f'{HUGE} * {HUGE}')}) OVER (PARTITION BY person_id) AS s FROM visits",
        f"SELECT (SELECT sum({HUGE} * {HUGE}) FROM visits v WHERE v.person_id = p.person_id) AS s FROM people p",
    ],
)
def test_nothing_raises_for_one_person(inner: str, tmp_path: Path) -> None:
    _, catalog = fitted(make_world(tmp_path))
    made = plan(f"SELECT count(*) FROM ({inner}) t WHERE s > 5", catalog)
    with duckdb.connect(str(tmp_path / "world.duckdb"), read_only=True) as connection:
        for release in made.releases:
            assert connection.execute(release.bounded.sql).fetchall()
