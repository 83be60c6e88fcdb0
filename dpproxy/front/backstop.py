"""The backstop: a scan of a stub is an error, by whatever way it is reached.

Each guarded stub has a child that is a foreign table of a wrapper without a handler. The planner expands a stub to
itself and its child, and fails at the child; Parse and Describe don't plan. Row-level security would not do: an empty
table never evaluates its policy. What does not expand children (`ONLY`, `COPY stub TO`) reaches an empty parent.
"""

from __future__ import annotations

from psycopg import sql

WRAPPER = "dpproxy_private"
SCHEMA = "dp_backstop"
_NOT_IN_PREREQUISITE_STATE = "55000"


def is_backstop_error(sqlstate: str, message: str) -> bool:
    """Whether an error of the front's says that a statement would have scanned a stub. Same text on 15 and 18."""
    return sqlstate == _NOT_IN_PREREQUISITE_STATE and WRAPPER in message


def wrapper() -> sql.Composed:
    """The wrapper and its server, in an empty front."""
    name = sql.Identifier(WRAPPER)
    return sql.SQL(
        "CREATE FOREIGN DATA WRAPPER {} NO HANDLER NO VALIDATOR; CREATE SERVER {} FOREIGN DATA WRAPPER {}"
    ).format(name, name, name)


def child(schema: str, relation: str, oid: int) -> sql.Composed:
    """The child of one stub; it is named after the stub's OID, which is unique where names may be too long to join."""
    return sql.SQL("CREATE FOREIGN TABLE {} () INHERITS ({}) SERVER {}").format(
        sql.Identifier(SCHEMA, str(oid)), sql.Identifier(schema, relation), sql.Identifier(WRAPPER)
    )
