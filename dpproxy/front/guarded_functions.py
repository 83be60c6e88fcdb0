"""Functions of Postgres's that tell a size, or who waits for whom, put behind ones that ask first. As SQL text. Pure.

Everybody may ask them about everything: the ledger's size counts what all analysts did. Postgres's own move to schema
`dp_own`, and what takes their names in pg_catalog answers for what the caller may read, and NULL for the rest.

Checked by: tests/test_front_given.py, tests/attacks/test_metadata.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_READABLE: Final = "CASE WHEN dp_own.readable($1) THEN dp_own.{name}({arguments}) END"
_SUPERUSERS: Final = "CASE WHEN dp_own.everything() THEN dp_own.{name}({arguments}) END"
_PROCESS: Final = "CASE WHEN dp_own.process($1) THEN dp_own.{name}({arguments}) ELSE '{{}}' END"
# An empty database's, and the tables that the caller may read.
_DATABASE: Final = """CASE WHEN dp_own.everything() THEN dp_own.{name}({arguments})
    WHEN EXISTS (SELECT FROM pg_database WHERE {key} = $1 AND datname = current_database())
    THEN dp_own.pg_database_size('template0'::name) + (
        SELECT coalesce(sum(dp_own.pg_total_relation_size(oid)), 0)::bigint
        FROM pg_class WHERE relkind IN ('r', 'm') AND oid >= 16384 AND dp_own.readable(oid)) END"""


@dataclass(frozen=True, slots=True)
class _Function:
    """`parameters` and `result` are types; `answer` is the body of what stands before it."""

    name: str
    parameters: str
    result: str
    answer: str


_FUNCTIONS: Final = (
    _Function("pg_relation_size", "regclass, text", "bigint", _READABLE),
    _Function("pg_relation_size", "regclass", "bigint", _READABLE),
    _Function("pg_table_size", "regclass", "bigint", _READABLE),
    _Function("pg_indexes_size", "regclass", "bigint", _READABLE),
    _Function("pg_total_relation_size", "regclass", "bigint", _READABLE),
    _Function("pg_database_size", "oid", "bigint", _DATABASE.replace("{key}", "oid")),
    _Function("pg_database_size", "name", "bigint", _DATABASE.replace("{key}", "datname")),
    _Function("pg_tablespace_size", "oid", "bigint", _SUPERUSERS),
    _Function("pg_tablespace_size", "name", "bigint", _SUPERUSERS),
    _Function("pg_blocking_pids", "integer", "integer[]", _PROCESS),
)


def signatures() -> tuple[str, ...]:
    """The functions, each with the types of its parameters."""
    return tuple(f"{each.name}({each.parameters})" for each in _FUNCTIONS)


def out_of_reach(signature: str) -> str:
    """The statements that move Postgres's own. A database that was restored from a dump has a copy there."""
    moved = f"ALTER FUNCTION pg_catalog.{signature} SET SCHEMA dp_own"
    away = f"DROP FUNCTION IF EXISTS dp_own.{signature}; {moved}"
    return f"{away}; REVOKE EXECUTE ON FUNCTION dp_own.{signature} FROM PUBLIC"


def guards(options: str) -> Iterator[str]:
    """The statement that makes what stands before each of them, once they were moved."""
    for each in _FUNCTIONS:
        arguments = ", ".join(f"${number}" for number, _ in enumerate(each.parameters.split(","), 1))
        answer = each.answer.format(name=each.name, arguments=arguments)
        yield (
            f"CREATE OR REPLACE FUNCTION pg_catalog.{each.name}({each.parameters}) RETURNS {each.result} {options}"
            f" AS $$ SELECT {answer} $$"
        )
