"""The functions in the database beside those that this version makes: charging is what they do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg import AsyncConnection

from dpproxy.ledger import migrations, release_store, tell_sql

_CREATED: Final = re.compile(
    r"^CREATE (?:OR REPLACE )?FUNCTION dp_ledger\.(?P<name>\w+)\((?P<head>.*?)\sAS "
    r"(?:\$\$(?P<long>.*?)\$\$|'(?P<short>.*?)');",
    re.MULTILINE | re.DOTALL,
)
_LANGUAGE: Final = re.compile(r"\bLANGUAGE (\w+)")
_VOLATILITY: Final = re.compile(r"\b(IMMUTABLE|STABLE)\b")
_PATH: Final = re.compile(r"\bSET search_path = (.*?)$")
_THERE: Final = """SELECT p.proname, p.prosrc, l.lanname, p.provolatile::text, p.proconfig, p.prosecdef
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
    WHERE p.pronamespace = pg_catalog.to_regnamespace('dp_ledger') AND p.proname = ANY (%s) ORDER BY p.proname, p.oid"""


@dataclass(frozen=True, slots=True)
class InstalledFunction:
    """What a function does: its text, its language, whether it may be called once for many rows (i, s or v), and the
    settings and the rights it runs with."""

    body: str
    language: str
    volatility: str
    settings: tuple[str, ...] = ()
    definer: bool = False


def made() -> Mapping[str, InstalledFunction]:
    """The functions that this version makes, by name."""
    return dict(_made(migrations.FUNCTIONS + release_store.TABLES + tell_sql.TELL))


async def unlike(connection: AsyncConnection[Any]) -> list[str]:
    """A line for each function of the ledger's that is not as this version makes it, missing, or there twice."""
    expected = made()
    there: dict[str, list[InstalledFunction]] = {name: [] for name in expected}
    cursor = await connection.execute(_THERE, (list(expected),))
    for name, body, language, volatility, settings, definer in await cursor.fetchall():
        there[name].append(InstalledFunction(body, language, volatility, tuple(settings or ()), definer))
    return [*_faults(expected, there)]


def _faults(
    expected: Mapping[str, InstalledFunction], there: Mapping[str, Sequence[InstalledFunction]]
) -> Iterator[str]:
    for name, function in sorted(expected.items()):
        found = there[name]
        if not found:
            yield f"function dp_ledger.{name} is missing"
        elif len(found) > 1:
            yield f"function dp_ledger.{name} is there {len(found)} times"
        elif found[0] != function:
            yield f"function dp_ledger.{name} is another one than this version of dpproxy makes"


def _made(text: str) -> Iterator[tuple[str, InstalledFunction]]:
    for each in _CREATED.finditer(text):
        head = each["head"]
        [language] = _LANGUAGE.findall(head)
        [volatility] = _VOLATILITY.findall(head) or ["VOLATILE"]
        settings = tuple(f"search_path={path}" for path in _PATH.findall(head))
        body = each["short"] if each["long"] is None else each["long"]
        yield each["name"], InstalledFunction(body, language, volatility[0].lower(), settings)
