"""What must hold between the parts of a policy: names that exist, units that are carried, links that lead to them.

Rules read the sound part of a policy (`salvaged`), and beside it the plain data as `written`: where a name was written
but its section is faulty, that fault is told already and the rule is silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from dpproxy.catalog.policy_names import SYSTEM_COLUMNS, is_name
from dpproxy.catalog.schemas import OWN, is_taken
from dpproxy.catalog.types import Family
from dpproxy.config.faults import Fault, Key, nearest, shown
from dpproxy.config.field_types import exact
from dpproxy.config.sections import Policy
from dpproxy.config.table_sections import ColumnSection, TableSection, UnitSection

KEY_FAMILIES = frozenset({Family.INTEGER, Family.UUID, Family.DATE, Family.TEXT})

_KEY_TYPES = "an integer, uuid, date or text column"
_LEAST = Decimal("1e-29")
_RESERVED = frozenset({"dpproxy", "postgres", "public", "none", "information_schema", *OWN})


def rule_faults(policy: Policy, written: dict[str, Any]) -> Iterator[Fault]:
    """Every fault between the parts of `policy`; `written` is the file's plain data, with secrets."""
    for name, table in policy.tables.items():
        yield from _name_faults(name, table)
        yield from _table_faults(name, table, policy, written)
    for name, unit in policy.units.items():
        yield from _unit_faults(name, unit, policy, written)
    yield from _analyst_faults(written)
    yield from _reset_faults(policy)
    yield from _delta_faults(written)


def link_target(link: str) -> tuple[str, str]:
    """The table and the column that `table.column` or `schema.table.column` names."""
    table, _, column = link.rpartition(".")
    return table, column


def _name_faults(name: str, table: TableSection) -> Iterator[Fault]:
    schema, _, relation = name.rpartition(".")
    if schema == "public":
        yield Fault(("tables", name), "names the default schema", f"[tables.{relation}]")
    if not is_name(relation) or "." in schema or (schema and not is_name(schema)):
        yield Fault(("tables", name), "is no table's name", '"table" or "schema.table", each of 1 to 63 bytes')
    if is_taken(schema):
        yield Fault(("tables", name), f"the schema {schema} is the front's own", "another schema")
    for column in table.columns:
        if not is_name(column) or column in SYSTEM_COLUMNS:
            expected = "1 to 63 bytes, and none of Postgres's system columns"
            yield Fault(("tables", name, "columns", column), "is no column's name", expected)


def _table_faults(name: str, table: TableSection, policy: Policy, written: dict[str, Any]) -> Iterator[Fault]:
    key: Key = ("tables", name)
    columns = _members(written, "tables", name, "columns")
    if table.columns or not table.public:
        for place, column in enumerate(table.primary_key):
            if column not in columns:
                wrong = f"{name} has no column {shown(column)}"
                yield Fault((*key, "primary_key", place), wrong, nearest(column, columns))
    if len(set(table.primary_key)) != len(table.primary_key):
        yield Fault((*key, "primary_key"), "names a column twice", "each column once")
    if table.source is not None and "." in name:
        yield Fault(
            (*key, "source"), "is of a table in a schema, and files are in none", f"[tables.{name.rpartition('.')[2]}]"
        )
    if table.public:
        yield from _public_faults(key, table)
    else:
        yield from _private_faults(name, table, policy, written)


def _public_faults(key: Key, table: TableSection) -> Iterator[Fault]:
    for part in (
        "unit",
        "link",
        "units",
        "max_rows_per_unit",
        "max_groups_per_unit",
        "determines",
        "max_unit_rows",
        "max_rows",
    ):
        if part in table.model_fields_set:
            yield Fault((*key, part), "belongs to private tables, and this one is public", f"public = true or {part}")


def _private_faults(name: str, table: TableSection, policy: Policy, written: dict[str, Any]) -> Iterator[Fault]:
    key: Key = ("tables", name)
    units = _members(written, "units")
    if table.units:
        yield from _several_faults(name, table, policy, written)
    elif table.unit is None:
        yield Fault((*key, "unit"), "missing", "a unit's name, or public = true")
        return
    elif table.unit not in units:
        yield Fault((*key, "unit"), f"no unit {shown(table.unit)}", nearest(table.unit, units))
    columns = _members(written, "tables", name, "columns")
    if not columns:
        yield Fault((*key, "columns"), "missing", "the columns that analysts may use: a private table lists them")
    for place, determined in enumerate(table.determines):
        for column in determined:
            if column not in columns:
                wrong = f"{name} has no column {shown(column)}"
                yield Fault((*key, "determines", place), wrong, nearest(column, columns))
    unit = policy.units.get(table.unit or "")
    if unit is not None and not table.units and unit.table in _members(written, "tables"):
        yield from _way_faults(name, table, unit, policy, written)


