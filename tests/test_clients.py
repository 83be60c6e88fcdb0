"""Real clients against a real proxy: an embedded front, DuckDB, psql, psycopg and asyncpg."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import asyncpg
import psycopg
import pytest
from proxies import PATIENCE_SECONDS, ServedProxy, serving, write_policy
from scramp import ScramMechanism

from dpproxy.front.binaries import find_binaries

PASSWORD = "open sesame"


def _verifier() -> str:
    salt, stored, server, iterations = ScramMechanism("SCRAM-SHA-256").make_auth_info(PASSWORD)
    salt, stored, server = (b64encode(each).decode() for each in (salt, stored, server))
    return f"SCRAM-SHA-256${iterations}:{salt}${stored}:{server}"


def _certificate(directory: Path) -> None:
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"),
            *("-keyout", directory / "server.key", "-out", directory / "server.crt"),
        ],
        check=True,
        capture_output=True,
    )


HAS_OPENSSL = shutil.which("openssl") is not None


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProxy]:
    directory = tmp_path_factory.mktemp("proxy")
    tls = ""
    if HAS_OPENSSL:
        _certificate(directory)
        tls = f'tls_cert = "{directory}/server.crt"\ntls_key = "{directory}/server.key"\n'

    carol = f'[analysts.carol]\npassword = "{_verifier()}"\nepsilon = 1.0\ndelta = 1e-6\n'
    changes = {
        "[server]\n": f"[server]\n{tls}startup_timeout = '4s'\n",
        "epsilon = 100.0": "epsilon = 100000.0",
        "[analysts.bob]": f"{carol}\n[analysts.bob]",
    }
    with serving(write_policy(directory, changes)) as started:
        yield started


def conninfo(proxy: ServedProxy, user: str = "alice", **others: object) -> str:
    """How libpq connects; without TLS unless it is asked for."""
    words = {"host": "127.0.0.1", "port": proxy.port, "user": user, "dbname": "demo", "sslmode": "disable", **others}
    return " ".join(f"{name}={value}" for name, value in words.items())


@pytest.fixture
def connection(proxy: ServedProxy) -> Iterator[psycopg.Connection]:
    with psycopg.connect(conninfo(proxy), autocommit=True) as opened:
        yield opened


# What people see


def test_psql(proxy: ServedProxy) -> None:
    """The newcomer's session: a private answer with its notice, a catalog command, an error with its caret."""
    psql = Path(find_binaries().psql) if hasattr(find_binaries(), "psql") else None
    program = str(psql) if psql else shutil.which("psql")
    if program is None:
        pytest.skip("there is no psql")
    command = [program, "-X", "-d", conninfo(proxy), "-c", "SELECT sex, count(*) FROM people GROUP BY sex ORDER BY 1"]
    command += ["-c", r"\d people", "-c", "SELECT nosuch FROM people", "-c", "SELECT 1; SELECT count(*) FROM people"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert " sex | count \n" in done.stdout
    assert "person_id | bigint" in done.stdout
    assert "NOTICE:  dpproxy: charged epsilon 1, delta 0; remaining epsilon" in done.stderr
    assert "LINE 1: SELECT nosuch FROM people\n               ^" in done.stderr


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("prepare", [False, True])
def test_types_are_postgress_own(connection: psycopg.Connection, binary: bool, prepare: bool) -> None:
    sql = "SELECT sex, count(*), avg(age), sum(income), sum(age) FROM people WHERE age > %s GROUP BY sex ORDER BY sex"
    cursor = connection.cursor(binary=binary)
    (first, _) = cursor.execute(sql, (1,), prepare=prepare).fetchall()
    assert [column.name for column in cursor.description] == ["sex", "count", "avg", "sum", "sum"]
    assert [column.type_code for column in cursor.description] == [25, 20, 1700, 701, 20]
    assert [type(each) for each in first] == [str, int, Decimal, float, int]
    assert abs(first[1] - 200) < 60


def test_parameters_in_any_form(connection: psycopg.Connection) -> None:
    """Declared or not, text or binary, in the private part and behind it."""
    for age in (39, "39"):
        for binary in (True, False):
            cursor = connection.cursor(binary=binary)
            (row,) = cursor.execute("SELECT count(*) + %b FROM people WHERE age > %s", (1000, age)).fetchall()
            assert 1150 < row[0] < 1400
    (row,) = connection.execute("SELECT count(*) FROM people WHERE joined >= %s", (date(2019, 1, 1),)).fetchall()
    assert abs(row[0] - 400) < 60
    (row,) = connection.execute("SELECT count(*) FROM people WHERE age > %s", (None,)).fetchall()
    assert abs(row[0]) < 60


def spent(connection: psycopg.Connection) -> int:
    return connection.execute("SELECT coalesce(max(id), 0) FROM dp.statements").fetchone()[0]


def test_bad_parameters_are_not_charged(connection: psycopg.Connection) -> None:
    before = spent(connection)
    with pytest.raises(psycopg.errors.InvalidTextRepresentation):
        connection.execute("SELECT count(*) FROM people WHERE age > %s", ("forty",))
    with pytest.raises(psycopg.errors.NumericValueOutOfRange):
        connection.execute("SELECT count(*) FROM people WHERE age > %s::int", (str(2**40),))
    assert spent(connection) == before


def test_pipelines(connection: psycopg.Connection) -> None:
    with connection.pipeline():
        cursors = [connection.execute("SELECT count(*) FROM people WHERE age > %s", (age,)) for age in range(30)]
        plain = connection.execute("SELECT 'between'")
        assert all(isinstance(each.fetchone()[0], int) for each in cursors)
        assert plain.fetchone() == ("between",)


def test_a_failed_transaction_charges_nothing(proxy: ServedProxy) -> None:
    with psycopg.connect(conninfo(proxy)) as opened:
        before = spent(opened)
        with pytest.raises(psycopg.errors.UndefinedColumn):
            opened.execute("SELECT nosuch FROM people")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            opened.execute("SELECT count(*) FROM people")
        opened.rollback()
        with pytest.raises(psycopg.Error, match="return rows"):
            opened.execute("SELECT age FROM people")
        assert opened.info.transaction_status is psycopg.pq.TransactionStatus.INERROR
        opened.rollback()
        assert spent(opened) == before


def test_settings(proxy: ServedProxy) -> None:
    options = "'-c dp.epsilon=0.25'"
    with psycopg.connect(conninfo(proxy, options=options), autocommit=True) as opened:
        notices: list[str] = []
        opened.add_notice_handler(lambda diagnostic: notices.append(diagnostic.message_primary))
        assert opened.execute("SHOW dp.epsilon").fetchone() == ("0.25",)
        opened.execute("SELECT count(*) FROM people")
        with opened.transaction():
            opened.execute("SET LOCAL dp.epsilon = 0.5")
            opened.execute("SELECT count(*) FROM people")
        opened.execute("SELECT set_config('dp.epsilon', '0.75', false)")
        opened.execute("SELECT count(*) FROM people")
        opened.execute("DISCARD ALL")
        opened.execute("SELECT count(*) FROM people")
        assert [each.split(",")[0] for each in notices] == [
            f"dpproxy: charged epsilon {epsilon}" for epsilon in ("0.25", "0.5", "0.75", "0.25")
        ]
        with pytest.raises(psycopg.errors.UndefinedObject, match="unrecognized configuration parameter") as caught:
            opened.execute("SET dp.epsilom = 1")
        assert (caught.value.diag.message_hint or "").startswith("Perhaps you meant dp.epsilon.")
        with pytest.raises(psycopg.errors.InvalidParameterValue, match=r"dp\.epsilon must be at least"):
            opened.execute("SET dp.epsilon = 1000000")
        assert opened.execute("SHOW dp.epsilon").fetchone() == ("0.25",)


def test_own_tables_and_the_proxys_own(connection: psycopg.Connection) -> None:
    before = spent(connection)
    connection.execute("CREATE TABLE alice.people (x) AS SELECT 5")
    try:
        connection.execute("SET search_path = alice, public")
        assert connection.execute("SELECT x FROM people").fetchall() == [(5,)]
        connection.execute("CREATE TABLE again AS SELECT * FROM people")
        connection.execute("DROP TABLE again")
    finally:
        connection.execute("DROP TABLE alice.people")
    assert connection.execute("SELECT building FROM departments WHERE dept = 'ortho'").fetchall() == [("south",)]
    assert connection.execute("SELECT analyst FROM dp.budget").fetchall() == [("alice",)]
    assert connection.execute("SELECT count(*) FROM dp.columns WHERE name = 'name'").fetchone() == (0,)
    assert connection.execute('SELECT count(*) FROM dp.tables t JOIN dp.columns c ON c."table" = t.name').fetchone()[0]
    assert spent(connection) == before
    connection.execute("SELECT count(*) AS n FROM people")
    assert connection.execute("SELECT mechanism FROM dp.last_statement").fetchall()
    assert spent(connection) == before + 1


def test_tables_that_were_not_granted(proxy: ServedProxy) -> None:
    with psycopg.connect(conninfo(proxy, "bob"), autocommit=True) as opened:
        with pytest.raises(psycopg.errors.InsufficientPrivilege) as caught:
            opened.execute("SELECT count(*) FROM visits")
        assert caught.value.diag.message_hint
        assert isinstance(opened.execute("SELECT count(*) FROM people").fetchone()[0], int)
        opened.execute("SET dp.epsilon = 1")
        with pytest.raises(psycopg.Error) as caught:
            opened.execute("SELECT count(*) FROM people")
        assert caught.value.sqlstate == "DP001"


@pytest.mark.parametrize("encoding", ["LATIN1", "WIN1252", "UTF8", "SQL_ASCII"])
def test_client_encodings(proxy: ServedProxy, encoding: str) -> None:
    with psycopg.connect(conninfo(proxy, client_encoding=encoding), autocommit=True) as opened:
        sql = "SELECT count(*) AS \"größe\" FROM people WHERE city <> 'Köln'"
        cursor = opened.execute(sql.encode("latin-1" if encoding in ("LATIN1", "WIN1252") else "utf-8"))
        assert isinstance(cursor.fetchone()[0], int)
        if encoding != "SQL_ASCII":
            assert cursor.description[0].name == "größe"


async def test_asyncpg(proxy: ServedProxy) -> None:
    opened = await asyncpg.connect(host="127.0.0.1", port=proxy.port, user="alice", database="demo", ssl=False)
    try:
        row = await opened.fetchrow("SELECT count(*), avg(age), sum(income) FROM people WHERE age > $1", 30)
        assert [type(each) for each in row.values()] == [int, Decimal, float]
        statement = await opened.prepare("SELECT sex, count(*) FROM people GROUP BY sex ORDER BY sex")
        assert [each.type.name for each in statement.get_attributes()] == ["text", "int8"]
        for _ in range(3):
            assert [each["sex"] for each in await statement.fetch()] == ["F", "M"]
        async with opened.transaction():
            found = [
                each["sex"] async for each in opened.cursor("SELECT sex, count(*) FROM people GROUP BY 1", prefetch=1)
            ]
            assert sorted(found) == ["F", "M"]
        with pytest.raises(asyncpg.FeatureNotSupportedError):
            await opened.execute("EXPLAIN ANALYZE SELECT count(*) FROM people")
        assert await opened.execute("COPY (SELECT count(*) FROM people) TO STDOUT") == "COPY 1"
        assert await opened.fetchval("SELECT 1") == 1
    finally:
        await opened.close()


# How it begins


def test_scram(proxy: ServedProxy) -> None:
    with psycopg.connect(conninfo(proxy, "carol", password=f"'{PASSWORD}'")) as opened:
        assert opened.execute("SELECT current_user, session_user").fetchone() == ("carol", "carol")
    faults = []
    for user in ("carol", "nobody"):
        with pytest.raises(psycopg.OperationalError) as caught:
            psycopg.connect(conninfo(proxy, user, password="wrong"))
        faults.append(str(caught.value).replace(user, "USER"))
    assert faults[0] == faults[1]
    assert "password authentication failed" in faults[0]


def test_another_database(proxy: ServedProxy) -> None:
    with pytest.raises(psycopg.OperationalError, match='database "other" does not exist'):
        psycopg.connect(conninfo(proxy, dbname="other"))


@pytest.mark.skipif(not HAS_OPENSSL, reason="there is no openssl")
def test_tls(proxy: ServedProxy) -> None:
    with psycopg.connect(conninfo(proxy, sslmode="require"), autocommit=True) as opened:
        assert opened.pgconn.ssl_in_use
        assert isinstance(opened.execute("SELECT count(*) FROM people").fetchone()[0], int)
        rows = opened.execute("SELECT repeat('x', 1000) FROM generate_series(1, 5000)").fetchall()
        assert len(rows) == 5000


@pytest.mark.skipif(not HAS_OPENSSL, reason="there is no openssl")
def test_bytes_before_tls_are_not_taken(proxy: ServedProxy) -> None:
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=PATIENCE_SECONDS) as raw:
        raw.sendall(struct.pack(">II", 8, 80877103) + b"early")
        answer = raw.recv(1000)
    assert answer[:1] == b"E"
    assert b"unencrypted" in answer


