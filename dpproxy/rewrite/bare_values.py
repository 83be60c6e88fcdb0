"""The values of a question that are compared with a column and nothing else: its *bare* values, and the rest of it.

A value is bare where it is one side of a comparison that is a condition of WHERE by itself, and the column on its other
side is named nowhere else in the statement, or once more: in a comparison with another such value, its other end. It is
$n, or a whole number or a DATE '…' that is written out.

    asked   SELECT count(*) FROM people WHERE age > 40
    shape   SELECT count(*) FROM people WHERE age > $1, of which the value is 40

Checked by: tests/test_plans_alike.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from itertools import combinations
from itertools import count as count_from
from typing import Final

from sqlglot import exp

from dpproxy.errors import DPProxyError
from dpproxy.rewrite.expressions import conjuncts
from dpproxy.rewrite.question import Parameter, Question
from dpproxy.rewrite.reading.parse import numbers_of, parse_statement

_WHOLE: Final = frozenset({"smallint", "int2", "integer", "int4", "bigint", "int8"})
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# A number or a day that is written out behind a sign of comparison, or two behind BETWEEN. In texts with other quotes,
# comments or escapes none is looked for, and what is within a literal is a part of it.
_VALUE: Final = r"((?:0|[1-9][0-9]{0,17})(?![\w.$])|\bdate\s+'[0-9]{4}-[0-9]{2}-[0-9]{2}'(?!\s*'))"
_WRITTEN: Final = re.compile(
    rf"'[^']*'|\"[^\"]*\"|((?:[<>]=?|=)\s*){_VALUE}|(\bbetween\s+){_VALUE}(\s+and\s+){_VALUE}", re.IGNORECASE
)
_ODD: Final = re.compile(r"--|/\*|\\|\$[^0-9]|\$$|\b[EeUu]&?'|[^\x00-\x7f]")
_COMPARED: Final = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
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
_MOST_VALUES: Final = 8
_LARGEST: Final = 2**31 - 1
_SHORT: Final = 2048
"""Characters of a text of which it is kept what is bare in it: with 256 of them, two megabytes at most."""


@dataclass(frozen=True, slots=True)
class BareValues:
    """A question without its bare values: what plans of one shape have in common, and the values.

    kind: how many parameters are the question's own and not written out, the values' classes, and how they are ordered.
    pinned: the columns that are compared by = or <>, or with both ends.
    """

    shape: Question
    kind: tuple[object, ...]
    values: tuple[int | str, ...]
    pinned: frozenset[str]

    @property
    def written(self) -> tuple[str, ...]:
        """As they stand in a text for an engine, without their signs."""
        return tuple(str(abs(each)) if isinstance(each, int) else each for each in self.values)


def bare_values(question: Question) -> BareValues | None:
    """The bare values of a question; None where it has none."""
    count = len(question.parameters)
    sql, written = _taken_out(question.sql, count, frozenset())
    places = _bare_in(sql)
    others = frozenset(at for at in range(len(written)) if count + at not in places)
    if places and others:
        sql, written = _taken_out(question.sql, count, others)
        places = _bare_in(sql)
    parameters = (*question.parameters, *written)
    if not places or len(places) > _MOST_VALUES or not places.keys() >= set(range(count, len(parameters))):
        return None
    found = [_value(parameters[place]) if place < len(parameters) else None for place in sorted(places)]
    values = tuple(value for value in found if value is not None)
    if len(values) < len(places):
        return None
    left = tuple(Parameter(each.type, None if at in places else each.text) for at, each in enumerate(parameters))
    kind = count, tuple(map(_kind, values)), _order(values)
    pinned = frozenset(column for column in places.values() if column is not None)
    return BareValues(replace(question, sql=sql, parameters=left), kind, values, pinned)


def _taken_out(sql: str, count: int, others: frozenset[int]) -> tuple[str, tuple[Parameter, ...]]:
    """The text with parameters from $count + 1 on for values behind a comparison, and those values. others: those that
    stay where they are, counted from 0."""
    if _ODD.search(sql):
        return sql, ()
    found: list[Parameter] = []
    places = count_from(0)

    def put(value: str) -> str:
        if next(places) in others:
            return value
        found.append(Parameter("integer", value) if value.isdecimal() else Parameter("date", value[-11:-1]))
        return f"${count + len(found)}"

    def taken(match: re.Match[str]) -> str:
        if match[2] is not None:
            return match[1] + put(match[2])
        if match[4] is not None:
            return match[3] + put(match[4]) + match[5] + put(match[6])
        return match[0]

    return _WRITTEN.sub(taken, sql), tuple(found)


def _bare_in(sql: str) -> Mapping[int, str | None]:
    return _bare_lately(sql) if len(sql) <= _SHORT else _bare(sql)


def _bare(sql: str) -> Mapping[int, str | None]:
    """The parameters, counted from 0, that are bare in a text, each with the column that it pins (`_pinned`); none in a
    text with subqueries or `*`."""
    try:
        tree = parse_statement(sql)
    except (DPProxyError, RecursionError):
        return {}
    if not isinstance(tree, exp.Select) or sum(1 for _ in tree.find_all(exp.Query)) > 1:
        return {}
    if any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star)):
        return {}
    if any(join.method for join in tree.find_all(exp.Join)):
        return {}
    named = Counter(each.name.lower() for each in tree.find_all(exp.Identifier))
    numbers = Counter(number for number in numbers_of(tree))
    where = tree.args.get("where")
    if where is None:
        return {}
    compared = [each for each in map(_compared, conjuncts(where.this)) if each is not None]
    fit = [each for each in compared if _is_alone(each, compared, named)]
    bare = [(number, _pinned(each, named)) for each in fit for number in each.numbers]
    return {number: column for number, column in bare if numbers[number] == 1}


_bare_lately = lru_cache(maxsize=256)(_bare)


@dataclass(frozen=True, slots=True)
class _Compared:
    """A condition that compares a column with parameters. kind: how, the column before the sign."""

    column: str
    kind: type[exp.Expr]
    numbers: tuple[int, ...]


def _compared(node: exp.Expr) -> _Compared | None:
    """What a condition compares with parameters; None for any other condition."""
    if isinstance(node, exp.Between):
        sides = [node.this, node.args["low"], node.args["high"]]
    else:
        sides = [node.left, node.right] if isinstance(node, _COMPARED) else []
    columns = [each for each in sides if isinstance(each, exp.Column)]
    if len(columns) != 1:
        return None
    found = tuple(number for each in sides if isinstance(each, exp.Parameter) for number in numbers_of(each))
    kind = type(node) if columns[0] is sides[0] else _TURNED.get(type(node), type(node))
    return _Compared(columns[0].name.lower(), kind, found)


def _pinned(one: _Compared, named: Mapping[str, int]) -> str | None:
    """Its column, where it is compared with more than one end of its values."""
    return one.column if one.kind not in _TURNED or named[one.column] > 1 else None


def _is_alone(one: _Compared, compared: Sequence[_Compared], named: Mapping[str, int]) -> bool:
    """Whether its column is named nowhere else; or once, where it is compared with a parameter, too, as the other end
    of its values, and not both leave out their end."""
    if named[one.column] == 1:
        return True
    ends = [each for each in compared if each.column == one.column]
    if named[one.column] != len(ends) or len(ends) != 2 or not all(len(each.numbers) == 1 for each in ends):
        return False
    lower, upper = ([each for each in ends if each.kind in kinds] for kinds in (_LOWER, _UPPER))
    return len(lower) == len(upper) == 1 and not all(each.kind in _STRICT for each in ends)


def _value(parameter: Parameter) -> int | str | None:
    """None for what is no whole number and no day, and for NULL."""
    text = parameter.text
    if text is None:
        return None
    if parameter.type in _WHOLE and _NUMBER.fullmatch(text):
        return int(text)
    return text if parameter.type == "date" and _is_day(text) else None


def _is_day(text: str) -> bool:
    try:
        return _DAY.fullmatch(text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _kind(value: int | str) -> tuple[str, bool, bool]:
    """Its class: a plan may have other casts, and other nodes, for one of another."""
    return ("day", False, False) if isinstance(value, str) else ("number", value < 0, abs(value) > _LARGEST)


def _order(values: Sequence[int | str]) -> tuple[tuple[bool, bool], ...]:
    """How they are ordered among each other, as far as they are of one type."""
    pairs = (pair for pair in combinations(values, 2) if type(pair[0]) is type(pair[1]))
    return tuple((is_at_most(one, other), is_at_most(other, one)) for one, other in pairs)


def is_at_most(one: int | str, other: int | str) -> bool:
    """Of two of one type; days of four digits of a year are ordered as their texts."""
    match one, other:
        case int(), int():
            return one <= other
        case str(), str():
            return one <= other
        case _:
            raise ValueError("a number and a day have no order")
