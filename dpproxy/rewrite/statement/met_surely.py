"""LEFT JOIN of others' rows is an inner one where a condition is not true of a row that nothing is added to.

    asked   SELECT w.name, sum(r.amount) FROM returns r LEFT JOIN sales s ON s.ticket = r.ticket
            JOIN sites w ON w.site = s.site GROUP BY w.name
    made    … FROM returns r JOIN sales s ON s.ticket = r.ticket JOIN sites w ON w.site = s.site …

Claim: both have the same rows. Because: of a row that nothing is added to all columns of that are NULL, and WHERE and
inner joins leave out what their conditions are not true of. Checked by: tests/test_met_once.py (both forms in an
engine), tests/test_fixtures.py (rewrite/strangers.sql).
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.statement.null_row_values import is_untrue
from dpproxy.rewrite.statement.plain_joins import joins_of, side_of
from dpproxy.rewrite.statement.strangers_apart import are_plain, is_private, meets_strangers, on_of


def strangers_surely_met(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, in which LEFT JOINs of others' rows that conditions ask for are inner ones."""
    if not any(True for select in tree.find_all(exp.Select) for _ in _sure(select, catalog)):
        return tree
    made = tree.copy()
    for select in made.find_all(exp.Select):
        for join in list(_sure(select, catalog)):
            join.set("side", None)
            join.set("kind", None)
    return made


def _sure(select: exp.Select, catalog: Catalog) -> Iterator[exp.Join]:
    """The LEFT JOINs of strangers whose rows a condition asks for."""
    joins = joins_of(select)
    left = [join for join in joins if side_of(join) == "LEFT" and is_private(join.this, catalog)]
    if not left or not are_plain(select, joins):
        return
    asked = [*where_of(select), *(part for join in joins if not side_of(join) for part in on_of(join))]
    for join in left:
        sure = any(is_untrue(part, join.this.alias_or_name) for part in asked)
        if sure and meets_strangers(select, join, catalog):
            yield join
