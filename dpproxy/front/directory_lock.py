"""Who holds an embedded front's directory: one proxy, and the server processes that it started.

Checked by: tests/test_front_lifecycle.py.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dpproxy.errors import FrontUnavailable
from dpproxy.front.front_directory import FrontDirectory


@contextmanager
def claimed(path: Path) -> Iterator[FrontDirectory]:
    """Make the directory if it is not there, and hold it against every other proxy.

    Raises FrontUnavailable when another proxy holds it (its pid is in the message) or when it cannot be written.
    """
    directory = FrontDirectory(path.absolute())
    try:
        _make(directory.path)
        lock = _open_private(directory.path / "proxy.lock")
    except OSError as error:
        raise FrontUnavailable(f"the front's directory {directory.path} cannot be used", detail=str(error)) from None
    try:
        _lock_for_this_process(lock, directory.path)
        yield directory
    finally:
        os.close(lock)


@contextmanager
def server_lock(directory: FrontDirectory) -> Iterator[int]:
    """An open file, locked, for server processes to inherit; the lock lives on in them when this one is closed.

    Raises BlockingIOError while any server process of an earlier start is alive.
    """
    lock = _open_private(directory.server_lock)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield lock
    finally:
        os.close(lock)


def write_private(path: Path, text: str) -> None:
    """Write a file of mode 0600 durably, with its name."""
    file = _open_private(path)
    try:
        os.ftruncate(file, 0)
        os.write(file, text.encode())
        os.fsync(file)
    finally:
        os.close(file)
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    with open_directory(path) as directory:
        os.fsync(directory)


@contextmanager
def open_directory(path: Path) -> Iterator[int]:
    """A directory as a file descriptor."""
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield directory
    finally:
        os.close(directory)


def _make(path: Path) -> None:
    """Make a directory and its missing parents, mode 0700 each, and touch no existing one."""
    missing = [place for place in (path, *path.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)


def _open_private(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _lock_for_this_process(lock: int, path: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(lock, 32).decode().strip() or "unknown"
        raise FrontUnavailable(
            f"another dpproxy (pid {holder}) is using the front's directory {path}",
            hint="Stop that one first, or give this one a directory of its own.",
        ) from None
    os.ftruncate(lock, 0)
    os.write(lock, f"{os.getpid()}\n".encode())
