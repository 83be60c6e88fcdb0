"""Text -> tree, and constants for parameters."""

from __future__ import annotations

from sqlglot import exp, parse
from sqlglot.errors import ParseError, TokenError

from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.question import Parameter

_HINT = "Write it as a plain SELECT; see the list of supported SQL in the documentation."


def parse_statement(sql: str) -> exp.Query:
    """The tree of one SELECT in Postgres's dialect.

    The front has parsed the text before, so what fails here is valid SQL that is not understood.
    Raises FeatureNotSupported, with the position where parsing stopped if known.
    """
    try:
        trees = parse(sql, read="postgres")
    except ParseError as fault:
        raise _not_understood(_offset(sql, fault)) from None
    except (TokenError, RecursionError):
        raise _not_understood(None) from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise _not_understood(None)
    return trees[0]


def with_constants(expression: exp.Expr, parameters: tuple[Parameter, ...]) -> exp.Expression:
    """A copy of `expression` in which each $n is its value, cast to its type."""
    changed = expression.transform(
        lambda node: _constant(node, parameters) if isinstance(node, exp.Parameter) else node
    )
    assert isinstance(changed, exp.Expression)
    return changed


def _constant(node: exp.Parameter, parameters: tuple[Parameter, ...]) -> exp.Expr:
    if not isinstance(node.this, exp.Literal) or not node.name.isdigit():
        raise FeatureNotSupported("the operator @ is not supported over private tables", hint="Write abs(x).")
    index = int(node.name) - 1
    if not 0 <= index < len(parameters):
        raise FeatureNotSupported(f"parameter ${node.name} has no value", hint="Number parameters from $1.")
    parameter = parameters[index]
    value = exp.Null() if parameter.text is None else exp.Literal.string(parameter.text)
    return exp.Cast(this=value, to=exp.DataType.build(parameter.type, dialect="postgres"))


def _not_understood(position: int | None) -> FeatureNotSupported:
    return FeatureNotSupported(
        "this form of statement over private tables is not supported", hint=_HINT, position=position
    )


def _offset(sql: str, fault: ParseError) -> int | None:
    line, col = (fault.errors[0].get(name) if fault.errors else None for name in ("line", "col"))
    if not isinstance(line, int) or not isinstance(col, int):
        return None
    before = sum(len(part) for part in sql.splitlines(keepends=True)[: line - 1])
    return min(before + max(col, 1), len(sql))
