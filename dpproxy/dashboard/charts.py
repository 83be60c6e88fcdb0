"""Pictures as SVG. No colour, no size and no text is in them: those are the style sheet's, and HTML's.

So they are as wide as there is room, in dark and light, and what they show can be read beside them.

Checked by: tests/test_dashboard_charts.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from markupsafe import Markup

from dpproxy.accounting.account import Terms
from dpproxy.dashboard.stored_answers import ReleasedNumber
from dpproxy.ledger.ledger_reader import Day, running

DAYS: Final = 30
_WIDTH, _HEIGHT, _ROW = 300.0, 60.0, 16.0
_SVG: Final = Markup(
    '<svg class="{kind}" viewBox="0 0 {width:g} {height:g}" preserveAspectRatio="none" role="img" aria-label="{label}">'
    "{parts}</svg>"
)
_LINE: Final = Markup('<path class="{kind}" d="{way}" vector-effect="non-scaling-stroke"/>')
_RECTANGLE: Final = Markup('<rect class="{kind}" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"/>')


@dataclass(frozen=True, slots=True)
class DayShare:
    """A day, how many statements were paid for, and what part of the account they had spent at its end."""

    day: date
    statements: int
    share: float


@dataclass(frozen=True, slots=True)
class SpendingChart:
    """Spending over the last days, with the picture and the days that it is of."""

    picture: Markup
    days: tuple[DayShare, ...]
    first: date
    last: date


def spending(days: Sequence[Day], terms: Terms, today: date) -> SpendingChart:
    """The part of the account that was spent, by day; where a new account begins, it is from nothing again."""
    first = today - timedelta(days=DAYS - 1)
    shares = [
        DayShare(each.day, each.statements, min(float(spent.main / terms.limit.main), 1.0))
        for each, spent in running(days)
    ]
    lately = tuple(each for each in shares if first <= each.day <= today)
    before = [each.share for each in shares if each.day < first]
    way = _steps(lately, before[-1] if before else 0.0, first)
    area = f"{way} V{_HEIGHT:g} H0 Z"
    parts = Markup("").join([_LINE.format(kind="area", way=area), _LINE.format(kind="line", way=way)])
    label = f"spent of the budget from {first} to {today}: " + _told(lately)
    picture = _SVG.format(kind="spending", width=_WIDTH, height=_HEIGHT, label=label, parts=parts)
    return SpendingChart(picture, lately, first, today)


def _steps(days: Sequence[DayShare], share: float, first: date) -> str:
    words = [f"M0 {_y(share)}"]
    for each in days:
        words.append(f"H{(each.day - first).days * _WIDTH / DAYS:.2f} V{_y(each.share)}")
    return " ".join([*words, f"H{_WIDTH:g}"])


def _y(share: float) -> str:
    """Within the picture by the width of a line."""
    return f"{1 + (1 - share) * (_HEIGHT - 2):.2f}"


def _told(days: Sequence[DayShare]) -> str:
    if not days:
        return "no statement was paid for"
    return ", ".join(f"{each.share:.0%} on {each.day}" for each in days)


def bars(values: Sequence[ReleasedNumber]) -> tuple[Markup, ...]:
    """A picture for each number, all on one scale: a bar from zero, and a line over all that it may be at 95 %."""
    ends = [0.0, *(end for value in values for end in (value.value, *(value.ends or ())))]
    least, most = min(ends), max(ends)
    scale = _WIDTH / (most - least) if most > least else 0.0
    return tuple(_bar(each, least, scale) for each in values)


def _bar(bar: ReleasedNumber, least: float, scale: float) -> Markup:
    def x(value: float) -> float:
        return (value - least) * scale

    zero, end = sorted((x(0.0), x(bar.value)))
    parts = [_RECTANGLE.format(kind="bar", x=zero, y=_ROW * 0.2, width=max(end - zero, 0.5), height=_ROW * 0.6)]
    if bar.ends is not None:
        low, high = map(x, bar.ends)
        way = " ".join(f"M{at:.2f} {_ROW * 0.1:g} V{_ROW * 0.9:g}" for at in (low, high))
        parts.append(_LINE.format(kind="error", way=f"M{low:.2f} {_ROW / 2:g} H{high:.2f} {way}"))
    between = "" if bar.ends is None else ", between {:.4g} and {:.4g}".format(*bar.ends)
    label = f"{bar.value:.6g}{between}"
    return _SVG.format(kind="bars", width=_WIDTH, height=_ROW, label=label, parts=Markup("").join(parts))
