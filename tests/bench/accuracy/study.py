"""`python tests/bench accuracy tpch` and its like: one study of how far answers are from the truth, or all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from bench.accuracy import adult, baseball, demo, distinct, others, pmsja, race, scan, tails, tpch
from rich.console import Console
from rich.progress import Progress

Study = Callable[[bool, Progress], Iterator[str]]
STUDIES: Mapping[str, Study] = {
    "tpch": tpch.lines,
    "race": race.lines,
    "tails": tails.lines,
    "unseen": tails.unseen,
    "distinct": distinct.lines,
    "pmsja": pmsja.lines,
    "demo": demo.lines,
    "baseball": baseball.lines,
    "adult": adult.lines,
    "others": others.lines,
    "scan": scan.lines,
}


def main(arguments: Sequence[str]) -> None:
    """Print the tables of the studies that are named; of all, if none is."""
    short, named = "--short" in arguments, [name for name in STUDIES if name in arguments]
    with Progress(console=Console(stderr=True)) as progress:
        for name in named or STUDIES:
            print(f"{name}:", flush=True)
            for line in STUDIES[name](short, progress):
                print(line, flush=True)
