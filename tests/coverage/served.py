"""The policy over a folder's tables: the folder's own, or a draft of `dpproxy init`, in which an owner has decided that
analysts may see each column, and that tables without a link are about nobody."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from scratch_postgres import ScratchPostgres

_PUBLIC = re.compile(r"(?m)^# \[tables\..*\n(?:# .*\n)*")
_ASKING = """
[analysts.asking]
trust = true
epsilon = 1000000
delta = 1e-3
"""


def policy_of(folder: Path, here: Path, server: ScratchPostgres, unit: str | None) -> Path:
    """The path of the policy, in `here`, over the server's tables."""
    url = f"postgresql://reader:reading@/{server.database}?host={quote(str(server.directory), safe='')}"
    own = folder / "policy.toml"
    text = own.read_text() if own.exists() else _drafted(url, unit)
    text = re.sub(r'"(duckdb:///|postgresql://)[^"]*"', f'"{url}"', text)
    text = re.sub(r'url = "embedded:[^"]*"', f'url = "embedded:{here}/front"', text)
    text = re.sub(r"(?m)^port = \d+", "port = 0", text)
    path = here / "policy.toml"
    path.write_text(text if own.exists() else _decided(text))
    return path


def _decided(draft: str) -> str:
    return (
        _PUBLIC.sub(lambda table: table[0].replace("# ", ""), draft).replace("hidden = true", "hidden = false")
        + _ASKING
    )


def _drafted(url: str, unit: str | None) -> str:
    words = [sys.executable, "-m", "dpproxy.cli", "init", url, *([] if unit is None else ["--unit", unit])]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout
