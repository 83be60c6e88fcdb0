"""Why a unit has no more keys than the plan says: the limit step, or the reason that there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import assert_never

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.plan.model import Bounded, Key, Limit, Literals
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.level import Level
from dpproxy.rewrite.checker.nodes import (
    bare,
    columns_of,
    conjuncts,
    derived,
    filtered,
    integer,
    null_test,
    only,
    plain,
)
from dpproxy.rows import Value

Constant = tuple[str, object]


def check_reason(bounded: Bounded, level: Level) -> None:
    """Claim: if nothing is raised, a unit's rows fall into at most `bounded.groups` keys, or a limit step follows.

    Because: each reason is proved anew from the level and from the filters on public keys (`check_filters`).
    Checked by: tests/test_checker.py.
    """
    varying = [key for key in bounded.keys if not level.steady(level.items[key.name])]
    match bounded.limit:
        case Limit.KEYS_LIMITED:
            require(bounded.groups >= 1, "a limit of no keys")
        case Limit.ONE_ROW:
            require(level.one_row and bounded.groups == bounded.rows == 1, "not proved: one row per unit")
        case Limit.NO_KEYS:
            require(not bounded.keys and bounded.groups == 1, "not true: no keys")
        case Limit.KEY_OF_UNIT:
            require(not varying and bounded.groups >= 1, "not proved: the keys are a function of the unit")
        case Limit.FEW_PUBLIC_KEYS:
            most = math.prod(_size(key, level) for key in varying)
            require(most <= bounded.groups and bounded.groups >= 1, "there are more public keys than the limit")
        case _:
            assert_never(bounded.limit)


def _size(key: Key, level: Level) -> int:
    """How many values the key can have. A text that is compared with another type could have many for each."""
    if not isinstance(key.domain, Literals):
        raise CheckFault(f"{key.name} varies, and its values are not known")
    written = {kind for kind, _ in map(_declared, key.domain.values)} <= {"text", "null"}
    known = level.family(level.items[key.name])
    require(written or known not in (None, Family.TEXT), f"{key.name} is not proved to be of its values' type")
    return len(key.domain.values)


def check_filters(conditions: Sequence[exp.Expression], bounded: Bounded, general: bool) -> None:
    """Claim: if nothing is raised, every key that is counted has one of its declared values.

    Because: WHERE has, for each key with such values, a condition that admits no others. All conditions of this level
    read keys alone, and so drop rows (in the general form, contributions) by their own keys.
    Checked by: tests/test_checker.py.
    """
    conditions = [
        each for condition in conditions for each in (_awaited(condition, bounded) if general else [condition])
    ]
    keys = bounded.keys
    names = {key.name for key in keys}
    for condition in conditions:
        require(all(plain(column) in names for column in columns_of(condition)), "the filter reads more than keys")
    for key in keys:
        if isinstance(key.domain, Literals):
            declared = {_declared(value) for value in key.domain.values}
            admitted = [found for condition in conditions if (found := _admitted(condition, key.name)) is not None]
            require(any(found <= declared for found in admitted), f"{key.name} is not held to its declared values")


def _awaited(condition: exp.Expression, bounded: Bounded) -> list[exp.Expression]:
    """What is in CASE WHEN m0 <= upper THEN … END, whose own condition the clip makes true; else it as it stands."""
    if type(condition) is not exp.Case:
        return [condition]
    first, branches = bounded.measures[0], condition.args["ifs"]
    require(
        condition.this is None and condition.args.get("default") is None and len(branches) == 1, "a filter with ELSE"
    )
    when = branches[0].this
    true = type(when) is exp.LTE and plain(when.this) == first.name and integer(when.expression) == first.upper
    require(true, "a filter that is not always there")
    return conjuncts(branches[0].args["true"])


def _admitted(condition: exp.Expression, name: str) -> set[Constant] | None:
    """The values that the condition lets `name` have; None where it says nothing of that kind."""
    condition = bare(condition)
    match condition:
        case exp.Boolean():
            return None if condition.this else set()
        case exp.Or():
            left, right = _admitted(condition.this, name), _admitted(condition.expression, name)
            return None if left is None or right is None else left | right
        case exp.In() if plain(condition.this) == name:
            return {_constant(value) for value in condition.expressions}
        case exp.Is() if plain(condition.this) == name and null_test(condition) == (condition.this, True):
            return {("null", None)}
        case _:
            return None


def _constant(node: exp.Expression) -> Constant:
    """A constant as written, with what kind it is."""
    if type(node) is exp.Neg:
        kind, number = _constant(node.this)
        return (kind, -number) if isinstance(number, Decimal) else ("unknown", node)
    match node:
        case exp.Boolean():
            return "boolean", bool(node.this)
        case exp.Literal() if node.is_string:
            return "text", node.name
        case exp.Literal():
            return "number", Decimal(node.name)
        case exp.Cast() if type(node.this) is exp.Literal and node.this.is_string:
            return _cast(node.to.this, node.this.name)
        case _:
            return "unknown", node


def _cast(type_: object, text: str) -> Constant:
    match type_:
        case exp.DataType.Type.DOUBLE:
            return "number", Decimal(text)
        case exp.DataType.Type.DATE:
            return "date", text
        case exp.DataType.Type.TIMESTAMP | exp.DataType.Type.TIMESTAMPNTZ:
            return "timestamp", text
        case _:
            return "unknown", text


def _declared(value: Value) -> Constant:
    match value:
        case None:
            return "null", None
        case bool():
            return "boolean", value
        case str():
            return "text", value
        case float():
            return "number", Decimal(repr(value))
        case int() | Decimal():
            return "number", Decimal(value)
        case datetime():
            return "timestamp", value.isoformat(sep=" ")
        case date():
            return "date", value.isoformat()
        case _:
            raise CheckFault(f"a public key of {type(value).__name__}")


def unlimited(select: exp.Select, bounded: Bounded) -> exp.Select:
    """The contributions under the limit step.

    Claim: what comes out holds at most `bounded.groups` contributions of a unit, chosen by nothing but its own.
    Because: they are numbered within the unit, in an order that is a function of the unit and the key.
    Checked by: tests/test_checker.py.
    Raises CheckFault where the step is anything else.
    """
    names = [key.name for key in bounded.keys] + [measure.name for measure in bounded.measures]
    only(select, "expressions", "from_", "where")
    require([plain(item) for item in select.expressions] == names, "the limit step carries other columns")
    ranked = derived(select)
    only(ranked, "expressions", "from_")
    *carried, number = ranked.expressions
    require([plain(item) for item in carried] == names, "the ranking carries other columns")
    require(type(number) is exp.Alias and number.alias.lower() not in {"u", *names}, "the rank has no name of its own")
    _check_rank(number.this, {"u", *(key.name for key in bounded.keys)})
    _check_kept(filtered(select), number.alias, bounded.groups)
    return derived(ranked)


def _check_rank(window: object, names: set[str]) -> None:
    if type(window) is not exp.Window or type(window.this) is not exp.RowNumber:
        raise CheckFault("the rank is not ROW_NUMBER")
    parts, order = window.args.get("partition_by") or [], window.args.get("order")
    require([plain(part) for part in parts] == ["u"], "the rank is not within the unit")
    for ordered in order.expressions if order is not None else []:
        require(type(ordered) is exp.Ordered, "the rank's order is no order")
        require(all(plain(column) in names for column in columns_of(ordered.this)), "the rank reads more than keys")


def _check_kept(conditions: Sequence[exp.Expression], rank: str, groups: int) -> None:
    (kept,) = conditions if len(conditions) == 1 else (None,)
    most = integer(kept.expression) if type(kept) is exp.LTE and plain(kept.this) == rank else None
    require(most is not None and 0 <= most <= groups, "the limit is not the plan's")
