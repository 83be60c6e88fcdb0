"""All ways to ask: SQL-level PREPARE, cursors, COPY, tables of answers, EXPLAIN, mixed texts, pipelines, limits.

Each way is paid once, what the front refuses is not paid, and what is read of it is what a plain SELECT gives.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

import psycopg
import pytest
from scratch_postgres import ScratchPostgres

from dpproxy.wire import (
    Bind,
    ErrorResponse,
    Execute,
    Frame,
    FrontendMessage,
    Parse,
    Query,
    ReadyForQuery,
    Sync,
    decode_backend,
    encode_frontend,
    split_frames,
)

from .served import Served, spent

pytestmark = pytest.mark.long

Connection = psycopg.Connection[Any]
COUNT = "SELECT count(*) FROM people"
BY_SEX = "SELECT sex, count(*) AS n, avg(age)::numeric(6,2) AS mean FROM people GROUP BY sex ORDER BY sex"
_SLOW = "SELECT count(*) FROM generate_series(1, 100000) AS a(x), generate_series(1, 100000) AS b(y)"
SLOW_AFTERWARDS = f"SELECT n, ({_SLOW}) FROM ({COUNT}) AS t(n)"
EXACT = "-c dp.epsilon=1e5"


@pytest.fixture
def erna(world: Served) -> Iterator[Connection]:
    """A session whose answers are without noise, as far as one can see; without TLS, so that its socket is usable."""
    with world.connect("erna", options=EXACT, sslmode="disable") as connection:
        yield connection
        if connection.info.transaction_status is not psycopg.pq.TransactionStatus.IDLE:
            connection.execute("ROLLBACK")
        for (table,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'erna'").fetchall():
            connection.execute(f'DROP TABLE erna."{table}"')


@pytest.fixture(scope="module")
def truth(plain: ScratchPostgres) -> list[tuple[Any, ...]]:
    with psycopg.connect(plain.conninfo) as connection:
        return connection.execute(BY_SEX).fetchall()


def charges(connection: Connection) -> int:
    return spent(connection)[2]


def state(connection: Connection, sql: str) -> str | None:
    try:
        connection.execute(sql)
    except psycopg.Error as fault:
        return fault.sqlstate
    return None


def shape(cursor: psycopg.Cursor[Any]) -> list[tuple[object, ...]]:
    """Names, types, modifiers, and whether it is a table's column."""
    result = cursor.pgresult
    assert result is not None
    return [(result.fname(i), result.ftype(i), result.fmod(i), result.ftable(i) != 0) for i in range(result.nfields)]


# PREPARE and EXECUTE


@pytest.mark.parametrize("prepare", [False, True])
def test_prepare_and_execute(erna: Connection, truth: list[tuple[Any, ...]], prepare: bool) -> None:
    before = charges(erna)
    erna.execute(f"PREPARE q AS {BY_SEX}; PREPARE older(int, date) AS {COUNT} WHERE age > $1 AND joined >= $2")
    assert charges(erna) == before
    expected = erna.execute(f"{COUNT} WHERE age > 30 AND joined >= '2022-01-01'").fetchall()
    for _ in range(3):
        cursor = erna.execute("EXECUTE q", prepare=prepare, binary=prepare)
        assert (cursor.fetchall(), cursor.statusmessage) == (truth, "SELECT 2")
        assert shape(cursor) == shape(erna.execute(BY_SEX))
        assert erna.execute("EXECUTE older(10 + 20, '2022-01-01')", prepare=prepare).fetchall() == expected
    assert charges(erna) == before + 1 + 3 * 3
    erna.execute("DEALLOCATE q")
    assert state(erna, "EXECUTE q") == "26000"
    assert erna.execute("SELECT count(*) FROM pg_prepared_statements WHERE name = 'older'").fetchone() == (1,)
    erna.execute("DEALLOCATE ALL")
    assert state(erna, "EXECUTE older(1, '2022-01-01')") == "26000"


