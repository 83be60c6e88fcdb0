"""Totals and averages of how many rows of others each row meets are those of all that meet.

    asked   SELECT t.kind, avg(t.n), count(*) FROM (SELECT q.id, q.kind, count(a.id) AS n FROM posts q
            LEFT JOIN posts a ON a.parent = q.id GROUP BY q.id, q.kind) AS t GROUP BY t.kind
    or      SELECT q.kind, avg(COALESCE(t.n, 0)), count(*) FROM posts q LEFT JOIN
            (SELECT a.parent, count(*) AS n FROM posts a GROUP BY a.parent) AS t ON t.parent = q.id GROUP BY q.kind
    or      SELECT t.kind, avg(t.n), count(*) FROM (SELECT q.kind, (SELECT count(*) FROM posts a WHERE a.parent = q.id)
            AS n FROM posts q) AS t GROUP BY t.kind
    made    count(a.id) / count(*) of posts q LEFT JOIN posts a ON a.parent = q.id, taken apart (`strangers_apart`): the
            one of those that meet, and the other of q alone

and several of these beside and above each other.

Claim: both have the same rows. Because: a row is one of q, with the numbers and sums of what it meets (`met_rows`); a
total of these is that of all that meet, also of the rows of q that a condition on q chooses; their average is it
divided by how many rows of q there are, and what reads nothing of others is asked of q alone.
Checked by: tests/test_strangers_apart.py (both forms in an engine), tests/test_fixtures.py (rewrite/strangers.sql).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import Family
from dpproxy.rewrite.calculus.aggregates_of import above, substitute
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.reading.aliases import unique_aliases
from dpproxy.rewrite.reading.ctes import without_unread
from dpproxy.rewrite.statement.branches import asked_of, call_of, table_of
from dpproxy.rewrite.statement.correlation import aliases_read, is_plain_group, own_aliases
from dpproxy.rewrite.statement.met_rows import PLACE, Met, MetRows, is_met, met_rows, read_in, with_scalars
from dpproxy.rewrite.statement.met_tests import counted_tests, met_at_all
from dpproxy.rewrite.statement.plain_joins import grouped, sources_of
from dpproxy.rewrite.statement.read_apart import become
from dpproxy.rewrite.statement.strangers_apart import (
    Branch,
    Parts,
    added_of,
    are_plain,
    met_alone,
    settled,
    taken_apart,
)
from dpproxy.rewrite.statement.strangers_meet import strangers_meet

_CLAUSES: Final = frozenset({"expressions", "from_", "joins", "where", "group", "having", "order", "limit", "with_"})
_KEPT: Final = ("expressions", "having", "order", "limit", "with_")


def strangers_counted(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, in which totals of what each row meets of others are those of all."""
    if not any(_made(select, catalog) for select in tree.find_all(exp.Select)):
        return tree
    made = tree.copy()
    taken = own_aliases(made)
    for select in reversed(list(made.find_all(exp.Select))):
        if (found := _made(select, catalog)) is not None:
            become(select, met_alone(*found) if _is_of_one(*found) else taken_apart(*found, catalog, taken))
    return unique_aliases(without_unread(made))


def _made(select: exp.Select, catalog: Catalog) -> tuple[exp.Select, Parts] | None:
    """The SELECT of rows of both, and how it is taken apart; None where it does not follow."""
    group = select.args.get("group")
    if any(value and name not in _CLAUSES for name, value in select.args.items()):
        return None
    if (group is not None and not is_plain_group(group)) or not any(True for _ in asked_of(select)):
        return None
    scalars = any(part.find(exp.Subquery, exp.Exists) for part in (*above(select), *where_of(select)))
    rows = met_rows(select, catalog) if scalars or _reads_queries(select, catalog) else None
    if rows is None or not (rows.branches or scalars):
        return None
    if _names_rows(select, rows, catalog):
        return None
    flat, rows = _flat(select, rows, catalog)
    joins, asked = list(flat.args["joins"]), list(dict.fromkeys(asked_of(flat)))
    parts = [*above(flat), *grouped(flat)]
    if (
        not (rows.tests or any(map(is_met, asked)))
        or any(map(is_met, grouped(flat)))
        or any(part.find(exp.Query) for part in parts)
    ):
        return None
    aliases = [rows.root.alias_or_name, *(each.this.alias_or_name for each in joins), *_beside(rows)]
    if len(set(aliases)) < len(aliases) or not settled(flat, asked):
        return None
    numbers = _numbers(rows, catalog)
    told = {node: _told(node, rows, numbers, catalog) for node in asked}
    if None in told.values():
        return None
    substitute(flat, {node: value for node, value in told.items() if value is not None})
    read = {alias for part in (*above(flat), *grouped(flat)) for alias in aliases_read(part)}
    rows = replace(rows, branches=tuple(branch for branch in rows.branches if _aliases_of(branch) & read))
    flat.set("joins", [join.copy() for join in (*rows.stays, *rows.added())])
    if not read <= set(aliases) or not _are_strangers(flat, rows, catalog):
        return None
    return flat, _parts(flat, rows)


