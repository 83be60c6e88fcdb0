"""The expressions of DuckDB's own parse tree, as neutral nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from second_reading.tree import (
    NULL,
    Fields,
    Node,
    Unread,
    call,
    case,
    chain,
    denied,
    known,
    made,
    negative,
    number,
    operator,
)

Tree = dict[str, Any]
# What a node says of its place in the text, what it says twice, and what DuckDB made for itself.
PLACES = ("query_location", "query_location_length", "qualified_name", "export_state")
_OPERATORS = frozenset(["+", "-", "*", "/", "%", "//", "^", "**", "||", "&", ">>"])
_LIKE = {"~~": "like", "!~~": "like", "~~*": "ilike", "!~~*": "ilike", "like_escape": "like", "ilike_escape": "ilike"}
_COMPARISONS = {
    "COMPARE_EQUAL": "=",
    "COMPARE_NOTEQUAL": "<>",
    "COMPARE_LESSTHAN": "<",
    "COMPARE_LESSTHANOREQUALTO": "<=",
    "COMPARE_GREATERTHAN": ">",
    "COMPARE_GREATERTHANOREQUALTO": ">=",
    "COMPARE_DISTINCT_FROM": "is distinct from",
    "COMPARE_NOT_DISTINCT_FROM": "is not distinct from",
}
_BOUNDS = {
    "UNBOUNDED_PRECEDING": "unbounded preceding",
    "UNBOUNDED_FOLLOWING": "unbounded following",
    "CURRENT_ROW_RANGE": "current row by range",
    "CURRENT_ROW_ROWS": "current row by rows",
    "EXPR_PRECEDING_ROWS": "preceding by rows",
    "EXPR_FOLLOWING_ROWS": "following by rows",
    "EXPR_PRECEDING_RANGE": "preceding by range",
    "EXPR_FOLLOWING_RANGE": "following by range",
}
_SYNONYMS = {"INT128": "HUGEINT", "TEXT": "VARCHAR"}
_ORDERS = {"ORDER_DEFAULT": "ascending", "ASCENDING": "ascending", "DESCENDING": "descending"}
_NULLS = {"ORDER_DEFAULT": "nulls last", "NULLS FIRST": "nulls first", "NULLS LAST": "nulls last"}


class Values:
    """A reader of expressions. `query` reads a SELECT in them."""

    def __init__(self, query: Callable[[Tree], Node]) -> None:
        self._query = query
        self._readers: Mapping[str, Callable[[Fields], Node]] = {
            "STAR": self._star,
            "COLUMN_REF": self._column,
            "CONSTANT": self._constant,
            "FUNCTION": self._function,
            "CAST": self._cast,
            "COMPARISON": self._comparison,
            "CONJUNCTION": self._conjunction,
            "OPERATOR": self._operator,
            "BETWEEN": self._between,
            "CASE": self._case,
            "SUBQUERY": self._subquery,
            "WINDOW": self._window,
            "COLLATE": self._collate,
            "PARAMETER": self._parameter,
        }

    def read(self, tree: object) -> Node:
        """The neutral node. Raises Unread for a node, or an argument, that is not known, and for an alias."""
        kind, fields = opened(tree)
        if kind not in self._readers:
            raise Unread(f"DuckDB's {kind}")
        found = self._readers[kind](fields)
        fields.done()
        return found

    def several(self, fields: Fields, name: str) -> list[Node]:
        """The nodes of an argument that is a list."""
        return [self.read(each) for each in fields.each(name)]

    def optional(self, fields: Fields, name: str) -> Node | None:
        """The node of an argument that may be left out."""
        tree = fields.take(name)
        return None if tree is None else self.read(tree)

    def ordered(self, tree: object) -> Node:
        """An item of ORDER BY."""
        fields = Fields("an item of ORDER BY", body(tree), PLACES)
        direction, nulls = (
            known(_ORDERS, fields.take("type"), "an order"),
            known(_NULLS, fields.take("null_order"), "an order"),
        )
        found = made("ordered", f"{direction}, {nulls}", value=self.read(fields.take("expression")))
        fields.done()
        return found

    def _column(self, fields: Fields) -> Node:
        fields.only("type", "COLUMN_REF")
        return Node("column", ".".join(str(each) for each in fields.each("column_names")))

    def _star(self, fields: Fields) -> Node:
        fields.only("type", "STAR")
        return Node("star")

    def _constant(self, fields: Fields) -> Node:
        fields.only("type", "VALUE_CONSTANT")
        inner = Fields("a constant", body(fields.take("literal")))
        kind, text = str(inner.take("kind")), str(inner.take("text") or "")
        inner.done()
        match kind:
            case "INTEGER" | "NUMERIC":
                return number(text)
            case "STRING":
                return Node("string", text)
            case "BOOLEAN":
                return Node("boolean", text)
            case "NULL_LITERAL":
                return NULL
        raise Unread(f"a constant of kind {kind}")

    def _function(self, fields: Fields) -> Node:
        fields.only("type", "FUNCTION")
        fields.only("order_bys", {"type": "ORDER_MODIFIER", "orders": []})
        name, is_operator = str(fields.take("function_name")), fields.take("is_operator")
        arguments, distinct = self._arguments(fields), bool(fields.take("distinct"))
        if not is_operator:
            found = _interval(name, arguments) or (count() if name == "count_star" else None)
            return found or call(name, arguments, distinct)
        if name in _LIKE:
            return denied(operator(_LIKE[name], *arguments), name.startswith("!"))
        if name not in _OPERATORS:
            raise Unread(f"DuckDB's operator {name}")
        return negative(arguments[0]) if len(arguments) == 1 and name == "-" else operator(name, *arguments)

    def _arguments(self, fields: Fields) -> list[Node]:
        """The arguments of a call, none of which has a name."""
        found = []
        for each in fields.each("arguments"):
            inner = Fields("an argument", body(each))
            found.append(self.read(inner.take("expression")))
            inner.done()
        return found

    def _cast(self, fields: Fields) -> Node:
        fields.only("type", "OPERATOR_CAST")
        word, value = "try cast" if fields.take("try_cast") else "cast", self.read(fields.take("child"))
        type_, modifiers = self._type(fields.take("type_expr"))
        return made(word, type_, value=value, modifier=modifiers)

    def _type(self, tree: object) -> tuple[str, list[Node]]:
        kind, fields = opened(tree)
        fields.only("type", "TYPE")
        name, children = str(fields.take("type_name")), fields.each("children")
        fields.done()
        if kind != "TYPE":
            raise Unread(f"{kind} as a type")
        if name != "list":
            return _SYNONYMS.get(name.upper(), name.upper()), [self.read(each) for each in children]
        (element,) = children
        inner, modifiers = self._type(element)
        return f"{inner}[]", modifiers

    def _comparison(self, fields: Fields) -> Node:
        word = known(_COMPARISONS, fields.take("type"), "a comparison")
        return operator(word, self.read(fields.take("left")), self.read(fields.take("right")))

    def _conjunction(self, fields: Fields) -> Node:
        word = known({"CONJUNCTION_AND": "and", "CONJUNCTION_OR": "or"}, fields.take("type"), "a conjunction")
        return chain(word, self.several(fields, "children"))

    def _operator(self, fields: Fields) -> Node:
        kind, operands = str(fields.take("type")), self.several(fields, "children")
        match kind:
            case "OPERATOR_NOT":
                return denied(*operands)
            case "OPERATOR_IS_NULL" | "OPERATOR_IS_NOT_NULL":
                return denied(operator("is null", *operands), kind == "OPERATOR_IS_NOT_NULL")
            case "COMPARE_IN" | "COMPARE_NOT_IN":
                return denied(operator("in", *operands), kind == "COMPARE_NOT_IN")
            case "OPERATOR_COALESCE":
                return call("coalesce", operands)
            case "ARRAY_EXTRACT":
                return _first_of(*operands)
        raise Unread(f"DuckDB's {kind}")

    def _between(self, fields: Fields) -> Node:
        fields.only("type", "COMPARE_BETWEEN")
        return operator("between", *(self.read(fields.take(part)) for part in ("input", "lower", "upper")))

    def _case(self, fields: Fields) -> Node:
        fields.only("type", "CASE_EXPR")
        whens = []
        for each in fields.each("case_checks"):
            branch = Fields("a branch", body(each))
            whens.append((self.read(branch.take("when_expr")), self.read(branch.take("then_expr"))))
            branch.done()
        return case(None, whens, self.read(fields.take("else_expr")))

    def _subquery(self, fields: Fields) -> Node:
        fields.only("type", "SUBQUERY")
        fields.only("comparison_type", "INVALID")
        kind, found = str(fields.take("subquery_type")), self._query(body(fields.take("subquery")))
        match kind:
            case "EXISTS":
                return made("exists", query=found)
            case "SCALAR":
                return found
        raise Unread(f"a subquery of kind {kind}")

    def _window(self, fields: Fields) -> Node:
        fields.take("type")  # the function's name says it again
        fields.only("exclude_clause", "NO_OTHER")
        name, arguments = str(fields.take("function_name")), self._arguments(fields)
        stars = name == "count" and not arguments
        function = count() if stars else call(name, arguments, bool(fields.take("distinct")))
        return made(
            "window",
            function=function,
            partition=self.several(fields, "partitions"),
            order=[self.ordered(each) for each in fields.each("orders")],
            start=self._bound(fields, "start"),
            end=self._bound(fields, "end"),
        )

    def _bound(self, fields: Fields, end: str) -> Node:
        return made("bound", known(_BOUNDS, fields.take(end), "a bound"), offset=self.optional(fields, f"{end}_expr"))

    def _collate(self, fields: Fields) -> Node:
        fields.only("type", "COLLATE")
        return made("collate", str(fields.take("collation")), value=self.read(fields.take("child")))

    def _parameter(self, fields: Fields) -> Node:
        fields.only("type", "VALUE_PARAMETER")
        return Node("parameter", str(fields.take("identifier")))


def _first_of(array: Node, place: Node) -> Node:
    """The first value of an array that the engine is told, as the query of its rows that the checker reads there."""
    if place != number("1") or array.kind != "cast" or [part.kind for _, part in array.parts] != ["parameter"]:
        raise Unread("DuckDB's ARRAY_EXTRACT")
    rows = made("select", "", item=[made("item", "z", value=call("unnest", [array]))])
    source = made("derived", "y0", query=rows)
    return made("select", "", item=[made("item", "", value=Node("column", "y0.z"))], source=source)


def count() -> Node:
    """COUNT(*)."""
    return call("count", [Node("star")])


def _interval(name: str, arguments: Sequence[Node]) -> Node | None:
    """INTERVAL '3' DAY, which DuckDB reads as to_days(CAST(trunc(CAST('3' AS DOUBLE)) AS INTEGER)), else None."""
    if not name.startswith("to_") or len(arguments) != 1:
        return None
    inner = arguments[0]
    for kind, words in (("cast", ("INTEGER", "BIGINT")), ("function", ("trunc",)), ("cast", ("DOUBLE",))):
        if inner.kind != kind or inner.word not in words or len(inner.parts) != 1:
            return _plain_interval(name, inner)
        inner = inner.parts[0][1]
    return _plain_interval(name, inner)


def _plain_interval(name: str, counted: Node) -> Node | None:
    if counted.kind == "cast" and counted.word in ("BIGINT", "DOUBLE", "INTEGER"):
        counted = counted.parts[0][1]
    return Node("interval", f"{counted.word} {name[3:].removesuffix('s')}") if counted.kind == "string" else None


def opened(tree: object) -> tuple[str, Fields]:
    """The class of a node, and its arguments."""
    found = dict(body(tree))
    kind = str(found.pop("class", None))
    return kind, Fields(kind, found, PLACES)


def body(tree: object) -> Tree:
    """A part of the tree. Raises Unread where there is none."""
    if not isinstance(tree, dict):
        raise Unread(f"no node: {tree!r}")
    return tree