@pytest.mark.parametrize(
    ("sql", "sqlstate", "position"),
    [
        ("EXECUTE older", "42601", None),
        ("EXECUTE older(1, '2022-01-01', 3)", "42601", None),
        ("EXECUTE older('abc', '2022-01-01')", "22P02", 15),
        ("EXECUTE  older ( 1,'2022-13-01' )", "22008", 20),
        ("EXECUTE older((SELECT 1), '2022-01-01')", "0A000", 15),
        ("EXECUTE older(1, 2)", "42804", 18),
        ("EXECUTE older(1/0, '2022-01-01')", "22012", None),
    ],
)
def test_bad_arguments_are_not_charged(erna: Connection, sql: str, sqlstate: str, position: int | None) -> None:
    erna.execute(f"PREPARE older(int, date) AS {COUNT} WHERE age > $1 AND joined >= $2")
    before = charges(erna)
    with pytest.raises(psycopg.Error) as caught:
        erna.execute(sql)
    assert caught.value.sqlstate == sqlstate
    assert caught.value.diag.statement_position == (None if position is None else str(position))
    assert charges(erna) == before
    assert erna.execute("EXECUTE older(1, '2022-01-01')").fetchone()


def test_a_statement_of_the_protocol_may_be_executed_by_sql(erna: Connection, truth: list[tuple[Any, ...]]) -> None:
    erna.pgconn.prepare(b"mine", BY_SEX.encode())
    assert erna.execute("EXECUTE mine").fetchall() == truth
    assert any(line.startswith("Cost:") for (line,) in erna.execute("EXPLAIN EXECUTE mine").fetchall())
    erna.execute("CREATE TABLE erna.kept AS EXECUTE mine")
    assert erna.execute("SELECT * FROM erna.kept").fetchall() == truth


def test_one_text_prepares_and_executes(erna: Connection, truth: list[tuple[Any, ...]]) -> None:
    cursor = erna.execute(f"PREPARE here AS {BY_SEX}; EXECUTE here; DEALLOCATE here")
    assert cursor.nextset()
    assert cursor.fetchall() == truth
    assert state(erna, "EXECUTE here") == "26000"


# Cursors


@pytest.mark.parametrize("binary", [False, True])
def test_cursors_in_a_transaction(erna: Connection, truth: list[tuple[Any, ...]], binary: bool) -> None:
    before = charges(erna)
    erna.execute("BEGIN")
    erna.execute(f"DECLARE c SCROLL CURSOR FOR {BY_SEX}")
    first = erna.execute("FETCH 1 FROM c", prepare=binary, binary=binary)
    assert (first.fetchall(), first.statusmessage) == (truth[:1], "FETCH 1")
    assert shape(first) == shape(erna.execute(BY_SEX))
    assert erna.execute("FETCH ALL FROM c", prepare=binary, binary=binary).fetchall() == truth[1:]
    assert erna.execute("MOVE BACKWARD ALL IN c").statusmessage == "MOVE 2"
    assert erna.execute("FETCH ABSOLUTE 2 FROM c").fetchall() == truth[1:2]
    assert state(erna, f"DECLARE c CURSOR FOR {BY_SEX}") == "42P03"
    erna.execute("ROLLBACK")
    assert charges(erna) == before + 2
    assert state(erna, "FETCH 1 FROM c") == "34000"
    assert state(erna, f"DECLARE c CURSOR FOR {BY_SEX}") == "25P01"
    assert charges(erna) == before + 2


def test_cursors_that_outlive_their_transaction(erna: Connection, truth: list[tuple[Any, ...]]) -> None:
    before = charges(erna)
    erna.execute(f"DECLARE held CURSOR WITH HOLD FOR {BY_SEX}")
    erna.execute("BEGIN; COMMIT")
    assert erna.execute("FETCH 5 FROM held").fetchall() == truth
    assert erna.execute("SELECT is_holdable, is_scrollable FROM pg_cursors WHERE name = 'held'").fetchone()
    erna.execute("CLOSE held")
    assert charges(erna) == before + 1


def test_cursors_of_one_text(erna: Connection, truth: list[tuple[Any, ...]]) -> None:
    """As ODBC and Tableau ask."""
    cursor = erna.execute(f'BEGIN;declare "SQL_CUR01" cursor with hold for {BY_SEX};fetch 10000 in "SQL_CUR01"')
    results = [cursor.statusmessage]
    while cursor.nextset():
        results.append(cursor.statusmessage)
    assert results == ["BEGIN", "DECLARE CURSOR", "FETCH 2"]
    assert cursor.fetchall() == truth
    erna.execute('close "SQL_CUR01"; COMMIT')


