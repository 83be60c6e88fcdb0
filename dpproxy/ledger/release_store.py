"""Stored releases: what analysts paid for, kept beside the ledger, so that it is told again for nothing.

A release that is not there is *claimed* by who is about to pay for it. Whoever asks the same meanwhile, at whichever
proxy, waits for it: one question asked twenty times at once is paid once. A claim ends with the release, with word that
there will be none, or, where its proxy has died, with its lease; then the next one pays.

Nothing here is a charge: what is lost of it is paid again, never less.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from dpproxy.errors import LedgerUnavailable
from dpproxy.ledger.connection_pool import LedgerConnections, Row

MOST_OF_ONE: Final = 4 * 2**20
_LEASE: Final = 6.0  # seconds
_PAUSES: Final = (0.01, 0.02, 0.05, 0.1, 0.2)  # seconds between two looks at what another proxy has claimed

# A claim has no body. Nothing here is worth a wait for the disk. Autovacuum is off as for the ledger's other tables:
# statistics that all may read would count what others ask. Dead rows are as few as what was paid for.
TABLES: Final = """
CREATE TABLE IF NOT EXISTS dp_ledger.releases (
    analyst text COLLATE "C" NOT NULL,
    key bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    claimed_until timestamptz,
    body text,
    PRIMARY KEY (analyst, key)
);
ALTER TABLE dp_ledger.releases SET (autovacuum_enabled = off, toast.autovacuum_enabled = off);
REVOKE ALL ON dp_ledger.releases FROM PUBLIC;
CREATE OR REPLACE FUNCTION dp_ledger.take(
    p_analyst text, p_keys bytea[], p_lease interval, p_age interval,
    OUT busy boolean, OUT stopped boolean, OUT bodies text[], OUT ats timestamptz[])
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    missing bytea[];
    claimed bigint;
    oldest timestamptz := coalesce(clock_timestamp() - p_age, '-infinity');
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    stopped := EXISTS (SELECT FROM dp_ledger.alarms m WHERE m.analyst = p_analyst AND m.cleared_at IS NULL);
    busy := false;
    SELECT array_agg(r.body ORDER BY k.n), array_agg(r.at ORDER BY k.n),
           array_agg(k.key ORDER BY k.key) FILTER (WHERE r.key IS NULL)
        INTO bodies, ats, missing
        FROM unnest(p_keys) WITH ORDINALITY AS k (key, n)
        LEFT JOIN dp_ledger.releases r
            ON r.analyst = p_analyst AND r.key = k.key AND r.body IS NOT NULL AND r.at >= oldest;
    IF missing IS NULL OR stopped THEN
        RETURN;
    END IF;
    BEGIN
        INSERT INTO dp_ledger.releases AS r (analyst, key, claimed_until)
            SELECT p_analyst, m.key, clock_timestamp() + p_lease FROM unnest(missing) AS m (key) ORDER BY 2
            ON CONFLICT (analyst, key) DO UPDATE
            SET claimed_until = excluded.claimed_until, at = excluded.at, body = NULL
            -- A claim that lasts longer than any may was made before the clock was set back: nobody waits for that.
            WHERE coalesce(r.claimed_until NOT BETWEEN clock_timestamp() AND clock_timestamp() + p_lease, true)
                AND (r.body IS NULL OR r.at < oldest);
        GET DIAGNOSTICS claimed = ROW_COUNT;
        IF claimed < cardinality(missing) THEN
            RAISE EXCEPTION 'another one is at it' USING ERRCODE = 'DP0BY';
        END IF;
    EXCEPTION WHEN SQLSTATE 'DP0BY' THEN
        busy := true;
    END;
END $$;
REVOKE ALL ON FUNCTION dp_ledger.take FROM PUBLIC;
"""

_TAKE: Final = "SELECT * FROM dp_ledger.take(%s, %s::bytea[], make_interval(secs => %s), make_interval(secs => %s))"
_PEEK: Final = """
SELECT r.key, r.body, r.at FROM dp_ledger.releases r
WHERE r.analyst = %s AND r.key = ANY (%s::bytea[]) AND r.body IS NOT NULL
    AND r.at >= coalesce(clock_timestamp() - make_interval(secs => %s), '-infinity')
    AND NOT EXISTS (SELECT FROM dp_ledger.alarms m WHERE m.analyst = r.analyst AND m.cleared_at IS NULL)"""
_LAZY: Final = "WITH lazy AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))"
_RENEW: Final = f"""{_LAZY}
UPDATE dp_ledger.releases r SET claimed_until = clock_timestamp() + make_interval(secs => %s)
FROM lazy, unnest(%s::text[], %s::bytea[]) AS k (analyst, key)
WHERE r.analyst = k.analyst AND r.key = k.key AND r.body IS NULL"""
_PUT: Final = f"""{_LAZY}
INSERT INTO dp_ledger.releases AS r (analyst, key, body)
SELECT %s, k.key, k.body FROM lazy, unnest(%s::bytea[], %s::text[]) AS k (key, body) ORDER BY 2
ON CONFLICT (analyst, key) DO UPDATE SET at = excluded.at, claimed_until = NULL, body = excluded.body"""
_DROP: Final = f"""{_LAZY}
DELETE FROM dp_ledger.releases r USING lazy WHERE r.analyst = %s AND r.key = ANY (%s::bytea[]) AND r.body IS NULL"""
_TRIM: Final = f"""{_LAZY}
DELETE FROM dp_ledger.releases r USING lazy, (
    SELECT key, sum(octet_length(body)) OVER (ORDER BY at DESC, key) AS size
    FROM dp_ledger.releases WHERE analyst = %s AND body IS NOT NULL) AS kept
