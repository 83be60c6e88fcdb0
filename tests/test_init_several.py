"""`dpproxy init` of several units: rows of two are private for both, what is more is left out until it is decided."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized
from scratch_postgres import MAJORS, ScratchPostgres, scratch_postgres
from test_init import Command, command
from worlds import fitted, plan

from dpproxy.config import load
from dpproxy.draft import Draft, drafted
from dpproxy.engines.described import Database, DescribedColumn, DescribedTable, ForeignKey
from dpproxy.errors import ConfigFault

__all__ = ["command"]

SCRIPT = """
CREATE TABLE nation (n_nationkey INTEGER PRIMARY KEY, n_name VARCHAR(25) NOT NULL);
CREATE TABLE supplier (s_suppkey BIGINT PRIMARY KEY, s_nationkey INTEGER NOT NULL REFERENCES nation (n_nationkey));
CREATE TABLE part (p_partkey BIGINT PRIMARY KEY, p_size INTEGER NOT NULL);
CREATE TABLE partsupp (ps_partkey BIGINT NOT NULL REFERENCES part (p_partkey),
  ps_suppkey BIGINT NOT NULL REFERENCES supplier (s_suppkey), PRIMARY KEY (ps_partkey, ps_suppkey));
CREATE TABLE customer (c_custkey BIGINT PRIMARY KEY, c_nationkey INTEGER NOT NULL REFERENCES nation (n_nationkey));
CREATE TABLE orders (o_orderkey BIGINT PRIMARY KEY, o_custkey BIGINT NOT NULL REFERENCES customer (c_custkey));
CREATE TABLE lineitem (l_orderkey BIGINT NOT NULL REFERENCES orders (o_orderkey), l_partkey BIGINT NOT NULL,
  l_suppkey BIGINT NOT NULL, l_linenumber INTEGER NOT NULL, l_quantity DECIMAL(15,2) NOT NULL,
  l_returnflag CHAR NOT NULL CHECK (l_returnflag IN ('A', 'N', 'R')), PRIMARY KEY (l_orderkey, l_linenumber),
  FOREIGN KEY (l_partkey, l_suppkey) REFERENCES partsupp (ps_partkey, ps_suppkey));
CREATE TABLE claims (claim BIGINT PRIMARY KEY, orderkey BIGINT NOT NULL, line INTEGER NOT NULL,
  FOREIGN KEY (orderkey, line) REFERENCES lineitem (l_orderkey, l_linenumber));
CREATE TABLE accounts (account VARCHAR(9) PRIMARY KEY, city VARCHAR(9));
CREATE TABLE transfers (transfer BIGINT PRIMARY KEY, sender VARCHAR(9) NOT NULL REFERENCES accounts (account),
  receiver VARCHAR(9) NOT NULL REFERENCES accounts (account), amount INTEGER NOT NULL CHECK (amount BETWEEN 0 AND 99));
CREATE TABLE disputes (dispute BIGINT PRIMARY KEY, transfer BIGINT NOT NULL REFERENCES transfers (transfer),
  account VARCHAR(9) NOT NULL REFERENCES accounts (account));
"""
UNITS = ("--unit", "customer.c_custkey", "--unit", "supplier.s_suppkey", "--unit", "accounts")
SECTIONS: dict[str, dict[str, Any]] = {
    "customer": {"unit": "customer"},
    "supplier": {"unit": "supplier"},
    "accounts": {"unit": "user"},
    "orders": {"unit": "customer", "link": {"o_custkey": "customer.c_custkey"}},
    "partsupp": {"unit": "supplier", "link": {"ps_suppkey": "supplier.s_suppkey"}},
    "lineitem": {
        "units": {"customer": {"l_orderkey": "orders.o_orderkey"}, "supplier": {"l_suppkey": "supplier.s_suppkey"}}
    },
    "transfers": {"units": {"user": {"sender": "accounts.account", "receiver": "accounts.account"}}},
}
QUESTIONS = (
    "SELECT count(*) FROM lineitem",
    "SELECT l_returnflag, count(*) FROM lineitem GROUP BY l_returnflag",
    "SELECT sum(amount) FROM transfers",
)


@pytest.fixture(scope="module", params=("duckdb", "postgres"))
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The tables in a file, and in the newest Postgres."""
    if request.param == "duckdb":
        file = tmp_path_factory.mktemp("several") / "shop.duckdb"
        with duckdb.connect(str(file)) as connection:
            connection.execute(SCRIPT)
        yield f"duckdb:///{file}"
        return
    with scratch_postgres(MAJORS[max(MAJORS)]) as server:
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            connection.execute(SCRIPT)
            connection.execute("SET password_encryption = 'scram-sha-256'")
            connection.execute("CREATE ROLE reader LOGIN PASSWORD 'words'")
            connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        yield f"postgresql://reader:words@/{_database(server)}?host={server.directory}"