def _several_faults(name: str, table: TableSection, policy: Policy, written: dict[str, Any]) -> Iterator[Fault]:
    """Faults of the ways to several units: a link each, two to one unit for two of its kind."""
    key: Key = ("tables", name, "units")
    for other in ("unit", "link"):
        if other in table.model_fields_set:
            yield Fault((*key[:2], other), "stands beside units", f"units alone: each has its link, or {other} alone")
    if len(table.ways) < 2:
        expected = 'two links: { customer = { column = "table.column" }, supplier = { … } }; or unit and link, for one'
        yield Fault(key, f"has {len(table.ways)} links", expected)
    units = _members(written, "units")
    for unit, column, link in table.ways:
        if unit not in units:
            yield Fault((*key, unit), f"no unit {shown(unit)}", nearest(unit, units))
        else:
            yield from _link_faults((*key, unit, column), name, unit, link, policy, written)


def _way_faults(
    name: str, table: TableSection, unit: UnitSection, policy: Policy, written: dict[str, Any]
) -> Iterator[Fault]:
    """Faults of the table's way to the unit's key: its own column, or one link."""
    key: Key = ("tables", name, "link")
    if unit.table == name and table.link:
        yield Fault(key, f"this is the unit's own table, its key is {unit.key}", "no link")
    elif unit.table != name and not _members(written, *map(str, key)):
        yield Fault(key, "missing", f'{{ column = "{unit.table}.{unit.key}" }} or a link to a table that leads there')
    elif len(table.link) > 1:
        yield Fault(key, f"has {len(table.link)} columns", "one: a row belongs to exactly one unit")
    elif table.link and _circles(name, unit, policy):
        yield Fault(key, "leads round in a circle", f"a chain of links that ends at {unit.table}")
    for column, target in table.link.items():
        yield from _link_faults((*key, column), name, table.unit, target, policy, written)


def _link_faults(
    key: Key, name: str, unit: str | None, link: str, policy: Policy, written: dict[str, Any]
) -> Iterator[Fault]:
    """key: where the link is written, the last part its column. unit: whose key it leads to."""
    column, (table, target) = str(key[-1]), link_target(link)
    columns, tables = _members(written, "tables", name, "columns"), _members(written, "tables")
    targets = _members(written, "tables", table, "columns")
    if column not in columns:
        yield Fault(key, f"{name} has no column {shown(column)}", nearest(column, columns))
    elif not table:
        yield Fault(key, f"is {shown(link)}", '"table.column"')
    elif table not in tables:
        yield Fault(key, f"no table {shown(table)}", nearest(table, tables))
    elif foreign := _foreign(policy.tables.get(table), unit, policy):
        yield Fault(key, f"leads to {foreign}", f"a link to a table of the unit {unit}")
    elif target not in targets:
        yield Fault(key, f"{table} has no column {shown(target)}", nearest(target, targets))
    elif table in policy.tables:
        ends = policy.tables[name].columns.get(column), policy.tables[table].columns.get(target)
        yield from _type_faults(key, *ends)


def _foreign(there: TableSection | None, unit: str | None, policy: Policy) -> str | None:
    """In words, whose rows the target of a link has where they are not of `unit`."""
    if there is not None and there.public:
        return "a public table"
    if there is not None and there.units:
        return "a table of several units"
    return there.unit if there is not None and there.unit in policy.units and there.unit != unit else None


def _type_faults(key: Key, column: ColumnSection | None, target: ColumnSection | None) -> Iterator[Fault]:
    if column is None or target is None:
        return
    if column.type != target.type:
        yield Fault(key, f"links {column.type} to {target.type}", "the same type at both ends")
    elif column.type.family not in KEY_FAMILIES:
        yield Fault(key, f"is a link of {column.type}", _KEY_TYPES)


def _circles(name: str, unit: UnitSection, policy: Policy) -> bool:
    """Whether following links from `name` comes back to a table that was seen, before it is at the unit's own."""
    seen: set[str] = set()
    while name in policy.tables and name not in (unit.table, *seen):
        seen.add(name)
        name = next((link_target(link)[0] for link in policy.tables[name].link.values()), "")
    return name in seen


