"""Pictures of the budget page: what they draw, without a style of their own; and the contrast of its colours."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree

import pytest

import dpproxy.dashboard
from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.dashboard.charts import DAYS, bars, spending
from dpproxy.dashboard.stored_answers import ReleasedNumber
from dpproxy.ledger.ledger_reader import Day, DayGrant

STYLE = (Path(dpproxy.dashboard.__file__).parent / "static" / "page.css").read_text()
TODAY = date(2026, 11, 30)


def ten(epsilon: Decimal, delta: Decimal) -> Terms:
    """An account of ε 10, and of what was granted."""
    return terms(Accounting.PURE, 10 + epsilon, delta)


def charged(period: str, ago: int, main: str) -> Day:
    return Day(period, TODAY - timedelta(days=ago), 1, Loss(Decimal(main), Decimal(0)))


def test_spending_is_a_line_by_day() -> None:
    """From what was spent before the first day; a new account begins at nothing."""
    chart = spending([charged("a", 60, "1"), charged("a", 20, "4"), charged("b", 10, "2")], (), ten, TODAY)
    assert [(each.day, each.share) for each in chart.days] == [
        (TODAY - timedelta(days=20), 0.5),
        (TODAY - timedelta(days=10), 0.2),
    ]
    way = ElementTree.fromstring(chart.picture)[1].attrib["d"]
    assert way == "M0 53.20 H90.00 V30.00 H190.00 V47.40 H300"
    assert (chart.last - chart.first).days == DAYS - 1
    assert "50% on 2026-11-10, 20% on 2026-11-20" in chart.picture


def test_what_was_granted_makes_a_larger_account() -> None:
    """The same is a smaller part of it from that day on, also where nothing is asked then; of another account it is
    none."""
    grants = [DayGrant("a", TODAY - timedelta(days=10), Decimal(30), Decimal(0))]
    chart = spending([charged("a", 20, "8"), charged("a", 5, "12"), charged("b", 3, "5")], grants, ten, TODAY)
    assert [(each.share, each.granted, each.statements) for each in chart.days] == [
        (0.8, 0, 1), (0.2, 30, 0), (0.5, 0, 1), (0.5, 0, 1),
    ]  # fmt: skip
    lines = [(each.attrib["class"], each.attrib["d"]) for each in ElementTree.fromstring(chart.picture)]
    assert lines[2:] == [("grant", "M190.00 0 V60")]
    assert "80% on 2026-11-10, 20% on 2026-11-20 (ε 30 granted), 50% on 2026-11-25" in chart.picture


def test_spending_of_nobody_and_of_more_than_there_is() -> None:
    assert "no statement was paid for" in spending([], (), ten, TODAY).picture
    assert spending([charged("a", 0, "12")], (), ten, TODAY).days[0].share == 1.0


def test_bars_have_one_scale_and_a_line_over_their_error() -> None:
    pictures = [
        ElementTree.fromstring(each)
        for each in bars(
            [ReleasedNumber("a", 100, (50, 150)), ReleasedNumber("b", -25, (-50, 0)), ReleasedNumber("c", 10, None)]
        )
    ]
    parts = [[each.attrib.get("class") for each in picture] for picture in pictures]
    assert parts == [["bar", "error"], ["bar", "error"], ["bar"]]
    first, second, third = (picture[0].attrib for picture in pictures)
    assert (first["x"], first["width"]) == ("75.00", "150.00")
    assert (second["x"], second["width"]) == ("37.50", "37.50")
    assert third["x"] == "75.00"
    assert pictures[0][1].attrib["d"].startswith("M150.00 8 H300.00 ")
    assert pictures[1].attrib["aria-label"] == "-25, between -50 and 0"


@pytest.mark.parametrize(
    "values",
    [
        [],
        [ReleasedNumber("", 0.0, None)],
        [ReleasedNumber("", 0.0, (0.0, 0.0))],
        [ReleasedNumber("", 1e300, (1e299, 2e300))],
    ],
)
def test_bars_of_nothing(values: list[ReleasedNumber]) -> None:
    assert len([ElementTree.fromstring(each) for each in bars(values)]) == len(values)


def test_no_style_is_in_a_picture() -> None:
    """The Content-Security-Policy would keep it from being used."""
    for each in (spending([charged("a", 1, "1")], (), ten, TODAY).picture, *bars([ReleasedNumber("a", 1, (0, 2))])):
        names = {name for node in ElementTree.fromstring(each).iter() for name in node.attrib}
        assert names.isdisjoint({"style", "fill", "stroke", "onload"})


# Text and what it stands on; then what is no text, and has to be told from what it stands on.
TEXTS = [
    *((text, paper) for text in ("ink", "faint", "accent") for paper in ("paper", "card")),
    *(("ink", paper) for paper in ("bad-paper",)),
    ("bad", "bad-paper"),
    ("bad", "card"),
    ("accent", "bad-paper"),
    ("on-accent", "accent"),
    ("on-mark", "mark"),
]
SHAPES = [
    ("control", "card"),
    ("control", "paper"),
    ("accent", "rule"),
    ("bad", "rule"),
    ("accent", "area"),
    ("error-bar", "card"),
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(TEXTS, 4.5), (SHAPES, 3.0)], ids=["texts", "shapes"])
def test_contrast(scheme: str, pairs: list[tuple[str, str]], least: float) -> None:
    """By WCAG 2.1 AA."""
    known = colours(scheme)
    ratios = {pair: contrast(known[pair[0]], known[pair[1]]) for pair in pairs}
    assert {pair: round(ratio, 2) for pair, ratio in ratios.items() if ratio < least} == {}


def test_contrast_is_what_it_is_known_to_be() -> None:
    assert (round(contrast("#000000", "#ffffff"), 2), round(contrast("#777777", "#ffffff"), 2)) == (21.0, 4.48)


def test_colours_are_named_once() -> None:
    """No rule has one of its own, which nobody would look at here."""
    rules = re.sub(r":root\s*\{[^}]*\}", "", STYLE)
    assert re.findall(r"#[0-9a-f]{3,8}\b|rgba?\(|hsl", rules) == []
    assert set(re.findall(r"var\(--([\w-]+)\)", rules)) == set(colours("light")) == set(colours("dark"))


def colours(scheme: str) -> dict[str, str]:
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in re.findall(r":root\s*\{([^}]*)\}", STYLE)
    )
    return {"light": light, "dark": dark}[scheme]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
