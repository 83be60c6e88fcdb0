"""What BI tools write for charts, filters and previews (sql_fixtures/clients/bi_*.sql), over the wire.

Superset's statements are recorded from one that drew charts of the world; the others are in the form in which the tool
writes them. A case is a title, a statement, and what becomes of it:

    answered                    the rows of a plain Postgres, where the noise is priced away
    answered, all public keys   these, and rows of public keys that nobody has
    answered, common keys       those of them whose private keys more than one or two units have
    answered, some rows         as many rows of the same columns: LIMIT without ORDER BY
    refused CODE                with a short message and a hint
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from scratch_postgres import ScratchPostgres
from worlds import FIXTURES, SCRIPT, statements

from .served import Served, spent

pytestmark = pytest.mark.long

Connection = psycopg.Connection[Any]
Row = tuple[object, ...]
SETTINGS = {
    "dp.epsilon": "1e6",
    "dp.delta": "1e-6",
    "dp.max_rows_per_unit": "200",
    "dp.max_groups_per_unit": "200",
    "TimeZone": "UTC",
}
# Of what is said in a dialog of a tool: a sentence, and two for what to do.
MESSAGE, HINT = 100, 200
EMPTY = re.compile(r"\bLIMIT 0\b|\bWHERE (1 ?= ?0|1 <> 1|false)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Case:
    """A statement of a tool. mark: what becomes of it."""

    title: str
    sql: str
    mark: str


def read() -> Iterator[Case]:
    for path in sorted((FIXTURES / "clients").glob("bi_*.sql")):
        for block in re.split(r"\n\s*\n", path.read_text().strip()):
            title, *lines, mark = block.splitlines()
            yield Case(title.removeprefix("-- "), "\n".join(lines).rstrip(";"), mark.removeprefix("-- "))


CASES = {case.title: case for case in read()}


@pytest.fixture(scope="module")
def tool(world: Served) -> Iterator[Connection]:
    """A connection whose counts and sums are without noise."""
    options = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items())
    with world.connect("erna", options=options) as connection:
        yield connection


@pytest.fixture(scope="module")
def judge(plain: ScratchPostgres) -> Iterator[Connection]:
    """A plain Postgres with the rows that belong to a unit, in a database of the same name as the proxy's."""
    with psycopg.connect(plain.conninfo, autocommit=True) as owner:
        owner.execute("CREATE DATABASE demo TEMPLATE template0")
        with psycopg.connect(make_conninfo(plain.conninfo, dbname="demo"), autocommit=True) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            for statement in statements(SCRIPT):
                connection.execute(statement)
            connection.execute("DELETE FROM visits WHERE person_id IS NULL")
            yield connection
        owner.execute("DROP DATABASE demo")


def apart(ours: Sequence[Row], theirs: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The rows of each that the other does not have."""
    rest, missing = list(ours), []
    for row in theirs:
        same = next((each for each in rest if all(map(alike, each, row))), None)
        if same is None:
            missing.append(row)
        else:
            rest.remove(same)
    return rest, missing


def alike(ours: object, theirs: object) -> bool:
    """The same; sums to the noise that is left of a grid of cents, and averages of them."""
    if isinstance(ours, float | Decimal) and isinstance(theirs, float | Decimal):
        return abs(float(ours) - float(theirs)) <= 10 + 1e-4 * abs(float(theirs))
    return ours == theirs


@pytest.mark.parametrize("title", [title for title, case in CASES.items() if case.mark.startswith("answered")])
def test_what_tools_write_is_answered(title: str, tool: Connection, judge: Connection) -> None:
    case = CASES[title]
    ours, theirs = tool.execute(case.sql), judge.execute(case.sql)
    assert ours.description is not None
    assert theirs.description is not None
    assert [(c.name, c.type_code) for c in ours.description] == [(c.name, c.type_code) for c in theirs.description]
    said, told = ours.fetchall(), theirs.fetchall()
    rest, missing = apart(said, told)
    match case.mark:
        case "answered":
            assert (rest, missing) == ([], [])
        case "answered, all public keys":
            assert missing == []
        case "answered, common keys":
            assert rest == []
            assert 2 * len(missing) < len(told)
        case "answered, some rows":
            assert len(said) == len(told)
        case _:
            raise AssertionError(case.mark)


@pytest.mark.parametrize("title", [title for title, case in CASES.items() if case.mark.startswith("refused")])
def test_what_cannot_be_answered_is_refused_in_few_words(title: str, tool: Connection) -> None:
    before = spent(tool)
    with pytest.raises(psycopg.Error) as caught:
        tool.execute(CASES[title].sql)
    assert f"refused {caught.value.sqlstate}" == CASES[title].mark
    diagnostic = caught.value.diag
    assert len(diagnostic.message_primary or "") <= MESSAGE
    assert 0 < len(diagnostic.message_hint or "") <= HINT
    assert tool.execute("SELECT 1").fetchone() == (1,)
    assert spent(tool) == before


@pytest.mark.parametrize("title", [title for title, case in CASES.items() if EMPTY.search(case.sql)])
def test_probes_of_columns_are_free(title: str, tool: Connection) -> None:
    """What is empty whatever the tables hold reads none of them; prepared, described and by binary results too."""
    before = spent(tool)
    for prepare in (False, True):
        assert tool.execute(CASES[title].sql, prepare=prepare, binary=prepare).fetchall() == []
    assert tool.execute(f"EXPLAIN {CASES[title].sql}").fetchall()
    assert spent(tool) == before
