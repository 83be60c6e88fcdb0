"""`python -m fuzz TARGET [--seconds N] [--seed S] [--keep]`."""

from __future__ import annotations

import argparse
import sys

from fuzz.run import NAMES, run


def main() -> None:
    """Prints what the run came to. Ends with 1 where something was found."""
    asked = argparse.ArgumentParser(prog="fuzz", description="Fuzz a part of dpproxy, guided by coverage.")
    asked.add_argument("target", choices=NAMES)
    asked.add_argument("--seconds", type=float, default=60)
    asked.add_argument("--seed", default="1")
    asked.add_argument("--keep", action="store_true", help="add to the corpus what reaches more")
    given = asked.parse_args()
    ran = run(given.target, given.seconds, given.seed, grow=given.keep)
    print(f"{given.target}: {ran.executions} inputs, {ran.coverage} edges, {ran.features} features")
    if ran.finding is not None:
        sys.exit(f"found:\n{ran.finding}")


if __name__ == "__main__":
    main()
