"""EXISTS of others' rows by a key of these is a join, and NOT EXISTS is one that adds nothing.

    asked   SELECT count(*) FROM sales s WHERE EXISTS (SELECT 1 FROM returns r WHERE r.ticket = s.ticket AND r.why = 2)
    made    SELECT count(*) FROM sales s JOIN returns r ON r.ticket = s.ticket AND r.why = 2
    asked   SELECT count(*) FROM sales s WHERE NOT EXISTS (SELECT 1 FROM returns r WHERE r.ticket = s.ticket)
    made    SELECT count(*) FROM sales s LEFT JOIN returns r ON r.ticket = s.ticket WHERE r.ticket IS NULL

so that rows of two units are told of (`calculus/strangers`), where the values of others' rows would be released.

Claim: both have the same rows. Because: a row meets one of the others' at most (`at_most_one_row`), and it is that
which is asked for.
Checked by: tests/test_met_once.py (both forms in an engine), tests/test_fixtures.py (rewrite/strangers.sql).
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.statement.at_most_one_row import adds_one, columns_met
from dpproxy.rewrite.statement.branches import asked_of, call_of
from dpproxy.rewrite.statement.plain_joins import joins_of
from dpproxy.rewrite.statement.strangers_apart import are_plain, is_private
from dpproxy.rewrite.statement.strangers_meet import strangers_meet

_INNER: Final = frozenset({"expressions", "from_", "where"})
_TOLD: Final = (exp.Count, exp.Sum, exp.Avg)


def strangers_exist(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, in which EXISTS of others' rows by a key of these is a join."""
    if not any(_joined(select, catalog) for select in tree.find_all(exp.Select)):
        return tree
    made = tree.copy()
    for select in list(made.find_all(exp.Select)):
        if (found := _joined(select, catalog)) is not None:
            for clause in ("joins", "where"):
                select.set(clause, found.args.get(clause))
    return made


def _joined(select: exp.Select, catalog: Catalog) -> exp.Select | None:
    """The SELECT with one EXISTS as a join; None where none of its conditions is such, and where several are."""
    tests = [part for part in where_of(select) if _asked(part) is not None]
    asked = list(asked_of(select)) if len(tests) == 1 else []
    if not asked or any(
        type(call_of(node)) not in _TOLD or isinstance(call_of(node).this, exp.Distinct) for node in asked
    ):
        return None
    inner = _asked(tests[0])
    assert inner is not None, "else it is no test"
    source = inner.args["from_"].this
    if not is_private(source, catalog) or inner.args.get("where") is None:
        return None
    join = exp.Join(this=source.copy(), on=inner.args["where"].this.copy())
    kept = [part.copy() for part in where_of(select) if part is not tests[0]]
    every = select.copy()
    every.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)
    every.append("joins", join)
    if not are_plain(every, joins_of(every)) or not adds_one(join, every, catalog):
        return None
    if not strangers_meet(every, lambda _: None, catalog):
        return None
    if isinstance(tests[0], exp.Not):
        join.set("side", "LEFT")
        absent = exp.column(columns_met(join, every, catalog)[0], table=source.alias_or_name, quoted=True)
        every.set("where", exp.Where(this=exp.and_(*kept, exp.Is(this=absent, expression=exp.Null()))))
    return every


def _asked(node: exp.Expr) -> exp.Select | None:
    """The SELECT of EXISTS or NOT EXISTS, which chooses rows of one table."""
    exists = node.this if isinstance(node, exp.Not) else node
    inner = exists.this if isinstance(exists, exp.Exists) else None
    inner = inner.this if isinstance(inner, exp.Subquery) else inner
    if not isinstance(inner, exp.Select) or any(value and name not in _INNER for name, value in inner.args.items()):
        return None
    if any(item.find(exp.AggFunc, exp.Window) for item in inner.expressions):
        return None
    from_ = inner.args.get("from_")
    return inner if from_ is not None and isinstance(from_.this, exp.Table) else None
