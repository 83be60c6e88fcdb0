"""A statement that was asked: the error that its noise makes in each column, and the numbers that were released for it.

The ledger keeps no results. The statement is planned anew, at the ε that it was asked at, and what is stored of its
releases is looked up, which claims nothing and charges nothing.

Checked by: tests/test_dashboard.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from dpproxy.answering.stored import stored_releases
from dpproxy.dashboard.explanations import StatementFault, explained
from dpproxy.plan.private_plan import Plan, Release
from dpproxy.post_arrays import text
from dpproxy.post_processing import post_processed
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
class Bar:
    """A released number, and how far it may be off at 95 %."""

    key: str
    value: float
    half_width: float | None


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """The released numbers of one column, by key."""

    label: str
    bars: tuple[Bar, ...]


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
    errors = tuple(_errors(plan, raw))
    released = post_processed(plan, raw) if raw else ()
    return AskedAgain(errors, tuple(_columns(plan, released, {each.column: each for each in errors})))


def _errors(plan: Plan, released: Sequence[Rows]) -> Iterator[ColumnError]:
    for column, mechanism, *_, half_width in dp_tables.last_statement(plan, released).rows:
        yield ColumnError(str(column), str(mechanism or ""), half_width if isinstance(half_width, float) else None)


def _columns(plan: Plan, released: Sequence[Rows], errors: Mapping[str, ColumnError]) -> Iterator[StoredColumn]:
    for number, (release, rows) in enumerate(zip(plan.releases, released, strict=True) if released else (), 1):
        for index, output in enumerate(release.outputs, len(release.bounded.keys)):
            label = output.label if len(plan.releases) == 1 else f"{output.label} of release {number}"
            error = errors.get(label)
            bars = tuple(_bars(release, rows, index, None if error is None else error.half_width))
            if bars:
                yield StoredColumn(label, bars)


def _bars(release: Release, rows: Rows, index: int, half_width: float | None) -> Iterator[Bar]:
    for row in rows.rows:
        value = row[index]
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            yield Bar(_key(row[: len(release.bounded.keys)]), float(value), half_width)


def _key(values: Sequence[Value]) -> str:
    return ", ".join("NULL" if each is None else str(text(each)).removesuffix(_MIDNIGHT) for each in values)
