"""What is left open in a front whose owner is no superuser: names that the gate refuses there, and what is told.

Functions of Postgres's own can be locked by a superuser only (`lockdown.py`, `hidden_statistics.py`). What they tell is
not the policy's to give: how many rows were read of each table is counted, the engine's too where it is on the same
server.

Checked by: tests/test_front_given.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from psycopg import AsyncConnection

from dpproxy.catalog.schemas import OWN
from dpproxy.errors import ConfigFault
from dpproxy.front.guarded_functions import signatures
from dpproxy.front.lockdown import OPEN_FUNCTIONS

_OWN: Final = ", ".join(f"'{schema}'" for schema in OWN)
# Those that are not behind `dp_own`, and what extensions add of the kind. Statistics of values (pg_stats) have
# privileges of their own; pg_stat_ssl and pg_stat_gssapi, which tools ask about their own session, tell of others that
# they are there. What else somebody has put into the database may run SQL that it is given as text (tablefunc's
# crosstab), which the gate does not read.
_NAMES: Final = rf"""
SELECT proname::text {OPEN_FUNCTIONS}
UNION SELECT proname FROM pg_proc WHERE proname ~ '^pg_stat_' AND pronamespace <> 'pg_catalog'::regnamespace
    AND pronamespace IS DISTINCT FROM to_regnamespace('dp_own')
UNION SELECT proname FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
    WHERE nspname NOT IN ('pg_catalog', 'information_schema', {_OWN})
    AND nspname NOT IN (SELECT analyst FROM dp_front.roles) AND has_function_privilege('public', p.oid, 'EXECUTE')
    AND NOT EXISTS (
        SELECT FROM pg_proc o WHERE o.proname = p.proname AND o.pronamespace = 'pg_catalog'::regnamespace)
UNION SELECT proname FROM pg_proc WHERE oid < 16384 AND pronamespace = 'pg_catalog'::regnamespace AND proname = ANY(%s)
UNION SELECT relname FROM pg_class c WHERE relkind IN ('v', 'm', 'r')
    AND relnamespace IS DISTINCT FROM to_regnamespace('dp_own')
    AND (relname ~ '^pg_stat(io)?_' AND relname !~ '^pg_stat_(xact_|ssl$|gssapi$)'
         OR relname IN ('pg_locks', 'pg_replication_slots', 'pg_prepared_xacts'))
    AND (relnamespace <> 'pg_catalog'::regnamespace OR pg_get_viewdef('pg_stat_activity'::regclass) !~ 'dp_own')
"""

# Relations that are neither the front's own nor Postgres's, and that analysts may read.
_FOREIGN: Final = f"""
SELECT DISTINCT c.oid::regclass::text
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN (
    SELECT 'public' UNION SELECT analyst FROM dp_front.roles JOIN pg_roles ON rolname = analyst) AS who (role)
WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND nspname <> 'information_schema' AND nspname !~ '^pg_'
AND nspname NOT IN ({_OWN}) AND nspname NOT IN (SELECT analyst FROM dp_front.roles)
AND c.oid NOT IN (SELECT relation FROM dp_front.stubs)
AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')
AND (has_table_privilege(role, c.oid, 'SELECT') OR has_any_column_privilege(role, c.oid, 'SELECT'))
ORDER BY 1
"""

_PUBLIC_SCHEMA: Final = "SELECT has_schema_privilege('public', 'public', 'CREATE')"
# Its owner may be another one, who lets nobody into the schema: to_regclass would raise.
_LEDGER: Final = """
SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
               WHERE nspname = 'dp_ledger' AND relname = 'charges')
"""
_OF_RELATIONS: Final = frozenset({"pg_relation_size", "pg_table_size", "pg_indexes_size", "pg_total_relation_size"})
# Sequelize describes tables by it. Of the front's own tables and the analysts' it tells how often they are read.
_ASKED_BY_TOOLS: Final = frozenset({"pg_statio_all_tables"})
_SHOWN: Final = 5


async def open_names(connection: AsyncConnection[Any]) -> frozenset[str]:
    """Names of functions and views that analysts may not use and that are not locked; none for a superuser's front.

    What tells the size of a relation, or how often it is read, is among them where the ledger is here, which therefore
    is made before this.
    """
    told = {signature.partition("(")[0] for signature in signatures()}
    ledger = await _holds_ledger(connection)
    closed = told if ledger else told - _OF_RELATIONS
    cursor = await connection.execute(_NAMES.encode(), (sorted(closed),))
    return frozenset(name for (name,) in await cursor.fetchall()) - (frozenset() if ledger else _ASKED_BY_TOOLS)


async def refuse_foreign(connection: AsyncConnection[Any]) -> None:
    """Raises ConfigFault where the database holds somebody else's tables for analysts to read."""
    names = [name for (name,) in await (await connection.execute(_FOREIGN)).fetchall()]
    if names:
        listed = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        raise ConfigFault(
            "the front's database cannot be used",
            detail=f"front.url: it holds what is not the front's and analysts could read: {listed}; "
            "give the front a database of its own",
        )


async def warnings(connection: AsyncConnection[Any], names: frozenset[str]) -> tuple[str, ...]:
    """A line for each thing that is not as it should be."""
    ((public,),) = await (await connection.execute(_PUBLIC_SCHEMA)).fetchall()
    ledger = await _holds_ledger(connection)
    return tuple(_lines(connection.info.user, names, public=public, ledger=ledger))


async def _holds_ledger(connection: AsyncConnection[Any]) -> bool:
    ((there,),) = await (await connection.execute(_LEDGER)).fetchall()
    return bool(there)


def _lines(owner: str, names: Sequence[str] | frozenset[str], *, public: bool, ledger: bool) -> Iterator[str]:
    if names:
        yield (
            f'front.url: "{owner}" is no superuser, so {len(names)} functions and views that tell what others do are'
            " refused by the proxy alone, and disk space for temporary files is not limited"
        )
    if names and ledger:
        yield "front.url: the ledger is in this database too, so sizes of tables are refused; give [ledger] its own"
    if public:
        yield (
            "front.url: everybody may create in schema public, which only a superuser can change on this version:"
            f' ALTER SCHEMA public OWNER TO "{owner}"'
        )
