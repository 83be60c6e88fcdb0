"""Contribution bounding: keys and measures over private rows -> one SQL text whose every result is an integer.

With one row per unit it is one plain aggregate. Else three steps: *contributions* (a row per unit and key, clamped),
*limit* (at most so many keys per unit) and *total*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time

from sqlglot import exp

from dpproxy.catalog.types import DOUBLE, INTEGER, TEXT, Family
from dpproxy.engines.dialects import Dialect, dialect_of
from dpproxy.mechanisms.norms import Norm
from dpproxy.plan.private_plan import UNCAPPED, Bounded, Key, Limit, Literals, Measure, PrivateKeys
from dpproxy.plan.samples import COIN
from dpproxy.rewrite import algebra
from dpproxy.rewrite.calculus.relations import UNIT, Joined, Rowset
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.numbers.grid import OPEN_STEPS
from dpproxy.rewrite.expressions.trees.build import cast, chosen, every, number
from dpproxy.rewrite.literals import literal
from dpproxy.rewrite.releases.aggregates import Measured
from dpproxy.rewrite.releases.clipped import totals_by_joined_norm, totals_by_norm, totals_of_single
from dpproxy.rewrite.releases.held_keys import held_notes
from dpproxy.rewrite.releases.in_doubles import summed_in_doubles
from dpproxy.rewrite.releases.keys import Keyed, limit_of
from dpproxy.rewrite.releases.measured import WIDE_STEPS
from dpproxy.rewrite.releases.packed import (
    among,
    held_totals_of_packed,
    layout_of,
    packed_uncapped,
    packed_values,
    totals_of_packed,
)
from dpproxy.rewrite.releases.sums_in_columns import held_in_columns, scaled_in_columns
from dpproxy.rewrite.releases.totals import counted, held, itself, or_zero, total
from dpproxy.rewrite.releases.unit_index import asked

LONGEST_KEY = 10_000
_INTEGER_BELOW = 2**31
_DAYS = date(1, 1, 1), date(9999, 12, 31)
_MOMENTS = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999_999)


def bound(joined: Joined, keyed: Sequence[Keyed], measured: Sequence[Measured], context: PlanningContext) -> Bounded:
    """The bounded SQL of one release: within limits; or where a cap or bounds were not declared, by norms of what a
    unit contributes, which it will be scaled down by."""
    by = _bound_by_norm if is_scaled(joined, keyed, measured) else _bound_by_limits
    made = by(joined, keyed, measured, context)
    notes = held_notes([each.key.label for each in keyed if each.is_held], joined.rowset.unit)
    return replace(made, notes=(*made.notes, *notes)) if notes else made


def is_scaled(joined: Joined, keyed: Sequence[Keyed], measured: Sequence[Measured]) -> bool:
    """Whether units are scaled down by the norm of what they contribute."""
    return has_no_cap(joined.rowset, keyed) or any(each.is_open for each in measured)


def is_spread(joined: Joined, keyed: Sequence[Keyed], measured: Sequence[Measured]) -> bool:
    """Whether no choice of keys tells how many units each has: where nobody capped them, or they are spread over keys
    since some measure has no bounds."""
    if has_no_cap(joined.rowset, keyed):
        return True
    return is_scaled(joined, keyed, measured) and limit_of(keyed, joined.rowset.one_row, 1)[1] is Limit.KEYS_LIMITED


def has_no_cap(rowset: Rowset, keyed: Sequence[Keyed]) -> bool:
    """Whether nobody said how many rows of a unit count, or in how many of the keys, and both may be many."""
    if rowset.one_row:
        return False
    return rowset.rows == UNCAPPED or (rowset.groups == UNCAPPED and limit_of(keyed, False, 1)[1] is Limit.KEYS_LIMITED)


def _bound_by_norm(
    joined: Joined, keyed: Sequence[Keyed], measured: Sequence[Measured], context: PlanningContext
) -> Bounded:
    """Claim: each unit is counted in one row of the result at most for each measure; all that it adds to the measure is
    in rows of that one bucket, with a norm up to the bucket's edge; and what it adds to `n` has the norm WHOLE at most,
    where it is spread, else it is one in one key.

    Because: a unit's rows reach the totals only as its contributions, one per key, all of which have the unit's norms
    and so its buckets; of these one is the first. Sums of whole numbers do not depend on their order. What a total's
    clamp does to others' rows, at ±2^62, it does to no more.
    Checked by: tests/test_clipped_neighbours.py and `rewrite.checker`.
    """
    rowset, dialect = joined.rowset, dialect_of(context.dialect)
    norm = context.norm if rowset.sample is None else context.norm_in_samples
    measured = [replace(each, measure=within_steps(each)) for each in measured]
    keys, measures = tuple(k.key for k in keyed), tuple(m.measure for m in measured)
    counts_units = any(isinstance(key.domain, PrivateKeys) for key in keys)
    added = [algebra.Item(m.measure.name, m.value) for m in measured if m.value is not None]
    rows = rows_of(joined, keyed, added, [k.value for k in keyed if is_open_text(k.key)], context.dialect)
    made = kept(
        contributions(rows, (UNIT, *(key.name for key in keys)), measured, dialect),
        keys,
        always(measured, dialect),
        context.dialect,
    )
    groups, limit = limit_of(keyed, rowset.one_row, 1)
    spread = None
    if limit is Limit.KEYS_LIMITED:
        groups, limit = UNCAPPED, Limit.NORM_CLIPPED
        spread = _spread_of(keys, norm) if counts_units else None
        few = packed_uncapped(keys, measures, dialect)
        by_norm = totals_by_joined_norm if dialect.joins_norms else totals_by_norm
        columns = scaled_in_columns(rows, keys, measured, norm, dialect)
        if columns is not None:
            tree = columns
        elif few is None:
            tree = by_norm(made, [key.name for key in keys], measures, norm, spread, dialect.wide)
        else:
            layout = layout_of(few, None if rowset.caps is None else rowset.caps.rows, dialect)
            tree = totals_of_packed(rows, keys[0].name, few, layout, norm, dialect.wide)
    else:
        tree = totals_of_single(made, [key.name for key in keys], measures, counts_units, dialect.wide)
    query = asked(tree, context)
    return Bounded(
        query.sql, rowset.unit or "", keys, measures, counts_units, groups, rowset.rows, limit, rowset.notes,
        query.inputs, norm, spread, rowset.sample, plain=query.plain, caps=rowset.caps,
    )  # fmt: skip


def within_steps(measured: Measured) -> Measure:
    """What a unit adds to a key is held to what squares have room for; a product, to what sums of it have."""
    measure, row = measured.measure, None if measured.is_open else measured.row
    most = OPEN_STEPS if measured.factors is None else WIDE_STEPS
    return replace(measure, lower=max(measure.lower, -most), upper=min(measure.upper, most), row=row)


def _spread_of(keys: Sequence[Key], norm: Norm) -> Norm:
    """Where several keys of a unit may have one private part, what it adds to that part adds up: as in L1."""
    return norm if all(isinstance(key.domain, PrivateKeys) for key in keys) else Norm.L1


def _bound_by_limits(
    joined: Joined, keyed: Sequence[Keyed], measured: Sequence[Measured], context: PlanningContext
) -> Bounded:
    """Claim: removing the rows of one unit changes each measure in at most `groups` keys, by at most `measure.bound`
    each, and `n` by at most one in each.

    Because: a unit's rows reach the total only as its contributions, one per key, each clamped to [lower, upper] with 0
    inside, in at most `groups` keys chosen by the unit's own rows alone; the total's clamp to ±2^62 is 1-Lipschitz.
    Checked by: tests/test_neighbours.py and `rewrite.checker`.
    """
    rowset, dialect = joined.rowset, context.dialect
    groups, limit = limit_of(keyed, rowset.one_row, rowset.groups)
    keys = tuple(k.key for k in keyed)
    counts_units = any(isinstance(key.domain, PrivateKeys) for key in keys)
    added = [algebra.Item(m.measure.name, m.value) for m in measured if m.value is not None]
    rows = rows_of(joined, keyed, added, [k.value for k in keyed if is_open_text(k.key)], dialect)
    measures = tuple(m.measure for m in measured)
    few = packed_values(keys, measures, dialect_of(dialect)) if limit is Limit.FEW_PUBLIC_KEYS else None
    columns = held_in_columns(rows, keys, measured, dialect_of(dialect))
    if rowset.one_row:
        source = algebra.Source(kept(rows, keys, None, dialect), "r")
        tree = _total(source, keys, [_per_row(m) for m in measured], counts_units)
    elif few is not None:
        most = measures[0].upper
        layout = layout_of(few, most, dialect_of(dialect))
        tree = held_totals_of_packed(rows, keys[0].name, few, layout, most)
    elif columns is not None and limit is Limit.FEW_PUBLIC_KEYS:
        tree = columns
    else:
        made = kept(
            contributions(rows, (UNIT, *(key.name for key in keys)), measured, dialect_of(dialect)),
            keys,
            always(measured, dialect_of(dialect)),
            dialect,
        )
        limited = _limited(made, keys, measured, groups, limit, dialect_of(dialect))
        tree = _total(limited, keys, [m.measure.name for m in measured], counts_units)
    unit, query = rowset.unit or "", asked(tree, context)
    return Bounded(
        query.sql, unit, keys, measures, counts_units, groups, rowset.rows, limit, rowset.notes, query.inputs,
        sample=rowset.sample, plain=query.plain,
    )  # fmt: skip


def rows_of(
    joined: Joined,
    keyed: Sequence[Keyed],
    added: Sequence[algebra.Item],
    texts: Sequence[exp.Expression],
    dialect: str,
) -> algebra.Select:
    """The unit's key, the group keys and what each row adds, where none of `texts` is too long for the engine."""
    rowset = joined.rowset
    where = (*rowset.tree.where, *_in_sample(rowset, dialect), *_short(texts, dialect))
    rows = replace(rowset.tree, where=where)
    items = (*rowset.unit_item, *(algebra.Item(k.key.name, k.value) for k in keyed), *added)
    return algebra.Select(items, rows, alone=True)


