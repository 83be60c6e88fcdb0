"""Contribution bounding: keys and measures over private rows -> one SQL text whose every result is an integer.

With one row per unit it is one plain aggregate. Else three steps: *contributions* (a row per unit and key, clamped),
*limit* (at most so many keys per unit) and *total*.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpproxy.catalog.types import Family
from dpproxy.plan.model import Bounded, Key, Limit, Literals, Measure, PrivateKeys
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.dialects import dialect_of
from dpproxy.rewrite.literals import literal
from dpproxy.rewrite.releases.aggregates import Measured
from dpproxy.rewrite.releases.inputs import inputs_of
from dpproxy.rewrite.releases.keys import Keyed, limit_of

LONGEST_KEY = 10_000
_MOST = 2**62
_INTEGER_BELOW = 2**31


def bound(joined: Joined, keyed: Sequence[Keyed], measured: Sequence[Measured], dialect: str) -> Bounded:
    """The bounded SQL of one release.

    Claim: removing the rows of one unit changes each measure in at most `groups` keys, by at most `measure.bound` each,
    and `n` by at most one in each. Because: a unit's rows reach the total only as its contributions, one per key, each
    clamped to [lower, upper] with 0 inside, in at most `groups` keys chosen by the unit's own rows alone; the total's
    clamp to ±2^62 is 1-Lipschitz. Checked by: tests/test_neighbours.py and `rewrite.checker`.
    """
    rowset = joined.rowset
    groups, limit = limit_of(keyed, rowset.one_row, rowset.groups)
    keys = tuple(k.key for k in keyed)
    counts_units = any(isinstance(key.domain, PrivateKeys) for key in keys)
    rows = rows_of(joined, keyed, [f"{m.text} AS {m.measure.name}" for m in measured if m.text is not None])
    rows += short([f"({k.text})" for k in keyed if is_open_text(k.key)], dialect)
    if rowset.one_row:
        text = _total(f"({kept(rows, keys, '', dialect)}) AS r", keys, [_per_row(m) for m in measured], counts_units)
    else:
        always = _always(measured[0].measure) if measured else ""
        small = rowset.rows * _INTEGER_BELOW if dialect_of(dialect).quick_when_small else 0
        contributions = kept(_contributions(rows, keys, measured, small), keys, always, dialect)
        limited = _limited(contributions, keys, measured, groups, limit)
        text = _total(limited, keys, [m.measure.name for m in measured], counts_units)
    measures = tuple(m.measure for m in measured)
    unit, inputs = rowset.unit or "", inputs_of(text, dialect)
    return Bounded(text, unit, keys, measures, counts_units, groups, rowset.rows, limit, rowset.notes, inputs)


def rows_of(joined: Joined, keyed: Sequence[Keyed], added: Sequence[str]) -> str:
    """The unit's key, the group keys and what each row adds."""
    items = [f"{joined.rowset.key} AS u", *(f"{k.text} AS {k.key.name}" for k in keyed), *added]
    return f"SELECT {', '.join(items)}{joined.rowset.text}"


def short(texts: Sequence[str], dialect: str) -> str:
    """More of a WHERE: none of these texts has more than LONGEST_KEY bytes.

    In Postgres a row of many long keys, or what they are hashed from, would pass 1 GB and raise; and each is held in
    memory by the engine, the proxy and the client.
    """
    if dialect_of(dialect).holds_nul:
        return ""
    return "".join(f" AND (OCTET_LENGTH({text}) <= {LONGEST_KEY} OR {text} IS NULL)" for text in texts)


def is_open_text(key: Key) -> bool:
    """Whether its values are texts that nobody declared."""
    return key.type.family is Family.TEXT and not isinstance(key.domain, Literals)


def kept(text: str, keys: Sequence[Key], always: str, dialect: str) -> str:
    """`text` without keys outside of their public values, or that Postgres cannot hold."""
    conditions = " AND ".join(condition for key in keys if (condition := _holdable(key, dialect)) is not None)
    if not conditions:
        return text
    return f"SELECT * FROM ({text}) AS q WHERE " + (
        f"CASE WHEN {always} THEN {conditions} END" if always else conditions
    )


def _always(measure: Measure) -> str:
    """What the clamp makes true of each contribution.

    A condition that waits for it stays above the contributions, which are few. Pushed down to the rows, it would be
    evaluated on each, and mislead the engine about the size of the joins: both together double the time.
    """
    return f"{measure.name} <= {measure.upper}"


