"""The policy over a folder's tables: the folder's own, or a draft of `dpproxy init`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from scratch_postgres import ScratchPostgres


def policy_of(folder: Path, here: Path, server: ScratchPostgres, unit: str | None) -> Path:
    """The path of the policy, in `here`, over the server's tables."""
    url = f"postgresql://reader:reading@/{server.database}?host={quote(str(server.directory), safe='')}"
    own = folder / "policy.toml"
    text = own.read_text() if own.exists() else _drafted(url, unit)
    text = re.sub(r'"(duckdb:///|postgresql://)[^"]*"', f'"{url}"', text)
    text = re.sub(r'url = "embedded:[^"]*"', f'url = "embedded:{here}/front"', text)
    text = re.sub(r"(?m)^port = \d+", "port = 0", text)
    path = here / "policy.toml"
    path.write_text(text)
    return path


def _drafted(url: str, unit: str | None) -> str:
    words = [sys.executable, "-m", "dpproxy.cli", "init", url, *([] if unit is None else ["--unit", unit])]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout
