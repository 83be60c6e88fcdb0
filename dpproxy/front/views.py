"""The tables of schema `dp` that analysts select from: stubs, whose rows the proxy puts into each statement. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from psycopg import sql

from dpproxy.front.stubs import Stub
from dpproxy.rows import Column

SCHEMA = "dp"


def _columns(*pairs: str) -> tuple[Column, ...]:
    return tuple(Column(*pair.split(" ", 1)) for pair in pairs)


VIEWS: Mapping[str, tuple[Column, ...]] = {
    "dp.budget": _columns(
        "analyst text",
        "period text",
        "epsilon numeric",
        "delta numeric",
        "spent_epsilon numeric",
        "spent_delta numeric",
        "remaining_epsilon numeric",
        "remaining_delta numeric",
    ),
    "dp.statements": _columns(
        "id bigint",
        "at timestamp with time zone",
        "statement text",
        "epsilon numeric",
        "delta numeric",
        "outcome text",
        "remaining_epsilon numeric",
    ),
    "dp.last_statement": _columns(
        "column text", "mechanism text", "stddev double precision", "half_width double precision"
    ),
    "dp.tables": _columns(
        "name text",
        "unit text",
        "max_rows_per_unit integer",
        "max_groups_per_unit integer",
        "note text",
    ),
    "dp.columns": _columns(
        "table text",
        "name text",
        "type text",
        "nullable boolean",
        "lower text",
        "upper text",
        "step numeric",
        "keys text",
        "note text",
    ),
}

_COMMENTS = {
    "dp.budget": "your accounts: what they hold, what is spent, what remains",
    "dp.statements": "your private statements, and what each of them cost",
    "dp.last_statement": "how far the noise of your last private statement reaches, per column (95 %)",
    "dp.tables": "the tables of the policy; no unit: public",
    "dp.columns": "the columns of the policy; keys: values that are public group keys",
}


def views() -> tuple[Stub, ...]:
    """One stub for each of them."""
    return tuple(_stub(name, columns) for name, columns in VIEWS.items())


def _stub(name: str, columns: tuple[Column, ...]) -> Stub:
    relation = name.removeprefix(f"{SCHEMA}.")
    parts = [sql.SQL("{} ").format(sql.Identifier(column.name)).as_string(None) + column.type for column in columns]
    target = sql.Identifier(SCHEMA, relation)
    comment = sql.SQL("COMMENT ON TABLE {} IS {}").format(target, _COMMENTS[name]).as_string(None)
    text = f"CREATE TABLE {target.as_string(None)} ({', '.join(parts)});\n{comment}"
    return Stub(name, SCHEMA, relation, True, text)
