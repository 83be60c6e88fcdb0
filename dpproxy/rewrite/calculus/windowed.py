"""Window functions over the rows of one unit (or over public rows): the rows stay, each with a column more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE, INTEGER, SqlType
from dpproxy.errors import FeatureNotSupported, NotPrivate
from dpproxy.rewrite import algebra
from dpproxy.rewrite.calculus.expanded_size import weigh_each
from dpproxy.rewrite.calculus.per_unit import Group, aggregated
from dpproxy.rewrite.calculus.projection import project
from dpproxy.rewrite.calculus.relations import UNIT, Joined, Readable
from dpproxy.rewrite.calculus.ties import holds_key, names_unit
from dpproxy.rewrite.caps import rows_within_a_unit
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.constants.literals import is_constant, value_of
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Scope, Typed, proved_by_type
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.shown import stands_for

WINDOWED = "dpproxy windowed"
MOST_BUCKETS = 20
"""Of an ntile over rows of several units: more would say little, and each is written out."""
_MOST_ROWS = 10_000
_AGGREGATES = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr, exp.Filter)
_PLAIN_AGGREGATES = (exp.Count, exp.Sum, exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr)
_NEIGHBOURS = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)
# What rows that are equal under ORDER BY get depends on their order, which an engine is free to choose.
_BY_ORDER = (exp.RowNumber, exp.Ntile, *_NEIGHBOURS)
_FUNCTIONS = (
    "Use ROW_NUMBER, RANK, LAG, LEAD, FIRST_VALUE, COUNT, SUM, AVG, MIN or MAX OVER (PARTITION BY its key ORDER BY …)."
)


def name_windows(select: exp.Select) -> None:
    """Put named windows where they are used."""
    if not select.args.get("windows"):
        return
    named = {str(node.name): node for node in select.args["windows"]}
    select.set("windows", None)
    for window in select.find_all(exp.Window):
        known = named.get(window.alias)
        if known is not None and window.find_ancestor(exp.Select) is select:
            window.set("alias", None)
            for part in ("partition_by", "order", "spec"):
                value = known.args.get(part)
                window.set(part, [v.copy() for v in value] if isinstance(value, list) else value and value.copy())


def windows(select: exp.Select) -> list[exp.Window]:
    """The window calls among the items of `select` itself."""
    return [
        w for item in select.expressions for w in item.find_all(exp.Window) if w.find_ancestor(exp.Select) is select
    ]


def windowed(select: exp.Select, joined: Joined, context: PlanningContext) -> Readable:
    """The rows with a column for each window call; `select` is changed to read them as WINDOWED.

    Claim: what a call computes for a row depends on the rows of that row's unit alone.
    Because: it is partitioned by the unit first; where the order of rows matters, it is settled by all that they hold,
    so that rows that remain equal are the same. Checked by: tests/test_language.py and `rewrite.checker`.
    Raises NotPrivate for a window over rows of several units.
    """
    found = list(dict.fromkeys(windows(select)))
    for window in found:
        _check(window, joined, context)
    operands: dict[exp.Expr, str] = {}
    for window in found:
        for part in _operands(window):
            operands.setdefault(part.copy(), f"p{len(operands)}")
    inside = {id(part) for window in windows(select) for part in window.walk()}
    read = [c for item in select.expressions for c in item.find_all(exp.Column) if id(c) not in inside]
    cells = {column.copy(): f"x{i}" for i, column in enumerate(dict.fromkeys(read))}
    both = [*cells.items(), *operands.items()]
    listed = [exp.Alias(this=node.copy(), alias=exp.to_identifier(name)) for node, name in both]
    weights = weigh_each({item.alias: item.this for item in listed}, joined.rowset.sources)
    rows = project(exp.Select(expressions=listed), joined, weights, context)
    more = weigh_each({f"w{i}": window for i, window in enumerate(found)}, joined.rowset.sources)
    made = replace(_relation(found, rows, operands, joined, context), weights={**weights, **more})
    places: dict[exp.Expr, str] = {window.copy(): f"w{i}" for i, window in enumerate(found)}
    places |= cells
    select.set("expressions", [item.transform(lambda node: _place(node, places)) for item in select.expressions])
    for clause in ("joins", "where", "order"):
        select.set(clause, None)
    source = exp.Table(this=exp.to_identifier(WINDOWED), alias=exp.TableAlias(this=exp.to_identifier(WINDOWED)))
    select.set("from_", exp.From(this=source))
    return made


def _place(node: exp.Expr, places: Mapping[exp.Expr, str]) -> exp.Expr:
    name = places.get(node)
    return node if name is None else stands_for(exp.column(name, table=WINDOWED, quoted=True), node)


def _operands(window: exp.Window) -> list[exp.Expr]:
    """What the engine needs as columns: arguments, partition and order."""
    call = window.this
    order = window.args.get("order")
    found = [*(window.args.get("partition_by") or []), *(o.this for o in (order.expressions if order else []))]
    if isinstance(call, exp.Filter):
        found.append(call.expression.this)
        call = call.this
    return [*(part for part in found if not isinstance(part, exp.Literal)), *_arguments(call)]


def _arguments(call: exp.Expr) -> list[exp.Expr]:
    parts = [call.args.get(name) for name in ("this", "default")]
    parts = [p.expressions[0] if isinstance(p, exp.Distinct) and p.expressions else p for p in parts]
    return [p for p in parts if isinstance(p, exp.Expr) and not isinstance(p, exp.Star | exp.Literal | exp.Null)]


def of_several(select: exp.Select, joined: Joined, context: PlanningContext) -> list[exp.Window]:
    """The windows over rows of several units: those that nothing parts by the unit."""
    return (
        []
        if joined.rowset.unit is None
        else [each for each in windows(select) if not _parts_units(each, joined, context)]
    )


def _parts_units(window: exp.Window, joined: Joined, context: PlanningContext) -> bool:
    rowset = joined.rowset
    return any(
        holds_key(p, rowset)
        or (isinstance(p, exp.Column) and names_unit((p.table, p.name), rowset.sources, rowset.edges, context.catalog))
        for p in window.args.get("partition_by") or []
    )


def over_several(window: exp.Window, joined: Joined) -> NotPrivate:
    """The refusal of a window over rows of several units."""
    unit = joined.rowset.unit
    return NotPrivate(
        f"a window over rows of several {unit}s",
        hint=f"Add the unit: OVER (PARTITION BY {_shown_key(joined)} …); {_instead(window)}.",
        position=position(window),
    )


def _shown_key(joined: Joined) -> str:
    """A column of the unit's key as the analyst may write it."""
    for source in joined.rowset.sources:
        for name in sorted(source.relation.key_columns & source.relation.facts.keys()):
            ours = source.alias.startswith("dpproxy")
            return source.relation.origins.get(name, ("", name))[1] if ours else name
    return "its key"


