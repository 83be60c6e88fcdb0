"""Groups within units that are made before their rows are joined with their unit: where, that they are the same, that a
unit moves as much as it did, and what the checker refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from attacks.reads import faults
from sqlglot import exp, parse_one
from test_unit_index import POLICY, TABLES, exact, rows
from towns import fill, write
from worlds import fitted, opened_room, plan

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.plan.private_plan import Bounded, Plan
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.releases import unit_index

EARLY = (
    "SELECT count(*) FROM (SELECT bill, sum(price) AS n FROM parts GROUP BY bill HAVING sum(price) > 5) AS t",
    "SELECT sum(n) FROM (SELECT visit, count(*) AS n, max(amount) AS most FROM bills GROUP BY visit) AS t"
    " WHERE most > 9",
    "SELECT part, count(*) FROM (SELECT bill, part, sum(price) AS n FROM parts WHERE price > 1 GROUP BY bill, part) t"
    " WHERE n > 2 GROUP BY part",
    "SELECT count(*) FROM (SELECT visit, count(DISTINCT kind) AS n FROM bills GROUP BY visit) AS t"
    " JOIN visits USING (visit) WHERE n > 1",
    "SELECT count(*) FROM (SELECT bill FROM parts TABLESAMPLE BERNOULLI (50) GROUP BY bill) AS t",
)
LATE = (
    "SELECT count(*) FROM bills",
    "SELECT sum(n) FROM (SELECT part, count(*) AS n FROM parts GROUP BY part, bill + 1) AS t",
    "SELECT count(*) FROM (SELECT bill, day FROM bills JOIN visits USING (visit) GROUP BY bill, day) AS t",
    "SELECT count(*) FROM (SELECT bill FROM parts WHERE EXISTS (SELECT FROM bills WHERE bills.bill = parts.bill)"
    " GROUP BY bill) AS t",
)
_FORM = "AS r GROUP BY g0"


def town(directory: Path, seed: int = 1, without: int | None = None) -> tuple[Path, Catalog]:
    fill(directory, TABLES + rows(Random(seed), without))
    path = write(directory, POLICY)
    return path, fitted(path)[1]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return town(tmp_path_factory.mktemp("early"))[1]


def planned(sql: str, catalog: Catalog) -> Plan:
    made = plan(sql, catalog)
    check_plan(made, catalog, "duckdb", Accounting.ZCDP)
    assert not faults(made, catalog, "duckdb")
    return made


def texts(made: Plan) -> list[str]:
    return [each.bounded.sql for each in made.releases]


def test_where_a_link_is_grouped_by(catalog: Catalog) -> None:
    for sql in EARLY:
        assert any(_FORM in text for text in texts(planned(sql, catalog))), sql
    for sql in LATE:
        assert not any(_FORM in text for text in texts(planned(sql, catalog))), sql


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_they_give_the_same_integers(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever's rows are there, so that what moves one way moves as far the other way: links dangle, and are NULL."""
    for without in (None, 1 + seed):
        path, found = town(tmp_path, seed, without)
        early = [planned(sql, found) for sql in EARLY]
        with monkeypatch.context() as patched:
            patched.setattr(unit_index, "grouped_early", lambda tree: tree)
            late = [planned(sql, found) for sql in EARLY]
        with opened_room(fitted(path)[0]) as run:
            for one, other in zip(early, late, strict=True):
                for here, there in zip(one.releases, other.releases, strict=True):
                    sides: tuple[Bounded, Bounded] = (here.bounded, there.bounded)
                    assert exact(sides[0].sql, sides[0], run) == exact(sides[1].sql, sides[1], run)


def _changed(sql: str, old: str, new: str) -> str:
    assert old in sql, old
    return sql.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"bill" AS g0', '"part" AS g0'),
        ('s0."g0" = h0."bill"', 's0."v0" = h0."bill"'),
        ("GROUP BY g0)", "GROUP BY v0)"),
        ('FROM "parts" AS s0)', 'FROM "parts" AS s0 JOIN "bills" AS s1 ON s0."bill" <> s1."bill")'),
        ('FROM "parts" AS s0)', 'FROM "parts" AS s0 LIMIT 3)'),
        ("SELECT g0, ", "SELECT MIN(g0) AS g0, "),
    ],
)
def test_groups_that_could_be_of_several_units_are_refused(catalog: Catalog, old: str, new: str) -> None:
    made = planned(EARLY[0], catalog)
    (release,) = made.releases
    text = _changed(release.bounded.sql, old, new)
    wrong = replace(made, releases=(replace(release, bounded=replace(release.bounded, sql=text)),))
    parse_one(text, into=exp.Select, read="duckdb")
    with pytest.raises(CheckFault):
        check_plan(wrong, catalog, "duckdb", Accounting.ZCDP)
    assert faults(wrong, catalog, "duckdb")
