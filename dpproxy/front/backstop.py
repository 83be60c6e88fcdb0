"""The backstop: a scan of a stub is an error, by whatever way it is reached.

Each guarded stub has a row security policy whose condition is a function that raises. The function takes no argument
and is declared immutable, so the planner runs it when it folds constants: every plan that holds the stub fails, though
an empty table has no row that the condition would be asked of. `FROM ONLY` and `COPY stub TO` are planned under the
policy too. Parse and Describe don't plan. What gets past it reads an empty table: it can be wrong, it cannot leak.
Superusers and the stub's owner, who is the proxy, are not subject to policies.
"""

from __future__ import annotations

from typing import Final

from psycopg import sql

_MARK = "dpproxy_private"
_POLICY = "aggregates only"
_NOT_IN_PREREQUISITE_STATE = "55000"

CONDITION: Final = "dp_front.private()"
FUNCTION: Final = f"""
CREATE OR REPLACE FUNCTION {CONDITION} RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RAISE EXCEPTION '{_MARK}: the rows of private tables are not here' USING ERRCODE = '{_NOT_IN_PREREQUISITE_STATE}';
END $$;
"""


def is_backstop_error(sqlstate: str, message: str) -> bool:
    """Whether an error of the front's says that a statement would have scanned a stub."""
    return sqlstate == _NOT_IN_PREREQUISITE_STATE and _MARK in message


def is_policy_error(sqlstate: str, message: str) -> bool:
    """Whether an error of the front's says that the session wants no row security (row_security = off)."""
    return sqlstate == "42501" and "row-level security policy" in message


def policy(table: sql.Identifier) -> sql.Composed:
    """The statements that guard a stub."""
    text = f"ALTER TABLE {{0}} ENABLE ROW LEVEL SECURITY;\nCREATE POLICY {{1}} ON {{0}} USING ({CONDITION})"
    return sql.SQL(text).format(table, sql.Identifier(_POLICY))
