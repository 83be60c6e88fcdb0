"""The run of a target: processes of libFuzzer, and what they tell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fuzz.corpus import keep, kept

TESTS = Path(__file__).parents[1]
NAMES = ("wire", "session", "planner")
_ONE_INPUT = 60  # seconds that a single input may take, on a busy machine
_MEMORY = 2048  # MiB that the process may take
_STARTED = 60  # seconds until it begins
# The system counts what a parent has used as the most that its child has used; so libFuzzer is a small shell's child.
_SHELL = ("/bin/sh", "-c", '"$@"; exit $?', "sh")
_STATUS = re.compile(r"#(\d+)\s+\w+\s+cov: (\d+) ft: (\d+) corp: (\d+)")


@dataclass(frozen=True)
class Ran:
    """What a run came to. coverage: edges of dpproxy's bytecode that were reached; features: edges by how often.

    finding: what failed, with the input; None where nothing did.
    """

    executions: int
    coverage: int
    features: int
    finding: str | None


def run(name: str, seconds: float, seed: str, grow: bool = False) -> Ran:
    """Fuzz a target, beginning with what is kept of it: all, or in a short run as much as it has the time for.

    grow: keep what reached more, too.
    """
    with tempfile.TemporaryDirectory(prefix="fuzz") as place:
        known, new, failed = (Path(place) / each for each in ("known", "new", "failed"))
        for directory in (known, new, failed):
            directory.mkdir()
        _child("sow", name, str(known), seed, str(round(seconds * 5)), patience=0)
        flags = [f"-max_total_time={round(seconds)}", f"-seed={_number(seed)}", f"-artifact_prefix={failed}/"]
        done = _child("fuzz", name, *flags, str(new), str(known), patience=seconds)
        if grow:
            keep(name, [*kept(name), *(path.read_bytes() for path in new.iterdir())])
        return _told(done, failed)


def _number(seed: str) -> int:
    return int(seed) if seed.isdigit() else sum(seed.encode())


def _child(what: str, name: str, *words: str, patience: float) -> subprocess.CompletedProcess[str]:
    limits = [f"-timeout={_ONE_INPUT}", f"-rss_limit_mb={_MEMORY}", "-reload=0"] if what == "fuzz" else []
    paths = os.pathsep.join([str(TESTS), str(TESTS.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [*_SHELL, sys.executable, "-m", "fuzz.child", what, name, *limits, *words],
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=patience * 3 + 10 * _STARTED,
    )


def _told(done: subprocess.CompletedProcess[str], failed: Path) -> Ran:
    said = done.stdout + done.stderr
    states = _STATUS.findall(said)
    executions, coverage, features, _ = map(int, states[-1]) if states else (0, 0, 0, 0)
    inputs = [f"{path.name}: {path.read_bytes()!r}" for path in failed.iterdir() if not path.name.startswith("slow-")]
    well = done.returncode == 0 and not inputs and executions > 0
    fault = said[said.find("Uncaught Python exception") :][:6000] if "Uncaught Python" in said else said[-3000:]
    return Ran(executions, coverage, features, None if well else "\n".join([*inputs, fault]))
