"""The ledger's tables and its one function, as SQL, and how they come to be.

`dp.accounts` holds analysts and budget groups alike, so that one statement locks all that a charge touches, in the
order of the key. Money only ever goes up; a grant raises the limit beside it and leaves a row of its own.
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import AsyncConnection

from dpproxy.accounting.loss import Accounting
from dpproxy.errors import ConfigFault

VERSION = 1

_LOCK = "SELECT pg_advisory_xact_lock(hashtext('dpproxy'))"

_LOSS = "numeric NOT NULL DEFAULT 0 CHECK ({0} >= 0 AND {0} < 'Infinity' AND {0} = round({0}, 30))"

# The checks refuse what would lower a spent amount or compare falsely: negatives, NaN and infinities.
_TABLES = f"""
CREATE SCHEMA IF NOT EXISTS dp;
CREATE TABLE IF NOT EXISTS dp.ledger (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    version integer NOT NULL,
    accounting text NOT NULL
);
CREATE TABLE IF NOT EXISTS dp.accounts (
    kind text NOT NULL CHECK (kind IN ('analyst', 'budget')),
    name text NOT NULL,
    period text NOT NULL,
    main {_LOSS.format("main")},
    delta {_LOSS.format("delta")},
    granted_main {_LOSS.format("granted_main")},
    granted_delta {_LOSS.format("granted_delta")},
    granted_epsilon numeric NOT NULL DEFAULT 0,
    granted_own_delta numeric NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, name, period)
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS dp.charges (
    id bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    analyst text NOT NULL,
    period text NOT NULL,
    statement text NOT NULL,
    epsilon numeric NOT NULL,
    main {_LOSS.format("main")},
    delta {_LOSS.format("delta")},
    outcome text NOT NULL DEFAULT 'charged',
    left_main numeric NOT NULL,
    left_delta numeric NOT NULL
);
CREATE INDEX IF NOT EXISTS charges_analyst ON dp.charges (analyst, id);
CREATE TABLE IF NOT EXISTS dp.grants (
    id bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    analyst text NOT NULL,
    period text NOT NULL,
    epsilon numeric NOT NULL,
    delta numeric NOT NULL,
    main {_LOSS.format("main")},
    own_delta {_LOSS.format("own_delta")}
);
CREATE TABLE IF NOT EXISTS dp.alarms (
    id bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    analyst text NOT NULL,
    reason text NOT NULL,
    cleared_at timestamptz
);
CREATE UNIQUE INDEX IF NOT EXISTS alarms_standing ON dp.alarms (analyst) WHERE cleared_at IS NULL;
-- Where the owner is no superuser, the table's size is to be seen by everybody: its first page is there before the
-- first alarm.
INSERT INTO dp.alarms (analyst, reason, cleared_at)
    SELECT '', 'none: the first page', clock_timestamp() WHERE NOT EXISTS (SELECT FROM dp.alarms);