def _in_sample(rowset: Rowset, dialect: str) -> list[exp.Expression]:
    """The coin of the row's unit is one that lets it in.

    Claim: each unit is in the sample with its probability, rounded down to a 2^64th, by itself, and with all its rows
    or none; whoever does not know the secret cannot tell the coins from fair ones. Because: the coin is the first 64
    bits of SHA-256 of the secret and the key's text. Equal keys have one text (`checker.tables.KEY_FAMILIES`), and
    different ones different texts. The secret is drawn anew for each run, 64 letters: it fills the first block, so that
    what follows is hashed from a state that nobody knows, which is a pseudorandom function of it if SHA-256's
    compression is one (the cascade of Bellare, Canetti, Krawczyk 1996, of texts of which none begins another with its
    padding). Nobody sees a coin: what is released has noise.
    Checked by: tests/test_samples.py::test_coins_are_fair, ::test_coins_are_those_of_sha_256 and `rewrite.checker`.
    """
    if rowset.sample is None:
        return []
    assert rowset.key is not None, "rows of a sample are of units"
    secret = cast(exp.Parameter(this=exp.Var(this=COIN)), TEXT)
    drawn = exp.DPipe(this=secret, expression=cast(rowset.key.copy(), TEXT), safe=True)
    return [dialect_of(dialect).digest_below(drawn, rowset.sample.first_out)]


