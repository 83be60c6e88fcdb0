"""A table of the policy as a relation."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dpproxy.catalog.policy import Catalog, Table, TableColumn
from dpproxy.catalog.types import Family
from dpproxy.engines.dialects import dialect_of
from dpproxy.plan.private_plan import UNCAPPED
from dpproxy.remembered import remembered
from dpproxy.rewrite import algebra
from dpproxy.rewrite.calculus.relations import Readable
from dpproxy.rewrite.expressions.facts.fact import Fact, column_fact, proved_by_type
from dpproxy.rewrite.expressions.trees.build import column_of


@remembered(256)
def scan(table: Table, dialect: str) -> Readable:
    """The relation that a scan of `table` is: private to its unit, or public. Each statement reads the same tables."""
    facts = {column.name: fact_of(column, table, dialect) for column in table.columns if not column.hidden}
    held = {name: name for name in facts}
    origins = {name: (table.name, name) for name in facts}
    tree, unique = scan_tree(table, dialect), unique_when_read(table, dialect)
    may_be_nan = dialect_of(dialect).may_be_nan
    odd = frozenset(column.name for column in table.columns if may_be_nan(column))
    if table.unit is None:
        return Readable(None, tree, facts, held, origins=origins, unique=unique, table=table.name, may_be_nan=odd)
    one_row = table.unit_key is not None and table.proves_unique(table.unit_key)
    return Readable(
        unit=table.unit,
        tree=tree,
        facts=facts,
        held=held,
        key=table.unit_key,
        key_columns=frozenset([table.unit_key] if table.unit_key else []),
        origins=origins,
        one_row=one_row,
        of_unit=frozenset(facts) if one_row else frozenset([table.unit_key] if table.unit_key else []),
        rows=table.max_rows_per_unit or UNCAPPED,
        groups=table.max_groups_per_unit or UNCAPPED,
        table=table.name,
        may_be_nan=odd,
    )


def fact_of(column: TableColumn, table: Table, dialect: str) -> Fact:
    """What is known of a column as a scan gives it."""
    fact, held = column_fact(column, not table.public), dialect_of(dialect).held(column)
    return fact if held == fact.engine else replace(fact, proved=proved_by_type(held), carrier=held)


def scan_tree(table: Table, dialect: str) -> algebra.Relation:
    """What stands in FROM: the table, or where a column has to be read in a form of its own, a derived table.

    Claim: its rows are the table's, with each column as `fact_of` says. Because: it has a plain projection of one row
    each, as the dialect's `read` gives it. Checked by: rewrite.checker and tests/test_scans.py.
    """
    read_as, reached = dialect_of(dialect).read, read_columns(table)
    reads = {column.name: read_as(column) for column in table.columns if column.name in reached}
    scanned = algebra.Scan(place_of(table))
    if not any(reads.values()):
        return scanned
    items = tuple(algebra.Item(name, column_of(name) if read is None else read) for name, read in reads.items())
    return algebra.Select(items, algebra.of(scanned))


def read_columns(table: Table) -> frozenset[str | None]:
    """Hidden columns are named nowhere, not in EXPLAIN either; keys and links, which may be hidden, are read."""
    keys = {table.unit_key, *table.primary_key, *(link.column for link in table.all_links)}
    return frozenset(column.name for column in table.columns if not column.hidden).union(keys, *table.unique)


def unique_when_read(table: Table, dialect: str) -> frozenset[tuple[str, ...]]:
    """The sets of columns that are unique as they are read, too: a numeric that becomes a double may not be."""
    held = dialect_of(dialect).held
    lossy = {each.name for each in table.columns if held(each) != each.type or _is_converted(each)}
    return frozenset(names for names in table.unique if lossy.isdisjoint(names))


def _is_converted(column: TableColumn) -> bool:
    """Whether several values of the engine may be one when it is read."""
    return column.stored is not None and column.type.family is Family.TIMESTAMP


def place_of(table: Table) -> tuple[str, ...]:
    """The parts of the table's name in the engine; an unqualified one is in the engine's default schema."""
    return tuple(table.place or table.name.split("."))


def engine_name(table: Table) -> str:
    """The table's quoted name in the engine."""
    return ".".join(quoted(part) for part in place_of(table))


def quoted(name: str) -> str:
    """A quoted identifier."""
    return exp.to_identifier(name, quoted=True).sql()


def hidden_path(table: Table, catalog: Catalog) -> tuple[tuple[str, Table, str], ...]:
    """The shortest chain of links from `table` to one that carries the unit's key: (column, parent, target) each.

    Empty if no chain of proved links leads there.
    """
    paths: list[tuple[Table, tuple[tuple[str, Table, str], ...]]] = [(table, ())]
    seen = {table.name}
    while paths:
        here, path = paths.pop(0)
        if here.unit_key is not None:
            return path
        for link in here.links:
            parent = catalog.parent(link)
            if parent.name not in seen and parent.proves_unique(link.target):
                seen.add(parent.name)
                paths.append((parent, (*path, (link.column, parent, link.target))))
    return ()
