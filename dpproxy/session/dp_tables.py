"""The rows of the proxy's own tables, `dp.*`, each analyst's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_FLOOR, Context, Decimal
from functools import cache
from math import isfinite
from statistics import median
from typing import Final, assert_never

from dpproxy.accounting.account import Terms, remaining_epsilon, spent_epsilon, statement_loss
from dpproxy.accounting.history import History, amounts_to
from dpproxy.accounting.loss import Loss
from dpproxy.answering.resources import AnalystAccount
from dpproxy.catalog.policy import Catalog, Table
from dpproxy.catalog.policy import TableColumn as PolicyColumn
from dpproxy.catalog.views import VIEWS
from dpproxy.engines.dialects import engines_of
from dpproxy.error_bars import Margins, margins
from dpproxy.ledger.accounts_in_force import tightest
from dpproxy.ledger.records import Charge, HeldAccount
from dpproxy.plan.error_bars import USUAL_CONFIDENCE
from dpproxy.plan.formulas import (
    CentreOf,
    CountOf,
    CovarianceOf,
    DecisionOf,
    DispersionOf,
    FitOf,
    LineOf,
    MeanOf,
    ModeOf,
    QuantileOf,
    SelectedCount,
    SumOf,
    is_statistic,
)
from dpproxy.plan.private_plan import Applied, Output, Plan, Release
from dpproxy.plan.samples import Sample
from dpproxy.post_arrays import text
from dpproxy.post_processing import narrowed, told_of
from dpproxy.released_clips import clips_of, error_of
from dpproxy.rewrite.expressions.function import Function
from dpproxy.rewrite.expressions.table import FUNCTIONS
from dpproxy.rows import Rows, Value

Row = tuple[Value, ...]
Sure = Mapping[tuple[int, int], tuple[float | None, float | None]]
_SHOWN: Final = Context(prec=10)
_MOST_COUNTED: Final = 2**63 - 1


def rows(view: str, values: Iterable[Row]) -> Rows:
    """The rows of `dp.view`."""
    return Rows(VIEWS[view], tuple(values))


def shown(value: Decimal) -> Decimal:
    """Ten digits: what people read. The ledger keeps all of them."""
    short = _SHOWN.create_decimal(value).normalize()
    return short.quantize(Decimal(1)) if short == short.to_integral_value() and short.adjusted() < 9 else short


def remaining(terms: Terms, spent: Loss, left: Loss) -> Decimal:
    """The ε that was left of an account that held `spent` and `left`, grants included; shown as `dp.budget` did."""
    whole = spent + left
    if whole == terms.limit:
        return remaining_epsilon(terms, spent)
    held = replace(terms, limit=whole)
    return max(Decimal(0), spent_epsilon(held, whole) - spent_epsilon(held, spent))


def statements_left(held: HeldAccount, epsilon: Decimal) -> int | None:
    """How many statements of `epsilon` that release no private keys the account still has, as far as a bigint counts;
    None without a limit."""
    if held.terms is None or held.left is None:
        return None
    fits = (held.left.main / statement_loss(held.terms, epsilon)).to_integral_value(ROUND_FLOOR)
    return int(max(Decimal(0), min(fits, Decimal(_MOST_COUNTED))))


def left(held: Sequence[HeldAccount]) -> tuple[Decimal, Decimal]:
    """ε and δ that are left of an analyst's accounts: of the one that has the least."""
    each = tightest(held)
    assert each.terms is not None and each.left is not None, "an analyst's account has a limit"
    return remaining_epsilon(each.terms, each.standing.spent), max(each.left.delta, Decimal(0))


def amounts(held: Sequence[HeldAccount], histories: Sequence[History], otherwise: Terms) -> tuple[Decimal, ...]:
    """What the history of each account amounts to: takes long, and is for where nobody waits."""
    both = zip(held, histories, strict=True)
    return tuple(amounts_to(history, each.terms or otherwise) for each, history in both)


