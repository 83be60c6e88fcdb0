"""`dpproxy init`: what it drafts of a schema, that it reads no row for it, and that `dpproxy check` takes the draft."""

from __future__ import annotations

import io
import re
import sys
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from scratch_postgres import MAJORS, ScratchPostgres, scratch_postgres
from worlds import FIXTURES

from dpproxy.catalog.policy_names import SYSTEM_COLUMNS
from dpproxy.cli.app import app
from dpproxy.config import load
from dpproxy.draft import drafted
from dpproxy.draft.checks import CheckedLimit, Known, inclusive, known
from dpproxy.draft.names import identifies, is_free_text, singular, whose
from dpproxy.draft.units import chosen
from dpproxy.draft.ways import ways
from dpproxy.engines.described import Database, DescribedColumn, DescribedTable, ForeignKey, sayable
from dpproxy.engines.libpq import parts
from dpproxy.engines.postgres.policy_url import without_secrets
from dpproxy.engines.postgres.provider import PostgresDatabase
from dpproxy.errors import ConfigFault

pytestmark = pytest.mark.larger

CLINIC, GOLDEN = FIXTURES / "init" / "clinic.sql", FIXTURES / "init" / "clinic.toml"
PASSWORD = "p@ss/%w:rd"
ENVIRON = {"PGPASSWORD": "p%40ss%2F%25w%3Ard"}


class Command:
    """`dpproxy …` in this process: its status, and what it wrote to stdout and stderr."""

    def __init__(self, capture: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self._capture, self._patch = capture, patch

    def __call__(self, *words: str) -> tuple[int, str, str]:
        self._patch.setattr(sys, "stdin", io.StringIO(""))
        self._capture.readouterr()
        with pytest.raises(SystemExit) as ended:
            app(words, prog_name="dpproxy")
        out, err = self._capture.readouterr()
        assert "Traceback" not in out + err
        return int(ended.value.code or 0), out, err


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    return Command(capsys, monkeypatch)


@pytest.fixture(scope="module", params=sorted({min(MAJORS), max(MAJORS)}))
def server(request: pytest.FixtureRequest) -> Iterator[ScratchPostgres]:
    """The oldest and the newest Postgres with the clinic's tables, and a role that may read no row of them."""
    with scratch_postgres(MAJORS[request.param]) as server:
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            connection.execute("SET password_encryption = 'scram-sha-256'")
            for role in ("reader", "selecting"):
                connection.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(role), PASSWORD))
            for name in ("clinic", "world", "empty"):
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        run_script(server, "clinic", CLINIC.read_text() + CLINIC_GRANTS)
        run_script(server, "world", (FIXTURES / "world.sql").read_text() + WORLD_KEYS)
        yield server


def run_script(server: ScratchPostgres, database: str, script: str) -> None:
    with psycopg.connect(f"{server.conninfo} dbname={database}", autocommit=True) as connection:
        connection.execute(script)


def url(server: ScratchPostgres, database: str, password: str = ENVIRON["PGPASSWORD"]) -> str:
    return f"postgresql://reader:{password}@/{database}?host={server.directory}"


CLINIC_GRANTS = """
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA billing, "Research Lab" TO selecting;
GRANT SELECT ON ALL TABLES IN SCHEMA public, billing, "Research Lab" TO selecting;
"""

# Not valid, because the world has links that dangle on purpose: init reads no row to see that.
WORLD_KEYS = """
ALTER TABLE visits ADD FOREIGN KEY (person_id) REFERENCES people NOT VALID;
ALTER TABLE visits ADD FOREIGN KEY (dept) REFERENCES departments NOT VALID;
ALTER TABLE orders ADD FOREIGN KEY (custkey) REFERENCES customer NOT VALID;
ALTER TABLE lineitem ADD FOREIGN KEY (orderkey) REFERENCES orders NOT VALID;
ALTER TABLE customer ADD FOREIGN KEY (nationkey) REFERENCES nation NOT VALID;
"""