def _instead(window: exp.Window) -> str:
    """What is near to it over rows of everybody."""
    match window.this:
        case exp.Ntile():
            return f"or ntile(n) of one number, a date or a moment, where n is {MOST_BUCKETS} at most"
        case exp.RowNumber() | exp.Rank() | exp.DenseRank() | exp.PercentRank() | exp.CumeDist():
            kept = f"or keep the first buckets of ntile({MOST_BUCKETS}) in its place, whose bounds are released"
            return kept + "; or GROUP BY first, and rank the groups"
        case _:
            return "leave ORDER BY out, for a number of the whole partition; or GROUP BY first, and use it over groups"


def _check(window: exp.Window, joined: Joined, context: PlanningContext) -> None:
    if window.args.get("alias") or window.args.get("first") is False or window.find(exp.Distinct) is not None:
        raise _refused(window, "this form of window")
    if joined.rowset.unit is not None and not _parts_units(window, joined, context):
        raise over_several(window, joined)


def _relation(
    found: list[exp.Window], rows: Readable, operands: Mapping[exp.Expr, str], joined: Joined, context: PlanningContext
) -> Readable:
    scope: Scope = {
        (WINDOWED, name): Typed(exp.column(exp.to_identifier(held, quoted=True)), rows.facts[name])
        for name, held in rows.held.items()
    }
    made = {f"w{i}": _call(window, operands, scope, rows, joined, context) for i, window in enumerate(found)}
    unit = [UNIT] if rows.unit is not None else []
    items = [algebra.Item(held, exp.column(held)) for held in (*unit, *rows.held.values())]
    items += [algebra.Item(name, context.formed(typed)) for name, typed in made.items()]
    return replace(
        rows,
        tree=algebra.Select(tuple(items), algebra.of(rows.tree, "r")),
        facts={**rows.facts, **{name: typed.fact for name, typed in made.items()}},
        held={**rows.held, **{name: name for name in made}},
        numbers=frozenset(name for name, window in zip(made, found, strict=True) if _numbers_unit(window, joined)),
    )


