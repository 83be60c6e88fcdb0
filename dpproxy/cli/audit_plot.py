"""What an audit found, to be looked at: a table, and for each statement histograms of its best statistic under both
neighbours, with the event that was counted, and the lower bound beside the charge.

What seconds tell stands in a column of its own: without `constant_time` the guarantee is not about them.

Checked by: tests/audit/test_command.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import assert_never

import numpy as np
from rich.bar import Bar
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.audit.audit_proxy import AuditSettings
from dpproxy.audit.epsilon_bounds import Floats
from dpproxy.audit.trial import CountedStatistic, Finding, Guarantee
from dpproxy.cli.console import shown

_BINS, _WIDTH = 14, 36
_BASE, _TARGET, _EVENT = "cyan", "magenta", "yellow"


def findings_table(found: Sequence[Finding], asked: AuditSettings, guarantee: Guarantee, confidence: float) -> Table:
    """A line for each statement."""
    title = f"As {asked.analyst}, epsilon {asked.epsilon} a statement; lower bounds with confidence {confidence:.10g}"
    made = Table(title=Text(title, style="bold"), title_justify="left")
    made.add_column("statement", overflow="fold")
    for header in ("charged", "is epsilon", "at delta", "at least", "with time", "answers"):
        made.add_column(header, justify="right")
    made.add_column("verdict")
    if not guarantee.timed:
        made.caption = Text("time is not covered: constant_time is off")
    for each in found:
        made.add_row(
            Text("; ".join(each.statements)),
            *map(Text, _figures(each, guarantee.accounting)),
            _verdict(each, guarantee),
        )
    return made


def _figures(finding: Finding, accounting: Accounting) -> tuple[str, ...]:
    """What the ledger charged in its own coordinates, the pair that this promises, and what the answers show."""
    charged = "" if finding.charged is None else _charged(finding.charged, accounting)
    if finding.counted is None:
        return charged, "", "", "", "", str(finding.answers)
    promise = finding.counted.tested.event.promise
    bounds = ["" if each is None else shown(each.tested.bound) for each in (finding.counted, finding.timed)]
    return charged, shown(promise.epsilon), shown(promise.delta), *bounds, str(finding.answers)


def _charged(loss: Loss, accounting: Accounting) -> str:
    """As the ledger has it."""
    delta = f", delta {shown(loss.delta)}" if loss.delta else ""
    match accounting:
        case Accounting.PURE:
            return f"epsilon {shown(loss.main)}{delta}"
        case Accounting.ZCDP:
            return f"rho {shown(loss.main)}{delta}"
        case _:
            assert_never(accounting)


def _verdict(finding: Finding, guarantee: Guarantee) -> Text:
    if finding.refused is not None:
        return Text(finding.refused.splitlines()[0], style="dim")
    if finding.problem is not None:
        return Text(f"BROKEN: {finding.problem}", style="bold red")
    if finding.broken(guarantee):
        return Text("BROKEN: tells more than was charged", style="bold red")
    return Text("nothing above the charge", style="green")


def plotted(finding: Finding) -> Iterator[RenderableType]:
    """Histograms and bars; nothing where nothing was counted."""
    yield from (
        part for each in (finding.counted, finding.timed) if each is not None for part in _plotted(finding, each)
    )


def _plotted(finding: Finding, counted: CountedStatistic) -> Iterator[RenderableType]:
    event, tested = counted.tested.event, counted.tested
    yield Text(f"\n{'; '.join(finding.statements)}", style="bold")
    here, there = f"{tested.base} of {tested.trials} without", f"{tested.target} with"
    yield Text(f"event: {event}, in {here} the {counted.target} target, {there} it", style=_EVENT)
    yield _histogram(counted)
    yield _beside(tested.bound, event.promise.epsilon)


def _histogram(counted: CountedStatistic) -> Table:
    """A row for each bin, so many answers without the target and with it; the event's bins are marked."""
    edges = _edges(np.concatenate([counted.base_values, counted.target_values]))
    shares = [np.histogram(_within(each, edges), edges)[0] for each in (counted.base_values, counted.target_values)]
    most = max(1, *(int(each.max()) for each in shares))
    made = Table(box=None, padding=(0, 1), show_header=True)
    made.add_column("", justify="right")
    for name, color in (("without", _BASE), ("with the target", _TARGET)):
        made.add_column(Text(name, style=color), width=_WIDTH)
    made.add_column("")
    event = counted.tested.event
    for place, (low, high) in enumerate(pairwise(edges)):
        marked = event.hits(np.array([low, high]))
        mark = "event" if marked.all() else "threshold" if marked.any() else ""
        bars = [
            Bar(most, 0, int(each[place]), color=color) for each, color in zip(shares, (_BASE, _TARGET), strict=True)
        ]
        made.add_row(f"{(low + high) / 2:.5g}", *bars, Text(mark, style=_EVENT))
    return made


def _edges(values: Floats) -> Floats:
    """Bins over what is common, of whole numbers where the values are such; the ends hold what is further out."""
    known = values[~np.isnan(values)]
    low, high = np.quantile(known, [0.005, 0.995]) if len(known) else (0.0, 1.0)
    if not low < high:
        low, high = low - 0.5, high + 0.5
    if np.all(known == np.round(known)):
        width = max(1, math.ceil((high - low + 1) / _BINS))
        return np.arange(math.floor(low) - 0.5, high + width, width)
    return np.linspace(low, high, _BINS + 1)


def _within(values: Floats, edges: Floats) -> Floats:
    clipped: Floats = np.clip(values[~np.isnan(values)], edges[0], edges[-1])
    return clipped


def _beside(bound: float, epsilon: float) -> Table:
    most = max(bound, epsilon, 1e-12)
    made = Table(box=None, padding=(0, 1), show_header=False)
    for name, value, color in (
        ("charged", epsilon, "green"),
        ("at least", bound, "red" if bound > epsilon else "blue"),
    ):
        made.add_row(name, Bar(most, 0, value, color=color, width=_WIDTH * 2), f"{value:.4g}")
    return made
