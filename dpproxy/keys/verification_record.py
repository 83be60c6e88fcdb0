"""The record of what `dpproxy check --data` verified: keys, and the digest of the file whose rows have them.

Checked by: tests/test_start.py, tests/test_check_data.py.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dpproxy.errors import ConfigFault
from dpproxy.keys.key_claims import Key

_ABOUT: Final = "Written by dpproxy check --data: in the DuckDB file with this digest these keys are unique, not null."


@dataclass(frozen=True, slots=True)
class VerificationRecord:
    """`keys` are unique and not null in the file whose content has `digest`."""

    digest: str
    keys: frozenset[Key]


def read_record(path: Path) -> VerificationRecord | None:
    """What is written at `path`, or None where nothing is. Raises ConfigFault for anything else than a record."""
    try:
        return _parsed(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as cause:
        hint = "Write it anew with dpproxy check --data, or remove it."
        raise ConfigFault(f"{path} is no record of verified keys", detail=str(cause), hint=hint) from cause


def _parsed(written: dict[str, Any]) -> VerificationRecord:
    digest, keys = written["digest"], written["keys"]
    if not isinstance(digest, str) or not digest:
        raise ValueError("its digest is no text")
    return VerificationRecord(digest, frozenset((str(table), tuple(map(str, columns))) for table, columns in keys))


def write_record(path: Path, record: VerificationRecord) -> None:
    """Write it at `path`, whole or not at all. Raises OSError."""
    written = {"about": _ABOUT, "digest": record.digest, "keys": sorted(record.keys)}
    new = path.with_name(f"{path.name}.new")
    new.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    new.replace(path)