def without_place(text: str) -> str:
    """The draft with a fixed address of the engine."""
    return re.sub(r'(?m)^url = "postgresql://.*"$', 'url = "postgresql://reader:${PGPASSWORD}@/clinic"', text)


def test_the_clinic(server: ScratchPostgres, command: Command) -> None:
    """The whole draft, word for word, by a role that may not SELECT from any table; it is only read, too."""
    with psycopg.connect(url(server, "clinic")) as connection:
        may = "SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace >= 16384"
        assert connection.execute(f"{may} AND has_table_privilege(oid, 'SELECT')").fetchone() == (0,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT 1 FROM patients")
    status, out, err = command("init", url(server, "clinic"))
    assert status == 0
    assert without_place(out) == GOLDEN.read_text()
    assert PASSWORD not in out + err and ENVIRON["PGPASSWORD"] not in out + err
    assert err.splitlines() == SUMMARY


SUMMARY = [
    "18 tables; reading their columns, keys and checks …",
    "drafted from clinic, without reading a row:",
    "  the unit is a patient: patients.patient_id",
    '  private: patients, "Research Lab.Samples", admissions, alarms, beds, measurements, billing.invoices, diagnoses '
    "and 2 more",
    '  left out: "Research Lab.consents", devices, employees, holidays, icd10, scanners, wards',
    "  left out of patients, since their types are not supported: profile (jsonb)",
    "  left out of treatments, since their types are not supported: price (money)",
    "to decide, each marked with TODO:",
    "  1. is it a patient whose privacy you protect? It could also be employees.employee_id.",
    "  2. the way to a patient in admissions, billing.invoices",
    "  3. whether these stay hidden: patients.first_name, patients.last_name, patients.ssn, patients.email, "
    "patients.guardian_id, admissions.referred_by, admissions.note, billing.invoices.patient_id",
    "  4. bounds, which nothing needs and which may help, of patients.weight, patients.registered, "
    "admissions.admitted, admissions.discharged, admissions.cost, alarms.taken, billing.invoices.total, "
    "treatments.place and 2 more",
    "  5. whether rows are about nobody, and so public, in devices, holidays, icd10, scanners, wards",
    "  6. whether analysts may know rows about other people, which are public then, in employees",
    "then:",
    "  dpproxy check --config policy.toml",
    "  dpproxy analyst add NAME --config policy.toml --epsilon 5 --delta 1e-6",
    "  dpproxy serve --config policy.toml",
    "and ask, for example:",
    "  SELECT count(*) FROM patients;",
    "  SELECT sex, count(*) FROM patients GROUP BY sex ORDER BY 2 DESC LIMIT 10;",
    "  SELECT urgency, round(avg(temperature)) AS average, dp.low(avg(temperature)), dp.high(avg(temperature)) "
    "FROM admissions GROUP BY 1 ORDER BY 1;",
]


def decided(text: str) -> str:
    """The draft with every TODO of its tables resolved: bounds given, tables that looked public made so."""
    for unknown, found in {"[?, ?]": "[0, 10000]", "[0, ?]": "[0, 100000]"}.items():
        text = re.sub(rf" \}}( *)# TODO: bounds = {re.escape(unknown)}(?!,)(?:;.*)?", f", bounds = {found} }}", text)
    text = re.sub(r" \}( *)# TODO: bounds = \[\?, \?\], for.*", ', bounds = ["2000-01-01", "2030-01-01"] }', text)
    return re.sub(r"(?m)^# (\[tables\..*\]|public = true|primary_key = .*|[^#:\n]+ = \{ type = .*)$", r"\1", text)


def test_a_draft_is_accepted(
    server: ScratchPostgres, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By `dpproxy check`, as it is and with every TODO decided; then the next command of the summary works."""
    file = tmp_path / "clinic.toml"
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    given_url = url(server, "clinic").replace("reader", "selecting")
    assert command("init", given_url, "--output", str(file))[0] == 0
    assert not any(table.public for table in load(file, ENVIRON).tables.values())
    assert command("check", "--config", str(file))[::2] == (0, "")
    file.write_text(decided(file.read_text()))
    assert "TODO: bounds" not in file.read_text()
    config = load(file, ENVIRON)
    assert isinstance(config.engine.url, PostgresDatabase)
    assert conninfo_to_dict(config.engine.url.url) == conninfo_to_dict(given_url)
    public = {name for name, table in config.tables.items() if table.public}
    assert public == {"devices", "employees", "holidays", "icd10", "scanners", "wards"}
    assert config.tables["admissions"].columns["cost"].bounds == (Decimal(0), Decimal(100000))
    assert command("check", "--config", str(file))[::2] == (0, "")
    words = ("--epsilon", "5", "--delta", "1e-6", "--trust", "--config", str(file))
    assert command("analyst", "add", "alice", *words)[0] == 0
    assert command("check", "--config", str(file))[0] == 0


def test_the_world(server: ScratchPostgres, command: Command, tmp_path: Path) -> None:
    """The fixtures' world, with foreign keys: the policy that was written for it says the same of units and links."""
    written = tomllib.loads((FIXTURES / "world.toml").read_text())["tables"]
    for unit, tables in {"people": {"people", "visits"}, "customer": {"customer", "orders", "lineitem"}}.items():
        file = tmp_path / f"{unit}.toml"
        assert command("init", url(server, "world"), "--unit", unit, "--output", str(file))[0] == 0
        draft = tomllib.loads(file.read_text())["tables"]
        assert set(draft) == tables
        for table in tables:
            for part in ("unit", "link", "primary_key"):
                assert draft[table].get(part) == written[table].get(part)
            kinds, expected = (
                {name: column["type"] for name, column in policy[table]["columns"].items()}
                for policy in (draft, written)
            )
            assert kinds == expected
        assert "# [tables.departments]" in file.read_text()


def test_nobody_to_ask(server: ScratchPostgres, command: Command, tmp_path: Path) -> None:
    """What goes wrong is told without the password, and nothing is written."""
    file = tmp_path / "policy.toml"
    for asked, told in {
        url(server, "clinic", "wr%23ng"): "the database clinic cannot be read",
        url(server, "nowhere"): "the database nowhere cannot be read",
        f"postgresql://u:sesame@{server.directory}x:1/clinic": "cannot be read",
        url(server, "empty"): "there is no table in this database",
        "postgresql://u:sesame@host": "this URL names no database",
        "postgresql://u:ses%zzame@host/db": "this URL is no URL of a Postgres",
        "mysql://u:sesame@host/db": "this URL is no URL that is known here",
        f"duckdb:///{tmp_path}/none.duckdb": "cannot be opened",
    }.items():
        status, out, err = command("init", asked, "--output", str(file))
        assert (status, out, file.exists()) == (1, "", False), asked
        assert told in err
        assert not re.search("sesame|wr#ng|wr%23ng|p@ss|p%40ss", err), err


def test_a_file_is_never_overwritten(server: ScratchPostgres, command: Command, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text("mine")
    status, out, err = command("init", "postgresql://nobody@127.0.0.1:1/none", "--output", str(file))
    assert (status, out, file.read_text()) == (1, "", "mine")
    assert err.startswith(f"dpproxy: {file} is there already")


def test_a_unit_of_ones_own(server: ScratchPostgres, command: Command) -> None:
    _, out, err = command("init", url(server, "clinic"), "--unit", "admissions.doctor_id")
    draft = tomllib.loads(out)
    assert draft["units"] == {"admission": {"table": "admissions", "key": "doctor_id"}}
    assert set(draft["tables"]) == {"admissions", "diagnoses", "treatments", "billing.invoices", "billing.payments"}
    assert not any(key.startswith("max_") for table in draft["tables"].values() for key in table)
    assert "is this whose" not in out and "whose privacy" not in err
    for unit, told in {
        "patience": 'there is no table "patience"',
        "patients.weight": 'patients has no column "weight" that could be a unit\'s key',
        "diagnoses": "diagnoses has no primary key of one column",
    }.items():
        status, out, err = command("init", url(server, "clinic"), "--unit", unit)
        assert (status, out) == (1, "")
        assert told in err


SHOP = """
CREATE TABLE clients (id INTEGER PRIMARY KEY, name VARCHAR, age INTEGER NOT NULL CHECK (age BETWEEN 0 AND 120),
  since DATE CHECK (since >= DATE '2001-01-01' AND DATE '2030-12-31' >= since), level ENUM ('a', 'b'), points HUGEINT,
  at_home STRUCT(street VARCHAR));
CREATE TABLE orders (id BIGINT PRIMARY KEY, Client INTEGER NOT NULL REFERENCES clients (id), total DECIMAL(10, 2),
  state VARCHAR NOT NULL CHECK (STATE IN ('open', 'paid')));
CREATE TABLE colours (colour VARCHAR PRIMARY KEY);
CREATE VIEW grown AS FROM clients WHERE age > 17;
COMMENT ON COLUMN clients.age IS 'in years';
INSERT INTO clients SELECT i, 'a', i % 100, NULL, 'a', 0, NULL FROM range(100) AS r(i);
INSERT INTO orders SELECT i, i % 100, 5, 'open' FROM range(300) AS r(i);
"""


def test_a_duckdb_file(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drafted from another directory than the policy is in; `dpproxy check` accepts it as it is."""
    (tmp_path / "data").mkdir()
    (tmp_path / "etc").mkdir()
    with duckdb.connect(str(tmp_path / "data" / "shop.duckdb")) as connection:
        connection.execute(SHOP)
    monkeypatch.chdir(tmp_path / "data")
    assert command("init", "duckdb:///shop.duckdb", "--output", "../etc/shop.toml")[0] == 0
    text = (tmp_path / "etc" / "shop.toml").read_text()
    draft = tomllib.loads(text)
    assert draft["server"]["database"] == "shop"
    assert draft["tables"]["clients"]["columns"] == {
        "id": {"type": "integer"},
        "name": {"type": "text", "nullable": True, "hidden": True},
        "age": {"type": "integer", "bounds": [0, 120]},
        "since": {"type": "date", "nullable": True, "bounds": ["2001-01-01", "2030-12-31"]},
        "level": {"type": "text", "nullable": True, "values": ["a", "b"]},
        "points": {"type": "numeric", "nullable": True},
    }
    assert draft["tables"]["orders"]["link"] == {"Client": "clients.id"}
    assert draft["tables"]["orders"]["columns"]["state"]["values"] == ["open", "paid"]
    for line in (
        '# age: note = "in years"',
        "# [tables.colours]",
        "#   grown (a view)",
        "# at_home: left out: the type",
    ):
        assert line in text
    status, out, err = command("check", "--config", str(tmp_path / "etc" / "shop.toml"))
    assert (status, err) == (0, "")
    assert "is good" in out


AGE, BORN, SORT = "age", "born", "sort"
CHECKS: dict[str, dict[str, Known]] = {
    "((age >= 0) AND (age <= 120))": {AGE: Known(CheckedLimit(Decimal(0)), CheckedLimit(Decimal(120)))},
    "((age > '-5'::integer) AND ((120)::numeric > age))": {
        AGE: Known(CheckedLimit(Decimal(-5), True), CheckedLimit(Decimal(120), True))
    },
    "(age >= ((- (2.5))::double precision))": {AGE: Known(CheckedLimit(Decimal("-2.5")))},
    "((age IS NULL) OR (age >= 0))": {AGE: Known(CheckedLimit(Decimal(0)))},
    "((born <= '2030-01-01'::date) OR (age IS NULL))": {AGE: Known(other=True), BORN: Known(other=True)},
    "((age >= 0) OR (sort = 'x'::text))": {AGE: Known(other=True), SORT: Known(other=True)},
    "((born >= '1900-01-01'::date) AND (born <= '2030-12-31'::date))": {
        BORN: Known(CheckedLimit("1900-01-01"), CheckedLimit("2030-12-31"))
    },
    "(born <= CURRENT_DATE)": {BORN: Known(other=True)},
    "(age <> 3)": {AGE: Known(other=True)},
    "(NOT (age >= 0))": {AGE: Known(other=True)},
    "(abs(age) <= 3)": {AGE: Known(other=True)},
    "((age)::smallint <= 3)": {AGE: Known(other=True)},
    "((age % 5) = 0)": {AGE: Known(other=True)},
    "(age BETWEEN SYMMETRIC 9 AND 1)": {AGE: Known(other=True)},
    "(sort = ANY (ARRAY['a'::text, 'it''s'::text]))": {SORT: Known(values=("a", "it's"))},
    "((sort)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[]))": {
        SORT: Known(values=("a", "b"))
    },
    "(sort = ANY (ARRAY['a'::text, upper('b'::text)]))": {SORT: Known(other=True)},
    "(sort <> ALL (ARRAY['a'::text]))": {SORT: Known(other=True)},
    "(sort ~ '^[0-9]+$'::text)": {SORT: Known(other=True)},
    "(age = ANY (ARRAY[1, 2, 3]))": {AGE: Known(values=(Decimal(1), Decimal(2), Decimal(3)))},
    "((age >= 0) AND (born IS NOT NULL) AND (lower(sort) = sort))": {
        AGE: Known(CheckedLimit(Decimal(0))), BORN: Known(other=True), SORT: Known(other=True)
    },
    "no condition at all (": {},
    "(1 = 1)": {},
}  # fmt: skip


@pytest.mark.parametrize("condition", CHECKS)
def test_checks(condition: str) -> None:
    expected = dict.fromkeys((AGE, BORN, SORT), Known()) | CHECKS[condition]
    assert known([condition], (AGE, BORN, SORT)) == expected


def test_ends_that_are_outside() -> None:
    fact = Known(CheckedLimit(Decimal("0.5"), True), CheckedLimit(Decimal(3), True))
    assert inclusive(fact, whole=True) == Known(CheckedLimit(Decimal(1)), CheckedLimit(Decimal(2)))
    assert inclusive(fact, whole=False) == fact
    assert inclusive(Known(CheckedLimit(Decimal("-2.5"), True)), whole=True) == Known(CheckedLimit(Decimal(-2)))


def test_names() -> None:
    personal = (
        "name",
        "full_name",
        "LastName",
        "patientName",
        "e-mail",
        "home_phone",
        "SSN",
        "tax_id",
        "Street",
        "ip",
        "name_first",
        "dob",
        "zip",
    )
    assert [name for name in personal if not identifies(name)] == []
    others = ("product_name", "names_of_months", "city", "zipper", "status", "shipping", "phoneme", "class_name")
    assert [name for name in others if identifies(name)] == []
    assert [is_free_text(name) for name in ("note", "doctorNotes", "title", "textile")] == [True, True, False, False]
    people = {"people": "person", "hr.Employees": "employee", "app_user": "user", "orders": None, "usages": None}
    assert {name: whose(name) for name in people} == people
    assert [singular(name) for name in ("visits", "sales.orders", "class", "as")] == ["visit", "order", "class", "as"]


def table(name: str, *keys: str, nullable: tuple[str, ...] = ()) -> DescribedTable:
    """A table with an integer key `id`, and for each "column -> table" a foreign key."""
    ends = [key.split(" -> ") for key in keys]
    columns = [DescribedColumn("id", "integer", False)] + [
        DescribedColumn(each, "integer", each in nullable) for each, _ in ends
    ]
    foreign = tuple(ForeignKey((column,), target, ("id",)) for column, target in ends)
    return DescribedTable(name, tuple(columns), ("id",), frozenset({("id",)}), foreign)


def test_ways_and_units() -> None:
    """A way without NULLs goes before a shorter one; circles and self references lead nowhere."""
    made = [
        table("clients", "parent -> clients", nullable=("parent",)),
        table("orders", "client -> clients", "latest -> lines"),
        table("lines", "order -> orders", "gift_to -> clients", "product -> products", nullable=("gift_to",)),
        table("refunds", "line -> lines", "client -> clients", "order -> orders", nullable=("client",)),
        table("products", "maker -> makers"),
        table("makers", "best -> products"),
        table("users"),
    ]
    tables = {each.name: each for each in made}
    unit = chosen(tables, None)
    assert (unit.name, unit.table, unit.key, unit.others) == ("client", "clients", "id", ("users.id",))
    found = ways(tables, unit)
    assert {name: way.link.columns[0] if way.link else None for name, way in found.items()} == {
        "clients": None, "orders": "client", "lines": "order", "refunds": "order"
    }  # fmt: skip
    assert {name: [key.columns[0] for key in way.others] for name, way in found.items()} == {
        "clients": [], "orders": [], "lines": ["gift_to"], "refunds": ["line", "client"]
    }  # fmt: skip
    without_names = {name: tables[name] for name in ("products", "makers", "lines")}
    assert chosen(without_names, None).table in ("makers", "products")
    with pytest.raises(ConfigFault, match="no table has a primary key of one column"):
        chosen({"log": DescribedTable("log", (DescribedColumn("at", "date", True),))}, None)


@pytest.mark.parametrize(
    ("given_url", "expected"),
    [
        ("postgresql://u:p@h/d", "postgresql://u:${PGPASSWORD}@h/d"),
        ("postgres://u@h:5433/d", "postgresql://u@h:5433/d"),
        ("postgresql://u:p%40%3A@h/d%20d?sslmode=verify-full", "postgresql://u:${PGPASSWORD}@h/d%20d?sslmode=verify-full"),
        ("postgresql://h/d?user=u&password=p", "postgresql://u:${PGPASSWORD}@h/d"),
        ("postgresql://u@a:1,b:2/d?target_session_attrs=any", "postgresql://u@a:1,b:2/d?target_session_attrs=any"),
        ("postgresql://u@[::1]:5/d", "postgresql://u@[::1]:5/d"),
        ("postgresql:///d?host=/run/pg&sslpassword=p", "postgresql://%2Frun%2Fpg/d?sslpassword=${PGSSLPASSWORD}"),
        ("postgresql://$%7BHOME%7D@h/d", "postgresql://%24%7BHOME%7D@h/d"),
    ],
)  # fmt: skip
def test_addresses(given_url: str, expected: str) -> None:
    """The policy's URL says the same as the one given, when its secrets are put in."""
    made = without_secrets(parts(given_url))
    assert made == expected
    filled = re.sub(r"\$\{\w+\}", "p%40%3A" if "%3A@" in given_url else "p", made)
    assert conninfo_to_dict(filled) == conninfo_to_dict(given_url)


NAMES = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0."), min_size=1, max_size=12)
COLUMNS = NAMES | st.sampled_from([*sorted(SYSTEM_COLUMNS), "rowid", "oid", "n" * 64])  # and such as Postgres has not
TYPES = st.sampled_from(["integer", "bigint", "text", "uuid", "numeric(5,2)", "date", "json", "text[]", "boolean"])
COMMENTS = st.none() | st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


@st.composite
def databases(draw: st.DrawFn) -> Database:
    """A few tables with any names that a policy can say, comments and labels, and foreign keys between them."""
    names = draw(st.lists(NAMES.filter(lambda each: sayable("", each)), min_size=1, max_size=4, unique=True))
    tables = {}
    for name in names:
        called = draw(st.lists(COLUMNS, min_size=1, max_size=4, unique=True))
        columns = [
            DescribedColumn(each, draw(TYPES), draw(st.booleans()), draw(LABELS), draw(CONDITIONS), draw(COMMENTS))
            for each in called
        ]
        key = (draw(st.sampled_from(called)),)
        keys = [ForeignKey((draw(st.sampled_from(called)),), draw(st.sampled_from(names)), ()) for _ in called]
        remark = draw(st.sampled_from([(), ("It has row security.",)]))
        tables[name] = DescribedTable(
            name, tuple(columns), key, frozenset({key}), tuple(keys), (), draw(COMMENTS), remark
        )
    return Database(draw(NAMES), "duckdb:///x.duckdb", {name: _ended(each, tables) for name, each in tables.items()})


def test_a_table_that_looks_like_a_secret_is_left_out(command: Command, tmp_path: Path) -> None:
    """Such as no policy can name is told of, and neither it nor what leads to it keeps the draft from being one."""
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute('CREATE TABLE people (id BIGINT PRIMARY KEY); CREATE TABLE "${A}" (id BIGINT PRIMARY KEY)')
        connection.execute('CREATE TABLE notes (id BIGINT PRIMARY KEY, of BIGINT REFERENCES "${A}"(id))')
    file = tmp_path / "x.toml"
    assert command("init", f"duckdb:///{tmp_path / 'x.duckdb'}", "--unit", "people", "--output", str(file))[0] == 0
    assert set(load(file, {}).tables) == {"people"}
    assert "#   ${A} (a policy cannot say its name)" in file.read_text()


def test_columns_that_no_policy_can_name_are_left_out(command: Command, tmp_path: Path) -> None:
    """DuckDB has columns called as Postgres's own, and longer names: they, and keys of them, are not in the draft."""
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute(f'CREATE TABLE people (id BIGINT PRIMARY KEY, xmin INTEGER, "{"n" * 64}" TEXT, rowid TEXT)')
        connection.execute("CREATE TABLE notes (ctid BIGINT PRIMARY KEY, of BIGINT REFERENCES people(id))")
        connection.execute("CREATE TABLE marks (tableoid BIGINT REFERENCES notes(ctid), mark INTEGER)")
        connection.execute(f'CREATE TABLE "{"t" * 64}" (id BIGINT PRIMARY KEY)')
    file = tmp_path / "x.toml"
    assert command("init", f"duckdb:///{tmp_path / 'x.duckdb'}", "--unit", "people", "--output", str(file))[0] == 0
    found, text = load(file, {}).tables, file.read_text()
    assert {name: list(table.columns) for name, table in found.items()} == {"people": ["id", "rowid"], "notes": ["of"]}
    assert "# xmin: left out: each table of Postgres has a column of this name, of its own" in text
    assert f"# {'n' * 64}: left out: a name in a policy has 1 to 63 bytes" in text
    assert f"#   {'t' * 64} (a policy cannot say its name)" in text


LABELS = st.lists(st.text(max_size=5), max_size=3, unique=True).map(tuple)
CONDITIONS = st.sampled_from([(), ("(VALUE >= 0) AND (VALUE < 10)",), ("VALUE IN ('a', '${x}')",), ("VALUE > 'x'",)])


def _ended(made: DescribedTable, tables: dict[str, DescribedTable]) -> DescribedTable:
    """The table with its foreign keys led to primary keys."""
    ended = [ForeignKey(key.columns, key.table, tables[key.table].primary_key) for key in made.foreign_keys]
    return DescribedTable(
        **{**{each: getattr(made, each) for each in DescribedTable.__slots__}, "foreign_keys": tuple(ended)}
    )


@settings(max_examples=sized(20, 60, 600), deadline=None)
@given(database=databases())
def test_any_draft_is_a_policy(database: Database, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever the names: the draft is TOML, a sound policy without public tables, and the same each time."""
    try:
        made = drafted(database, (), "x.toml")
    except ConfigFault as fault:
        assert "no table has a primary key" in fault.message
        return
    assert made == drafted(database, (), "x.toml")
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_text(made.text, encoding="utf-8", newline="")
    config: Any = load(file, {})
    assert config.tables and not any(each.public for each in config.tables.values())
    assert set(config.tables) <= set(database.tables)
