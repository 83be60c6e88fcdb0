"""What the engine's role could do besides reading, and what could surprise its reader: warnings for the operator.

Checked by: tests/test_engine_postgres.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from dpproxy.engines import EngineSchema

_ROLE = """
SELECT CAST(r.rolname AS text), r.rolsuper, r.rolcreaterole OR r.rolcreatedb OR r.rolreplication,
  pg_is_in_recovery(),
  inet_client_addr() <> inet_server_addr() AND NOT (SELECT s.ssl FROM pg_stat_ssl AS s WHERE s.pid = pg_backend_pid()),
  has_database_privilege(current_database(), 'CREATE'),
  ARRAY(
    SELECT CAST(o.rolname AS text) FROM pg_roles AS o WHERE o.rolname IN (
      'pg_write_all_data', 'pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program',
      'pg_maintain', 'pg_signal_backend') AND pg_has_role(o.oid, 'MEMBER') ORDER BY 1),
  ARRAY(
    SELECT CAST(n.nspname AS text) FROM pg_namespace AS n
    WHERE left(n.nspname, 3) <> 'pg_' AND n.nspname <> 'information_schema'
    AND has_schema_privilege(n.oid, 'CREATE') ORDER BY 1)
FROM pg_roles AS r WHERE r.rolname = current_user"""

_TABLES = """
SELECT CAST(n.nspname AS text), CAST(c.relname AS text),
  has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') OR has_any_column_privilege(c.oid, 'INSERT, UPDATE'),
  row_security_active(c.oid)
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p') ORDER BY 1, 2"""


async def read_warnings(connection: Any, schema: EngineSchema, tables: Collection[str]) -> tuple[str, ...]:
    """A line for each doubt, where `tables` are those that the policy names."""
    named = {schema.tables[name].place: name for name in tables if name in schema.tables}
    role, superuser, powerful, standby, plain, *creates = await connection.fetchrow(_ROLE)
    found = [
        (named[schema_, relation], writes, hidden)
        for schema_, relation, writes, hidden in await connection.fetch(_TABLES)
        if (schema_, relation) in named
    ]
    lines = _superuser(role) if superuser else _writer(role, powerful, creates, [name for name, yes, _ in found if yes])
    return (*lines, *_hidden([name for name, _, yes in found if yes]), *_told(_STANDBY, standby), *_told(_PLAIN, plain))


_STANDBY = (
    "engine.url: the server is a standby: a statement that the replay of changes cancels is an engine failure"
    " (set hot_standby_feedback = on, or a larger max_standby_streaming_delay)"
)
_PLAIN = "engine.url: the connection to another machine is not encrypted (say sslmode=verify-full)"


def _told(warning: str, holds: bool | None) -> tuple[str, ...]:
    return (warning,) if holds else ()


def _superuser(role: str) -> tuple[str, ...]:
    return (f"engine.url: the role {role} is a superuser; one that may only SELECT is enough",)


def _writer(role: str, powerful: bool, creates: list[Any], tables: list[str]) -> Iterator[str]:
    database, memberships, schemas = creates
    if powerful:
        yield f"engine.url: the role {role} may create roles or databases, or replicate; it needs no more than SELECT"
    if memberships:
        yield f"engine.url: the role {role} is a member of {', '.join(memberships)}; it needs no more than SELECT"
    if tables:
        yield f"engine.url: the role {role} may write to {', '.join(tables)}; it needs no more than SELECT"
    if database:
        yield f"engine.url: the role {role} may create schemas in the database; it needs no more than SELECT"
    if schemas:
        names = ", ".join(schemas)
        yield f"engine.url: the role {role} may create tables in the schemas {names}; it needs no more than SELECT"


def _hidden(tables: list[str]) -> Iterator[str]:
    for name in tables:
        yield (
            f"tables.{name}: row security applies to the engine's role: rows that it hides do not count,"
            " and a policy of it that can raise an error on a row tells of that row"
        )
