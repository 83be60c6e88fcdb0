"""LEFT JOIN … WHERE … IS NULL of others' rows: rows that meet none, which NOT EXISTS asks for, too.

    asked   SELECT count(*) FROM posts q LEFT JOIN posts a ON a.parent = q.id WHERE a.id IS NULL
    made    SELECT count(*) FROM posts q WHERE NOT EXISTS (SELECT 1 FROM posts a WHERE a.parent = q.id)

Claim: both have the same rows. Because: as of public rows (`reading.anti_joins`): what is tested for NULL has a value
in each row that meets another, and nothing else of what is joined is read.
Checked by: tests/test_strangers_apart.py (both forms in an engine), tests/test_fixtures.py (rewrite/met.sql).
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.reading.anti_joins import ask_absent, is_absent
from dpproxy.rewrite.statement.branches import asked_of, call_of
from dpproxy.rewrite.statement.plain_joins import joins_of
from dpproxy.rewrite.statement.strangers_apart import is_private, meets_strangers

_TOLD: Final = (exp.Count, exp.Sum, exp.Avg)


def strangers_absent(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, with NOT EXISTS in the place of such joins."""
    if not any(_absent(select, catalog) for select in tree.find_all(exp.Select)):
        return tree
    made = tree.copy()
    for select in list(made.find_all(exp.Select)):
        for join in _absent(select, catalog):
            ask_absent(select, join)
    return made


def _absent(select: exp.Select, catalog: Catalog) -> list[exp.Join]:
    """The joins of others' rows that are asked for by their absence alone, where rows are counted, or what they hold
    is added up: what else there is of such rows does not follow (`met_tests`)."""
    from_, asked = select.args.get("from_"), list(asked_of(select))
    if from_ is None or not is_private(from_.this, catalog) or not asked or not all(map(_counts, asked)):
        return []
    return [
        join
        for join in joins_of(select)
        if is_private(join.this, catalog)
        and is_absent(join, select, catalog)
        and meets_strangers(select, join, catalog)
    ]


def _counts(node: exp.Expr) -> bool:
    call = call_of(node)
    return type(call) in _TOLD and not isinstance(call.this, exp.Distinct)
