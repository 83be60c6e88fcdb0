"""Each call of `dp.low` and its like replaced by its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Final, TypeVar, assert_never

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.error_bars import Bar, BarColumn, Replicates, rank_beside_clips, rank_for, size_for
from dpproxy.plan.formulas import QuantileOf
from dpproxy.plan.private_plan import Input
from dpproxy.rewrite.error_bars.origins import Derived, Origins
from dpproxy.rewrite.error_bars.simulated import Simulation, each, not_known
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.reading.error_bars import bar_of
from dpproxy.rewrite.releases.draft import ReleaseDraft

Added = Mapping[str, Sequence[tuple[str, str, Input]]]
"""Columns that the released rows of an alias have besides: name, type and what they are."""
_DOUBLE: Final = "double precision"
_Made = TypeVar("_Made")


def place_error_bars(tree: exp.Query, drafts: Sequence[ReleaseDraft], confidence: Decimal) -> tuple[exp.Query, Added]:
    """The tree with values in the place of all calls, and what its released rows must have for that.

    Raises FeatureNotSupported where a call's value cannot be told.
    """
    if not any(bar_of(node) for node in tree.find_all(exp.Anonymous)):
        return tree, {}
    made = tree.copy()
    calls = [(node, bar) for node in made.find_all(exp.Anonymous) if (bar := bar_of(node)) is not None]
    placing = Placing(Origins.of(made, drafts), confidence)
    for node, bar in calls:
        node.replace(_told(node, partial(placing.bar, node.expressions[0], bar)))
    _told(calls[0][0], placing.add_derived)
    return made, placing.added


def _told(node: exp.Expr, make: Callable[[], _Made]) -> _Made:
    """What `make` makes; a refusal of what has no place in the text points at the call."""
    try:
        return make()
    except FeatureNotSupported as fault:
        if fault.position is None:
            fault.position = position(node)
        raise


@dataclass(slots=True)
class Placing:
    """The work on one statement. added: of released rows; asked: of derived tables, by alias and name of the column, a
    bar or (None) replicates, with the name that it has there."""

    origins: Origins
    confidence: Decimal
    added: dict[str, list[tuple[str, str, Input]]] = field(default_factory=dict)
    asked: dict[tuple[str, str, Bar | None], str] = field(default_factory=dict)

    @property
    def _simulation(self) -> Simulation:
        return Simulation(self.origins, size_for(self.confidence), self._replicates)

    @property
    def _rank(self) -> int:
        clips = any(each.bounded.clip is not None for each in self.origins.drafts)
        return rank_beside_clips(self.confidence) if clips else rank_for(self.confidence)

    def bar(self, node: exp.Expr, bar: Bar) -> exp.Expr:
        """The value of a bar of an expression."""
        bare = node.unnest()
        if not self.origins.is_noisy(bare):
            return self._exact(bare, bar)
        if isinstance(bare, exp.Column):
            return self._of_column(bare, bar)
        return self._clipped(bare) if bar is Bar.CLIPPED else self._simulated(bare, bar)

    def _exact(self, node: exp.Expr, bar: Bar) -> exp.Expr:
        """What is public has no error. How many released rows there are is not: what is told of them chose them."""
        if self.origins.is_aggregated(node):
            raise not_known(node)
        match bar:
            case Bar.LOW | Bar.HIGH:
                return _double(node)
            case Bar.HALF_WIDTH | Bar.STDDEV | Bar.CLIPPED:
                return _double(exp.Literal.number(0))
            case _:
                assert_never(bar)

    def _of_column(self, column: exp.Column, bar: Bar) -> exp.Expr:
        number = self.origins.number(column)
        if number is None or not isinstance(number.output.formula, QuantileOf):
            self._simulation.check(column)
        if number is None:
            return self._asked(column, bar)
        place = number.place
        wanted = BarColumn(place.release, place.column, bar, self.confidence, place.part)
        return self._added(column, wanted, _DOUBLE, f"{bar.value} of {column.name}")

    def _clipped(self, node: exp.Expr) -> exp.Expr:
        """The most that is clipped of any number in it."""
        columns = [c for c in node.find_all(exp.Column) if self.origins.is_noisy(c)]
        shares = [self._of_column(column, Bar.CLIPPED) for column in columns]
        return exp.Greatest(this=shares[0], expressions=shares[1:])

    def _simulated(self, node: exp.Expr, bar: Bar) -> exp.Expr:
        """Of replicates, where the expression has a value."""
        made = each(bar.value, self._simulation.array(node), exp.Literal.number(self._rank))
        there = exp.Not(this=exp.Is(this=exp.Paren(this=node.copy()), expression=exp.Null()))
        return exp.Case(ifs=[exp.If(this=there, true=made)])

    def _replicates(self, column: exp.Column) -> exp.Expr:
        """The column of replicates of a released one, as an array."""
        number = self.origins.number(column)
        if number is None:
            return self._asked(column, None)
        place = number.place
        wanted = Replicates(place.release, place.column, size_for(self.confidence), place.part)
        made = self._added(column, wanted, "text", f"replicates of {column.name}")
        return exp.Cast(this=made, to=exp.DataType.build(f"{_DOUBLE}[]", dialect="postgres"))

    def _added(self, column: exp.Column, wanted: Input, type_: str, name: str) -> exp.Expr:
        there = self.added.setdefault(column.table, [])
        if (name, type_, wanted) not in there:
            there.append((name, type_, wanted))
        return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(column.table, quoted=True))

    def _asked(self, column: exp.Column, bar: Bar | None) -> exp.Expr:
        name = self.asked.setdefault((column.table, column.name, bar), f"dpproxy_bar_{len(self.asked)}")
        return exp.column(exp.to_identifier(name), table=exp.to_identifier(column.table, quoted=True))

    def add_derived(self) -> None:
        """Give derived tables the columns that are asked of them, until no more are."""
        done = 0
        while done < len(self.asked):
            (alias, name, bar), wanted = list(self.asked.items())[done]
            column = exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(alias, quoted=True))
            derived = self.origins.derived(column)
            assert derived is not None, "it was asked for"
            self._add(derived, bar, wanted)
            done += 1

    def _add(self, derived: Derived, bar: Bar | None, name: str) -> None:
        for select in derived.selects:
            item = select.expressions[derived.index].unalias()
            made = self._simulation.array(item) if bar is None else self.bar(item, bar)
            select.append("expressions", exp.Alias(this=made, alias=exp.to_identifier(name)))


def _double(node: exp.Expr) -> exp.Expr:
    return exp.Cast(this=exp.Paren(this=node.copy()), to=exp.DataType.build(_DOUBLE, dialect="postgres"))
