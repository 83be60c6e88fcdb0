"""EXISTS, IN, ANY and ALL over private rows, asked by public or released ones: a release of the keys that there are.

    asked   SELECT d.dept FROM departments d
            WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.dept = d.dept AND v.cost > 9)
    read    SELECT d.dept FROM departments d
            WHERE NOT EXISTS (SELECT 1 FROM (released by v.dept, of those with v.cost > 9) AS r WHERE r.k0 = d.dept)

The keys are what is selected, and what is equal to something of the rows that ask. One that few units have counts as
absent. Private rows may ask, too: by IN, ANY and ALL over rows of whomever.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import FeatureNotSupported, NotPrivate
from dpproxy.plan.notes import Beside
from dpproxy.rewrite.calculus.aggregates_of import is_aggregating
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.calculus.order_and_limit import refuse_tail
from dpproxy.rewrite.calculus.relations import FromRelation, Joined
from dpproxy.rewrite.calculus.ties import anchors, source_of
from dpproxy.rewrite.expressions.trees.position import at_first_column, position, start
from dpproxy.rewrite.releases.draft import RELEASED, added
from dpproxy.rewrite.releases.key_sets import key_set, surely_there
from dpproxy.rewrite.releases.keys import Keyed, keys
from dpproxy.rewrite.releases.release_point import once_per_unit, refuse_rest
from dpproxy.rewrite.releases.released_rows import Replaced, released_alias, released_column
from dpproxy.rewrite.releases.sample_aggregate import is_sampled
from dpproxy.rewrite.shown import shown
from dpproxy.rewrite.statement.correlation import aliases_read, equality, is_test, own_aliases
from dpproxy.rewrite.statement.tracker import Names, Tracker

_ONE = Fraction(1)


def tested(query: exp.Expr) -> exp.Select | None:
    """The SELECT of a test that aggregates nothing; else None."""
    inner = query
    while isinstance(inner, exp.Subquery | exp.Paren):
        inner = inner.this
    if not is_test(query) or not isinstance(inner, exp.Select) or is_aggregating(inner):
        return None
    return None if inner.args.get("with_") is not None else inner


def compared(node: exp.Expr | None, query: exp.Select) -> list[exp.Expr]:
    """What `node`, a test, compares of the rows of its SELECT, beside what that is correlated by: EXISTS nothing."""
    return [] if isinstance(node, exp.Exists) else [item.unalias() for item in query.expressions]


def correlated_by(query: exp.Select) -> list[tuple[exp.Expr, exp.Expr] | None]:
    """Both sides of each equality that correlates a SELECT; None for any other condition that does."""
    own = own_aliases(query)
    return [equality(part, own) for part in where_of(query) if aliases_read(part) - own and aliases_read(part) & own]


def set_point(
    query: exp.Select, selected: Sequence[exp.Expr], tracker: Tracker, names: Names, tie: str | None = None
) -> bool:
    """Add the release of the keys that a test asks for to the drafts, and change `query`, its SELECT, to read them.
    Whether they were chosen; else they are known by noisy counts, which the front alone can read. selected: what the
    test compares. tie: a condition by which rows of a unit would ask for that unit's alone.

    Claim: nothing of `query` that reads a private column is left in it.
    Because: what it selects and compares are keys of the release, each replaced by its released column, and a column
    that remains is refused. Checked by: tests/test_fixtures.py, tests/test_membership.py.
    Raises NotPrivate and FeatureNotSupported as `keys` does, and for a comparison that is none of equality.
    """
    if is_sampled(tracker.context):
        raise _without_median(query)
    if selected or not _keeps_a_row(query):
        refuse_tail(query)
    own = own_aliases(query)
    outward = [part for part in where_of(query) if aliases_read(part) - own]
    aside = [part for part in outward if not aliases_read(part) & own]
    pairs = [_pair(part, own) for part in outward if part not in aside]
    kept = [part for part in where_of(query) if part not in outward]
    written = list(dict.fromkeys([*filter(aliases_read, selected), *(inner for inner, _ in pairs)]))
    query.set("where", exp.Where(this=exp.and_(*kept, copy=False)) if kept else None)
    query.set("expressions", [exp.Literal.number(1)])
    if aliases_read(query) - own or any(aliases_read(each) - own for each in selected):
        raise _uncorrelated(query)
    rows = tracker.joined(query, names, None)
    keyed, index, surely = _released(written, rows, tracker, tie)
    alias = released_alias(index)
    columns: Replaced = {each.written: released_column(alias, each.key.name) for each in keyed}
    equal = [exp.EQ(this=columns[inner].copy(), expression=outer.copy()) for inner, outer in pairs]
    _read(query, index, [_placed(each, columns) for each in selected], [*aside, *equal, *surely])
    refuse_rest([*query.expressions, query.args.get("where")], rows)
    return not surely


def _released(
    written: Sequence[exp.Expr], rows: Joined, tracker: Tracker, tie: str | None
) -> tuple[Sequence[Keyed], int, list[exp.Expr]]:
    """The keys, the place of their release, and what holds of those that are there."""
    context, unit = tracker.context, rows.rowset.unit
    node = settling(written, rows.rowset.sources, context.catalog)
    if node is not None:
        raise _of_single_units(node, rows)
    keyed = keys(written, rows, context)
    label = ", ".join(map(shown, written))
    draft = key_set(keyed, once_per_unit(list(written), rows), label, _ONE, context)
    instead = "" if tie is None else f"; AND {tie} asks for rows of the same {unit}"
    note = Beside(f"{f'values of {label}' if written else 'rows'} that few {unit}s have count as absent{instead}")
    index = added(tracker.drafts, replace(draft, bounded=replace(draft.bounded, notes=(*draft.bounded.notes, note))))
    return keyed, index, surely_there(released_alias(index), tracker.drafts[index])


def settling(nodes: Sequence[exp.Expr], sources: Sequence[FromRelation], catalog: Catalog) -> exp.Expr | None:
    """A column among expressions that settles the unit, or does with others of them by the policy's word."""
    columns = [node for node in nodes if isinstance(node, exp.Column)]
    known = [(node, source_of((node.table, node.name), sources)) for node in columns]
    own = [node for node, source in known if source and anchors((source.alias, node.name), source, catalog)]
    return next(iter(own), None) or next(_determining(known, catalog), None)


