"""`dpproxy init` where nothing is declared: keys and links by their names, and the questions that a draft ends with."""

from __future__ import annotations

import tomllib
from pathlib import Path

import duckdb
import pytest
from test_init import Command, command
from worlds import fitted, plan

from dpproxy.draft import drafted
from dpproxy.draft.guesses import is_guess, likely_keys, with_guesses
from dpproxy.engines.described import Database, DescribedColumn, DescribedTable, ForeignKey

__all__ = ["command"]

BASEBALL = """
CREATE TABLE people ("playerID" VARCHAR, name_first VARCHAR, "nameLast" VARCHAR, dob DATE, zip VARCHAR, lat DOUBLE,
  weight INTEGER, bats VARCHAR);
CREATE TABLE salaries ("yearID" INTEGER, "teamID" VARCHAR, "playerID" VARCHAR, salary DOUBLE);
CREATE TABLE teams ("teamID" VARCHAR, park VARCHAR);
INSERT INTO people SELECT i, 'a', 'b', '2000-01-01', '1', 1, 80, 'L' FROM range(50) AS r(i);
INSERT INTO salaries SELECT 2000 + i % 4, 'x', i % 50, 100 FROM range(200) AS r(i);
"""
QUESTIONS = [
    "SELECT count(*) FROM people",
    "SELECT bats, count(*) FROM people GROUP BY bats ORDER BY 2 DESC LIMIT 10",
    'SELECT "yearID", round(avg(salary)) AS average, dp.low(avg(salary)), dp.high(avg(salary)) FROM salaries '
    "GROUP BY 1 ORDER BY 1",
]


def made(directory: Path, script: str = BASEBALL) -> str:
    with duckdb.connect(str(directory / "league.duckdb")) as connection:
        connection.execute(script)
    return f"duckdb:///{directory}/league.duckdb"


@pytest.mark.long
def test_a_file_without_keys(command: Command, tmp_path: Path) -> None:
    """The draft is served unedited, once it was seen that its key is one; its questions are answered."""
    file = tmp_path / "league.toml"
    status, out, err = command("init", made(tmp_path), "--output", str(file), "--data")
    assert status == 0, err
    draft = tomllib.loads(file.read_text())
    assert draft["units"] == {"person": {"table": "people", "key": "playerID"}}
    assert draft["tables"]["people"]["primary_key"] == ["playerID"]
    assert draft["tables"]["salaries"]["link"] == {"playerID": "people.playerID"}
    hidden = [name for name, column in draft["tables"]["people"]["columns"].items() if column.get("hidden")]
    assert hidden == ["name_first", "nameLast", "dob", "zip", "lat"]
    assert "if the keys and links are true that it guessed by names" in file.read_text()
    assert "whether people.playerID is unique" in err and "the way to a person in salaries" in err
    assert "(playerID) of people is unique" in out
    asked = [line.strip().removesuffix(";") for line in err.splitlines() if line.startswith("  SELECT")]
    assert asked == QUESTIONS
    catalog = fitted(file)[1]
    assert all(plan(sql, catalog, {"epsilon": "1", "delta": "1e-7"}).releases for sql in asked)


@pytest.mark.long
def test_a_guess_that_is_wrong_is_not_believed(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    twice = made(tmp_path, f"{BASEBALL} INSERT INTO people BY NAME SELECT '7' AS \"playerID\"")
    status, out, err = command("init", twice, "--output", str(file), "--data")
    assert status == 1
    assert "(playerID) of people is not unique" in out + err
    _, catalog = fitted(file)
    assert not catalog.tables["people"].unique


def test_data_needs_a_file(command: Command, tmp_path: Path) -> None:
    status, out, err = command("init", made(tmp_path), "--data")
    assert (status, out) == (1, "") and "--output FILE" in err


def columns(*names: str) -> tuple[DescribedColumn, ...]:
    return tuple(DescribedColumn(name, "integer", True) for name in names)


def test_which_columns_are_taken_for_keys() -> None:
    """That of a table's own name, or `id`; in a table of people what others share; and no other."""
    tables = {
        "users": DescribedTable("users", columns("id", "age")),
        "logins": DescribedTable("logins", columns("user_id", "at")),
        "members": DescribedTable("members", columns("club_no", "age")),
        "payments": DescribedTable("payments", columns("club_no", "amount")),
        "things": DescribedTable("things", columns("colour", "maker_id")),
    }
    assert likely_keys(tables) == [("members", "club_no"), ("users", "id")]
    guessed = with_guesses(tables, "users", "id")
    assert guessed["users"].primary_key == ("id",)
    assert guessed["logins"].foreign_keys == (ForeignKey(("user_id",), "users", ("id",), by_name=True),)
    assert not guessed["things"].foreign_keys and not guessed["payments"].foreign_keys


def test_the_column_that_others_share_goes_before_an_id_of_its_own() -> None:
    """Also where the owner names it; and what may be about people two tables away is not said to be about nobody."""
    tables = {
        "People": DescribedTable("People", columns("ID", "playerID", "weight")),
        "Batting": DescribedTable("Batting", columns("playerID", "runs")),
        "Invoice": DescribedTable("Invoice", columns("InvoiceId", "playerID")),
        "InvoiceLine": DescribedTable("InvoiceLine", columns("InvoiceLineId", "InvoiceId", "price")),
        "Parks": DescribedTable("Parks", columns("parkkey", "city")),
    }
    assert likely_keys(tables)[0] == ("People", "playerID")
    assert is_guess(tables, "People", "ID") and not is_guess(tables, "Batting", "playerID")
    for asked in (None, "People.playerID"):
        draft = drafted(Database("x", "duckdb:///x.duckdb", tables), asked, "x.toml")
        policy = tomllib.loads(draft.text)
        assert policy["tables"]["People"]["primary_key"] == ["playerID"]
        assert policy["tables"]["Batting"]["link"] == {"playerID": "People.playerID"}
        (public,) = [line for line in draft.summary if "about nobody" in line]
        assert public.endswith("in Parks")
        assert "InvoiceLine: its rows are about a person, by what they refer to" in draft.text


def test_what_is_declared_is_not_guessed() -> None:
    users = DescribedTable("users", columns("id"), ("id",), frozenset({("id",)}))
    orders = DescribedTable("orders", columns("user_id"), foreign_keys=(ForeignKey(("user_id",), "users", ("id",)),))
    visits = DescribedTable("visits", columns("user_id"))
    assert not is_guess({"users": users, "visits": visits}, "users", "id")
    assert with_guesses({"users": users, "visits": visits}, "users", "id")["visits"].foreign_keys[0].by_name
    declared = {"users": users, "orders": orders, "visits": visits}
    assert with_guesses(declared, "users", "id") == declared
    assert with_guesses(declared, "orders", "user_id") == declared


@pytest.mark.parametrize(
    ("number", "average"),
    [
        ("total", "round(avg(total)) AS average, dp.low(avg(total)), dp.high(avg(total))"),
        ("user", 'round(avg("user")) AS average, dp.low(avg("user")), dp.high(avg("user"))'),
        ("order_no", None),
    ],
)
def test_names_are_quoted_where_they_have_to_be(number: str, average: str | None) -> None:
    """Of a table of a schema, too. A number without groups is asked without them, and a code is no number."""
    people = DescribedTable("hr.People", columns("id", number))
    told = drafted(Database("x", "duckdb:///x.duckdb", {"hr.People": people}), None, "x.toml").summary
    asked = told[told.index("and ask, for example:") + 1 :]
    more = () if average is None else (f'  SELECT {average} FROM hr."People";',)
    assert asked == ('  SELECT count(*) FROM hr."People";', *more)
