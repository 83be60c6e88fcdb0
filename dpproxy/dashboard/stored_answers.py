"""A statement that was asked: the error that its noise makes in each column, and the numbers that were released for it.

The ledger keeps no results. The statement is planned anew, at the ε that it was asked at, and what is stored of its
releases is looked up, which claims nothing and charges nothing.

Checked by: tests/test_dashboard.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Final

from dpproxy.answering.stored import stored_releases
from dpproxy.dashboard.explanations import StatementFault, explained
from dpproxy.error_bars import ToldRows, margins
from dpproxy.plan.error_bars import USUAL_CONFIDENCE
from dpproxy.plan.private_plan import Plan, Release
from dpproxy.post_arrays import text
from dpproxy.post_processing import told_of
from dpproxy.rows import Rows, Value
from dpproxy.server.proxy import Proxy
from dpproxy.session import dp_tables

_MIDNIGHT: Final = " 00:00:00"


@dataclass(frozen=True, slots=True)
class ColumnError:
    """A noisy column; half_width: at 95 %, None where it depends on what was released."""

    column: str
    mechanism: str
    half_width: float | None


@dataclass(frozen=True, slots=True)
class ReleasedNumber:
    """A released number, and the ends of its interval at 95 %; None where they are not known."""

    key: str
    value: float
    ends: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """The released numbers of one column, by key."""

    label: str
    bars: tuple[ReleasedNumber, ...]


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """What is known of a statement. columns: empty where its releases are not stored, or are others by now."""

    errors: tuple[ColumnError, ...]
    columns: tuple[StoredColumn, ...]


async def asked_again(proxy: Proxy, analyst: str, statement: str, epsilon: Decimal) -> AskedAgain | StatementFault:
    """What is known of a statement that was asked at `epsilon`; why nothing is."""
    found = await explained(proxy, analyst, statement, {"dp.epsilon": f"{epsilon:f}"})
    if isinstance(found, StatementFault):
        return found
    if found.planned is None:
        return AskedAgain((), ())
    context, plan = found.planned
    known = await stored_releases(context.stored, analyst, plan)
    complete = plan.releases and len(known) == len(plan.releases)
    raw = tuple(known[index] for index in range(len(known))) if complete else ()
    return await asyncio.to_thread(_worked_out, plan, raw)


def _worked_out(plan: Plan, released: Sequence[Rows]) -> AskedAgain:
    """Errors may be simulated, which takes its time."""
    return AskedAgain(tuple(_errors(plan, released)), tuple(_columns(told_of(plan, released))) if released else ())


def _errors(plan: Plan, released: Sequence[Rows]) -> Iterator[ColumnError]:
    for column, mechanism, *_, half_width in dp_tables.last_statement(plan, released).rows:
        yield ColumnError(str(column), str(mechanism or ""), half_width if isinstance(half_width, float) else None)


def _columns(told: ToldRows) -> Iterator[StoredColumn]:
    for number, release in enumerate(told.releases):
        for column, output in enumerate(release.outputs, len(release.bounded.keys)):
            label = output.label if len(told.releases) == 1 else f"{output.label} of release {number + 1}"
            found = margins(told, number, column, USUAL_CONFIDENCE)
            ends = zip(found.low.tolist(), found.high.tolist(), strict=True)
            if bars := tuple(_bars(release, told.rows[number], column, tuple(ends))):
                yield StoredColumn(label, bars)


def _bars(release: Release, rows: Rows, column: int, ends: Sequence[tuple[float, float]]) -> Iterator[ReleasedNumber]:
    for row, (low, high) in zip(rows.rows, ends, strict=True):
        value = row[column]
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool) and isfinite(value):
            known = isfinite(low) and isfinite(high)
            yield ReleasedNumber(_key(row[: len(release.bounded.keys)]), float(value), (low, high) if known else None)


def _key(values: Sequence[Value]) -> str:
    return ", ".join("NULL" if each is None else str(text(each)).removesuffix(_MIDNIGHT) for each in values)
