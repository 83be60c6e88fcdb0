"""psql: that beside the front's server, which is built without TLS, and the machine's."""

from __future__ import annotations

import csv
import io
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

from psycopg.conninfo import make_conninfo

from dpproxy.front.binaries import find_binaries

from ...served import psql
from ..client import Address, Client, Part
from ..questions import BY_SEX, PREVIEW, QUESTIONS, SLEEP, TIMES, UNKNOWN_COLUMN
from .psycopg3 import keywords

THEIRS = find_binaries().psql
_ENDS = "\n\\echo :SQLSTATE\n"


def run(program: Path, address: Address, script: str, *arguments: str) -> str:
    """What psql writes for a script, without headers, comma-separated; it goes on after errors."""
    settings = ("--csv", "-t", "-P", "null=NULL", "-v", "ON_ERROR_STOP=0", "-v", "VERBOSITY=sqlstate")
    said = psql(program, conninfo(program, address), *settings, *arguments, script=script)
    assert said.status == 0, said.err
    return said.out


def conninfo(program: Path, address: Address) -> str:
    """How this psql connects."""
    plain = {"port": address.plain_port, "sslmode": "prefer", "sslrootcert": ""}
    return make_conninfo("", **keywords(address) | (plain if program == THEIRS else {}))


def _rows(text: str) -> list[Any]:
    return [row for row in csv.reader(io.StringIO(text)) if row]


def _connects(program: Path, address: Address) -> Any:
    return _rows(run(program, address, "SELECT current_user;"))[0]


def _introspects(program: Path, address: Address) -> Any:
    out = run(program, address, "\\dt\n\\pset format unaligned\n\\pset tuples_only off\n\\d+ people\n\\d visits\n")
    tables, people, visits = re.split(r"^.*Table .*$", out, flags=re.M)
    columns = {line.split("|")[0]: line for line in people.partition("\nIndexes:")[0].splitlines()[2:]}
    link = re.search(r"FOREIGN KEY \((\w+)\) REFERENCES (\w+)\((\w+)\)", visits)
    return {
        "tables": [row[1] for row in _rows(tables) if len(row) > 1],
        "columns": [*columns],
        "comment": columns["age"],
        "primary key": re.findall(r"PRIMARY KEY, btree \((\w+)\)", people),
        "foreign key": list(link.groups()) if link else None,
    }


def _answers(program: Path, address: Address) -> Any:
    out = run(program, address, "\\echo ---\n".join(f"{each.literal};\n" for each in QUESTIONS))
    return {each.name: _rows(rows) for each, rows in zip(QUESTIONS, out.split("---\n"), strict=True)}


def _prepared(program: Path, address: Address) -> Any:
    script = "\\echo ===\n".join(
        f"PREPARE q{number} AS {each.sql};\n"
        + "\\echo ---\n".join([f"EXECUTE q{number}{_value(each)};\n"] * TIMES)
        + f"DEALLOCATE q{number};\n"
        for number, each in enumerate(QUESTIONS)
    )
    return _runs(run(program, address, script, "-q"))


def _value(asked: Any) -> str:
    return f" ('{asked.value}')" if asked.kind else ""


def _bound(program: Path, address: Address) -> Any:
    r"""By \parse and \bind_named, which psql 18 has."""
    script = "\\echo ===\n".join(
        f"{each.sql} \\parse q{number}\n"
        + "\\echo ---\n".join([f"\\bind_named q{number} {each.value} \\g\n"] * TIMES)
        + f"\\close_prepared q{number}\n"
        for number, each in enumerate(QUESTIONS)
    )
    return _runs(run(program, address, script))


def _runs(out: str) -> Any:
    told = zip(QUESTIONS, out.split("===\n"), strict=True)
    return {each.name: [_rows(rows) for rows in runs.split("---\n")] for each, runs in told}


def _cursor(program: Path, address: Address) -> Any:
    return _rows(run(program, address, f"\\set FETCH_COUNT 1\n{BY_SEX.sql};\n"))


def _copy(program: Path, address: Address) -> Any:
    return _rows(run(program, address, f"\\copy ({BY_SEX.sql}) TO STDOUT WITH (FORMAT csv)\n"))


def _errors(program: Path, address: Address) -> Any:
    asked = (PREVIEW, UNKNOWN_COLUMN, "BEGIN", PREVIEW, "SELECT 1", "ROLLBACK")
    out = run(program, address, "".join(f"{sql};{_ENDS}" for sql in asked) + f"{BY_SEX.sql};\n", "-q")
    preview, column, _, again, after, _, *rows = out.splitlines()
    return [preview, column, again, after, _rows("\n".join(rows))]


def _cancel(program: Path, address: Address) -> Any:
    """Ctrl-C at a terminal."""
    ours, theirs = pty.openpty()
    settings = ["-X", "-n", "-At", "-P", "pager=off", "-v", "VERBOSITY=sqlstate"]
    process = subprocess.Popen(
        [program, *settings, conninfo(program, address)], stdin=theirs, stdout=theirs, stderr=theirs
    )
    try:
        _until(ours, "=> ")
        os.write(ours, f"{SLEEP};\n".encode())
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        state = _until(ours, r"ERROR:\s+(\w+)\r[\s\S]*=> ")  # what is typed before the prompt is lost
        os.write(ours, b"SELECT 1;\n")
        return [state, _until(ours, r"^(1)\r")]
    finally:
        process.kill()
        process.wait()
        os.close(theirs)
        os.close(ours)


def _until(terminal: int, pattern: str) -> str:
    """Read until the terminal shows the pattern; what its last group is."""
    seen = ""
    while (found := re.search(pattern, seen, re.M)) is None:
        assert select.select([terminal], [], [], 20)[0], seen
        seen += os.read(terminal, 4096).decode()
    return found[found.lastindex or 0]


_PARTS = {
    Part.CONNECTS: _connects,
    Part.INTROSPECTS: _introspects,
    Part.ANSWERS: _answers,
    Part.PREPARED: _prepared,
    Part.CURSOR: _cursor,
    Part.COPY: _copy,
    Part.CANCEL: _cancel,
    Part.ERRORS: _errors,
}


def _client(name: str, program: Path | None, parts: Any) -> Client:
    told = {part: partial(run, program) for part, run in parts.items()}
    return Client(name, lambda: None if program else "psql", told, tls=program != THEIRS)


def machines() -> Path | None:
    """The machine's psql."""
    found = shutil.which("psql")
    return Path(found) if found else None


CLIENTS = (
    _client("psql, the front's", THEIRS, _PARTS | {Part.PREPARED: _bound}),
    _client("psql, Debian's", machines(), _PARTS),
)
