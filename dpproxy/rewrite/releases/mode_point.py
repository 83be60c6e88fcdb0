"""MODE() of values that are not known before the statement runs: the values are keys of a release, and the most
frequent one is found in what was told of them.

    x of a public table, without groups     one choice among its values
    else                                    noisy counts of all groups and values, private ones selected; the largest
                                            count of each group is looked up in the statement for the front
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from dpproxy.plan.private_plan import FromPublic
from dpproxy.rewrite.calculus.aggregates_of import above, aggregates, read_from, substitute
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.reading.error_bars import bar_of, no_interval
from dpproxy.rewrite.releases.choice import choice_among
from dpproxy.rewrite.releases.draft import RELEASED, ReleaseDraft
from dpproxy.rewrite.releases.grouping import grouping_sets
from dpproxy.rewrite.releases.keys import keys
from dpproxy.rewrite.releases.modes import is_mode, known_mode, mode_argument
from dpproxy.rewrite.releases.release_point import grouped_release, refuse_rest
from dpproxy.rewrite.releases.released_rows import Replaced, released_alias, released_column
from dpproxy.rewrite.releases.weights import asked_of

_NOTE = "the mode is the value of the largest noisy count"
_VALUE = "value"


def asks_mode(select: exp.Select) -> bool:
    """Whether a mode is the only aggregate that is asked for."""
    found = {node for part in above(select) for node in aggregates(part)}
    return len(found) == 1 and is_mode(*found) and grouping_sets(select) is None


def mode_point(select: exp.Select, joined: Joined, context: PlanningContext, drafts: list[ReleaseDraft]) -> bool:
    """Add the release that `select`, which asks for one mode, needs, and change it to read that; False where the values
    are known beforehand, so that it is a release point as any.

    Claim: nothing of `select` that reads a private column is left in it.
    Because: as for `release_point`; the rest is a query over released rows.
    Checked by: tests/test_fixtures.py, tests/test_modes.py.
    Raises FeatureNotSupported for dp.low of the mode and its like: the value is a key, and which one it is is noise.
    """
    refuse_bars(select)
    ((node, weight),) = asked_of(select, context.settings).items()
    if known_mode(node, joined, context) is not None:
        return False
    group = select.args.get("group")
    written = list(dict.fromkeys(group.expressions)) if group else []
    alias, replaced, source = _released(written, {node: weight}, joined, context, drafts)
    substitute(select, {**replaced, node.copy(): released_column(alias, _VALUE)})
    read_from(select, source)
    refuse_rest([*above(select), select.args.get("where")], joined)
    return True


def unknown_modes(select: exp.Select, joined: Joined, context: PlanningContext) -> list[exp.Expr]:
    """The modes that a SELECT asks for of values that are not known beforehand."""
    found = dict.fromkeys(node for part in above(select) for node in aggregates(part) if is_mode(node))
    return [node for node in found if known_mode(node, joined, context) is None]


def mode_of_groups(
    written: Sequence[exp.Expr],
    node: exp.Expr,
    weight: Fraction,
    joined: Joined,
    context: PlanningContext,
    drafts: list[ReleaseDraft],
) -> tuple[exp.Subquery, tuple[exp.Expr, ...], Replaced]:
    """The release of one mode beside other aggregates: a row for each group that has a value, the columns that are its
    keys, and the one that is the mode. Raises FeatureNotSupported as `mode_point`."""
    alias, replaced, source = _released(written, {node: weight}, joined, context, drafts)
    assert isinstance(source, exp.Subquery)
    outer = f"{alias}_mode"
    source.set("alias", exp.TableAlias(this=exp.to_identifier(outer)))
    groups = tuple(released_column(outer, replaced[each].name) for each in written)
    return source, groups, {node.copy(): released_column(outer, _VALUE)}


def refuse_bars(select: exp.Select) -> None:
    """Raises FeatureNotSupported for error bars of a mode."""
    for call in select.find_all(exp.Anonymous):
        if bar_of(call) is not None and any(map(is_mode, call.expressions[0].find_all(exp.WithinGroup, exp.Mode))):
            raise no_interval(call)


def _released(
    written: Sequence[exp.Expr],
    asked: Mapping[exp.Expr, Fraction],
    joined: Joined,
    context: PlanningContext,
    drafts: list[ReleaseDraft],
) -> tuple[str, dict[exp.Expr, exp.Expr], exp.Expr]:
    """The alias, what each group key becomes, and the rows that are read under it: one for each group."""
    ((node, weight),) = asked.items()
    value, count = mode_argument(node), _count(node)
    if not written and (draft := _choice(value, {count: weight}, joined, context)) is not None:
        drafts.append(draft)
        alias = released_alias(len(drafts) - 1)
        return alias, {}, _single(_told(len(drafts) - 1), released_column(alias, draft.bounded.keys[0].name), alias)
    index, replaced = grouped_release([*written, value], {count: weight}, joined, context, drafts)
    bounded = drafts[index].bounded
    drafts[index] = replace(drafts[index], bounded=replace(bounded, notes=(*bounded.notes, _NOTE)))
    alias, groups = released_alias(index), [replaced[each] for each in written]
    told = _told(index, [*groups, exp.Ordered(this=replaced[count], desc=True)], replaced[value])
    if not written:
        return alias, {}, _single(told, replaced[value], alias)
    told.set("expressions", [*(each.copy() for each in groups), _named(replaced[value])])
    told.set("distinct", exp.Distinct(on=exp.Tuple(expressions=[each.copy() for each in groups])))
    return alias, {each.copy(): replaced[each] for each in written}, _derived(told, alias)


def _count(node: exp.Expr) -> exp.Expr:
    """COUNT(*) of the rows that the mode is of."""
    rows = exp.Count(this=exp.Star())
    return exp.Filter(this=rows, expression=node.expression.copy()) if isinstance(node, exp.Filter) else rows


def _choice(
    value: exp.Expr, count: Mapping[exp.Expr, Fraction], joined: Joined, context: PlanningContext
) -> ReleaseDraft | None:
    """A choice among the values of a public table, none of which is NULL; else None."""
    (keyed,) = keys([value], joined, context)
    public = isinstance(keyed.key.domain, FromPublic) and not keyed.key.domain.nullable
    return choice_among((keyed,), count, joined, context) if public else None


def _told(index: int, order: Sequence[exp.Expr] = (), there: exp.Expr | None = None) -> exp.Select:
    """SELECT FROM the release, where the value is there."""
    table = exp.table_(str(index), db=RELEASED, quoted=True, alias=released_alias(index))
    select = exp.Select(from_=exp.From(this=table))
    if there is not None:
        test = exp.Is(this=there.copy(), expression=exp.Null(), negate=True)
        select.set("where", exp.Where(this=test))
        select.set("order", exp.Order(expressions=[each.copy() for each in order]))
    return select


def _single(told: exp.Select, value: exp.Expr, alias: str) -> exp.Expr:
    """A table of one row: the first value that there is, or NULL."""
    told.set("expressions", [_named(value)])
    told.set("limit", exp.Limit(expression=exp.Literal.number(1)))
    return _derived(exp.Select(expressions=[_named(exp.Subquery(this=told))]), alias)


def _named(value: exp.Expr) -> exp.Expr:
    return exp.Alias(this=value.copy(), alias=exp.to_identifier(_VALUE))


def _derived(select: exp.Select, alias: str) -> exp.Expr:
    return exp.Subquery(this=select, alias=exp.TableAlias(this=exp.to_identifier(alias)))
