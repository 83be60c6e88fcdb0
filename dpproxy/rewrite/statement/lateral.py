"""LATERAL over the rows of a unit: the correlated query becomes a derived table, joined on what it is correlated by.

The first rows of a LIMIT are those of each such key, by ROW_NUMBER; an aggregate is grouped by it.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported, NotPrivate
from dpproxy.rewrite.calculus.aggregates_of import aggregates, is_aggregating
from dpproxy.rewrite.calculus.from_clause import flat, items
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.calculus.order_and_limit import end_of
from dpproxy.rewrite.expressions.constants.literals import is_constant, value_of
from dpproxy.rewrite.expressions.trees.position import at_first_column, position, start
from dpproxy.rewrite.statement.correlation import aliases_read, equality, is_plain_group, own_aliases
from dpproxy.rewrite.statement.lateral_columns import (
    compute_in_place,
    compute_outside,
    export,
    is_inner,
    is_kept,
    is_of_first_rows,
    is_of_rows,
    is_one_row,
)
from dpproxy.rewrite.statement.lateral_rows import needs_its_row, read_again
from dpproxy.rewrite.statement.tracker import Tracker

_KEY = "dpproxy key"
_NUMBER = "dpproxy number"
_AGGREGATE = "dpproxy aggregate"


def has_laterals(select: exp.Select) -> bool:
    """Whether some item of FROM is LATERAL, in parentheses or not."""
    return any(isinstance(node, exp.Lateral) for item in items(select) for node in flat(item.node))


def unfold_laterals(select: exp.Select, tracker: Tracker) -> None:
    """Change LATERAL items of FROM into derived tables.

    Raises FeatureNotSupported where they are correlated by anything but equalities.
    """
    for join in list(select.args.get("joins") or []):
        if isinstance(join.this, exp.Lateral):
            _unfold(join, select, tracker)


def refuse_with(queries: Iterable[exp.Expr]) -> None:
    """Raises FeatureNotSupported where one of these queries of LATERAL has a WITH of its own."""
    for with_ in (query.args["with_"] for query in queries if query.args.get("with_") is not None):
        raise FeatureNotSupported(
            "WITH inside of LATERAL is not supported in a statement over private tables",
            hint="Write it before the SELECT: WITH t AS (…) SELECT … FROM p, LATERAL (SELECT … FROM t …) AS s.",
            position=position(with_),
        )


def _unfold(join: exp.Join, select: exp.Select, tracker: Tracker) -> None:
    lateral = join.this
    inner = _query_of(lateral)
    if _is_computed(join, inner, select):
        compute_in_place(join, select)
        return
    if needs_its_row(inner, join, select):
        read_again(inner, select, tracker.context.catalog)
    own, parts = own_aliases(inner), where_of(inner)
    outward = [part for part in parts if aliases_read(part) - own]
    pairs = [pair for part in outward if (pair := equality(part, own)) is not None]
    asked = [part for part in outward if equality(part, own) is None]
    kept = [part for part in parts if part not in outward]
    inner.set("where", exp.Where(this=exp.and_(*kept, copy=False)) if kept else None)
    if is_of_rows(inner):
        _read_outside(inner, asked, own, join, select)
    elif asked:
        raise _by_more(asked[0])
    elif is_of_first_rows(inner) and is_inner(join, select):
        compute_outside(select, inner, lateral.alias, own)
    if aliases_read(inner) - own:
        raise _refused(lateral)
    keys = [node.copy() for node, _ in pairs]
    _group(inner, keys, join, select)
    if inner.args.get("limit") is not None:
        inner = _first(inner, keys, tracker, lateral)
        keys = [exp.column(f"{_KEY} {i}", table=_NUMBER, quoted=True) for i in range(len(keys))]
    for i, key in enumerate(keys):
        inner.append("expressions", exp.Alias(this=key, alias=exp.to_identifier(f"{_KEY} {i}", quoted=True)))
    inner.set("order", None)
    on = [*([join.args["on"]] if join.args.get("on") is not None else []), *asked]
    on += [
        exp.EQ(this=exp.column(f"{_KEY} {i}", table=lateral.alias, quoted=True), expression=outer.copy())
        for i, (_, outer) in enumerate(pairs)
    ]
    join.set("this", exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(lateral.alias, quoted=True))))
    join.set("kind", None)
    join.set("on", exp.and_(*on, copy=False) if on else None)


def _is_computed(join: exp.Join, inner: exp.Select, select: exp.Select) -> bool:
    """Whether it is one row that is made of the row before it, and is there for each."""
    one = inner.args.get("from_") is None and is_one_row(inner)
    return one and (is_inner(join, select) or _is_beside(join, inner, select))


def _group(inner: exp.Select, keys: list[exp.Expr], join: exp.Join, select: exp.Select) -> None:
    """Let what is grouped be grouped by what it is correlated by, too. Raises what `_check_clauses` does, and
    NotPrivate for a limit that is nobody's."""
    _check_clauses(inner)
    if inner.args.get("limit") is not None and not keys:
        raise NotPrivate(
            "LIMIT in this LATERAL would keep rows of some units and not of others",
            hint="Tie it to the unit: LATERAL (SELECT … WHERE t.key = outer.key ORDER BY … LIMIT n).",
            position=start(inner),
        )
    if inner.args.get("group") is not None:
        group = inner.args["group"]
        for key in keys:
            if key not in group.expressions:
                group.append("expressions", key.copy())
    elif is_aggregating(inner):
        if not is_kept(join, select):
            raise _of_clause("an aggregate before a RIGHT or FULL JOIN", inner, "Write that join before LATERAL.")
        alias = join.this.alias
        inner.set("group", exp.Group(expressions=[key.copy() for key in keys]) if keys else None)
        _aggregates_alone(inner, select, alias)
        _keep_all(join, select, join.this)


