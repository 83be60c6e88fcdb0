"""The digest of a database file and of its log, as a program of its own: `python file_digest.py FILE`.

Why a program: a process lets go of its lock on a file when it closes *any* descriptor of that file (POSIX, fcntl).
Read in the proxy, the file would be open to writers from then on, and DuckDB would not know.

Claim: files with the same digest hold the same bytes, the log included. Because: SHA-256 of each piece, and of these in
order behind the name and the size of each file; who finds two contents with one digest has found a collision.
Checked by: tests/test_start.py.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_PIECE = 16 * 2**20  # bytes; about a hundredth of a second, and all cores at once


def file_digest(path: Path) -> tuple[str, os.stat_result]:
    """The digest, and which file it was that was read. Raises OSError."""
    total = hashlib.sha256()
    with path.open("rb") as main, ThreadPoolExecutor(os.cpu_count()) as pool:
        total.update(_summary("", main.fileno(), pool))
        for name, log in _logs(path):
            with log.open("rb") as opened:
                total.update(_summary(name, opened.fileno(), pool))
        return total.hexdigest(), os.fstat(main.fileno())


def _logs(path: Path) -> Iterator[tuple[str, Path]]:
    """What DuckDB may have written beside the file and not yet into it, wherever a link to it leads."""
    for own in sorted({path.absolute(), path.resolve()}):
        for each in sorted(own.parent.iterdir()):
            if each.name.startswith(f"{own.name}.wal"):
                yield each.name.removeprefix(own.name), each


def _summary(name: str, file: int, pool: ThreadPoolExecutor) -> bytes:
    """Of one length for each name: its digest, the size, and the digest of the digests of all pieces."""
    size = os.fstat(file).st_size
    pieces = pool.map(lambda offset: hashlib.sha256(_piece(file, offset)).digest(), range(0, size, _PIECE))
    own = hashlib.sha256(name.encode()).digest()
    return own + size.to_bytes(16) + hashlib.sha256(b"".join(pieces)).digest()


def _piece(file: int, offset: int) -> bytes:
    return b"".join(_parts(file, offset, offset + _PIECE))


def _parts(file: int, offset: int, end: int) -> Iterator[bytes]:
    """A read may give less than was asked for."""
    while offset < end and (part := os.pread(file, end - offset, offset)):
        offset += len(part)
        yield part


if __name__ == "__main__":
    found, read = file_digest(Path(sys.argv[1]))
    print(found, read.st_dev, read.st_ino)