WHERE r.analyst = %s AND r.key = kept.key AND kept.size > %s"""


@dataclass(frozen=True, slots=True)
class StoredRelease:
    """A release as text, and when it was made."""

    body: str
    at: datetime


@dataclass(frozen=True, slots=True)
class StoredOrClaimed:
    """What is there, by key; all others of the keys asked for are claimed now.

    stopped: whether the operator's alarm stands for the analyst; nothing is claimed then.
    """

    there: Mapping[bytes, StoredRelease]
    stopped: bool


class ReleaseStore:
    """The stored releases of all analysts. Raises LedgerUnavailable where they cannot be reached.

    size: bytes of text kept for one analyst. age: seconds that a release is told again, None without end.
    """

    def __init__(self, pool: LedgerConnections, size: int, age: float | None = None) -> None:
        self._pool, self._size, self._age = pool, size, age
        self._under_way: dict[tuple[str, bytes], asyncio.Event] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._renewing = False

    async def close(self) -> None:
        """Nothing is renewed any more; claims that nobody ended end by themselves."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def take(self, analyst: str, keys: Sequence[bytes]) -> StoredOrClaimed:
        """The releases of these keys that are there. The others are claimed, all of them at once, as soon as nobody
        else has one of them: whoever waits holds no claim, so no two wait for each other."""
        pauses = self._pauses()
        while True:
            await self._others(analyst, keys)
            busy, stopped, bodies, ats = await self._asked(analyst, keys)
            if not busy or stopped:
                there = {key: StoredRelease(body, at) for key, body, at in zip(keys, bodies, ats, strict=True) if body}
                if not stopped:
                    self._begin(analyst, [key for key in keys if key not in there])
                return StoredOrClaimed(there, stopped)
            if not self._known(analyst, keys):
                await asyncio.sleep(next(pauses))

    async def peek(self, analyst: str, keys: Sequence[bytes]) -> Mapping[bytes, StoredRelease]:
        """The releases of these keys that are there; none for an analyst for whom the operator's alarm stands. Nothing
        is claimed, nobody is waited for."""
        rows = await self._pool.run(_PEEK, (analyst, list(keys), self._age))
        return {bytes(key): StoredRelease(body, at) for key, body, at in rows}

    async def put(self, analyst: str, releases: Mapping[bytes, str]) -> None:
        """Keep releases, in place of claims and of older ones; the analyst's oldest go where room is short."""
        kept = {key: body for key, body in releases.items() if len(body) <= min(MOST_OF_ONE, self._size)}
        with self._ending(analyst, releases):
            if kept:
                await self._pool.run(_PUT, (analyst, list(kept), list(kept.values())))
                await self._pool.run(_TRIM, (analyst, analyst, self._size))
            await self._drop(analyst, [key for key in releases if key not in kept])

    async def drop(self, analyst: str, keys: Sequence[bytes]) -> None:
        """Word that there will be no release: whoever waits may claim it."""
        with self._ending(analyst, keys):
            await self._drop(analyst, keys)

    async def _asked(self, analyst: str, keys: Sequence[bytes]) -> Row:
        """What dp_ledger.take says. Whoever is cancelled meanwhile may have claimed already, and gives it back."""
        asking = asyncio.ensure_future(self._pool.run(_TAKE, (analyst, list(keys), _LEASE, self._age)))
        try:
            [row] = await asyncio.shield(asking)
        except asyncio.CancelledError:
            asking.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody is left to raise it
            asking.add_done_callback(lambda _: self._later(self._given_back(analyst, keys)))
            raise
        return row

    async def _given_back(self, analyst: str, keys: Sequence[bytes]) -> None:
        with suppress(LedgerUnavailable):
            await self._drop(analyst, [key for key in keys if (analyst, key) not in self._under_way])

    async def _drop(self, analyst: str, keys: Sequence[bytes]) -> None:
        if keys:
            await self._pool.run(_DROP, (analyst, list(keys)))

    def _begin(self, analyst: str, keys: Sequence[bytes]) -> None:
        for key in keys:
            self._under_way[analyst, key] = asyncio.Event()
        if keys and not self._renewing:
            self._renewing = True
            self._later(self._renew())

    async def _renew(self) -> None:
        """A claim lasts as long as its proxy lives."""
        try:
            while True:
                await asyncio.sleep(_LEASE / 3)
                if not self._under_way:
                    return
                names, keys = zip(*self._under_way, strict=True)
                with suppress(LedgerUnavailable):
                    await self._pool.run(_RENEW, (_LEASE, list(names), list(keys)))
        finally:
            self._renewing = False

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @contextmanager
    def _ending(self, analyst: str, keys: Sequence[bytes] | Mapping[bytes, str]) -> Iterator[None]:
        try:
            yield
        finally:
            for key in keys:
                if (event := self._under_way.pop((analyst, key), None)) is not None:
                    event.set()

    def _known(self, analyst: str, keys: Sequence[bytes]) -> bool:
        """Whether one of them is under way in this process."""
        return any((analyst, key) in self._under_way for key in keys)

    async def _others(self, analyst: str, keys: Sequence[bytes]) -> None:
        """Wait for what is under way in this process: a proxy need not ask the ledger for what it does itself."""
        for key in keys:
            if (event := self._under_way.get((analyst, key))) is not None:
                await event.wait()

    def _pauses(self) -> Iterator[float]:
        yield from _PAUSES
        while True:
            yield _PAUSES[-1]
