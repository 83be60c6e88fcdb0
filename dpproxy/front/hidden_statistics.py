"""What an analyst sees of the others in Postgres's own views and functions: nothing of their sessions, locks, sizes.

Postgres lets everybody see who is connected, who holds which lock, how large every table is and how often it was read
and written, the ledger's too. Here each view that says such things is put before a function of the same rows, which
runs with the owner's rights and leaves out what is not the caller's; `guarded_functions.py` does it for functions.
Names, columns and types stay, so tools work on with what is their own. Superusers see all as before.

Postgres's own are kept in schema `dp_own`, which nobody may enter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from psycopg import AsyncConnection, sql

from dpproxy.front.guarded_functions import guards, out_of_reach, signatures
from dpproxy.front.listed_settings import WITH_THE_PROXYS_OWN
from dpproxy.front.readable_tables import ONLY_WHAT_IS_READABLE

_MADE: Final = "dpproxy 2"  # where the schema says another one, the functions are made anew
_DEFINER: Final = "LANGUAGE sql STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp"

_BEFORE: Final = f"""
SET LOCAL allow_system_table_mods = on;
CREATE SCHEMA IF NOT EXISTS dp_own;
REVOKE ALL ON SCHEMA dp_own FROM PUBLIC;
CREATE OR REPLACE FUNCTION dp_own.everything() RETURNS boolean {_DEFINER} STABLE AS $$
    SELECT rolsuper FROM pg_authid WHERE rolname = session_user $$;
CREATE OR REPLACE FUNCTION dp_own.role(role oid) RETURNS boolean {_DEFINER} STABLE AS $$
    SELECT pg_has_role(session_user, role, 'MEMBER') $$;
CREATE OR REPLACE FUNCTION dp_own.process(process integer) RETURNS boolean {_DEFINER} STABLE AS $$
    SELECT EXISTS (SELECT FROM pg_stat_get_activity(process) WHERE dp_own.role(usesysid)) $$;
CREATE OR REPLACE FUNCTION dp_own.relation(relation oid) RETURNS boolean {_DEFINER} STABLE AS $$
    SELECT dp_own.role(relowner) FROM pg_class WHERE oid = relation $$;
CREATE OR REPLACE FUNCTION dp_own.readable(relation oid) RETURNS boolean {_DEFINER} STABLE AS $$
    SELECT has_table_privilege(session_user, coalesce(i.indrelid, c.oid), 'SELECT')
    FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid WHERE c.oid = relation $$;
"""
# A database that was restored from a dump has the schema, and Postgres's own in their old places.
_IN_PLACE: Final = """
SELECT obj_description(to_regnamespace('dp_own'), 'pg_namespace') = %s
       AND pg_get_viewdef('pg_stat_activity'::regclass) ~ 'dp_own'
"""
_AFTER: Final = f"COMMENT ON SCHEMA dp_own IS '{_MADE}'; SET LOCAL allow_system_table_mods = off"

# The views, their columns, and their text where it is Postgres's own. Those over others of them (pg_stat_user_tables
# over pg_stat_all_tables) follow by themselves, what is of one's own transaction is let be, and statistics of values
# have privileges of their own.
_VIEWS: Final = r"""
SELECT c.relname::text, array_agg(a.attname::text ORDER BY a.attnum),
       CASE WHEN pg_get_viewdef(c.oid) !~ 'dp_own' THEN pg_get_viewdef(c.oid) END
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind = 'v'
AND (c.relname ~ '^pg_stat(io)?_' AND c.relname !~ '^pg_stat(io)?_((user|sys)_(tables|indexes|sequences)|xact_)'
     OR c.relname IN ('pg_locks', 'pg_replication_slots', 'pg_prepared_statements', 'pg_cursors'))
GROUP BY c.oid, c.relname
"""

# Of relations that the caller may read and does not own: names, and how many rows there are; no counts of use.
_OF_READABLE: Final = frozenset({"relid", "indexrelid", "schemaname", "relname", "indexrelname", "n_live_tup"})


async def hide_others(connection: AsyncConnection[Any]) -> None:
    """Puts them in place, for a superuser, where they are not in place yet."""
    cursor = await connection.execute(_IN_PLACE, (_MADE,))
    if await cursor.fetchone() == (True,):
        return
    await connection.execute(_BEFORE.encode())
    await _hide_functions(connection)
    await _hide_views(connection)
    await connection.execute(_AFTER.encode())


async def _hide_functions(connection: AsyncConnection[Any]) -> None:
    for signature in signatures():
        place = await connection.execute("SELECT to_regprocedure(%s)::oid < 16384", (f"pg_catalog.{signature}",))
        if await place.fetchone() == (True,):
            await connection.execute(out_of_reach(signature).encode())
    for statement in guards(_DEFINER):
        await connection.execute(statement.encode())
    await connection.execute(ONLY_WHAT_IS_READABLE.encode())
    await connection.execute(WITH_THE_PROXYS_OWN)


async def _hide_views(connection: AsyncConnection[Any]) -> None:
    cursor = await connection.execute(_VIEWS)
    views = await cursor.fetchall()
    statements = (statement for view in views for statement in _guarded(*view))
    await connection.execute(sql.SQL("; ").join(statements))


def _guarded(name: str, columns: Sequence[str], text: str | None) -> Iterator[sql.Composable]:
    """Postgres's own kept, a function of the view's rows that are the caller's, and the view over it."""
    if text is not None:
        kept = sql.SQL("DROP VIEW IF EXISTS dp_own.{0} CASCADE; CREATE VIEW dp_own.{0} AS {1}")
        yield kept.format(sql.Identifier(name), sql.SQL(text.rstrip().rstrip(";")))
    view, shown = sql.Identifier(name), sql.SQL(", ").join(_shown(columns))
    yield sql.SQL(
        "CREATE OR REPLACE FUNCTION dp_own.{0}() RETURNS SETOF dp_own.{0} {1}"
        " AS $$ SELECT {2} FROM dp_own.{0} WHERE dp_own.everything() OR {3} $$"
    ).format(view, sql.SQL(_DEFINER), shown, sql.SQL(_condition(columns)))
    yield sql.SQL("CREATE OR REPLACE VIEW pg_catalog.{0} AS SELECT * FROM dp_own.{0}()").format(view)


def _condition(columns: Sequence[str]) -> str:
    """Which rows of a view with these columns are the caller's; none, if they count what all do together."""
    match next((each for each in ("usesysid", "pid", "relid", "statement") if each in columns), None):
        case "usesysid":
            return "dp_own.role(usesysid)"
        case "pid":
            return "dp_own.process(pid)"
        case "relid":
            return "dp_own.readable(relid)"
        case "statement":  # of the session itself, and the relay's among them. A swapped cursor has the text that
            # runs in the client's place, which is made of the plan alone: what was released are its parameters.
            return "name !~ '^dpproxy'"
        case _:
            return "false"


def _shown(columns: Sequence[str]) -> Iterator[sql.Composable]:
    of_relations = "relid" in columns and "pid" not in columns
    for name in columns:
        owners = of_relations and name not in _OF_READABLE
        shown = "CASE WHEN dp_own.everything() OR dp_own.relation(relid) THEN {} END" if owners else "{}"
        yield sql.SQL(shown).format(sql.Identifier(name))
