"""The nearest question to one that asks for a row of each unit: the same, grouped by what many units share; and to one
over rows of two units: without its private keys, and without its subqueries over private rows.

    asked    SELECT c_custkey, n_name, sum(o_totalprice) FROM … GROUP BY c_custkey, n_name ORDER BY c_custkey
    nearest  SELECT n_name, sum(o_totalprice) FROM … GROUP BY n_name

Checked by: tests/test_nearest.py, tests/test_tpch.py, sql_fixtures/refuse/rows.sql, sql_fixtures/refuse/pairs.sql.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlglot import exp

from dpproxy.rewrite.expressions import conjuncts
from dpproxy.rewrite.reading.parse import parse_statement
from dpproxy.rewrite.shown import shown

LONGEST = 5_000
_MOST_INNER = 4
_SETS = (exp.GroupingSets, exp.Rollup, exp.Cube, exp.Tuple)


def nearest(sql: str, shared: Collection[int]) -> str | None:
    """The text without the keys of its GROUP BY but those at the places `shared`; None where there is no such text,
    or none that could be read in a hint."""
    return grouped_by(sql, shared) if shared else None


def grouped_by(sql: str, shared: Collection[int]) -> str | None:
    """The same, also where no key is left: one row of all."""
    return _grouped_by(_read(sql), shared)


def inner_questions(sql: str) -> list[str]:
    """Those SELECTs in the text, other than itself, that group rows, each by itself and without its keys. Such that
    have a SELECT in them are left out, so that nothing is looked at again and again."""
    tree = _read(sql)
    inner = [] if tree is None else [each for each in tree.find_all(exp.Select) if each is not tree]
    leaves = [each for each in inner if sum(1 for _ in each.find_all(exp.Select)) == 1]
    texts = [_grouped_by(_keyed(each.copy()), ()) for each in leaves[:_MOST_INNER]]
    return list(dict.fromkeys(text for text in texts if text is not None))


def _keyed(select: exp.Select) -> exp.Select:
    """DISTINCT as GROUP BY."""
    if select.args.get("distinct") is not None and select.args.get("group") is None:
        select.set("distinct", None)
        select.set("group", exp.Group(expressions=[item.unalias().copy() for item in select.expressions]))
    return select


def _grouped_by(tree: exp.Select | None, shared: Collection[int]) -> str | None:
    group = None if tree is None else tree.args.get("group")
    if tree is None or group is None or any(value for name, value in group.args.items() if name != "expressions"):
        return None
    if any(isinstance(key, _SETS) for key in group.expressions):
        return None  # places are those in one of the sets
    keys = [_meant(key, tree.expressions) for key in group.expressions]
    kept = [key for place, key in enumerate(keys) if place in shared]
    if len(kept) == len(keys):
        return None  # the very question that was refused
    gone = _names(keys) - _names(kept)
    items = [item for item in tree.expressions if not _reads(item, gone)]
    order = tree.args.get("order")
    ordered = [] if order is None or not kept else _ordered(order.expressions, tree.expressions, items, gone)
    having = tree.args.get("having")
    tree.set("expressions", [item.copy() for item in items] or [exp.Count(this=exp.Star())])
    tree.set("group", exp.Group(expressions=kept) if kept else None)
    tree.set("having", None if having is None or _reads(having.this, gone) else having)
    tree.set("order", exp.Order(expressions=ordered) if ordered else None)
    if not kept:
        tree.set("limit", None)
    return shown(tree)


def without_subqueries(sql: str, private: Collection[str]) -> str | None:
    """The text without the conditions that ask such tables in subqueries; None where no such condition is one of
    WHERE."""
    tree = _read(sql)
    where = None if tree is None else tree.args.get("where")
    if tree is None or where is None:
        return None
    parts = list(conjuncts(where.this))
    kept = [part.copy() for part in parts if not _asks(part, private)]
    if len(kept) == len(parts):
        return None
    tree.set("where", exp.Where(this=exp.and_(*kept, copy=False)) if kept else None)
    return shown(tree)


def _asks(part: exp.Expr, private: Collection[str]) -> bool:
    return any(table.name in private for query in part.find_all(exp.Query) for table in query.find_all(exp.Table))


def _read(sql: str) -> exp.Select | None:
    """A SELECT that is short enough to be read in a hint."""
    tree = parse_statement(sql) if len(sql) <= LONGEST else None
    return tree if isinstance(tree, exp.Select) else None


def _meant(key: exp.Expr, items: Sequence[exp.Expr]) -> exp.Expr:
    """A key as an expression: it may be the place of an item, or the name of one."""
    if isinstance(key, exp.Literal) and key.is_int and 0 < int(key.name) <= len(items):
        return items[int(key.name) - 1].unalias().copy()
    named = [item.this for item in items if isinstance(item, exp.Alias) and item.alias == key.name]
    return named[0].copy() if named and isinstance(key, exp.Column) and not key.table else key.copy()


def _names(keys: Sequence[exp.Expr]) -> set[str]:
    return {column.name for key in keys for column in key.find_all(exp.Column)}


def _reads(node: exp.Expr, names: Collection[str]) -> bool:
    """Whether it reads such a column of a group itself, or all columns."""
    if isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup | exp.Query):
        return False
    if isinstance(node, exp.Column | exp.Star):
        return isinstance(node, exp.Star) or node.name in names or node.is_star
    return any(_reads(part, names) for part in node.iter_expressions())


def _ordered(
    order: Sequence[exp.Expr], written: Sequence[exp.Expr], items: Sequence[exp.Expr], gone: Collection[str]
) -> list[exp.Expr]:
    """What of ORDER BY is left; an item is named, since places change."""
    names = {item.alias_or_name for item in written if item not in items} | set(gone)
    found = []
    for each in order:
        key = each.this
        if isinstance(key, exp.Literal) and key.is_int and 0 < int(key.name) <= len(written):
            item = written[int(key.name) - 1]
            key = exp.column(item.alias) if isinstance(item, exp.Alias) else item.copy()
        if not _reads(key, names):
            each.set("this", key)
            found.append(each)
    return found
