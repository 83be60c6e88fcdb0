"""DuckDB's own parse tree (json_serialize_sql) of a text, as a neutral one: SELECT, FROM, set operations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from second_reading.duckdb_values import PLACES, Tree, Values, body
from second_reading.tree import Fields, Node, Unread, known, made

_SET_OPERATIONS = {"UNION": "union", "INTERSECT": "intersect", "EXCEPT": "except"}
_JOINS = {"INNER": "inner", "LEFT": "left", "RIGHT": "right", "FULL": "full", "OUTER": "full"}
# Arguments of a join that the parser sets in every one.
_OF_EVERY_JOIN = (*PLACES, "nearest_count", "nearest_order_type", "is_implicit")


def by_duckdb(connection: duckdb.DuckDBPyConnection, sql: str) -> Node:
    """The neutral tree of the one SELECT that a text is to DuckDB. Raises Unread for a node that is not known here,
    and SyntaxError with DuckDB's message."""
    row = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
    assert row is not None
    found = json.loads(row[0])
    if found["error"]:
        raise SyntaxError(found["error_message"])
    (statement,) = found["statements"]
    fields = Fields("a statement", statement)
    fields.take("named_param_map")
    tree = _Queries().select(body(fields.take("node")))
    fields.done()
    return tree


class _Queries:
    def __init__(self) -> None:
        self._values = Values(self._query)
        self._nodes: Mapping[str, Any] = {"SELECT_NODE": self._plain, "SET_OPERATION_NODE": self._set_operation}
        self._sources: Mapping[str, Any] = {
            "BASE_TABLE": self._table,
            "SUBQUERY": self._derived,
            "JOIN": self._join,
        }

    def select(self, tree: Tree) -> Node:
        """A SELECT, VALUES, or a set operation."""
        found: Node = self._opened(tree, self._nodes, PLACES)
        return found

    def _opened(self, tree: Tree, readers: Mapping[str, Any], without: Sequence[str]) -> Node:
        kind = str(tree.get("type"))
        if kind not in readers:
            raise Unread(f"DuckDB's {kind}")
        fields = Fields(kind, tree, (*without, "type"))
        found: Node = readers[kind](fields)
        fields.done()
        return found

    def _query(self, tree: Tree) -> Node:
        fields = Fields("a subquery", tree)
        fields.only("named_param_map")
        found = self.select(body(fields.take("node")))
        fields.done()
        return found

    def _set_operation(self, fields: Fields) -> Node:
        fields.only("cte_map", {"map": []})
        word = known(_SET_OPERATIONS, fields.take("setop_type"), "a set operation") + (
            " all" if fields.take("setop_all") else ""
        )
        first, *others = (self.select(body(each)) for each in fields.each("children"))
        for other in others:  # those of one kind, put together from the left, are one node
            first = made("set operation", word, left=first, right=other)
        return first

    def _plain(self, fields: Fields) -> Node:
        shared = self._shared(fields.take("cte_map"))
        fields.only("aggregate_handling", "STANDARD_HANDLING")
        source, items = body(fields.take("from_table")), fields.each("select_list")
        if source.get("type") == "EXPRESSION_LIST":
            return self._rows(source, items)
        modifiers = self._modifiers(fields.each("modifiers"))
        return made(
            "select",
            "distinct" if "distinct" in modifiers else "",
            shared=shared,
            item=[self._item(each) for each in items],
            source=None if source.get("type") == "EMPTY" else self._source(source),
            where=self._values.optional(fields, "where_clause"),
            group=self._grouped(fields),
            having=self._values.optional(fields, "having"),
            order=modifiers.get("order", []),
            limit=modifiers.get("limit"),
            offset=modifiers.get("offset"),
        )

    def _shared(self, tree: object) -> list[Node]:
        """WITH: queries that are made once, by their names."""
        fields = Fields("a WITH", body(tree))
        found = [self._made_once(body(each)) for each in fields.each("map")]
        fields.done()
        return found

    def _made_once(self, tree: Tree) -> Node:
        fields = Fields("a shared query", body(tree.get("value")))
        fields.only("materialized", "CTE_MATERIALIZE_ALWAYS")
        found = made("shared", str(tree.get("key")), query=self.select(body(fields.take("query_node"))))
        fields.done()
        return found

    def _rows(self, source: Tree, items: Sequence[object]) -> Node:
        """VALUES, which DuckDB reads as SELECT * FROM a list of rows."""
        stars = [{name: value for name, value in body(item).items() if value and name not in PLACES} for item in items]
        if stars != [{"class": "STAR", "type": "STAR"}]:
            raise Unread("a list of rows that is not taken as a whole")
        fields = Fields("EXPRESSION_LIST", source, (*PLACES, "type"))
        fields.only("alias", "valueslist")
        rows = [made("row", value=[self._values.read(each) for each in _list(row)]) for row in fields.each("values")]
        fields.done()
        return made("values", row=rows)

    def _modifiers(self, trees: Sequence[object]) -> dict[str, Any]:
        """DISTINCT, ORDER BY, LIMIT and OFFSET."""
        found: dict[str, Any] = {}
        for tree in trees:
            fields = Fields("a modifier", body(tree))
            match fields.take("type"):
                case "DISTINCT_MODIFIER":
                    found["distinct"] = True
                case "ORDER_MODIFIER":
                    found["order"] = [self._values.ordered(each) for each in fields.each("orders")]
                case "LIMIT_MODIFIER":
                    fields.only("limit_type", "ROW_COUNT")
                    found |= {name: self._values.optional(fields, name) for name in ("limit", "offset")}
                case other:
                    raise Unread(f"DuckDB's {other}")
            fields.done()
        return found

    def _grouped(self, fields: Fields) -> list[Node]:
        """GROUP BY: all expressions together, in one set, or several sets of them."""
        found, sets = self._values.several(fields, "group_expressions"), fields.each("group_sets")
        if len(sets) > 1:
            rows = [made("row", value=[found[int(str(place))] for place in _places(each)]) for each in sets]
            return [made("grouping sets", set=rows)]
        if sets != ([list(range(len(found)))] if found else []):
            raise Unread(f"grouping sets {sets}")
        return found

    def _item(self, tree: object) -> Node:
        """An item of a SELECT; its alias is an argument of the expression."""
        found = dict(body(tree))
        alias = str(found.pop("alias", ""))
        return made("item", alias, value=self._values.read(found))

    def _source(self, tree: object) -> Node:
        return self._opened(body(tree), self._sources, _OF_EVERY_JOIN)

    def _table(self, fields: Fields) -> Node:
        schema, alias, columns = (str(fields.take("schema_name") or ""), *_alias(fields))
        return made(
            "table",
            str(fields.take("table_name")),
            schema=Node("schema", schema) if schema else None,
            alias=Node("alias", alias) if alias else None,
            column=columns,
        )

    def _derived(self, fields: Fields) -> Node:
        alias, columns = _alias(fields)
        return made("derived", alias, query=self._query(body(fields.take("subquery"))), column=columns)

    def _join(self, fields: Fields) -> Node:
        fields.only("ref_type", "REGULAR", "CROSS")
        kind = known(_JOINS, fields.take("join_type"), "a join")
        left, right = (self._source(fields.take(side)) for side in ("left", "right"))
        condition = self._values.optional(fields, "condition")
        kind = "cross" if kind == "inner" and condition is None else kind
        return made("join", kind, left=left, right=right, condition=condition)


def _alias(fields: Fields) -> tuple[str, list[Node]]:
    alias, columns = str(fields.take("alias") or ""), fields.each("column_name_alias")
    return alias, [Node("column name", str(each)) for each in columns]


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise Unread(f"no list: {value!r}")
    return value


def _places(each: object) -> list[object]:
    if not isinstance(each, list):
        raise Unread(f"a grouping set {each!r}")
    return each