def test_cursors_whose_rows_are_binary(erna: Connection) -> None:
    """FETCH in a simple Query gives them as the cursor does."""
    for inner in ("SELECT 258::bigint AS count", COUNT):
        erna.execute("BEGIN")
        erna.execute(f"DECLARE b BINARY CURSOR FOR {inner}")
        result = erna.pgconn.exec_(b"FETCH ALL FROM b")
        assert (result.fformat(0), len(result.get_value(0, 0) or b"")) == (1, 8)
        erna.execute("ROLLBACK")


def test_cursors_with_parameters(erna: Connection) -> None:
    expected = erna.execute(f"{COUNT} WHERE age > 30").fetchall()
    with erna.transaction(), erna.cursor("named") as cursor:
        cursor.execute(f"{COUNT} WHERE age > %s", (30,))
        assert cursor.fetchall() == expected


# COPY


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", "{0}\t{1}\t{2}\n"),
        ("WITH (FORMAT csv, HEADER, FORCE_QUOTE (sex))", '"{0}",{1},{2}\n'),
        ("(DELIMITER '|', NULL 'none')", "{0}|{1}|{2}\n"),
        ("CSV", "{0},{1},{2}\n"),
    ],
)
def test_copy_as_text(erna: Connection, truth: list[tuple[Any, ...]], options: str, expected: str) -> None:
    before = charges(erna)
    with erna.cursor().copy(f"COPY ({BY_SEX}) TO STDOUT {options}") as out:
        text = b"".join(map(bytes, out)).decode()
    head = "sex,n,mean\n" if "HEADER" in options else ""
    assert text == head + "".join(expected.format(*row) for row in truth)
    assert charges(erna) == before + 1


def test_copy_as_binary(erna: Connection, truth: list[tuple[Any, ...]]) -> None:
    with erna.cursor().copy(f"COPY ({BY_SEX}) TO STDOUT (FORMAT binary)") as out:
        out.set_types(["text", "int8", "numeric"])
        assert list(out.rows()) == truth


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        (f"COPY ({COUNT}) TO STDOUT (FORMAT x)", "22023"),
        (f"COPY ({BY_SEX}) TO STDOUT (FORMAT csv, FORCE_QUOTE (nosuch))", "42703"),
        (f"COPY ({COUNT} WHERE nosuch) TO STDOUT", "42703"),
        ("COPY people TO STDOUT", "DP002"),
        ("COPY people (age) TO STDOUT", "DP002"),
        (f"CREATE TABLE public.t AS {COUNT}", "42501"),
        (f"CREATE TABLE erna.t (a, b) AS {COUNT}", "42601"),
        (f"CREATE TEMP TABLE t AS {COUNT}", "42501"),
        ("CREATE TABLE erna.t AS SELECT count(*), count(*) FROM people", "42701"),
        (f"CREATE TABLE erna.t WITH (nosuch = 1) AS {COUNT}", "22023"),
        ("EXPLAIN (FORMAT x) SELECT count(*) FROM people", "22023"),
        ("EXPLAIN (WAL) SELECT count(*) FROM people", "22023"),
        ("EXPLAIN ANALYZE SELECT count(*) FROM people", "0A000"),
    ],
)
def test_what_the_front_refuses_is_not_charged(erna: Connection, sql: str, sqlstate: str) -> None:
    before = charges(erna)
    assert state(erna, sql) == sqlstate
    assert erna.info.transaction_status is psycopg.pq.TransactionStatus.IDLE
    assert charges(erna) == before


# Tables of answers


