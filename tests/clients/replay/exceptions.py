"""What may differ, and why: statements over private tables, and those that the proxy refuses. Nothing else may.

Rows of private tables are never given out, so a statement that asks for them is described and then refused. What can
be answered privately has the columns and the number of rows that Postgres has, and other values. Other refusals are of
what would outlive or leave the session.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Refused:
    """A statement that the proxy refuses with `sqlstate`, after describing it."""

    sqlstate: str


@dataclass(frozen=True)
class Forbidden:
    """A statement that the proxy refuses with `sqlstate` before it is described."""

    sqlstate: str


@dataclass(frozen=True)
class Answered:
    """A statement that the proxy answers with noise."""


@dataclass(frozen=True)
class Early:
    """A COPY whose error comes with Bind, where the proxy reads the query, and not with Execute."""


@dataclass(frozen=True)
class Kinder:
    """A statement that the proxy answers, and Postgres refuses an analyst with `sqlstate`."""

    sqlstate: str


@dataclass(frozen=True)
class More:
    """A statement about functions, of which the proxy has more, and some of Postgres's own in another place."""


@dataclass(frozen=True)
class Tied:
    """A statement whose ORDER BY leaves rows in any order."""


@dataclass(frozen=True)
class Apart:
    """Columns of a result that differ: those named, or all but those."""

    named: frozenset[str] = frozenset()
    all_but: frozenset[str] = frozenset()

    def covers(self, column: str) -> bool:
        """Whether a column may differ."""
        return column in self.named or (bool(self.all_but) and column not in self.all_but)


Difference = Refused | Forbidden | Answered | Early | Kinder | More | Tied | Apart


_NOT_PRIVATE, _ANSWERED = Refused("DP002"), Answered()

# As `_plain` writes them.
_OF_PEOPLE: Final = "from people where id=$1"
_AVERAGE: Final = "select count(*), avg(age) from people where age > "
_CURSOR: Final = "begin;declare sql_cur0x1 cursor with hold for {};fetch 100 in sql_cur0x1"
_EXCEPTIONS: Final[Mapping[str, Difference]] = {
    "select * from people": _NOT_PRIVATE,
    "select * from people limit 5": _NOT_PRIVATE,
    "select * from people limit 1": _NOT_PRIVATE,
    "select * from people limit $1": _NOT_PRIVATE,
    "select * from orders limit 1": _NOT_PRIVATE,
    "select * from orders as t0 limit 5": _NOT_PRIVATE,
    "select x.* from public.people x": _NOT_PRIVATE,
    "select 1 as a from people limit 1": _NOT_PRIVATE,
    "select people.id, people.name, people.age from people limit 21": _NOT_PRIVATE,
    "select public.people.id as id, public.people.age as age from public.people limit 10000": _NOT_PRIVATE,
    "select t0.person, count(*) as n, avg(t0.amt) as m from orders as t0 group by 1": _NOT_PRIVATE,
    f"select * {_OF_PEOPLE}": _NOT_PRIVATE,
    f"select * {_OF_PEOPLE} and name=$2": _NOT_PRIVATE,
    f"select id, name {_OF_PEOPLE} limit $2": _NOT_PRIVATE,
    f"select id, name {_OF_PEOPLE} and name=$2": _NOT_PRIVATE,
    "select id,name from people": _NOT_PRIVATE,
    "select id, name, age from people as person where person.id=1": _NOT_PRIVATE,
    _CURSOR.format("select id, name from people where id=1 and name='ann'"): _NOT_PRIVATE,
    "copy people(id,name) to stdout": _NOT_PRIVATE,
    "copy (select id,name,income,seen,tags,j from people) to stdout (format binary)": Early(),
    f"{_AVERAGE}$1": _ANSWERED,
    _CURSOR.format(f"{_AVERAGE}1"): _ANSWERED,
    "select count(*) as n, avg(age) as a from people where age > $1": _ANSWERED,
    "select count(*) from people": _ANSWERED,
    "select count(*) as __count from people where people.age > 1": _ANSWERED,
    "select count(*) as countstar(orders) from orders as t0": _ANSWERED,
    "select count(people.id) as n, avg(people.age) as a from people": _ANSWERED,
    "select count(*) from people where age > $1": _ANSWERED,
    "select count(*) from (select * from people) dbvrcnt": _ANSWERED,
    "select count(*) as count from people as person where person.age=3": _ANSWERED,
    "select count(*) as count_1 from people where people.age > 1": _ANSWERED,
    "select count(*) as count_1 from people where people.age > $1::integer": _ANSWERED,
    "select count(people.id) as count_1, avg(people.age) as avg_1 from people": _ANSWERED,
    "listen x": Forbidden("0A000"),
}

# Sizes are those of what the analyst may read, counts of use are the owner's, and transactions count up by themselves.
_OF_TABLES: Final = frozenset({"relid", "schemaname", "relname", "n_live_tup"})
_OTHERS: Final[tuple[tuple[str, Difference], ...]] = (
    ("pg_database_size", Apart(frozenset({"Size"}))),
    ("pg_tablespace_size", Kinder("42501")),
    ("regexp_split_to_table(prosrc", More()),
    ("proallargtypes::regtype[]", Tied()),
    ("with\n  database as (", More()),
    ("pg_catalog.pg_database db", Apart(frozenset({"datfrozenxid", "datminmxid"}))),
    ("pg_stat_user_tables", Apart(all_but=_OF_TABLES)),
)


def exception_of(sql: str) -> Difference | None:
    """What is written down of a statement, however it is spaced and quoted."""
    return _EXCEPTIONS.get(_plain(sql)) or next((other for mark, other in _OTHERS if mark in sql), None)


def _plain(sql: str) -> str:
    words = re.sub(r"\s+", " ", sql.lower().replace('"', "")).strip(" ;")
    return re.sub(r"0x[0-9a-f]+", "0x1", re.sub(r" = ", "=", words))
