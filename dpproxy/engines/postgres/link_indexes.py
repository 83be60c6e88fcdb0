"""Which indexes along links a Postgres lacks, by its catalog: no privilege on any table is needed, and no row is read.

Checked by: tests/test_link_indexes.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from dpproxy.engines import EngineTable, LinkIndex, MissingIndex

# An index counts where it is valid, of all rows, and begins with the column; which others it holds does not matter, but
# for the one that is read beside it. Of a type without a fixed length it is not known how long values are.
_ASKED: Final = """
SELECT EXISTS (
    SELECT 1 FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid JOIN pg_am AS m ON m.oid = x.relam
    WHERE i.indrelid = c.oid AND i.indisvalid AND i.indisready AND i.indpred IS NULL AND m.amname = 'btree'
    AND i.indkey[0] = a.attnum AND (b.attnum IS NULL OR b.attnum = ANY(CAST(i.indkey AS int2[])))),
  CAST(a.attlen AS int), CAST(b.attlen AS int)
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = $3 AND NOT a.attisdropped
LEFT JOIN pg_attribute AS b ON b.attrelid = c.oid AND b.attname = $4 AND NOT b.attisdropped
WHERE n.nspname = $1 AND c.relname = $2"""
_HEADER, _POINTER, _ALIGNED, _FILLED = 8, 4, 8, 0.9
_OPEN_LENGTH: Final = 24  # bytes, about, of a text


async def read_missing(
    connection: Any, tables: Mapping[str, EngineTable], wanted: Collection[LinkIndex]
) -> tuple[MissingIndex, ...]:
    """The indexes of `wanted` that none is like, with the statements that make them."""
    found = []
    for each in wanted:
        place = tables[each.table].place or ("public", each.table)
        there, *lengths = await connection.fetchrow(_ASKED, *place, each.column, each.beside)
        if not there:
            found.append(MissingIndex(each.table, _statement(place, each), _row_bytes(lengths)))
    return tuple(found)


def _statement(place: tuple[str, str], index: LinkIndex) -> str:
    beside = f" INCLUDE ({_quoted(index.beside)})" if index.beside else ""
    return f"CREATE INDEX ON {'.'.join(map(_quoted, place))} ({_quoted(index.column)}){beside}"


def _row_bytes(lengths: Collection[int | None]) -> float:
    values = sum(length if length > 0 else _OPEN_LENGTH for length in lengths if length is not None)
    return (_HEADER + -(-values // _ALIGNED) * _ALIGNED + _POINTER) / _FILLED


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