@pytest.mark.parametrize("minor", [0, 2, 9999])
def test_minor_versions(proxy: ServedProxy, minor: int) -> None:
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=PATIENCE_SECONDS) as raw:
        raw.sendall(struct.pack(">II", 8, 80877104))
        assert raw.recv(1) == b"N"
        body = b"user\0alice\0database\0demo\0" + (b"_pq_.x\0y\0" if minor == 9999 else b"") + b"\0"
        raw.sendall(struct.pack(">IHH", len(body) + 8, 3, minor) + body)
        answer = b""
        while not answer.endswith(b"Z\0\0\0\5I"):
            answer += raw.recv(10000)
    assert answer.startswith(b"v" if minor == 9999 else b"R")


@pytest.mark.long
def test_slow_starts_end(proxy: ServedProxy) -> None:
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=PATIENCE_SECONDS) as raw:
        assert raw.recv(100) == b""


# How it ends


def test_cancel_in_the_front(connection: psycopg.Connection) -> None:
    """Asked for until it is done: the first may come before the statement does."""
    done = threading.Event()

    def cancel() -> None:
        while not done.wait(0.3):
            connection.cancel()

    canceling = threading.Thread(target=cancel)
    canceling.start()
    try:
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute("SELECT pg_sleep(600)")
    finally:
        done.set()
        canceling.join()


