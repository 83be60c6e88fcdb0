"""Aggregates that read what LEFT JOIN adds to a row beside the row itself, as those of the one and of the other.

    asked   SELECT sum(s.paid - COALESCE(r.amount, 0)) FROM sales s LEFT JOIN returns r ON r.ticket = s.ticket
    made    SELECT sum(s.paid) - COALESCE(sum(CASE WHEN r.ticket IS NOT NULL AND s.paid IS NOT NULL
                                              THEN COALESCE(r.amount, 0) END), 0) FROM …

so that the one is asked of the rows alone, and the other of those that met something (`strangers_apart`).

Claim: both are the same. Because: each row is there once (`at_most_one_row`); `_split` writes an expression as `own`
and `met`, which are added, where `own` is all of it in rows that nothing is added to, and NULL where the expression is:
of what is added it reads nothing but COALESCE with a number. A number that stands where nothing is added is added up
for each row, and taken back where something is.
Checked by: tests/test_met_once.py (both forms in an engine), tests/test_fixtures.py (rewrite/strangers.sql).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import Family
from dpproxy.rewrite.calculus.aggregates_of import substitute
from dpproxy.rewrite.statement.at_most_one_row import adds_one, columns_met, family_of
from dpproxy.rewrite.statement.branches import asked_of, call_of
from dpproxy.rewrite.statement.correlation import aliases_read
from dpproxy.rewrite.statement.null_row_values import absent_number, is_never_null
from dpproxy.rewrite.statement.plain_joins import joins_of, side_of
from dpproxy.rewrite.statement.strangers_apart import added_of, are_plain, is_of_met

_ZERO: Final = exp.Literal.number(0)
_SCALED: Final = frozenset({Family.NUMERIC, Family.FLOAT})
_Familiar = Callable[[exp.Expr], Family | None]


@dataclass(frozen=True, slots=True)
class _Split:
    """An expression as the sum of both. met: None where nothing is to be added."""

    own: exp.Expr
    met: exp.Expr | None


@dataclass(frozen=True, slots=True)
class _Added:
    """What is added to a SELECT's rows. there: a column of it that is never NULL where it is."""

    there: exp.Column
    select: exp.Select
    catalog: Catalog

    @property
    def alias(self) -> str:
        """Its alias."""
        return str(self.there.table)

    def family(self, node: exp.Expr) -> Family | None:
        """That of a column."""
        return family_of(node, self.select, self.catalog)


def strangers_met_once(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, in which no aggregate reads both rows and others' that are added to them once."""
    if not any(_told(select, catalog) for select in tree.find_all(exp.Select)):
        return tree
    made = tree.copy()
    for select in list(made.find_all(exp.Select)):
        substitute(select, _told(select, catalog))
    return made


def _told(select: exp.Select, catalog: Catalog) -> dict[exp.Expr, exp.Expr]:
    """The aggregates that read both, and what each is made of."""
    joins = joins_of(select)
    if not any(side_of(join) == "LEFT" for join in joins) or not are_plain(select, joins):
        return {}
    added = {join.this.alias_or_name: join for join in added_of(select, catalog)}
    if not added or not all(adds_one(join, select, catalog) for join in added.values()):
        return {}
    found: dict[exp.Expr, exp.Expr] = {}
    for node in dict.fromkeys(asked_of(select)):
        read = aliases_read(node) & added.keys()
        if not read or (len(read) == 1 and is_of_met(node, *read)):
            continue
        if len(read) > 1:
            return {}
        (alias,) = read
        column = exp.column(columns_met(added[alias], select, catalog)[0], table=alias, quoted=True)
        made = _made(node, _Added(column, select, catalog))
        if made is None:
            return {}
        found[node] = made
    return found


def _made(node: exp.Expr, added: _Added) -> exp.Expr | None:
    """An aggregate of both as aggregates of either; None where it does not follow."""
    call = call_of(node)
    if isinstance(call.this, exp.Distinct | exp.Star) or type(call) not in (exp.Count, exp.Sum, exp.Avg):
        return None
    if isinstance(node, exp.Filter) and added.alias in aliases_read(node.expression):
        return None
    split, number = _split(call.this, added), absent_number(call.this, added.alias)
    if split is None and number is None:
        return None
    if type(call) is exp.Count:
        return _counted(node, split, added)
    total = _total(node, split, number, added)
    if type(call) is exp.Sum:
        return exp.Paren(this=total)
    of_any_size = exp.Cast(this=exp.Paren(this=total), to=exp.DataType.build("numeric"))
    rows = exp.Nullif(this=_counted(node, split, added), expression=_ZERO.copy())
    return None if _reads_floats(call, added) else exp.Paren(this=exp.Div(this=of_any_size, expression=rows))


def _reads_floats(node: exp.Expr, added: _Added) -> bool:
    """Whether an average of it is a floating point number."""
    return any(added.family(column) is Family.FLOAT for column in node.find_all(exp.Column)) or any(
        cast.is_type(*exp.DataType.REAL_TYPES - {exp.DataType.Type.DECIMAL}) for cast in node.find_all(exp.Cast)
    )


def _counted(node: exp.Expr, split: _Split | None, added: _Added) -> exp.Expr:
    """How many values there are: of `own`; or all but those that are NULL where something is added."""
    if split is not None:
        return _of(node, exp.Count(this=split.own.copy(), big_int=True))
    is_null = exp.Is(this=exp.Paren(this=call_of(node).this.copy()), expression=exp.Null())
    missing = exp.Count(this=_where(exp.and_(_is_there(added), is_null), exp.Literal.number(1)), big_int=True)
    every = _of(node, exp.Count(this=exp.Star(), big_int=True))
    return exp.Paren(this=exp.Sub(this=every, expression=_of(node, missing)))


def _total(node: exp.Expr, split: _Split | None, number: Decimal | None, added: _Added) -> exp.Expr:
    """What there is in all."""
    if number is not None or split is None:
        constant, whole = exp.Literal.number(str(number)), call_of(node).this
        changed = exp.Coalesce(this=whole.copy(), expressions=[_ZERO.copy()])
        if not number:
            return _or_zero(_of(node, exp.Sum(this=_where(_is_there(added), changed))))
        split, condition = _Split(constant, exp.Sub(this=changed, expression=constant)), _is_there(added)
    else:
        known = is_never_null(split.own, added.select, added.catalog)
        own = exp.Not(this=exp.Is(this=exp.Paren(this=split.own.copy()), expression=exp.Null()))
        condition = _is_there(added) if known else exp.and_(_is_there(added), own)
    of_rows = _of(node, exp.Sum(this=split.own.copy()))
    match split.met:
        case None:
            return of_rows
        case exp.Neg(this=taken):
            return exp.Sub(this=of_rows, expression=_or_zero(_of(node, exp.Sum(this=_where(condition, taken)))))
        case met:
            return exp.Add(this=of_rows, expression=_or_zero(_of(node, exp.Sum(this=_where(condition, met)))))


def _is_there(added: _Added) -> exp.Expr:
    return exp.Not(this=exp.Is(this=added.there.copy(), expression=exp.Null()))


def _where(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition, true=value.copy())])


