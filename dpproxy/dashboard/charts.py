"""Pictures as SVG. No colour, no size and no text is in them: those are the style sheet's, and HTML's.

So they are as wide as there is room, in dark and light, and what they show can be read beside them.

Checked by: tests/test_dashboard_charts.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from markupsafe import Markup

from dpproxy.accounting.account import Terms
from dpproxy.accounting.loss import ZERO, Loss
from dpproxy.dashboard.stored_answers import ReleasedNumber
from dpproxy.ledger.ledger_reader import Day, DayGrant, running

DAYS: Final = 30
Accounts = Callable[[Decimal, Decimal], Terms]
"""What an account holds to which so much ε and δ were granted."""
_0: Final = Decimal(0)
_WIDTH, _HEIGHT, _ROW = 300.0, 60.0, 16.0
_SVG: Final = Markup(
    '<svg class="{kind}" viewBox="0 0 {width:g} {height:g}" preserveAspectRatio="none" role="img" aria-label="{label}">'
    "{parts}</svg>"
)
_LINE: Final = Markup('<path class="{kind}" d="{way}" vector-effect="non-scaling-stroke"/>')
_RECTANGLE: Final = Markup('<rect class="{kind}" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"/>')


@dataclass(frozen=True, slots=True)
class DayShare:
    """A day, how many statements were paid for, what part of the account they had spent at its end, and how much ε was
    granted."""

    day: date
    statements: int
    share: float
    granted: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class SpendingChart:
    """Spending over the last days, with the picture and the days that it is of."""

    picture: Markup
    days: tuple[DayShare, ...]
    first: date
    last: date


def spending(days: Sequence[Day], grants: Sequence[DayGrant], accounts: Accounts, today: date) -> SpendingChart:
    """The part of the account that was spent, by day, of what it could spend then; where a new account begins, it is
    from nothing again, and where something is granted, the same is a smaller part."""
    first = today - timedelta(days=DAYS - 1)
    given = {(each.period, each.day): each.epsilon for each in grants}
    shares = [
        DayShare(
            each.day, each.statements, _share(each, spent, grants, accounts), given.get((each.period, each.day), _0)
        )
        for each, spent in running(_with_grants(days, grants))
    ]
    lately = tuple(each for each in shares if first <= each.day <= today)
    before = [each.share for each in shares if each.day < first]
    way = _steps(lately, before[-1] if before else 0.0, first)
    area = f"{way} V{_HEIGHT:g} H0 Z"
    marks = [f"M{_x(each.day, first)} 0 V{_HEIGHT:g}" for each in lately if each.granted]
    lines = [("area", area), ("line", way), *(("grant", each) for each in marks)]
    parts = Markup("").join(_LINE.format(kind=kind, way=each) for kind, each in lines)
    label = f"spent of the budget from {first} to {today}: " + _told(lately)
    picture = _SVG.format(kind="spending", width=_WIDTH, height=_HEIGHT, label=label, parts=parts)
    return SpendingChart(picture, lately, first, today)


def _with_grants(days: Sequence[Day], grants: Sequence[DayGrant]) -> Sequence[Day]:
    """The days, and those on which something was granted and nothing charged."""
    charged = {(each.period, each.day) for each in days}
    return [*days, *(Day(each.period, each.day, 0, ZERO) for each in grants if (each.period, each.day) not in charged)]


def _share(day: Day, spent: Loss, grants: Sequence[DayGrant], accounts: Accounts) -> float:
    """Of what the account could spend at the end of the day."""
    until = [each for each in grants if each.period == day.period and each.day <= day.day]
    granted = sum((each.epsilon for each in until), _0), sum((each.delta for each in until), _0)
    return min(float(spent.main / accounts(*granted).limit.main), 1.0)


def _x(day: date, first: date) -> str:
    return f"{(day - first).days * _WIDTH / DAYS:.2f}"


def _steps(days: Sequence[DayShare], share: float, first: date) -> str:
    words = [f"M0 {_y(share)}"]
    for each in days:
        words.append(f"H{_x(each.day, first)} V{_y(each.share)}")
    return " ".join([*words, f"H{_WIDTH:g}"])


def _y(share: float) -> str:
    """Within the picture by the width of a line."""
    return f"{1 + (1 - share) * (_HEIGHT - 2):.2f}"


def _told(days: Sequence[DayShare]) -> str:
    if not days:
        return "no statement was paid for"
    return ", ".join(f"{each.share:.0%} on {each.day}{_after(each)}" for each in days)


def _after(day: DayShare) -> str:
    return f" (ε {float(day.granted):g} granted)" if day.granted else ""


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
