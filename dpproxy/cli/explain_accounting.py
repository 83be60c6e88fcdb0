"""`dpproxy explain --accounting`: what so many runs of a statement come to, by five ways of adding losses up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from rich.table import Table

from dpproxy.accounting.account import Terms
from dpproxy.accounting.loss import Accounting
from dpproxy.accounting.repetitions import OneRun, Repetitions, compared
from dpproxy.cli.console import table
from dpproxy.plan.losses import dominating, lost
from dpproxy.plan.private_plan import Plan

_ALWAYS = (1, 10, 100)
_COLUMNS = ("runs", "basic", "advanced", "RDP", "zCDP", "PLD")


def repetitions(plan: Plan, terms: Terms, most: int) -> tuple[Repetitions, ...]:
    """For 1, 10, 100 and `most` runs, at the account's δ. Each is new: nothing stored is told again."""
    return compared(_one_run(plan, terms.accounting), terms.delta, sorted({*_ALWAYS, most}))


def _one_run(plan: Plan, accounting: Accounting) -> OneRun:
    of_rho = lost(plan.releases, plan.time, Accounting.ZCDP)
    return OneRun(dominating(plan.releases, plan.time, accounting), _pure(plan), of_rho.main, of_rho.delta)


def _pure(plan: Plan) -> Decimal | None:
    """None where a mechanism has no ε."""
    try:
        return lost(plan.releases, plan.time, Accounting.PURE).main
    except ValueError:
        return None


def as_table(rows: Sequence[Repetitions], terms: Terms) -> Table:
    """A line for each number of runs; empty where a way promises nothing."""
    shown = [(str(each.times), *map(_shown, _figures(each))) for each in rows]
    return table(f"Epsilon at delta {terms.delta:g}", _COLUMNS, shown, 0)


def as_json(rows: Sequence[Repetitions], terms: Terms) -> Mapping[str, object]:
    """The same for scripts."""
    names = [name.lower() for name in _COLUMNS]
    runs = [dict(zip(names, (each.times, *_figures(each)), strict=True)) for each in rows]
    return {"delta": float(terms.delta), "accounting": terms.accounting.value, "repetitions": runs}


def _figures(each: Repetitions) -> tuple[float | None, ...]:
    return each.basic, each.advanced, each.rdp, each.zcdp, each.pld


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
