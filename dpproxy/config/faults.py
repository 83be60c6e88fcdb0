"""A fault of a configuration, and how it is told."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from typing import Any

Key = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """What was wrong at `key` (the way into the file, e.g. `("server", "port")`), and what was expected there."""

    key: Key
    wrong: str
    expected: str

    def __str__(self) -> str:
        return f"{dotted(self.key)}: {self.wrong}; expected {self.expected}"


def lines(path: Path, faults: Iterable[Fault]) -> str:
    """A line for each fault, with the file's name."""
    return "\n".join(f"{path}: {fault}" for fault in faults)


def told(faults: Iterable[Fault], data: Mapping[str, Any]) -> tuple[Fault, ...]:
    """The first fault of each key (others are its consequences), in the order of the file that `data` was read from."""
    first: dict[Key, Fault] = {}
    for fault in faults:
        first.setdefault(fault.key, fault)
    return tuple(sorted(first.values(), key=lambda fault: _position(data, fault.key)))


def _position(data: Any, key: Key) -> tuple[int, ...]:
    """Where `key` stands in the file; what is missing stands at the end of its section."""
    if not key or not isinstance(data, Mapping):
        return ()
    names = list(data)
    place = names.index(key[0]) if key[0] in data else len(names)
    return (place, *_position(data.get(key[0]), key[1:]))


def dotted(key: Key) -> str:
    """A key as TOML writes it: `tables."sales.orders".columns.id`; positions in an array as `[0]`."""
    text = ""
    for part in key:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + (part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else json.dumps(part))
    return text


def shown(value: object) -> str:
    """A value as TOML writes it; tables only by name."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value, ensure_ascii=False)
        case date() | time():
            return value.isoformat()
        case list() | tuple():
            return "[" + ", ".join(map(shown, value)) + "]"
        case Mapping():
            return "a table"
        case _:
            return str(value)


def nearest(name: str, known: Iterable[str]) -> str:
    """What was expected instead of an unknown name: the nearest known one, and all of them."""
    names = sorted(known)
    if not names:
        return "a name that exists, and there is none"
    close = difflib.get_close_matches(name, names, 1, 0.0)[0]
    return shown(close) if len(names) == 1 else f"{shown(close)} (the nearest of {listed(names)})"


def listed(names: Sequence[str]) -> str:
    """Names with commas between, no more than a line holds."""
    return ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
