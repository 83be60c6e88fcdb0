"""The values of a question that are *bare*: taken out of it, what is left is its *shape* (`plans_alike`).

A value is a whole number, a decimal, a day or a text that is written out, or a $n of such a type. Where it stands:

    compared   one side of a comparison, of which the other side names columns that the statement reads nowhere else;
               or, in WHERE, a column that is read once more: in a comparison with another such value, its other end
    listed     within the parentheses of IN behind such a column
    told       one side of a comparison with an aggregate, or behind LIMIT, in the outermost SELECT: of the front's
               statement alone

Claim: `bare_values` gives the same shape for two texts only where they differ in such values and nothing else. Because:
the values are cut out of the text, and what is left of it is a part of the shape, as is the class of each value.
Checked by: tests/test_plans_alike.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from sqlglot import exp

from dpproxy.errors import DPProxyError
from dpproxy.rewrite.calculus.aggregates_of import AGGREGATES
from dpproxy.rewrite.expressions import conjuncts
from dpproxy.rewrite.question import Parameter, Question
from dpproxy.rewrite.reading.parse import numbers_of, parse_statement
from dpproxy.rewrite.value_classes import ClassedValue, order_of, value_of
from dpproxy.rewrite.written_values import taken_out

_COMPARED: Final = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like)
# Comparisons at the two ends of a column's values, as they stand with the column before the sign.
_LOWER: Final = (exp.GT, exp.GTE)
_UPPER: Final = (exp.LT, exp.LTE)
_STRICT: Final = (exp.GT, exp.LT)
_TURNED: Final[Mapping[type[exp.Expr], type[exp.Expr]]] = {
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
}
_WITHIN: Final = (exp.Query, exp.Where, exp.Join, exp.Window, *AGGREGATES)
_MOST_VALUES: Final = 16
_SHORT: Final = 2048
"""Characters of a text of which it is kept what is bare in it: with 256 of them, two megabytes at most."""


@dataclass(frozen=True, slots=True)
class BarePlace:
    """Where a bare value stands.

    column: what it is compared with; None: something that is no column. pinned: whether what is decided of the
    comparison may change more than once along the value; one_of: whether because it is compared by = or <>, or a
    member. is_told: by the front's statement alone. is_made: whether it is compared with what the statement makes.
    """

    column: str | None
    pinned: bool = False
    one_of: bool = False
    is_told: bool = False
    is_made: bool = False


@dataclass(frozen=True, slots=True)
class BareValues:
    """A question without its bare values: what plans of one shape have in common, and the values.

    kind: how many parameters are the question's own and not written out, the values' classes, and how they are ordered.
    """

    shape: Question
    kind: tuple[object, ...]
    values: tuple[ClassedValue, ...]
    places: tuple[BarePlace, ...]


def bare_values(question: Question) -> BareValues | None:
    """The bare values of a question; None where it has none."""
    count = len(question.parameters)
    sql, written = taken_out(question.sql, count, frozenset())
    places = _bare_in(sql)
    others = frozenset(at for at in range(len(written)) if count + at not in places)
    if places and others:
        sql, written = taken_out(question.sql, count, others)
        places = _bare_in(sql)
    parameters = (*question.parameters, *written)
    if not places or len(places) > _MOST_VALUES or not places.keys() >= set(range(count, len(parameters))):
        return None
    found = [value_of(parameters[place]) if place < len(parameters) else None for place in sorted(places)]
    values = tuple(value for value in found if value is not None)
    if len(values) < len(places):
        return None
    left = tuple(Parameter(each.type, None if at in places else each.text) for at, each in enumerate(parameters))
    kind = count, tuple(each.kind for each in values), order_of(values)
    return BareValues(
        replace(question, sql=sql, parameters=left), kind, values, tuple(places[at] for at in sorted(places))
    )


def _bare_in(sql: str) -> Mapping[int, BarePlace]:
    return _bare_lately(sql) if len(sql) <= _SHORT else _bare(sql)


def _bare(sql: str) -> Mapping[int, BarePlace]:
    """The parameters, counted from 0, that are bare in a text, each with where it stands; none in a text with whole
    rows, `*`, or names that are read unwritten."""
    try:
        tree = parse_statement(sql)
    except (DPProxyError, RecursionError):
        return {}
    if _reads_unwritten(tree):
        return {}
    numbers = Counter(numbers_of(tree))
    reads, defined = _names(tree)
    found = {number: place for node in tree.walk() for number, place in _placed(node, tree, reads, defined).items()}
    found |= _both_ends(tree, reads, defined)
    bare = {number: place for number, place in found.items() if numbers[number] == 1}
    # What a column stands for that the statement makes may bound rows, as another number does: it is told alone.
    return {} if len(bare) > 1 and any(place.is_made for place in bare.values()) else bare


_bare_lately = lru_cache(maxsize=256)(_bare)


def _reads_unwritten(tree: exp.Query) -> bool:
    """Whether columns may be read that are not named where that is."""
    stars = (each for each in tree.find_all(exp.Star) if not isinstance(each.parent, exp.Count))
    if any(not _only_exists(each) for each in stars) or any(join.method for join in tree.find_all(exp.Join)):
        return True
    if any(each.args.get("recursive") for each in tree.find_all(exp.With)) or tree.find(exp.TableColumn):
        return True
    relations = {each.alias_or_name.lower() for each in tree.find_all(exp.Table, exp.Subquery, exp.CTE)}
    relations |= {each.name.lower() for each in tree.find_all(exp.TableAlias)}
    return any(
        each.name.lower() in relations and not each.table and not isinstance(each.parent, _COMPARED)
        for each in tree.find_all(exp.Column)
    )


def _only_exists(star: exp.Expr) -> bool:
    """Whether nobody reads what it stands for: SELECT * of EXISTS."""
    query = star.parent
    return isinstance(query, exp.Select) and isinstance(query.parent, exp.Exists)


def _names(tree: exp.Expr) -> tuple[Counter[str], frozenset[str]]:
    """How often each name is read, and the names that the statement makes: what a derived table hands on is made."""
    reads, defined = Counter[str](), set[str]()
    for each in tree.find_all(exp.Identifier):
        parent, name = each.parent, each.name.lower()
        named = isinstance(parent, exp.TableAlias) or (isinstance(parent, exp.Alias) and each.arg_key == "alias")
        if named or (isinstance(parent, exp.Column) and each.arg_key == "this" and _is_handed_on(parent)):
            defined.add(name)
        elif not isinstance(parent, exp.Table):
            reads[name] += 1
    return reads, frozenset(defined)


def _is_handed_on(column: exp.Column) -> bool:
    """Whether it is an item of a derived table by itself, which who reads that has to name."""
    item = column.parent if isinstance(column.parent, exp.Alias) else column
    select = item.parent
    if not isinstance(select, exp.Select) or item.arg_key != "expressions":
        return False
    around = select.parent
    while isinstance(around, exp.SetOperation):
        around = around.parent
    return isinstance(around, exp.CTE) or (
        isinstance(around, exp.Subquery) and isinstance(around.parent, exp.From | exp.Join)
    )


def _placed(node: exp.Expr, tree: exp.Query, reads: Mapping[str, int], defined: frozenset[str]) -> dict[int, BarePlace]:
    """The parameters that a node compares with something, where they are bare there."""
    match node:
        case exp.Limit() if node.parent is tree and isinstance(node.expression, exp.Parameter):
            return dict.fromkeys(numbers_of(node.expression), BarePlace(None, is_told=True))
        case exp.In() if node.args.get("expressions"):
            return _listed(node, reads, defined)
        case exp.Between() | exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE() | exp.Like():
            return _compared_in(node, tree, reads, defined)
        case exp.Mul() | exp.Div() | exp.Add():
            return _worked_out(node, tree)
        case _:
            return {}


def _worked_out(node: exp.Binary, tree: exp.Query) -> dict[int, BarePlace]:
    """Numbers that the front's statement works out something of groups with."""
    for one, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(one, exp.Parameter) and _has_aggregate(other) and _is_outermost(node, tree):
            return dict.fromkeys(numbers_of(one), BarePlace(None, is_told=True))
    return {}


