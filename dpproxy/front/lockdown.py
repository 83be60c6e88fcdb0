"""What nobody but the owner may do in the front: rights that Postgres gives to everybody are taken back.

Whoever signs in is an analyst, so PUBLIC here means the analysts. What cannot be taken by REVOKE (LISTEN, ALTER ROLE
of oneself, fast-path calls) the gate refuses.

Checked by: tests/test_front_schema.py, tests/attacks/test_front.py.
"""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection, sql

TEMP_FILE_LIMIT = "256MB"

# Large objects, locks and notifications outlive or leave the session; the others run SQL that they are given as text,
# which the gate cannot read, write to the log of the server, or tell what others do: those that the views of
# `hidden_statistics.py` are made of, the relay's own statements among them, and positions in the write-ahead log, which
# every charge moves. Pools call pg_advisory_unlock_all when they take a session back; it lets go of nothing here.
OPEN_FUNCTIONS = r"""
    FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND has_function_privilege('public', oid, 'EXECUTE')
    AND (proname ~ '^lo_' OR proname IN ('loread', 'lowrite')
         OR (proname ~ '^pg_(try_)?advisory_' AND proname <> 'pg_advisory_unlock_all')
         OR (proname ~ '^pg_stat_get_' AND proname !~ '^pg_stat_get_(xact_|snapshot)')
         OR proname IN ('pg_lock_status', 'pg_isolation_test_session_is_blocked', 'pg_safe_snapshot_blocking_pids',
                         'pg_xact_status')
         OR proname ~ '^pg_(control_|current_wal_|last_wal_|last_xact|last_committed|get_wal|get_replication_slots)'
         OR proname ~ 'wal_summar'
         OR proname IN ('pg_notify', 'pg_logical_emit_message', 'ts_stat', 'pg_prepared_statement', 'pg_cursor')
         OR proname ~ '^(query|cursor|table|schema|database)_to_xml'
         OR oid = to_regprocedure('ts_rewrite(tsquery, text)'))
"""
_TAKEN_AWAY = f"""
    SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', string_agg(oid::regprocedure::text, ', ' ORDER BY oid))
    {OPEN_FUNCTIONS} HAVING count(*) > 0
"""


async def lock_database(connection: AsyncConnection[Any]) -> None:
    """Takes from PUBLIC what the owner of a database can take: entering it, temporary tables, CREATE in `public`."""
    name = sql.Identifier(connection.info.dbname)
    await connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(name))
    await connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    await connection.execute("REVOKE ALL ON SCHEMA dp, dp_bars, dp_front FROM PUBLIC")
    await connection.execute("GRANT USAGE ON SCHEMA public, dp, dp_bars TO PUBLIC")


async def lock_server(connection: AsyncConnection[Any]) -> None:
    """Takes from PUBLIC what only a superuser can take: languages, functions of Postgres's own, room on the disk."""
    cursor = await connection.execute(
        "SELECT format('REVOKE USAGE ON LANGUAGE %I FROM PUBLIC', lanname) FROM pg_language"
        " WHERE lanpltrusted AND has_language_privilege('public', oid, 'USAGE')"
        f" UNION ALL {_TAKEN_AWAY}"
    )
    for (statement,) in await cursor.fetchall():
        await connection.execute(statement)
    database = sql.Identifier(connection.info.dbname)
    await connection.execute(
        sql.SQL("ALTER DATABASE {} SET temp_file_limit = {}").format(database, sql.Literal(TEMP_FILE_LIMIT))
    )