-- Everybody reads in pg_class how many rows a table had when it was last vacuumed or analyzed, so these are not: rows
-- are added, and updated within their page. Against wraparound the server vacuums them all the same.
ALTER TABLE dp.accounts SET (autovacuum_enabled = off);
ALTER TABLE dp.charges SET (autovacuum_enabled = off);
ALTER TABLE dp.grants SET (autovacuum_enabled = off);
ALTER TABLE dp.alarms SET (autovacuum_enabled = off);
REVOKE ALL ON dp.ledger, dp.accounts, dp.charges, dp.grants, dp.alarms FROM PUBLIC;
"""

# A weaker synchronous_commit of the server's would make a charge that a crash forgets; a stronger one is left alone.
_CHARGE = """
CREATE OR REPLACE FUNCTION dp.charge(
    p_analyst text, p_period text, p_statement text, p_epsilon numeric, p_main numeric, p_delta numeric,
    p_limit_main numeric, p_limit_delta numeric, p_groups text[], p_group_mains numeric[], p_group_deltas numeric[],
    OUT id bigint, OUT short_group text, OUT spent_main numeric, OUT spent_delta numeric,
    OUT left_main numeric, OUT left_delta numeric, OUT stopped boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kinds text[] := 'analyst'::text || array_fill('budget'::text, ARRAY[cardinality(p_groups)]);
    names text[] := p_analyst || p_groups;
    periods text[] := p_period || array_fill('ever'::text, ARRAY[cardinality(p_groups)]);
    mains numeric[] := p_limit_main || p_group_mains;
    deltas numeric[] := p_limit_delta || p_group_deltas;
BEGIN
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    INSERT INTO dp.accounts (kind, name, period)
        SELECT * FROM unnest(kinds, names, periods) AS party ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING;
    PERFORM FROM dp.accounts a JOIN unnest(kinds, names, periods) AS p (kind, name, period)
        ON (a.kind, a.name, a.period) = (p.kind, p.name, p.period)
        ORDER BY a.kind, a.name, a.period FOR UPDATE OF a;
    SELECT CASE a.kind WHEN 'budget' THEN a.name END, a.main, a.delta,
           l.main + a.granted_main - a.main, l.delta + a.granted_delta - a.delta
        INTO short_group, spent_main, spent_delta, left_main, left_delta
        FROM dp.accounts a JOIN unnest(kinds, names, periods, mains, deltas) AS l (kind, name, period, main, delta)
        ON (a.kind, a.name, a.period) = (l.kind, l.name, l.period)
        WHERE NOT coalesce(a.main + p_main <= l.main + a.granted_main
                           AND a.delta + p_delta <= l.delta + a.granted_delta, false)
        ORDER BY a.kind, a.name, a.period LIMIT 1;
    IF FOUND THEN
        RETURN;
    END IF;
    UPDATE dp.accounts a SET main = a.main + p_main, delta = a.delta + p_delta
        FROM unnest(kinds, names, periods) AS p (kind, name, period)
        WHERE (a.kind, a.name, a.period) = (p.kind, p.name, p.period);
    SELECT a.main, a.delta, p_limit_main + a.granted_main - a.main, p_limit_delta + a.granted_delta - a.delta
        INTO STRICT spent_main, spent_delta, left_main, left_delta
        FROM dp.accounts a WHERE (a.kind, a.name, a.period) = ('analyst', p_analyst, p_period);
    INSERT INTO dp.charges (analyst, period, statement, epsilon, main, delta, left_main, left_delta)
        VALUES (p_analyst, p_period, p_statement, p_epsilon, p_main, p_delta, left_main, left_delta)
        RETURNING charges.id INTO STRICT id;
    stopped := EXISTS (SELECT FROM dp.alarms m WHERE m.analyst = p_analyst AND m.cleared_at IS NULL);
END $$;
REVOKE ALL ON FUNCTION dp.charge FROM PUBLIC;
"""


async def create(connection: AsyncConnection[Any], accounting: Accounting) -> None:
    """Brings the ledger's tables and function into being, once for all proxies that share it.

    Raises ConfigFault where the charges that are there were made by another accounting, or by a newer dpproxy, where
    the server would lose a commit in a crash, and where it does not let the tables be made.
    """
    try:
        async with connection.transaction():
            await connection.execute(_LOCK)
            await connection.execute(_TABLES, prepare=False)
            await connection.execute(_CHARGE, prepare=False)
            await _check(connection, accounting)
    except psycopg.ProgrammingError as error:
        raise ConfigFault(
            "the ledger's tables cannot be made", detail=f"ledger: {error.diag.message_primary}"
        ) from error


async def _check(connection: AsyncConnection[Any], accounting: Accounting) -> None:
    await connection.execute(
        "INSERT INTO dp.ledger (version, accounting) VALUES (%s, %s) ON CONFLICT (one) DO UPDATE"
        " SET accounting = excluded.accounting"
        " WHERE NOT EXISTS (SELECT FROM dp.charges) AND NOT EXISTS (SELECT FROM dp.grants)",
        (VERSION, accounting.value),
    )
    cursor = await connection.execute("SELECT version, accounting, current_setting('fsync') FROM dp.ledger")
    row = await cursor.fetchone()
    faults = _faults(accounting, *row) if row else []
    if faults:
        raise ConfigFault("the ledger does not fit the configuration", detail="\n".join(faults))


def _faults(accounting: Accounting, version: int, kept: str, fsync: str) -> list[str]:
    faults = []
    if version > VERSION:
        faults.append(f"ledger: it was made by a newer dpproxy (version {version}; this one knows {VERSION})")
    if kept != accounting.value:
        faults.append(
            f'privacy.accounting: is "{accounting.value}", and the ledger holds charges made under "{kept}"; '
            f'write "{kept}", or give a new ledger'
        )
    if fsync != "on":
        faults.append("ledger: the server runs with fsync = off and would forget charges in a crash; turn it on")
    return faults
