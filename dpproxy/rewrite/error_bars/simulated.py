"""An expression over replicates: the text of an array of what it may be, one element for each replicate.

    e            is public      ARRAY of e, e, …
    a0           is released    the array of its replicates
    e + f        …              dp_bars.each_add(e's array, f's array)
    sum(e)       over rows      dp_bars.each_sum(e's array), element by element

All is total: where the analyst's expression would raise on some replicate (x / 0), that has no value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import Family, SqlType, parse_type
from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.formulas import DecisionOf, ModeOf, QuantileOf
from dpproxy.plan.private_plan import Output
from dpproxy.rewrite.error_bars.origins import Origins
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.reading.error_bars import no_interval

Wanted = Callable[[exp.Column], exp.Expr]
_DOUBLE: Final = exp.DataType.build("double precision", dialect="postgres")
_BINARY: Final[Mapping[type[exp.Expr], str]] = {
    exp.Add: "add",
    exp.Sub: "subtract",
    exp.Mul: "multiply",
    exp.Mod: "modulo",
    exp.Pow: "power",
    exp.EQ: "equal",
    exp.NEQ: "unequal",
    exp.LT: "below",
    exp.LTE: "at_most",
    exp.And: "both",
    exp.Or: "either",
    exp.Nullif: "unless",
}
_TURNED: Final[Mapping[type[exp.Expr], str]] = {exp.GT: "below", exp.GTE: "at_most"}
_UNARY: Final[Mapping[type[exp.Expr], str]] = {
    exp.Neg: "negative",
    exp.Abs: "size",
    exp.Ceil: "ceiling",
    exp.Floor: "floor",
    exp.Sqrt: "root",
    exp.Ln: "ln",
    exp.Exp: "exp",
    exp.Not: "no",
}
_MANY: Final[Mapping[type[exp.Expr], str]] = {exp.Coalesce: "first", exp.Greatest: "greatest", exp.Least: "least"}
_AGGREGATES: Final[Mapping[type[exp.Expr], str]] = {exp.Sum: "sum", exp.Min: "min", exp.Max: "max"}
_ROWS: Final = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)
_NUMBERS: Final = (Family.INTEGER, Family.NUMERIC, Family.FLOAT)
_WHOLE: Final = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.Paren, exp.Abs, exp.Coalesce, exp.Nullif)


@dataclass(frozen=True, slots=True)
class Simulation:
    """What makes arrays of `size` replicates. wanted: the column that holds the replicates of one, of the released rows
    or of a derived table."""

    origins: Origins
    size: int
    wanted: Wanted

    def array(self, node: exp.Expr) -> exp.Expr:
        """The array of what an expression may be. Raises FeatureNotSupported where there is no rule for it."""
        if not self.origins.is_noisy(node):
            return self._filled(node)
        kind = type(node)
        if kind in _BINARY:
            return each(_BINARY[kind], self.array(node.this), self.array(node.expression))
        if kind in _TURNED:
            return each(_TURNED[kind], self.array(node.expression), self.array(node.this))
        if kind in _UNARY:
            return each(_UNARY[kind], self.array(node.this))
        if kind in _MANY:
            return each(_MANY[kind], *map(self.array, (node.this, *node.expressions)))
        return self._other(node)

    def _other(self, node: exp.Expr) -> exp.Expr:
        match node:
            case exp.Column():
                self.check(node)
                return self.wanted(node)
            case exp.Paren():
                return self.array(node.this)
            case exp.Div():
                name = "quotient" if self._is_whole(node) else "divide"
                return each(name, self.array(node.this), self.array(node.expression))
            case exp.Round():
                return each("round", self.array(node.this), self._filled(node.args.get("decimals") or _number(0)))
            case exp.Cast():
                return self._cast(node)
            case exp.Between():
                value = self.array(node.this)
                low = each("at_most", self.array(node.args["low"]), value)
                return each("both", low, each("at_most", value.copy(), self.array(node.args["high"])))
            case exp.Is(expression=exp.Null()):
                missing = each("missing", self.array(node.this))
                return each("no", missing) if node.args.get("negate") else missing
            case exp.Case():
                return self._case(node)
            case exp.Window():
                return self._window(node)
            case exp.Filter() | exp.Sum() | exp.Avg() | exp.Min() | exp.Max():
                return self._aggregate(node, lambda call: call)
            case exp.Subquery() if isinstance(node.this, exp.Select) and len(node.this.expressions) == 1:
                made = node.copy()
                made.this.set("expressions", [self.array(node.this.expressions[0].unalias())])
                return made
            case _:
                raise not_known(node)

    def _filled(self, node: exp.Expr) -> exp.Expr:
        """The array of what is the same in all replicates."""
        value = node.copy()
        if isinstance(node, exp.Condition) and is_condition(node):
            value = exp.Cast(this=exp.Paren(this=value), to=exp.DataType.build("integer"))
        value = exp.Cast(this=exp.Paren(this=value), to=_DOUBLE.copy())
        return exp.Anonymous(
            this="pg_catalog.array_fill", expressions=[value, exp.Array(expressions=[_number(self.size)])]
        )

    def check(self, column: exp.Column) -> None:
        """Raises FeatureNotSupported for a released column that has no replicates."""
        if _is_a_group_of_numbers(column):
            raise not_known(column)
        number = self.origins.number(column)
        if number is None:
            derived = self.origins.derived(column)
            if derived is None or not derived.is_plain:
                raise not_known(column)
        elif isinstance(number.output.formula, ModeOf | DecisionOf) or _is_a_moment(number.output):
            raise no_interval(column)

    def _is_whole(self, node: exp.Expr) -> bool:
        """Whether Postgres computes it in whole numbers."""
        match node:
            case exp.Column():
                number = self.origins.number(node)
                if number is not None:
                    return number.output.type.family is Family.INTEGER
                derived = self.origins.derived(node)
                return derived is not None and all(map(self._is_whole, derived.items))
            case exp.Literal():
                return not node.is_string and node.name.isdigit()
            case exp.Cast():
                return _type_of(node).family is Family.INTEGER
            case exp.Count():
                return True
            case _ if isinstance(node, _WHOLE):
                return all(self._is_whole(part) for part in node.iter_expressions())
            case _:
                return False

    def _cast(self, node: exp.Cast) -> exp.Expr:
        made, type_ = self.array(node.this), _type_of(node)
        match type_.family:
            case Family.INTEGER:
                return each("round", made, self._filled(_number(0)))
            case Family.NUMERIC if type_.modifiers:
                return each("round", made, self._filled(_number((*type_.modifiers, 0)[1])))
            case Family.NUMERIC | Family.FLOAT:
                return made
            case _:
                raise not_known(node)

    def _case(self, node: exp.Case) -> exp.Expr:
        default = node.args.get("default")
        made = self.array(exp.Null() if default is None else default)
        for branch in reversed(node.args["ifs"]):
            test = branch.this if node.this is None else exp.EQ(this=node.this.copy(), expression=branch.this.copy())
            made = each("choose", self.array(test), self.array(branch.args["true"]), made)
        return made

    def _window(self, node: exp.Window) -> exp.Expr:
        """Rows stay in the order that released numbers have."""
        around = [part for part in node.iter_expressions() if part is not node.this]
        if any(map(self.origins.is_noisy, around)):
            raise not_known(node)

        def over(call: exp.Expr) -> exp.Expr:
            return exp.Window(**{**{name: _copied(part) for name, part in node.args.items()}, "this": call})

        if isinstance(node.this, _ROWS):
            call = node.this.copy()
            call.set("this", self.array(node.this.this))
            if call.args.get("default") is not None:
                raise not_known(node)
            return over(call)
        return self._aggregate(node.this, over)

    def _aggregate(self, node: exp.Expr, around: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
        """An aggregate over released rows, within what stands around it."""
        if isinstance(node, exp.Filter):
            kept = node.expression
            if self.origins.is_noisy(kept):
                raise not_known(node)
            return self._aggregate(node.this, lambda call: around(exp.Filter(this=call, expression=kept.copy())))
        argument = node.this
        if type(node) in _AGGREGATES and not isinstance(argument, exp.Distinct | exp.Order):
            return around(each(_AGGREGATES[type(node)], self.array(argument)))
        if isinstance(node, exp.Avg) and not isinstance(argument, exp.Distinct | exp.Order):
            made = self.array(argument)
            there = each("no", each("missing", made.copy()))
            return each("divide", around(each("sum", made)), around(each("sum", there)))
        raise not_known(node)


def each(name: str, *arrays: exp.Expr) -> exp.Expr:
    """A function of the front's own, element by element."""
    return exp.Anonymous(this=f"dp_bars.each_{name}", expressions=list(arrays))


