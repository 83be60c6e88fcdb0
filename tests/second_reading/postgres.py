"""Postgres's own parse tree (libpg_query) of a text, as a neutral one: SELECT, FROM, set operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpproxy.session.postgres_parser import parse
from second_reading.postgres_values import PLACES, Tree, Values, inner, opened, word
from second_reading.tree import Fields, Node, Unread, grouping, known, made

_SET_OPERATIONS = {"SETOP_UNION": "union", "SETOP_INTERSECT": "intersect", "SETOP_EXCEPT": "except"}
_JOINS = {"JOIN_INNER": "inner", "JOIN_LEFT": "left", "JOIN_RIGHT": "right", "JOIN_FULL": "full"}


def by_postgres(sql: str, inputs: Sequence[str] = ()) -> Node:
    """The neutral tree of the one SELECT that a text is to Postgres; `inputs` names its parameters `$1`, `$2` ….

    Raises Unread for a node that is not known here, and what `session.postgres_parser.parse` does.
    """
    (statement,) = parse(sql)
    if statement.kind != "SelectStmt":
        raise Unread(f"Postgres's {statement.kind}")
    return _Queries(inputs).select(statement.body)


class _Queries:
    def __init__(self, inputs: Sequence[str]) -> None:
        self._values = Values(inputs, self._query)
        self._sources: Mapping[str, Any] = {
            "RangeVar": self._table,
            "RangeSubselect": self._derived,
            "JoinExpr": self._join,
        }

    def _query(self, tree: Tree) -> Node:
        ((kind, body),) = tree.items()
        if kind != "SelectStmt":
            raise Unread(f"{kind} as a query")
        return self.select(body)

    def select(self, body: Tree) -> Node:
        """A SELECT, VALUES, or a set operation."""
        fields = Fields("SelectStmt", body, PLACES)
        operation = str(fields.take("op"))
        found = self._plain(fields) if operation == "SETOP_NONE" else self._set_operation(operation, fields)
        fields.done()
        return found

    def _set_operation(self, operation: str, fields: Fields) -> Node:
        fields.only("limitOption", "LIMIT_OPTION_DEFAULT")
        word_ = known(_SET_OPERATIONS, operation, "a set operation") + (" all" if fields.take("all") else "")
        left, right = (self.select(_body(fields.take(side))) for side in ("larg", "rarg"))
        return made("set operation", word_, left=left, right=right)

    def _plain(self, fields: Fields) -> Node:
        values = self._values
        fields.only("limitOption", "LIMIT_OPTION_DEFAULT", "LIMIT_OPTION_COUNT")
        if rows := fields.each("valuesLists"):
            return made("values", row=[self._row(each) for each in rows])
        distinct = fields.take("distinctClause")
        if distinct not in (None, [{}]):
            raise Unread("DISTINCT ON")
        return made(
            "select",
            "distinct" if distinct else "",
            item=[self._item(each) for each in fields.each("targetList")],
            source=self._from(fields.each("fromClause")),
            where=self._one(fields, "whereClause"),
            group=grouping([self._grouped(each) for each in fields.each("groupClause")]),
            having=self._one(fields, "havingClause"),
            order=[values.ordered(each) for each in fields.each("sortClause")],
            limit=self._one(fields, "limitCount"),
            offset=self._one(fields, "limitOffset"),
        )

    def _grouped(self, tree: object) -> Node:
        """A column of GROUP BY, or its grouping sets; of one column a set stands in parentheses, which are gone."""
        kind, fields = opened(tree)
        if kind != "GroupingSet":
            return self._values.read(tree)
        fields.only("kind", "GROUPING_SET_SETS")
        found = made("grouping sets", set=[self._set(each) for each in fields.each("content")])
        fields.done()
        return found

    def _set(self, tree: object) -> Node:
        kind, fields = opened(tree)
        if kind != "RowExpr":
            return made("row", value=[self._values.read(tree)])
        fields.only("row_format", "COERCE_IMPLICIT_CAST")
        found = made("row", value=self._values.several(fields, "args"))
        fields.done()
        return found

    def _one(self, fields: Fields, name: str) -> Node | None:
        tree = fields.take(name)
        return None if tree is None else self._values.read(tree)

    def _row(self, tree: object) -> Node:
        fields = inner(tree, "List")
        found = made("row", value=self._values.several(fields, "items"))
        fields.done()
        return found

    def _item(self, tree: object) -> Node:
        fields = inner(tree, "ResTarget")
        found = made("item", str(fields.take("name") or ""), value=self._values.read(fields.take("val")))
        fields.done()
        return found

    def _from(self, trees: Sequence[object]) -> Node | None:
        """What stands between commas is put together from the left, each as a whole."""
        found: Node | None = None
        for tree in trees:
            source = self._source(tree)
            found = source if found is None else made("join", "cross", left=found, right=source)
        return found

    def _source(self, tree: object) -> Node:
        kind, fields = opened(tree)
        if kind not in self._sources:
            raise Unread(f"Postgres's {kind}")
        found: Node = self._sources[kind](fields)
        fields.done()
        return found

    def _table(self, fields: Fields) -> Node:
        if fields.take("inh") is not True:  # the tree of ONLY has no such field: what is false is left out
            raise Unread("ONLY")
        fields.only("relpersistence", "p")
        schema, (alias, columns) = fields.take("schemaname"), _alias(fields.take("alias"))
        return made(
            "table",
            str(fields.take("relname")),
            schema=None if schema is None else Node("schema", str(schema)),
            alias=Node("alias", alias) if alias else None,
            column=columns,
        )

    def _derived(self, fields: Fields) -> Node:
        alias, columns = _alias(fields.take("alias"))
        return made("derived", alias, query=self._query(_body(fields.take("subquery"))), column=columns)

    def _join(self, fields: Fields) -> Node:
        kind = known(_JOINS, fields.take("jointype"), "a join")
        left, right = (self._source(fields.take(side)) for side in ("larg", "rarg"))
        condition = self._one(fields, "quals")
        kind = "cross" if kind == "inner" and condition is None else kind
        return made("join", kind, left=left, right=right, condition=condition)


def _alias(tree: object) -> tuple[str, list[Node]]:
    if tree is None:
        return "", []
    fields = Fields("Alias", _body(tree), PLACES)
    alias, columns = (
        str(fields.take("aliasname")),
        [Node("column name", word(each)) for each in fields.each("colnames")],
    )
    fields.done()
    return alias, columns


def _body(tree: object) -> Tree:
    if not isinstance(tree, dict):
        raise Unread(f"no node: {tree!r}")
    return tree