def _names_rows(select: exp.Select, rows: MetRows, catalog: Catalog) -> bool:
    """Whether a group is one row: what each meets is nobody's to ask."""
    keys = [read_in(key, rows) for key in grouped(select)]
    own = {key.name for key in keys if isinstance(key, exp.Column) and key.table == rows.root.alias_or_name}
    root = table_of(rows.root, catalog)
    return root is not None and root.proves_unique(*own)


def _is_of_one(flat: exp.Select, parts: Parts) -> bool:
    """Whether all that is asked is what one branch adds, in no groups."""
    return not parts.own and len(parts.branches) == 1 and not grouped(flat)


def _reads_queries(select: exp.Select, catalog: Catalog) -> bool:
    """Whether something else than tables stands in FROM."""
    return any(table_of(source, catalog) is None for source in sources_of(select))


def _flat(select: exp.Select, rows: MetRows, catalog: Catalog) -> tuple[exp.Select, MetRows]:
    """The SELECT over rows of the first table and all that is added, which reads places for what is met."""
    made = exp.Select(**{name: _copied(select.args.get(name)) for name in _KEPT})
    for item, there in zip(select.expressions, list(made.expressions), strict=True):
        if isinstance(there, exp.Column):
            there.replace(exp.alias_(there.copy(), item.alias_or_name, quoted=True))
    parts = [*made.expressions, *(made.args[name] for name in ("having", "order") if made.args.get(name) is not None)]
    rows, read = with_scalars(rows, [*parts, *grouped(select)], catalog)
    for part, there in zip(parts, read, strict=False):
        part.replace(there)
    keys = read[len(parts) :]
    made.set("from_", exp.From(this=rows.root.copy()))
    made.set("joins", [join.copy() for join in (*rows.stays, *rows.added())])
    made.set("where", exp.Where(this=exp.and_(*(part.copy() for part in rows.where))) if rows.where else None)
    made.set("group", exp.Group(expressions=keys) if keys else None)
    return made, rows


def _copied(value: object) -> object:
    if isinstance(value, list):
        return [each.copy() for each in value]
    return value.copy() if isinstance(value, exp.Expr) else value


def _beside(rows: MetRows) -> list[str]:
    return [join.this.alias_or_name for branch in rows.branches for join in branch.beside]


def _aliases_of(branch: Branch) -> set[str]:
    """The sources of what is added."""
    return {join.this.alias_or_name for join in (branch.added, *branch.beside)}


def _are_strangers(flat: exp.Select, rows: MetRows, catalog: Catalog) -> bool:
    """Whether all that is added is others', and what stays is of one unit."""
    joins = list(flat.args["joins"])
    added = [join for join in joins if join in rows.added()]
    plain = exp.Select(expressions=[exp.Literal.number(1)], from_=flat.args["from_"].copy())
    plain.set("where", _copied(flat.args.get("where")))
    staying = plain.copy()
    plain.set("joins", [join.copy() for join in joins])
    staying.set("joins", [join.copy() for join in joins if join not in added])
    if strangers_meet(staying, lambda _: None, catalog) or not are_plain(plain, list(plain.args["joins"])):
        return False
    plain.set("group", _copied(flat.args.get("group")))
    return len(added_of(plain, catalog)) == len(added)


def _parts(flat: exp.Select, rows: MetRows) -> Parts:
    """How it is taken apart: what reads rows of a branch is aggregated of these."""
    found = list(dict.fromkeys(asked_of(flat)))
    branches = []
    for branch in rows.branches:
        met = tuple((node, node) for node in found if aliases_read(node) & _aliases_of(branch))
        branches.append(Branch(branch.added, met, branch.beside))
    apart = [node for branch in branches for node, _ in branch.met]
    own = tuple(node for node in found if node not in apart)
    return Parts(own, tuple(branch for branch in branches if branch.met), rows.added())


def _numbers(rows: MetRows, catalog: Catalog) -> frozenset[tuple[str, str]]:
    """The columns of whole and decimal numbers, whose sums are such."""
    joins = [*rows.stays, *(join for branch in rows.branches for join in (branch.added, *branch.beside))]
    tables = {node.alias_or_name: table_of(node, catalog) for node in (rows.root, *(join.this for join in joins))}
    return frozenset(
        (alias, column.name)
        for alias, table in tables.items()
        for column in (() if table is None else table.columns)
        if column.type.family in (Family.INTEGER, Family.NUMERIC)
    )