def _holdable(key: Key, dialect: str) -> str | None:
    """The condition under which a row's key can be in the answer: a declared value, or one that Postgres can hold."""
    match key.domain:
        case Literals(values):
            return _among(key.name, values)
        case _ if key.type.family is Family.TEXT and dialect_of(dialect).holds_nul:
            return f"(POSITION(CHR(0) IN {key.name}) = 0 OR {key.name} IS NULL)"
        case _ if key.type.family is Family.DATE:
            return f"({key.name} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' OR {key.name} IS NULL)"
        case _ if key.type.family is Family.TIMESTAMP:
            first, last = "TIMESTAMP '0001-01-01 00:00:00'", "TIMESTAMP '9999-12-31 23:59:59.999999'"
            return f"({key.name} BETWEEN {first} AND {last} OR {key.name} IS NULL)"
        case _:
            return None


def _among(name: str, values: Sequence[object]) -> str:
    present = [literal(value) for value in values if value is not None]
    parts = [f"{name} IN ({', '.join(present)})"] if present else []
    if None in values:
        parts.append(f"{name} IS NULL")
    return f"({' OR '.join(parts) or 'FALSE'})"


def _per_row(measured: Measured) -> str | None:
    return None if measured.text is None else measured.measure.name


def _contributions(rows: str, keys: Sequence[Key], measured: Sequence[Measured], small: int) -> str:
    """One row per (unit, key): the unit's integers, clamped.

    small: of measures below it each row adds an INTEGER. Their sum cannot fail, and what it could lose, past 2^32 rows
    of one unit, is nothing to the clamp.
    """
    by = ", ".join(["u", *(key.name for key in keys)])
    items = [by, *(f"{_clamped(m, small)} AS {m.measure.name}" for m in measured)]
    return f"SELECT {', '.join(items)} FROM ({rows}) AS r GROUP BY {by}"


def _clamped(measured: Measured, small: int) -> str:
    measure = measured.measure
    added = f"CAST({measure.name} AS INTEGER)" if measure.bound < small else measure.name
    total = "COUNT(*)" if measured.text is None else f"COALESCE(SUM({added}), 0)"
    return f"LEAST(GREATEST({total}, {measure.lower}), {measure.upper})"


def _limited(contributions: str, keys: Sequence[Key], measured: Sequence[Measured], groups: int, limit: Limit) -> str:
    """At most `groups` keys of a unit: the first in a pseudo-random order of its own, so that no key is starved."""
    if limit is not Limit.KEYS_LIMITED:
        return f"({contributions}) AS c"
    names = [key.name for key in keys]
    order = ", ".join([mixed([(key.name, key.type.family) for key in keys]), *names])
    items = ", ".join([*names, *(m.measure.name for m in measured)])
    ranked = f"SELECT {items}, ROW_NUMBER() OVER (PARTITION BY u ORDER BY {order}) AS r FROM ({contributions}) AS c"
    return f"(SELECT {items} FROM ({ranked}) AS w WHERE r <= {groups}) AS l"


def mixed(columns: Sequence[tuple[str, Family]]) -> str:
    """What a unit's keys, or values, are ordered by before themselves: a number without a pattern.

    Claim: it is the same for equal ones. Because: only numbers have equal values of several texts, 0 and -0, NaN of
    either sign, 1.5 and 1.50, and those have one here. Which of them stands for a group is up to the engine, and so to
    other units' rows. Checked by: tests/attacks/test_sampling.py and `rewrite.checker`.
    """
    parts = ["u", *(_one_text(name, family) for name, family in columns)]
    joined = " || '|' || ".join(f"COALESCE(CAST({part} AS TEXT), '')" for part in parts)
    return f"MD5({joined})"


def _one_text(name: str, family: Family) -> str:
    if family not in (Family.FLOAT, Family.NUMERIC, Family.INTEGER):
        return name
    return f"NULLIF(NULLIF(CAST({name} AS DOUBLE PRECISION), 0), CAST('NaN' AS DOUBLE PRECISION))"


def _total(source: str, keys: Sequence[Key], columns: Sequence[str | None], counts_units: bool) -> str:
    names = [key.name for key in keys]
    items = list(names)
    if counts_units:
        items.append("COUNT(*) AS n")
    for index, column in enumerate(columns):
        items.append(f"{_summed(column)} AS m{index}")
    return f"SELECT {', '.join(items)} FROM {source}" + (f" GROUP BY {', '.join(names)}" if names else "")


def _summed(column: str | None) -> str:
    if column is None:
        return "COUNT(*)"
    return f"CAST(LEAST(GREATEST(COALESCE(SUM({column}), 0), {-_MOST}), {_MOST}) AS BIGINT)"
