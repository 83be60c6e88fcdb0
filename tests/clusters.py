"""Clusters of Postgres, copied from one that `initdb` made before: to make one takes seven times as long.

A cluster has an identifier of its own, by which a proxy knows whether two servers are one. So no two servers that run
at once in a process are copies of the same. What is about a first start makes its own: tests/test_front_lifecycle.py.
"""

from __future__ import annotations

import asyncio
import atexit
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from dpproxy.config import Config
from dpproxy.config.field_types import Embedded
from dpproxy.front.embedded_front import _launcher, _make_cluster
from dpproxy.front.front_directory import FrontDirectory

_PLACE = tempfile.gettempdir()
"""As it is before any test: one may have another for itself, which goes with it."""
_spare: dict[tuple[str, ...], list[Path]] = {}


@contextmanager
def lent(kind: tuple[str, ...], make: Callable[[Path], None]) -> Iterator[Path]:
    """A cluster that is nobody else's meanwhile, to copy; `make` makes one where there is none.

    kind: what it depends on: the installation, the cluster's owner, and words of `initdb`.
    """
    spare = _spare.setdefault(kind, [])
    if not spare:
        made = _directory() / "data"
        make(made)
        spare.append(made)
    cluster = spare.pop()
    try:
        yield cluster
    finally:
        spare.append(cluster)


def copied(cluster: Path, place: Path) -> None:
    """A copy of it, with its owner and modes."""
    subprocess.run(["cp", "-a", cluster, place], check=True)


def with_front(config: Config) -> Config:
    """The policy, whose embedded front has its cluster, if it has one."""
    if isinstance(config.front.url, Embedded):
        front_in(config.front.url.directory)
    return config


def front_in(directory: Path) -> Path:
    """The directory of an embedded front, with its cluster, where there was none yet."""
    if not directory.exists():
        made = _front()
        directory.mkdir(mode=0o700, parents=True)
        copied(made.password, FrontDirectory(directory).password)
        copied(made.data, FrontDirectory(directory).data)
    return directory


@cache
def _front() -> FrontDirectory:
    place = FrontDirectory(_directory())
    with ThreadPoolExecutor() as apart:  # a test may be asynchronous itself
        apart.submit(asyncio.run, _make_cluster(_launcher(place))).result()
    return place


def _directory() -> Path:
    directory = Path(tempfile.mkdtemp(prefix="dpp", dir=_PLACE))
    directory.chmod(0o755)  # another user runs the server, where root runs the tests
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory
