"""No key is counted that cannot be told: without its condition a plan is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from worlds import TERMS, plan, world_catalog

from dpproxy.rewrite.checker import CheckFault, check_plan

KEYS = {
    "texts": ("SELECT dept, count(*) FROM visits GROUP BY dept", "STRPOS(k0, CHR(0)) = 0", "may hold NUL"),
    "days": ("SELECT joined, count(*) FROM people GROUP BY joined", "'9999-12-31' AS DATE", "further away"),
    "moments": (
        "SELECT (joined + interval '1 hour') AS at, count(*) FROM people GROUP BY 1",
        "'9999-12-31 23:59:59.999999' AS TIMESTAMP",
        "further away",
    ),
}
WIDER = {
    "STRPOS(k0, CHR(0)) = 0": ("STRPOS(k0, CHR(1)) = 0", "STRPOS(k0, CHR(0)) < 9", "STRPOS(CHR(0), k0) = 0", "TRUE"),
    "'9999-12-31' AS DATE": ("'99999-12-31' AS DATE", "'infinity' AS DATE", "'9999-12-31 (BC)' AS DATE"),
    "'9999-12-31 23:59:59.999999' AS TIMESTAMP": ("'infinity' AS TIMESTAMP", "'9999-12-31 00:00:00-12' AS TIMESTAMP"),
}


@pytest.mark.parametrize("kind", KEYS)
def test_keys_that_cannot_be_told_are_refused(kind: str) -> None:
    sql, condition, said = KEYS[kind]
    catalog = world_catalog()
    made = plan(sql, catalog)
    check_plan(made, catalog, "duckdb", TERMS.accounting)
    bounded = made.releases[0].bounded
    assert condition in bounded.sql
    for wider in WIDER[condition]:
        loosened = replace(bounded, sql=bounded.sql.replace(condition, wider))
        with pytest.raises(CheckFault, match=said):
            check_plan(
                replace(made, releases=(replace(made.releases[0], bounded=loosened), *made.releases[1:])),
                catalog,
                "duckdb",
                TERMS.accounting,
            )
