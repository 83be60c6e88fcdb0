"""The kept inputs of a target: a text file with one of them a line, as Python writes bytes."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"


def kept(name: str) -> list[bytes]:
    """The inputs that are kept of a target."""
    path = CORPUS / f"{name}.txt"
    return [ast.literal_eval(line) for line in path.read_text().splitlines()] if path.exists() else []


def keep(name: str, inputs: Iterable[bytes]) -> None:
    """Keep these and no others, the shortest first."""
    found = sorted(set(inputs), key=lambda each: (len(each), each))
    (CORPUS / f"{name}.txt").write_text("".join(f"{each!r}\n" for each in found))