def _determining(known: Sequence[tuple[exp.Column, FromRelation | None]], catalog: Catalog) -> Iterator[exp.Expr]:
    read = [
        (node, source.alias, origin)
        for node, source in known
        if source is not None and (origin := source.relation.origins.get(node.name)) is not None
    ]
    for node, alias, (table, column) in read:
        beside = {each for _, of, (other, each) in read if (of, other) == (alias, table)}
        if any(column in each and beside.issuperset(each) for each in catalog.tables[table].determines):
            yield node


def _read(query: exp.Select, index: int, selected: Sequence[exp.Expr], conditions: Sequence[exp.Expr]) -> None:
    for clause in ("joins", "distinct", "order", "limit", "where"):
        query.set(clause, None)
    table = exp.table_(str(index), db=RELEASED, quoted=True, alias=released_alias(index))
    query.set("from_", exp.From(this=table))
    query.set("expressions", list(selected) or [exp.Literal.number(1)])
    if conditions:
        query.set("where", exp.Where(this=exp.and_(*conditions, copy=False)))


def _placed(node: exp.Expr, columns: Replaced) -> exp.Expr:
    return columns[node].copy() if node in columns else node


def _keeps_a_row(query: exp.Select) -> bool:
    """Whether a LIMIT leaves one row, where there is any: that is all that EXISTS asks for."""
    limit = query.args.get("limit")
    number = limit.expression if isinstance(limit, exp.Limit) else None
    return not query.args.get("offset") and isinstance(number, exp.Literal) and number.is_int and int(number.name) > 0


def _pair(part: exp.Expr, own: set[str]) -> tuple[exp.Expr, exp.Expr]:
    pair = equality(part, own)
    if pair is None:
        raise _uncorrelated(part)
    return pair


def _of_single_units(node: exp.Expr, rows: Joined) -> NotPrivate:
    unit = rows.rowset.unit
    return NotPrivate(
        f"{shown(node)} would tell of each {unit} whether there is one".replace('"', ""),
        hint=f"Compare with a column that many {unit}s share, or count them: (SELECT COUNT(*) FROM …) > 100.",
        position=position(node),
    )


def _without_median(query: exp.Select) -> FeatureNotSupported:
    return FeatureNotSupported(
        "which rows there are is nothing that blocks of units could answer",
        hint="SET dp.mechanism = auto.",
        position=start(query),
    )


def _uncorrelated(part: exp.Expr) -> FeatureNotSupported:
    return FeatureNotSupported(
        "private rows are compared with public ones here by more than equality",
        hint="Compare with constants, and with public columns by equality: EXISTS (SELECT 1 FROM t WHERE t.k = p.k).",
        position=at_first_column(part),
    )
