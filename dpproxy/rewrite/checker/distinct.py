"""The shape of bounded distinct counts: each unit gives a few values to each of a few keys."""

from __future__ import annotations

from collections.abc import Iterator
from string import Template
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.mechanisms.norms import Norm
from dpproxy.plan.private_plan import Bounded, Limit
from dpproxy.rewrite.checker.clipped import MOST_STEPS, ROWS, STEP, bucket_text, same, total_text
from dpproxy.rewrite.checker.fault import require
from dpproxy.rewrite.checker.held import Kind
from dpproxy.rewrite.checker.limits import (
    check_filters,
    check_kept,
    check_rank,
    check_reason,
    check_steps,
    check_texts,
    ranks,
    unfiltered,
)
from dpproxy.rewrite.checker.nodes import parsed
from dpproxy.rewrite.checker.relations import UNIT, Relation
from dpproxy.rewrite.checker.samples import check_sample
from dpproxy.rewrite.checker.scope import CheckContext
from dpproxy.rewrite.checker.syntax import derived, filtered, grouped, null_test, only, plain, query_of, source_of

VALUE = "v"
_HOW_MANY: Final = "COUNT(*) OVER (PARTITION BY u) AS d"
_OWNER: Final = "u AS o"
_IS_LAST: Final = "CASE WHEN NOT o IS NULL AND l = d THEN 1 ELSE 0 END AS c"
_END: Final = "CASE WHEN o IS NULL THEN r ELSE l END"
_IS_VALUE: Final = Template("CASE WHEN o IS NULL THEN 1 ELSE 0 END AS $measure")
_ENDS: Final = "o, MIN(r) AS r, MAX(r) AS l, MAX(d) AS d"
_SETS: Final = Template("GROUPING SETS (($values), ($units))")
_GROUPED: Final = Template("SELECT $items FROM $rows GROUP BY $by")
_INEXACT = (None, Family.FLOAT, Family.INTERVAL)


def check_distinct(total: exp.Select, bounded: Bounded, context: CheckContext) -> None:
    """Claim: if nothing is raised, removing one unit changes at most `bounded.groups` rows of the result, each by
    at most `measure.upper`.

    Because: a count of distinct values moves no further than by the number of values that are taken from it, and a unit
    gives to a key at most that many, numbered in an order that its values alone decide: each stands there once, or all
    rows of one have one dense rank, and no other value has it; it gives to at most so many
    keys by the same kind of step, or for the reason that the plan states (`check_reason`).
    Checked by: tests/test_checker_dag.py.
    """
    measure = bounded.measures[0]
    alone = len(bounded.measures) == 1 and measure.lower == 0 and measure.step == 1
    require(alone, "not one count of distinct values")
    require(not bounded.counts_units, "a count of distinct values with a count of units")
    if bounded.clip is not None:
        _check_at_a_clip(total, bounded, context)
        return
    keys = [key.name for key in bounded.keys]
    _check_total(total, keys, measure.name)
    kept = derived(total)
    only(kept, "expressions", "from_", "where")
    require([plain(item) for item in kept.expressions] == [*keys, VALUE], "the limit step carries other columns")
    ranked = derived(kept)
    limited = bounded.limit is Limit.KEYS_LIMITED
    found = ranks(ranked, [*keys, VALUE], 2 if limited else 1)
    rows, conditions, once = _contributed(derived(ranked), bounded, context)
    ordered = check_rank(found[0].this, exp.RowNumber if once else exp.DenseRank, [UNIT, *keys], [*keys, VALUE])
    if limited:
        ordered += check_rank(found[1].this, exp.DenseRank, [UNIT], keys)
    most = zip(found, (measure.upper, bounded.groups), strict=False)
    check_kept(filtered(kept), [(rank.alias, number) for rank, number in most])
    check_steps([*ordered, *conditions], rows, bounded, context)
    check_reason(bounded, rows, context.releases)
    check_texts(ranked, rows)


