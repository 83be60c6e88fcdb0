"""CHECK constraints as bounds and values. What is not of a simple kind is left alone, and said to be there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

Constant = Decimal | str

DOMAIN = "VALUE"  # what a domain's check calls its value

_FLIPPED = {exp.GTE: exp.LTE, exp.GT: exp.LT, exp.LTE: exp.GTE, exp.LT: exp.GT, exp.EQ: exp.EQ}
_HARMLESS = {*exp.DataType.TEXT_TYPES, exp.DType.DECIMAL, exp.DType.DOUBLE}  # casts that keep what is compared
_NUMBERS = exp.DataType.NUMERIC_TYPES


@dataclass(frozen=True, slots=True)
class CheckedLimit:
    """An end of a range; `strict` where the value itself is outside."""

    value: Constant
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """What checks say of a column. `other`: there are conditions on it that were not understood."""

    lower: CheckedLimit | None = None
    upper: CheckedLimit | None = None
    values: tuple[Constant, ...] | None = None
    other: bool = False

    def __and__(self, more: Known) -> Known:
        """Both; of two limits the first, since all hold."""
        values = self.values if self.values is not None else more.values
        return Known(self.lower or more.lower, self.upper or more.upper, values, self.other or more.other)


def known(conditions: Iterable[str], columns: Collection[str]) -> dict[str, Known]:
    """What `conditions`, which all hold, say of each of `columns`."""
    found = dict.fromkeys(columns, Known())
    for condition in conditions:
        for column, fact in _facts(condition, columns):
            found[column] &= fact
    return found


def _facts(condition: str, columns: Collection[str]) -> Iterator[tuple[str, Known]]:
    try:
        tree = sqlglot.parse_one(condition, read="postgres")
    except (SqlglotError, RecursionError):
        return
    for part in _conjuncts(tree):
        column, fact = _fact(part, columns)
        if column is not None and fact is not None:
            yield column, fact
        else:
            named = (_column(each, columns) for each in part.find_all(exp.Column))
            yield from ((each, Known(other=True)) for each in named if each is not None)


def _conjuncts(tree: exp.Expr) -> Iterator[exp.Expr]:
    """The parts that all hold. `x IS NULL OR c` is c where c is about x alone, for what is not null."""
    tree = tree.unnest()
    match tree:
        case exp.And():
            yield from _conjuncts(tree.this)
            yield from _conjuncts(tree.expression)
        case exp.Or() if _but_for_null(tree.this, tree.expression):
            yield from _conjuncts(tree.expression)
        case exp.Or() if _but_for_null(tree.expression, tree.this):
            yield from _conjuncts(tree.this)
        case _:
            yield tree


def _but_for_null(null: exp.Expr, condition: exp.Expr) -> bool:
    """Whether `null` says that a column is NULL, and `condition` is about that column alone."""
    null = null.unnest()
    if not isinstance(null, exp.Is) or not isinstance(null.expression, exp.Null):
        return False
    return all(column == null.this.unnest() for column in condition.find_all(exp.Column))


def _fact(part: exp.Expr, columns: Collection[str]) -> tuple[str | None, Known | None]:
    match part:
        case exp.Between():
            return _column(part.this, columns), _between(part)
        case exp.In() if part.expressions:
            return _column(part.this, columns), _listed(part.expressions)
        case exp.EQ() if isinstance(part.expression, exp.Any):
            return _column(part.this, columns), _listed(_array(part.expression.this))
        case exp.GTE() | exp.GT() | exp.LTE() | exp.LT() | exp.EQ():
            return _compared(part, columns)
        case _:
            return None, None


def _between(part: exp.Between) -> Known | None:
    low, high = _constant(part.args["low"]), _constant(part.args["high"])
    if low is None or high is None or part.args.get("symmetric"):
        return None
    return Known(CheckedLimit(low), CheckedLimit(high))


def _array(tree: exp.Expr) -> list[exp.Expr]:
    tree = tree.unnest()
    while isinstance(tree, exp.Cast):
        tree = tree.this.unnest()
    return list(tree.expressions) if isinstance(tree, exp.Array) else []


def _listed(items: list[exp.Expr]) -> Known | None:
    values = [_constant(item) for item in items]
    found = tuple(dict.fromkeys(value for value in values if value is not None))
    return Known(values=found) if found and None not in values else None


def _compared(part: exp.Binary, columns: Collection[str]) -> tuple[str | None, Known | None]:
    kind, column, value = type(part), _column(part.left, columns), _constant(part.right)
    if column is None:
        kind, column, value = _FLIPPED[kind], _column(part.right, columns), _constant(part.left)
    if value is None:
        return None, None
    limit = CheckedLimit(value, strict=kind in (exp.GT, exp.LT))
    if kind is exp.EQ:
        return column, Known(values=(value,))
    return column, Known(lower=limit) if kind in (exp.GTE, exp.GT) else Known(upper=limit)


def _column(tree: exp.Expr, columns: Collection[str]) -> str | None:
    """The column that `tree` is, under casts that keep what is compared; unquoted names are of any case in DuckDB."""
    tree = tree.unnest()
    while isinstance(tree, exp.Cast) and tree.to.this in _HARMLESS and not tree.to.expressions:
        tree = tree.this.unnest()
    if not isinstance(tree, exp.Column) or tree.args.get("table"):
        return None
    alike = [column for column in columns if column.lower() == tree.name.lower()]
    return tree.name if tree.name in columns else alike[0] if len(alike) == 1 else None


def _constant(tree: exp.Expr) -> Constant | None:
    tree = tree.unnest()
    match tree:
        case exp.Literal():
            return tree.name if tree.is_string else _number(tree.name)
        case exp.Neg():
            value = _constant(tree.this)
            return -value if isinstance(value, Decimal) else None
        case exp.Cast():
            value = _constant(tree.this)
            return _number(value) if isinstance(value, str) and tree.to.this in _NUMBERS else value
        case _:
            return None


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def of_domain(conditions: Iterable[str]) -> Known:
    """What the checks of a domain say of its values."""
    return known(conditions, (DOMAIN,))[DOMAIN]


def inclusive(fact: Known, whole: bool) -> Known:
    """The same with ends that belong to it: the next whole number, where the column has no others."""

    def end(limit: CheckedLimit | None, step: int) -> CheckedLimit | None:
        if limit is None or not limit.strict or not whole or not isinstance(limit.value, Decimal):
            return limit
        nearest = limit.value.to_integral_value("ROUND_FLOOR" if step > 0 else "ROUND_CEILING")
        return CheckedLimit(nearest + step)

    return replace(fact, lower=end(fact.lower, 1), upper=end(fact.upper, -1))
