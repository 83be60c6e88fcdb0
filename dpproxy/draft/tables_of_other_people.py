"""Tables about other people than those whose privacy is protected: doctors beside patients, authors beside readers.

Their rows do not change with a unit's, so a policy that protects patients keeps its promise whatever it tells of
doctors. Whether it may tell them is the owner's to decide: such a table is drafted as a question, and what would say
who somebody is, or what they earn, stays hidden in it until the owner says otherwise.

Checked by: tests/test_init_others.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from dpproxy.draft.columns import Told, public, withheld_of
from dpproxy.draft.names import a, any_of, identifies, is_free_text, is_pay, whose, worker
from dpproxy.draft.toml import shown
from dpproxy.draft.units import DraftUnit, Tables
from dpproxy.engines.described import DescribedColumn, DescribedTable

# Who are customers, members or the like of somebody, and not only listed, could be a unit.
_LISTED = frozenset({"person", "company"})


def of_others(tables: Tables, owners: Mapping[str, str], units: Collection[str]) -> frozenset[str]:
    """The tables among `owners` that tell of others than a unit. units: those that are about one.

    *Claim.* None of them lists whom a unit's own rows may tell, nor who would be a unit: each lists people at work, or
    persons to whom no row of a unit's leads, or refers to such tables alone. *Because* what a unit's rows lead to may
    be the unit again, under another name. *Checked by* tests/test_init_others.py.
    """
    reached = _reached(tables, units)
    left = {name for name in owners.keys() - units if _are_others(name, name in reached)}
    before = -1
    while before != len(left):
        before = len(left)
        left = {name for name in left if _people(tables[name], owners) <= left}
    return frozenset(left)


def _are_others(name: str, reached: bool) -> bool:
    """Whether those whom a table lists by its name are no units: none, people at work, or persons far from them."""
    one = whose(name)
    return worker(name) is not None or one is None or (one in _LISTED and not reached)


def _people(table: DescribedTable, owners: Mapping[str, str]) -> set[str]:
    """The tables about somebody to which it refers, but itself."""
    return {key.table for key in table.foreign_keys if key.table in owners} - {table.name}


def _reached(tables: Tables, units: Collection[str]) -> set[str]:
    """The tables to which rows of units lead, in one step or more."""
    found, todo = set[str](), list(units)
    while todo:
        further = {key.table for key in tables[todo.pop()].foreign_keys if key.table in tables} - found
        found |= further
        todo += further
    return found


def asked_of(table: DescribedTable, owner: str, units: tuple[DraftUnit, ...], tables: Tables) -> str:
    """What is to be decided, in words. Where a unit's own rows lead to them, no policy protects both."""
    name, protected = shown(table.name), any_of(tuple(unit.name for unit in units))
    about = "as its name says" if whose(table.name) or worker(table.name) else "by what they refer to"
    second = " ".join(f"--unit {unit.table}.{unit.key}" for unit in units)
    apart = table.name not in _reached(tables, [unit.table for unit in units])
    key = table.primary_key[0] if len(table.primary_key) == 1 and apart else None
    protects = f" `dpproxy init {second} --unit {table.name}.{key}` protects each {owner}, too." if key else ""
    return (
        f"{name}: its rows are about {a(owner)}, {about}, and not about {protected}: nothing here protects them. It may"
        f" be public if analysts may know all of its rows, but for what stays hidden below.{protects}"
    )


def columns_of(table: DescribedTable) -> tuple[Told, ...]:
    """As they would be told: what tells who somebody is, what they earn or what was written of them is hidden."""
    keys = {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}
    return tuple(public(each) if each.name in keys else _told(each) for each in table.columns)


def _told(column: DescribedColumn) -> Told:
    if identifies(column.name):
        return withheld_of(public(column), "by its name it tells who somebody is")
    if is_pay(column.name):
        return withheld_of(public(column), "by its name it tells what somebody earns")
    return withheld_of(public(column), "by its name it is free text") if is_free_text(column.name) else public(column)
