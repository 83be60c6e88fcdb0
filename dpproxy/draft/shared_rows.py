"""Tables called like people whose rows several units share: a customer's household may be one, or a kind of them.

Checked by: tests/test_init_guesses.py.
"""

from __future__ import annotations

from collections.abc import Mapping

from dpproxy.draft.names import a, identifies, is_free_text, whose
from dpproxy.draft.toml import shown
from dpproxy.draft.units import DraftUnit, Tables
from dpproxy.engines.described import DescribedTable


def may_be_shared(
    table: DescribedTable, tables: Tables, owners: Mapping[str, str], units: tuple[DraftUnit, ...]
) -> bool:
    """Whether nothing but the name says that the rows are about somebody, and rows of a unit's own table refer to them:
    TPC-DS has a table of 7,200 kinds of households. What refers to somebody, or tells who somebody is, is no such."""
    if whose(table.name) is None or any(key.table in owners for key in table.foreign_keys if key.table != table.name):
        return False
    if any(identifies(each.name) or is_free_text(each.name) for each in table.columns):
        return False
    return any(key.table == table.name for unit in units for key in tables[unit.table].foreign_keys)


def shared_by(table: DescribedTable, units: tuple[DraftUnit, ...]) -> str:
    """What is to be decided, in words."""
    name, one = shown(table.name), whose(table.name) or "unit"
    units_ = ", ".join(f"{each.name}s" for each in units)
    return (
        f"{name}: by its name each row is about {a(one)}; several {units_} may refer to one. It may be public if a row"
        f" is a kind of {one}, that many have. If it is one {one}, `dpproxy init --unit {name}` protects each as a"
        " whole."
    )
