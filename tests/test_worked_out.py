"""What is made of an answer before the front has it: the same wherever it is made."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from worlds import plan

from dpproxy.catalog.policy import Catalog
from dpproxy.plan.private_plan import Plan
from dpproxy.rows import Column, Rows
from dpproxy.session.worked_out import takes_long, worked_out


def of_rows(made: Plan, count: int) -> Sequence[Rows]:
    columns = [
        [*(key.name for key in each.bounded.keys), *(out.name for out in each.outputs)] for each in made.releases
    ]
    return [Rows(tuple(Column(name, "text") for name in names), ((7,) * len(names),) * count) for names in columns]


@pytest.mark.parametrize(
    ("sql", "many"),
    [
        ("SELECT city, count(*) FROM people GROUP BY city", False),
        ("SELECT city, count(*), dp.low(count(*)) FROM people GROUP BY city", True),
        ("SELECT city, avg(age) FROM people GROUP BY city", True),
        ("SELECT sex, smoker, count(*) FROM people GROUP BY CUBE (sex, smoker)", True),
    ],
)
def test_what_takes_long_is_told_by_rows_and_plan(sql: str, many: bool, catalog: Catalog) -> None:
    made = plan(sql, catalog)
    assert not takes_long(made, of_rows(made, 5))
    assert takes_long(made, of_rows(made, 100)) is many


def test_all_of_it_is_there(catalog: Catalog) -> None:
    made = plan("SELECT sex, count(*), dp.low(count(*)) FROM people GROUP BY sex", catalog)
    found = worked_out(made, of_rows(made, 2), {})
    assert len(found.columns) == 1 and len(found.arrays) == len(made.post.inputs)
    assert found.told.rows[0].rows == of_rows(made, 2)[0].rows
