"""SELECTs of which it can be said source by source what they have: each is there, whole, by an inner or a LEFT JOIN.

Rules that take FROM apart (`branches`, `row_totals`, `semi_joins`) ask here whether it can be, and which of its sources
belong together. Checked by: tests/test_branches.py, tests/test_semi_joins.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from sqlglot import exp

from dpproxy.rewrite.calculus.aggregates_of import above
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.statement.correlation import is_plain_group

_CLAUSES: Final = frozenset(
    {"expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "distinct", "with_"}
)
_SIDES: Final = ("", "LEFT")
_INNER: Final = ("", "INNER", "CROSS", "OUTER")


def is_plain(select: exp.Select) -> bool:
    """Whether each source is joined by an inner or a LEFT JOIN, it groups by keys, if at all, and no expression asks
    what is elsewhere."""
    group, sources = select.args.get("group"), sources_of(select)
    if not sources or any(value and name not in _CLAUSES for name, value in select.args.items()):
        return False
    if group is not None and not is_plain_group(group):
        return False
    if not all(isinstance(source, exp.Table | exp.Subquery) and source.alias_or_name for source in sources):
        return False
    if not all(map(_is_plain_join, joins_of(select))):
        return False
    own = {"", *(source.alias_or_name for source in sources)}
    return all(
        part.find(exp.Query, exp.TableColumn) is None and {column.table for column in part.find_all(exp.Column)} <= own
        for part in _parts(select)
    )


def _is_plain_join(join: exp.Join) -> bool:
    if side_of(join) not in _SIDES or join.args.get("using") or join.args.get("method"):
        return False
    return str(join.args.get("kind") or "").upper() in _INNER


def _parts(select: exp.Select) -> Iterator[exp.Expr]:
    """All expressions of the SELECT itself."""
    yield from above(select)
    yield from grouped(select)
    yield from where_of(select)
    yield from (join.args["on"] for join in joins_of(select) if join.args.get("on") is not None)


def joins_of(select: exp.Select) -> list[exp.Join]:
    """The joins of FROM, in order."""
    return list(select.args.get("joins") or [])


def sources_of(select: exp.Select) -> list[exp.Expr]:
    """What stands in FROM, in order; none without FROM."""
    from_ = select.args.get("from_")
    return [] if from_ is None else [from_.this, *(join.this for join in joins_of(select))]


def grouped(select: exp.Select) -> list[exp.Expr]:
    """What it groups by."""
    group = select.args.get("group")
    return [] if group is None else list(group.expressions)


def side_of(join: exp.Join) -> str:
    """LEFT, RIGHT or FULL; empty of an inner join."""
    return str(join.args.get("side") or "").upper()


def tied(aliases: Iterable[str], read: Iterable[set[str]]) -> list[frozenset[str]]:
    """Those of the aliases together that a condition reads together; of each condition, what it reads."""
    found = [frozenset({alias}) for alias in aliases]
    for each in read:
        if met := [one for one in found if one & each]:
            found = [*(one for one in found if one not in met), frozenset().union(*met)]
    return found