def _is_a_group_of_numbers(column: exp.Column) -> bool:
    """Whether rows were grouped by it: of a group of alike numbers there is no one bar."""
    select = column.find_ancestor(exp.Select)
    aggregate = column.find_ancestor(exp.AggFunc, exp.Filter, exp.Select)
    return select is not None and select.args.get("group") is not None and isinstance(aggregate, exp.Select)


def is_condition(node: exp.Expr) -> bool:
    """Whether it is true or false, by its form."""
    match node:
        case exp.Paren():
            return is_condition(node.this)
        case exp.Predicate() | exp.Connector() | exp.Not() | exp.Boolean() | exp.Between() | exp.In() | exp.Is():
            return True
        case _:
            return False


def not_known(node: exp.Expr) -> FeatureNotSupported:
    """The refusal of what there is no rule for."""
    return FeatureNotSupported(
        "how sure this is cannot be told",
        hint="Ask for it of the numbers themselves, dp.low(count(*)), or of arithmetic, ROUND, CASE, COALESCE, NULLIF, "
        "comparisons, and sums over windows of these.",
        position=position(node),
    )


def _type_of(cast: exp.Cast) -> SqlType:
    try:
        return parse_type(cast.to.sql("postgres").lower())
    except ValueError:
        raise not_known(cast) from None


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)


def _copied(part: object) -> object:
    if isinstance(part, list):
        return [_copied(each_) for each_ in part]
    return part.copy() if isinstance(part, exp.Expr) else part


def _is_a_moment(output: Output) -> bool:
    """Whether it is a quantile that is no number."""
    return isinstance(output.formula, QuantileOf) and output.type.family not in _NUMBERS
