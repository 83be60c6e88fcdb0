"""What makes a release the one that it is, and that it comes back from text as it was."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.plan.losses import lost
from dpproxy.plan.private_plan import Plan, RowEnds
from dpproxy.release_identity import digest, earlier, identity, inputs, read, written
from dpproxy.rows import Column, Rows, Value

POLICY = b"policy"
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.text(),
    st.dates(),
    st.datetimes().map(lambda moment: moment.replace(fold=0)),
    st.uuids(),
)


def first(made: Plan) -> bytes:
    return identity(POLICY, made.releases[0], ())


@given(st.lists(st.tuples(VALUES, VALUES)))
def test_rows_come_back_as_they_were(values: list[tuple[Value, Value]]) -> None:
    rows = Rows((Column("k0", "text"), Column('a "b"', "numeric(5,2)")), tuple(values))
    back = read(written(rows))
    assert back.columns == rows.columns
    assert [list(map(shown, row)) for row in back.rows] == [list(map(shown, row)) for row in rows.rows]


def shown(value: Value) -> tuple[str, str]:
    return type(value).__name__, repr(value)


def test_no_other_text_is_read() -> None:
    for text in ("", "[]", "{}", '{"columns": [], "rows": [["x1"]]}', '{"columns": [["a"]], "rows": []}'):
        with pytest.raises((ValueError, KeyError, TypeError)):
            read(text)


ALIKE = (
    ("SELECT count(*) FROM people", "select   COUNT( * )\nfrom public.people AS p -- the same"),
    ("SELECT count(*) FROM people", "SELECT count(1) AS n FROM people"),
    ("SELECT sex, count(*) FROM people GROUP BY sex", "SELECT count(*), sex FROM people GROUP BY 2 ORDER BY 1 DESC"),
    ("SELECT sex, avg(age) FROM people GROUP BY sex", "SELECT avg(p.age) / 2 AS half FROM people p GROUP BY p.sex"),
    (
        "SELECT city, count(*) FROM people WHERE age > 30 GROUP BY city",
        "WITH old AS (SELECT city, count(*) AS n FROM people WHERE (age > 30) GROUP BY city) "
        "SELECT * FROM old WHERE n > 5 LIMIT 3",
    ),
)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_another_spelling_is_the_same_release(catalog: Catalog, one: str, other: str) -> None:
    assert first(plan(one, catalog)) == first(plan(other, catalog))


OTHERS = (
    ("SELECT count(*) FROM people WHERE age > 30", "SELECT count(*) FROM people WHERE age > 31", {}),
    ("SELECT sum(age) FROM people", "SELECT sum(income) FROM people", {}),
    ("SELECT count(*) FROM people", "SELECT count(*) FROM people", {"epsilon": "0.5"}),
    ("SELECT count(*) FROM people", "SELECT count(*) FROM people", {"mechanism": "laplace"}),
    ("SELECT city, count(*) FROM people GROUP BY 1", "SELECT city, count(*) FROM people GROUP BY 1",
     {"delta": "1e-12"}),
    ("SELECT count(*) FROM visits", "SELECT count(*) FROM visits", {"max_rows_per_unit": "3"}),
    ("SELECT dept, count(*) FROM visits GROUP BY 1", "SELECT dept, count(*) FROM visits GROUP BY 1",
     {"max_groups_per_unit": "2"}),
)  # fmt: skip


@pytest.mark.parametrize(("one", "other", "settings"), OTHERS)
def test_another_question_or_noise_is_another_release(
    catalog: Catalog, one: str, other: str, settings: dict[str, str]
) -> None:
    assert first(plan(one, catalog)) != first(plan(other, catalog, settings))


def test_what_is_known_of_a_row_makes_no_release_another_one(catalog: Catalog) -> None:
    """It is for error bars alone: what was stored before it was known is told again."""
    made = plan("SELECT sum(age) FROM people", catalog).releases[0]
    known = tuple(replace(each, ends=RowEnds(0, 110)) for each in made.bounded.measures)
    other = replace(made, bounded=replace(made.bounded, measures=known))
    assert identity(POLICY, other, ()) == identity(POLICY, made, ())


def test_a_release_that_is_told_another_value_is_another_one(catalog: Catalog) -> None:
    made = plan("SELECT count(*) FROM people WHERE income > (SELECT avg(income) FROM people)", catalog)
    inner, outer = made.releases
    assert not earlier(inner)
    assert earlier(outer) == {0}
    assert len(inputs(outer)) == 1
    assert identity(POLICY, outer, ((1.5,),)) == identity(POLICY, outer, ((1.5,),))
    assert identity(POLICY, outer, ((1.5,),)) != identity(POLICY, outer, ((1.25,),))


def test_another_policy_is_another_release(catalog: Catalog) -> None:
    release = plan("SELECT count(*) FROM people", catalog).releases[0]
    assert identity(b"one", release, ()) != identity(b"other", release, ())
    changed = dict(catalog.tables) | {"people": replace(catalog.tables["people"], max_rows_per_unit=7)}
    assert digest(catalog) != digest(Catalog(changed, catalog.units))


def test_no_two_values_look_alike() -> None:
    values = [None, False, True, 0, 1, 0.0, -0.0, 1.0, "", "i1", "1", b"1", Decimal(1), Decimal("1.0"), (), ("1",),
              (1,), ((1,),), frozenset({1}), {1: 1}, date(2020, 1, 1), datetime(2020, 1, 1), "d2020-01-01"]  # fmt: skip
    assert len({digest(value) for value in values}) == len(values)
    assert digest("a", "b") != digest(("a", "b"))
    with pytest.raises(ValueError, match="complex"):
        digest(1j)


@pytest.mark.long
def test_every_process_finds_the_same_identity(catalog: Catalog, tmp_path: Path) -> None:
    """Sets have another order in each process, and several proxies share one store."""
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; from worlds import fitted, make_world;"
        "from dpproxy.release_identity import digest; print(digest(fitted(make_world(Path(sys.argv[2])))[1]).hex())"
    )
    told = set()
    for seed in ("1", "2", "3"):
        made = tmp_path / seed
        made.mkdir()
        call = [sys.executable, "-c", script, str(Path(__file__).parent), str(made)]
        done = subprocess.run(call, capture_output=True, text=True, env={"PYTHONHASHSEED": seed}, check=True)
        told.add(done.stdout)
    assert told == {digest(catalog).hex() + "\n"}


def test_a_part_loses_no_more_than_the_whole(catalog: Catalog) -> None:
    made = plan(
        "SELECT city, count(*), avg(age) FROM people GROUP BY city HAVING avg(age) > (SELECT avg(age) FROM people)",
        catalog,
    )
    parts = [lost([each], None, Accounting.ZCDP) for each in made.releases]
    assert all(part.main > 0 for part in parts)
    assert sum((part.delta for part in parts), Decimal(0)) > 0
    assert lost(made.releases, None, Accounting.ZCDP) == parts[0] + parts[1]
    assert lost(made.releases, None, Accounting.ZCDP).within(made.cost)
