"""What is frozen for the type checker alone."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from dpproxy.records import record

_WRITTEN = """
from dpproxy.records import record

@record
class Pair:
    first: int
    second: str = ""

Pair(1).first = 2
"""


@record
class Pair:
    """As a plan's values are."""

    first: int
    second: str = ""


def test_records_are_equal_by_their_fields_and_hashed_by_them() -> None:
    made = Pair(1, "a")
    assert made == replace(Pair(2, "a"), first=1)
    assert len({made, Pair(1, "a"), Pair(1)}) == 2


def test_the_type_checker_lets_nobody_assign_a_field(tmp_path: Path) -> None:
    written = tmp_path / "written.py"
    written.write_text(_WRITTEN)
    found = subprocess.run([sys.executable, "-m", "mypy", str(written)], capture_output=True, text=True, check=False)
    assert 'Property "first" defined in "Pair" is read-only' in found.stdout
