"""What tests of a unit's numbers in columns of one row have in common: the same answers as in a row for each key, and
steps that are loosened, which the checker and the second reader refuse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

import duckdb
import pytest
from attacks.reads import faults
from test_packed_within_caps import without
from uncapped import policy, uncapped
from worlds import plan, world_catalog

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.engines import dialects
from dpproxy.engines.dialects import Dialect, dialect_of
from dpproxy.plan.private_plan import Bounded, Plan
from dpproxy.rewrite.checker import CheckFault, check_plan

DUCKDB = dialect_of("duckdb")
Told = dict[tuple[object, ...], int]
"""Totals by key, measure and its bucket; units by measure and bucket."""
Has = Callable[[str], bool]
"""Whether a text has columns."""


def checked(made: Plan, catalog: Catalog, dialect: str, accounting: Accounting) -> Bounded:
    check_plan(made, catalog, dialect, accounting)
    assert dialect != "duckdb" or not faults(made, catalog, dialect)
    return made.releases[0].bounded


def register(dialect: Dialect, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB is that dialect."""
    monkeypatch.setitem(dialects._REGISTERED, "duckdb", dialect)


def _found(
    made: Callable[[], Plan], catalog: Catalog, accounting: Accounting, ways: Iterable[Dialect], has: Has
) -> tuple[Bounded, Bounded]:
    """What is asked with columns, and without."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        found = []
        for way in ways:
            register(way, monkeypatch)
            found.append(checked(made(), catalog, "duckdb", accounting))
    first, second = found
    assert has(first.sql) and not has(second.sql)
    return first, second


def told(bounded: Bounded, world: duckdb.DuckDBPyConnection) -> Told:
    """Totals by key that are not 0; where units are scaled down, by measure and its bucket, too, and units by these."""
    found, many = Told(), len(bounded.measures)
    units: Counter[tuple[object, ...]] = Counter()
    for key, *beside in world.execute(bounded.sql).fetchall():
        totals, buckets = beside[-many:], beside[1 : many + 1] if bounded.clip is not None else [None] * many
        for place, (bucket, total) in enumerate(zip(buckets, totals, strict=True)):
            counts = bounded.clip is None or bucket is not None
            if counts and total:
                found[(key, place, bucket)] = total
            if counts and bounded.clip is not None:
                units[(place, bucket)] += beside[0]
    return {**found, **{place: count for place, count in units.items() if count}}


def are_the_same(sql: str, world: duckdb.DuckDBPyConnection, ways: Iterable[Dialect], has: Has) -> None:
    """Where caps hold: totals are those of a row for each unit and key."""
    catalog = world_catalog()
    first, second = _found(lambda: plan(sql, catalog), catalog, Accounting.ZCDP, ways, has)
    assert without(first) == without(second) and told(first, world) == told(second, world) != {}


def are_the_same_where_nothing_is_capped(
    sql: str, accounting: Accounting, world: duckdb.DuckDBPyConnection, ways: Iterable[Dialect], has: Has
) -> None:
    first, second = _found(lambda: uncapped(sql, accounting), policy(), accounting, ways, has)
    assert replace(first, sql="") == replace(second, sql="")
    assert told(first, world) == told(second, world) != {}


def is_refused(made: Plan, change: tuple[str, str], catalog: Catalog, seen: bool) -> None:
    """seen: by the second reader, too."""
    (found,) = made.releases
    old, new = change
    assert old in found.bounded.sql, found.bounded.sql
    changed = replace(found, bounded=replace(found.bounded, sql=found.bounded.sql.replace(old, new, 1)))
    mutant = replace(made, releases=(changed,))
    with pytest.raises(CheckFault):
        check_plan(mutant, catalog, "duckdb", Accounting.ZCDP)
    assert bool(faults(mutant, catalog, "duckdb")) is seen
