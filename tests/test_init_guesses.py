"""`dpproxy init` where nothing is declared: keys and links by their names, and the questions that a draft ends with."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from test_init import Command, command
from worlds import fitted, plan

from dpproxy.accounting.account import statement_loss, terms
from dpproxy.accounting.loss import Accounting
from dpproxy.draft import drafted
from dpproxy.draft.guesses import is_guess, likely_keys, with_guesses
from dpproxy.engines.described import Database, DescribedColumn, DescribedTable, ForeignKey
from dpproxy.errors import ConfigFault

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
    for asked in ((), ("People.playerID",)):
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
    told = drafted(Database("x", "duckdb:///x.duckdb", {"hr.People": people}), (), "x.toml").summary
    asked = told[told.index("and ask, for example:") + 1 :]
    more = () if average is None else (f'  SELECT {average} FROM hr."People";',)
    assert asked == ('  SELECT count(*) FROM hr."People";', *more)


def test_the_example_of_a_budget_allows_its_largest_statement() -> None:
    """As the account itself reckons, and hardly less than that."""
    text = drafted(
        Database("x", "duckdb:///x.duckdb", {"people": DescribedTable("people", columns("id"))}), (), "x"
    ).text
    lines = text[text.index("# [analysts.alice]") :].splitlines()
    example = tomllib.loads("\n".join(line.removeprefix("# ") for line in lines[2:] if line))
    assert "--epsilon 5 --delta 1e-6" in text and (example["epsilon"], example["delta"]) == (5, 1e-6)
    held = terms(Accounting.ZCDP, Decimal(5), Decimal("1e-6"))
    most = Decimal(str(example["analysts"]["alice"]["defaults"]["max_epsilon"]))
    assert statement_loss(held, most) <= held.limit.main < statement_loss(held, most + Decimal("0.1"))


def described(name: str, *listed: str) -> DescribedTable:
    """A table without constraints, of texts; `column: type` is of that type."""
    told = [each.partition(": ") for each in listed]
    return DescribedTable(name, tuple(DescribedColumn(column, kind or "text", True) for column, _, kind in told))


FLIGHTS = {
    each.name: each
    for each in (
        described("airlines", "carrier", "name"),
        described("flights", "year: bigint", "day: bigint", "carrier", "tailnum", "origin", "delay: double precision"),
        described("logs", "line", "TailNum: bigint"),
        described("planes", "tailnum", "year: bigint", "engine"),
        described("weather", "origin", "year: bigint", "wind: double precision"),
    )
}


@pytest.mark.parametrize(("own", "other"), [("planes", "flights"), ("flights", "planes")])
def test_what_is_called_like_the_key_that_the_owner_names_is_the_units(own: str, other: str) -> None:
    """Whether that key is unique or not: nothing says that it is. Nothing that is called like it may become public, nor
    do the questions group by it."""
    unit = f"{own}.tailnum"
    draft = drafted(Database("x", "duckdb:///x.duckdb", FLIGHTS), (unit,), "x.toml")
    policy = tomllib.loads(draft.text)
    assert set(policy["tables"]) == {own, other}
    assert "link" not in policy["tables"][own] and "primary_key" not in policy["tables"][own]
    assert policy["tables"][other]["link"] == {"tailnum": unit}
    assert "# TODO: does tailnum say which" in draft.text
    assert "# [tables.weather]\n# public = true" in draft.text and "[tables.logs]" not in draft.text
    assert f"TailNum is called like {unit}; it is of another type" in draft.text
    (public,) = [line for line in draft.summary if "about nobody" in line]
    assert public.endswith("in airlines, weather")
    asked = draft.summary[draft.summary.index("and ask, for example:") + 1 :]
    assert len(asked) == 3 and not any("tailnum" in each or "avg(day)" in each for each in asked)


def test_a_draft_of_a_key_that_many_rows_have_is_served(tmp_path: Path) -> None:
    flights = "CREATE TABLE flights (tailnum VARCHAR, delay DOUBLE)"
    url = made(tmp_path, f"{flights}; CREATE TABLE planes (tailnum VARCHAR, engine VARCHAR)")
    file = tmp_path / "flights.toml"
    tables = {
        "flights": described("flights", "tailnum", "delay: double precision"),
        "planes": described("planes", "tailnum", "engine"),
    }
    draft = drafted(Database("x", url, tables), ("flights.tailnum",), str(file))
    file.write_text(draft.text)
    catalog = fitted(file)[1]
    asked = [each.strip().removesuffix(";") for each in draft.summary if each.startswith("  SELECT")]
    assert len(asked) == 3
    assert all(plan(sql, catalog, {"epsilon": "1", "delta": "1e-7"}).releases for sql in asked)


def test_what_is_called_like_a_key_is_not_offered_as_public_where_links_are_declared() -> None:
    """A link is drafted where the owner names the unit; else it is said how."""
    key = (DescribedColumn("customer_id", "integer", False),)
    customers = DescribedTable("customers", key, ("customer_id",), frozenset({("customer_id",)}))
    link = ForeignKey(("customer_id",), "customers", ("customer_id",))
    orders = DescribedTable("orders", columns("customer_id"), foreign_keys=(link,))
    tables = {"customers": customers, "orders": orders, "calls": DescribedTable("calls", columns("customer_id", "no"))}
    database = Database("x", "duckdb:///x.duckdb", tables)
    text = drafted(database, (), "x.toml").text
    assert "tables.calls" not in text and "calls: its rows may be about a customer" in text
    assert "`dpproxy init --unit customers.customer_id` drafts it so" in text
    asked = tomllib.loads(drafted(database, ("customers.customer_id",), "x.toml").text)
    assert asked["tables"]["calls"]["link"] == {"customer_id": "customers.customer_id"}


def test_without_a_key_the_columns_that_tables_share_are_named() -> None:
    """By name and type, in the table where they stand first; a part of a date is none."""
    with pytest.raises(ConfigFault, match="no column is called like one") as refused:
        drafted(Database("x", "duckdb:///x.duckdb", FLIGHTS), (), "x.toml")
    hint = str(refused.value.hint)
    assert hint.endswith(": --unit airlines.carrier, --unit planes.tailnum, --unit weather.origin")
    with pytest.raises(ConfigFault) as alone:
        drafted(Database("x", "duckdb:///x.duckdb", {"planes": FLIGHTS["planes"]}), (), "x.toml")
    assert "No column is in several tables" in str(alone.value.hint)


RETAIL = """
CREATE TABLE income_band (band_sk INTEGER PRIMARY KEY, lower_bound INTEGER);
CREATE TABLE household (hd_sk INTEGER PRIMARY KEY, band_sk INTEGER REFERENCES income_band, buy_potential VARCHAR{more});
CREATE TABLE customer (c_sk INTEGER PRIMARY KEY, {of} INTEGER{refers}, c_state VARCHAR);
CREATE TABLE sales (c_sk INTEGER REFERENCES customer, hd_sk INTEGER REFERENCES household, price INTEGER);
"""
REFERS = {"more": "", "of": "c_hd", "refers": " REFERENCES household (hd_sk)"}
KIND = "household: by its name each row is about a household; several customers may refer to one."


@pytest.mark.parametrize(
    ("changed", "suggested"),
    [
        ({}, True),
        ({"more": ", phone VARCHAR"}, False),
        ({"more": ", notes VARCHAR"}, False),
        ({"refers": ""}, False),
    ],
    ids=["a kind of household", "whom one can call", "of whom somebody wrote", "nobody's"],
)
def test_what_several_units_share_is_to_be_decided(
    changed: dict[str, str], suggested: bool, command: Command, tmp_path: Path
) -> None:
    """A household may be a kind of household: of what tells who somebody is nothing suggests that."""
    url = made(tmp_path, RETAIL.format(**{**REFERS, **changed}))
    status, out, err = command("init", url, "--unit", "customer")
    assert status == 0, err
    text = " ".join(out.replace("# ", "").split())
    assert (KIND in text) == suggested
    assert ("# [tables.household]" in out) == suggested
    assert "# [tables.income_band]" in out
    assert ("household" in err.partition("whether rows are about nobody")[2].partition("\n")[0]) == suggested
    status, out, err = command("init", url, "--unit", "household")
    assert status == 0 and tomllib.loads(out)["units"] == {"household": {"table": "household", "key": "hd_sk"}}
