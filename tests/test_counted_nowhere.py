"""Public rows that no private row meets: an answer that would have counted them says that it does not."""

from __future__ import annotations

import pytest
from worlds import plan

from dpproxy.catalog.policy import Catalog
from dpproxy.session.noise_notices import words_beside

FROM = "FROM departments d LEFT JOIN visits v ON v.dept = d.dept"
DROPPED = 'rows that the outer join of "d" and "v" makes without a unit are dropped'


@pytest.mark.parametrize(
    "asked",
    [
        "count(*)",
        "count(d.dept)",
        "count(DISTINCT d.dept)",
        "sum(d.beds), count(v.visit_id)",
        "count(*) FILTER (WHERE d.beds > 3)",
        "100 * count(*)",
    ],
)
def test_what_would_count_them_says_so(catalog: Catalog, asked: str) -> None:
    assert words_beside(plan(f"SELECT {asked} {FROM}", catalog)) == (DROPPED,)


@pytest.mark.parametrize(
    "asked",
    [
        "count(v.visit_id)",
        "sum(v.cost), count(v.visit_id)",
        "count(*) FILTER (WHERE v.cost > 3)",
        "sum(v.cost * d.beds)",
    ],
)
def test_what_is_of_private_rows_alone_says_nothing(catalog: Catalog, asked: str) -> None:
    """Public rows without one have NULL there, which counts nowhere in SQL either."""
    assert words_beside(plan(f"SELECT {asked} {FROM}", catalog)) == ()
    assert words_beside(plan(f"SELECT grouping(d.dept), {asked} {FROM} GROUP BY d.dept", catalog)) == ()


def test_beside_an_inner_join_nothing_is_dropped(catalog: Catalog) -> None:
    assert words_beside(plan("SELECT count(*) FROM departments d JOIN visits v ON v.dept = d.dept", catalog)) == ()