def _is_exact(node: exp.Expr, numbers: frozenset[tuple[str, str]]) -> bool:
    """Whether it is a whole or decimal number, so that Postgres's sum of sums of it is a numeric."""
    match node:
        case exp.Column():
            return (node.table, node.name) in numbers
        case exp.Case():
            told = [*(each.args["true"] for each in node.args["ifs"]), node.args.get("default")]
            return all(_is_exact(each, numbers) for each in told if each is not None)
        case exp.Coalesce():
            return all(_is_exact(each, numbers) for each in (node.this, *node.expressions))
        case exp.Add() | exp.Sub() | exp.Mul() | exp.Neg() | exp.Paren():
            return all(_is_exact(each, numbers) for each in node.iter_expressions())
    return isinstance(node, exp.Length | exp.Null) or (isinstance(node, exp.Literal) and not node.is_string)


def _told(node: exp.Expr, rows: MetRows, numbers: frozenset[tuple[str, str]], catalog: Catalog) -> exp.Expr | None:
    """What an aggregate is, made of aggregates of q alone and of what meets; None: it does not follow."""
    if not (is_met(node) or rows.tests):
        return node
    if (counted := counted_tests(node, rows, catalog)) is not None:
        return counted
    call, read = call_of(node), [each for each in rows.met if each.place in node.find_all(exp.Column)]
    among = met_at_all(read[0], rows, catalog) if rows.tests and len(read) == 1 else None
    if rows.tests and (among is None or isinstance(node, exp.Filter)):
        return None
    condition = node.expression.this if isinstance(node, exp.Filter) else None
    if type(call) not in (exp.Sum, exp.Avg) or (condition is not None and is_met(condition)):
        return None
    places: Mapping[exp.Expr, Met] = {each.place: each for each in rows.met}
    total = _total(call.this, places, type(call) is exp.Avg and among is None)
    if total is None:
        return None
    if condition is not None:
        total = _under(total, condition)
    exact = all(_is_exact(each.this, numbers) for each in total.find_all(exp.Sum))
    if type(call) is exp.Sum and not exact:
        return total
    of_any_size = exp.Cast(this=total, to=exp.DataType.build("numeric" if exact else "double"))
    every = exp.Count(this=exp.Star()) if among is None else among
    of_all = exp.Nullif(this=every if condition is None else _under(every, condition), expression=exp.Literal.number(0))
    return of_any_size if type(call) is exp.Sum else exp.Paren(this=exp.Div(this=of_any_size, expression=of_all))


def _total(node: exp.Expr, places: Mapping[exp.Expr, Met], each_counts: bool) -> exp.Expr | None:
    """The total of what is linear in numbers and sums of what is met. each_counts: none of these may be NULL."""
    match node:
        case exp.Column(table=table) if table == PLACE:
            follows = not places[node].is_key and (places[node].sure or not each_counts)
            return places[node].value.copy() if follows else None
        case exp.Coalesce(
            this=exp.Column() | exp.Coalesce() | exp.Paren() as inner, expressions=[exp.Literal() as zero]
        ):
            return _total(_bare(inner), places, False) if zero.name == "0" and _is_one(inner) else None
        case exp.Paren(this=inner):
            within = _total(inner, places, each_counts)
            return None if within is None else exp.Paren(this=within)
        case exp.Case() if not each_counts and (chosen := _chosen(node)) is not None:
            # The rows of q that the condition chooses, with their totals.
            condition, value = chosen
            total = None if is_met(condition) else _total(value, places, False)
            return None if total is None else _under(total, condition)
        case exp.Add() | exp.Sub():
            # Where one side is NULL the whole is, and the row of no account.
            sides = [_total(side, places, True) for side in (node.this, node.expression)]
            return None if None in sides else type(node)(this=sides[0], expression=sides[1])
    return None


def _chosen(case: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    """The condition and the value of a CASE that has one, and NULL or 0 otherwise."""
    ifs, default = case.args["ifs"], case.args.get("default")
    nothing = default is None or isinstance(default, exp.Null) or default == exp.Literal.number(0)
    return (ifs[0].this, ifs[0].args["true"]) if case.this is None and len(ifs) == 1 and nothing else None


def _is_one(node: exp.Expr) -> bool:
    """Whether it is a place, with zeros in its place at most."""
    return isinstance(_bare(node), exp.Column)


def _bare(node: exp.Expr) -> exp.Expr:
    match node:
        case exp.Paren(this=inner):
            return _bare(inner)
        case exp.Coalesce(this=inner, expressions=[exp.Literal() as zero]) if zero.name == "0":
            return _bare(inner)
    return node


def _under(total: exp.Expr, condition: exp.Expr) -> exp.Expr:
    """The same of the rows that meet a condition."""

    def under(part: exp.Expr) -> exp.Expr:
        match part:
            case exp.Filter(this=call, expression=where):
                both = exp.and_(where.this.copy(), condition.copy())
                return exp.Filter(this=call.copy(), expression=exp.Where(this=both))
            case exp.Count() | exp.Sum():
                return exp.Filter(this=part.copy(), expression=exp.Where(this=condition.copy()))
        return part

    made: exp.Expr = exp.Paren(this=total.copy()).transform(under).this
    return made
