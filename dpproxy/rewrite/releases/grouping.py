"""GROUPING SETS, ROLLUP and CUBE: the lists of keys that they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.expressions.trees.position import position

MOST_SETS = 32
Keys = tuple[exp.Expr, ...]


def grouping_sets(select: exp.Select) -> tuple[Keys, ...] | None:
    """The lists of keys of a GROUP BY with grouping sets, in the order of SQL; None for an ordinary one.

    Raises FeatureNotSupported for GROUP BY ALL and for too many sets.
    """
    group = select.args.get("group")
    if group is None:
        return None
    known = ("expressions", "grouping_sets", "rollup", "cube")
    if any(value is not None and name not in known for name, value in group.args.items()):
        raise FeatureNotSupported(
            "this form of GROUP BY is not supported over private tables",
            hint="List the keys, GROUP BY a, b, or the sets of them: GROUP BY GROUPING SETS ((a, b), (a), ()).",
            position=position(group),
        )
    parts = [*group.expressions, *(part for name in known[1:] for part in group.args.get(name) or [])]
    if not any(isinstance(part, exp.GroupingSets | exp.Rollup | exp.Cube | exp.Tuple) for part in parts):
        return None
    lists = [[tuple(_meant(key, select.expressions) for key in keys) for keys in _sets(part)] for part in parts]
    found = tuple(tuple(dict.fromkeys(sum(sets, ()))) for sets in product(*lists))
    if len(found) > MOST_SETS:
        raise FeatureNotSupported(
            f"{len(found)} grouping sets are too many: each is a release of its own, and {MOST_SETS} is the most",
            hint="Group by fewer columns, or list the sets that you need: GROUPING SETS ((a, b), (a), ()).",
            position=position(group),
        )
    return found


def _meant(key: exp.Expr, items: Sequence[exp.Expr]) -> exp.Expr:
    """A key, for which the number of an item of the SELECT stands."""
    place = key.unnest()
    if isinstance(place, exp.Literal) and place.is_int and 0 < int(place.name) <= len(items):
        return items[int(place.name) - 1].unalias().copy()
    return key


def _sets(part: exp.Expr) -> tuple[Keys, ...]:
    match part:
        case exp.GroupingSets():
            return tuple(keys for each in part.expressions for keys in _sets(each))
        case exp.Rollup():
            columns = [_keys(each) for each in part.expressions]
            return tuple(sum(columns[:size], ()) for size in range(len(columns), -1, -1))
        case exp.Cube():
            columns = [_keys(each) for each in part.expressions]
            sizes = range(len(columns), -1, -1)
            return tuple(sum(chosen, ()) for size in sizes for chosen in combinations(columns, size))
        case _:
            return (_keys(part),)


def _keys(part: exp.Expr) -> Keys:
    match part:
        case exp.Tuple():
            return tuple(part.expressions)
        case exp.Paren():
            return (part.this,)
        case _:
            return (part,)


def is_grouping(node: exp.Expr) -> bool:
    """Whether the node is GROUPING(…)."""
    return isinstance(node, exp.Grouping) or (isinstance(node, exp.Anonymous) and node.name.lower() == "grouping")


def which(node: exp.Expr, keys: Sequence[exp.Expr]) -> int:
    """The value of GROUPING(…) in the rows of one set: a bit for each argument that is not among its keys."""
    value = 0
    for argument in node.expressions:
        value = 2 * value + (argument not in keys)
    return value
