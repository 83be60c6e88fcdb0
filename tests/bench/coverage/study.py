"""`python tests/bench coverage`: nominal and measured coverage of statements of all kinds, as a table."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from math import isinf
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from bench.accuracy.figures import by_key, heads, percent, row
from bench.accuracy.fresh import asking
from bench.coverage.measured import CONFIDENCES, Intervals, front, measured
from bench.coverage.questions import QUESTIONS, Question
from bench.coverage.world import PEOPLE, make_world
from rich.console import Console
from rich.progress import Progress

from dpproxy.accounting.loss import Accounting

_USUAL = Decimal("0.95")


def main(short: bool) -> None:
    """Print the table."""
    with Progress(console=Console(stderr=True)) as progress:
        for line in lines(QUESTIONS, 3 if short else 1_000, progress):
            print(line, flush=True)


def lines(questions: tuple[Question, ...], answers: int, progress: Progress) -> Iterator[str]:
    """A line for each question: for either accounting how many of a hundred intervals hold the exact number."""
    names = [f"{each.value}, {confidence:.0%}" for each in Accounting for confidence in CONFIDENCES]
    widths = [f"{each.value}: half-width, 95 %" for each in Accounting]
    yield from heads(f"{PEOPLE:,} people, {answers:,} answers", *names, *widths)
    with TemporaryDirectory() as name, front() as bars:
        policy = make_world(Path(name))
        with duckdb.connect(str(Path(name) / "coverage.duckdb"), read_only=True) as engine:
            truths = [by_key(engine.execute(each.exact).fetchall(), each.keys) for each in questions]
        with asking(policy) as place:
            asked = list(zip(questions, truths, strict=True))
            for question, truth in progress.track(asked, description="coverage"):
                found = [measured(place, bars, question, truth, each, answers) for each in Accounting]
                yield row(question.title, *(cell for each in found for cell in _held(each)), *map(_width, found))


def _held(found: Mapping[Decimal, Intervals]) -> list[str]:
    return [f"{100 * found[each].held:.1f}" if found[each].exact.size else "–" for each in CONFIDENCES]


def _width(found: Mapping[Decimal, Intervals]) -> str:
    """Of the middle interval, as a part of the truth where that is no zero; and how many have not both ends."""
    usual = found[_USUAL]
    if not usual.exact.size:
        return "always NULL"
    near_nothing = isinf(usual.relative) and not isinf(usual.half_width)
    width = f"±{usual.half_width:.2g}" if near_nothing else percent(usual.relative)
    return width if usual.open < 0.0005 else f"{width}; {100 * usual.open:.0f} % open"


if __name__ == "__main__":
    main("--short" in sys.argv)