def _query_of(lateral: exp.Expr) -> exp.Select:
    """The query of LATERAL, its items called as the names behind it say."""
    inner = lateral.this.this if isinstance(lateral.this, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or not lateral.alias:
        raise _refused(lateral)
    names = lateral.args["alias"].columns
    if len(names) > len(inner.expressions):
        raise _refused(lateral)
    for place, name in enumerate(names):
        inner.expressions[place].replace(exp.Alias(this=inner.expressions[place].unalias(), alias=name.copy()))
    lateral.args["alias"].set("columns", None)
    return inner


def _is_beside(join: exp.Join, inner: exp.Select, select: exp.Select) -> bool:
    """Whether a LEFT JOIN of one row has it for each row before: it asks nothing."""
    on = join.args.get("on")
    always = on is None or (isinstance(on, exp.Boolean) and bool(on.this))
    left = str(join.args.get("side") or "").upper() == "LEFT"
    return left and always and inner.args.get("where") is None and is_kept(join, select)


def _read_outside(inner: exp.Select, asked: list[exp.Expr], own: set[str], join: exp.Join, select: exp.Select) -> None:
    """Of rows that are each by themselves, what reads the row before them too is asked and computed beside both."""
    alias = join.this.alias
    if is_inner(join, select):
        compute_outside(select, inner, alias, own)
    for part in asked:
        if part.find(exp.Query) is not None:
            raise _by_more(part)
        export(part, inner, alias, own)


def _check_clauses(inner: exp.Select) -> None:
    """Raises FeatureNotSupported for clauses that would mean something else of the rows of all."""
    group, distinct = inner.args.get("group"), inner.args.get("distinct")
    if group is not None and not is_plain_group(group):
        raise _of_clause("GROUPING SETS", group, "Write it as a derived table, and join that on its key.")
    if inner.args.get("having") is not None and group is None:
        raise _of_clause("HAVING without GROUP BY", inner.args["having"], "Ask it outside: WHERE x.n > 2.")
    if distinct is not None and (distinct.args.get("on") is not None or inner.args.get("limit") is not None):
        raise _of_clause("DISTINCT with ON or LIMIT", inner, "Write GROUP BY in its place: SELECT k FROM … GROUP BY k.")


def _of_clause(clause: str, node: exp.Expr, hint: str) -> FeatureNotSupported:
    return FeatureNotSupported(
        f"{clause} inside of LATERAL is not supported over private rows", hint=hint, position=at_first_column(node)
    )


def _by_more(part: exp.Expr) -> FeatureNotSupported:
    return FeatureNotSupported(
        "this LATERAL has groups or a limit, and reads the row before it by more than equality",
        hint="It may do so where that row is of a table with a primary key. Else join rows before they are grouped: "
        "FROM p JOIN t ON t.key = p.key AND t.x > p.y GROUP BY …; or LEAD(x) OVER (PARTITION BY key ORDER BY …).",
        position=at_first_column(part),
    )


def _keep_all(join: exp.Join, select: exp.Select, lateral: exp.Expr) -> None:
    """An aggregate has a row for each outer one: a LEFT JOIN, whose own condition is one of WHERE."""
    on = join.args.get("on")
    if on is not None and not (isinstance(on, exp.Boolean) and on.this):
        if str(join.args.get("side") or ""):
            raise _refused(lateral)
        select.set("where", exp.Where(this=exp.and_(*where_of(select), on, copy=False)))
    join.set("side", "LEFT")
    join.set("kind", None)
    join.set("on", None)


def _aggregates_alone(inner: exp.Select, select: exp.Select, alias: str) -> None:
    """The items become the aggregates themselves; what is computed of them moves to where the items are read.

    Where the outer join finds no group there were no rows: a count is 0 then, and all else is NULL.
    """
    found = list(dict.fromkeys(node for item in inner.expressions for node in aggregates(item)))
    places = {node.copy(): exp.column(f"{_AGGREGATE} {i}", table=alias, quoted=True) for i, node in enumerate(found)}

    def place(node: exp.Expr) -> exp.Expr:
        known = places.get(node)
        if known is None:
            return node
        counted = isinstance(node.this if isinstance(node, exp.Filter) else node, exp.Count)
        return exp.Coalesce(this=known.copy(), expressions=[exp.Literal.number(0)]) if counted else known.copy()

    meant = {item.alias_or_name: item.unalias().copy().transform(place) for item in inner.expressions}
    for column in list(select.find_all(exp.Column)):
        if column.table == alias and column.name in meant:
            column.replace(exp.Paren(this=meant[column.name].copy()))
    inner.set(
        "expressions",
        [
            exp.Alias(this=node.copy(), alias=exp.to_identifier(f"{_AGGREGATE} {i}", quoted=True))
            for i, node in enumerate(places)
        ],
    )


def _first(inner: exp.Select, keys: list[exp.Expr], tracker: Tracker, lateral: exp.Expr) -> exp.Select:
    """The rows that LIMIT and OFFSET keep of each key."""
    least = _whole(inner.args.get("offset"), tracker, lateral)
    most = least + _whole(inner.args["limit"], tracker, lateral)
    order, names = inner.args.get("order"), [item.alias_or_name for item in inner.expressions]
    named = {item.alias_or_name: item.unalias() for item in inner.expressions}
    ordered = [each.copy() for each in order.expressions] if order is not None else []
    for each in ordered:
        column = each.this
        if isinstance(column, exp.Column) and not column.table and column.name in named:
            each.set("this", named[column.name].copy())
    number = exp.Window(
        this=exp.RowNumber(),
        partition_by=[key.copy() for key in keys],
        order=exp.Order(expressions=ordered) if ordered else None,
        over="OVER",
    )
    for clause in ("order", "limit", "offset"):
        inner.set(clause, None)
    for i, key in enumerate(keys):
        inner.append("expressions", exp.Alias(this=key.copy(), alias=exp.to_identifier(f"{_KEY} {i}", quoted=True)))
    inner.append("expressions", exp.Alias(this=number, alias=exp.to_identifier(_NUMBER, quoted=True)))
    place = exp.column(_NUMBER, table=_NUMBER, quoted=True)
    kept: list[exp.Expr] = [exp.LTE(this=place, expression=exp.Literal.number(most))]
    kept += [exp.GT(this=place.copy(), expression=exp.Literal.number(least))] if least else []
    return exp.Select(
        expressions=[
            exp.Alias(this=exp.column(name, table=_NUMBER, quoted=True), alias=exp.to_identifier(name, quoted=True))
            for name in names
        ],
        from_=exp.From(
            this=exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(_NUMBER, quoted=True)))
        ),
        where=exp.Where(this=exp.and_(*kept, copy=False)),
    )


def _whole(clause: exp.Expr | None, tracker: Tracker, lateral: exp.Expr) -> int:
    if clause is None:
        return 0
    typed = tracker.context.total(end_of(clause), {})
    value = value_of(typed) if is_constant(typed) else None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 1_000_000:
        raise _refused(lateral)
    return value


def _refused(node: exp.Expr) -> FeatureNotSupported:
    return FeatureNotSupported(
        "this form of LATERAL over private rows is not supported",
        hint="Write one plain SELECT in it that reads the row before it in WHERE, joined ON TRUE: LATERAL (SELECT … "
        "FROM t WHERE t.key = p.key ORDER BY … LIMIT n) AS name, and what is computed of an aggregate and that row "
        "outside of it; or join a derived table.",
        position=at_first_column(node),
    )
