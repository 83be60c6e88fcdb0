"""Perl's DBD::Pg, Ruby's pg and PHP's pdo_pgsql, all over libpq.

PDO has neither cancelling, nor COPY but of whole tables.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import cache
from shutil import which

from ..client import DRIVERS, Client, Part, program


def _lacks(interpreter: str, *probe: str) -> Callable[[], str | None]:
    """Whether the interpreter is there, and what the probe asks it for, which is its last word."""

    @cache
    def lacks() -> str | None:
        if which(interpreter) is None:
            return interpreter
        done = subprocess.run([interpreter, *probe], capture_output=True)
        return f"{probe[-1]} of {interpreter}" if done.returncode else None

    return lacks


def _client(name: str, lacks: Callable[[], str | None], command: list[str], without: set[Part] | None = None) -> Client:
    of = program([*command[:-1], str(DRIVERS / command[-1])])
    return Client(name, lacks, {part: of(part) for part in Part if part not in (without or set())})


CLIENTS = (
    _client("Perl's DBD::Pg", _lacks("perl", "-e", "use DBD::Pg"), ["perl", "dbd_pg.pl"]),
    _client("Ruby's pg", _lacks("ruby", "-e", "require 'pg'"), ["ruby", "ruby_pg.rb"]),
    _client(
        "PHP's pdo_pgsql",
        _lacks("php", "-r", "exit((int) !extension_loaded('pdo_pgsql'));"),
        ["php", "pdo_pgsql.php"],
        {Part.COPY, Part.CANCEL},
    ),
)
