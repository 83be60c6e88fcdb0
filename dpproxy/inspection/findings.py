"""What was seen, as lines for the owner: where the policy is wrong, what follows, and what to write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from dpproxy.catalog.policy import Catalog, Table
from dpproxy.catalog.types import Family
from dpproxy.config.faults import shown
from dpproxy.engines.providers import Provider
from dpproxy.inspection.key_rows import KeySeen
from dpproxy.inspection.table_rows import Doubtful, TableSeen
from dpproxy.keys import KeyGuarantee


def key_finding(seen: KeySeen, kept: KeyGuarantee, engine: Provider) -> str:
    """What a key's rows come to."""
    name = f"({', '.join(seen.columns)}) of {seen.table}"
    wrong = []
    if seen.missing:
        wrong.append(f"{_many(seen.missing, 'row has', 'rows have')} NULL in it")
    if seen.repeated:
        wrong.append(f"{_many(seen.repeated, 'key is', 'keys are')} there more than once")
    if wrong:
        return f"{name} is not unique and not null: {' and '.join(wrong)}; claim a key that is, or none"
    match kept:
        case KeyGuarantee.CONSTRAINT:
            return f"{name} is unique and not null, kept so by a constraint"
        case KeyGuarantee.RECORD | KeyGuarantee.NOTHING if not engine.keeps_keys:
            return f"{name} is unique and not null now, and is not believed to be: the engine keeps no keys"
        case KeyGuarantee.RECORD | KeyGuarantee.NOTHING if not seen.held:
            return (
                f"{name} is unique and not null now, and is not believed to be: nothing keeps the files of its source"
                " as they are; load them into the DuckDB file"
            )
        case KeyGuarantee.RECORD | KeyGuarantee.NOTHING if engine.holds_rows:
            return f"{name} is unique and not null in this file"
        case KeyGuarantee.RECORD | KeyGuarantee.NOTHING:
            columns = ", ".join(seen.columns)
            return (
                f"{name} is unique and not null now, and nothing keeps it so:"
                f" ALTER TABLE {seen.table} ADD PRIMARY KEY ({columns})"
            )
        case _:
            assert_never(kept)


def table_findings(seen: TableSeen, catalog: Catalog) -> Iterator[str]:
    """Where the rows of a table are not as the policy says: a line each."""
    table = catalog.tables[seen.table].by_unit[seen.way]
    key = f"tables.{seen.table}"
    if seen.heavy:
        units, most = _many(seen.heavy, "unit has", "units have"), _many(table.max_unit_rows, "row", "rows")
        yield (
            f"{key}.max_unit_rows: {units} more than {most}"
            f" (a row of more than 1,000 bytes of text counts as several), the largest {seen.heaviest:,}: their part in"
            f" the time of a statement is not wholly hidden; write max_unit_rows = {_above(seen.heaviest)}"
        )
    if seen.rows > table.max_rows:
        yield (
            f"{key}.max_rows: there are {seen.rows:,} rows, more than {table.max_rows:,}: whether a statement that"
            f" joins them ends in time is not wholly hidden; write max_rows = {_above(seen.rows)}"
        )
    if seen.clipped and table.max_rows_per_unit is not None:
        units, most = _many(seen.clipped, "unit has", "units have"), _many(table.max_rows_per_unit, "row", "rows")
        beyond = "what is beyond does not count" if catalog.caps_hold else "such a unit is scaled down"
        yield (
            f"{key}.max_rows_per_unit: {units} more than {most}, the most {seen.most:,}: {beyond} where all of it falls"
            " into one group"
        )
    if table.unit_key is not None and seen.most == 1 and not table.unique:
        claim = f'write primary_key = ["{table.unit_key}"]'
        yield f"{key}.primary_key: each unit has one row; {claim}, and a count has the noise of one, and needs no clip"
    if seen.keyless:
        column = table.unit_key or table.links[0].column
        yield f"{key}: {_many(seen.keyless, 'row belongs', 'rows belong')} to nobody, {column} is NULL: left out"
    if seen.dangling:
        link = table.links[0]
        where = f"{link.column} -> {link.table}.{link.target}"
        yield f"{key}: {_many(seen.dangling, 'row belongs', 'rows belong')} to nobody, {where} leads to none: left out"
    for doubt in seen.doubts:
        yield f"{key}.columns.{doubt.column}.{doubt.said}: {_doubt(doubt, table, seen)}"
    for shared in seen.shared:
        values = _many(shared.values, "value is", "values are")
        yield (
            f"{key}.determines: {values} of rows of several units, in {', '.join(shared.columns)}: rows of two units"
            " are not joined there"
        )
    for each in seen.values:
        if each.absent:
            absent, verb = ", ".join(map(shown, each.absent)), "is" if len(each.absent) == 1 else "are"
            yield f"{key}.columns.{each.column}.values: {absent} {verb} in no row, and {verb} in every answer"


def _doubt(doubt: Doubtful, table: Table, seen: TableSeen) -> str:
    rows, column = _many(doubt.rows, "row", "rows"), table.column(doubt.column)
    match doubt.said:
        case "nullable":
            return f"{rows} with NULL, which no answer shows; write nullable = true"
        case "values":
            others = next((each.others for each in seen.values if each.column == doubt.column), ())
            quoted = column is not None and column.type.family is Family.TEXT
            named = [(shown(text) if quoted else text, _many(number, "row", "rows")) for text, number in others]
            told = ", ".join(f"{text} ({number})" for text, number in named)
            more = ", …" if sum(number for _, number in others) < doubt.rows else ""
            return f"{rows} with other values, which count nowhere: {told}{more}; add them, or leave values out"
        case "bounds":
            low, high = column.bounds if column is not None and column.bounds is not None else ("", "")
            return f"{rows} below {low} or above {high}: sums take them for that"
        case _:
            assert_never(doubt.said)


def _above(value: int) -> int:
    """The next power of two: analysts may see the policy's numbers, and no unit's own is among them."""
    return 1 << (value - 1).bit_length()


def _many(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"
