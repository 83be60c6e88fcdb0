"""One source in FROM: a table of the policy, constants, a derived table, arrays of an earlier release."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from math import prod

from sqlglot import exp

from dpproxy.catalog.policy import Table
from dpproxy.catalog.types import Family
from dpproxy.plan.private_plan import Literals, Release
from dpproxy.plan.work import Factor
from dpproxy.remembered import remembered
from dpproxy.rewrite.checker.engines import facts_of
from dpproxy.rewrite.checker.families import family, of_type
from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.syntax import integer
from dpproxy.rewrite.checker.tables import is_public, table_of
from dpproxy.rewrite.work.counted import (
    ONE_ROW,
    Cell,
    Counted,
    Outer,
    Unique,
    WorkContext,
    given,
    is_correlated,
    no_sets,
    none_twice,
    own_row,
)
from dpproxy.rewrite.work.weights import SCANNED

# Keys of a release that are read from data: the front takes no more rows of one answer.
MOST_KEYS = 10_000
# Rows of a public table whose size nobody knows: more than any statement may meet.
UNKNOWN = 1 << 62
# What factors are called that have no name of their own.
RELEASED_ROWS = "an aggregate of private rows"
_NAME = re.compile(r"([rt])(\d+)c(\d+)(?:k\d+v\d+)?")


def read_source(node: exp.Expr, outer: Outer, context: WorkContext) -> Counted:
    """What is counted of a source's rows."""
    if type(node) is exp.Table and not node.db and node.name in context.shared:
        return context.shared[node.name]
    if type(node) is exp.Table:
        return _table(table_of(node, context.catalog))
    if type(node) is exp.Values:
        return _constants(node, context)
    if type(node) is not exp.Subquery:
        raise CheckFault(f"the work of {type(node).__name__} is not known")
    # A private one sees nothing of what is around it, and public rows that are there once meet no private ones here.
    if is_correlated(node.this, outer) and is_public(node.this, context.catalog):
        return context.query(node.this, outer, context)
    found = context.query(node.this, {}, context)
    public = not found.private and is_public(node.this, context.catalog)
    return replace(found, widest=()) if public else found


def listed(rows: int) -> str:
    """What a list of constants is called."""
    return f"a list of {rows:,} rows"


@remembered(256)
def _table(table: Table) -> Counted:
    rows = table.max_unit_rows if not table.public else UNKNOWN if table.size is None else max(1, table.size)
    keys = {column.name for column in table.columns if not table.public and column.name == table.unit_key}
    columns = {
        column.name: Cell(1, column.type.family, column.name in keys, no_sets if column.name in keys else own_row)
        for column in table.columns
    }
    unique: Unique = frozenset().union(*(none_twice(names, columns) for names in table.unique))
    return Counted(
        not table.public,
        rows,
        columns,
        () if not table.public else (Factor(table.name, rows),),
        (),
        rows * SCANNED,
        0 if table.public else rows,
        0 if table.public else 1,
        rows if table.public else table.max_rows,
        (rows if table.public else table.max_rows) * SCANNED,
        0 if table.public else table.max_rows,
        given(unique if rows > 1 else ONE_ROW),
    )


def _constants(values: exp.Expr, context: WorkContext) -> Counted:
    names, rows = [column.name for column in values.args["alias"].columns], values.expressions
    items = {name: [row.expressions[at] for row in rows] for at, name in enumerate(names)}
    columns = {name: Cell(1, _common(each, context)) for name, each in items.items()}
    unique = [frozenset([name]) for name, each in items.items() if _are_distinct(each)]
    factor = Factor(listed(len(rows)), len(rows))
    distinct = given(frozenset(unique) if len(rows) > 1 else ONE_ROW)
    work = len(rows) * SCANNED
    return Counted(False, len(rows), columns, (factor,), work=work, all_rows=len(rows), unique=distinct)


def _common(items: list[exp.Expr], context: WorkContext) -> Family | None:
    engine = facts_of(context.dialect)
    found = {family(item, lambda _: None, engine) for item in items}
    return found.pop() if len(found) == 1 else None


def _are_distinct(items: list[exp.Expr]) -> bool:
    """Whether no two are equal: whole numbers, or texts, of one type, that are written differently."""
    found = [_written(item) for item in items]
    return None not in found and len(set(found)) == len(found) and len({each[0] for each in found if each}) == 1


def _written(item: exp.Expr) -> tuple[str, str] | None:
    """Type and text of a constant; None where texts that differ could mean the same."""
    literal, type_ = (item.this, item.to.sql()) if isinstance(item, exp.Cast) else (item, "")
    whole = integer(literal)
    kept = Family.TEXT if whole is None else Family.INTEGER
    if isinstance(item, exp.Cast) and (item.to.expressions or of_type(item.to) is not kept):
        return None
    if whole is not None:
        return f"number {type_}", str(whole)
    return (f"text {type_}", literal.name) if type(literal) is exp.Literal and literal.is_string else None


def read_arrays(select: exp.Expr, context: WorkContext) -> Counted:
    """Arrays side by side: the rows of an earlier release, or of a table of the analyst's own."""
    places = {item.alias: _place(item.this) for item in select.expressions}
    kinds = {(kind, at) for kind, at, _ in places.values()}
    of_release = {kind for kind, _ in kinds} == {"r"}
    columns = {
        item.alias: Cell(1, of_type(item.this.this.to.expressions[0]), grouped=of_release)
        for item in select.expressions
    }
    found = [_factor(kind, at, context) for kind, at in sorted(kinds)]
    factor = max(found, key=lambda each: each.rows)
    unique = _released(places, columns, context) if kinds == {("r", next(iter(kinds))[1])} else frozenset()
    distinct = given(unique if factor.rows > 1 else ONE_ROW)
    work = factor.rows * SCANNED
    return Counted(False, factor.rows, columns, (factor,), work=work, all_rows=factor.rows, unique=distinct)


def _place(item: exp.Expr) -> tuple[str, int, int]:
    cast = item.this if type(item) is exp.Explode else None
    found = _NAME.fullmatch(cast.this.name) if type(cast) is exp.Cast else None
    if found is None:
        raise CheckFault("the work of an array that is of no release is not known")
    return found[1], int(found[2]), int(found[3])


def _factor(kind: str, at: int, context: WorkContext) -> Factor:
    if at >= len(context.releases if kind == "r" else context.tables):
        raise CheckFault("an array of no release before this one, and of no own table")
    if kind == "t":
        return Factor(str(context.tables[at]), max(1, context.tables[at].rows))
    return Factor(RELEASED_ROWS, _keys(context.releases[at]))


def _keys(release: Release) -> int:
    """How many rows a release has at most."""
    domains = [key.domain for key in release.bounded.keys]
    if all(isinstance(domain, Literals) for domain in domains):
        return prod(max(1, len(domain.values)) for domain in domains if isinstance(domain, Literals))
    return MOST_KEYS


def _released(places: Mapping[str, tuple[str, int, int]], columns: Mapping[str, Cell], context: WorkContext) -> Unique:
    """The keys of a release, where all are there as what they are."""
    keys = context.releases[next(iter(places.values()))[1]].bounded.keys
    names = {column: name for name, (_, _, column) in places.items()}
    held = [at for at, key in enumerate(keys) if at in names and columns[names[at]].family is key.type.family]
    return none_twice([names[at] for at in held], columns) if len(held) == len(keys) else frozenset()
