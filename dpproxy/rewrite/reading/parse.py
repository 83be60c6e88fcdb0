"""Text -> tree, and constants for parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from sqlglot import TokenType, exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import ParseError, TokenError

from dpproxy.errors import FeatureNotSupported
from dpproxy.kept_parsers import KeptParsers
from dpproxy.rewrite.expressions.trees.nodes import nodes_of
from dpproxy.rewrite.expressions.trees.position import keep_notes, noted
from dpproxy.rewrite.question import Parameter
from dpproxy.rewrite.reading.dialect import AsRead, check_intervals, constants_first
from dpproxy.rewrite.reading.error_bars import BARS
from dpproxy.rewrite.reading.extracts import tell_extracts
from dpproxy.rewrite.reading.lexis import check_tokens, keep_name

_HINT = "Write it as a plain SELECT; see the list of supported SQL in the documentation."


MOST_NODES = 5000
_OBJECTS: Final = frozenset({exp.JSONObjectAgg, exp.JSONBObjectAgg})
# Of these other nodes are made, whose notes are still the parser's.
_TOLD_OTHERWISE: Final = frozenset({exp.Date, exp.Anonymous, exp.Max, *_OBJECTS})
_READ_ONLY = re.compile(r"\bFOR\s+READ\s+ONLY\s*;?\s*\Z", re.IGNORECASE)
_TOLD_BY_TOKENS = re.compile(r"interval|extract|date_part", re.IGNORECASE)
_PAIRS = re.compile(r"\b(corr|covar_pop|covar_samp)\s*\(\s*distinct\b", re.IGNORECASE)
_QUOTE = re.compile(r"\$([^\W\d]\w*)?\$")


class _Asked(AsRead):
    """Postgres without dollar-quoted strings: the tokenizer takes `$1,$` of `$1,$2` for the beginning of one."""

    class Tokenizer(Postgres.Tokenizer):
        HEREDOC_STRINGS: ClassVar[list[str | tuple[str, str]]] = []
        SINGLE_TOKENS: ClassVar[dict[str, TokenType]] = {**Postgres.Tokenizer.SINGLE_TOKENS, "$": TokenType.PARAMETER}


_QUOTED, _ASKED = KeptParsers(AsRead()), KeptParsers(_Asked())


def parse_statement(sql: str) -> exp.Query:
    """The tree of one SELECT in Postgres's dialect, names as the server folds them.

    The front has parsed the text before, so what fails here is valid SQL that is not understood.
    Raises FeatureNotSupported, with the position where parsing stopped if known.
    """
    dialect = _QUOTED if _QUOTE.search(sql) else _ASKED
    sql = _READ_ONLY.sub("", sql)
    try:
        tokens = dialect.tokens(sql)
        trees = dialect.trees(constants_first(tokens), sql)
    except ParseError as fault:
        if (pairs := _PAIRS.search(sql)) is not None:
            raise _of_pairs(pairs) from None
        raise _not_understood(_offset(sql, fault)) from None
    except (TokenError, RecursionError, AssertionError, LookupError):
        # The last are of a step of generate_series that is no interval, and of calls without arguments.
        raise _not_understood(None) from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise _not_understood(None)
    nodes = _nodes(trees[0])
    check_tokens(sql, tokens)
    tree = _plain(trees[0], nodes)
    if not _TOLD_BY_TOKENS.search(sql):
        return tree
    check_intervals(tokens)
    return tell_extracts(tree, tokens)


def kinds_of(tree: exp.Expr) -> frozenset[type[exp.Expr]]:
    """The kinds of its nodes."""
    return frozenset(map(type, nodes_of(tree)))


def _nodes(tree: exp.Query) -> list[exp.Expr]:
    """All of them: planning takes more than in proportion to a text's length, and everybody waits for it."""
    found = nodes_of(tree)
    if len(found) > MOST_NODES:
        raise FeatureNotSupported(
            f"a statement over private tables has at most {MOST_NODES:,} names, constants and operators",
            hint="Give long lists as one parameter: x = ANY($1).",
        )
    return found


def _plain(tree: exp.Query, nodes: Sequence[exp.Expr]) -> exp.Query:
    """Without comments, names as the server keeps them, and no parentheses around a key, which say nothing. EVERY and
    JSONB_AGG are aggregates, which the parser does not know; date(x) is a cast; dp.median(x) has a node of its own, and
    dp.low(x) and its like have names with a dot. A place in an array is as it was written."""
    for node in nodes:
        node.comments = None
        if type(node) is exp.Identifier:
            keep_name(node)
        keep_notes(node)
    kinds = {type(node) for node in nodes}
    for group in tree.find_all(exp.Group) if exp.Group in kinds else ():
        group.set("expressions", [key.unnest() if isinstance(key, exp.Paren) else key for key in group.expressions])
    for node in list(tree.find_all(exp.Date)) if exp.Date in kinds else ():
        if {name for name, value in node.args.items() if value} == {"this"}:
            day = exp.Cast(this=node.this, to=exp.DataType.build("date"))
            day.update_positions(node)
            node.replace(day)
    for bracket in tree.find_all(exp.Bracket) if exp.Bracket in kinds else ():
        bracket.set("offset", 1)  # places count from one: nothing is to be added where it is written again
    for node in list(tree.find_all(exp.Anonymous)) if exp.Anonymous in kinds else ():
        _tell_aggregate(node)
    for aggregate in list(tree.find_all(exp.JSONObjectAgg, exp.JSONBObjectAgg)) if kinds & _OBJECTS else ():
        _leave_out_null(aggregate)
    for most in list(tree.find_all(exp.Max)) if exp.Max in kinds else ():
        _decide(most)
    for call in list(tree.find_all(exp.Anonymous)) if exp.Anonymous in kinds else ():
        _tell_own(call)
    return tree if kinds.isdisjoint(_TOLD_OTHERWISE) else noted(tree)


