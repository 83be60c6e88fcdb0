"""A correlated scalar aggregate over private rows of whomever: a release by what it is correlated by, joined back.

`l.quantity < (SELECT AVG(quantity) FROM lineitem WHERE partkey = p.partkey)` with p public becomes a release grouped by
partkey, whose keys are those of p that the rest of the query, as far as it is public, lets through. Correlated on
private columns, its keys are private ones, and by one that was not chosen nothing is found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported, NotPrivate
from dpproxy.plan.formulas import CountOf, SelectedCount
from dpproxy.plan.private_plan import Output, PrivateKeys
from dpproxy.rewrite.calculus.aggregates_of import is_aggregating, substitute
from dpproxy.rewrite.calculus.from_clause import FromItem, WrittenJoin, items
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.calculus.relations import Readable
from dpproxy.rewrite.expressions.trees.position import at_first_column
from dpproxy.rewrite.expressions.trees.templates import filled
from dpproxy.rewrite.releases.draft import ReleaseDraft
from dpproxy.rewrite.releases.list_point import asks_lists, looked_up_point
from dpproxy.rewrite.releases.released_rows import released_alias, released_column
from dpproxy.rewrite.releases.sample_aggregate import is_sampled, point
from dpproxy.rewrite.shown import as_written, shown, stands_for
from dpproxy.rewrite.statement.correlation import aliases_read, equality, is_test, own_aliases
from dpproxy.rewrite.statement.pulled_up import beyond, is_first, pulled_up
from dpproxy.rewrite.statement.subquery_refusals import returned, several
from dpproxy.rewrite.statement.tracker import Names, Tracker

KEYS = "dpproxy keys"
GROUPS = "dpproxy groups"
Correlation = tuple[exp.Expr, exp.Column]
_COMPARISONS = (exp.EQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_STRICT = (
    *(*_COMPARISONS, exp.Column, exp.Identifier, exp.Literal, exp.Paren, exp.Cast, exp.DataType, exp.DataTypeParam),
    *(exp.Add, exp.Sub, exp.Mul, exp.Upper, exp.Lower, exp.Interval, exp.Var),
)
"""What is NULL where some operand is: then a comparison of it is not true."""


def _is_of_own_with(node: exp.Expr, names: Names) -> bool:
    """Whether it is a query of WITH within the subquery, which reads no row around it."""
    return isinstance(node, exp.Table) and not node.db and node.name not in names


def lookup(query: exp.Expr, select: exp.Select, tracker: Tracker, names: Names) -> None:
    """Make the subquery of a public SELECT a release, where it is an aggregate over private rows."""
    inner = query
    while isinstance(inner, exp.Subquery | exp.Paren):
        inner = inner.this
    if not isinstance(inner, exp.Select) or any(_is_of_own_with(item.node, names) for item in items(inner)):
        return
    relations = [tracker.source(item.node, names, None) for item in items(inner)]
    if not any(isinstance(relation, Readable) and relation.unit is not None for relation in relations):
        return
    if not is_aggregating(inner):
        raise unreleased(inner) if is_test(query) else returned(inner)
    if inner.args.get("group") is not None and (is_test(query) or beyond(inner)):
        inner.replace(_of_groups(inner, query, tracker))
        return
    if _may_join(query, select):
        _join_in(query, inner, _released(inner, select, tracker, names), select)
    else:
        _look_up(inner, _released(inner, select, tracker, names))


def _of_groups(inner: exp.Select, query: exp.Expr, tracker: Tracker) -> exp.Select:
    """The rows of a release of its own that the correlation chooses: of a value, one."""
    if not is_test(query) and not is_first(inner):
        raise several(inner)
    made = pulled_up(inner, f"{GROUPS} {len(tracker.known)}")
    if made is None:
        raise _refused(inner)
    return made


def unreleased(query: exp.Expr) -> NotPrivate:
    """The refusal of a subquery of a public query that asks for private rows themselves."""
    table = as_written(next(iter(query.find_all(exp.Table))).alias_or_name)
    return NotPrivate(
        f'the answer would show without noise whether "{table}" has a row',
        hint="Count them instead, which is released with noise: (SELECT COUNT(*) FROM … WHERE …) > 0.",
        position=at_first_column(query),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """The alias of released rows, what their keys are equal to in the outer query, each with the name of the key
    and =, or what finds a NULL, too; which columns are counts, and which are JSON."""

    alias: str
    equal: tuple[tuple[str, exp.Column, type[exp.Binary]], ...]
    counts: frozenset[str]
    jsons: frozenset[str] = frozenset()


def as_release(query: exp.Select, select: exp.Select, tracker: Tracker, names: Names) -> None:
    """Change `query`, a correlated aggregate in `select`, to look its answer up among released rows.

    Raises FeatureNotSupported where the correlation is anything but equality.
    """
    _look_up(query, _released(query, select, tracker, names))


def _released(query: exp.Select, select: exp.Select, tracker: Tracker, names: Names) -> _Found:
    """Change `query` to read a release of its own, all of whose rows it gives.

    The values that the outer columns have together in the public part of `select` are joined in, and become the keys.
    """
    own = own_aliases(query)
    outward = [part for part in where_of(query) if aliases_read(part) - own]
    public = {item.node.alias_or_name for item in _public_items(select, tracker, names)}
    pairs, others = _correlations(outward, own, public)
    _check_certain(_of_null(others), own, select)
    columns = list(dict.fromkeys([*(column for _, column in pairs), *_columns_of(others, own)]))
    if aliases_read(query) - own - {column.table for column in columns}:
        raise _refused(query)
    kept = [part for part in where_of(query) if part not in outward]
    place: dict[exp.Column, exp.Expr] = {}
    if asked := [column for column in columns if column.table in public]:
        values = _values(asked, query, select, tracker, names)
        query.append("joins", exp.Join(this=values, kind="CROSS"))
        for i, column in enumerate(asked):
            place[column] = stands_for(exp.column(f"k{i}", table=values.alias, quoted=True), column)
        kept += [exp.EQ(this=inner, expression=place[c].copy()) for inner, c in pairs if c in place]
        kept += [_with(part, place) for part in others]
    for inner, column in pairs:
        if column not in place:
            place[column] = inner
        elif column not in asked and place[column] != inner:
            kept.append(exp.EQ(this=inner, expression=place[column].copy()))
    query.set("where", exp.Where(this=exp.and_(*kept, copy=False)) if kept else None)
    has_groups = query.args.get("group") is not None
    if has_groups:
        substitute(query, {inner: place[column] for inner, column in pairs})
    query.set("group", exp.Group(expressions=[place[column].copy() for column in columns]))
    drafts = tracker.drafts
    rows = tracker.joined(query, names, None)
    before = len(drafts)
    if not is_sampled(tracker.context) and asks_lists(query, rows, tracker.context):
        alias, counts, jsons = looked_up_point(query, rows, tracker.context, drafts)
    else:
        index = point(query, rows, tracker.context, drafts)
        before, alias = min(before, index), released_alias(index)
        found = [column for each in (index, *drafts[index].beside) for column in drafts[each].columns]
        counts, jsons = frozenset(name for name, output, _ in found if _is_count(output)), frozenset()
    _note(drafts, before, list(dict.fromkeys(shown(inner) for inner, _ in pairs)))
    equal = _by_key([(place[column], column) for column in columns], _columns_of(_of_null(others), own))
    return _Found(alias, equal, frozenset() if has_groups else counts, jsons)


def _by_key(
    pairs: Sequence[tuple[exp.Expr, exp.Column]], nullable: Sequence[exp.Column]
) -> tuple[tuple[str, exp.Column, type[exp.Binary]], ...]:
    """The outer columns with the names of the keys that they are equal to, which may be the same."""
    keys = list(dict.fromkeys(key for key, _ in pairs))
    return tuple(
        (f"k{keys.index(key)}", column, exp.NullSafeEQ if column in nullable else exp.EQ) for key, column in pairs
    )


def _of_null(parts: Sequence[exp.Expr]) -> list[exp.Expr]:
    """The conditions that a NULL in an outer column may leave true."""
    return [
        part
        for part in parts
        if not isinstance(part, _COMPARISONS) or not all(isinstance(node, _STRICT) for node in part.walk())
    ]


def _check_certain(parts: Sequence[exp.Expr], own: set[str], select: exp.Select) -> None:
    """Raises FeatureNotSupported where a row of `select` may lack what such a condition reads: that it is NULL there is
    none of the values of its table, and so it has no release."""
    certain = _certain(select)
    for column in _columns_of(parts, own):
        if column.table not in certain:
            raise FeatureNotSupported(
                f'"{column.table}" may be missing in the outer join, and this condition be true there',
                hint="Join the outer tables in a derived table: FROM (SELECT … FROM a LEFT JOIN b ON …) AS t.",
                position=at_first_column(column),
            )


def _note(drafts: list[ReleaseDraft], before: int, keys: Sequence[str]) -> None:
    """What becomes of the rows that ask by a key that was not chosen."""
    note = f"looked up by {', '.join(keys)}: by a value that was not chosen, a count is 0 and all else is NULL"
    for place in range(before, len(drafts)):
        bounded = drafts[place].bounded
        if any(isinstance(key.domain, PrivateKeys) for key in bounded.keys[: len(keys)]) and note not in bounded.notes:
            drafts[place] = replace(drafts[place], bounded=replace(bounded, notes=(*bounded.notes, note)))


def _equal(found: _Found, alias: str) -> list[exp.Expr]:
    """The condition on which a released row, read as `alias`, is that of the outer one."""
    return [kind(this=released_column(alias, key), expression=column.copy()) for key, column, kind in found.equal]


def _may_join(query: exp.Expr, select: exp.Select) -> bool:
    """Whether the subquery is a value for each row of FROM, so that a join can bring it: it is faster by far."""
    node, scalar = query, isinstance(query, exp.Subquery)
    while node.parent is not None and node.parent is not select:
        scalar = scalar and not isinstance(node.parent, exp.In | exp.Exists | exp.Any | exp.All)
        node = node.parent
    return scalar and (node.arg_key == "where" or (node.arg_key == "expressions" and not is_aggregating(select)))


def _join_in(query: exp.Expr, inner: exp.Select, found: _Found, select: exp.Select) -> None:
    """Join the released rows to `select`, in which `query` becomes what it asks of them."""
    joins = list(select.args.get("joins") or [])
    alias = f"{found.alias}_{len(joins)}"
    table = inner.args["from_"].this.copy()
    table.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    for join in joins:
        if not any(join.args.get(name) for name in ("side", "kind", "on", "using", "method")):
            # A comma ends what the condition of a later join can see.
            join.set("kind", "CROSS")
    condition = exp.and_(*_equal(found, alias), copy=False)
    select.append("joins", exp.Join(this=table, side="LEFT", on=condition))
    having = inner.args.get("where")
    value = _read_as(inner.expressions[0].unalias().copy(), found, alias, having is None)
    if having is not None:
        kept = _read_as(having.this.copy(), found, alias, False)
        value = exp.Case(ifs=[exp.If(this=kept, true=value)])
    query.replace(exp.Paren(this=value))


def _read_as(node: exp.Expr, found: _Found, alias: str, whole: bool) -> exp.Expr:
    """The expression over the joined rows; `whole`: where there is none, a count is 0."""

    def place(part: exp.Expr) -> exp.Expr:
        if not isinstance(part, exp.Column) or part.table != found.alias:
            return part
        column = released_column(alias, part.name)
        return (
            exp.Coalesce(this=column, expressions=[exp.Literal.number(0)])
            if whole and part.name in found.counts
            else column
        )

    return node.transform(place)


def _look_up(query: exp.Select, found: _Found) -> None:
    """Keep the released row of the outer one alone, and aggregate it: a NULL key finds none, and a count is 0."""
    alias, whole = found.alias, query.args.get("where") is None
    for item in query.expressions:
        for column in [each for each in item.find_all(exp.Column) if each.table == alias]:
            most = _of_one(column, found)
            if whole and column.name in found.counts:
                most = exp.Coalesce(this=most, expressions=[exp.Literal.number(0)])
            column.replace(most)
    having = [] if whole else [query.args["where"].this]
    query.set("where", exp.Where(this=exp.and_(*having, *_equal(found, alias), copy=False)))


def _of_one(column: exp.Column, found: _Found) -> exp.Expr:
    """The column of the one row that was found, as an aggregate; NULL where there is none. JSON has no MAX."""
    if column.name in found.jsons:
        return filled("(array_agg(x))[1]", {"x": column.copy()})
    return exp.Max(this=column.copy())


def _is_count(output: Output) -> bool:
    return isinstance(output.formula, CountOf | SelectedCount)


def _correlations(
    parts: Sequence[exp.Expr], own: set[str], public: set[str]
) -> tuple[list[Correlation], list[exp.Expr]]:
    """The equalities with an outer column; and all else, which reads public columns alone: of these each row that asks
    has a release by their values, whatever the condition. Raises FeatureNotSupported for the rest."""
    pairs, others = list[Correlation](), list[exp.Expr]()
    for part in parts:
        pair = equality(part, own)
        if pair is not None and isinstance(pair[1], exp.Column):
            pairs.append((pair[0], pair[1]))
        elif aliases_read(part) - own <= public and part.find(exp.Query) is None:
            others.append(part)
        else:
            raise _refused(part)
    return pairs, others


def _with(part: exp.Expr, place: Mapping[exp.Column, exp.Expr]) -> exp.Expr:
    """The condition, with other expressions in the place of outer columns."""
    return part.transform(lambda node: place[node].copy() if isinstance(node, exp.Column) and node in place else node)


def _columns_of(parts: Sequence[exp.Expr], own: set[str]) -> list[exp.Column]:
    """The outer columns that conditions read."""
    return [column for part in parts for column in part.find_all(exp.Column) if column.table not in own]


def _values(
    columns: Sequence[exp.Column], query: exp.Select, select: exp.Select, tracker: Tracker, names: Names
) -> exp.Subquery:
    """The values that outer columns have together in the public part of `select`, as a derived table of k0, k1, ….

    The part is a copy: `select` keeps its own nodes, which `swap` still has to find in their places.
    """
    sources = _public_items(select, tracker, names)
    known = {item.node.alias_or_name for item in sources}
    if not {column.table for column in columns} <= known:
        raise _refused(query)
    certain = known & _certain(select)
    inner = (c for item in items(select) if item.kind is WrittenJoin.INNER for c in item.on)
    conditions = [
        part
        for part in (*where_of(select), *inner)
        if _outer(part) and _outer(part) <= certain and not any(node is query for node in part.walk())
    ]
    met = {column.table for column in columns}
    while wider := {alias for part in conditions if _outer(part) & met for alias in _outer(part)} - met:
        met |= wider
    first, *rest = [_copied(item.node, tracker, names) for item in sources if item.node.alias_or_name in met]
    listed = [exp.Alias(this=c.copy(), alias=exp.to_identifier(f"k{i}", quoted=True)) for i, c in enumerate(columns)]
    made = exp.Select(
        expressions=listed,
        from_=exp.From(this=first),
        joins=[exp.Join(this=node, kind="CROSS") for node in rest],
        group=exp.Group(expressions=[column.copy() for column in columns]),
    )
    used = [part.copy() for part in conditions if _outer(part) <= met]
    if used:
        made.set("where", exp.Where(this=exp.and_(*used, copy=False)))
    alias = f"{KEYS} {len(tracker.drafts)}"
    return exp.Subquery(this=made, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))


def _copied(node: exp.Expr, tracker: Tracker, names: Names) -> exp.Expr:
    """A copy of an item of FROM that is known for the same relation."""
    copy = node.copy()
    tracker.known[id(copy)] = (copy, tracker.source(node, names, None))
    return copy


def _certain(select: exp.Select) -> set[str]:
    """The sources that no outer join leaves out of a row: conditions on others say nothing of the rows that stay."""
    found: set[str] = set()
    for item in items(select):
        match item.kind:
            case WrittenJoin.INNER:
                found.add(item.node.alias_or_name)
            case WrittenJoin.LEFT:
                pass
            case WrittenJoin.RIGHT:
                found = {item.node.alias_or_name}
            case WrittenJoin.FULL:
                found = set()
            case _:
                assert_never(item.kind)
    return found


def _outer(part: exp.Expr) -> set[str]:
    """The aliases that a condition reads of its own SELECT: not those of subqueries in it."""
    inner = {alias for query in part.find_all(exp.Query) for alias in own_aliases(query)}
    return aliases_read(part) - inner


def _public_items(select: exp.Select, tracker: Tracker, names: Names) -> list[FromItem]:
    found = []
    for item in items(select):
        relation = tracker.source(item.node, names, None)
        if not isinstance(relation, Readable) or relation.unit is None:
            found.append(item)
    return found


def _refused(node: exp.Expr) -> FeatureNotSupported:
    return FeatureNotSupported(
        "this correlation of a subquery over private rows is not supported",
        hint="Correlate it by equality, or with public columns: (SELECT AVG(q.x) FROM t AS q WHERE q.k = p.k).",
        position=at_first_column(node),
    )
