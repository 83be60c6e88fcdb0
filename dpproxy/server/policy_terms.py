"""What a configuration promises, as the ledger keeps it.

Checked by: tests/test_policy_changes.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dpproxy.config import Config
from dpproxy.config.table_sections import TableSection
from dpproxy.ledger.adoption import NEIGHBORS, PUBLIC, PolicyTerm, PolicyTerms, TermChange, TermKind, told
from dpproxy.ledger.records import EVERYONE, Reset


def policy_terms(config: Config) -> PolicyTerms:
    """Budgets and their resets, how each table's rows find their unit, and what neighbours are."""
    return PolicyTerms(config.accounting, config.privacy.data_version, tuple(_terms(config)))


def warnings(config: Config, waiting: Sequence[TermChange]) -> Iterator[str]:
    """A line for each change that is not in force, and how to confirm it."""
    for each in waiting:
        line = told(config.accounting, each)
        yield f"not in force: {line}; confirm with `dpproxy budget adopt --config {config.path}`"


def _terms(config: Config) -> Iterator[PolicyTerm]:
    for name, analyst in config.analysts.items():
        yield PolicyTerm(TermKind.ANALYST, name, analyst.reset, analyst.epsilon, analyst.delta)
    cap = config.budgets.everyone
    epsilon = None if cap is None else cap.epsilon
    yield PolicyTerm(TermKind.BUDGET, EVERYONE, Reset.NEVER.value, epsilon, *(() if cap is None else (cap.delta,)))
    for name, table in config.tables.items():
        yield PolicyTerm(TermKind.TABLE, name, _way(config, table))
    yield PolicyTerm(TermKind.NEIGHBORS, "", NEIGHBORS)


def _way(config: Config, table: TableSection) -> str:
    """How a row's unit is found; links of the tables on the way are theirs to tell."""
    if table.units:
        found = (f"{config.units[unit].table}.{config.units[unit].key}, by {c} -> {to}" for unit, c, to in table.ways)
        return " and ".join(sorted(found))
    if table.unit is None:
        return PUBLIC
    unit = config.units[table.unit]
    links = "".join(f", by {column} -> {target}" for column, target in sorted(table.link.items()))
    return f"{unit.table}.{unit.key}{links}"