def _short(texts: Sequence[exp.Expression], dialect: str) -> list[exp.Expression]:
    """None of these texts has more than LONGEST_KEY bytes.

    In Postgres a row of many long keys, or what they are hashed from, would pass 1 GB and raise; and each is held in
    memory by the engine, the proxy and the client.
    """
    if dialect_of(dialect).holds_nul:
        return []
    longest = number(LONGEST_KEY)
    lengths = [exp.Anonymous(this="OCTET_LENGTH", expressions=[value.copy()]) for value in texts]
    tests = [exp.LTE(this=length, expression=longest.copy()) for length in lengths]
    return [_or_null(test, value) for test, value in zip(tests, texts, strict=True)]


def _or_null(test: exp.Expression, value: exp.Expression) -> exp.Expression:
    return exp.Or(this=test, expression=exp.Is(this=value.copy(), expression=exp.Null()))


def is_open_text(key: Key) -> bool:
    """Whether its values are texts that nobody declared."""
    return key.type.family is Family.TEXT and not isinstance(key.domain, Literals)


def kept(rows: algebra.Select, keys: Sequence[Key], always: exp.Expression | None, dialect: str) -> algebra.Select:
    """The rows without keys outside of their public values, or that Postgres cannot hold."""
    conditions = [condition for key in keys if (condition := _holdable(key, dialect)) is not None]
    if not conditions:
        return rows
    where = every(conditions) if always is None else chosen(always, every(conditions))
    return algebra.Select((), replace(algebra.of(rows, "q"), where=(where,)), star=True)


