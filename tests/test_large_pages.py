"""What a server holds is put into large pages, where it is dense, unless the machine's owner has them switched off."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dpproxy.server import large_pages
from dpproxy.server.large_pages import in_use, use_large_pages

_MAPPINGS = """\
555555600000-555555c00000 rw-p 00000000 00:00 0                          [heap]
Size:               6144 kB
Rss:                6000 kB
7f0000100000-7f0000900000 rw-p 00000000 00:00 0
Size:               8192 kB
Rss:                  12 kB
7f0000900000-7f0000a00000 r--p 00000000 fe:00 1234                       /usr/lib/libc.so.6
Size:               1024 kB
Rss:                1024 kB
7f0000a00000-7f0000e00000 rw-p 00000000 fe:00 1234                       /usr/lib/libc.so.6
Size:               4096 kB
Rss:                4096 kB
7f0001100000-7f0001900000 rw-p 00000000 00:00 0
Size:               8192 kB
Rss:                6144 kB
7ffc00000000-7ffc00800000 rw-p 00000000 00:00 0                          [stack]
Size:               8192 kB
Rss:                8192 kB
"""
_HOLDING = """
from pathlib import Path
from dpproxy.server.large_pages import use_large_pages
held = [bytes([each % 256]) * 4_000 for each in range(10_000)]
made = use_large_pages()
told = Path("/proc/self/smaps_rollup").read_text()
large = int(told.partition("AnonHugePages:")[2].split()[0])
assert all(each == bytes([at % 256]) * 4_000 for at, each in enumerate(held))
assert large * 1024 >= made * 2**21, (large, made)
print(made)
"""


def test_dense_memory_of_the_process_alone_is_taken() -> None:
    assert list(in_use(_MAPPINGS)) == [(0x555555600000, 0x555555C00000), (0x7F0001200000, 0x7F0001800000)]


def test_what_is_held_stays_as_it_was() -> None:
    done = subprocess.run([sys.executable, "-c", _HOLDING], capture_output=True, text=True, check=True)
    assert int(done.stdout) >= 0


def test_nothing_is_done_where_they_are_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_pages, "_ENABLED", tmp_path / "enabled")
    assert use_large_pages() == 0
    (tmp_path / "enabled").write_text("always madvise [never]\n")
    assert use_large_pages() == 0