def budget(held: Sequence[HeldAccount], otherwise: Terms, amounts: Sequence[Decimal], epsilon: Decimal | None) -> Rows:
    """dp.budget: a row for each account that holds, of its current period, beside what its history amounts to.

    otherwise: how the loss of an account without a limit is shown. epsilon: what the next statement costs,
    if it is known.
    """
    both = zip(held, amounts, strict=True)
    return rows("budget", [_budget(each, otherwise, amount, epsilon) for each, amount in both])


def _budget(held: HeldAccount, otherwise: Terms, amount: Decimal, epsilon: Decimal | None) -> Row:
    standing, terms, left = held.standing, held.terms, held.left
    counted, spent = terms or otherwise, standing.spent
    return (
        standing.name,
        standing.period,
        None if terms is None else terms.epsilon,
        None if terms is None else terms.delta,
        shown(spent_epsilon(counted, spent)),
        shown(spent.delta),
        None if terms is None else shown(remaining_epsilon(terms, spent)),
        None if left is None else shown(max(left.delta, Decimal(0))),
        standing.ends,
        shown(amount),
        None if epsilon is None else statements_left(held, epsilon),
    )


def statements(account: AnalystAccount, charges: tuple[Charge, ...]) -> Rows:
    """dp.statements: newest first, numbered by `charge.number`: ids of the ledger would count what others do."""
    return rows("statements", [_statement(account.terms, each) for each in charges])


def _statement(terms: Terms, charge: Charge) -> Row:
    return (
        charge.number,
        charge.at,
        charge.statement,
        charge.epsilon,
        shown(charge.cost.delta),
        charge.outcome.value,
        shown(remaining(terms, charge.spent, charge.left)),
        charge.period,
    )


def last_statement(plan: Plan | None, released: Sequence[Rows] = ()) -> Rows:
    """dp.last_statement: the released columns of the session's last private statement and their noise, at the clip that
    was chosen for it where one was."""
    releases = () if plan is None else plan.releases
    sure = _sure(plan, released)
    clips = [clips_of(each, told) for each, told in zip(releases, released, strict=False)]
    clips += [{}] * (len(releases) - len(clips))
    less = {} if plan is None else narrowed(plan)
    found = [(i, row) for i, each in enumerate(releases, 1) for row in _told(i - 1, each, clips[i - 1], less, sure)]
    if len(releases) > 1:
        # Several releases may have columns of one name; EXPLAIN numbers them alike.
        found = [(i, (f"{name} of release {i}", *rest)) for i, (name, *rest) in found]
    return rows("last_statement", [row for _, row in found])


def _sure(plan: Plan | None, released: Sequence[Rows]) -> Sure:
    """Of statistics of several totals and of quantiles, by release and column, the standard deviation and half-width of
    a typical row of what was released."""
    if plan is None or not released:
        return {}
    told = told_of(plan, released)
    return {
        (index, column): _typical(margins(told, index, column, USUAL_CONFIDENCE))
        for index, release in enumerate(plan.releases)
        for column, output in enumerate(release.outputs, len(release.bounded.keys))
        if is_statistic(output.formula) or isinstance(output.formula, QuantileOf)
    }


def _typical(found: Margins) -> tuple[float | None, float | None]:
    return _middle(found.stddev.tolist()), _middle(found.half_width.tolist())


def _middle(values: Sequence[float]) -> float | None:
    known = [each for each in values if isfinite(each)]
    return median(known) if known else None


def _told(
    index: int,
    release: Release,
    clips: Mapping[int, Decimal],
    less: Mapping[tuple[int, int], float],
    sure: Sure,
) -> list[Row]:
    """A row for each released number; where a release tells its keys alone, for each of them.

    less: by release and column, what is left of the noise where totals and parts were made consistent.
    """
    if release.outputs:
        numbered = enumerate(release.outputs, len(release.bounded.keys))
        told = [
            _less(_number(release, output, clips, sure.get((index, column))), less.get((index, column), 1.0))
            for column, output in numbered
        ]
    else:
        chosen = (each for each in release.mechanisms if each.mechanism.tells_keys)
        told = [_key(release, each, key.label) for each in chosen for key in release.bounded.keys]
    return [_in_sample(row, release.bounded.sample) for row in told]