def always(measured: Sequence[Measured], dialect: Dialect) -> exp.Expression | None:
    """What is true of each contribution, by its clamp, or as of every whole number: m & 0 = 0.

    A condition that waits for it stays above the contributions, which are few. Pushed down to the rows, it would be
    evaluated on each, and mislead the engine about the size of the joins: both together double the time. So the engine
    must not find out that it is true, nor calculate the clamp for it: where it reads through that, bits are asked for.
    Checked by: tests/test_filters_on_keys.py.
    """
    if not measured:
        return None
    first = measured[0].measure
    if not dialect.sees_clamps:
        return exp.LTE(this=exp.column(first.name), expression=number(first.upper))
    return exp.EQ(this=exp.BitwiseAnd(this=exp.column(first.name), expression=number(0)), expression=number(0))


def _holdable(key: Key, dialect: str) -> exp.Expression | None:
    """The condition under which a row's key can be in the answer: a declared value, or one that Postgres can hold."""
    column = exp.column(key.name)
    match key.domain:
        case Literals(values):
            return among(column, values)
        case _ if key.type.family is Family.TEXT and dialect_of(dialect).holds_nul:
            nul = exp.StrPosition(this=column, substr=exp.Chr(expressions=[number(0)]))
            return _or_null(exp.EQ(this=nul, expression=number(0)), column)
        case _ if key.type.family is Family.DATE:
            return _within(column, *_DAYS)
        case _ if key.type.family in (Family.TIMESTAMP, Family.MOMENT):
            return _within(column, *_MOMENTS)
        case _ if key.type.family is Family.TIME:
            return _within(column, time(), time.max)
        case _:
            return None


def _within(column: exp.Expression, first: date | time, last: date | time) -> exp.Expression:
    return _or_null(exp.Between(this=column, low=literal(first), high=literal(last)), column)


def _per_row(measured: Measured) -> str | None:
    return None if measured.value is None else measured.measure.name


def contributions(
    rows: algebra.Select, by: tuple[str, ...], measured: Sequence[Measured], dialect: Dialect
) -> algebra.Select:
    """One row per unit, or pair of units, and key, which are `by`: its integers, clamped.

    Where it is quicker, and a row fits into an INTEGER, those are added. Their sum cannot fail, and what it could lose,
    past 2^32 rows of one unit, is nothing to the clamp.
    """
    items = [*map(itself, by), *(algebra.Item(m.measure.name, _clamped(m, dialect)) for m in measured)]
    return algebra.Select(tuple(items), algebra.of(rows, "r"), by=by)


def _clamped(measured: Measured, dialect: Dialect) -> exp.Expression:
    measure = measured.measure
    in_doubles = summed_in_doubles(exp.column(measure.name), measured, dialect)
    return in_doubles or held(_of_rows(measured, dialect), measure.lower, measure.upper)


def _of_rows(measured: Measured, dialect: Dialect) -> exp.Expression:
    """A count, or a sum of a row's values, or of products of those of two measures."""
    if measured.factors is not None:
        first, second = (exp.column(f"m{index}") for index in measured.factors)
        wider = exp.Cast(this=first, to=dialect.wide.copy())
        return or_zero(exp.Sum(this=exp.Mul(this=wider, expression=second)))
    if measured.value is None:
        return counted()
    column: exp.Expression = exp.column(measured.measure.name)
    small = dialect.quick_when_small and measured.row < _INTEGER_BELOW
    return or_zero(exp.Sum(this=cast(column, INTEGER) if small else column))


