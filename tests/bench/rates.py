"""How much a second comes through each way: small statements by pgbench, pipelines and long results by raw bytes."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from bench.raw import RawClient, execute, prepare, query, raw_client
from bench.timing import Figures, in_turn, timed
from bench.ways import FRONT, Ways

from dpproxy.front.binaries import find_binaries
from dpproxy.front.front_address import FrontAddress


@dataclass(frozen=True)
class Size:
    """How long it is measured: pgbench's own words for the length of a run, rounds, statements and rows at once."""

    run: tuple[str, str]
    rounds: int
    pipeline: int
    rows: int


# What tools ask when they connect and when a table is opened, in our words.
CATALOG = (
    "SELECT n.nspname, c.relname, c.relkind, obj_description(c.oid, 'pg_class') FROM pg_class c "
    "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') "
    "AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND c.oid <> {n} ORDER BY 1, 2",
    "SELECT a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), "
    "col_description(a.attrelid, a.attnum) FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid "
    "AND d.adnum = a.attnum WHERE a.attrelid = 'people'::regclass AND a.attnum > 0 AND a.attnum <> {n} ORDER BY 1",
    "SELECT conname, contype, pg_get_constraintdef(oid), confrelid::regclass FROM pg_constraint "
    "WHERE conrelid = 'visits'::regclass AND oid <> {n} ORDER BY 1",
    "SELECT i.indexrelid::regclass, i.indisunique, i.indisprimary, pg_get_indexdef(i.indexrelid) FROM pg_index i "
    "WHERE i.indrelid = 'people'::regclass AND i.indexrelid <> {n}",
    "SELECT t.oid, t.typname, t.typtype, t.typelem, r.rngsubtype FROM pg_type t LEFT JOIN pg_range r "
    "ON r.rngtypid = t.oid WHERE t.typname IN ('int4', 'text', 'date', 'jsonb', 'int4range') AND t.oid <> {n}",
    "SELECT column_name, data_type, is_nullable, numeric_precision FROM information_schema.columns "
    "WHERE table_schema = 'public' AND table_name = 'orders' AND ordinal_position <> {n} ORDER BY ordinal_position",
    "SELECT current_database(), current_schema(), current_user, version(), current_setting('server_version_num'), {n}",
)
# Texts that were seen before, and texts that never were: the first statement of a script draws a number.
KNOWN_CATALOG = "".join(f"{sql.format(n=-1)};\n" for sql in CATALOG)
FRESH_CATALOG = "\\set n random(1000000, 1000000000)\n" + "".join(f"{sql.format(n=':n')};\n" for sql in CATALOG)
MADE = (
    "CREATE TABLE long AS SELECT i AS id, 'row number ' || i AS label, i * 0.37::float8 AS amount, "
    "date '2024-01-01' + i % 365 AS day FROM generate_series(1, {}) AS g(i)"
)
LONG = {"SELECT": "SELECT * FROM long", "COPY in binary": "COPY long TO STDOUT (FORMAT binary)"}
PATIENCE_SECONDS = 120
_TPS = re.compile(r"tps = ([\d.]+) \(without")


def lines(ways: Ways, size: Size) -> Iterator[str]:
    """A line for each kind of load."""
    for clients in (1, 16):
        found = _by_pgbench(ways, size, "SELECT 1;", "prepared", clients)
        yield f"SELECT 1, {clients} connections: {ways.compared(found, '/s')}"
    for name, script in (("known", KNOWN_CATALOG), ("new each time", FRESH_CATALOG)):
        found = _by_pgbench(ways, size, script, "simple", 1)
        yield f"catalog queries, texts {name}: {ways.compared(found, '/s')}"
    yield from _by_raw_clients(ways, size)


def _by_pgbench(ways: Ways, size: Size, script: str, protocol: str, clients: int) -> dict[str, Figures]:
    """Statements a second: a script's transactions, times the statements in it."""
    statements = script.count(";")

    def rate(address: FrontAddress) -> float:
        return statements * pgbench(script, protocol, clients, address, size.run)

    return in_turn({name: partial(rate, address) for name, address in ways.trusted.items()}, size.rounds)


def _by_raw_clients(ways: Ways, size: Size) -> Iterator[str]:
    with ExitStack() as held:
        clients = {name: held.enter_context(raw_client(address)) for name, address in ways.trusted.items()}
        for client in clients.values():
            client.ask(prepare("one", "SELECT 1"))
        found = _repeated(clients, execute("one", size.pipeline), size.pipeline, 4 * size.rounds)
        yield f"SELECT 1, pipelines of {size.pipeline}: {ways.compared(found, '/s')}"
        clients[FRONT].ask(query(MADE.format(size.rows)))
        for name, sql in LONG.items():
            found = _repeated(clients, query(sql), size.rows, size.rounds)
            yield f"{name} of {size.rows:,} rows: {ways.compared(found, 'rows/s')}"


def _repeated(clients: dict[str, RawClient], message: bytes, things: int, rounds: int) -> dict[str, Figures]:
    """How many things a second the answer to a message brings. Each way has to bring the same bytes."""
    sizes: set[int] = set()

    def rate(client: RawClient) -> float:
        return things / timed(lambda: sizes.add(client.ask(message)))

    found = in_turn({name: partial(rate, client) for name, client in clients.items()}, rounds)
    assert len(sizes) == 1, sizes
    return found


def pgbench(
    script: str, protocol: str, clients: int, address: FrontAddress, run: tuple[str, str], options: str = ""
) -> float:
    """Transactions a second. It is the pgbench beside the front's server: in C, so that it is never what one waits
    for. options: of the session, as a server's command line has them."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(script)
        file.flush()
        done = subprocess.run(
            [
                str(find_binaries().postgres.with_name("pgbench")), "-n", "-M", protocol, "-f", file.name,
                "-c", str(clients), "-j", "1", *run,
                "-h", address.host, "-p", str(address.port), "-U", address.owner, address.database,
            ],
            capture_output=True, text=True, timeout=PATIENCE_SECONDS,
            env={"PGPASSWORD": address.password or "", "PGSSLMODE": "disable", "PGOPTIONS": options},
        )  # fmt: skip
    match = _TPS.search(done.stdout)
    assert match and not done.returncode, done.stderr[-2000:]
    return float(match[1])
