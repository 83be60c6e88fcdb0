"""The policy as frozen data: what exists for analysts, whose rows they are, and what is known of each column.

Two kinds of words are kept apart. *Believed* ones (bounds, values, nullable) are the owner's and may cost accuracy when
wrong, never privacy. *Proved* ones (`unique`) are enforced by the engine, or were verified on this very file;
contribution bounding may lean on these alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from dpproxy.catalog.types import SqlType
from dpproxy.rows import Value


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of the policy. `bounds` and `values` are believed; `step` is the grid of its sums.

    stored: the type that it has in the engine, where a scan must cast it to `type`: an enum, a domain; None: `type`.
    """

    name: str
    type: SqlType
    nullable: bool = False
    hidden: bool = False
    bounds: tuple[Value, Value] | None = None
    values: tuple[Value, ...] | None = None
    step: Decimal | None = None
    note: str | None = None
    stored: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """`column` of this table names the one row of `table` whose `target` equals it; its unit is this row's."""

    column: str
    table: str
    target: str


@dataclass(frozen=True, slots=True)
class Unit:
    """A privacy unit: a value of `key` of `table`, wherever a table carries it."""

    name: str
    table: str
    key: str


@dataclass(frozen=True, slots=True)
class UnitWay:
    """One of several ways from a row to a unit: by `link`, whose column holds the unit's key where `key` names it."""

    unit: str
    link: Link
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the policy. `name` is `table` (schema public) or `schema.table`.

    unit: the privacy unit's name, or None for a public table.
    unit_key: the column of this table that holds the unit's key, or None where it is reached by `links` only.
    unique: sets of columns proved unique and not null.
    max_rows_per_unit, max_groups_per_unit: rows of a unit that count, and groups that it counts in; None: no cap is
    declared. Rows are 1 where the unit's key is proved unique.
    ways: where each row belongs to several units, the way to each; `unit` then names all of them, and there is neither
    a key nor a link: who does not know of ways finds none.
    determines: sets of columns whose values are of one unit wherever they stand; believed, and never leant on.
    max_unit_rows: rows of a unit that the bound of a statement's work counts; 1 where the unit's key is proved unique.
    max_rows: of a private table, rows that the bound of a statement's whole work counts.
    size: of a public table, how many rows it has at most; None: unknown, or private.
    place: schema and relation in the engine; None: it goes by `name` there, unqualified in the default schema.
    """

    name: str
    columns: tuple[TableColumn, ...]
    unit: str | None = None
    unit_key: str | None = None
    links: tuple[Link, ...] = ()
    primary_key: tuple[str, ...] = ()
    unique: frozenset[tuple[str, ...]] = frozenset()
    max_rows_per_unit: int | None = None
    max_groups_per_unit: int | None = None
    determines: tuple[tuple[str, ...], ...] = ()
    max_unit_rows: int = 100
    max_rows: int = 100_000
    size: int | None = None
    note: str | None = None
    place: tuple[str, str] | None = None
    ways: tuple[UnitWay, ...] = ()

    def __hash__(self) -> int:
        """What is kept of a table is looked up several times for each statement."""
        return hash(self.name)

    def in_zone(self, zone: str) -> Table:
        """The same where moments are shown in that time zone."""
        if {column.type.zone for column in self.columns} <= {None, zone}:
            return self
        return replace(self, columns=tuple(replace(each, type=each.type.in_zone(zone)) for each in self.columns))

    def by(self, way: UnitWay) -> Table:
        """The same as if its rows belonged to that unit alone."""
        return replace(self, unit=way.unit, unit_key=way.key, links=(way.link,), ways=())

    @property
    def by_unit(self) -> tuple[Table, ...]:
        """Itself, or as it is for each of several units."""
        return tuple(self.by(way) for way in self.ways) or (self,)

    @property
    def units(self) -> tuple[str, ...]:
        """The units that its rows belong to, each once; none of a public table."""
        if self.ways:
            return tuple(dict.fromkeys(way.unit for way in self.ways))
        return () if self.unit is None else (self.unit,)

    @property
    def all_links(self) -> tuple[Link, ...]:
        """Its links to one unit, or to several."""
        return (*self.links, *(way.link for way in self.ways))

    @property
    def public(self) -> bool:
        """Whether its rows belong to nobody and are answered exactly."""
        return self.unit is None

    @property
    def schema(self) -> str:
        """The schema's name, `public` unless the policy names one."""
        return self.name.rpartition(".")[0] or "public"

    @property
    def relation(self) -> str:
        """The table's own name, without its schema."""
        return self.name.rpartition(".")[2]

    def column(self, name: str) -> TableColumn | None:
        """The visible column of that name, or None: a hidden one does not exist."""
        return next((column for column in self.columns if column.name == name and not column.hidden), None)

    def proves_unique(self, *columns: str) -> bool:
        """Whether some proved unique set of columns lies within `columns`."""
        given = set(columns)
        return any(given.issuperset(key) for key in self.unique)


