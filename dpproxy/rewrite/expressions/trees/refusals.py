"""Refusals of expressions: what is wrong, where, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from dpproxy.catalog.types import INTERVAL, Family, SqlType
from dpproxy.errors import DPProxyError, FeatureNotSupported
from dpproxy.rewrite.expressions.trees.position import position

_NAMES: dict[type[exp.Expression], str] = {
    exp.RegexpLike: "the operator ~",
    exp.RegexpILike: "the operator ~*",
    exp.SimilarTo: "SIMILAR TO",
    exp.Subquery: "a subquery",
    exp.Exists: "EXISTS",
    exp.Any: "ANY",
    exp.Case: "CASE",
    exp.Cast: "CAST",
    exp.Coalesce: "COALESCE",
    exp.All: "ALL",
    exp.Window: "a window function",
    exp.Star: "*",
    exp.Interval: "an interval by itself",
    exp.AtTimeZone: "AT TIME ZONE",
    exp.Collate: "COLLATE",
    exp.Array: "an array",
    exp.Tuple: "a row value",
    exp.Bracket: "an element of an array",
    exp.ByteString: "an escape string E'…'",
    exp.Placeholder: "a parameter",
    exp.Parameter: "a parameter",
    exp.TableColumn: "a whole row as a value",
    exp.ObjectIdentifier: "a name of the catalog (regclass and its like)",
}
_ALTERNATIVES = {
    "REGEXP": "Use ~ with a constant pattern, regexp_replace, split_part or LIKE.",
    "BYTESTRING": "Write an ordinary string constant '…'.",
    "BRACKET": "Write the value itself, or CASE; of released arrays an element is Postgres's own.",
    "TABLECOLUMN": "Name columns of it in its place: COUNT(t.x), t.x = u.x, GROUP BY t.x, t.y.",
    "TUPLE": "Write its values one by one, x < 1 OR (x = 1 AND y < 2); pairs are counted as groups: "
    "SELECT COUNT(*) FROM (SELECT DISTINCT x, y FROM t) AS s.",
    "INTERVAL": "Add or subtract a constant interval to a date or timestamp.",
}
_LENGTH = "Use the interval's length: EXTRACT(epoch FROM …) is a number of seconds."


def unsupported(node: exp.Expression, hint: str | None = None) -> FeatureNotSupported:
    """0A000 for a construct that has no rule here."""
    return refused(node, f"{_name(node)} is not supported over private tables", hint or _hint(node))


def refused(node: exp.Expression, message: str, hint: str) -> FeatureNotSupported:
    """0A000 at the place of `node`."""
    return FeatureNotSupported(message, hint=hint, position=position(node))


def mismatch(node: exp.Expression, *types: SqlType) -> DPProxyError:
    """0A000 for an operator between types that it is not defined for here."""
    return refused(
        node,
        f"{_name(node)} is not supported between {' and '.join(str(type_) for type_ in types)} over private tables",
        _apart(types),
    )


def _apart(types: Sequence[SqlType]) -> str:
    """What to write where such types meet."""
    if any(type_.family is Family.OPAQUE for type_ in types):
        return "Leave such columns out, or test them: x IS NULL."
    return _LENGTH if INTERVAL in types else "Compare or combine values of one kind; CAST numbers explicitly."


def spelled(node: exp.Expression) -> str:
    """The construct in the analyst's words: `replace()`, `the operator +`."""
    return _name(node).removeprefix("function ")


def _name(node: exp.Expression) -> str:
    if isinstance(node, exp.Anonymous):
        return f"function {str(node.this).lower()}()"
    if named := _NAMES.get(type(node)):
        return named
    if isinstance(node, exp.AggFunc):
        return f"the aggregate {node.sql_name().lower()}() inside of another expression's rows"
    if isinstance(node, exp.Func):
        return _function(node)
    return f"the operator {_operator(node)}" if isinstance(node, exp.Binary | exp.Unary) else node.key.upper()


def _function(node: exp.Expression) -> str:
    """A function as Postgres calls it."""
    text = node.sql("postgres")
    name = (re.match(r"\w+", text) or [node.key])[0].lower()
    return f"function {name}()" if "(" in text else name


def _operator(node: exp.Expression) -> str:
    operands = [exp.column("x") for part in ("this", "expression") if node.args.get(part)]
    drawn = type(node)(**dict(zip(("this", "expression"), operands, strict=False))).sql("postgres")
    return drawn.replace("x", "").strip()


def _hint(node: exp.Expression) -> str:
    if isinstance(node, exp.Anonymous) and node.name.startswith("dp."):
        return f"Write it around what is released: {node.name}(avg(x)) beside avg(x)."
    key = node.key.upper()
    return next(
        (text for start, text in _ALTERNATIVES.items() if key.startswith(start)),
        "Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.",
    )