def _database(server: ScratchPostgres) -> str:
    with psycopg.connect(server.conninfo) as connection:
        return str(connection.info.dbname)


def whose(section: dict[str, Any]) -> dict[str, Any]:
    """What a table's section says of its units."""
    return {part: section[part] for part in ("unit", "link", "units") if part in section}


def test_rows_of_two_units(url: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A customer's and a supplier's, by a column of a composite key; a sender's and a receiver's. The draft is accepted
    as it is, and answers."""
    monkeypatch.setenv("PGPASSWORD", "words")
    file = tmp_path / "shop.toml"
    status, _, err = command("init", url, *UNITS, "--output", str(file))
    assert status == 0, err
    draft = tomllib.loads(file.read_text())
    assert draft["units"] == {
        "customer": {"table": "customer", "key": "c_custkey"},
        "supplier": {"table": "supplier", "key": "s_suppkey"},
        "user": {"table": "accounts", "key": "account"},
    }
    assert {name: whose(section) for name, section in draft["tables"].items()} == SECTIONS
    assert not any(column.get("hidden") for column in draft["tables"]["transfers"]["columns"].values())
    for line in (
        "  of two in each row: lineitem, a customer by l_orderkey and a supplier by l_suppkey",
        "  of two in each row: transfers, a user by sender and a user by receiver",
        "  1. whose rows these have, which are left out until then: claims, disputes",
        "  SELECT count(*) FROM lineitem;",
    ):
        assert line in err.splitlines()
    assert "could also be" not in file.read_text()
    status, out, told = command("check", "--config", str(file))
    assert status == 0 and "is good" in out, told
    file.write_text(file.read_text().replace("${PGPASSWORD}", "words"))
    catalog = fitted(file)[1]
    dialect = url.partition(":")[0].replace("postgresql", "postgres")
    asked = (*QUESTIONS, *(each.strip(" ;") for each in err.splitlines() if each.startswith("  SELECT")))
    assert all(plan(sql, catalog, {"epsilon": "1"}, dialect=dialect).releases for sql in asked)
    assert "claims" not in catalog.tables


def test_one_unit_whose_rows_are_of_two(url: str, command: Command) -> None:
    """Nobody has to name a unit twice; and what refers to a transfer has no link to it."""
    status, out, err = command("init", url, "--unit", "accounts")
    assert status == 0, err
    draft = tomllib.loads(out)["tables"]
    assert set(draft) == {"accounts", "transfers"}
    assert whose(draft["transfers"]) == SECTIONS["transfers"]
    assert "# TODO: disputes is left out until you decide" in out


def key(columns: str, target: str, *ends: str) -> ForeignKey:
    return ForeignKey(tuple(columns.split()), target, ends or ("id",))


def table(name: str, *keys: ForeignKey, nullable: str = "", more: str = "") -> DescribedTable:
    """With an integer key `id`, and the columns of its foreign keys."""
    named = dict.fromkeys(["id", *(column for each in keys for column in each.columns), *more.split()])
    columns = tuple(DescribedColumn(each, "integer", each in nullable.split()) for each in named)
    return DescribedTable(name, columns, ("id",), frozenset({("id",)}), keys)


def draft(tables: list[DescribedTable], *units: str) -> Draft:
    return drafted(Database("x", "duckdb:///x.duckdb", {each.name: each for each in tables}), units, "x.toml")


def policy(tables: list[DescribedTable], *units: str) -> dict[str, Any]:
    return tomllib.loads(draft(tables, *units).text)


PEOPLE = [table("clients"), table("agents"), table("banks")]
ALL = ("clients", "agents", "banks")
CLIENT, AGENT, BANK = key("client", "clients"), key("agent", "agents"), key("bank", "banks")
UNDECIDED = {
    "three units": [table("deals", CLIENT, AGENT, BANK)],
    "three of a kind": [table("deals", key("a", "clients"), key("b", "clients"), key("c", "clients"))],
    "two of a kind and another": [table("deals", key("a", "clients"), key("b", "clients"), AGENT)],
    "by a table of two": [table("loans", CLIENT, AGENT), table("deals", key("loan", "loans"))],
    "by a table of two, and another": [table("loans", CLIENT, AGENT), table("deals", key("loan", "loans"), BANK)],
    "two ways that may differ": [table("loans", CLIENT), table("deals", key("loan", "loans"), CLIENT)],
    "a second one that may be missing": [table("deals", CLIENT, key("by", "clients"), nullable="by")],
    "one column for two": [table("deals", key("who", "clients"), key("who", "agents"))],
    "a composite key": [table("loans", AGENT), table("deals", CLIENT, key("x y", "loans", "id", "rate"))],
    "behind a composite key": [
        table("loans", key("x y", "agents", "id", "rate")),
        table("deals", CLIENT, key("loan", "loans")),
    ],
    "behind a composite key, of a kind": [
        table("loans", key("x y", "clients", "id", "rate")),
        table("deals", CLIENT, key("loan", "loans")),
    ],
    "of two, and round in a circle": [
        table("deals", CLIENT, AGENT, key("latest", "parts"), nullable="latest"),
        table("parts", key("deal", "deals")),
    ],
    "round in a circle": [
        table("deals", CLIENT, key("latest", "parts"), nullable="latest"),
        table("parts", key("deal", "deals"), AGENT),
    ],
}


@pytest.mark.parametrize("case", UNDECIDED)
def test_what_is_not_two_units_is_left_out(case: str, tmp_path: Path) -> None:
    """The policy loads without it. Each thing to write that the draft shows is accepted where it is written."""
    made = draft([*PEOPLE, *UNDECIDED[case]], *ALL)
    assert "deals" not in tomllib.loads(made.text)["tables"]
    assert "# TODO: deals is left out until you decide whose its rows are." in made.text
    assert any(line.startswith("  1. whose rows these have") and "deals" in line for line in made.summary)
    file = tmp_path / "x.toml"
    file.write_text(made.text)
    load(file, {})
    for choice in choices(made.text):
        file.write_text(written(made.text, choice))
        assert "deals" in load(file, {}).tables


def choices(text: str) -> list[str]:
    """What the remarks on `deals` say that may be written, each as lines."""
    remarks = text[text.index("# TODO: deals is left out") :]
    found, _, _ = remarks.partition("# [tables.deals]")
    lines = [line.removeprefix("#   ") for line in found.splitlines() if re.match("#   (units?|link) = ", line)]
    return re.findall(r"units = .*|unit = .*\nlink = .*", "\n".join(lines))


def written(text: str, choice: str) -> str:
    """The draft with the section of `deals`, and that choice."""
    before, after = text.split("# [tables.deals]\n")
    section, _, rest = after.partition("\n\n")
    return f"{before}[tables.deals]\n{choice}\n{re.sub('(?m)^# ', '', section)}\n\n{rest}"


def test_how_many_choices_there_are() -> None:
    three = choices(draft([*PEOPLE, *UNDECIDED["three units"]], *ALL).text)
    assert three[0] == 'units = { client = { client = "clients.id" }, agent = { agent = "agents.id" } }'
    assert len(three) == 3
    assert len(choices(draft([*PEOPLE, *UNDECIDED["two ways that may differ"]], *ALL).text)) == 3
    assert not choices(draft([*PEOPLE, *UNDECIDED["by a table of two"]], *ALL).text)


def test_two_orders_are_of_two_customers() -> None:
    """Keys beside one another to a table of one unit are two links, as those to the unit's own are."""
    tables = [*PEOPLE, table("orders", CLIENT), table("swaps", key("given", "orders"), key("taken", "orders"))]
    expected = {"units": {"client": {"given": "orders.id", "taken": "orders.id"}}}
    assert whose(policy(tables, "clients", "agents")["tables"]["swaps"]) == expected
    assert whose(policy(tables, "clients")["tables"]["swaps"]) == expected


def test_the_own_table_of_a_unit_is_of_that_unit_alone() -> None:
    tables = [table("agents"), table("clients", AGENT)]
    with pytest.raises(ConfigFault, match="a row of clients refers to an agent, too") as fault:
        draft(tables, "clients", "agents")
    assert fault.value.hint == "Draft it for one of them: --unit clients.id, or --unit agents.id"
    with pytest.raises(ConfigFault, match="clients cannot be both's own table"):
        draft([table("clients", more="born")], "clients.id", "clients.born")
    with pytest.raises(ConfigFault, match=r"the unit clients\.id is named twice"):
        draft(tables, "clients", "clients.id")


def test_names_of_units_differ() -> None:
    tables = [table("hr.people"), table("crm.people"), table("persons"), table("crm_people")]
    units = policy(tables, *(each.name for each in tables))["units"]
    assert {name: unit["table"] for name, unit in units.items()} == {
        "person": "hr.people", "crm_people": "crm.people", "persons": "persons", "crm_people_2": "crm_people"
    }  # fmt: skip


def test_links_by_names_where_nothing_is_declared() -> None:
    """Of each unit that the owner names; a column that is called like a key, of another type, is a doubt."""
    client, agent = DescribedColumn("client_id", "integer", True), DescribedColumn("agent_id", "integer", True)
    plain = [
        DescribedTable("clients", (client,)),
        DescribedTable("agents", (agent,)),
        DescribedTable("deals", (client, agent)),
        DescribedTable("calls", (client, DescribedColumn("agent_id", "text", True))),
    ]
    made = draft(plain, "clients.client_id", "agents.agent_id")
    tables = tomllib.loads(made.text)["tables"]
    assert set(tables) == {"clients", "agents", "deals"}
    links = {"client": {"client_id": "clients.client_id"}, "agent": {"agent_id": "agents.agent_id"}}
    assert whose(tables["deals"]) == {"units": links}
    assert "# TODO: does agent_id say which agent's the row is?" in made.text
    assert "# By its name agent_id says which agent's a row is, and it is of another type." in made.text


@st.composite
def schemas(draw: st.DrawFn) -> list[DescribedTable]:
    """Two units' own tables, and a few with foreign keys to any: single, composite, nullable, of a wrong type, round in
    circles."""
    names = ["clients", "agents", *(f"t{number}" for number in range(draw(st.integers(1, 5))))]
    made = [table("clients", more="rate"), table("agents", more="rate")]
    for name in names[2:]:
        ends = draw(st.lists(st.tuples(st.sampled_from(names), st.sampled_from(["one", "two", "wrong"])), max_size=3))
        keys = [_key(place, end, kind) for place, (end, kind) in enumerate(ends)]
        plain = table(name, *keys, nullable=draw(st.sampled_from(["", "a0", "a1 a2"])), more="rate")
        typed = tuple(DescribedColumn(each.name, "bigint" if each.name[0] == "w" else each.type, each.nullable)
                      for each in plain.columns)  # fmt: skip
        made.append(DescribedTable(name, typed, ("id",), plain.unique, plain.foreign_keys))
    return made


def _key(place: int, target: str, kind: str) -> ForeignKey:
    """a: of that type; b and c: of two columns, of which one is the other's own column a0; w: of a wrong type."""
    if kind == "two":
        return key(f"b{place} c{place}", target, "rate", "a0")
    return key(f"{'a' if kind == 'one' else 'w'}{place}", target)


@pytest.mark.larger
@settings(max_examples=sized(60, 200, 2000), deadline=None)
@given(tables=schemas())
def test_no_row_is_of_more_units_than_the_policy_says(tables: list[DescribedTable], tmp_path_factory: Any) -> None:
    """A walk along all foreign keys, whatever they are, comes to the units of a table and to no others; and no key to
    somebody's table is passed over, but one of several columns of which one is a link by itself, and circles."""
    made = draft(tables, "clients", "agents")
    file = tmp_path_factory.getbasetemp() / "walk.toml"
    file.write_text(made.text)
    config = load(file, {})
    near = {each.name: {end.table for end in each.foreign_keys} for each in tables}
    walks = {name: walked(name, near) for name in near}
    own = {"clients": "client", "agents": "agent"}
    for name, section in config.tables.items():
        assert {own[each] for each in walks[name] & own.keys()} == (set(section.units) or {section.unit})
        ends = {column: link.rpartition(".")[0] for column, link in section.links}
        for end in next(each for each in tables if each.name == name).foreign_keys:
            is_link = len(end.columns) == 1 and ends.get(end.columns[0]) == end.table
            circle = name in walks[end.table]
            if walks[end.table] & own.keys() and not is_link and not circle and name not in own:
                there = next(each for each in tables if each.name == end.table)
                somebodys = {each.columns for each in there.foreign_keys if walks[each.table] & own.keys()}
                assert len(end.columns) == 2 and end.columns[1] in ends and somebodys == {("a0",)}


def walked(name: str, near: dict[str, set[str]]) -> set[str]:
    """The tables that foreign keys lead to from one, with itself."""
    seen, todo = {name}, [name]
    while todo:
        further = near[todo.pop()] - seen
        seen |= further
        todo += further
    return seen
