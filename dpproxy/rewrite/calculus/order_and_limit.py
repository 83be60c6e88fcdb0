"""ORDER BY, LIMIT and OFFSET under another query: of public rows they stay, of private ones only ORDER BY, unheard."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported, NotPrivate
from dpproxy.rewrite import algebra
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.constants.literals import is_constant, value_of
from dpproxy.rewrite.expressions.trees.position import position

_MOST_ROWS = 2**31


_TAILS = ("limit", "offset", "fetch")


def has_tail(node: exp.Expr) -> bool:
    """Whether a query keeps some of its rows only."""
    return any(node.args.get(clause) for clause in _TAILS)


def refuse_tail(node: exp.Expr) -> None:
    """Raises NotPrivate where a query in FROM keeps some rows only. An order without a limit is no order."""
    for clause in _TAILS:
        if node.args.get(clause):
            name = "FETCH" if isinstance(node.args[clause], exp.Fetch) else clause.upper()
            raise NotPrivate(
                f"{name} over private rows would keep those of some units and not of others",
                hint="Leave it out, or keep rows of each unit: ROW_NUMBER() OVER (PARTITION BY its key ORDER BY …) AS r"
                " in a derived table, and WHERE r <= n around it.",
                position=position(node.args[clause]),
            )


def with_tail_outside(node: exp.SetOperation) -> exp.Select:
    """A set operation of which some rows are kept, as a SELECT of these from it."""
    alias = exp.TableAlias(this=exp.to_identifier("dpproxy rows", quoted=True))
    columns = [exp.column(name, table=alias.name, quoted=True) for name in node.named_selects]
    inner = node.copy()
    made = exp.Select(expressions=columns, from_=exp.From(this=exp.Subquery(this=inner, alias=alias)))
    for clause in ("order", *_TAILS):
        made.set(clause, inner.args.get(clause))
        inner.set(clause, None)
    return made


def tail(select: exp.Select, rows: Joined, context: PlanningContext) -> algebra.Order:
    """ORDER BY and LIMIT over public rows; none over private ones, where LIMIT is refused."""
    ends = {name: end_of(select.args[name]) for name in ("limit", "offset") if select.args.get(name)}
    ends = {name: end for name, end in ends.items() if not isinstance(end, exp.Var | exp.Null)}
    if rows.rowset.unit is not None:
        refuse_tail(select)
    if not ends or rows.rowset.unit is not None:
        return algebra.Order()
    named = {item.alias_or_name: item.unalias() for item in select.expressions}
    order = select.args.get("order")
    places = [_ordered(each, named, rows, context) for each in (order.expressions if order else [])]
    counts = {name: _whole(end, context) for name, end in ends.items()}
    by = tuple(place for place in places if place is not None)
    return algebra.Order(by, counts.get("limit"), counts.get("offset"))


def end_of(clause: exp.Expr) -> exp.Expr:
    """How many rows; LIMIT ALL is a Var."""
    if isinstance(clause, exp.Fetch):
        options = clause.args.get("limit_options")
        if options is not None and (options.args.get("with_ties") or options.args.get("percent")):
            raise FeatureNotSupported(
                "FETCH … WITH TIES is not supported here", hint="Write LIMIT n.", position=position(clause)
            )
        count: exp.Expr | None = clause.args.get("count")
        return count or exp.Literal.number(1)
    end: exp.Expr = clause.expression
    return end


def _ordered(
    node: exp.Ordered, named: dict[str, exp.Expr], rows: Joined, context: PlanningContext
) -> exp.Expression | None:
    """None for a constant, which orders nothing, and would be read as the number of a column."""
    this = node.this
    this = named[this.name] if isinstance(this, exp.Column) and not this.table and this.name in named else this
    typed = context.total(this, rows.scope)
    if is_constant(typed):
        return None
    made = exp.Ordered(this=typed.sql, desc=node.args.get("desc"), nulls_first=node.args.get("nulls_first"))
    return context.plain(made)


def _whole(node: exp.Expr, context: PlanningContext) -> int:
    typed = context.total(node, {})
    value = value_of(typed) if is_constant(typed) else None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST_ROWS:
        raise FeatureNotSupported(
            "LIMIT and OFFSET of public rows that meet private ones must be whole numbers",
            hint="Write a number: LIMIT 10.",
            position=position(node),
        )
    return value
