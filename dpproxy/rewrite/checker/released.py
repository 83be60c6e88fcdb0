"""What a query is told of earlier releases, and of tables of the analyst's own: named arrays, as rows of nobody."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import Family
from dpproxy.plan.private_plan import FromRelease, Key, Literals, OwnTable, Release
from dpproxy.plan.told_columns import OwnColumn, Part, PublicColumn, ReleasedColumn
from dpproxy.rewrite.checker.families import of_type
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.held import Kind
from dpproxy.rewrite.checker.held import of_type as of_written
from dpproxy.rewrite.checker.nodes import COIN, PARAMETERS, checked_text
from dpproxy.rewrite.checker.recursion import check_recursion
from dpproxy.rewrite.checker.relations import ColumnFact, Relation
from dpproxy.rewrite.checker.scope import CheckContext
from dpproxy.rewrite.checker.syntax import named, only

_NUMBER = r"(0|[1-9]\d*)"
_NAME = re.compile(rf"r{_NUMBER}c{_NUMBER}(?:k{_NUMBER}v{_NUMBER})?|t{_NUMBER}c{_NUMBER}")


def is_released(select: exp.Expr) -> bool:
    """Whether the SELECT is of arrays."""
    return any(type(item.unalias()) is exp.Explode for item in select.expressions)


def read_released(select: exp.Expr, context: CheckContext) -> Relation:
    """SELECT UNNEST(CAST($r0c0 AS t[])) AS c0, …: rows of an earlier release, or of several that stand side by side; or
    with $t0c0 those of one table of the analyst's own, of which nothing is proved.

    Raises CheckFault for other releases and tables, and for arrays that do not stand side by side.
    """
    only(select, "expressions")
    items = named(select)
    columns = {name: _column(item, context) for name, item in items.items()}
    facts = {name: _fact(item.this.to.expressions[0], context) for name, item in items.items()}
    released = {name: column for name, column in columns.items() if isinstance(column, ReleasedColumn)}
    tables = {column.table for column in columns.values() if isinstance(column, OwnColumn)}
    require(len(tables) <= 1 and not (tables and released), "columns of several tables side by side")
    if tables:
        return Relation(None, facts)
    check_aligned({column.release for column in released.values()}, context.releases)
    check_same_part([column.part for column in released.values()])
    first = next(iter(released.values())).release
    places = {column.column: name for name, column in released.items() if column.release == first}
    parts = {column.part.key for column in released.values() if column.part is not None}
    keys = set(range(len(context.releases[first].bounded.keys))) - parts
    held = [k for k in keys if k in places and _is_held(facts[places[k]], context.releases[first].bounded.keys[k])]
    unique = [tuple(places[key] for key in sorted(keys))] if keys <= set(held) else []
    return Relation(None, facts, unique=frozenset(unique))


def _fact(type_: exp.Expr, context: CheckContext) -> ColumnFact:
    """An element of an array: any value of its type, and NaN where a decimal may be that."""
    held = of_written(type_)
    if held is not None and held.kind is Kind.DECIMAL and context.engine.decimal_may_be_nan:
        held = replace(held, nan=True)
    return ColumnFact(of_type(type_), held=held)


def _is_held(fact: ColumnFact, key: Key) -> bool:
    """Whether the array's type tells apart what the key's does: '1' and '01' are two texts and one number. Moments, all
    in UTC, are timestamps to the engine."""
    family = key.type.family
    return fact.family is (Family.TIMESTAMP if family is Family.MOMENT else family)


def _column(item: exp.Expr, context: CheckContext) -> PublicColumn:
    cast = item.this if type(item) is exp.Explode else None
    if type(cast) is not exp.Cast or type(cast.this) not in PARAMETERS:
        raise CheckFault("an item that is no array of a release")
    require(len(cast.to.expressions) == 1, "an array of no type")
    return _checked(_named(cast.this), context)


def _named(node: exp.Expr) -> PublicColumn:
    found = _NAME.fullmatch(node.name)
    if found is None:
        raise CheckFault("a parameter that names no released column")
    index, column, *part = (int(each) for each in found.groups() if each is not None)
    if found[0].startswith("t"):
        return OwnColumn(index, column)
    return ReleasedColumn(index, column, Part(*part) if part else None)


def _checked(column: PublicColumn, context: CheckContext) -> PublicColumn:
    if isinstance(column, ReleasedColumn):
        return checked(column, context.releases)
    require(0 <= column.table < len(context.tables), "an input of no own table")
    require(0 <= column.column < len(context.tables[column.table].columns), "an input of no column")
    return column


def check_tables(tables: Sequence[OwnTable], catalog: Catalog) -> None:
    """Claim: if nothing is raised, what the plan is told of the analyst's own tables is public.

    Because: none of them is a table of the policy, and no other table of the front holds private rows: all that can be
    read there under the analyst's role is what the analyst could write into the statement as constants. A recursive
    query is one of such tables, and of public ones.
    Checked by: tests/test_checker.py.
    """
    for table in tables:
        if table.query is not None:
            check_recursion(table.query, catalog)
        require(catalog.known(table.schema, table.name) is None, f"{table} is a table of the policy")
        require(table.schema not in ("", "dp"), f"{table} is no table of the analyst's own")


def checked(column: ReleasedColumn, releases: Sequence[Release]) -> ReleasedColumn:
    """The same column. Raises CheckFault where it is of none of the releases."""
    require(0 <= column.release < len(releases), "an input of no release before this one")
    release = releases[column.release]
    width = len(release.bounded.keys) + len(release.outputs)
    require(0 <= column.column < width, "an input of no column")
    if column.part is not None:
        _check_part(column.part, release.bounded.keys)
    return column


def _check_part(part: Part, keys: Sequence[Key]) -> None:
    """Each combination of the other keys has one row in the part, in the same order in each."""
    require(0 <= part.key < len(keys), "a part by no key")
    domain = keys[part.key].domain
    require(isinstance(domain, Literals) and part.number in domain.values, "a part by no number of a known key")


def check_same_part(parts: Sequence[Part | None]) -> None:
    """Raises CheckFault where columns side by side are not of parts by one key, or of all rows."""
    require(len({None if part is None else part.key for part in parts}) <= 1, "columns of other parts of the rows")


def check_inputs(sql: str, inputs: Sequence[PublicColumn], context: CheckContext) -> None:
    """Claim: if nothing is raised, the text is told `inputs` and nothing else, each a column of an earlier release or
    of a table of the analyst's own; but for the secret of its sample, which stands in coins alone.

    Because: its parameters name just those. Checked by: tests/test_checker_dag.py.
    """
    told = checked_text(sql, context.engine.name).parameters
    used = {_named(node) for node in told if context.sample is None or node.name != COIN}
    require(used == set(inputs) and len(set(inputs)) == len(inputs), "the inputs are not those that the text reads")
    for column in inputs:
        _checked(column, context)


def check_aligned(indices: Iterable[int], releases: Sequence[Release]) -> None:
    """Raises CheckFault where the releases' rows do not stand side by side: for each key the same place in each.

    They do where the keys of one are those that the other answered with, or all have the same keys, which no mechanism
    tells.
    """
    roots = {_root(index, releases) for index in indices}
    domains = {tuple((key.type, key.domain) for key in releases[root].bounded.keys) for root in roots}
    told = any(each.mechanism.tells_keys for root in roots for each in releases[root].mechanisms)
    require(len(roots) == 1 or (len(domains) == 1 and not told), "columns of releases whose rows differ")


def _root(index: int, releases: Sequence[Release]) -> int:
    """The release whose keys are the first of those that the release's keys are taken from."""
    domains = [key.domain for key in releases[index].bounded.keys]
    earlier = [domain.release for domain in domains if isinstance(domain, FromRelease)]
    return _root(earlier[0], releases) if earlier else index
