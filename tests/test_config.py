"""The configuration: what a sound file becomes, and the exact line of each fault."""

from __future__ import annotations

from base64 import b64encode
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import get_args
from uuid import UUID

import pytest

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.types import SqlType
from dpproxy.config import Config, load
from dpproxy.config.field_types import Embedded
from dpproxy.engines.duckdb.provider import DuckDBFile
from dpproxy.errors import ConfigFault
from dpproxy.plan.session_settings import MEANINGS

EXAMPLES = sorted((Path(__file__).parent.parent / "config").glob("*.toml"))

VERIFIER = (
    "SCRAM-SHA-256$4096:c2FsdHNhbHRzYWx0c2FsdA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    ":AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
)

SOUND = """
[server]
port = 0
[front]
url = "embedded:front"
[engine]
url = "duckdb:///data.duckdb"
[privacy]
accounting = "zcdp"
[units.person]
table = "people"
key = "id"
[tables.people]
unit = "person"
primary_key = ["id"]
[tables.people.columns]
id = { type = "bigint" }
age = { type = "integer" }
wage = { type = "double precision" }
city = { type = "text" }
[tables.visits]
unit = "person"
link = { person = "people.id" }
[tables.visits.columns]
visit = { type = "uuid" }
person = { type = "bigint" }
[tables."shop.items"]
unit = "person"
link = { visit = "visits.visit" }
[tables."shop.items".columns]
visit = { type = "uuid" }
[tables.places]
public = true
[analysts.alice]
trust = true
epsilon = 5
delta = 1e-6
"""


def read(tmp_path: Path, text: str, **environ: str) -> Config:
    path = tmp_path / "dp.toml"
    path.write_text(text)
    return load(path, environ)


def faults(tmp_path: Path, text: str, **environ: str) -> list[str]:
    """The lines of the fault, without the file's name."""
    with pytest.raises(ConfigFault) as caught:
        read(tmp_path, text, **environ)
    name = f"{tmp_path / 'dp.toml'}: "
    lines = (caught.value.detail or "").splitlines()
    assert all(line.startswith(name) for line in lines)
    return [line.removeprefix(name) for line in lines]


def changed(*changes: str) -> str:
    """SOUND with each `old -> new`; `+` puts a line at the end, where a line `[…]` opens a section."""
    text = SOUND
    for change in changes:
        old, _, new = change.partition(" -> ")
        if old == "+":
            text += new + "\n"
        else:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
    return text


def test_a_sound_file(tmp_path: Path) -> None:
    config = read(tmp_path, SOUND)
    assert config.front.url == Embedded(tmp_path / "front")
    assert config.engine.url == DuckDBFile(tmp_path / "data.duckdb")
    assert (config.engine.max_concurrency, config.engine.statement_timeout) == (4, 60.0)
    assert (config.server.host, config.server.port, config.server.require_tls) == ("127.0.0.1", 0, False)
    assert config.front.public_rows == 1_000_000
    assert config.path == tmp_path / "dp.toml"
    assert config.tables_of("alice") == {"people", "visits", "shop.items", "places"}
    assert config.tables["people"].columns["id"].type == SqlType("bigint")


def test_absolute_paths(tmp_path: Path) -> None:
    text = changed('"embedded:front" -> "embedded:/a/front"', '"duckdb:///data.duckdb" -> "duckdb:////b/data.duckdb"')
    config = read(tmp_path, text)
    assert config.front.url == Embedded(Path("/a/front"))
    assert config.engine.url == DuckDBFile(Path("/b/data.duckdb"))


@pytest.mark.parametrize(
    ("text", "seconds"), [("500ms", 0.5), ("60s", 60.0), ("5m", 300.0), ("1h", 3600.0), ("1.5s", 1.5)]
)
def test_durations(tmp_path: Path, text: str, seconds: float) -> None:
    config = read(tmp_path, changed(f'[privacy] -> statement_timeout = "{text}"\n[privacy]'))
    assert config.engine.statement_timeout == seconds


def test_secrets(tmp_path: Path) -> None:
    text = changed('trust = true -> password = "${ALICE}"', 'port = 0 -> host = "${A}.${B}"')
    config = read(tmp_path, text, ALICE=VERIFIER, A="db", B="example")
    assert config.analysts["alice"].password == VERIFIER
    assert config.server.host == "db.example"
    assert VERIFIER not in repr(config)


