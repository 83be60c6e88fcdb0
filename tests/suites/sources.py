"""The suites: where their tests come from, what they need, and how they are told of a server."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import venv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from suites.servers import Server

RUNNER = ("pytest==9.*", "pytest-timeout", "pytest-reportlog")
PSYCOPG_HOME = "https://github.com/psycopg/psycopg"


@dataclass(frozen=True, slots=True)
class Suite:
    """A driver's test-suite: its release, what is installed beside it, and the words and variables for a server."""

    name: str
    version: str
    requirements: tuple[str, ...]
    fetch: Callable[[Suite, Path, str | None], Path]
    words: Callable[[Server | None], tuple[str, ...]]
    variables: Callable[[Server | None], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Ready:
    """A suite that can run: pytest of its virtual environment, and the directory of its sources."""

    pytest: Path
    sources: Path


def made_ready(suite: Suite, directory: Path, repository: str | None) -> Ready:
    """Fetch a suite's sources and make its virtual environment, both in `directory`."""
    venv.create(directory / "venv", with_pip=True)
    programs = directory / "venv" / "bin"
    _run(programs / "pip", "install", "--quiet", "--disable-pip-version-check", *RUNNER, *suite.requirements)
    return Ready(programs / "pytest", suite.fetch(suite, directory, repository))


def _clone(suite: Suite, directory: Path, repository: str | None) -> Path:
    """psycopg's sdist on PyPI holds no tests: the tag of the release in its repository does."""
    place = directory / suite.name
    _run("git", "clone", "--quiet", "--depth=1", f"--branch={suite.version}", repository or PSYCOPG_HOME, place)
    return place


def _unpack(suite: Suite, directory: Path, _repository: str | None) -> Path:
    """The sdist of PyPI, without the driver itself: the one that is tested is the wheel."""
    wanted = ["--no-binary=:all:", "--no-deps", "--quiet", f"--dest={directory}", f"{suite.name}=={suite.version}"]
    _run(sys.executable, "-m", "pip", "download", *wanted)
    (archive,) = directory.glob(f"{suite.name}-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(directory, filter="data")
    sources = directory / archive.name.removesuffix(".tar.gz")
    (sources / suite.name).rename(directory / "unused")
    return sources


def _run(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")


# Left out: tests of a clock, which fail on a busy machine, and those that take most of the time and ask about the
# client alone (types of its own code, memory, random values for its adapters).
_PSYCOPG_MARKS = "not timing and not mypy"
_PSYCOPG_NAMES = " and ".join(
    f"not {each}"
    for each in ("ctrl_c", "eintr", "break_attempts", "leak", "random", "big_size", "exhaustive", "test_wait_r")
)


def _words_of_psycopg(server: Server | None) -> tuple[str, ...]:
    chosen = ("-m", _PSYCOPG_MARKS, "-k", _PSYCOPG_NAMES)
    return chosen if server is None else (*chosen, f"--test-dsn={server.dsn}")


def _words_of_asyncpg(_server: Server | None) -> tuple[str, ...]:
    return ("--continue-on-collection-errors",)


def _variables_of_psycopg(_server: Server | None) -> Mapping[str, str]:
    return {}


def _variables_of_asyncpg(server: Server | None) -> Mapping[str, str]:
    """Without a server, a port that nobody listens on: otherwise the suite starts a server of its own."""
    return {"PGHOST": "127.0.0.1", "PGPORT": "1"} if server is None else server.environment


# numpy and dnspython bring tests of their own; uvloop breaks the TCP proxy that psycopg's tests of lost servers use.
_PSYCOPG = Suite(
    "psycopg",
    "3.3.4",
    ("psycopg[binary]==3.3.4", "psycopg-pool==3.3.1", "anyio", "pproxy", "numpy", "dnspython"),
    _clone,
    _words_of_psycopg,
    _variables_of_psycopg,
)
_ASYNCPG = Suite("asyncpg", "0.32.0", ("asyncpg==0.32.0", "distro"), _unpack, _words_of_asyncpg, _variables_of_asyncpg)
SUITES: Mapping[str, Suite] = {each.name: each for each in (_PSYCOPG, _ASYNCPG)}
