"""Large pages for the memory of a process that has loaded all that it will.

A plan reads a few megabytes, here and there, of a hundred. With pages of 4 KB the processor looks up where each one is
for as long as a quarter of planning takes.

Checked by: tests/test_large_pages.py.
"""

from __future__ import annotations

import asyncio
import ctypes
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

_ENABLED: Final = Path("/sys/kernel/mm/transparent_hugepage/enabled")
_MAPPINGS: Final = Path("/proc/self/smaps")
# Private, writable, and of no file: what the heap and Python's own memory are.
_MAPPING: Final = re.compile(
    r"^([0-9a-f]+)-([0-9a-f]+) rw-p \S+ \S+ 0 *(?:\[heap\])?\n.*?^Rss: +(\d+) kB$", re.M | re.S
)
_PAGE: Final = 2**21
_FROM_NOW_ON, _WHAT_IS_THERE = 14, 25
"""Of Linux's madvise: MADV_HUGEPAGE and, since 6.1, MADV_COLLAPSE."""
_FIRST, _EVERY = 1, 300  # seconds: what is planned at first needs more memory than what was loaded


@asynccontextmanager
async def large_pages() -> AsyncIterator[None]:
    """Keeps what the process holds in large pages as long as the block lasts."""
    task = asyncio.get_running_loop().create_task(_now_and_then())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _now_and_then() -> None:
    await asyncio.sleep(_FIRST)
    while True:
        await asyncio.to_thread(use_large_pages)
        await asyncio.sleep(_EVERY)


def use_large_pages() -> int:
    """Have Linux put what the process holds into large pages, where memory is in use densely; how many there are.

    None where the machine's owner has them switched off (`never`), or the system has none.
    """
    if not (_ENABLED.exists() and _MAPPINGS.exists()) or "[never]" in _ENABLED.read_text():
        return 0
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    pages = [page for begin, end in in_use(_MAPPINGS.read_text()) for page in range(begin, end, _PAGE)]
    return sum(not madvise(page, _PAGE, _FROM_NOW_ON) and not madvise(page, _PAGE, _WHAT_IS_THERE) for page in pages)


def in_use(mappings: str) -> Iterator[tuple[int, int]]:
    """The ranges of memory of the process's own, cut to large pages, of which half is in use: no stacks of
    threads, and no more is taken in addition than is held already."""
    for found in _MAPPING.finditer(mappings):
        begin, end = int(found[1], 16), int(found[2], 16)
        if int(found[3]) * 1024 * 2 >= end - begin:
            yield -(-begin // _PAGE) * _PAGE, end // _PAGE * _PAGE
