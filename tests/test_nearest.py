"""The nearest question is another one than was asked: what is refused is not planned again and again."""

from __future__ import annotations

import pytest
from worlds import plan

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import KeysOfPairs
from dpproxy.rewrite import planning
from dpproxy.rewrite.nearest import grouped_by

ROWS = "SELECT p.sex, p.city, count(*) FROM people p JOIN customer c ON p.person_id = c.custkey GROUP BY "


def test_it_has_fewer_keys() -> None:
    assert grouped_by(f"{ROWS}p.sex, p.city", {0}) == (
        "SELECT p.sex, COUNT(*) FROM people AS p JOIN customer AS c ON p.person_id = c.custkey GROUP BY p.sex"
    )
    assert grouped_by(f"{ROWS}p.sex, p.city", {0, 1}) is None


SETS = ("ROLLUP (p.sex, p.city)", "CUBE (p.sex, p.city)", "GROUPING SETS ((p.sex, p.city), ())", "(p.sex, p.city)")


@pytest.mark.parametrize("keys", SETS)
def test_places_in_one_of_several_sets_are_none_of_the_statements(keys: str) -> None:
    assert grouped_by(ROWS + keys, {0}) is None


@pytest.mark.parametrize("keys", SETS)
def test_a_refusal_of_them_is_planned_once(keys: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    read = planning.parse_statement
    monkeypatch.setattr(planning, "parse_statement", lambda sql: [asked.append(sql), read(sql)][1])
    with pytest.raises(KeysOfPairs):
        plan(ROWS + keys, catalog)
    assert len(set(asked)) == 1 and len(asked) <= 2