def _tell_aggregate(call: exp.Anonymous) -> None:
    """EVERY(c) is BOOL_AND(c) by another name; JSONB_AGG(x) is a list, as JSON_AGG(x), which the parser knows; and
    ROW(x, y) is (x, y)."""
    name, arguments = call.name.lower(), call.expressions
    if name == "row" and len(arguments) > 1 and not any(map(_is_star, arguments)):
        call.replace(exp.Tuple(expressions=arguments))
        return
    if len(arguments) != 1 or name not in ("every", "jsonb_agg"):
        return
    every = name == "every"
    told = exp.LogicalAnd(this=arguments[0]) if every else exp.AnonymousAggFunc(this=name, expressions=arguments)
    told.update_positions(call)
    call.replace(told)


def _is_star(argument: exp.Expr) -> bool:
    return bool(argument.is_star)


def _leave_out_null(call: exp.Expr) -> None:
    """An object has no key for NULL: Postgres would say so after the charge."""
    key = call.expressions[0] if isinstance(call, exp.JSONObjectAgg) and call.expressions else call.this
    if isinstance(key, exp.Distinct):
        key = key.expressions[0]
    if not isinstance(key, exp.Expr):
        return
    there: exp.Expr = exp.Not(this=exp.Is(this=exp.Paren(this=key.copy()), expression=exp.Null()))
    if isinstance(call.parent, exp.Filter):
        where = call.parent.expression
        where.set("this", exp.And(this=exp.Paren(this=where.this), expression=there))
        return
    made = exp.Filter(expression=exp.Where(this=there))
    call.replace(made)
    made.set("this", call)


def _tell_own(call: exp.Anonymous) -> None:
    """dp.median(x), dp.low(x) and its like: the parser reads a call in a schema as a part of that, and one with a
    FILTER as its column."""
    filtered = call.parent if isinstance(call.parent, exp.Filter) else call
    whole = filtered.parent
    schema = whole.this if isinstance(whole, exp.Dot) else whole.args.get("table") if whole else None
    told = _own(call) if isinstance(schema, exp.Identifier) and schema.name.lower() == "dp" else None
    if whole is not None and told is not None:
        told.update_positions(call)
        call.replace(told)
        whole.replace(told if filtered is call else filtered)


def _own(call: exp.Anonymous) -> exp.Expr | None:
    """A function of the proxy's own; None: any other."""
    name = f"dp.{call.name.lower()}"
    if len(call.expressions) != 1 or (name != "dp.median" and name not in BARS):
        return None
    (argument,) = call.expressions
    return exp.Median(this=argument) if name == "dp.median" else exp.Anonymous(this=name, expressions=[argument])


def untold_median(median: exp.Median) -> exp.Expr:
    """The call in its schema, as the front knows it."""
    call = exp.Anonymous(this="median", expressions=[median.this.copy()])
    return exp.Column(this=call, table=exp.to_identifier("dp"))


def _decide(most: exp.Max) -> None:
    """MAX(CASE WHEN c THEN 1 ELSE 0 END) asks whether any row has c: CASE WHEN BOOL_OR(c) THEN 1 ELSE 0 END.

    Tools count NULL so beside COUNT(DISTINCT x). By itself in the SELECT list it would lose its name.
    """
    case = most.this
    if isinstance(most.parent, exp.Select) or not isinstance(case, exp.Case) or case.this or len(case.args["ifs"]) != 1:
        return
    (branch,), other = case.args["ifs"], case.args.get("default")
    if not isinstance(other, exp.Literal) or [branch.args["true"].sql(), other.sql()] != ["1", "0"]:
        return
    condition = exp.LogicalOr(this=branch.this)
    condition.update_positions(most)
    branch.set("this", condition)
    most.replace(case)


def numbers_of(expression: exp.Expr) -> Iterator[int]:
    """The parameters in an expression, counted from 0."""
    for node in expression.find_all(exp.Parameter):
        if isinstance(node.this, exp.Literal) and node.name.isdigit():
            yield int(node.name) - 1


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
    return exp.Cast(this=value, to=_type(parameter.type))


def _type(name: str) -> exp.DataType:
    """The type as the catalog or as format_type calls it: `_int4` and `integer[]` are one."""
    try:
        return exp.DataType.build(f"{name[1:]}[]" if name.startswith("_") else name, dialect="postgres")
    except ParseError:
        raise FeatureNotSupported(
            f"parameters of type {name} are not supported over private tables", hint="Cast it: $1::text, $1::integer."
        ) from None


def _not_understood(position: int | None) -> FeatureNotSupported:
    return FeatureNotSupported(
        "this form of statement over private tables is not supported", hint=_HINT, position=position
    )


def _of_pairs(call: re.Match[str]) -> FeatureNotSupported:
    """The refusal of an aggregate of each pair of values once, which the parser does not know."""
    name = call[1].upper()
    return FeatureNotSupported(
        f"{name}(DISTINCT …) is not supported over private tables",
        hint=f"Leave DISTINCT out: {name}(x, y).",
        position=call.start() + 1,
    )


def _offset(sql: str, fault: ParseError) -> int | None:
    line, col = (fault.errors[0].get(name) if fault.errors else None for name in ("line", "col"))
    if not isinstance(line, int) or not isinstance(col, int):
        return None
    before = sum(len(part) for part in sql.splitlines(keepends=True)[: line - 1])
    return min(before + max(col, 1), len(sql))