def _numbers_unit(window: exp.Window, joined: Joined) -> bool:
    """Whether it numbers all rows of a unit from 1."""
    parts, rowset = window.args.get("partition_by") or [], joined.rowset
    return isinstance(window.this, exp.RowNumber) and all(holds_key(p, rowset) for p in parts)


def _call(
    window: exp.Window,
    operands: Mapping[exp.Expr, str],
    scope: Scope,
    rows: Readable,
    joined: Joined,
    context: PlanningContext,
) -> Typed:
    def place(node: exp.Expr) -> exp.Expr:
        name = operands.get(node)
        return node if name is None else exp.column(name, table=WINDOWED, quoted=True)

    placed = window.transform(place)
    assert isinstance(placed, exp.Window)
    over = _over(placed, window, scope, rows, context)
    call = placed.this
    if isinstance(call, _AGGREGATES):
        most = joined.rowset.rows if rows.unit is None else rows_within_a_unit(joined.rowset.rows, context)
        group = Group(scope, most, placed.args.get("spec") is not None, lambda typed: typed, rows.unit is None)
        typed = aggregated(call, group, context)
        swapped = typed.sql.transform(lambda node: _windowed(node, over))
        assert isinstance(swapped, exp.Expression)
        return Typed(swapped, typed.fact)
    typed = _ranked(call, scope, joined.rowset.rows, context)
    return Typed(_windowed_call(typed.sql, over), typed.fact)


def _windowed(node: exp.Expr, over: Mapping[str, object]) -> exp.Expr:
    return _windowed_call(node, over) if isinstance(node, _PLAIN_AGGREGATES) else node


def _windowed_call(node: exp.Expr, over: Mapping[str, object]) -> exp.Expression:
    return exp.Window(this=node.copy(), **{name: value for name, value in over.items() if value})


def _over(
    placed: exp.Window, window: exp.Window, scope: Scope, rows: Readable, context: PlanningContext
) -> dict[str, object]:
    """The window with the unit first and, where the order of equal rows matters, all columns last."""
    parts = [context.total(p, scope).sql for p in placed.args.get("partition_by") or []]
    unit = [exp.column(UNIT)] if rows.unit is not None else []
    order = placed.args.get("order")
    ordered = [_ordered(o, scope, context) for o in (order.expressions if order else [])]
    spec = placed.args.get("spec")
    call = window.this.this if isinstance(window.this, exp.Filter) else window.this
    if rows.unit is not None and (
        isinstance(call, _BY_ORDER) or (spec is not None and str(spec.args["kind"]).upper() == "ROWS")
    ):
        known = {o.this for o in ordered}
        ordered += [
            exp.Ordered(this=column, nulls_first=False)
            for held in rows.held.values()
            if (column := exp.column(exp.to_identifier(held, quoted=True))) not in known
        ]
    return {
        "partition_by": [*unit, *parts],
        "order": exp.Order(expressions=ordered) if ordered else None,
        "spec": _frame(spec, window),
        "over": "OVER",
    }


