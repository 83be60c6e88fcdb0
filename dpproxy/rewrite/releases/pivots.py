"""Counts under conditions of which no row meets two are one count by one key more, written side by side.

    asked      SELECT mode, sum(CASE WHEN p = 'a' THEN 1 ELSE 0 END) AS a, count(*) FILTER (WHERE p = 'b') AS b
               FROM t GROUP BY mode
    released   SELECT mode, CASE WHEN p = 'a' THEN 1 WHEN p = 'b' THEN 2 END, count(*) FROM t
               WHERE CASE … END IN (1, 2) GROUP BY 1, 2
    read       mode, and a column for each of both numbers

So they have one price and one noise, as numbers by a key have, where each by itself would have a part of the price.

*When?* Where a unit has one row, always: it moves one of them, by one, and noise is for that.

Where units are scaled down, it is to one clip of their counts together: for one price, n counts have the noise of √n·τᵢ
under zCDP and of n·τᵢ in pure accounting at clips τ₁ … τₙ of their own, and of τ at one, which is no more than the L2
norm of all τᵢ, or their sum. So the sum of squared errors is not larger; but what is rare has the noise of what is
frequent. It is done where that is how keys would have it: the conditions choose among the known values of one column,
or parts of a date, and about as many each. Who does not want it gives the columns weights (`dp.weights`).

Where caps hold, a unit would count in fewer keys by it; and of private keys fewer would be told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from sqlglot import exp

from dpproxy.plan.private_plan import PrivateKeys
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions import exclusive, left_by, narrow
from dpproxy.rewrite.expressions.trees.build import number
from dpproxy.rewrite.releases.bound import has_no_cap
from dpproxy.rewrite.releases.keys import keys
from dpproxy.rewrite.releases.uncapped_rows import loosened

_MOST: Final = 50
"""Each two conditions are compared."""
_TIMES: Final = 2
"""What is left of some values is about as much as what is left of others, if it is not so many times as many."""
_ONE: Final = exp.Literal.number(1)
_ZERO: Final = exp.Literal.number(0)
COUNT: Final = exp.Count(this=exp.Star())
"""What is released in the place of all of them."""


@dataclass(frozen=True, slots=True)
class Pivot:
    """which: the number of the count that a row is counted in, from 1, as an expression; places: of each aggregate, its
    number; rows: those that are counted in one; weight: what each of them weighs."""

    which: exp.Expr
    places: Mapping[exp.Expr, int]
    rows: Joined
    weight: Fraction

    @property
    def across(self) -> int:
        """How many numbers there are."""
        return max(self.places.values())


def pivot(
    written: Sequence[exp.Expr], found: Mapping[exp.Expr, Fraction], joined: Joined, context: PlanningContext
) -> Pivot | None:
    """The aggregates of a SELECT as one count by one key more; None where they are no such counts, or of different
    weights, or nothing is gained. written: the keys of GROUP BY.

    Claim: a row adds one to just those of the aggregates whose condition it meets. Because: of several conditions it
    meets one at most, so that it is the first that it meets in `which`; conditions alike are one.
    Checked by: tests/test_pivots.py.
    """
    conditions = {node: each for node in found if (each := _condition(node)) is not None}
    asked = list(dict.fromkeys(conditions.values()))
    if len(conditions) != len(found) or not 2 <= len(asked) <= _MOST or len(set(found.values())) != 1:
        return None
    constant = [context.constant(each) for each in asked]
    if not exclusive(constant, joined.scope) or not (joined.rowset.one_row or _about_as_many(constant, joined)):
        return None
    which = exp.Case(ifs=[exp.If(this=each.copy(), true=number(place)) for place, each in enumerate(asked, 1)])
    rows = _counted(joined, which, len(asked), context)
    if not _is_gain([*written, which], rows, context):
        return None
    places = {node: 1 + asked.index(each) for node, each in conditions.items()}
    return Pivot(which, places, rows, next(iter(found.values())))


def _about_as_many(conditions: Sequence[exp.Expression], joined: Joined) -> bool:
    """Whether the conditions are about one value, and leave about as many of it each."""
    left = left_by(conditions, joined.scope)
    return left is not None and 0 < max(left) <= _TIMES * min(left)


def _is_gain(written: Sequence[exp.Expr], rows: Joined, context: PlanningContext) -> bool:
    """Whether all keys are public, and noise is for one row or for a clip."""
    keyed = keys(written, rows, context)
    if any(isinstance(each.key.domain, PrivateKeys) for each in keyed):
        return False
    return rows.rowset.one_row or has_no_cap(loosened(rows, keyed, context).rowset, keyed)


def _counted(joined: Joined, which: exp.Expr, many: int, context: PlanningContext) -> Joined:
    """The rows that are counted in one of them."""
    there = exp.In(this=which.copy(), expressions=[number(place) for place in range(1, 1 + many)])
    rowset = joined.rowset
    where = (*rowset.tree.where, context.formed(context.condition(there, joined.scope)))
    scope = narrow([context.constant(there)], joined.scope)
    return Joined(replace(rowset, tree=replace(rowset.tree, where=where)), scope)


def _condition(node: exp.Expr) -> exp.Expr | None:
    """The condition under which an aggregate counts a row; None where it does anything else."""
    match node:
        case exp.Filter(this=exp.Count(this=exp.Star() | exp.Literal()), expression=exp.Where(this=condition)):
            return _bare(condition)
        case exp.Count(this=exp.Case() as case) if isinstance(_counts(case), exp.Literal):
            return _met(case)
        case exp.Sum(this=exp.Case() as case) if _counts(case) == _ONE:
            return _met(case)
        case _:
            return None


def _counts(case: exp.Case) -> exp.Expr | None:
    """What a row adds that meets the one condition, where others add nothing; of a sum, or 0."""
    nothing = (None, exp.null(), _ZERO) if isinstance(case.parent, exp.Sum) else (None, exp.null())
    if len(case.args["ifs"]) != 1 or case.args.get("default") not in nothing:
        return None
    added: exp.Expr = case.args["ifs"][0].args["true"]
    return added


def _met(case: exp.Case) -> exp.Expr:
    condition: exp.Expr = case.args["ifs"][0].this
    return _bare(condition) if case.this is None else exp.EQ(this=case.this.copy(), expression=condition.copy())


def _bare(condition: exp.Expr) -> exp.Expr:
    return condition.unnest()
