"""What a policy says of a column: what the schema tells, what its name gives away, and what is left to be decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from dpproxy.catalog.policy_names import reads_as_secret, unsayable
from dpproxy.catalog.types import Family, SqlType
from dpproxy.config import column_values as values
from dpproxy.draft.checks import CheckedLimit, Constant, Known, inclusive, of_domain
from dpproxy.draft.names import a, identifies, is_free_text
from dpproxy.draft.toml import Entry, constants, shown, text
from dpproxy.engines.described import DescribedColumn


@dataclass(frozen=True, slots=True)
class Role:
    """What a column is for its table. `is_key`: of its primary key, or the unit's; `refers`: the key that it names.

    `also`: it names somebody else than the one whose row it is.
    """

    is_key: bool = False
    refers: str | None = None
    also: bool = False
    other: str | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """A column's line: `entry` (None: it can be in no policy, for the reason in `remarks`), and remarks for the owner.

    todo: what is to be decided, of `bounds` or `hidden`; None where nothing is.
    """

    name: str
    entry: Entry | None
    remarks: tuple[str, ...] = ()
    todo: str | None = None
    comment: str | None = None


def told(column: DescribedColumn, role: Role, fact: Known) -> Told:
    """The line of `column`, of which the checks of its table say `fact`. Nothing here comes from a row."""
    kind = column.kind
    if kind is None:
        return Told(column.name, None, (_why_not(column),))
    known = _known(column, kind, fact)
    entry = dict[str, Any](type=str(kind))
    if column.nullable:
        entry["nullable"] = True
    if (reason := _hidden(column, kind, role, known)) is not None:
        return Told(column.name, entry | {"hidden": True}, (reason,), "hidden", column.comment)
    if known.values is not None:
        entry["values"] = known.values
    elif (limits := _limits(known)) is not None:
        entry["bounds"] = limits
    remarks = (*_remarks(kind, role, known), *_unread(known))
    todo = "bounds" if remarks and remarks[0].startswith("TODO") else None
    return Told(column.name, entry, remarks, todo, column.comment)


def public(column: DescribedColumn) -> Told:
    """The line of a column of a table that may be made public: its type, for its values are told."""
    if column.kind is None:
        return Told(column.name, None, (_why_not(column),))
    nullable = {"nullable": True} if column.nullable else {}
    return Told(column.name, {"type": str(column.kind), **nullable}, comment=column.comment)


def withheld(line: Told) -> Told:
    """The line, hidden: it may say of whom a row is, too, beside those whom it is written to be of."""
    return line if line.entry is None else replace(line, entry={**line.entry, "hidden": True}, remarks=(), todo=None)


def withheld_of(line: Told, reason: str) -> Told:
    """The line of a column of other people's, hidden for that reason until the owner tells it."""
    if line.entry is None:
        return line
    return replace(
        line, entry={**line.entry, "hidden": True}, remarks=(f"TODO: hidden, since {reason}",), todo="hidden"
    )


def _why_not(column: DescribedColumn) -> str:
    if (reason := unsayable(column.name)) is not None:
        return f"left out: {reason}"
    if column.refused:
        return f"left out: it {column.refused}"
    return f"left out: the type {shown(column.type)} is not supported"


def _known(column: DescribedColumn, kind: SqlType, fact: Known) -> Known:
    """What the schema says of its values, as far as a policy of that type can say it."""
    fact = of_domain(column.checks) & fact
    if column.labels:
        fact = replace(fact, values=column.labels)
    fact = inclusive(fact, whole=kind.family is Family.INTEGER)
    listed = [values.value(kind, _raw(value)) for value in fact.values or ()]
    good = fact.values and None not in listed and len(set(listed)) == len(listed)
    good = good and not any(isinstance(value, str) and reads_as_secret(value) for value in fact.values or ())
    return replace(
        fact,
        lower=_fitting(fact.lower, kind),
        upper=_fitting(fact.upper, kind),
        values=fact.values if good else None,
        other=fact.other or (fact.values is not None and not good),
    )


def _raw(value: Constant) -> Any:
    """A constant as TOML would have it: whole numbers are integers there."""
    return int(value) if isinstance(value, Decimal) and value == value.to_integral_value() else value


def _fitting(limit: CheckedLimit | None, kind: SqlType) -> CheckedLimit | None:
    if limit is None or kind.family not in values.ORDERED or values.bound(kind, _raw(limit.value)) is None:
        return None
    return limit


def _limits(known: Known) -> tuple[Constant, Constant] | None:
    """Both ends, in their order."""
    if known.lower is None or known.upper is None:
        return None
    lower, upper = known.lower.value, known.upper.value
    ordered = lower <= upper if isinstance(lower, Decimal) and isinstance(upper, Decimal) else _in_time(lower, upper)
    return (lower, upper) if ordered else None


def _in_time(lower: Constant, upper: Constant) -> bool:
    """Of ISO texts, which `_fitting` let through."""
    return datetime.fromisoformat(str(lower)) <= datetime.fromisoformat(str(upper))


def _hidden(column: DescribedColumn, kind: SqlType, role: Role, known: Known) -> str | None:
    """Why it is better hidden, as a remark."""
    if role.also:
        return (
            f"TODO: hidden, since it may name another one of {shown(role.refers or '')}, whom this row does not protect"
        )
    if role.is_key or role.refers or known.values is not None or kind.family is Family.BOOLEAN:
        return None
    if identifies(column.name):
        return "TODO: hidden, since by its name it tells who somebody is"
    if kind.family is Family.TEXT and is_free_text(column.name):
        return "TODO: hidden, since by its name it is free text"
    return None


def _remarks(kind: SqlType, role: Role, known: Known) -> Iterator[str]:
    if known.values is not None:
        return
    if role.refers is not None:
        unprotected = f"; {a(role.other)} is not protected by this policy" if role.other else ""
        yield f"refers to {shown(role.refers)}{unprotected}"
    elif kind.family in values.ORDERED and not role.is_key and _limits(known) is None:
        ends = (known.lower.value if known.lower else None, known.upper.value if known.upper else None)
        yield f"TODO: bounds = {constants(ends)}{_purpose(kind)}"
    elif kind.family in (Family.OPAQUE, Family.INTERVAL):
        yield "analysts may count its values, and ask which are NULL"
    elif kind.family is Family.TEXT and not role.is_key:
        yield f"values = [{text('…')}] would make its keys public"


def _purpose(kind: SqlType) -> str:
    return "" if kind.family in values.SUMMED else ", for public keys by month and the like"


def _unread(known: Known) -> Iterator[str]:
    if known.other:
        yield "it has a CHECK that is not told here"