def _check_at_a_clip(total: exp.Select, bounded: Bounded, context: CheckContext) -> None:
    """Claim: if nothing is raised, each unit is counted in one row, in the bucket of how many values it has; of the
    values in buckets up to any edge one unit takes away no more than that edge, in all keys together; and one that is
    gone there, and had a lower number of the unit's, is gone from the buckets up to that number's, too.

    Because: its values, each of which stands there once, are numbered from 1 to how many they are, in an order that
    they alone decide; a value has one row of a key, that without a unit, in the bucket of the least number that it has
    there, and stays as long as another unit has it, in the bucket of the least that is left: where none is left up to
    an edge, there was none but the unit's below. A unit, which is never NULL, has a row of its own for each key that it
    has values for; in one of these is the greatest of its numbers, which is how many it has, and there it is counted.
    What a bucket is of, `edge` says.
    Checked by: tests/test_checker_clipped.py, tests/test_clipped_neighbours.py.
    """
    names, measure = [key.name for key in bounded.keys], bounded.measures[0].name
    require(bounded.measures[0].upper == MOST_STEPS, "a unit has another number of values than it may have")
    last = total
    for source, text in zip("tqw", _steps(names, measure), strict=True):
        same(last, text, source, context.engine)
        last = derived(last)
    number, *beside = ranks(last, [*names, VALUE], 3)
    require(number.alias == "r", "numbers of another name")
    expected = parsed(STEP.substitute(items=f"{_HOW_MANY}, {_OWNER}", rows=ROWS + "c"), context.engine.name)
    require(beside == expected.expressions, "it is not how many values a unit has, and whose they are")
    require(source_of(last).alias == "c", "numbers of other rows")
    rows, conditions, once = _contributed(derived(last), bounded, context)
    require(once, "a value of a unit may stand there twice")
    ordered = check_rank(number.this, exp.RowNumber, [UNIT], [*names, VALUE])
    check_steps([*ordered, *conditions], rows, bounded, context)
    check_reason(bounded, rows, context.releases)
    check_texts(last, rows)


def _steps(names: list[str], measure: str) -> Iterator[str]:
    """From the totals down to the numbers, each of which reads the next."""
    by = ", ".join([*names, "b0"])
    items = ", ".join([*names, "SUM(c) AS c", "b0", total_text(measure)])
    yield _GROUPED.substitute(items=items, rows=ROWS + "t", by=by)
    marks = [_IS_LAST, bucket_text(_END, Norm.L1, 0), _IS_VALUE.substitute(measure=measure)]
    yield STEP.substitute(items=", ".join([*names, *marks]), rows=ROWS + "q")
    sets = _SETS.substitute(values=", ".join([*names, VALUE]), units=", ".join([*names, "o"]))
    yield _GROUPED.substitute(items=", ".join([*names, _ENDS]), rows=ROWS + "w", by=sets)


def _check_total(total: exp.Select, keys: list[str], name: str) -> None:
    only(total, "expressions", "from_", "group")
    require([plain(part) for part in grouped(total)] == keys, "the total is not by the keys")
    require(len(total.expressions) == len(keys) + 1, "the result is not its keys and one count")
    *carried, count = total.expressions
    require([plain(item) for item in carried] == keys, "the result does not begin with its keys")
    counted = count.this if type(count) is exp.Alias and count.alias == name else None
    distinct = counted.this if type(counted) is exp.Count else None
    values = distinct.expressions if type(distinct) is exp.Distinct else []
    require([plain(each) for each in values] == [VALUE], f"{name} is no count of distinct values")


def _contributed(select: exp.Select, bounded: Bounded, context: CheckContext) -> tuple[Relation, list[exp.Expr], bool]:
    """The rows, the filter on public keys, and whether each value of a unit in a key stands once."""
    conditions, inner = unfiltered(select)
    only(inner, "expressions", "from_", "where", "group")
    names = [UNIT, *(key.name for key in bounded.keys), VALUE]
    require([plain(item) for item in inner.expressions] == names, "contributions do not carry unit, keys and value")
    group = [plain(part) for part in grouped(inner)]
    require(group in ([], names), "contributions are not by unit, keys and value")
    tests = [null_test(condition) for condition in filtered(inner)]
    require([found and (plain(found[0]), found[1]) for found in tests] == [(VALUE, False)], "NULL is counted")
    rows = context.relation(query_of(inner), context)
    require(rows.unit == bounded.unit, "the rows are of another unit")
    check_sample(rows, bounded)
    require(list(rows.columns) == names, "the rows do not carry unit, keys and value")
    check_filters(conditions, bounded, rows, context)
    value = rows.columns[VALUE]
    always_null = value.held is not None and value.held.kind is Kind.NOTHING
    require(always_null or value.family not in _INEXACT, "the values are not proved to be of an exact type")
    return rows, conditions, bool(group)