UNIT_OF_ROW = "dp_unit"
"""The column of a unit index that holds the unit's key of each row."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One link on the way from a row to its unit: `column` here equals `target` of `table`."""

    column: str
    table: str
    target: str


@dataclass(frozen=True, slots=True)
class UnitIndex:
    """A copy of a table's rows in the engine, beside each its unit's key, `UNIT_OF_ROW`: rows without a unit left out.

    place: schema and relation, by which no table of the policy goes. path: the links to the table that carries the key,
    in its column `key`. It was made by these of the very rows that the engine reads, which stay as they are.
    """

    place: tuple[str, str]
    path: tuple[Hop, ...]
    key: str


@dataclass(frozen=True, slots=True)
class Proof:
    """How the engine is asked, in the snapshot of the data, whether all that is proved of tables still is.

    sql: a query whose one value is true then. lock: a statement that goes before the snapshot, so that no name means
    another table afterwards; None where the engine's role may not.
    """

    sql: str
    lock: str | None


@dataclass(frozen=True, slots=True)
class Catalog:
    """Tables and units of a policy, by name.

    beyond: tables that may not be named, through which links of the others lead to their unit. proof: None where what
    is proved of tables cannot change. max_fanout: by how many public rows one private row may be multiplied in a
    statement. constant_time: whether the moments at which answers leave are covered, too. caps_hold: whether noise is
    made for declared caps, and what is beyond left out, also where a clip that is chosen privately would err less.
    indexes: of tables whose rows' unit is found along links, copies that hold it; nothing is known by them but sooner.
    """

    tables: Mapping[str, Table] = field(default_factory=dict)
    units: Mapping[str, Unit] = field(default_factory=dict)
    proof: Proof | None = None
    max_fanout: int = 10_000
    constant_time: bool = False
    beyond: Mapping[str, Table] = field(default_factory=dict)
    indexes: Mapping[str, UnitIndex] = field(default_factory=dict)
    caps_hold: bool = False

    def without_indexes(self) -> Catalog:
        """What gives statements their meaning: that is the same with and without indexes."""
        return replace(self, indexes={})

    def in_zone(self, zone: str) -> Catalog:
        """The same for a session in that time zone: what it calls a moment's day and hour is the session's."""
        tables = {name: table.in_zone(zone) for name, table in self.tables.items()}
        return self if tables == self.tables else replace(self, tables=tables)

    def limited_to(self, names: Collection[str]) -> Catalog:
        """The same for somebody who may name only these tables."""
        allowed = {name: table for name, table in self.tables.items() if name in names}
        return replace(self, tables=allowed, beyond={name: self.tables[name] for name in self._linked(allowed)})

    def _linked(self, allowed: Mapping[str, Table]) -> Iterator[str]:
        """The other tables that links of these lead to, and on from there."""
        seen, waiting = set(allowed), list(allowed.values())
        while waiting:
            for link in waiting.pop().all_links:
                if link.table not in seen:
                    seen.add(link.table)
                    waiting.append(self.tables[link.table])
                    yield link.table

    def parent(self, link: Link) -> Table:
        """The table that a link of one of these leads to."""
        return self.tables.get(link.table) or self.beyond[link.table]

    def table(self, schema: str | None, relation: str) -> Table | None:
        """The table that `schema.relation` names (no schema: public), or None."""
        return self.tables.get(_name(schema, relation))

    def known(self, schema: str | None, relation: str) -> Table | None:
        """The same, or the table that has that name and may not be named."""
        return self.table(schema, relation) or self.beyond.get(_name(schema, relation))


def _name(schema: str | None, relation: str) -> str:
    return relation if schema in (None, "", "public") else f"{schema}.{relation}"
