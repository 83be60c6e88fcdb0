"""The chain looked through, entry by entry: what was changed, left out or added, whether sums are what they should, and
whether the functions that charge are those of this version.

The hashes are made anew here, not by the functions in the database, of the rows as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from psycopg import AsyncConnection

from dpproxy.ledger.chain_head import ChainHead, lost
from dpproxy.ledger.hash_chain import ROWS, beginning, chained, following
from dpproxy.ledger.installed_functions import unlike

_AT_ONCE: Final = 5_000
_ACCOUNTS: Final = (
    "SELECT kind || '/' || name || '/' || period, main, delta, granted_epsilon, granted_delta FROM dp_ledger.accounts"
)
_CHARGED: Final = """SELECT account, sum(main), sum(delta) FROM (
    SELECT unnest(coalesce(accounts, ARRAY['analyst/' || analyst || '/' || period])) AS account, main, delta
    FROM dp_ledger.charges
    UNION ALL SELECT kind || '/' || name || '/' || period, main, delta FROM dp_ledger.carried) AS c GROUP BY 1"""
_GRANTED: Final = (
    """SELECT 'analyst/' || analyst || '/' || period, sum(epsilon), sum(delta) FROM dp_ledger.grants GROUP BY 1"""
)
_UNCHAINED: Final = """SELECT t.id FROM dp_ledger.{table} t WHERE {of} AND NOT EXISTS (
    SELECT FROM dp_ledger.entries e WHERE e.what = '{what}' AND e.id = t.id) ORDER BY t.id"""
Sums = Mapping[str, tuple[Decimal, Decimal]]
_NOTHING: Final = (Decimal(0), Decimal(0))
_HEAD: Final = "SELECT l.identity, h.number, h.hash FROM dp_ledger.ledger l, dp_ledger.head h"
Progress = Callable[[int, int], None]
"""Told how many entries were looked at, and of how many."""


@dataclass(slots=True)
class Verification:
    """faults: what is wrong, a line each; none if nothing is. entries: how many there are. head: the last one."""

    head: ChainHead
    entries: int = 0
    faults: list[str] = field(default_factory=list)


async def verify(connection: AsyncConnection[Any], kept: ChainHead | None, progress: Progress) -> Verification:
    """Look through the whole ledger as it is at one moment; proxies may go on charging.

    Claim: without faults, and with a head that was kept, every row that was there when the head was kept is there now
    as it was, and each account is the sum of its charges. Because: see `hash_chain.py`. Checked by:
    tests/test_ledger_chain.py.
    """
    async with connection.transaction():
        await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        [identity, number, hash_] = await _one(connection, _HEAD)
        found = Verification(ChainHead(str(identity), number, bytes(hash_)))
        hashes = await _walk(connection, found, kept, progress)
        if kept is not None:
            wrong = lost(kept, found.head.ledger, hashes.get(kept.number), found.entries)
            found.faults += [] if wrong is None else [wrong]
        found.faults += [line async for line in _unchained(connection)]
        found.faults += await _sums(connection)
        found.faults += await unlike(connection)
        return found


async def _walk(
    connection: AsyncConnection[Any], found: Verification, kept: ChainHead | None, progress: Progress
) -> Mapping[int, bytes]:
    """All entries in their order. Returned: the hash that the kept head's entry has."""
    before, expected = beginning(found.head.ledger), 1
    hashes = {0: before}
    seen: Counter[tuple[str, int]] = Counter()
    while True:
        entries = await _entries(connection, expected)
        if not entries:
            break
        for number, what, id_, hash_, fields in entries:
            found.faults += _gap(expected, number)
            found.faults += _entry(before, number, what, id_, hash_, fields, whole=number == expected)
            seen[what, id_] += 1
            before, expected = hash_, number + 1
            if kept is not None and number == kept.number:
                hashes[number] = hash_
        progress(expected - 1, found.head.number)
    found.entries = expected - 1
    found.faults += [f"{what} {id_} has {times} entries" for (what, id_), times in seen.items() if times > 1]
    if (found.entries, before) != (found.head.number, found.head.hash):
        found.faults.append(f"the ledger's head is entry {found.head.number}, and the last entry is {found.entries}")
    return hashes


async def _entries(
    connection: AsyncConnection[Any], first: int
) -> list[tuple[int, str, int, bytes, list[str | None] | None]]:
    """The next entries with the columns of their rows; None for a row that is not there."""
    fields = " ".join(
        f"WHEN '{what}' THEN (SELECT {chained(what)} FROM dp_ledger.{table} t WHERE t.id = e.id)"
        for what, (table, _) in ROWS.items()
    )
    cursor = await connection.execute(
        f"SELECT e.number, e.what, e.id, e.hash, CASE e.what {fields} END FROM dp_ledger.entries e"
        f" WHERE e.number >= {first:d} ORDER BY e.number LIMIT {_AT_ONCE}".encode()
    )
    return [(n, what, id_, bytes(hash_), columns) for n, what, id_, hash_, columns in await cursor.fetchall()]


def _gap(expected: int, number: int) -> Iterator[str]:
    if number == expected + 1:
        yield f"entry {expected} is missing"
    elif number > expected:
        yield f"entries {expected} to {number - 1} are missing"


def _entry(
    before: bytes, number: int, what: str, id_: int, hash_: bytes, fields: list[str | None] | None, whole: bool
) -> Iterator[str]:
    """What is wrong with one entry. After a gap its hash cannot be made: only that its row is there is looked at."""
    if what not in ROWS:
        yield f"entry {number} is of a kind that is not known: {what}"
    elif fields is None:
        yield f"{what} {id_} is missing, which entry {number} is of"
    elif whole and following(before, number, what, id_, fields) != hash_:
        yield f"{what} {id_}, or its entry {number}, was changed"


async def _unchained(connection: AsyncConnection[Any]) -> AsyncIterator[str]:
    for what, (table, _) in ROWS.items():
        of = "t.cleared_at IS NOT NULL" if what == "clear" else "true"
        cursor = await connection.execute(_UNCHAINED.format(table=table, what=what, of=of).encode())
        for (id_,) in await cursor.fetchall():
            yield f"{what} {id_} was added: it has no entry"


async def _sums(connection: AsyncConnection[Any]) -> list[str]:
    """Accounts beside what their charges, and their grants, add up to."""
    accounts = await _all(connection, _ACCOUNTS)
    spent = {row[0]: (row[1], row[2]) for row in accounts}
    granted = {row[0]: (row[3], row[4]) for row in accounts}
    charges = {name: (main, delta) for name, main, delta in await _all(connection, _CHARGED)}
    grants = {name: (epsilon, delta) for name, epsilon, delta in await _all(connection, _GRANTED)}
    return [*_differing("spent", spent, "charges", charges), *_differing("granted", granted, "grants", grants)]


def _differing(said: str, sums: Sums, rows: str, true: Sums) -> Iterator[str]:
    for account in sorted({*sums, *true}):
        found, expected = sums.get(account, _NOTHING), true.get(account, _NOTHING)
        if found != expected:
            yield f"account {account} has {said} {_pair(found)}, and its {rows} are {_pair(expected)}"


def _pair(pair: tuple[Decimal, Decimal]) -> str:
    return "{:f} and {:f}".format(*pair)


async def _all(connection: AsyncConnection[Any], query: str) -> list[Any]:
    return await (await connection.execute(query.encode())).fetchall()


async def _one(connection: AsyncConnection[Any], query: str) -> Any:
    [row] = await _all(connection, query)
    return row
