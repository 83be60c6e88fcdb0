"""The proxy's own tables, `dp.*`: stubs in the front, answered by the proxy as constants."""

from __future__ import annotations

from collections.abc import Mapping

from dpproxy.rows import Column

VIEWS: Mapping[str, tuple[Column, ...]] = {
    "budget": (
        Column("analyst", "text"),
        Column("period", "text"),
        Column("epsilon", "numeric"),
        Column("delta", "numeric"),
        Column("spent_epsilon", "numeric"),
        Column("spent_delta", "numeric"),
        Column("remaining_epsilon", "numeric"),
        Column("remaining_delta", "numeric"),
    ),
    "statements": (
        Column("id", "bigint"),
        Column("at", "timestamp with time zone"),
        Column("statement", "text"),
        Column("epsilon", "numeric"),
        Column("delta", "numeric"),
        Column("outcome", "text"),
        Column("remaining_epsilon", "numeric"),
    ),
    "last_statement": (
        Column("column", "text"),
        Column("mechanism", "text"),
        Column("stddev", "double precision"),
        Column("half_width", "double precision"),
    ),
    "tables": (
        Column("table_schema", "text"),
        Column("table_name", "text"),
        Column("kind", "text"),
        Column("unit", "text"),
        Column("max_rows_per_unit", "integer"),
        Column("max_groups_per_unit", "integer"),
        Column("note", "text"),
    ),
    "columns": (
        Column("table_schema", "text"),
        Column("table_name", "text"),
        Column("column_name", "text"),
        Column("type", "text"),
        Column("nullable", "boolean"),
        Column("bounds", "text"),
        Column("public_keys", "text"),
        Column("step", "numeric"),
        Column("note", "text"),
    ),
}