def test_tables_of_answers(erna: Connection, truth: list[tuple[Any, ...]]) -> None:
    before = charges(erna)
    assert erna.execute(f"CREATE TABLE erna.kept AS {BY_SEX}").statusmessage == "SELECT 2"
    assert (
        erna.execute('SELECT sex, count(*) AS n INTO erna."Other One" FROM people GROUP BY sex').statusmessage
        == "SELECT 2"
    )
    assert charges(erna) == before + 2
    kept = erna.execute("SELECT * FROM erna.kept ORDER BY sex")
    assert kept.fetchall() == truth
    assert [each[:3] for each in shape(kept)] == [each[:3] for each in shape(erna.execute(BY_SEX))]
    assert state(erna, f"CREATE TABLE erna.kept AS {BY_SEX}") == "42P07"
    assert erna.execute(f"CREATE TABLE IF NOT EXISTS erna.kept AS {COUNT}").statusmessage == "CREATE TABLE AS"
    assert erna.execute("SELECT * FROM erna.kept ORDER BY sex").fetchall() == truth
    assert charges(erna) == before + 3
    erna.execute("CREATE TABLE erna.bare AS SELECT * FROM people WITH NO DATA")
    assert erna.execute("SELECT * FROM erna.bare").fetchall() == []
    erna.execute(f"CREATE TABLE IF NOT EXISTS erna.fresh AS {COUNT} WITH DATA")
    erna.execute("CREATE VIEW erna.v AS SELECT sex, n FROM erna.kept")
    assert erna.execute("SELECT sum(n) FROM erna.v").fetchall() == erna.execute("TABLE erna.fresh").fetchall()
    erna.execute("DROP VIEW erna.v")


def test_tables_without_a_schema_are_the_analysts_own(erna: Connection) -> None:
    """The current schema is that of the policy's tables, as tools expect; positions are those of the client's text."""
    assert erna.execute("SELECT current_schema()").fetchone() == ("public",)
    erna.execute(f"CREATE TABLE kept AS {COUNT}; SELECT 1 AS x INTO other; CREATE TABLE bare (a int)")
    erna.execute("CREATE TABLE people (a int)", prepare=True)
    made = erna.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'erna' ORDER BY 1").fetchall()
    assert made == [("bare",), ("kept",), ("other",), ("people",)]
    assert erna.execute("SELECT count(*) FROM kept").fetchone() == (1,)
    assert erna.execute("SELECT 'people'::regclass = 'public.people'::regclass").fetchone() == (True,)
    for sql in ("CREATE TABLE t AS SELECT nosuch", "SELECT 1; CREATE TABLE t AS SELECT nosuch FROM people"):
        for prepare in {False, ";" not in sql}:
            with pytest.raises(psycopg.Error) as caught:
                erna.execute(sql, prepare=prepare)
            assert caught.value.diag.statement_position == str(sql.index("nosuch") + 1)
    erna.execute("DROP TABLE kept, bare")
    assert state(erna, "CREATE TABLE public.t (a int)") == "42501"


def test_a_long_text_is_an_error_and_the_session_goes_on(erna: Connection) -> None:
    assert state(erna, f"SELECT '{'x' * 1_000_000}'") == "54000"
    assert erna.execute("SELECT length(%s)", ("x" * 1_000_000,)).fetchone() == (1_000_000,)


def test_a_table_goes_with_its_transaction(erna: Connection) -> None:
    with pytest.raises(ZeroDivisionError), erna.transaction():
        erna.execute(f"CREATE TABLE erna.gone AS {COUNT}")
        raise ZeroDivisionError
    assert state(erna, "TABLE erna.gone") == "42P01"


