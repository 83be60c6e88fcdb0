"""`python tests/tpch --scale 0.1 1` prints the table of the 22 queries in docs/benchmarks.md, measured anew."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from rich.console import Console
from rich.progress import Progress

from tpch.data import make_tpch
from tpch.report import Found, asked, measured
from tpch.table import table


def main() -> None:
    """Measure at each scale and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, nargs="+", default=[0.1, 1.0])
    parser.add_argument("--runs", type=int, default=11, help="answers of each query")
    chosen = parser.parse_args()
    with Progress(console=Console(stderr=True)) as progress:
        print(table(chosen.scale, [_found(scale, chosen.runs, progress) for scale in chosen.scale]))


def _found(scale: float, runs: int, progress: Progress) -> list[Found]:
    task = progress.add_task(f"scale {scale:g}", total=len(asked()) + 1)
    with TemporaryDirectory() as directory:
        policy = make_tpch(Path(directory), scale)
        progress.advance(task)
        found = []
        for each in measured(policy, runs):
            found.append(each)
            progress.advance(task)
        return found


if __name__ == "__main__":
    main()
