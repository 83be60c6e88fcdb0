"""The expressions of Postgres's own parse tree, as neutral nodes."""

from __future__ import annotations

import re
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
# What a node says of its place in the text, and not of its meaning.
PLACES = ("location", "list_start", "list_end", "rexpr_list_start", "rexpr_list_end")
_OPERATORS = frozenset(["=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "^", "||", "~"])
_INTERVAL = re.compile(r"(-?\d+) ([A-Za-z]+?)[sS]?")
# Window frames (nodes/parsenodes.h): bits of frameOptions.
_NONDEFAULT, _RANGE, _ROWS, _BETWEEN = 0x1, 0x2, 0x4, 0x10
_ENDS: Mapping[int, str] = {
    0x20: "unbounded preceding",
    0x100: "unbounded following",
    0x200: "current row",
    0x400: "current row",
    0x800: "preceding",
    0x1000: "preceding",
    0x2000: "following",
    0x4000: "following",
}
_STARTS = 0x20 | 0x200 | 0x800 | 0x2000
_STOPS = 0x100 | 0x400 | 0x1000 | 0x4000


class Values:
    """A reader of expressions. `inputs`: the names of the parameters `$1`, `$2` …; `query` reads a SELECT in them."""

    def __init__(self, inputs: Sequence[str], query: Callable[[Tree], Node]) -> None:
        self._inputs = inputs
        self._query = query
        self._readers: Mapping[str, Callable[[Fields], Node]] = {
            "A_Const": self._constant,
            "A_Expr": self._expression,
            "BoolExpr": self._boolean,
            "NullTest": self._null_test,
            "BooleanTest": self._boolean_test,
            "TypeCast": self._cast,
            "FuncCall": self._call,
            "CoalesceExpr": self._coalesce,
            "MinMaxExpr": self._least,
            "CaseExpr": self._case,
            "ColumnRef": self._column,
            "ParamRef": self._parameter,
            "SubLink": self._subquery,
            "CollateClause": self._collate,
        }

    def read(self, tree: object) -> Node:
        """The neutral node. Raises Unread for a node, or an argument, that is not known."""
        kind, fields = opened(tree)
        if kind not in self._readers:
            raise Unread(f"Postgres's {kind}")
        found = self._readers[kind](fields)
        fields.done()
        return found

    def several(self, fields: Fields, name: str) -> list[Node]:
        """The nodes of an argument that is a list."""
        return [self.read(each) for each in fields.each(name)]

    def ordered(self, tree: object) -> Node:
        """An item of ORDER BY."""
        fields = inner(tree, "SortBy")
        direction, nulls = fields.take("sortby_dir"), fields.take("sortby_nulls")
        found = self.read(fields.take("node"))
        fields.done()
        descending = known(_DESCENDING, direction, "an order")
        first = known({**_FIRST, "SORTBY_NULLS_DEFAULT": descending}, nulls, "an order")
        words = "descending" if descending else "ascending", "nulls first" if first else "nulls last"
        return made("ordered", ", ".join(words), value=found)

    def _constant(self, fields: Fields) -> Node:
        if fields.take("isnull"):
            return NULL
        for kind, field, form in _CONSTANTS:
            found = fields.take(kind)
            if isinstance(found, dict):
                return form(found.get(field))
        raise Unread("a constant of no kind")

    def _expression(self, fields: Fields) -> Node:
        kind, name = str(fields.take("kind")), names(fields.each("name"))
        left, right = fields.take("lexpr"), fields.take("rexpr")
        if kind == "AEXPR_OP" and len(name) == 1 and name[0] in _OPERATORS:
            operands = [self.read(each) for each in (left, right) if each is not None]
            return negative(*operands) if (len(operands), name[0]) == (1, "-") else operator(name[0], *operands)
        if (kind, *name) not in _TESTS:
            raise Unread(f"Postgres's {kind} {name}")
        word, not_ = _TESTS[kind, *name]
        if word == "nullif":
            return call(word, [self.read(left), self.read(right)])
        return denied(operator(word, self.read(left), *self._right(word, right)), not_)

    def _right(self, word: str, tree: object) -> list[Node]:
        """What stands right of IN, BETWEEN and LIKE."""
        if word in ("in", "between"):
            fields = inner(tree, "List")
            found = self.several(fields, "items")
            fields.done()
            return found
        found = [self.read(tree)]
        escaped = word in ("like", "ilike") and (found[0].kind, found[0].word) == ("function", "like_escape")
        return [part for _, part in found[0].parts] if escaped else found

    def _boolean(self, fields: Fields) -> Node:
        word, operands = str(fields.take("boolop")), self.several(fields, "args")
        if word == "NOT_EXPR":
            (operand,) = operands
            return denied(operand)
        return chain(known({"AND_EXPR": "and", "OR_EXPR": "or"}, word, "a conjunction"), operands)

    def _null_test(self, fields: Fields) -> Node:
        really = known(_NULL_TESTS, fields.take("nulltesttype"), "a test")
        return denied(operator("is null", self.read(fields.take("arg"))), really)

    def _boolean_test(self, fields: Fields) -> Node:
        word, not_ = known(_BOOLEAN_TESTS, fields.take("booltesttype"), "a test")
        return denied(operator(word, self.read(fields.take("arg"))), not_)

    def _cast(self, fields: Fields) -> Node:
        tree, (type_, modifiers) = fields.take("arg"), self._type(fields.take("typeName"))
        value = self.read(tree)
        if (type_, value.kind, modifiers) == ("interval", "string", []):
            return _interval(value.word)
        if type_ in ("text", "text[]") and opened(tree)[0] == "ParamRef":
            return value  # a parameter goes to Postgres as an array of texts, or a text: engines.postgres.inputs
        return made("cast", type_, value=value, modifier=modifiers)

    def _type(self, tree: object) -> tuple[str, list[Node]]:
        fields = Fields("TypeName", tree if isinstance(tree, dict) else {}, PLACES)
        fields.only("typemod", -1)
        name, modifiers, bounds = (
            names(fields.each("names")),
            self.several(fields, "typmods"),
            fields.each("arrayBounds"),
        )
        fields.done()
        if bounds not in ([], [{"Integer": {"ival": -1}}]):
            raise Unread(f"an array with bounds {bounds}")
        return ".".join(name) + "[]" * len(bounds), modifiers

    def _call(self, fields: Fields) -> Node:
        fields.only("funcformat", "COERCE_EXPLICIT_CALL", "COERCE_SQL_SYNTAX")
        name, over = ".".join(names(fields.each("funcname"))), fields.take("over")
        distinct, star = bool(fields.take("agg_distinct")), fields.take("agg_star")
        found = call(name, [Node("star")] if star else self.several(fields, "args"), distinct)
        return found if over is None else self._window(found, over)

    def _window(self, function: Node, tree: object) -> Node:
        fields = Fields("WindowDef", tree if isinstance(tree, dict) else {}, PLACES)
        options, partition = fields.take("frameOptions"), self.several(fields, "partitionClause")
        order = [self.ordered(each) for each in fields.each("orderClause")]
        start = self._bound(int(str(options)), _STARTS, fields.take("startOffset"))
        end = self._bound(int(str(options)), _STOPS, fields.take("endOffset"))
        fields.done()
        return made("window", function=function, partition=partition, order=order, start=start, end=end)

    def _bound(self, options: int, those: int, offset: object) -> Node:
        kinds = {_RANGE: "range", _ROWS: "rows"}
        if options & ~(_NONDEFAULT | _BETWEEN | _STARTS | _STOPS) not in kinds:
            raise Unread(f"a frame of {options:#x}")
        kind, place = kinds[options & (_RANGE | _ROWS)], _ENDS[options & those]
        word = place if "unbounded" in place else f"{place} by {kind}"
        return made("bound", word, offset=None if offset is None else self.read(offset))

    def _coalesce(self, fields: Fields) -> Node:
        return call("coalesce", self.several(fields, "args"))

    def _least(self, fields: Fields) -> Node:
        name = known({"IS_LEAST": "least", "IS_GREATEST": "greatest"}, fields.take("op"), "a choice")
        return call(name, self.several(fields, "args"))

    def _case(self, fields: Fields) -> Node:
        operand, default = fields.take("arg"), fields.take("defresult")
        whens = []
        for each in fields.each("args"):
            branch = inner(each, "CaseWhen")
            whens.append((self.read(branch.take("expr")), self.read(branch.take("result"))))
            branch.done()
        return case(
            None if operand is None else self.read(operand), whens, None if default is None else self.read(default)
        )

    def _column(self, fields: Fields) -> Node:
        parts = fields.each("fields")
        if parts == [{"A_Star": {}}]:
            return Node("star")
        return Node("column", ".".join(word(each) for each in parts))

    def _parameter(self, fields: Fields) -> Node:
        return Node("parameter", self._inputs[int(str(fields.take("number"))) - 1])

    def _subquery(self, fields: Fields) -> Node:
        kind, query = fields.take("subLinkType"), fields.take("subselect")
        found = self._query(query if isinstance(query, dict) else {})
        if kind == "EXISTS_SUBLINK":
            return made("exists", query=found)
        if kind != "EXPR_SUBLINK":
            raise Unread(f"a subquery of kind {kind}")
        return found

    def _collate(self, fields: Fields) -> Node:
        collation = ".".join(names(fields.each("collname")))
        return made("collate", collation, value=self.read(fields.take("arg")))


_TESTS: Mapping[tuple[str, ...], tuple[str, bool]] = {
    ("AEXPR_IN", "="): ("in", False),
    ("AEXPR_IN", "<>"): ("in", True),
    ("AEXPR_BETWEEN", "BETWEEN"): ("between", False),
    ("AEXPR_NOT_BETWEEN", "NOT BETWEEN"): ("between", True),
    ("AEXPR_LIKE", "~~"): ("like", False),
    ("AEXPR_LIKE", "!~~"): ("like", True),
    ("AEXPR_ILIKE", "~~*"): ("ilike", False),
    ("AEXPR_ILIKE", "!~~*"): ("ilike", True),
    ("AEXPR_DISTINCT", "="): ("is distinct from", False),
    ("AEXPR_NOT_DISTINCT", "="): ("is not distinct from", False),
    ("AEXPR_NULLIF", "="): ("nullif", False),
}
_DESCENDING = {"SORTBY_DEFAULT": False, "SORTBY_ASC": False, "SORTBY_DESC": True}
_FIRST = {"SORTBY_NULLS_FIRST": True, "SORTBY_NULLS_LAST": False}
_NULL_TESTS = {"IS_NULL": False, "IS_NOT_NULL": True}
_BOOLEAN_TESTS: Mapping[str, tuple[str, bool]] = {
    "IS_TRUE": ("is true", False),
    "IS_NOT_TRUE": ("is true", True),
    "IS_FALSE": ("is false", False),
    "IS_NOT_FALSE": ("is false", True),
}
# The kinds of constants, where each has its value, and what it is; JSON leaves 0, false and '' out.
_CONSTANTS: tuple[tuple[str, str, Callable[[Any], Node]], ...] = (
    ("ival", "ival", lambda value: number(str(value or 0))),
    ("fval", "fval", lambda value: number(str(value))),
    ("sval", "sval", lambda value: Node("string", value or "")),
    ("boolval", "boolval", lambda value: Node("boolean", "true" if value else "false")),
)


def _interval(text: str) -> Node:
    found = _INTERVAL.fullmatch(text)
    if found is None:
        raise Unread(f"the interval {text!r}")
    return Node("interval", f"{found[1]} {found[2].lower()}")


def opened(tree: object) -> tuple[str, Fields]:
    """The kind of a node, and its arguments."""
    if not isinstance(tree, dict) or len(tree) != 1:
        raise Unread(f"no node: {tree!r}")
    ((kind, body),) = tree.items()
    return kind, Fields(kind, body, PLACES)


def inner(tree: object, kind: str) -> Fields:
    """The arguments of a node that must be of that kind."""
    found, fields = opened(tree)
    if found != kind:
        raise Unread(f"{found} in the place of {kind}")
    return fields


def word(tree: object) -> str:
    """The text of a name."""
    fields = inner(tree, "String")
    found = str(fields.take("sval") or "")
    fields.done()
    return found


def names(trees: Sequence[object]) -> list[str]:
    """The parts of a name; Postgres's own schema, which it adds to names of its grammar, is none."""
    found = [word(each) for each in trees]
    return found[1:] if found[:1] == ["pg_catalog"] else found
