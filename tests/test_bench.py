"""The benchmarks run: their figures are for people, and no test asserts a time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_benchmarks_run() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "bench"), "--short"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" times ") == 13
    assert "SELECT 1, 16 connections" in done.stdout
    assert done.stdout.count("planning Q") == 22
    assert "planned before" in done.stdout
