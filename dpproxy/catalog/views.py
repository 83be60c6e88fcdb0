"""The proxy's own tables, `dp.*`: stubs in the front, answered by the proxy as constants."""

from __future__ import annotations

from collections.abc import Mapping

from dpproxy.rows import Column


def _columns(*pairs: str) -> tuple[Column, ...]:
    return tuple(Column(*pair.split(" ", 1)) for pair in pairs)


VIEWS: Mapping[str, tuple[Column, ...]] = {
    "budget": _columns(
        "analyst text",
        "period text",
        "epsilon numeric",
        "delta numeric",
        "spent_epsilon numeric",
        "spent_delta numeric",
        "remaining_epsilon numeric",
        "remaining_delta numeric",
        "period_ends timestamp with time zone",
        "epsilon_pld numeric",
        "statements_left bigint",
    ),
    "statements": _columns(
        "id bigint",
        "at timestamp with time zone",
        "statement text",
        "epsilon numeric",
        "delta numeric",
        "outcome text",
        "remaining_epsilon numeric",
        "period text",
    ),
    "last_statement": _columns(
        "column text",
        "mechanism text",
        "stddev double precision",
        "half_width double precision",
    ),
    "tables": _columns(
        "name text",
        "unit text",
        "max_rows_per_unit integer",
        "max_groups_per_unit integer",
        "note text",
    ),
    "columns": _columns(
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
    "functions": _columns(
        "name text",
        "arguments text",
        "result text",
        "engines text",
        "note text",
    ),
}