def _in_sample(row: Row, sample: Sample | None) -> Row:
    """Its noise is that of a number of the sample."""
    label, mechanism, *errors = row
    return row if sample is None else (label, f"{mechanism} in a sample of {sample.shown}", *errors)


def _less(row: Row, ratio: float) -> Row:
    label, mechanism, *errors = row
    return (label, mechanism, *(each * ratio if isinstance(each, float) else each for each in errors))


def _key(release: Release, applied: Applied, label: str) -> Row:
    """What tells a key; its error is that of a choice by a measure."""
    row = _error(label, release, applied.measure, {})
    return row if applied.measure is not None else (*row[:2], None, None)


def _number(
    release: Release, output: Output, clips: Mapping[int, Decimal], sure: tuple[float | None, float | None] | None
) -> Row:
    match output.formula:
        case SelectedCount():
            return _error(output.label, release, None, clips)
        case CountOf(index) | SumOf(index) | ModeOf(index):
            return _error(output.label, release, index, clips)
        case QuantileOf(index):
            # How far off in value, what lies around it in an answer says; of blocks nobody can.
            name, blocks = _error(output.label, release, index, clips)[1], release.bounded.blocks
            name = name if blocks is None else f"{name}, median of {blocks} blocks"
            return (output.label, name, *(sure or (None, None)))
        case MeanOf() | CentreOf() | DispersionOf() | CovarianceOf() | LineOf() | FitOf() | DecisionOf():
            # Made of several noised numbers: its spread depends on them, so that there is none before they are told.
            # And a decision has none.
            return (*_error(output.label, release, 0, clips)[:2], *(sure or (None, None)))
        case _:
            assert_never(output.formula)


def _step(release: Release, measure: int | None) -> float:
    """Of what a mechanism reads, in the units of the column."""
    return 1.0 if measure is None else float(release.bounded.measures[measure].step)


def _error(label: str, release: Release, measure: int | None, clips: Mapping[int, Decimal]) -> Row:
    """Of what the last mechanism tells that reads the measure."""
    mechanism, step = release.applied_to(measure), _step(release, measure)
    if mechanism is None:
        return (label, None, None, None)
    name, error = mechanism.described(step, release.bounded.unit).name, error_of(release, measure, clips)
    if error is None:
        return (label, name, None, None)
    return (label, name, None if error.stddev is None else error.stddev * step, error.half_width * step)


def tables(catalog: Catalog) -> Rows:
    """dp.tables: what the analyst may use; a public table has no unit."""
    return rows("tables", [_table(each) for each in catalog.tables.values()])


def _table(table: Table) -> Row:
    limits = (None, None) if table.public else (table.max_rows_per_unit, table.max_groups_per_unit)
    return (table.name, table.unit, *limits, table.note)


def columns(catalog: Catalog) -> Rows:
    """dp.columns: what is known of each; hidden ones are described nowhere."""
    return rows(
        "columns",
        [_column(table, each) for table in catalog.tables.values() for each in table.columns if not each.hidden],
    )


def _column(table: Table, column: PolicyColumn) -> Row:
    lower, upper = (None, None) if column.bounds is None else map(text, column.bounds)
    keys = None if column.values is None else ", ".join(text(each) or "NULL" for each in column.values)
    keys = "false, true" if str(column.type) == "boolean" else keys
    known = (table.name, column.name, str(column.type), column.nullable)
    return (*known, lower, upper, column.step, keys, column.note)


@cache
def functions() -> Rows:
    """dp.functions: what private columns may stand in, each name and each signature a row."""
    return rows("functions", [row for each in FUNCTIONS for row in _function(each)])


def _function(function: Function) -> list[Row]:
    engines = ", ".join(sorted(engines_of(function.makes)))
    note = function.note.replace("`", "") or None
    plain = (each.replace("…", "...") for each in function.signatures)  # every client encoding has these
    signatures = [[part.strip() for part in each.split("→")] for each in plain]
    return [(name, taken, given, engines, note) for name in function.names for taken, given in signatures]