def _or_zero(node: exp.Expr) -> exp.Expr:
    return exp.Coalesce(this=node, expressions=[_ZERO.copy()])


def _of(node: exp.Expr, call: exp.Expr) -> exp.Expr:
    """An aggregate of the rows that `node` is of."""
    return exp.Filter(this=call, expression=node.expression.copy()) if isinstance(node, exp.Filter) else call


def _split(node: exp.Expr, added: _Added) -> _Split | None:
    """An expression that is NULL where `own` is; None where none of these forms."""
    if added.alias not in aliases_read(node):
        return _Split(node, None)
    match node:
        case exp.Paren(this=inner):
            found = _split(inner, added)
            return None if found is None else _Split(exp.Paren(this=found.own.copy()), found.met)
        case exp.Coalesce(expressions=[*_, exp.Literal()]):
            zero = absent_number(node, added.alias) == 0
            return _Split(_ZERO if node.expressions[-1].is_int else exp.Literal.number("0.0"), node) if zero else None
        case exp.Add() | exp.Sub():
            return _sum(node, added)
        case exp.Mul(this=left, expression=right):
            first, second = _split(left, added), _split(right, added)
            return None if first is None or second is None else _product(first, second)
        case exp.Case(this=None):
            return _branches(node, added)
    return None


def _sum(node: exp.Expr, added: _Added) -> _Split | None:
    left, right = _split(node.this, added), _split(node.expression, added)
    if left is None or right is None:
        return None
    own = type(node)(this=left.own.copy(), expression=right.own.copy())
    if right.met is not None and _is_nothing(right.own, left.own, added):
        own = left.own
    elif left.met is not None and isinstance(node, exp.Add) and _is_nothing(left.own, right.own, added):
        own = right.own
    return _Split(own, _plus(left.met, _minus(right.met) if isinstance(node, exp.Sub) else right.met))


def _is_nothing(zero: exp.Expr, beside: exp.Expr, added: _Added) -> bool:
    """Whether what is beside it stays as it is, and of its type, without it."""
    if not isinstance(zero, exp.Literal) or zero.is_string or Decimal(zero.name):
        return False
    return zero.is_int or added.family(beside) in _SCALED


def _plus(left: exp.Expr | None, right: exp.Expr | None) -> exp.Expr | None:
    if left is None or right is None:
        return left if right is None else right
    return exp.Add(this=_operand(left), expression=_operand(right))


def _minus(node: exp.Expr | None) -> exp.Expr | None:
    """What is taken away."""
    if node is None:
        return None
    return node.this.copy() if isinstance(node, exp.Neg) else exp.Neg(this=_operand(node))


def _operand(node: exp.Expr) -> exp.Expr:
    return node.copy() if isinstance(node, exp.Coalesce | exp.Column | exp.Literal) else exp.Paren(this=node.copy())


def _product(left: _Split, right: _Split) -> _Split | None:
    if left.met is not None and right.met is not None:
        return None
    own = exp.Mul(this=_operand(left.own), expression=_operand(right.own))
    parts = [_operand(part) for part in (left.met or left.own, right.met or right.own)]
    return _Split(own, exp.Mul(this=parts[0], expression=parts[1]))


def _branches(node: exp.Case, added: _Added) -> _Split | None:
    """CASE by conditions that read rows alone."""
    ifs, default = node.args["ifs"], node.args.get("default")
    if any(added.alias in aliases_read(each.this) for each in ifs):
        return None
    told = [_split(each.args["true"], added) for each in ifs]
    last = None if default is None else _split(default, added)
    if None in told or (default is not None and last is None):
        return None
    own = [exp.If(this=e.this.copy(), true=t.own.copy()) for e, t in zip(ifs, told, strict=True) if t is not None]
    met = [
        exp.If(this=e.this.copy(), true=exp.Null() if t.met is None else t.met.copy())
        for e, t in zip(ifs, told, strict=True)
        if t is not None
    ]
    return _Split(
        exp.Case(ifs=own, default=None if last is None else last.own.copy()),
        exp.Case(ifs=met, default=None if last is None or last.met is None else last.met.copy()),
    )
