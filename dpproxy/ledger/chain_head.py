"""The head of the ledger's chain, as it is kept outside of the ledger: a ledger that does not know it was restored from
an older copy, or is another one."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from dpproxy.errors import ConfigFault


@dataclass(frozen=True, slots=True)
class ChainHead:
    """An entry of a ledger: its number and hash. ledger: the identity that it was made with."""

    ledger: str
    number: int
    hash: bytes

    def __str__(self) -> str:
        return f"entry {self.number} ({self.hash.hex()[:16]}…) of ledger {self.ledger}"


def read(path: Path) -> ChainHead | None:
    """The head that is kept in a file; None where there is none. Raises ConfigFault for a file of something else."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return ChainHead(str(kept["ledger"]), int(kept["number"]), bytes.fromhex(kept["hash"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise ConfigFault(
            "the ledger's kept head cannot be read",
            detail=f"{path}: {type(fault).__name__}",
            hint="Bring back the file from a backup. Without it an older copy of the ledger would not be noticed.",
        ) from fault


def write(path: Path, head: ChainHead) -> None:
    """Keep a head, whole or not at all. Raises OSError."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    text = json.dumps({"ledger": head.ledger, "number": head.number, "hash": head.hash.hex()})
    with beside.open("w", encoding="utf-8") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def advance(path: Path, head: ChainHead) -> None:
    """The same, where no later one is kept already, as by another proxy. Raises OSError and ConfigFault."""
    kept = read(path)
    if kept is None or kept.ledger != head.ledger or kept.number < head.number:
        write(path, head)


def lost(kept: ChainHead, ledger: str, there: bytes | None, latest: int) -> str | None:
    """What is wrong with a ledger that should know `kept`. there: the hash of its entry of that number."""
    if kept.ledger != ledger:
        return f"the head that was kept is of another ledger ({kept.ledger}; this one is {ledger})"
    if there is None:
        return f"the head that was kept is entry {kept.number}, and the ledger ends at entry {latest}"
    if there != kept.hash:
        return f"entry {kept.number} is another one than the head that was kept"
    return None