@pytest.mark.parametrize(
    ("declaration", "bounds"),
    [
        ('type = "integer", bounds = [0, 120]', (0, 120)),
        ('type = "bigint", bounds = [-9223372036854775808, 1e6]', (-(2**63), 10**6)),
        ('type = "numeric(5,2)", bounds = [0.1, 99]', (Decimal("0.1"), Decimal(99))),
        ('type = "double precision", bounds = [0, 0.1]', (Decimal(0), Decimal("0.1"))),
        ('type = "date", bounds = ["2020-01-01", 2020-12-31]', (date(2020, 1, 1), date(2020, 12, 31))),
        (
            'type = "timestamp", bounds = ["2020-01-01", "2020-01-01 12:30:00.5"]',
            (datetime(2020, 1, 1), datetime(2020, 1, 1, 12, 30, 0, 500000)),
        ),
    ],
)
def test_bounds_are_typed(tmp_path: Path, declaration: str, bounds: tuple[object, object]) -> None:
    found = read(tmp_path, changed(f'age = {{ type = "integer" }} -> age = {{ {declaration} }}'))
    typed = found.tables["people"].columns["age"].bounds
    assert typed == bounds
    assert [type(bound) for bound in typed or ()] == [type(bound) for bound in bounds]


@pytest.mark.parametrize(
    ("declaration", "values"),
    [
        ('type = "integer", values = [1, 2]', (1, 2)),
        ('type = "boolean", values = [true, false]', (True, False)),
        ('type = "text", values = ["F", "M"]', ("F", "M")),
        ('type = "numeric(5,2)", values = [1, 1.5]', (Decimal("1.00"), Decimal("1.50"))),
        ('type = "numeric(38,0)", values = [99999999999999999999999999999999999999]', (Decimal(10**38 - 1),)),
        ('type = "double precision", values = [0.1]', (0.1,)),
        ('type = "real", values = [0.1]', (0.10000000149011612,)),
        ('type = "date", values = ["2020-02-29"]', (date(2020, 2, 29),)),
        (
            'type = "uuid", values = ["6b1f0e0e-7a66-4d59-8f0f-0d3a8c1f2a10"]',
            (UUID("6b1f0e0e-7a66-4d59-8f0f-0d3a8c1f2a10"),),
        ),
    ],
)
def test_values_are_typed(tmp_path: Path, declaration: str, values: tuple[object, ...]) -> None:
    found = read(tmp_path, changed(f'city = {{ type = "text" }} -> city = {{ {declaration} }}'))
    typed = found.tables["people"].columns["city"].values
    assert typed == values
    assert [(type(value), str(value)) for value in typed or ()] == [(type(value), str(value)) for value in values]


def test_fractions_are_exact(tmp_path: Path) -> None:
    text = changed(
        "epsilon = 5 -> epsilon = 0.1", 'wage = { type = "double precision" -> wage = { type = "real", step = 0.01'
    )
    config = read(tmp_path, text)
    assert config.analysts["alice"].epsilon == Decimal("0.1")
    assert config.tables["people"].columns["wage"].step == Decimal("0.01")


def test_terms(tmp_path: Path) -> None:
    config = read(tmp_path, SOUND + "defaults = { max_epsilon = 2 }\n[budgets.everyone]\nepsilon = 20\ndelta = 1e-5\n")
    zcdp, five, delta = Accounting.ZCDP, Decimal(5), Decimal("1e-6")
    assert config.terms("alice") == terms(zcdp, five, delta, Decimal(2))
    assert config.group_terms("everyone") == terms(zcdp, Decimal(20), Decimal("1e-5"), Decimal(20))
    with pytest.raises(KeyError):
        config.terms("bob")
    with pytest.raises(KeyError):
        config.group_terms("nobody")


