"""The text that the gate reads is the text that the front reads, also where the encoding changes without a Sync."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from proxies import ServedProxy, serving, write_policy

from dpproxy.front.binaries import find_binaries
from dpproxy.session.client_encoding import codec_of, encodable
from dpproxy.wire import (
    BACKEND_LIMITS,
    Bind,
    ErrorResponse,
    Execute,
    FrameReader,
    Parse,
    Query,
    StartupMessage,
    decode_backend,
    encode_frontend,
    encode_startup,
)

# In UTF-8 one literal; in SJIS the letter's last byte takes the backslash along, and the literal ends.
TRICK = "SELECT E'\u3043\\' ; {}; --'"


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProxy]:
    directory: Path = tmp_path_factory.mktemp("encodings")
    with serving(write_policy(directory / "policy", {})) as served:
        yield served


def conversation(proxy: ServedProxy, data: bytes) -> list[str]:
    """SQLSTATEs of the errors up to the second ReadyForQuery: that of the startup, and that of `data`."""
    errors, ready, reader = [], 0, FrameReader(BACKEND_LIMITS, startup=False)
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=30) as client:
        parameters = (("user", "alice"), ("database", proxy.config.server.database))
        client.sendall(encode_startup(StartupMessage(3, 0, parameters)) + data)
        while ready < 2:
            received = client.recv(65536)
            assert received, "the connection was closed"
            reader.feed(received)
            while (frame := reader.next_frame()) is not None:
                ready += frame.kind == b"Z"
                if frame.kind == b"E":
                    message = decode_backend(frame, "latin-1")
                    assert isinstance(message, ErrorResponse)
                    errors.append(dict(message.fields)["C"])
    return errors


def pipelined(encoding: str, *messages: bytes) -> bytes:
    setting = Parse("", f"SET client_encoding TO '{encoding}'", ()), Bind("", "", (), (), ()), Execute("", 0)
    return b"".join([*map(encode_frontend, setting), *messages])


@pytest.mark.long
@pytest.mark.parametrize(("statement", "state"), [("LISTEN x", "0A000"), ("COPY people FROM STDIN", "42501")])
def test_the_gate_reads_what_the_front_reads(proxy: ServedProxy, statement: str, state: str) -> None:
    text = encode_frontend(Query(TRICK.format(statement)))
    assert conversation(proxy, pipelined("SJIS", text)) == [state]


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["SJIS", "LATIN1", "GB18030", "UHC", "KOI8R"])
def test_parameters_in_another_encoding_do_not_end_the_session(proxy: ServedProxy, encoding: str) -> None:
    parse = Parse("", "SELECT count(*) FROM people WHERE city = $1", (25,))
    messages = [encode_frontend(m) for m in (parse, Bind("", "", (), ("é".encode(),), ()), Execute("", 0), Query(""))]
    assert set(conversation(proxy, pipelined(encoding, *messages))) <= {"22021", "22P05"}


@pytest.mark.parametrize(
    ("encoding", "text", "shown"),
    [
        ("UTF8", "±3 × 2 … größe", "±3 × 2 … größe"),
        ("LATIN1", "±3 × 2 … größe", "±3 × 2 ... größe"),
        ("KOI8R", "±3 × 2 … größe", "+/-3 x 2 ... gr??e"),
        ("SQL_ASCII", "±3 × 2 … größe", "+/-3 x 2 ... größe"),
        ("JOHAB", "±3 – 2\0", "+/-3 - 2?"),
    ],
)
def test_signs_that_an_encoding_lacks_are_written_plainly(encoding: str, text: str, shown: str) -> None:
    assert encodable(text, codec_of(encoding)) == shown


@pytest.mark.long
@pytest.mark.parametrize(("encoding", "sign"), [("KOI8R", b"+/-"), ("SQL_ASCII", b"+/-"), ("LATIN1", b"\xb1")])
def test_notices_and_explain_get_through_to_psql(proxy: ServedProxy, encoding: str, sign: bytes) -> None:
    program = find_binaries().psql or shutil.which("psql")
    if program is None:
        pytest.skip("there is no psql")
    words = ("SET dp.epsilon = 0.001", "EXPLAIN SELECT count(*) FROM people WHERE age > 90", "TABLE dp.functions")
    told = subprocess.run(
        [program, "-XAt", proxy.dsn("alice"), *(f"-c{each}" for each in (*words, words[1].removeprefix("EXPLAIN ")))],
        capture_output=True,
        env=os.environ | {"PGCLIENTENCODING": encoding},
    )
    assert told.returncode == 0, told.stderr
    assert b"COUNT(*) | " + sign in told.stdout
    assert b"mostly noise: COUNT(*): " + sign in told.stderr