def _has_aggregate(node: exp.Expr) -> bool:
    return any(isinstance(each, AGGREGATES) for each in node.walk())


def _listed(node: exp.In, reads: Mapping[str, int], defined: frozenset[str]) -> dict[int, BarePlace]:
    column = node.this
    if not isinstance(column, exp.Column) or reads[column.name.lower()] != 1 or column.name.lower() in defined:
        return {}
    place = BarePlace(column.name.lower(), pinned=True, one_of=True)
    given = (each for each in node.expressions if isinstance(each, exp.Parameter))
    return {number: place for each in given for number in numbers_of(each)}


def _compared_in(
    node: exp.Expr, tree: exp.Query, reads: Mapping[str, int], defined: frozenset[str]
) -> dict[int, BarePlace]:
    found = _comparison(node)
    if found is None:
        return {}
    if _has_aggregate(found.other) and _is_outermost(node, tree):
        return dict.fromkeys(found.numbers, BarePlace(None, is_told=True))
    if isinstance(found.other, AGGREGATES):
        once = found.kind in _TURNED and _is_written_once(found.other)
        return dict.fromkeys(found.numbers, BarePlace(None, is_made=True)) if once else {}
    columns = {each.name.lower() for each in found.other.find_all(exp.Column)}
    if not columns or found.other.find(exp.Query) or any(reads[each] != 1 for each in columns):
        return {}
    is_made, pinned = not columns.isdisjoint(defined), found.kind not in _TURNED
    one_of = pinned and not isinstance(node, exp.Between)
    if not isinstance(found.other, exp.Column):
        return {} if pinned else dict.fromkeys(found.numbers, BarePlace(None, is_made=is_made))
    if pinned and (is_made or not (one_of or _is_condition(node, tree))):
        return {}
    return dict.fromkeys(found.numbers, BarePlace(found.other.name.lower(), pinned, one_of, is_made=is_made))


