"""The values that a release tells, as the statement for the front reads them, and which of them are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.plan.private_plan import Key
from dpproxy.rewrite.expressions.trees.templates import filled
from dpproxy.rewrite.releases.key_sets import is_surely_there
from dpproxy.rewrite.releases.lists import SURELY, SURELY_ALL, is_list
from dpproxy.rewrite.releases.released_rows import named, released_alias, released_column, released_rows


@dataclass(frozen=True, slots=True)
class ToldValues:
    """The rows of a release of values. tests: which columns say of them that they are there, where all are told."""

    index: int
    keys: Sequence[Key]
    groups: int
    tests: frozenset[str]
    confidence: Decimal

    @property
    def alias(self) -> str:
        """Under which they are read."""
        return f"{released_alias(self.index)}_values" if self.tests else released_alias(self.index)

    @property
    def source(self) -> exp.Expr:
        """What stands in FROM."""
        table = released_rows(self.index)
        if not self.tests:
            return table
        here = released_alias(self.index)
        count, kept = released_column(here, "o0"), [released_column(here, key.name) for key in self.keys]
        tests = {
            SURELY: is_surely_there(count),
            SURELY_ALL: _is_there_among_all(count, kept[: self.groups], self.confidence),
        }
        items = [
            *(named(column, key.name) for column, key in zip(kept, self.keys, strict=True)),
            *(named(test, name) for name, test in tests.items() if name in self.tests),
        ]
        made = exp.Select(expressions=items, from_=exp.From(this=table))
        return exp.Subquery(this=made, alias=exp.TableAlias(this=exp.to_identifier(self.alias)))

    def column(self, name: str) -> exp.Expr:
        """One of their columns."""
        return released_column(self.alias, name)

    def there(self, node: exp.Expr, value: Key) -> list[exp.Expr]:
        """Which of them an aggregate of `value` is of. What is computed leaves NaN out, as elsewhere."""
        found = [self.column(test_of(node))] if self.tests else []
        if value.type.family is not Family.FLOAT or is_list(node):
            return found
        nan = exp.Cast(this=exp.Literal.string("NaN"), to=exp.DataType.build(str(value.type), dialect="postgres"))
        return [*found, exp.NEQ(this=self.column(value.name), expression=nan)]


def test_of(node: exp.Expr) -> str:
    """The column that says whether a value is there for an aggregate."""
    return SURELY if is_list(node) else SURELY_ALL


def _is_there_among_all(count: exp.Expr, groups: Sequence[exp.Expr], confidence: Decimal) -> exp.Expr:
    """Claim: of a group in which nobody has any of n values, some count is told from 0 with a chance of at most
    c = (1 − confidence)/2.

    Because: with t = ln(n/c), Laplace noise of standard deviation s is above s·t/√2 with a chance of exp(−t) = c/n at
    most, and Gaussian noise above s·√(2t), discrete as they are (Canonne, Kamath, Steinke 2020); the larger of both is
    asked for. Checked by: tests/test_lists.py.
    """
    among = exp.Window(this=exp.Count(this=exp.Star()), partition_by=[each.copy() for each in groups], over="OVER")
    chance = exp.Literal.number(str((1 - confidence) / 2))
    far = filled("ln(CAST(n AS double precision) / c)", {"n": among, "c": chance})
    stddev = exp.Anonymous(this="dp.stddev", expressions=[count.copy()])
    return filled("o > s * GREATEST(t / sqrt(2), sqrt(2 * t))", {"o": count, "s": stddev, "t": far})
