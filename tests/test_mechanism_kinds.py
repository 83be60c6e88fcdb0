"""A mechanism that is not handled somewhere fails the type checker there: tried, with one more in the union."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[1]
KINDS = "dpproxy/mechanisms/kinds.py"
# Where mechanisms are made, applied, priced, kept and shown.
READERS = [
    KINDS,
    "dpproxy/error_bars/clip_bias.py",
    "dpproxy/error_bars/foreseen.py",
    "dpproxy/error_bars/replicates.py",
    "dpproxy/estimates.py",
    "dpproxy/plan/losses.py",
    "dpproxy/release.py",
    "dpproxy/release_check.py",
    "dpproxy/release_identity.py",
    "dpproxy/rewrite/allocate.py",
    "dpproxy/rewrite/explain.py",
    "dpproxy/rewrite/checker/mechanisms.py",
    "dpproxy/rewrite/checker/price.py",
    "dpproxy/rewrite/checker/released.py",
    "dpproxy/session/dp_tables.py",
]
WANT = "class Want(Enum):\n"
WHOLE = '''
from collections.abc import Sequence
from dataclasses import dataclass

from dpproxy.accounting.dominating_pairs import Pairs
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.mechanisms.contract import Contract, Description, Error
from dpproxy.mechanisms.sensitivity import Sensitivity


@dataclass(frozen=True, slots=True)
class Median(Contract[Sequence[int], int]):
    """One more."""

    @property
    def made_for(self) -> Sensitivity:
        return Sensitivity(1, 1)

    @property
    def tells_keys(self) -> bool:
        return False

    def loss(self, accounting: Accounting) -> Loss:
        raise ValueError(accounting)

    @property
    def pairs(self) -> Pairs:
        return ()

    def release(self, exact: Sequence[int]) -> int:
        return exact[0]

    @property
    def error(self) -> Error | None:
        return None

    @property
    def total_noise(self) -> None:
        return None

    def described(self, step: float, unit: str) -> Description:
        return Description(unit, unit, unit)
'''
AT_A_CLIP = '''
from collections.abc import Sequence

from dpproxy.accounting.dominating_pairs import Pairs
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.mechanisms.noise_at_a_clip import Clipped, NoiseAtAClip


class Median(NoiseAtAClip[Sequence[int]]):
    """One more, at a clip."""

    @property
    def held(self) -> str:
        return "held"

    def loss_of_clip(self, accounting: Accounting) -> Loss:
        raise ValueError(accounting)

    @property
    def pairs_of_clip(self) -> Pairs:
        return ()

    def release(self, exact: Sequence[int]) -> Clipped:
        raise ValueError(exact)
'''
BARE = '''
class Median:
    """One more, which owns nothing."""
'''


def faults(directory: Path, shadows: dict[str, str]) -> dict[str, list[str]]:
    """What mypy says of the files that know mechanisms, by file, where some of them are other texts."""
    given = ["--cache-dir", str(directory / "cache"), "--no-error-summary"]
    for index, (path, text) in enumerate(shadows.items()):
        shadow = directory / f"shadow{index}.py"
        shadow.write_text(text)
        given += ["--shadow-file", path, str(shadow)]
    run = [sys.executable, "-m", "mypy", *given, *READERS]
    said = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    found: dict[str, list[str]] = {}
    for line in said.stdout.splitlines():
        path, fault = re.fullmatch(r"([\w/]+\.py):\d+: error: (.*)", line).groups()  # type: ignore[union-attr]
        found.setdefault(path, []).append(fault)
    return found


def with_median(definition: str) -> str:
    text = (ROOT / KINDS).read_text()
    union = re.search(r"^Mechanism = .*$", text, re.M)
    assert union is not None
    return text.replace(union[0], f"{definition}\n\n{union[0]} | Median")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the cache: the second run takes from the first what did not change."""
    return tmp_path_factory.mktemp("mypy")


def test_what_is_there_has_no_fault(directory: Path) -> None:
    assert faults(directory, {}) == {}


def test_one_more_mechanism_is_missed_at_each_place(directory: Path) -> None:
    """Which one is wanted; whether it may be applied, and what comes of it; what the checker makes of it. With its own
    file and the union, six files of the package."""
    found = faults(directory, {KINDS: with_median(WHOLE).replace(WANT, f"{WANT}    MEDIAN = 'the median'\n\n")})
    assert {path: len(each) for path, each in found.items()} == {
        "dpproxy/release.py": 1,
        "dpproxy/release_check.py": 1,
        "dpproxy/rewrite/allocate.py": 1,
        "dpproxy/rewrite/checker/mechanisms.py": 2,  # what it loses, and whether it tells totals
    }
    assert all('"assert_never" has incompatible type' in fault for each in found.values() for fault in each)


def test_one_more_at_a_clip_is_missed_at_the_same_places(directory: Path) -> None:
    """Error bars ask it for its noise, and suppose the worst of what is beyond the clip."""
    text = (ROOT / KINDS).read_text().replace(WANT, f"{WANT}    MEDIAN = 'the median'\n\n")
    union = "AtAClip = ClippedNoise | PairedNoise | DistinctNoise"
    assert union in text
    text = text.replace(union, f"{union} | Median")
    found = faults(directory, {KINDS: text.replace("AtAClip = ", f"{AT_A_CLIP}\n\nAtAClip = ")})
    assert {path: len(each) for path, each in found.items()} == {
        "dpproxy/release.py": 1,
        "dpproxy/release_check.py": 1,
        "dpproxy/rewrite/allocate.py": 1,
        "dpproxy/rewrite/checker/mechanisms.py": 2,  # what it loses, and whether it tells totals
    }


def test_one_that_does_not_keep_the_contract_is_missed_where_it_is_asked(directory: Path) -> None:
    found = faults(directory, {KINDS: with_median(BARE)})
    missing = {
        path: set(re.findall(r'"Median" .* has no attribute "(\w+)"', "\n".join(e))) for path, e in found.items()
    }
    assert missing["dpproxy/error_bars/replicates.py"] == {"total_noise"}
    assert missing["dpproxy/plan/losses.py"] == {"loss", "pairs"}
    assert missing["dpproxy/rewrite/explain.py"] == {"described"}
    assert missing["dpproxy/rewrite/checker/released.py"] == {"tells_keys"}
    assert found["dpproxy/session/dp_tables.py"]


def test_no_cache_takes_anything_for_anything() -> None:
    """`functools.lru_cache` forgets the types of what it is given: `remembered` keeps them. Left are caches of texts
    that are emptied, or asked how often they were of use."""
    caches = {path.name for path in (ROOT / "dpproxy").rglob("*.py") if "lru_cache(" in path.read_text()}
    assert caches == {"remembered.py", "gate.py", "nodes.py", "bare_values.py"}
