"""A duel: what is seen of a statement with Zelda in the database and without, of the plain engine and of the proxy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Protocol, Self

import duckdb
import psycopg
from clients.backends import Backend
from clients.served import Served

_CHARGED = re.compile(r"dpproxy: charged epsilon ([\d.e+-]+), delta ([\d.e+-]+)")
STOPPED = "DP005"


@dataclass(frozen=True)
class Seen:
    """All that one who asked can see, but for the time that it took.

    error: SQLSTATE (of DuckDB's, the kind), message, detail, hint, position. columns: name and type OID (of DuckDB's,
    the type's name). charged: ε and δ, as the notice tells; None where there was none.
    """

    error: tuple[str | None, ...] | None = None
    columns: tuple[tuple[str, object], ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    charged: tuple[Decimal, Decimal] | None = None
    notices: tuple[str, ...] = ()

    @property
    def state(self) -> str | None:
        """The SQLSTATE, or None for an answer."""
        return self.error[0] if self.error else None

    @property
    def outline(self) -> tuple[object, ...]:
        """What is seen but for released numbers and the notices' remainders: equal for neighbours, whatever the noise.
        A notice that says how sure the numbers are is made of these.

        Of private keys there may be more or fewer rows, so those are compared by hand where there are any.
        """
        prices = [each for each in self.notices if _CHARGED.match(each) or not each.startswith("dpproxy: ")]
        return self.error, self.columns, self.charged, len(prices)


class Side(Protocol):
    """A way to one database."""

    def ask(self, sql: str, *parameters: object) -> Seen:
        """What is seen of a statement."""
        ...


@dataclass(frozen=True)
class PlainDuckDB:
    """DuckDB itself, as everybody with its shell has it."""

    connection: duckdb.DuckDBPyConnection

    def ask(self, sql: str, *parameters: object) -> Seen:
        """Parameters are $1, $2 …"""
        try:
            done = self.connection.execute(sql, list(parameters) or None)
            columns = tuple((name, str(kind)) for name, kind, *_ in done.description or ())
            return Seen(columns=columns, rows=tuple(done.fetchall()))
        except (duckdb.Error, ValueError, OverflowError) as fault:
            return Seen(error=(type(fault).__name__, str(fault)))


@dataclass(frozen=True)
class Connected:
    """A session of psycopg: with plain Postgres, or with the proxy."""

    connection: psycopg.Connection[Any]
    told: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, conninfo: str) -> Self:
        """In autocommit, so that each statement stands for itself."""
        made = cls(psycopg.connect(conninfo, autocommit=True))
        made.connection.add_notice_handler(lambda diagnostic: made.told.append(diagnostic.message_primary or ""))
        return made

    def ask(self, sql: str, *parameters: object) -> Seen:
        """Parameters are $1, $2 …; without any, the text goes as a simple query, and may hold several statements.

        Of several statements the last answer is seen.
        """
        self.told.clear()
        cursor = psycopg.RawCursor(self.connection)
        try:
            cursor.execute(sql.encode(), parameters or None)
            while cursor.nextset():
                pass
            columns = tuple((each.name, each.type_code) for each in cursor.description or ())
            rows = tuple(cursor.fetchall()) if cursor.description else ()
            return Seen(None, columns, rows, self._charged(), tuple(self.told))
        except psycopg.Error as fault:
            said = fault.diag
            error = (fault.sqlstate, said.message_primary, said.message_detail, said.message_hint)
            return Seen((*error, said.statement_position), charged=self._charged(), notices=tuple(self.told))
        except (ValueError, OverflowError) as fault:  # psycopg has no Python value for it, such as a date of infinity
            return Seen(error=("python", str(fault)), charged=self._charged(), notices=tuple(self.told))

    def _charged(self) -> tuple[Decimal, Decimal] | None:
        found = [match for text in self.told if (match := _CHARGED.match(text))]
        return (Decimal(found[-1][1]), Decimal(found[-1][2])) if found else None


@dataclass(frozen=True)
class Pair:
    """Two neighbouring databases: one with Zelda, one without."""

    here: Side
    gone: Side

    def ask(self, sql: str, *parameters: object) -> tuple[Seen, Seen]:
        """What is seen with her, and without."""
        return self.here.ask(sql, *parameters), self.gone.ask(sql, *parameters)


@dataclass(frozen=True)
class Duel:
    """The same two databases behind two plain engines (role: one who may read all), and behind two proxies.

    served: the proxies, with Zelda and without. Analysts: alice, bob (see sql_fixtures/world.toml), mallory and victor,
    who may spend a lot at ε = 1 a statement; `proxied` is mallory's.
    """

    backend: Backend
    plain: Pair
    served: tuple[Served, Served]

    def proxied(self, analyst: str = "mallory") -> Pair:
        """New sessions of an analyst with both proxies. Close them with `closing`."""
        return Pair(*(Connected.open(each.conninfo(analyst)) for each in self.served))


def close(pair: Pair) -> None:
    """End the sessions of a pair."""
    for side in (pair.here, pair.gone):
        with suppress(AttributeError):
            side.connection.close()  # type: ignore[attr-defined]


def tells(pair: Pair, sqls: Sequence[str]) -> list[str]:
    """The statements whose outcome tells the two databases apart by more than the numbers in rows: by an error or its
    text, by columns, or by what was charged."""
    return [sql for sql in sqls if (seen := pair.ask(sql))[0].outline != seen[1].outline]
