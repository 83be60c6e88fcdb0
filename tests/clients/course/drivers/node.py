"""Clients in JavaScript. Node finds their modules by NODE_PATH.

node-postgres comes with pg-cursor, pg-query-stream and pg-copy-streams. Sequelize and knex are layers over it: neither
has COPY, and Sequelize has neither cursors nor cancelling.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from functools import cache
from shutil import which

from ..client import DRIVERS, Client, Part, program


@cache
def _lacks(*modules: str) -> str | None:
    if which("node") is None:
        return "node"
    found = subprocess.run(
        ["node", "-e", ";".join(f"require.resolve('{each}')" for each in modules)], capture_output=True
    )
    return f"{', '.join(modules)} in NODE_PATH" if found.returncode else None


def _client(name: str, script: str, modules: tuple[str, ...], parts: Iterable[Part]) -> Client:
    of = program(["node", str(DRIVERS / script)])
    return Client(name, lambda: _lacks(*modules), {part: of(part) for part in parts})


CLIENTS = (
    _client(
        "node-postgres", "node_pg.js", ("pg", "pg-cursor", "pg-query-stream", "pg-copy-streams"), (*Part, "stream")
    ),
    _client("postgres.js", "postgres_js.js", ("postgres",), Part),
    _client("knex", "knex.js", ("knex", "pg", "pg-query-stream"), ({*Part} - {Part.COPY}) | {"built"}),
    _client(
        "Sequelize",
        "sequelize.js",
        ("sequelize", "pg"),
        ({*Part} - {Part.COPY, Part.CURSOR, Part.CANCEL}) | {"built"},
    ),
)