def _ordered(node: exp.Ordered, scope: Scope, context: PlanningContext) -> exp.Ordered:
    if isinstance(node.this, exp.Literal):
        return node.copy()
    return exp.Ordered(
        this=context.total(node.this, scope).sql, desc=node.args.get("desc"), nulls_first=node.args.get("nulls_first")
    )


def _frame(spec: exp.WindowSpec | None, window: exp.Window) -> exp.WindowSpec | None:
    if spec is None:
        return None
    ends = [spec.args.get(name) for name in ("start", "end")]
    plain = all(end is None or isinstance(end, str) or _is_small(end) for end in ends)
    moved = any(isinstance(end, exp.Literal) for end in ends)
    if not plain or spec.args.get("exclude") or (moved and str(spec.args["kind"]).upper() != "ROWS"):
        raise _refused(window, "this frame of a window", "Use ROWS BETWEEN n PRECEDING AND CURRENT ROW, or no frame.")
    words = ("kind", "start", "end", "start_side", "end_side")
    return exp.WindowSpec(
        **{
            name: value.upper() if name in words and isinstance(value, str) else value
            for name, value in spec.copy().args.items()
        }
    )


def _is_small(node: object) -> bool:
    """Whether it is a whole number that no engine calls out of range."""
    return isinstance(node, exp.Literal) and node.is_int and int(node.name) <= _MOST_ROWS


def _ranked(call: exp.Expr, scope: Scope, rows: int, context: PlanningContext) -> Typed:
    most = Interval(Fraction(1), Fraction(max(rows, 1)))
    match call:
        case exp.RowNumber() | exp.Rank() | exp.DenseRank() if not call.expressions:
            return Typed(type(call)(), _number(BIGINT, most))
        case exp.Ntile() if _is_small(call.this) and int(call.this.name) > 0:
            return Typed(call.copy(), _number(INTEGER, Interval(Fraction(1), Fraction(int(call.this.name)))))
        case exp.PercentRank() | exp.CumeDist() if not call.expressions:
            return Typed(type(call)(), replace(_number(DOUBLE, Interval(Fraction(0), Fraction(1))), step=None))
        case exp.Lag() | exp.Lead() | exp.FirstValue() | exp.LastValue() | exp.NthValue():
            return _neighbour(call, scope, context)
        case _:
            raise _refused(call, "this window function")


def _number(type_: SqlType, interval: Interval) -> Fact:
    proved = proved_by_type(type_) or Interval(Fraction(0), Fraction(1))
    return Fact(type_, interval, proved, None, False, True, Decimal(1))


def _neighbour(call: exp.Expr, scope: Scope, context: PlanningContext) -> Typed:
    offset = call.args.get("offset")
    if offset is not None:
        constant = None if offset.find(exp.Column) is not None else context.total(offset, {})
        value = value_of(constant) if constant is not None and is_constant(constant) else None
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= 10_000:
            raise _refused(call, "an offset other than a number from 1 to 10000", "Write a number: LAG(x, 2) OVER (…).")
    if call.args.get("default") is not None:
        raise _refused(call, "a default of LAG or LEAD", "Put it around the window: COALESCE(LAG(x) OVER (…), 0).")
    operand = context.total(call.this, scope)
    made = call.copy()
    made.set("this", operand.sql)
    assert isinstance(made, exp.Expression)
    return Typed(made, replace(operand.fact, nullable=True))


def _refused(node: exp.Expr, what: str, hint: str = _FUNCTIONS) -> FeatureNotSupported:
    return FeatureNotSupported(
        f"{what} over private rows is not supported",
        hint=hint,
        position=position(node),
    )
