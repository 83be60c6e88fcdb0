"""What expressions are where a source has no row: LEFT JOIN puts NULL into all of its columns then.

Claim: `is_null`, `is_untrue` and `adds_nothing` say no more than what Postgres makes of it: operators and functions
that are listed give NULL for NULL, AND is not true where a part is not, and CASE goes on where a condition is not true.
`is_never_null` likewise of what is there, and `absent_number` of numbers. Checked by: tests/test_strangers_apart.py,
tests/test_met_once.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from operator import eq, ge, gt, le, lt, ne
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog

_STRICT: Final = (
    exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Paren, exp.Cast, exp.Extract, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT,
    exp.GTE, exp.Not, exp.Abs, exp.Round, exp.Floor, exp.Ceil, exp.Length, exp.Lower, exp.Upper,
    exp.TimestampTrunc, exp.Like, exp.ILike,
)  # fmt: skip
"""They are NULL where any operand is."""
_DIVIDED: Final = (exp.Div, exp.Mod)
_WHOLE: Final = (
    exp.Paren, exp.TimestampTrunc, exp.Extract, exp.Cast, exp.Floor, exp.Lower, exp.Upper, exp.Add, exp.Sub, exp.Mul,
    exp.Neg, exp.Abs, exp.Round, exp.Ceil, exp.Length,
)  # fmt: skip
"""They are NULL for NULL alone."""
_COMPARED: Final[Mapping[type[exp.Expr], Callable[[Decimal, Decimal], bool]]] = {
    exp.EQ: eq, exp.NEQ: ne, exp.LT: lt, exp.LTE: le, exp.GT: gt, exp.GTE: ge,
}  # fmt: skip


def is_null(node: exp.Expr, alias: str) -> bool:
    """Whether it is NULL where the source is absent."""
    if isinstance(node, exp.Column):
        return node.table == alias
    if isinstance(node, exp.Case):
        return _falls_through(node, alias) and (
            node.args.get("default") is None or is_null(node.args["default"], alias)
        )
    if isinstance(node, exp.In | exp.Between):  # of ends that are NULL it may be false
        return is_null(node.this, alias)
    strict = type(node) in _STRICT or type(node) in _DIVIDED
    return isinstance(node, exp.Null) or (strict and any(is_null(part, alias) for part in node.iter_expressions()))


def is_untrue(node: exp.Expr, alias: str) -> bool:
    """Whether a condition is false or NULL where the source is absent."""
    match node:
        case exp.Paren():
            return is_untrue(node.this, alias)
        case exp.And():
            return is_untrue(node.this, alias) or is_untrue(node.expression, alias)
        case exp.Or():
            return is_untrue(node.this, alias) and is_untrue(node.expression, alias)
        case exp.Not(this=exp.Is(this=value, expression=exp.Null())):
            return is_null(value, alias)
        case exp.Is(this=value, expression=exp.Null()) if node.args.get("negate"):
            return is_null(value, alias)
    return is_null(node, alias) or _compared(node, alias) is False


def _compared(node: exp.Expr, alias: str) -> bool | None:
    """What a comparison of numbers is where the source is absent; None where that is not known."""
    compare = _COMPARED.get(type(node))
    if compare is None:
        return None
    left, right = absent_number(node.this, alias), absent_number(node.expression, alias)
    return None if left is None or right is None else compare(left, right)


def absent_number(node: exp.Expr, alias: str) -> Decimal | None:
    """The number that it is where the source is absent; None where it is none, or depends on more."""
    match node:
        case exp.Literal():
            return None if node.is_string else Decimal(node.name)
        case exp.Paren(this=inner):
            return absent_number(inner, alias)
        case exp.Neg(this=inner):
            number = absent_number(inner, alias)
            return None if number is None else -number
        case exp.Coalesce():
            left = (part for part in (node.this, *node.expressions) if not is_null(part, alias))
            return absent_number(next(left, exp.Null()), alias)
        case exp.Case(this=None):
            for each in node.args["ifs"]:
                if _compared(each.this, alias):
                    return absent_number(each.args["true"], alias)
                if not is_untrue(each.this, alias):
                    return None
            return absent_number(node.args.get("default") or exp.Null(), alias)
    return None


def adds_nothing(node: exp.Expr, alias: str) -> bool:
    """Whether SUM is the same without it, as long as something is added: it is NULL or 0."""
    if absent_number(node, alias) == 0:
        return True
    if isinstance(node, exp.Coalesce):
        return all(adds_nothing(part, alias) for part in (node.this, *node.expressions))
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        return _falls_through(node, alias) and (default is None or adds_nothing(default, alias))
    return is_null(node, alias)


def _falls_through(case: exp.Case, alias: str) -> bool:
    if case.this is not None:
        return is_null(case.this, alias)
    return all(is_untrue(each.this, alias) for each in case.args["ifs"])


def is_never_null(node: exp.Expr, select: exp.Select, catalog: Catalog) -> bool:
    """Whether it is no NULL in any row of the first table and those that are joined to it by inner joins."""
    if isinstance(node, exp.Column):
        return any(_is_there(node, source, catalog) for source in _always(select))
    if isinstance(node, exp.Literal):
        return True
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        told = [default, *(each.args["true"] for each in node.args["ifs"])]
        return all(part is not None and is_never_null(part, select, catalog) for part in told)
    if isinstance(node, exp.Coalesce):
        return any(is_never_null(part, select, catalog) for part in (node.this, *node.expressions))
    if type(node) in _DIVIDED:
        by = node.expression
        return isinstance(by, exp.Literal) and float(by.name) != 0 and is_never_null(node.this, select, catalog)
    return type(node) in _WHOLE and all(
        is_never_null(part, select, catalog)
        for part in node.iter_expressions()
        if not isinstance(part, exp.DataType | exp.Var | exp.Literal)
    )


def _always(select: exp.Select) -> list[exp.Expr]:
    joins = [join.this for join in select.args.get("joins") or [] if not join.args.get("side")]
    return [select.args["from_"].this, *joins]


def _is_there(column: exp.Column, source: exp.Expr, catalog: Catalog) -> bool:
    table = catalog.table(source.db, source.name) if isinstance(source, exp.Table) and source.db else None
    found = None if table is None or source.alias_or_name != column.table else table.column(column.name)
    return found is not None and not found.nullable
