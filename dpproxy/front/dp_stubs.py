"""The tables of schema `dp` that analysts select from: stubs, whose rows the proxy puts into each statement. Pure.

Checked by: tests/test_front_schema.py.
"""

from __future__ import annotations

from psycopg import sql

from dpproxy.catalog.views import VIEWS
from dpproxy.front.backstop import policy
from dpproxy.front.stubs import Stub
from dpproxy.rows import Column

SCHEMA = "dp"


_COMMENTS = {
    "budget": "your accounts: what they hold, what is spent, what remains",
    "statements": "your private statements, and what each of them cost",
    "last_statement": "how far the noise of your last private statement reaches, per column (95 %)",
    "tables": "the tables of the policy; no unit: public",
    "columns": "the columns of the policy; keys: values that are public group keys",
    "functions": "the functions and operators that private columns may stand in",
}


def views() -> tuple[Stub, ...]:
    """One stub for each of them."""
    return tuple(_stub(name, columns) for name, columns in VIEWS.items())


def _stub(name: str, columns: tuple[Column, ...]) -> Stub:
    parts = [sql.SQL("{} ").format(sql.Identifier(column.name)).as_string(None) + column.type for column in columns]
    target = sql.Identifier(SCHEMA, name)
    comment = sql.SQL("COMMENT ON TABLE {} IS {}").format(target, _COMMENTS[name]).as_string(None)
    guard = policy(target).as_string(None)
    text = f"CREATE TABLE {target.as_string(None)} ({', '.join(parts)});\n{comment};\n{guard}"
    return Stub(f"{SCHEMA}.{name}", SCHEMA, name, text)
