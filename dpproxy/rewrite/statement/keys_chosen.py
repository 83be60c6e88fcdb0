"""Private keys of rows of two units, chosen by the rows of the one side.

    asked   SELECT extract(year FROM q.made), count(*), avg(a.score) FROM posts q JOIN posts a ON a.parent = q.id
            WHERE q.kind = 1 GROUP BY extract(year FROM q.made)
    made    WITH k AS (SELECT extract(year FROM q.made) AS key FROM posts q WHERE q.kind = 1 GROUP BY 1),
                 r AS (SELECT k.key, count(*) AS n, avg(a.score) AS x FROM posts q JOIN posts a ON a.parent = q.id
                       JOIN k ON k.key = extract(year FROM q.made) WHERE q.kind = 1 GROUP BY k.key)
            SELECT k.key, r.n, r.x FROM k LEFT JOIN r ON r.key = k.key

Rows that belong to two units choose no keys, since what one unit changes of them has no end. Rows of one unit do.

Claim: each group that is told has the rows that were asked for, and one that is not is one that rows of one unit do not
choose. Because: each row of the join has a row of the side that its keys read, which meets the conditions of that side,
so that its keys are among those of `k`. Of a key of `k` that nothing met, `r` tells 0 and noise, as of any public key.
Checked by: tests/test_keys_chosen.py (both forms in an engine), tests/test_fixtures.py (rewrite/strangers.sql).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.reading.aliases import unique_aliases
from dpproxy.rewrite.statement.branches import asked_of, free_alias
from dpproxy.rewrite.statement.correlation import aliases_read, is_plain_group, own_aliases
from dpproxy.rewrite.statement.null_row_values import is_never_null
from dpproxy.rewrite.statement.plain_joins import grouped, joins_of, side_of, sources_of
from dpproxy.rewrite.statement.read_apart import (
    ToldGroups,
    become,
    by_known_keys,
    of_keys,
    read_apart,
    read_as,
    with_whole_keys,
)
from dpproxy.rewrite.statement.strangers_apart import KNOWN, MET, are_plain, is_private, on_of, settled
from dpproxy.rewrite.statement.strangers_meet import sides_of

_CLAUSES: Final = frozenset({"expressions", "from_", "joins", "where", "group", "having", "order", "limit", "with_"})


def keys_chosen(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, in which rows of one side choose the keys of rows of two units."""
    if not any(_choosing(select, catalog) for select in tree.find_all(exp.Select)):
        return tree
    made = tree.copy()
    taken = own_aliases(made)
    for select in list(made.find_all(exp.Select)):
        if (side := _choosing(select, catalog)) is not None:
            become(select, _chosen(select, side, taken))
    return unique_aliases(made)


def _choosing(select: exp.Select, catalog: Catalog) -> frozenset[str] | None:
    """The sources of one side, where keys read no others, and are never NULL; None where that is not so."""
    joins, group = joins_of(select), select.args.get("group")
    if any(value and name not in _CLAUSES for name, value in select.args.items()) or not joins:
        return None
    if group is None or not is_plain_group(group) or not are_plain(select, joins) or any(map(side_of, joins)):
        return None
    asked, keys = list(dict.fromkeys(asked_of(select))), grouped(select)
    if not asked or not settled(select, asked) or not all(is_never_null(key, select, catalog) for key in keys):
        return None
    read = {alias for key in keys for alias in aliases_read(key)}
    found = (_with_publics(side, select, catalog) for side in sides_of(select, catalog))
    return next((side for side in found if read and read <= side), None)


def _with_publics(side: Iterable[str], select: exp.Select, catalog: Catalog) -> frozenset[str]:
    """A side with the public tables that conditions tie to it."""
    public = {each.alias_or_name for each in sources_of(select) if not is_private(each, catalog)}
    found = frozenset(side)
    while True:
        tied = [read for part in _conditions(select) if (read := aliases_read(part)) & found]
        more = found.union(*(read for read in tied if read <= found | public))
        if more == found:
            return found
        found = more


def _conditions(select: exp.Select) -> list[exp.Expr]:
    return [*where_of(select), *(part for join in joins_of(select) for part in on_of(join))]


def _chosen(written: exp.Select, side: frozenset[str], taken: set[str]) -> exp.Select:
    select = with_whole_keys(written)
    keys = grouped(select)
    known, within, met = (free_alias(each, taken) for each in (KNOWN, KNOWN, MET))
    first, *others = [each.copy() for each in sources_of(select) if each.alias_or_name in side]
    kept = [part.copy() for part in _conditions(select) if aliases_read(part) <= side]
    crossed = [exp.Join(this=each, kind="CROSS") for each in others]
    asked, never_null = tuple(dict.fromkeys(asked_of(select))), [True] * len(keys)
    joined = [join.copy() for join in joins_of(select)]
    rows = by_known_keys(select, joined, never_null, read_as(known, within), asked)
    own = ToldGroups(known, of_keys(exp.From(this=first), crossed, kept, keys), ())
    return read_apart(select, own, [ToldGroups(met, rows, asked)], never_null)
