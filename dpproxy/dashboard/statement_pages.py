"""One statement that was asked: its price, the error of its columns, and what is stored of its answer.

Checked by: tests/test_dashboard.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web
from markupsafe import Markup

from dpproxy.dashboard.charts import bars
from dpproxy.dashboard.explanations import StatementFault
from dpproxy.dashboard.pages import DASHBOARD, about, page
from dpproxy.dashboard.stored_answers import AskedAgain, ReleasedNumber, StoredColumn, asked_again
from dpproxy.ledger.ledger_reader import LATEST, AnalystCharge

_MOST_BARS = 60


@dataclass(frozen=True, slots=True)
class StatementShown:
    """A charge and the page that is about it."""

    charge: AnalystCharge
    place: str


@dataclass(frozen=True, slots=True)
class StatementList:
    """A part of a list, newest first. older: the page of those before it, None where it has the first; latest: the page
    with the newest, None where this is it."""

    rows: Sequence[StatementShown]
    older: str | None
    latest: str | None


@dataclass(frozen=True, slots=True)
class ColumnDrawn:
    """A column's numbers beside their pictures; left_out: how many more there are."""

    label: str
    rows: Sequence[tuple[ReleasedNumber, Markup]]
    left_out: int


def asked_before(request: web.Request) -> int:
    """The number that the list of a page begins before, by its address. Raises HTTPNotFound."""
    given = request.query.get("before")
    if given is None:
        return LATEST
    if not re.fullmatch(r"[0-9]{1,18}", given):
        raise web.HTTPNotFound
    return int(given)


def listed(rows: Sequence[StatementShown], most: int, before: int, page: str, section: str) -> StatementList:
    """The list of the first `most` of these rows, of which there is one more where older ones are left."""
    shown = rows[:most]
    older = f"{page}?before={shown[-1].charge.number}#{section}" if len(rows) > most else None
    return StatementList(shown, older, None if before == LATEST else f"{page}#{section}")


async def statement_page(request: web.Request, shown: StatementShown, back: str) -> web.StreamResponse:
    """All that is known of it. back: the page that has the list."""
    known = await _known(request, shown)
    return page(
        request,
        "statement.html",
        shown=shown,
        back=back,
        fault=known if isinstance(known, StatementFault) else None,
        errors=known.errors if isinstance(known, AskedAgain) else (),
        columns=[_drawn(each) for each in known.columns] if isinstance(known, AskedAgain) else (),
    )


async def error_cell(request: web.Request, shown: StatementShown) -> web.StreamResponse:
    """The error in a few words, as text."""
    known = await _known(request, shown)
    return web.Response(text=_in_words(known))


def _in_words(known: AskedAgain | StatementFault) -> str:
    if isinstance(known, StatementFault):
        return "not known"
    told = [f"{each.column} ± {about(each.half_width)}" for each in known.errors if each.half_width is not None]
    return ", ".join(told) or ("depends on the answer" if known.errors else "no noise")


async def _known(request: web.Request, shown: StatementShown) -> AskedAgain | StatementFault:
    charge = shown.charge
    return await asked_again(request.app[DASHBOARD].proxy, charge.analyst, charge.statement, charge.epsilon)


def _drawn(column: StoredColumn) -> ColumnDrawn:
    drawn = column.bars[:_MOST_BARS]
    return ColumnDrawn(column.label, list(zip(drawn, bars(drawn), strict=True)), len(column.bars) - len(drawn))