@pytest.mark.parametrize("kind", ["VIEW", "MATERIALIZED VIEW"])
def test_views_over_private_tables_are_refused_with_the_reason(erna: Connection, kind: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        erna.execute(f"CREATE {kind} erna.v AS {COUNT}")
    assert caught.value.sqlstate == "DP002"
    assert "new release" in (caught.value.diag.message_primary or "")
    assert "CREATE TABLE" in (caught.value.diag.message_hint or "")


# EXPLAIN


@pytest.mark.parametrize("options", ["", "VERBOSE", "(COSTS off)", "(SETTINGS, SUMMARY off)", "(ANALYZE false)"])
def test_explain_in_text(erna: Connection, options: str) -> None:
    before = charges(erna)
    cursor = erna.execute(f"EXPLAIN {options} {BY_SEX}")
    assert cursor.statusmessage == "EXPLAIN"
    lines = [line for (line,) in cursor]
    assert lines[0].startswith("number ") and any(line.startswith("Cost: epsilon") for line in lines)
    assert any("Bounded SQL" in line for line in lines) is (options == "VERBOSE")
    assert charges(erna) == before


@pytest.mark.parametrize("inner", [COUNT, f"CREATE TABLE erna.t AS {COUNT}", f"DECLARE c CURSOR FOR {COUNT}"])
def test_explain_in_other_formats(erna: Connection, inner: str) -> None:
    (document,) = erna.execute(f"EXPLAIN (FORMAT json) {inner}").fetchone() or ()
    assert document[0]["Releases"][0]["Measures"][0]["Measure"] == "COUNT(*)"
    (text,) = erna.execute(f"EXPLAIN (FORMAT yaml) {inner}").fetchone() or ()
    assert '- Unit: "person"' in text
    cursor = erna.execute(f"EXPLAIN (FORMAT xml) {inner}")
    (text,) = cursor.fetchone() or ()
    assert ElementTree.fromstring(text).find(".//{*}Unit").text == "person"  # type: ignore[union-attr]
    assert [each[:2] for each in shape(cursor)] == [(b"QUERY PLAN", 142)]
    assert json.dumps(document)


# Mixed texts, pipelines


def test_mixed_texts(erna: Connection, truth: list[tuple[Any, ...]]) -> None:
    before = charges(erna)
    cursor = erna.execute(
        f"SHOW server_version; {BY_SEX}; VALUES (1), (2); TABLE departments; WITH t AS ({COUNT}) TABLE t; SELECT 7"
    )
    results = [cursor.fetchall()]
    while cursor.nextset():
        results.append(cursor.fetchall())
    assert results[1] == truth
    assert results[2] == [(1,), (2,)]
    assert results[5] == [(7,)]
    assert len(results) == 6
    assert charges(erna) == before + 2


def test_a_text_is_one_transaction(erna: Connection) -> None:
    assert state(erna, f"CREATE TABLE erna.lost AS {COUNT}; SELECT 1/0; {COUNT}") == "22012"
    assert state(erna, "TABLE erna.lost") == "42P01"


def test_a_pipeline_of_hundreds(erna: Connection) -> None:
    """Private statements and others, one after the other: each answer belongs to its question."""
    before = charges(erna)
    (people,) = erna.execute(COUNT).fetchone() or ()
    with erna.pipeline():
        cursors = [
            erna.execute(f"{COUNT} WHERE %s >= 0", (number,))
            if number % 4 == 0
            else erna.execute("SELECT %s", (number,))
            for number in range(400)
        ]
    assert [cursor.fetchone() for cursor in cursors] == [
        (people,) if number % 4 == 0 else (number,) for number in range(400)
    ]
    assert charges(erna) == before + 101


def test_an_error_in_a_long_pipeline_takes_the_rest_with_it(erna: Connection) -> None:
    before = charges(erna)
    with pytest.raises(psycopg.Error) as caught, erna.pipeline():
        for number in range(200):
            erna.execute(COUNT if number != 50 else "SELECT age FROM people")
    assert caught.value.sqlstate == "DP002"
    assert charges(erna) <= before + 50
    assert erna.execute("SELECT 1").fetchone() == (1,)


def test_a_name_that_is_taken_is_told_before_the_charge(erna: Connection) -> None:
    before = charges(erna)
    erna.execute("BEGIN")
    erna.execute(f"DECLARE taken CURSOR FOR {COUNT}")
    assert raw(erna, Parse("", COUNT, ()), Bind("taken", "", (), (), ()), Execute("taken", 0)) == "42P03"
    erna.execute("ROLLBACK")
    assert charges(erna) == before + 1
    assert state(erna, f"DECLARE dpproxy_simple CURSOR WITH HOLD FOR {COUNT}") == "42939"


def test_a_prepare_that_fails_leaves_what_was_prepared(erna: Connection) -> None:
    erna.execute(f"PREPARE kept AS {COUNT}")
    (people,) = erna.execute(COUNT).fetchone() or ()
    again = (Parse("", "PREPARE kept AS SELECT count(*) FROM visits", ()), Bind("", "", (), (), ()), Execute("", 0))
    assert raw(erna, *again) == "42P05"
    assert erna.execute("EXECUTE kept").fetchone() == (people,)
    prepares = (Parse("", f"PREPARE bound AS {COUNT}", ()), Bind("", "", (), (), ()))
    assert raw(erna, *prepares) is None
    assert state(erna, "EXECUTE bound") == "26000"
    assert raw(erna, *prepares, Execute("", 0)) is None
    assert erna.execute("EXECUTE bound").fetchone() == (people,)


def test_two_failures_under_way_take_back_their_own(erna: Connection) -> None:
    (people,) = erna.execute(f"{COUNT} WHERE age > 60").fetchone() or ()
    erna.pgconn.prepare(b"s", f"{COUNT} WHERE age > 60".encode())
    assert raw(erna, Parse("s", f"{COUNT} WHERE age > 30", ()), Sync(), Parse("s", COUNT, ())) == "42P05"
    assert erna.execute("EXECUTE s").fetchone() == (people,)


def raw(connection: Connection, *messages: FrontendMessage) -> str | None:
    """Send messages and Sync as they are; the SQLSTATE of the error, if there is one."""
    found, buffer, ready = None, b"", 1 + sum(isinstance(each, Query | Sync) for each in messages)
    with socket.socket(fileno=os.dup(connection.pgconn.socket)) as bare:
        bare.settimeout(30)
        bare.sendall(b"".join(encode_frontend(each) for each in (*messages, Sync())))
        while True:
            received = bare.recv(65536)
            assert received
            buffer += received
            frames, end = split_frames(bytearray(buffer), 0)
            for kind, begin, stop in frames:
                message = decode_backend(Frame(bytes([kind]), buffer[begin + 5 : stop]))
                if isinstance(message, ErrorResponse):
                    found = dict(message.fields)["C"]
                ready -= isinstance(message, ReadyForQuery)
                if not ready:
                    return found
            buffer = buffer[end:]


@pytest.mark.parametrize("sql", [f"{COUNT} WHERE age > $1", f"SELECT 1; EXPLAIN {COUNT} WHERE age > $1"])
def test_a_simple_query_has_no_parameters(erna: Connection, sql: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        erna.execute(sql)
    assert caught.value.sqlstate == "42P02"
    assert caught.value.diag.statement_position == str(sql.index("$1") + 1)
    lines = erna.execute(f"EXPLAIN (GENERIC_PLAN) {COUNT} WHERE age > $1").fetchall()
    assert any(line.startswith("Cost:") for (line,) in lines)


@pytest.mark.parametrize(
    "off", ["SET standard_conforming_strings = off", "SELECT set_config('standard_conforming_strings', 'off', false)"]
)
def test_backslashes_mean_what_the_gate_reads(erna: Connection, off: str) -> None:
    """A string that the front would end elsewhere than the gate: the rest would be a statement that none looked at."""
    hidden = "SELECT '\\', '; CREATE DOMAIN erna.d AS int; --'"
    erna.execute(off)
    assert state(erna, hidden) == "0A000"
    assert raw(erna, Query(off), Query(hidden)) == "0A000"
    assert raw(erna, Parse("", hidden, ())) == "0A000"
    erna.execute("RESET standard_conforming_strings")
    assert state(erna, f"{off}; SELECT '\\' AS a, '; SELECT 1; --'; {COUNT}") == "0A000"
    erna.execute(off)
    assert erna.execute("SELECT count(*) FROM pg_type WHERE typname = 'd'").fetchone() == (0,)
    erna.execute("RESET standard_conforming_strings")
    assert erna.execute("SELECT '\\' || E'\\\\'").fetchone() == ("\\\\",)


def test_execute_by_sql_does_what_was_prepared_by_the_protocol(erna: Connection) -> None:
    erna.pgconn.prepare(b"all", b"DEALLOCATE ALL")
    assert erna.execute(COUNT).fetchone()
    erna.execute('EXECUTE "all"')
    assert erna.execute(COUNT).fetchone()


def test_fetch_is_described_with_its_parameters(erna: Connection) -> None:
    with erna.transaction():
        erna.execute(f"DECLARE c CURSOR FOR {BY_SEX}")
        erna.pgconn.prepare(b"fetching", b"FETCH ALL FROM c")
        told = erna.pgconn.describe_prepared(b"fetching")
        assert (told.status, told.nfields, told.nparams) == (psycopg.pq.ExecStatus.COMMAND_OK, 3, 0)


def test_for_read_only_says_nothing(erna: Connection) -> None:
    (people,) = erna.execute(f"{COUNT} FOR READ ONLY").fetchone() or ()
    with erna.transaction(), erna.cursor() as inside:
        inside.execute(f"DECLARE r CURSOR FOR {COUNT} FOR READ ONLY")
        assert inside.execute("FETCH ALL FROM r").fetchall() == [(people,)]


def test_statements_are_numbered_for_each_analyst(erna: Connection, world: Served) -> None:
    """Numbers of the whole ledger would count what the others do."""
    (before,) = erna.execute("SELECT max(id) FROM dp.statements").fetchone() or ()
    with world.connect(options="-c dp.epsilon=0.01") as alice:
        alice.execute(COUNT)
    erna.execute(COUNT)
    assert erna.execute("SELECT max(id) FROM dp.statements").fetchone() == ((before or 0) + 1,)


@pytest.mark.parametrize("encoding", ["LATIN1", "JOHAB", "SQL_ASCII"])
def test_names_that_the_encoding_lacks(erna: Connection, encoding: str) -> None:
    """An error before the charge, and the session goes on."""
    before = charges(erna)
    erna.execute("SELECT set_config('dp.epsilon', concat('가'), false)")
    erna.execute(f"SET client_encoding = {encoding}")
    assert state(erna, COUNT) in ("22021", "22P05", "DP004")
    erna.execute("SELECT set_config('dp.epsilon', concat('1e5'), false)")
    for sql in (f'CREATE TABLE U&"\\AC00" AS {COUNT}', f'DECLARE U&"\\AC00" CURSOR WITH HOLD FOR {COUNT}'):
        assert state(erna, sql) in ("22P05", None)
    assert state(erna, 'EXECUTE U&"\\AC00"') in ("26000", "22P05")
    erna.execute("SET client_encoding = UTF8")
    assert charges(erna) - before <= 2
    erna.execute('DROP TABLE IF EXISTS "가"')


def test_odd_settings_and_names(erna: Connection) -> None:
    erna.execute("SET row_security = off")
    assert state(erna, COUNT) == "DP002"
    erna.execute("RESET row_security")
    erna.execute('CREATE TABLE "public.people" AS SELECT 1 AS age; SET search_path = erna, public')
    assert erna.execute('SELECT count(*) FROM "public.people"').fetchone() == (1,)
    erna.execute("RESET search_path")


# Limits and cancelling


def test_a_statement_timeout_ends_post_time_and_the_charge_stays(erna: Connection) -> None:
    before = charges(erna)
    erna.execute("SET statement_timeout = '300ms'")
    assert state(erna, SLOW_AFTERWARDS) == "57014"
    erna.execute("RESET statement_timeout")
    assert charges(erna) == before + 1


def test_a_cancel_ends_post_time_and_the_charge_stays(erna: Connection, world: Served) -> None:
    before = charges(erna)
    over = threading.Event()

    def cancel() -> None:
        with world.connect("erna") as witness:
            while not over.wait(0.05):
                if charges(witness) > before:
                    erna.cancel_safe()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    try:
        assert state(erna, SLOW_AFTERWARDS) == "57014"
    finally:
        over.set()
        canceller.join()
    assert charges(erna) == before + 1
    assert erna.execute("SELECT outcome FROM dp.statements ORDER BY id DESC LIMIT 1").fetchone() == ("answered",)


def test_binary_and_text_are_the_same_answer(erna: Connection) -> None:
    """As when a driver changes to binary results after some runs of a prepared statement."""
    sql = (
        "SELECT sex, smoker, count(*), avg(age)::numeric(8,3), sum(age)::float8 FROM people GROUP BY 1, 2 ORDER BY 1, 2"
    )
    answers = [erna.execute(sql, prepare=binary, binary=binary).fetchall() for binary in (False, True, False, True)]
    assert answers == [answers[0]] * 4
    assert isinstance(answers[0][0][3], Decimal)
