"""Why a unit has no more keys than the plan says: the limit step, or the reason that there is none."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import assert_never
from uuid import UUID

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.plan.private_plan import Bounded, FromRelease, Key, Limit, Literals, Release
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.held import FLOATS, NUMBERS, WHOLE, Held, Kind
from dpproxy.rewrite.checker.holdable_keys import check_holdable
from dpproxy.rewrite.checker.nodes import columns_of
from dpproxy.rewrite.checker.relations import UNIT, Relation
from dpproxy.rewrite.checker.scope import CheckContext
from dpproxy.rewrite.checker.syntax import bare, conjuncts, derived, filtered, integer, null_test, only, plain, query_of
from dpproxy.rewrite.checker.total import Total
from dpproxy.rows import Value

Constant = tuple[str, object]
_WIDER_THAN_BIGINT = 2**63
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?(e[+-]?\d+)?|inf|nan)", re.ASCII)  # of a double, as it is written in a plan
_OF_ONE_TEXT = frozenset(
    {Kind.TEXT, Kind.BOOLEAN, Kind.DATE, Kind.TIMESTAMP, Kind.TIME, Kind.UUID, Kind.NOTHING, *WHOLE}
)


def check_reason(bounded: Bounded, rows: Relation, releases: Sequence[Release]) -> None:
    """Claim: if nothing is raised, a unit's rows fall into at most `bounded.groups` keys, or a limit step follows.

    Because: each reason is proved anew from the rows and from the filters on public keys (`check_filters`).
    Checked by: tests/test_checker.py.
    """
    varying = [key for key in bounded.keys if not rows.columns[key.name].steady]
    match bounded.limit:
        case Limit.KEYS_LIMITED:
            require(bounded.groups >= 1, "a limit of no keys")
        case Limit.ONE_ROW:
            require(rows.one_row and bounded.groups == 1, "not proved: one row per unit")
        case Limit.NO_KEYS:
            require(not bounded.keys and bounded.groups == 1, "not true: no keys")
        case Limit.KEY_OF_UNIT:
            require(not varying and bounded.groups >= 1, "not proved: the keys are a function of the unit")
        case Limit.FEW_PUBLIC_KEYS:
            most = math.prod(_size(key, rows, releases) for key in varying)
            require(most <= bounded.groups and bounded.groups >= 1, "there are more public keys than the limit")
        case Limit.NORM_CLIPPED:
            require(bounded.clip is not None, "no limit on keys, and nothing is scaled down")
        case _:
            assert_never(bounded.limit)


def _size(key: Key, rows: Relation, releases: Sequence[Release]) -> int:
    """How many values of the key can be in the answer: those that are written, or were in an earlier release's plan.

    A text that is compared with another type could have many for each; those of a release are compared as values.
    """
    domain = origin(key, releases).domain
    if not isinstance(domain, Literals):
        raise CheckFault(f"{key.name} varies, and its values are not known")
    written = {kind for kind, _ in map(_declared, domain.values)} <= {"text", "null"}
    known = rows.columns[key.name].family
    require(written or known not in (None, Family.TEXT), f"{key.name} is not proved to be of its values' type")
    return len(domain.values)


def origin(key: Key, releases: Sequence[Release]) -> Key:
    """The key of the earliest release from which its values are taken; itself where they are not."""
    domain = key.domain
    return (
        origin(releases[domain.release].bounded.keys[domain.column], releases)
        if isinstance(domain, FromRelease)
        else key
    )


def check_filters(conditions: Sequence[exp.Expr], bounded: Bounded, rows: Relation, context: CheckContext) -> None:
    """Claim: if nothing is raised, every key that is counted has one of its declared values, its own or those of the
    earlier release that its values come from, and has no more values than were declared.

    Because: WHERE has, for each key with such values, a condition that admits no others, and each constant in it is
    equal to one value alone (`_check_equality`). All conditions of this level read keys alone, and so drop rows (in the
    general form, contributions, of which `awaited` are read) by their own keys.
    Checked by: tests/test_checker.py.
    """
    keys = bounded.keys
    names = {key.name for key in keys}
    for condition in conditions:
        require(all(plain(column) in names for column in columns_of(condition)), "the filter reads more than keys")
    for key in keys:
        domain = origin(key, context.releases).domain
        if isinstance(domain, Literals):
            declared = {_declared(value) for value in domain.values}
            admitted = [found for condition in conditions if (found := _admitted(condition, key.name)) is not None]
            require(any(found <= declared for found in admitted), f"{key.name} is not held to its declared values")
            _check_equality(conditions, key, rows, context)
    open_ = [key for key in keys if not isinstance(origin(key, context.releases).domain, Literals)]
    check_holdable(conditions, open_, context.engine)


def _check_equality(conditions: Sequence[exp.Expr], key: Key, rows: Relation, context: CheckContext) -> None:
    """Claim: if nothing is raised, no two values of the key, which GROUP BY tells apart, are equal to one constant.

    Because: what is compared is of one type, or widened to one without loss; only beside floating point whole numbers
    and decimals become floating point, of which many are one. A text beside another type is `_size`'s matter.
    Checked by: tests/test_checker.py.
    """
    held = rows.columns[key.name].held
    exact = held is not None and held.kind not in (*FLOATS, Kind.NOTHING)
    at = Total(lambda column: rows.columns[column.name].held, context.engine)
    for node in (found for condition in conditions for found in condition.find_all(exp.In)):
        if exact and plain(node.this) == key.name:
            single = all(at(value).kind not in FLOATS for value in node.expressions)
            require(single, f"{key.name} is compared with floating point, which is equal to many of its values")


def awaited(conditions: Sequence[exp.Expr], bounded: Bounded, engine: Facts) -> list[exp.Expr]:
    """The conditions on contributions, where each that waits for a measure is what it is then."""
    return [each for condition in conditions for each in _awaited(condition, bounded, engine)]


def _awaited(condition: exp.Expr, bounded: Bounded, engine: Facts) -> list[exp.Expr]:
    """What is in CASE WHEN m0 <= upper THEN … END, whose own condition the clip makes true, or in CASE WHEN m0 & 0 = 0
    THEN … END, which is true of each whole number; else it as it stands. A contribution is never NULL."""
    if type(condition) is not exp.Case:
        return [condition]
    require(bounded.measures, "a filter that waits for a measure, where there is none")
    first, branches = bounded.measures[0], condition.args["ifs"]
    require(
        condition.this is None and condition.args.get("default") is None and len(branches) == 1, "a filter with ELSE"
    )
    require(max(-first.lower, first.upper) < _WIDER_THAN_BIGINT, "a step reads products")
    when = branches[0].this
    held = type(when) is exp.LTE and plain(when.this) == first.name and integer(when.expression) == first.upper
    require(held or (engine.sums_have_bits and _has_no_bits(when, first.name)), "a filter that is not always there")
    return conjuncts(branches[0].args["true"])


def _has_no_bits(when: exp.Expr, name: str) -> bool:
    """Whether it is name & 0 = 0."""
    if type(when) is not exp.EQ or type(when.this) is not exp.BitwiseAnd or integer(when.expression) != 0:
        return False
    return plain(when.this.this) == name and integer(when.this.expression) == 0


def _admitted(condition: exp.Expr, name: str) -> set[Constant] | None:
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


def _constant(node: exp.Expr) -> Constant:
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
            require(_NUMBER.fullmatch(text), "a key is compared with a text that is no number")
            return "number", Decimal(text)
        case exp.DataType.Type.DATE:
            return "date", text
        case exp.DataType.Type.TIMESTAMP | exp.DataType.Type.TIMESTAMPNTZ:
            # A day alone is its midnight, in both engines.
            return "timestamp", f"{text} 00:00:00" if _DAY.fullmatch(text) else text
        case exp.DataType.Type.TIME:
            return "time", text
        case exp.DataType.Type.UUID:
            return "uuid", text
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
            return "timestamp", value.replace(tzinfo=None).isoformat(sep=" ")  # of a moment, in UTC
        case date():
            return "date", value.isoformat()
        case time():
            return "time", value.isoformat()
        case UUID():
            return "uuid", str(value)
        case _:
            raise CheckFault(f"a public key of {type(value).__name__}")


def unfiltered(select: exp.Expr) -> tuple[list[exp.Expr], exp.Expr]:
    """What is under a filter on keys, SELECT * FROM (…) WHERE …, if there is one, and its conditions."""
    if type(select) is not exp.Select or [type(item) for item in select.expressions] != [exp.Star]:
        return [], select
    only(select, "expressions", "from_", "where")
    return filtered(select), query_of(select)


def unlimited(select: exp.Select, bounded: Bounded) -> tuple[exp.Select, list[exp.Expr]]:
    """The contributions under the limit step, and what they are ordered by.

    Claim: what comes out holds at most `bounded.groups` contributions of a unit, chosen by nothing but its own.
    Because: they are numbered within the unit, in an order that is a function of the unit and the key, and tells all
    keys apart: none is left to the engine, which could look at other units' rows.
    Checked by: tests/test_checker.py.
    Raises CheckFault where the step is anything else.
    """
    keys = [key.name for key in bounded.keys]
    names = keys + [measure.name for measure in bounded.measures]
    only(select, "expressions", "from_", "where")
    require([plain(item) for item in select.expressions] == names, "the limit step carries other columns")
    ranked = derived(select)
    (rank,) = ranks(ranked, names, 1)
    ordered = check_rank(rank.this, exp.RowNumber, [UNIT], keys)
    check_kept(filtered(select), [(rank.alias, bounded.groups)])
    return derived(ranked), ordered


def ranks(select: exp.Select, carried: Sequence[str], count: int) -> list[exp.Expr]:
    """The ranks after the carried columns. Raises CheckFault where there is anything else."""
    only(select, "expressions", "from_")
    items = select.expressions[: len(carried)]
    require([plain(item) for item in items] == list(carried), "the ranking carries other columns")
    found = list(select.expressions[len(carried) :])
    names = [UNIT, *carried, *(item.alias for item in found)]
    apart = len({name.lower() for name in names}) == len(names)
    require(len(found) == count and all(type(item) is exp.Alias for item in found), "the ranks are not the plan's")
    require(apart, "the rank has no name of its own")
    return found


def check_rank(window: object, kind: type[exp.Expr], within: Sequence[str], among: Sequence[str]) -> list[exp.Expr]:
    """What the rows are ordered by. Raises CheckFault unless the window numbers those of each `within` by a total order
    of `among`.
    """
    if type(window) is not exp.Window or type(window.this) is not kind:
        raise CheckFault(f"the rank is not {kind.__name__}")
    require(not window.args.get("spec"), "the rank has a frame")
    parts, order = window.args.get("partition_by") or [], window.args.get("order")
    require([plain(part) for part in parts] == list(within), "the rank is not within the unit")
    ordered = [] if order is None else order.expressions
    require(all(type(each) is exp.Ordered for each in ordered), "the rank's order is no order")
    by = [each.this for each in ordered]
    read = {UNIT, *within, *among}
    require(all(plain(column) in read for part in by for column in columns_of(part)), "the rank reads more than keys")
    require(set(among) <= {*within, *map(plain, by)}, "the rank's order leaves keys to the engine")
    return by


# What `release.canonical` takes for a key of each family: anything else would fail where there is a row.
_READ_AS = {
    Family.INTEGER: (*WHOLE, Kind.DECIMAL),
    Family.NUMERIC: NUMBERS,
    Family.FLOAT: NUMBERS,
    Family.TEXT: (Kind.TEXT,),
    Family.BOOLEAN: (Kind.BOOLEAN,),
    Family.DATE: (Kind.DATE, Kind.TIMESTAMP),
    Family.TIMESTAMP: (Kind.TIMESTAMP, Kind.DATE),
    Family.UUID: (Kind.UUID,),
    Family.TIME: (Kind.TIME,),
    Family.MOMENT: (Kind.TIMESTAMP,),
    Family.INTERVAL: (),
    Family.OPAQUE: (),
}


def check_steps(expressions: Sequence[exp.Expr], rows: Relation, bounded: Bounded, context: CheckContext) -> None:
    """Raises CheckFault where what a step calculates of keys and measures could raise for some of them."""
    added = {
        measure.name: Held(Kind.BIGINT, measure.lower, measure.upper)
        for measure in bounded.measures
        if max(-measure.lower, measure.upper) < _WIDER_THAN_BIGINT
    }
    wide = {measure.name for measure in bounded.measures} - set(added)
    require(
        not any(column.name in wide for each in expressions for column in columns_of(each)), "a step reads products"
    )
    at = Total(lambda column: added.get(column.name) or rows.columns[column.name].held, context.engine)
    for each in expressions:
        at(each)
    for key in bounded.keys:
        held = rows.columns[key.name].held
        fits = held is not None and held.kind in (*_READ_AS[key.type.family], Kind.NOTHING)
        require(fits, f"{key.name} is not read as {key.type}")


def check_texts(select: exp.Expr, rows: Relation) -> None:
    """Claim: if nothing is raised, keys that are equal have one place in the order of each rank of `select`.

    Because: equal values of one text are a function of themselves; of floating point, 0 and -0 are equal and look
    different, and so does NaN with its sign. What stands for a group would tell of the rows' order, which other units'
    rows have a part in: those columns are read without zeros and NaN alone.
    Checked by: tests/test_checker.py.
    """
    orders = [
        window.args["order"].expressions
        for item in select.expressions
        for window in item.find_all(exp.Window)
        if window.args.get("order")
    ]
    for part in (each.this for order in orders for each in order if plain(each.this) is None):
        for column in columns_of(part):
            held = rows.columns[plain(column) or ""].held
            one = held is not None and held.kind in _OF_ONE_TEXT
            require(one or _unified(column), "the rank reads the text of floating point")


def _unified(column: exp.Expr) -> bool:
    """Whether it stands as NULLIF(NULLIF(CAST(x AS DOUBLE PRECISION), 0), CAST('NaN' AS DOUBLE PRECISION))."""
    cast = column.parent
    zero = cast.parent if type(cast) is exp.Cast and cast.to.this is exp.DataType.Type.DOUBLE else None
    nan = zero.parent if type(zero) is exp.Nullif and zero.this is cast and integer(zero.expression) == 0 else None
    return type(nan) is exp.Nullif and nan.this is zero and _is_nan(nan.expression)


def _is_nan(node: object) -> bool:
    written = node.this if type(node) is exp.Cast and node.to.this is exp.DataType.Type.DOUBLE else None
    return type(written) is exp.Literal and written.is_string and written.name == "NaN"


def check_kept(conditions: Sequence[exp.Expr], ranks: Sequence[tuple[str, int]]) -> None:
    """Raises CheckFault unless the conditions are that each rank is no greater than its number."""
    require(len(conditions) == len(ranks), "the limit is not the plan's")
    for kept, (rank, greatest) in zip(conditions, ranks, strict=True):
        most = integer(kept.expression) if type(kept) is exp.LTE and plain(kept.this) == rank else None
        require(most is not None and 0 <= most <= greatest, "the limit is not the plan's")