def test_wrong_keys_cancel_nothing(proxy: ServedProxy, connection: psycopg.Connection) -> None:
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=PATIENCE_SECONDS) as raw:
        raw.sendall(struct.pack(">IIiI", 16, 80877102, connection.info.backend_pid, 12345))
        assert raw.recv(10) == b""
    assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.long
def test_garbage_ends_only_its_own_session(proxy: ServedProxy, connection: psycopg.Connection) -> None:
    for garbage in (
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\0\1\0\1\xfc",
        os.urandom(4000),
        b"\0\0\0\x08\0\0\0\0",
    ):
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=PATIENCE_SECONDS) as raw:
            raw.sendall(garbage)
            while raw.recv(1000):
                pass
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_bad_message_is_fatal_to_its_session(proxy: ServedProxy) -> None:
    opened = psycopg.connect(conninfo(proxy), autocommit=True)
    os.write(opened.fileno(), b"y\0\0\0\4")
    with pytest.raises(psycopg.OperationalError):
        opened.execute("SELECT 1")


def test_the_front_comes_back(proxy: ServedProxy) -> None:
    """Its sessions end with an error; the next connections are served."""
    opened = psycopg.connect(conninfo(proxy), autocommit=True)
    os.kill(proxy.postmaster, signal.SIGKILL)
    with pytest.raises(psycopg.OperationalError):
        opened.execute("SELECT pg_sleep(5)")
    for _ in range(100):
        try:
            with psycopg.connect(conninfo(proxy), autocommit=True) as again:
                assert isinstance(again.execute("SELECT count(*) FROM people").fetchone()[0], int)
                return
        except psycopg.OperationalError:
            time.sleep(0.2)
    pytest.fail("the front never came back")