def _is_written_once(aggregate: exp.Expr) -> bool:
    """Whether its own SELECT has it nowhere else."""
    query = aggregate.find_ancestor(exp.Query)
    same = (each for each in query.find_all(type(aggregate)) if each == aggregate) if query is not None else ()
    return sum(each.find_ancestor(exp.Query) is query for each in same) == 1


def _is_condition(node: exp.Expr, tree: exp.Query) -> bool:
    """Whether it is a condition of WHERE by itself, of which a plan says what was decided."""
    where = tree.args.get("where")
    return where is not None and any(each is node for each in conjuncts(where.this))


def _is_outermost(node: exp.Expr, tree: exp.Query) -> bool:
    """Whether it is of what the front's statement says of groups: above all aggregates, and in no subquery."""
    at = node.parent
    while at is not None and not isinstance(at, _WITHIN):
        at = at.parent
    return at is tree


@dataclass(frozen=True, slots=True)
class _Compared:
    """A comparison of something with parameters. kind: how, what is no parameter before the sign."""

    other: exp.Expr
    kind: type[exp.Expr]
    numbers: tuple[int, ...]


def _comparison(node: exp.Expr) -> _Compared | None:
    """What a node compares with parameters; None for any other node."""
    if isinstance(node, exp.Between):
        sides = [node.this, node.args["low"], node.args["high"]]
    else:
        sides = [node.left, node.right] if isinstance(node, _COMPARED) else []
    others = [each for each in sides if not isinstance(each, exp.Parameter)]
    found = tuple(number for each in sides if isinstance(each, exp.Parameter) for number in numbers_of(each))
    if len(others) != 1 or not found or (isinstance(node, exp.Like | exp.Between) and others[0] is not sides[0]):
        return None
    kind = type(node) if others[0] is sides[0] else _TURNED.get(type(node), type(node))
    return _Compared(others[0], kind, found)


def _both_ends(tree: exp.Query, reads: Mapping[str, int], defined: frozenset[str]) -> dict[int, BarePlace]:
    """The parameters that WHERE compares as the two ends of a column that is read nowhere else, of which not both leave
    out their end."""
    where = tree.args.get("where")
    found = [each for each in map(_comparison, conjuncts(where.this if where else None)) if each is not None]
    ends: dict[str, list[_Compared]] = {}
    for each in found:
        if isinstance(each.other, exp.Column):
            ends.setdefault(each.other.name.lower(), []).append(each)
    both = {name: two for name, two in ends.items() if name not in defined and _are_ends(two, reads[name])}
    return {
        number: BarePlace(name, pinned=True) for name, two in both.items() for each in two for number in each.numbers
    }


def _are_ends(two: Sequence[_Compared], reads: int) -> bool:
    if len(two) != 2 or reads != 2 or not all(len(each.numbers) == 1 for each in two):
        return False
    lower, upper = ([each for each in two if each.kind in kinds] for kinds in (_LOWER, _UPPER))
    return len(lower) == len(upper) == 1 and not all(each.kind in _STRICT for each in two)
