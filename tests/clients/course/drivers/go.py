"""Go's database/sql over lib/pq and over pgx, of GOPATH or Debian's.

lib/pq has no COPY TO.
"""

from __future__ import annotations

import os
from pathlib import Path
from shutil import which

from ..client import DRIVERS, Client, Part
from ..compiled import compiled

PATHS = [*filter(None, os.environ.get("GOPATH", "").split(":")), "/usr/share/gocode"]
ENVIRONMENT = {**os.environ, "GOPATH": ":".join(PATHS), "GO111MODULE": "off", "CGO_ENABLED": "0"}
PACKAGES = ("github.com/lib/pq", "github.com/jackc/pgx/v4")


def _lacks() -> str | None:
    if which("go") is None:
        return "go"
    return next((each for each in PACKAGES if not any((Path(path) / "src" / each).exists() for path in PATHS)), None)


def _program(target: Path) -> str:
    return str(target / "database_sql")


_build = compiled(lambda target: ["go", "build", "-o", _program(target), str(DRIVERS / "database_sql.go")], ENVIRONMENT)


def _client(name: str, driver: str, parts: set[Part]) -> Client:
    of = _build(lambda target: [_program(target), driver])
    return Client(name, _lacks, {part: of(part) for part in Part if part in parts})


CLIENTS = (
    _client("Go's lib/pq", "postgres", {*Part} - {Part.COPY}),
    _client("Go's pgx", "pgx", {*Part}),
)