def _limited(
    contributions: algebra.Select,
    keys: Sequence[Key],
    measured: Sequence[Measured],
    groups: int,
    limit: Limit,
    dialect: Dialect,
) -> algebra.Source:
    """At most `groups` keys of a unit: the first in a pseudo-random order of its own, so that no key is starved."""
    if limit is not Limit.KEYS_LIMITED:
        return algebra.Source(contributions, "c")
    names = [key.name for key in keys]
    order = [mixed([(key.name, key.type.family) for key in keys], dialect), *map(exp.column, names)]
    items = tuple(itself(name) for name in (*names, *(m.measure.name for m in measured)))
    rank = algebra.Item("r", ranked(exp.RowNumber(), [UNIT], order))
    numbered = algebra.Select((*items, rank), algebra.of(contributions, "c"))
    return algebra.Source(first(items, numbered, {"r": groups}), "l")


def ranked(function: exp.Expression, by: Sequence[str], order: Sequence[exp.Expression]) -> exp.Expression:
    """function OVER (PARTITION BY … ORDER BY …)."""
    ordered = exp.Order(expressions=[exp.Ordered(this=each) for each in order])
    return exp.Window(this=function, partition_by=[exp.column(name) for name in by], order=ordered, over="OVER")


def first(items: tuple[algebra.Item, ...], numbered: algebra.Select, most: dict[str, int]) -> algebra.Select:
    """The rows whose numbers are no greater than `most` says."""
    where = tuple(exp.LTE(this=exp.column(name), expression=number(count)) for name, count in most.items())
    return algebra.Select(items, replace(algebra.of(numbered, "w"), where=where))


def mixed(columns: Sequence[tuple[str, Family]], dialect: Dialect) -> exp.Expression:
    """What a unit's keys, or values, are ordered by before themselves: a number without a pattern. Where two have the
    same, they themselves decide.

    Claim: it is the same for equal ones. Because: only numbers have equal values of several texts, 0 and -0, NaN of
    either sign, 1.5 and 1.50, and those have one here. Which of them stands for a group is up to the engine, and so to
    other units' rows. Checked by: tests/attacks/test_sampling.py and `rewrite.checker`.
    """
    parts = [exp.column(UNIT), *(_one_text(name, family) for name, family in columns)]
    if dialect.mixes is not None:
        # Twice: the first puts the parts together, and units that it has in one order would keep the same keys.
        together = exp.Anonymous(this=dialect.mixes, expressions=parts)
        return exp.Anonymous(this=dialect.mixes, expressions=[together])
    texts = [exp.Coalesce(this=cast(part, TEXT), expressions=[exp.Literal.string("")]) for part in parts]
    joined: exp.Expression = texts[0]
    for each in texts[1:]:
        bar = exp.DPipe(this=joined, expression=exp.Literal.string("|"), safe=True)
        joined = exp.DPipe(this=bar, expression=each, safe=True)
    return exp.MD5(this=joined)


def _one_text(name: str, family: Family) -> exp.Expression:
    column: exp.Expression = exp.column(name)
    if family not in (Family.FLOAT, Family.NUMERIC, Family.INTEGER):
        return column
    without_zero = exp.Nullif(this=cast(column, DOUBLE), expression=number(0))
    return exp.Nullif(this=without_zero, expression=cast(exp.Literal.string("NaN"), DOUBLE))


def _total(
    source: algebra.Source, keys: Sequence[Key], columns: Sequence[str | None], counts_units: bool
) -> algebra.Select:
    by = tuple(key.name for key in keys)
    items = [itself(name) for name in by]
    if counts_units:
        items.append(algebra.Item("n", counted()))
    items += [
        algebra.Item(f"m{index}", counted() if column is None else total(column))
        for index, column in enumerate(columns)
    ]
    return algebra.Select(tuple(items), algebra.JoinedRows(source), by=by)
