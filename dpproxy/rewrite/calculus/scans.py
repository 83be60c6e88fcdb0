"""A table of the policy as a relation."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.model import Catalog, Table
from dpproxy.rewrite.calculus.relations import Readable
from dpproxy.rewrite.expressions.fact import column_fact


def scan(table: Table) -> Readable:
    """The relation that a scan of `table` is: private to its unit, or public."""
    facts = {column.name: column_fact(column, not table.public) for column in table.columns if not column.hidden}
    held = {name: name for name in facts}
    origins = {name: (table.name, name) for name in facts}
    if table.unit is None:
        return Readable(unit=None, sql=engine_name(table), facts=facts, held=held, origins=origins, unique=table.unique)
    one_row = table.unit_key is not None and table.proves_unique(table.unit_key)
    return Readable(
        unit=table.unit,
        sql=engine_name(table),
        facts=facts,
        held=held,
        key=table.unit_key,
        key_columns=frozenset([table.unit_key] if table.unit_key else []),
        origins=origins,
        one_row=one_row,
        of_unit=frozenset(facts) if one_row else frozenset([table.unit_key] if table.unit_key else []),
        rows=table.max_rows_per_unit,
        groups=table.max_groups_per_unit,
    )


def engine_name(table: Table) -> str:
    """The table's quoted name in the engine; an unqualified one is in the engine's default schema."""
    return ".".join(quoted(part) for part in table.name.split("."))


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
            parent = catalog.tables[link.table]
            if parent.name not in seen and parent.proves_unique(link.target):
                seen.add(parent.name)
                paths.append((parent, (*path, (link.column, parent, link.target))))
    return ()
