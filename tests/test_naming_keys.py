"""Keys of which each group would be of one unit are refused before the charge, where the policy shows it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from worlds import fitted, make_world, plan

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import NotPrivate

BOTH = "people JOIN visits USING (person_id)"
# Keys and tables, and what is named, where a visit is one day of a department.
PERSON, VISIT = (
    '"person_id" would give one row for each person',
    '"dept", "day" would give one row for each row of "visits"',
)
NAMING = {
    "a key of the unit as text": ("person_id::text", "people", PERSON),
    "as part of a text": ("'person ' || person_id", "visits", PERSON),
    "put together": ("concat('#', v.person_id, '-', dept)", "visits v", PERSON),
    "joined by it": ("person_id::text", BOTH, PERSON),
    "a primary key": ("dept, day", "visits", VISIT),
    "in another order": ("day, dept", "visits", '"day", "dept" would give one row for each row of "visits"'),
    "beside another": ("sex, dept, day", BOTH, VISIT),
    "in one text": ("dept || ' on ' || day::text", "visits", VISIT),
}
SHARED = {
    "a part of the key": ("dept", "visits"),
    "what many days have": ("dept, date_trunc('month', day)", "visits"),
    "a remainder": ("person_id % 10", "people"),
    "a public table's key": ("d.dept", "visits v JOIN departments d USING (dept)"),
    "the same in another table": ("city, dept", BOTH),
    "part of a text": ("left(person_id::text, 1)", "people"),
}


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """Of the world, whose visits have a key of two columns that nothing enforces."""
    made = fitted(make_world(tmp_path_factory.mktemp("world")))[1]
    visits = replace(made.tables["visits"], primary_key=("dept", "day"))
    return replace(made, tables={**made.tables, "visits": visits})


@pytest.mark.parametrize("name", NAMING)
def test_keys_that_name_are_refused(name: str, catalog: Catalog) -> None:
    keys, tables, words = NAMING[name]
    for sql in (f"SELECT count(*) FROM {tables} GROUP BY {keys}", f"SELECT DISTINCT {keys} FROM {tables}"):
        with pytest.raises(NotPrivate, match="would give one row for each") as caught:
            plan(sql, catalog)
        assert words in caught.value.message
        assert caught.value.hint
        at = caught.value.position
        assert tables == BOTH if at is None else sql[at - 1 :].startswith(("person_id", "v.", "dept", "day"))


@pytest.mark.parametrize("name", SHARED)
def test_keys_that_many_may_share_are_not(name: str, catalog: Catalog) -> None:
    keys, tables = SHARED[name]
    assert plan(f"SELECT count(*) FROM {tables} GROUP BY {keys}", catalog).releases