def _unit_faults(name: str, unit: UnitSection, policy: Policy, written: dict[str, Any]) -> Iterator[Fault]:
    key: Key = ("units", name)
    tables, columns = _members(written, "tables"), _members(written, "tables", unit.table, "columns")
    table = policy.tables.get(unit.table)
    if unit.table not in tables:
        yield Fault((*key, "table"), f"no table {shown(unit.table)}", nearest(unit.table, tables))
        return
    if table is not None and (table.public or table.units or (table.unit or name) != name):
        own = "several units" if table.units else f"the unit {table.unit}"
        wrong = f"{unit.table} is public" if table.public else f"{unit.table} is of {own}"
        yield Fault((*key, "table"), wrong, f'a table with unit = "{name}"')
    elif unit.key not in columns:
        yield Fault((*key, "key"), f"{unit.table} has no column {shown(unit.key)}", nearest(unit.key, columns))
    column = table.columns.get(unit.key) if table else None
    if column is not None and column.type.family not in KEY_FAMILIES:
        yield Fault((*key, "key"), f"is of type {column.type}", _KEY_TYPES)


def _analyst_faults(written: dict[str, Any]) -> Iterator[Fault]:
    tables = _members(written, "tables")
    schemas = {table.rpartition(".")[0] for table in tables}
    for name in _members(written, "analysts"):
        if not re.fullmatch(r"[a-z_][a-z0-9_]{0,62}", name):
            expected = "lower-case letters, digits and _, at most 63, no digit first"
            yield Fault(("analysts", name), "is no role's name here", expected)
        elif name in _RESERVED or name.startswith("pg_"):
            yield Fault(("analysts", name), "is a reserved name", "another name")
        elif name in schemas:
            yield Fault(("analysts", name), "is also a schema of the tables, and each analyst owns one", "another name")
        yield from _login_faults(name, _section(written, "analysts", name))
        yield from _choice_faults(name, _section(written, "analysts", name).get("tables"), tables)


def _reset_faults(policy: Policy) -> Iterator[Fault]:
    """A budget that starts anew with the data's version needs one, short enough for a label of the ledger's."""
    size = len(policy.privacy.data_version.encode())
    for name, analyst in policy.analysts.items():
        if analyst.reset == "data_version" and not 1 <= size <= 200:
            wrong = "privacy.data_version is too long" if size else "there is no privacy.data_version"
            yield Fault(("analysts", name, "reset"), wrong, "a label there, of 1 to 200 bytes")


def _login_faults(name: str, analyst: dict[str, Any]) -> Iterator[Fault]:
    if ("password" in analyst) == analyst.get("trust", False):
        wrong = "given beside a password" if "password" in analyst else "no way to log in"
        yield Fault(("analysts", name, "trust"), wrong, "either a password or trust = true")


def _choice_faults(name: str, chosen: Any, tables: tuple[str, ...]) -> Iterator[Fault]:
    for place, table in enumerate(chosen if isinstance(chosen, list) else ()):
        if isinstance(table, str) and table not in tables:
            yield Fault(("analysts", name, "tables", place), f"no table {shown(table)}", nearest(table, tables))


def _delta_faults(written: dict[str, Any]) -> Iterator[Fault]:
    """zCDP has no ε at δ = 0, and no delay hides a time; below 1e-29 nothing is left on the ledger's grid."""
    accounts: list[Key] = [("analysts", name) for name in _members(written, "analysts")]
    accounts += [("budgets", "everyone")] if "everyone" in _members(written, "budgets") else []
    for key in accounts:
        delta = exact(_section(written, *map(str, key)).get("delta", 0))
        if delta is None or delta >= _LEAST:
            continue
        if _section(written, "privacy").get("accounting", "zcdp") == "zcdp":
            expected = 'a number above 0 such as 1e-6, or privacy.accounting = "pure"'
            yield Fault((*key, "delta"), f"is {delta} under zcdp accounting", expected)
        elif _section(written, "server").get("constant_time") is True:
            expected = "a number above 0 such as 1e-6, or server.constant_time = false"
            yield Fault((*key, "delta"), f"is {delta} where server.constant_time is true", expected)


def _members(written: dict[str, Any], *key: str) -> tuple[str, ...]:
    """The names in the section at `key` as written, faulty ones too."""
    return tuple(_section(written, *key))


def _section(written: dict[str, Any], *key: str) -> dict[str, Any]:
    """The section at `key` as written; an empty one where there is none."""
    found: Any = written
    for part in key:
        found = found.get(part) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}
