"""The policy over a folder's tables: the folder's own, or a draft of `dpproxy init`, in which an owner has decided that
analysts may see each column, and that tables without a link are about nobody."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from scratch_postgres import ScratchPostgres
from worlds import recorded

from dpproxy.config import Config

_PUBLIC = re.compile(r"(?m)^# \[tables\..*\n(?:# .*\n)*")
_ASKING = "".join(
    f"\n[analysts.asking{number}]\ntrust = true\nepsilon = 1000000\ndelta = 1e-3\n" for number in range(20)
)


def policy_of(folder: Path, here: Path, server: ScratchPostgres, unit: str | None) -> Path:
    """The path of the policy, in `here`, over the server's tables."""
    url = f"postgresql://reader:reading@/{server.database}?host={quote(str(server.directory), safe='')}"
    own = folder / "policy.toml"
    text = own.read_text() if own.exists() else _drafted(url, unit)
    text = re.sub(r'"(duckdb:///|postgresql://)[^"]*"', f'"{url}"', text)
    text = re.sub(r'url = "embedded:[^"]*"', f'url = "embedded:{here}/front"', text)
    text = re.sub(r"(?m)^port = \d+", "port = 0", text)
    path = here / "policy.toml"
    path.write_text((text if own.exists() else _decided(text)) + _ASKING)
    return path


def over_duckdb(policy: Path, file: Path) -> Path:
    """The policy, over the same tables in a DuckDB file, whose keys are verified on its rows."""
    text = re.sub(r'"postgresql://[^"]*"', f'"duckdb:///{file}"', policy.read_text())
    policy.write_text(re.sub(r'"character[^"]*"', '"text"', text))
    return recorded(policy)


def analysts(config: Config) -> list[str]:
    """Those that ask."""
    return [name for name in config.analysts if name.startswith("asking")]


def _decided(draft: str) -> str:
    return _PUBLIC.sub(lambda table: re.sub("(?m)^# ", "", table[0]), draft).replace("hidden = true", "hidden = false")


def _drafted(url: str, unit: str | None) -> str:
    words = [sys.executable, "-m", "dpproxy.cli", "init", url, *([] if unit is None else ["--unit", unit])]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout
