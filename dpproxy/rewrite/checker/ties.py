"""Equalities, and what follows from them: which sources hold rows of one unit, which rows there is one of at most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.relations import Cell, Relation, same_unit
from dpproxy.rewrite.checker.scope import Pairs
from dpproxy.rewrite.checker.syntax import bare

Sources = Mapping[str, Relation]
Classes = Mapping[Cell, frozenset[Cell]]

# Two of these are compared without rounding: equal to a third, they are equal. Decimals may be compared as doubles.
_EXACT = frozenset({Family.INTEGER, Family.TEXT, Family.BOOLEAN, Family.DATE, Family.TIMESTAMP, Family.UUID})


@dataclass(frozen=True, slots=True)
class Added:
    """A source that waits for its proof, and the pairs that are equal in every row in which it is there."""

    alias: str
    equated: Pairs


def equality(condition: exp.Expr) -> tuple[Cell, Cell] | None:
    """The cells x and y where the condition is x = y, which is true of no NULL; else None."""
    if type(condition) is not exp.EQ:
        return None
    left, right = bare(condition.this), bare(condition.expression)
    if type(left) is not exp.Column or type(right) is not exp.Column:
        return None
    return (left.table, left.name), (right.table, right.name)


def equated(conditions: Iterable[exp.Expr]) -> Pairs:
    """The pairs of cells that are equal where all the conditions are true."""
    return frozenset(pair for condition in conditions if (pair := equality(condition)) is not None)


def ties(condition: exp.Expr, sources: Sources) -> bool:
    """Whether the condition by itself ties two sources to one unit: then it may read keys and links that are hidden."""
    pair = equality(condition)
    if pair is None or not all(_known(cell, sources) for cell in pair):
        return False
    (left, x), (right, y) = pair
    of_unit = sources[left].unit is not None and sources[left].unit == sources[right].unit
    return of_unit and same_unit(sources[left].columns[x], sources[right].columns[y])


def same_as(cell: Cell, pairs: Pairs, sources: Sources) -> frozenset[Cell]:
    """The cells that hold what it holds, itself among them."""
    return _classes(pairs, sources).get(cell, frozenset([cell]))


def tied(added: Added, reached: frozenset[str], sources: Sources) -> bool:
    """Claim: if true, the rows of the added source belong, where there are any, to the unit of those in `reached`.

    Because: it is there only with pairs that are equal, so with a cell equal to one of a source in `reached`, which is
    there too, since NULL equals nothing; the two are of one unit by `same_unit`, and what stands between them is
    compared without rounding.
    Checked by: tests/test_checker_relations.py.
    """
    unit = sources[added.alias].unit
    return any(
        same_unit(sources[added.alias].columns[x], sources[other].columns[y])
        for (alias, x), equal in _classes(added.equated, sources).items()
        if alias == added.alias
        for other, y in equal
        if other in reached and sources[other].unit == unit
    )


def determined(waiting: Sequence[Added], known: frozenset[str], sources: Sources) -> bool:
    """Claim: if true, each choice of rows of the `known` sources is joined with one row at most of each waiting one.

    Because: they are added one by one, each by columns that are proved unique, all of them equal to cells of what is
    there already, of the same family of types: no two values of the one then equal the same value of the other.
    Checked by: tests/test_checker_relations.py.
    """
    left = list(waiting)
    while left:
        found = [added for added in left if _is_determined(added, known, sources)]
        if not found:
            return False
        known |= {added.alias for added in found}
        left = [added for added in left if added.alias not in known]
    return True


def _is_determined(added: Added, known: frozenset[str], sources: Sources) -> bool:
    classes = _classes(added.equated, sources)
    fixed = {
        x for (alias, x), equal in classes.items() if alias == added.alias and any(other in known for other, _ in equal)
    }
    return any(set(columns) <= fixed for columns in sources[added.alias].unique)


def _classes(pairs: Pairs, sources: Sources) -> Classes:
    """For each cell all those that are equal to it."""
    groups: list[frozenset[Cell]] = []
    for pair in pairs:
        if _comparable(pair, sources):
            merged = frozenset(pair).union(*(group for group in groups if group & set(pair)))
            groups = [*(group for group in groups if not group & set(pair)), merged]
    return {cell: group for group in groups for cell in group}


def _comparable(pair: tuple[Cell, Cell], sources: Sources) -> bool:
    if not all(_known(cell, sources) for cell in pair):
        return False
    left, right = (sources[alias].columns[name].family for alias, name in pair)
    return left is right and left in _EXACT


def _known(cell: Cell, sources: Sources) -> bool:
    return cell[0] in sources and cell[1] in sources[cell[0]].columns
