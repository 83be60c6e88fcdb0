"""VALUES of constants: rows that belong to nobody."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.families import common, family
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.held import Held
from dpproxy.rewrite.checker.relations import ColumnFact, Relation
from dpproxy.rewrite.checker.scope import CheckContext
from dpproxy.rewrite.checker.syntax import integer
from dpproxy.rewrite.checker.total import Total
from dpproxy.rewrite.checker.total_logic import either

_NAME = re.compile(r"c\d+")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_PARTS = (exp.Literal, exp.Null, exp.Boolean, exp.Neg, exp.Cast, exp.DataType, exp.DataTypeParam)


def read_constants(values: exp.Expr, context: CheckContext) -> Relation:
    """(VALUES (…), …) AS v0(c0, …).

    Claim: if nothing is raised, its rows are written in the text. Because: each item is a literal, or NULL, with signs
    and casts around it. Checked by: tests/test_checker.py.
    """
    names = [column.name for column in values.args["alias"].columns] if values.args.get("alias") else []
    require(names and len(set(names)) == len(names) and all(map(_NAME.fullmatch, names)), "VALUES without names")
    rows = [_row(row) for row in values.expressions]
    require(rows and all(len(row) == len(names) for row in rows), "rows of VALUES that are not as wide as its names")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    facts = {name: ColumnFact(_family(items, context), held=_held(items, context)) for name, items in columns.items()}
    unique = [(name,) for name, items in columns.items() if _are_distinct(items, facts[name].family)]
    return Relation(None, facts, unique=frozenset([*unique, *([()] if len(rows) == 1 else [])]))


def _row(row: exp.Expr) -> list[exp.Expr]:
    require(type(row) is exp.Tuple, "a row of VALUES that is none")
    for item in row.expressions:
        for part in item.walk():
            if type(part) not in _PARTS:
                raise CheckFault(f"{type(part).__name__} inside VALUES")
    return list(row.expressions)


def _family(items: Sequence[exp.Expr], context: CheckContext) -> Family | None:
    found = [family(item, lambda _: None, context.engine) for item in items]
    first = found[0]
    for other in found[1:]:
        first = common(first, other)
    return first


def _held(items: Sequence[exp.Expr], context: CheckContext) -> Held:
    at = Total(lambda _: None, context.engine)
    found = at(items[0])
    for item in items[1:]:
        found = either(found, at(item), at)
    return replace(found, written=False)


def _are_distinct(items: Sequence[exp.Expr], of: Family | None) -> bool:
    """Whether the column's values are proved to be none NULL, and no two of them equal."""
    written = [_written(item, of) for item in items]
    return None not in written and len(set(written)) == len(written)


def _written(item: exp.Expr, of: Family | None) -> int | str | None:
    """A value that equals another just where what is written is the same; None where that is not certain."""
    plain = type(item) is exp.Cast and not item.to.expressions  # varchar(1) of 'ab' and of 'ac' are one
    inner = item.this if plain else item
    text = inner.name if type(inner) is exp.Literal and inner.is_string else None
    match of:
        case Family.INTEGER:
            return integer(inner)
        case Family.TEXT:
            return text
        case Family.DATE:
            return text if text is not None and _DAY.fullmatch(text) else None
        case _:
            return None
