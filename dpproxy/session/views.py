"""The rows of the proxy's own tables, `dp.*`, each analyst's own."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context, Decimal
from math import log
from typing import Final, assert_never

from dpproxy.accounting.account import Terms, remaining_epsilon, spent_epsilon
from dpproxy.accounting.loss import Loss
from dpproxy.answer import Account
from dpproxy.catalog.model import Catalog, Table
from dpproxy.catalog.model import Column as PolicyColumn
from dpproxy.catalog.views import VIEWS
from dpproxy.ledger.model import Charge, Standing
from dpproxy.mechanisms.model import Distribution, Noise
from dpproxy.plan.formulas import (
    CountOf,
    CovarianceOf,
    DecisionOf,
    DispersionOf,
    FitOf,
    LineOf,
    MeanOf,
    SelectedCount,
    SumOf,
)
from dpproxy.plan.model import Output, Plan, Release
from dpproxy.post import text
from dpproxy.rows import Rows, Value

Row = tuple[Value, ...]
_NORMAL_95: Final = 1.959963984540054
_SHOWN: Final = Context(prec=10)


def rows(view: str, values: Iterable[Row]) -> Rows:
    """The rows of `dp.view`."""
    return Rows(VIEWS[view], tuple(values))


def shown(value: Decimal) -> Decimal:
    """Ten digits: what people read. The ledger keeps all of them."""
    short = _SHOWN.create_decimal(value).normalize()
    return short.quantize(Decimal(1)) if short == short.to_integral_value() and short.adjusted() < 9 else short


def remaining(terms: Terms, spent: Loss, left: Loss) -> Decimal:
    """The ε that is left, where `left` counts what the owner granted on top of the policy's limit."""
    whole = spent + left
    if whole == terms.limit:
        return remaining_epsilon(terms, spent)
    return max(Decimal(0), spent_epsilon(terms, whole) - spent_epsilon(terms, spent))


def budget(account: Account, standing: Standing) -> Rows:
    """dp.budget: one row, of the account's period."""
    terms, spent = account.terms, standing.spent
    left = terms.limit + standing.granted - spent
    row = (
        account.ref.analyst,
        standing.period,
        terms.epsilon + standing.granted_epsilon,
        terms.delta + standing.granted_delta,
        shown(spent_epsilon(terms, spent)),
        shown(spent.delta),
        shown(remaining(terms, spent, left)),
        shown(left.delta),
        standing.ends,
    )
    return rows("budget", [row])


def statements(account: Account, charges: tuple[Charge, ...]) -> Rows:
    """dp.statements: newest first, numbered by `charge.number`: ids of the ledger would count what others do."""
    return rows("statements", [_statement(account.terms, each) for each in charges])


def _statement(terms: Terms, charge: Charge) -> Row:
    """What was left then may be more than the whole limit of now, which the owner may have lowered since, and to which
    grants come on top: nothing is taken for spent of that."""
    spent = terms.limit - charge.left
    spent = Loss(max(spent.main, Decimal(0)), max(spent.delta, Decimal(0)))
    return (
        charge.number,
        charge.at,
        charge.statement,
        charge.epsilon,
        shown(charge.cost.delta),
        charge.outcome.value,
        shown(remaining(terms, spent, charge.left)),
        charge.period,
    )


def last_statement(plan: Plan | None) -> Rows:
    """dp.last_statement: the released columns of the session's last private statement and their noise."""
    releases = () if plan is None else plan.releases
    found = [(i, _noise(each, output)) for i, each in enumerate(releases, 1) for output in each.outputs]
    if len(releases) > 1:
        # Several releases may have columns of one name; EXPLAIN numbers them alike.
        found = [(i, (f"{name} of release {i}", *rest)) for i, (name, *rest) in found]
    return rows("last_statement", [row for _, row in found])


def _noise(release: Release, output: Output) -> Row:
    match output.formula:
        case SelectedCount() if release.selection is not None:
            return _noise_row(output, release.selection.noise, 1.0)
        case CountOf(index) | SumOf(index):
            return _noise_row(output, release.noises[index], float(release.bounded.measures[index].step))
        case SelectedCount():
            return (output.label, None, None, None)
        case MeanOf() | DispersionOf() | CovarianceOf() | LineOf() | FitOf() | DecisionOf():
            # Made of several noised numbers: its spread depends on them, which is not the policy's to tell. And a
            # decision has none.
            return (output.label, release.noises[0].distribution.value, None, None)
        case _:
            assert_never(output.formula)


def _noise_row(output: Output, noise: Noise, step: float) -> Row:
    width = noise.scale * log(20) if noise.distribution is Distribution.LAPLACE else noise.scale * _NORMAL_95
    return (output.label, noise.distribution.value, noise.stddev * step, width * step)


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