def test_no_cap_is_no_group(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        read(tmp_path, SOUND).group_terms("everyone")


@pytest.mark.parametrize(
    ("epsilon", "defaults", "expected"),
    [
        ("5", "{}", ("0.1", 5)),
        ("0.05", "{}", ("0.05", "0.05")),
        ("5", "{ epsilon = 1e-7, max_epsilon = 1 }", ("0.0000001", 1)),
        ("5", "{ max_epsilon = 9 }", ("0.1", 5)),
    ],
)
def test_defaults(tmp_path: Path, epsilon: str, defaults: str, expected: tuple[str, str | int]) -> None:
    config = read(tmp_path, changed(f"epsilon = 5 -> epsilon = {epsilon}\ndefaults = {defaults}"))
    options = config.startup_options("alice")
    unset = ("delta", "max_groups_per_unit", "max_rows_per_unit", "blocks", "weights", "target_half_width")
    off = {"dp.fresh": "off", "dp.nonnegative": "off", "dp.error_columns": "off"}
    known = {"dp.epsilon": expected[0], "dp.mechanism": "auto", "dp.confidence": "0.95", **off}
    assert options == {**known, **{f"dp.{name}": "" for name in unset}}
    assert set(options) == {f"dp.{name}" for name in MEANINGS}
    assert config.terms("alice").max_epsilon == Decimal(expected[1])


def test_tls(tmp_path: Path) -> None:
    (tmp_path / "a.crt").write_text("")
    (tmp_path / "a.key").write_text("")
    text = changed('port = 0 -> tls_cert = "a.crt"\ntls_key = "a.key"\nrequire_tls = true')
    assert read(tmp_path, text).server.tls_key == tmp_path / "a.key"
    text = changed('port = 0 -> tls_cert = "a.crt"')
    assert faults(tmp_path, text) == [
        "server.tls_key: one of the pair is missing; expected tls_cert and tls_key, or neither"
    ]


SALT, WHOLE = b64encode(bytes(16)).decode(), b64encode(bytes(32)).decode()
SCRAM = "a SCRAM-SHA-256$… verifier as `dpproxy analyst password` prints it"
INTEGER = "[lower, upper] with lower <= upper, each a whole number from -2147483648 to 2147483647"
TYPES = (
    "one of bigint, boolean, bytea, character varying, date, double precision, integer, interval, numeric, real, "
    "smallint, text, time without time zone, timestamp with time zone, timestamp without time zone, uuid, and arrays "
    "of these such as integer[]"
)
DATES = '[lower, upper] with lower <= upper, each a date such as "2026-01-31"'
KEYS = "an integer, uuid, date or text column"
COLUMN = "tables.people.columns"
AGE = 'age = { type = "integer" } -> age = '
CITY = 'city = { type = "text" } -> city = '

FAULTS = [
    # sections and unknown keys
    ("port = 0 -> prot = 0", 'server.prot: unknown key; expected "port" (the nearest of constant_time, dashboard_host, '
     "dashboard_password, dashboard_port, dashboard_url, database, drain_delay, drain_timeout, host, idle_timeout, "
     "limits, log, log_statements, max_connections, max_message_bytes, metrics_host, metrics_port, port, require_tls, "
     "startup_timeout, …)"),
    ("[server] -> [servr]", 'servr: unknown key; expected "server" (the nearest of analysts, budgets, engine, front, '
     "ledger, privacy, server, tables, units)"),
    (AGE + '{ type = "integer", bound = [0, 1] }', f'{COLUMN}.age.bound: unknown key; expected "bounds" (the nearest '
     "of bounds, hidden, note, nullable, step, type, values)"),
    ("+ -> [budgets.everybody]\nepsilon = 1", 'budgets.everybody: unknown key; expected "everyone"'),
    ("[front]\nurl = \"embedded:front\" -> ", "front: missing; expected a section [front] with its url"),
    ('url = "embedded:front" -> ', 'front.url: missing; expected "embedded:DIRECTORY" or "postgresql://…"'),
    ("[server]\nport = 0 -> server = 5", "server: is 5; expected a table"),
    # server, front, engine, ledger
    ('port = 0 -> port = "0"', 'server.port: is "0"; expected a port from 0 to 65535 (0 picks a free one)'),
    ("port = 0 -> port = 65536", "server.port: is 65536; expected a port from 0 to 65535 (0 picks a free one)"),
    ("port = 0 -> port = true", "server.port: is true; expected a port from 0 to 65535 (0 picks a free one)"),
    ("port = 0 -> host = 1", "server.host: is 1; expected an address or a host's name as text"),
    ('port = 0 -> require_tls = "yes"', 'server.require_tls: is "yes"; expected true or false'),
    ("port = 0 -> require_tls = true",
     "server.require_tls: is true without a certificate; expected tls_cert and tls_key with it"),
    ('port = 0 -> tls_key = "none.key"\ntls_cert = "dp.toml"', 'server.tls_key: is "none.key"; '
     "expected the path of a file that exists, relative to this one's directory"),
    ("port = 0 -> max_connections = 0", "server.max_connections: is 0; expected a whole number above 0"),
    ('port = 0 -> idle_timeout = "5 min"', 'server.idle_timeout: is "5 min"; '
     'expected a duration above zero such as "500ms", "60s", "5m" or "1h"'),
    ('port = 0 -> startup_timeout = "0s"', 'server.startup_timeout: is "0s"; '
     'expected a duration above zero such as "500ms", "60s", "5m" or "1h"'),
    ('port = 0 -> drain_timeout = "soon"',
     'server.drain_timeout: is "soon"; expected a duration such as "0s", "500ms", "60s" or "5m"'),
    ("port = 0 -> constant_time = 1", "server.constant_time: is 1; expected true or false"),
    ("port = 0 -> log_statements = true", 'server.log_statements: is true; expected "none" or "shape"'),
    ("port = 0 -> limits = { statements = 0 }", "server.limits.statements: is 0; expected a whole number above 0"),
    ("port = 0 -> limits = { statement = 1 }", 'server.limits.statement: unknown key; expected "statements" (the '
     "nearest of connections, memory, own_bytes, statements, waiting)"),
    ('port = 0 -> database = ""', 'server.database: is ""; expected a name of 1 to 63 bytes'),
    ('"embedded:front" -> "postgresql://o:p%w@h/d"',
     "front.url: is no URL of a Postgres (a % or @ in a password is written %25 or %40); "
     'expected "embedded:DIRECTORY" or "postgresql://OWNER@HOST/DATABASE"'),
    ('"embedded:front" -> "front"',
     'front.url: is no URL that is known here; expected "embedded:DIRECTORY" or "postgresql://OWNER@HOST/DATABASE"'),
    ('"duckdb:///data.duckdb" -> "duckdb://data.duckdb"', 'engine.url: is no URL that is known here; '
     'expected "duckdb:///FILE" (an absolute path has a fourth slash) or "postgresql://READER@HOST/DATABASE" or "sc://HOST:15002"'),
    ('"duckdb:///data.duckdb" -> "postgresql://o:pw@h"', "engine.url: names no database; "
     'expected "duckdb:///FILE" (an absolute path has a fourth slash) or "postgresql://READER@HOST/DATABASE" or "sc://HOST:15002"'),
    ('+ -> [ledger]\nurl = "sqlite:///l"',
     'ledger.url: is no URL that is known here; expected "postgresql://OWNER@HOST/DATABASE"'),
    # secrets
    ('port = 0 -> host = "${HOST}"', "server.host: ${HOST} is not in the environment; expected HOST to be set"),
    ('port = 0 -> host = "${MY HOST}"', "server.host: ${MY HOST} names no environment variable; expected ${NAME}"),
    ('port = 0 -> host = "${HOST"', "server.host: ${HOST names no environment variable; expected ${NAME}"),
    # privacy and budgets
    ('"zcdp" -> "renyi"', 'privacy.accounting: is "renyi"; expected "zcdp" or "pure"'),
    ("epsilon = 5 -> epsilon = 0", "analysts.alice.epsilon: is 0; expected a number above 0"),
    ("epsilon = 5 -> epsilon = -0.5", "analysts.alice.epsilon: is -0.5; expected a number above 0"),
    ("epsilon = 5 -> epsilon = inf", "analysts.alice.epsilon: is Infinity; expected a number above 0"),
    ("epsilon = 5 -> epsilon = nan", "analysts.alice.epsilon: is NaN; expected a number above 0"),
    ('epsilon = 5 -> epsilon = "5"', 'analysts.alice.epsilon: is "5"; expected a number above 0'),
    ("epsilon = 5 -> epsilon = true", "analysts.alice.epsilon: is true; expected a number above 0"),
    ("epsilon = 5 -> ", "analysts.alice.epsilon: missing; expected a number above 0"),
    ("delta = 1e-6 -> delta = 1", "analysts.alice.delta: is 1; expected a number from 0 to below 1"),
    ("delta = 1e-6 -> delta = -1e-6", "analysts.alice.delta: is -0.000001; expected a number from 0 to below 1"),
    ("delta = 1e-6 -> delta = nan", "analysts.alice.delta: is NaN; expected a number from 0 to below 1"),
    ("delta = 1e-6 -> ", "analysts.alice.delta: is 0 under zcdp accounting; "
     'expected a number above 0 such as 1e-6, or privacy.accounting = "pure"'),
    ("+ -> [budgets.everyone]\nepsilon = 9", "budgets.everyone.delta: is 0 under zcdp accounting; "
     'expected a number above 0 such as 1e-6, or privacy.accounting = "pure"'),
    ("+ -> defaults = { epsilon = 2, max_epsilon = 1 }",
     "analysts.alice.defaults.epsilon: is 2; expected at most max_epsilon, 1"),
    # analysts
    ("trust = true -> ", "analysts.alice.trust: no way to log in; expected either a password or trust = true"),
    (f'trust = true -> trust = true\npassword = "{VERIFIER}"',
     "analysts.alice.trust: given beside a password; expected either a password or trust = true"),
    ('trust = true -> password = "sesame"', f"analysts.alice.password: is not a password's verifier; expected {SCRAM}"),
    ('trust = true -> password = "SCRAM-SHA-256$4096:c2Fs$c2Fs:c2Fs"',
     f"analysts.alice.password: is cut short; expected {SCRAM}"),
    (f'trust = true -> password = "SCRAM-SHA-256$4095:{SALT}${WHOLE}:{WHOLE}"',
     f"analysts.alice.password: is weaker than any client's library takes; expected {SCRAM}"),
    (f'trust = true -> password = "SCRAM-SHA-256$4096:c2Fs${WHOLE}:{WHOLE}"',
     f"analysts.alice.password: is weaker than any client's library takes; expected {SCRAM}"),
    ('trust = true -> password = "SCRAM-SHA-256$4096:***$c2Fs:c2Fs"',
     f"analysts.alice.password: is not base64 in each part; expected {SCRAM}"),
    ('+ -> reset = "data_version"',
     'analysts.alice.reset: there is no privacy.data_version; expected a label there, of 1 to 200 bytes'),
    ('+ -> reset = "yearly"',
     'analysts.alice.reset: is "yearly"; expected "never", "daily", "weekly", "monthly" or "data_version"'),
    ('+ -> tables = ["people", "vists"]', 'analysts.alice.tables[1]: no table "vists"; '
     'expected "visits" (the nearest of people, places, shop.items, visits)'),
    ("[analysts.alice] -> [analysts.Alice]", "analysts.Alice: is no role's name here; "
     "expected lower-case letters, digits and _, at most 63, no digit first"),
    ("[analysts.alice] -> [analysts.dpproxy]", "analysts.dpproxy: is a reserved name; expected another name"),
    ("[analysts.alice] -> [analysts.postgres]", "analysts.postgres: is a reserved name; expected another name"),
    ("[analysts.alice] -> [analysts.public]", "analysts.public: is a reserved name; expected another name"),
    ("[analysts.alice] -> [analysts.dp]", "analysts.dp: is a reserved name; expected another name"),
    ("[analysts.alice] -> [analysts.dp_ledger]", "analysts.dp_ledger: is a reserved name; expected another name"),
    ("[analysts.alice] -> [analysts.pg_alice]", "analysts.pg_alice: is a reserved name; expected another name"),
    ("[analysts.alice] -> [analysts.shop]", "analysts.shop: is also a schema of the tables, and each analyst owns one; "
     "expected another name"),
    # columns
    (AGE + '{ type = "integr" }', f'{COLUMN}.age.type: unknown type "integr"; expected {TYPES}'),
    (AGE + '{ type = "integer(4)" }', f'{COLUMN}.age.type: "integer(4)" takes no such numbers; expected "integer"'),
    (AGE + "{ type = 4 }", f'{COLUMN}.age.type: is 4; expected a type\'s name such as "integer" or "numeric(15,2)"'),
    (AGE + "{ nullable = true }",
     f'{COLUMN}.age.type: missing; expected a type\'s name such as "integer" or "numeric(15,2)"'),
    (AGE + '{ type = "integer", bounds = [9, 1] }', f"{COLUMN}.age.bounds: is [9, 1]; expected {INTEGER}"),
    (AGE + '{ type = "integer", bounds = [0, 1, 2] }', f"{COLUMN}.age.bounds: is [0, 1, 2]; expected {INTEGER}"),
    (AGE + '{ type = "integer", bounds = [0, 0.5] }', f"{COLUMN}.age.bounds: is [0, 0.5]; expected {INTEGER}"),
    (AGE + '{ type = "integer", bounds = [0, 2147483648] }',
     f"{COLUMN}.age.bounds: is [0, 2147483648]; expected {INTEGER}"),
    (AGE + '{ type = "integer", bounds = [0, nan] }', f"{COLUMN}.age.bounds: is [0, NaN]; expected {INTEGER}"),
    (AGE + '{ type = "integer", bounds = 5 }', f"{COLUMN}.age.bounds: is 5; expected {INTEGER}"),
    (AGE + '{ type = "date", bounds = ["2020-01-01", "soon"] }',
     f'{COLUMN}.age.bounds: is ["2020-01-01", "soon"]; expected {DATES}'),
    (AGE + '{ type = "timestamp", bounds = ["2020-01-01", "2020-01-01T00:00:00Z"] }',
     f'{COLUMN}.age.bounds: is ["2020-01-01", "2020-01-01T00:00:00Z"]; '
     'expected [lower, upper] with lower <= upper, each a timestamp such as "2026-01-31 18:00:00"'),
    (CITY + '{ type = "text", bounds = ["a", "b"] }',
     f"{COLUMN}.city.bounds: text has no bounds; expected bounds of numbers, dates or timestamps only"),
    (CITY + '{ type = "text", values = ["a", 1] }',
     f'{COLUMN}.city.values: is ["a", 1]; expected a list of different values, each text'),
    (CITY + '{ type = "text", values = [] }',
     f"{COLUMN}.city.values: is []; expected a list of different values, each text"),
    (CITY + '{ type = "text", values = ["a", "a"] }',
     f'{COLUMN}.city.values: is ["a", "a"]; expected a list of different values, each text'),
    (CITY + '{ type = "numeric(3,1)", values = [0.25] }',
     f"{COLUMN}.city.values: is [0.25]; expected a list of different values, each a number that numeric(3,1) holds"),
    (CITY + '{ type = "text", step = 1 }', f"{COLUMN}.city.step: text has no sums; expected a step of numbers only"),
    (AGE + '{ type = "integer", step = 0 }',
     f"{COLUMN}.age.step: is 0; expected a number above 0, the grid that sums are rounded to"),
    (AGE + '{ type = "integer" }\nxmin = { type = "integer" }',
     f"{COLUMN}.xmin: is no column's name; expected 1 to 63 bytes, and none of Postgres's system columns"),
    # tables
    ("[tables.places] -> [tables.\"public.places\"]",
     'tables."public.places": names the default schema; expected [tables.places]'),
    ("[tables.places] -> [tables.\"a.b.places\"]",
     'tables."a.b.places": is no table\'s name; expected "table" or "schema.table", each of 1 to 63 bytes'),
    ("[tables.places] -> [tables.\"dp.places\"]",
     'tables."dp.places": the schema dp is the front\'s own; expected another schema'),
    ("[tables.places] -> [tables.\"dp_ledger.places\"]",
     'tables."dp_ledger.places": the schema dp_ledger is the front\'s own; expected another schema'),
    ("public = true -> ", "tables.places.unit: missing; expected a unit's name, or public = true"),
    ('public = true -> public = true\nunit = "person"',
     "tables.places.unit: belongs to private tables, and this one is public; expected public = true or unit"),
    ('public = true -> public = true\nlink = { a = "people.id" }',
     "tables.places.link: belongs to private tables, and this one is public; expected public = true or link"),
    ('public = true -> unit = "person"\nlink = { a = "people.id" }\ncolumns = { a = { type = "integer" } }',
     "tables.places.link.a: links integer to bigint; expected the same type at both ends"),
    ('unit = "person"\nlink = { person = "people.id" } -> unit = "persn"\nlink = { person = "people.id" }',
     'tables.visits.unit: no unit "persn"; expected "person"'),
    ('primary_key = ["id"] -> primary_key = ["id", "idd"]', 'tables.people.primary_key[1]: people has no column "idd"; '
     'expected "id" (the nearest of age, city, id, wage)'),
    ('primary_key = ["id"] -> primary_key = ["id", "id"]',
     "tables.people.primary_key: names a column twice; expected each column once"),
    ('primary_key = ["id"] -> determines = ["idd"]', 'tables.people.determines[0]: people has no column "idd"; '
     'expected "id" (the nearest of age, city, id, wage)'),
    ('primary_key = ["id"] -> determines = [["age", "city"], []]', "tables.people.determines[1]: is []; "
     'expected a column, or a list of columns such as ["store", "receipt"]'),
    ('public = true -> public = true\ndetermines = ["a"]',
     "tables.places.determines: belongs to private tables, and this one is public; "
     "expected public = true or determines"),
    ('primary_key = ["id"] -> max_rows_per_unit = 0', "tables.people.max_rows_per_unit: is 0; "
     "expected a whole number above 0"),
    ('primary_key = ["id"] -> link = { id = "visits.person" }',
     "tables.people.link: this is the unit's own table, its key is id; expected no link"),
    ('link = { person = "people.id" } -> ', 'tables.visits.link: missing; expected { column = "people.id" } '
     "or a link to a table that leads there"),
    ('link = { person = "people.id" } -> link = { person = "people.id", visit = "shop.items.visit" }',
     "tables.visits.link: has 2 columns; expected one: a row belongs to exactly one unit"),
    ('link = { person = "people.id" } -> link = { persn = "people.id" }',
     'tables.visits.link.persn: visits has no column "persn"; expected "person" (the nearest of person, visit)'),
    ('link = { person = "people.id" } -> link = { person = "peple.id" }',
     'tables.visits.link.person: no table "peple"; '
     'expected "people" (the nearest of people, places, shop.items, visits)'),
    ('link = { person = "people.id" } -> link = { person = "people.idd" }',
     'tables.visits.link.person: people has no column "idd"; expected "id" (the nearest of age, city, id, wage)'),
    ('link = { person = "people.id" } -> link = { person = "id" }',
     'tables.visits.link.person: is "id"; expected "table.column"'),
    ('link = { person = "people.id" } -> link = { person = 5 }',
     'tables.visits.link.person: is 5; expected { column = "table.column" }'),
    ('link = { person = "people.id" } -> link = { person = "places.id" }',
     "tables.visits.link.person: leads to a public table; expected a link to a table of the unit person"),
    ('link = { person = "people.id" } -> link = { person = "people.wage" }',
     "tables.visits.link.person: links bigint to double precision; expected the same type at both ends"),
    # units
    ('table = "people" -> table = "peple"', 'units.person.table: no table "peple"; '
     'expected "people" (the nearest of people, places, shop.items, visits)'),
    ('key = "id" -> key = "idd"', 'units.person.key: people has no column "idd"; '
     'expected "id" (the nearest of age, city, id, wage)'),
    ('key = "id" -> key = "wage"', f"units.person.key: is of type double precision; expected {KEYS}"),
    ('+ -> [units.firm]\ntable = "places"\nkey = "id"',
     'units.firm.table: places is public; expected a table with unit = "firm"'),
    ('+ -> [units.firm]\ntable = "visits"\nkey = "visit"',
     'units.firm.table: visits is of the unit person; expected a table with unit = "firm"'),
    ('+ -> [units.firm]\ntable = "visits"', "units.firm.key: missing; expected a column of that table"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "line"), FAULTS, ids=[line.partition(";")[0] for _, line in FAULTS])
def test_each_fault_has_its_line(tmp_path: Path, change: str, line: str) -> None:
    assert faults(tmp_path, changed(change)) == [line]


def test_links_of_a_type_that_is_no_key(tmp_path: Path) -> None:
    text = SOUND.replace('type = "uuid"', 'type = "double precision"')
    expected = f'tables."shop.items".link.visit: is a link of double precision; expected {KEYS}'
    assert faults(tmp_path, text) == [expected]


def test_links_in_a_circle(tmp_path: Path) -> None:
    text = changed('link = { person = "people.id" } -> link = { visit = "shop.items.visit" }')
    circle = "leads round in a circle; expected a chain of links that ends at people"
    assert faults(tmp_path, text) == [f"tables.visits.link: {circle}", f'tables."shop.items".link: {circle}']


_PERSON = 'person = { person = "people.id" }'
_TWO = {
    "": "",
    f"units = {{ {_PERSON} }}": "tables.visits.units: has 1 links; expected two links: "
    '{ customer = { column = "table.column" }, supplier = { … } }; or unit and link, for one',
    f'unit = "person"\nunits = {{ {_PERSON}, firm = {{ firm = "firms.id" }} }}': "tables.visits.unit: stands beside "
    "units; expected units alone: each has its link, or unit alone",
    f'units = {{ {_PERSON}, frm = {{ firm = "firms.id" }} }}': 'tables.visits.units.frm: no unit "frm"; expected '
    '"firm" (the nearest of firm, person)',
    f'units = {{ {_PERSON}, firm = {{ firm = "people.id" }} }}': "tables.visits.units.firm.firm: leads to person; "
    "expected a link to a table of the unit firm",
    f'units = {{ {_PERSON}, firm = {{ frm = "firms.id" }} }}': "tables.visits.units.firm.frm: visits has no column "
    '"frm"; expected "firm" (the nearest of firm, person, visit)',
}


@pytest.mark.parametrize("said", _TWO)
def test_a_table_of_two_units(tmp_path: Path, said: str) -> None:
    firm = '[units.firm]\ntable = "firms"\nkey = "id"\n'
    firm += '[tables.firms]\nunit = "firm"\ncolumns = { id = { type = "bigint" } }\n'
    both = 'units = { person = { person = "people.id" }, firm = { firm = "firms.id" } }'
    text = SOUND[: SOUND.index('[tables."shop.items"]')] + SOUND[SOUND.index("[tables.places]") :] + firm
    text = text.replace('unit = "person"\nlink = { person = "people.id" }', said or both)
    text = text.replace('visit = { type = "uuid" }', 'visit = { type = "uuid" }\nfirm = { type = "bigint" }')
    if said:
        assert faults(tmp_path, text) == [_TWO[said]]
    else:
        ways = (("person", "person", "people.id"), ("firm", "firm", "firms.id"))
        assert read(tmp_path, text).tables["visits"].ways == ways


def test_a_link_to_another_unit(tmp_path: Path) -> None:
    firm = '[units.firm]\ntable = "firms"\nkey = "id"\n'
    firm += '[tables.firms]\nunit = "firm"\ncolumns = { id = { type = "bigint" } }\n'
    text = changed('link = { person = "people.id" } -> link = { person = "firms.id" }') + firm
    expected = "tables.visits.link.person: leads to firm; expected a link to a table of the unit person"
    assert faults(tmp_path, text) == [expected]


def test_all_faults_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = changed(
        "port = 0 -> port = -1",
        'url = "embedded:front" -> url = "front"',
        'key = "id" -> key = "idd"',
        'primary_key = ["id"] -> primary_key = ["ide"]',
        AGE + '{ type = "integer", bounds = [1, 0], values = ["a"], step = -1, what = 1 }',
        'link = { person = "people.id" } -> link = { person = "people.idd" }',
        "trust = true -> ",
        'delta = 1e-6 -> delta = 2\ntables = ["peple"]',
    )
    assert [line.partition(": ")[0] for line in faults(tmp_path, text)] == [
        "server.port",
        "front.url",
        "units.person.key",
        "tables.people.primary_key[0]",
        f"{COLUMN}.age.bounds",
        f"{COLUMN}.age.values",
        f"{COLUMN}.age.step",
        f"{COLUMN}.age.what",
        "tables.visits.link.person",
        "analysts.alice.delta",
        "analysts.alice.tables[0]",
        "analysts.alice.trust",
    ]


def test_one_fault_does_not_hide_another_of_its_section(tmp_path: Path) -> None:
    text = changed("epsilon = 5 -> epsilon = 0", "delta = 1e-6 -> ", "trust = true -> ", '+ -> tables = ["peple"]')
    assert [line.partition(":")[0] for line in faults(tmp_path, text)] == [
        "analysts.alice.epsilon",
        "analysts.alice.tables[0]",
        "analysts.alice.trust",
        "analysts.alice.delta",
    ]


def test_faults_of_one_column_do_not_hide_those_of_another(tmp_path: Path) -> None:
    text = changed(AGE + "{ bounds = 1, values = 2 }", 'person = "people.id" -> person = "people.wage"')
    assert [line.partition(":")[0] for line in faults(tmp_path, text)] == [
        f"{COLUMN}.age.type",
        "tables.visits.link.person",
    ]


def test_a_secret_is_not_told(tmp_path: Path) -> None:
    text = changed('trust = true -> password = "${PW}"', 'url = "embedded:front" -> url = "${URL}"')
    told = "\n".join(faults(tmp_path, text, PW="sesame", URL="http://sesame"))
    assert "sesame" not in told
    assert "front.url: is no URL that is known here" in told


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"[server]\nport = = 0\n", "line 2, column 8: Invalid value; expected TOML"),
        (b"[server]\n[server]\n", "line 2, column 8: Cannot declare ('server',) twice; expected TOML"),
        (b'host = "\xff"', "is not text; expected TOML in UTF-8"),
    ],
)
def test_no_toml(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "dp.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigFault) as caught:
        load(path, {})
    assert caught.value.detail == f"{path}: {expected}"


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigFault) as caught:
        load(tmp_path / "none.toml", {})
    assert caught.value.detail == f"{tmp_path / 'none.toml'}: no such file or directory; expected a TOML file"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_examples_are_sound(path: Path, tmp_path: Path) -> None:
    secrets = dict.fromkeys(("FRONT_PASSWORD", "READER_PASSWORD", "LEDGER_PASSWORD"), "secret")
    verifiers = dict.fromkeys(("ALICE_VERIFIER", "DASHBOARD_VERIFIER"), VERIFIER)
    for name in ("server.crt", "server.key"):
        (tmp_path / name).touch()
    assert load(path, {**secrets, **verifiers, "TLS_DIRECTORY": str(tmp_path)}).analysts


def test_the_examples_explain_every_key() -> None:
    text = "\n".join(path.read_text() for path in EXAMPLES)
    todo = [Config]
    for model in todo:
        for name, field in model.model_fields.items():
            assert name in text, name
            todo += [section for section in _sections(field.annotation) if section not in todo]


def _sections(annotation: object) -> list[type]:
    inner = [section for part in get_args(annotation) for section in _sections(part)]
    return inner + ([annotation] if isinstance(annotation, type) and hasattr(annotation, "model_fields") else [])
