"""A correlated query with GROUP BY or DISTINCT becomes one by itself, which the correlation then chooses rows of.

    asked   EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id GROUP BY v.dept HAVING count(*) > 2)
    made    EXISTS (SELECT t.c0 FROM (SELECT 1 AS c0, v.person_id AS k0 FROM visits v
                                      GROUP BY v.dept, v.person_id HAVING count(*) > 2) AS t WHERE t.k0 = p.person_id)

Claim: for each row that asks they have the same rows. Because: the groups of rows with one value of k0 are the groups
of the rows that the correlation lets through; there is none where it lets none through, since there is a GROUP BY.
Checked by: tests/test_fixtures.py, tests/test_language.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from dpproxy.rewrite.calculus.aggregates_of import AGGREGATES, is_aggregating
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.calculus.order_and_limit import end_of
from dpproxy.rewrite.shown import stands_for
from dpproxy.rewrite.statement.correlation import aliases_read, equality, own_aliases

_Pairs = Sequence[tuple[exp.Expr, exp.Expr]]


def pulled_up(query: exp.Select, alias: str) -> exp.Select | None:
    """The query that chooses rows of the one by itself, read as `alias`; None where it is correlated by more than
    equality, or means a whole, of which there is one row whatever is in it."""
    own = own_aliases(query)
    outward = [part for part in where_of(query) if aliases_read(part) - own]
    pairs = [equality(part, own) for part in outward]
    known = [pair for pair in pairs if pair is not None]
    if len(known) < len(pairs) or query.args.get("with_") is not None or query.args.get("offset") is not None:
        return None
    if not _has_plain_groups(query) and (is_aggregating(query) or query.args.get("distinct") is None):
        return None
    made = _by_itself(query, outward, known)
    return None if aliases_read(made) - own else _chosen(query, made, known, alias)


def beyond(query: exp.Select) -> list[exp.Expr]:
    """What a correlated query groups by that its correlation does not settle; if nothing, it has one group at most."""
    group, own = query.args.get("group"), own_aliases(query)
    pairs = [equality(part, own) for part in where_of(query)]
    settled = [pair[0] for pair in pairs if pair is not None and aliases_read(pair[1]) - own]
    if group is None or not _has_plain_groups(query):
        return [] if group is None else [group]
    return [node for node in group.expressions if node not in settled]


def as_whole(query: exp.Select) -> exp.Select:
    """A correlated aggregate with one group at most, without GROUP BY and HAVING: NULL where it has no row."""
    group, having = query.args.get("group"), query.args.get("having")
    conditions: list[exp.Expr] = [] if having is None else [having.this.copy()]
    if group is not None:
        conditions.append(exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(0)))
    if not conditions:
        return query
    made, (item,) = query.copy(), query.expressions
    for clause in ("group", "having", "order"):
        made.set(clause, None)
    settled = [] if group is None else group.expressions
    whole = exp.Case(ifs=[exp.If(this=exp.and_(*conditions, copy=False), true=item.unalias().copy())])
    made.set("expressions", [_of_all(whole, settled)])
    return made


def as_extreme(query: exp.Select) -> exp.Select | None:
    """The first row of a value in its own order as its MIN or MAX, where it is never NULL; None for any other query."""
    clauses = ("with_", "distinct", "group", "having", "offset", "windows")
    item, ordered = query.expressions[0].unalias(), _ordered(query)
    plain = is_first(query) and not is_aggregating(query) and not any(query.args.get(name) for name in clauses)
    if not plain or len(ordered) != 1 or ordered[0].this != item or end_of(query.args["limit"]).name != "1":
        return None
    made, kind = query.copy(), exp.Max if ordered[0].args.get("desc") else exp.Min
    for clause in ("order", "limit"):
        made.set(clause, None)
    made.set("expressions", [kind(this=item.copy())])
    return made


def _of_all(node: exp.Expr, settled: Sequence[exp.Expr]) -> exp.Expr:
    """Over all rows of a group what is the same in each."""
    if isinstance(node, AGGREGATES):
        return node
    if node in settled:
        return exp.Max(this=node.copy())
    for part in list(node.iter_expressions()):
        changed = _of_all(part, settled)
        if changed is not part:
            part.replace(changed)
    return node


def is_first(query: exp.Select) -> bool:
    """Whether it keeps one row at most."""
    limit = query.args.get("limit")
    number = None if limit is None else end_of(limit)
    return isinstance(number, exp.Literal) and number.is_int and int(number.name) <= 1


def _has_plain_groups(query: exp.Select) -> bool:
    group = query.args.get("group")
    return group is not None and not any(value for name, value in group.args.items() if name != "expressions")


def _by_itself(query: exp.Select, outward: Sequence[exp.Expr], pairs: _Pairs) -> exp.Select:
    """The query without its correlation, and with columns for that, for its items, and for what it is ordered by."""
    made = query.copy()
    kept = [part.copy() for part in where_of(query) if part not in outward]
    made.set("where", exp.Where(this=exp.and_(*kept, copy=False)) if kept else None)
    items = {f"c{i}": item.unalias() for i, item in enumerate(query.expressions)}
    items |= {f"k{i}": inner for i, (inner, _) in enumerate(pairs)}
    items |= {f"o{i}": each.this for i, each in enumerate(_ordered(query))}
    made.set("expressions", [_named(node, name) for name, node in items.items()])
    for inner, _ in pairs if _has_plain_groups(query) else ():
        if inner not in made.args["group"].expressions:
            made.args["group"].append("expressions", inner.copy())
    for clause in ("order", "limit"):
        made.set(clause, None)
    return made


def _chosen(query: exp.Select, made: exp.Select, pairs: _Pairs, alias: str) -> exp.Select:
    equal = [(stands_for(_column(f"k{i}", alias), inner), outer) for i, (inner, outer) in enumerate(pairs)]
    conditions = [exp.EQ(this=column, expression=outer.copy()) for column, outer in equal]
    source = exp.Subquery(this=made, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    items = [stands_for(_column(f"c{i}", alias), item.unalias()) for i, item in enumerate(query.expressions)]
    chosen = exp.Select(expressions=items, from_=exp.From(this=source))
    if conditions:
        chosen.set("where", exp.Where(this=exp.and_(*conditions, copy=False)))
    if ordered := _ordered(query):
        parts = [exp.Ordered(**{**each.args, "this": _column(f"o{i}", alias)}) for i, each in enumerate(ordered)]
        chosen.set("order", exp.Order(expressions=parts))
    limit = query.args.get("limit")
    chosen.set("limit", None if limit is None else limit.copy())
    return chosen


def _ordered(query: exp.Select) -> list[exp.Expr]:
    order = query.args.get("order")
    return [] if order is None else list(order.expressions)


def _column(name: str, alias: str) -> exp.Column:
    return exp.column(name, table=alias, quoted=True)


def _named(node: exp.Expr, name: str) -> exp.Expr:
    return exp.Alias(this=node.copy(), alias=exp.to_identifier(name, quoted=True))
