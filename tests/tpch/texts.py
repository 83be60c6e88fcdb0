"""The 22 queries, word for word as DuckDB's tpch extension prints them; no copy of them is kept in the project.

The extension's wheel needs a DuckDB of its own version, which need not be the one that is tested. So pip puts both into
a directory of their own, a process of its own asks them, and the texts are kept in pytest's cache.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

KEPT = Path(__file__).parents[2] / ".pytest_cache" / "d" / "tpch" / "queries.json"
WHEEL = "duckdb-extension-tpch>=1.5.5"
_ASKS = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import duckdb, duckdb_extension_tpch
(extension,) = Path(duckdb_extension_tpch.__file__).parent.glob("extensions/*/tpch.duckdb_extension")
with duckdb.connect() as connection:
    connection.load_extension(str(extension))
    print(json.dumps(dict(connection.execute("SELECT query_nr, query FROM tpch_queries()").fetchall())))
"""


@cache
def texts() -> dict[int, str]:
    """Query by number, 1 to 22."""
    if not KEPT.exists():
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        fresh = KEPT.with_suffix(f".{os.getpid()}")  # of this process: several collect the tests at once
        fresh.write_text(_asked())
        fresh.replace(KEPT)
    found = {int(number): text for number, text in json.loads(KEPT.read_text()).items()}
    assert sorted(found) == list(range(1, 23))
    return found


def _asked() -> str:
    with TemporaryDirectory() as directory:
        _run("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", directory, WHEEL)
        return _run("-I", "-c", _ASKS, directory)


def _run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
