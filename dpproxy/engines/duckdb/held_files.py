"""Files as they were found: the database file, with a lock of our own, and those of tables with a source.

Checked by: tests/test_replaced_files.py.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dpproxy.errors import ConfigFault

_LOCK: Final = getattr(fcntl, "F_OFD_SETLK", None)  # Linux's
_SHARED: Final = struct.pack("hhqqi0q", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)  # of the whole file
_NO_LOCKS: Final = frozenset({errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL})
_PATTERN: Final = frozenset("*?[]{}")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file as it was found: its place, which one was there, and when it was written to last."""

    path: Path
    device: int
    number: int
    size: int
    written: int
    changed: int

    @classmethod
    def at(cls, path: Path) -> FoundFile | None:
        """None where there is none."""
        try:
            found = path.stat()
        except OSError:
            return None
        return cls(path, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    @property
    def same(self) -> bool:
        """Whether it is there as it was.

        Claim: where this holds before a query and after it, the query read the bytes that were there when the file was
        found. Because: another file in its place has another number, and who writes to this one moves the time of its
        last change, which no program can set. Checked by: tests/test_replaced_files.py.
        """
        return FoundFile.at(self.path) == self

    @property
    def there(self) -> bool:
        """Whether no other file is in its place."""
        now = FoundFile.at(self.path)
        return now is not None and (now.device, now.number) == (self.device, self.number)


def locked(path: Path) -> int:
    """A descriptor of the file, with a lock that keeps writers away until it is closed.

    DuckDB's own lock is the process's, which loses it when *any* descriptor of the file is closed: also by an engine
    that had the same file open before. This one is the descriptor's (Linux). Where a file system has no locks there is
    none of DuckDB's either. Raises OSError.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if _LOCK is not None:
            fcntl.fcntl(descriptor, _LOCK, _SHARED)
    except OSError as fault:
        if fault.errno not in _NO_LOCKS:
            os.close(descriptor)
            raise
    return descriptor


Sources = Mapping[str, tuple[FoundFile, ...]]
"""The files of each table that has a source, in the order of their names."""


def found_sources(patterns: Mapping[str, str]) -> Sources:
    """What is there now of the tables' patterns. Raises ConfigFault where nothing is, or a name is none for DuckDB."""
    return {table: _found(table, pattern) for table, pattern in patterns.items()}


def _found(table: str, pattern: str) -> tuple[FoundFile, ...]:
    root = Path(pattern).anchor
    paths = sorted(Path(root).glob(pattern.removeprefix(root)))
    files = tuple(found for path in paths if path.is_file() and (found := FoundFile.at(path)))
    wrong = f"the source of the table {table} cannot be read"
    if not files:
        raise ConfigFault(wrong, detail=f"there is no file {pattern}")
    for each in files:
        if _PATTERN & set(str(each.path)):
            raise ConfigFault(wrong, detail=f"{each.path} has one of * ? [ ] {{ }} in its name: rename it")
    return files
