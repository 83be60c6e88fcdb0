"""That no key is counted which Postgres or the proxy cannot hold: it would fail where it is told, and who has it would
be known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.plan.private_plan import Key
from dpproxy.rewrite.checker.engines.facts import Facts
from dpproxy.rewrite.checker.fault import require
from dpproxy.rewrite.checker.syntax import bare, integer, null_test, plain

_DAYS: Final = ("0001-01-01", "9999-12-31")
_MOMENTS: Final = ("0001-01-01", "9999-12-31 23:59:59.999999")
_PLAIN: Final = re.compile(r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2})?(?: ?[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?)?")
_ENDS: Final[Mapping[Family, tuple[str, str]]] = {
    Family.DATE: _DAYS,
    Family.TIMESTAMP: _MOMENTS,
    Family.MOMENT: _MOMENTS,
    Family.TIME: ("00:00:00", "23:59:59.999999"),
}
"""The first and the last that are held, as they are written: a day alone is its midnight."""


def check_holdable(conditions: Sequence[exp.Expr], keys: Sequence[Key], engine: Facts) -> None:
    """Claim: if nothing is raised, each of the keys, whose values nobody declared, is NULL where it is counted, or
    holds no NUL where texts may, or lies in the years 1 to 9999, or within a day.

    Because: WHERE has a condition that admits no others; what of whole numbers, uuids and booleans an engine holds,
    Postgres does too. Checked by: tests/test_checker_holdable.py.
    """
    for key in keys:
        family = key.type.family
        if family is Family.TEXT and engine.text_holds_nul:
            held = any(_without_nul(condition, key.name) for condition in conditions)
            require(held, f"{key.name} may hold NUL")
        if family in _ENDS:
            held = any(_within(condition, key.name, _ENDS[family]) for condition in conditions)
            require(held, f"{key.name} may be further away than can be told")


def _or_null(condition: exp.Expr, name: str) -> exp.Expr | None:
    """What stands beside `name IS NULL`; the condition itself where it does not."""
    found = bare(condition)
    if type(found) is not exp.Or:
        return found
    left, right = bare(found.this), bare(found.expression)
    is_null = type(right) is exp.Is and plain(right.this) == name and null_test(right) == (right.this, True)
    return left if is_null else None


def _without_nul(condition: exp.Expr, name: str) -> bool:
    found = _or_null(condition, name)
    if type(found) is not exp.EQ or integer(found.expression) != 0 or type(found.this) is not exp.StrPosition:
        return False
    looked_for = found.this.args.get("substr")
    is_nul = type(looked_for) is exp.Chr and [integer(each) for each in looked_for.expressions] == [0]
    others = any(value for arg, value in found.this.args.items() if arg not in ("this", "substr"))
    return is_nul and plain(found.this.this) == name and not others


def _within(condition: exp.Expr, name: str, ends: tuple[str, str]) -> bool:
    found = _or_null(condition, name)
    if type(found) is not exp.Between or plain(found.this) != name or found.args.get("symmetric"):
        return False
    low, high = (_written(found.args[end]) for end in ("low", "high"))
    return low is not None and high is not None and ends[0] <= low and high <= ends[1]


def _written(node: exp.Expr) -> str | None:
    """The text of a constant that is cast from one; None where it has an era or a zone."""
    literal = node.this if isinstance(node, exp.Cast) else None
    if not isinstance(literal, exp.Literal) or not literal.is_string or not _PLAIN.fullmatch(literal.name):
        return None
    return str(literal.name)
