"""From a file to plain data: TOML with exact numbers, and secrets from the environment."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from dpproxy.config.faults import Fault, Key
from dpproxy.errors import ConfigFault

Data = dict[str, Any]

_SECRET = re.compile(r"\$\{([^}]*)\}?")


def parsed(path: Path) -> Data:
    """The file's data, its fractions as Decimal. Raises ConfigFault where it cannot be read or is no TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except tomllib.TOMLDecodeError as cause:
        reason, _, place = str(cause).rpartition(" (at ")
        detail = f"{path}: {place.rstrip(')')}: {reason}; expected TOML"
    except UnicodeDecodeError:
        detail = f"{path}: is not text; expected TOML in UTF-8"
    except OSError as cause:
        detail = f"{path}: {(cause.strerror or 'cannot be read').lower()}; expected a TOML file"
    raise ConfigFault(f"{path} cannot be read", detail=detail)


def filled(data: Data, environ: Mapping[str, str]) -> tuple[Data, tuple[Fault, ...]]:
    """A copy of `data` where each `${NAME}` in a string is `environ`'s, and a fault for each that is missing there."""
    faults: list[Fault] = []
    return {key: _filled(value, (key,), environ, faults) for key, value in data.items()}, tuple(faults)


def _filled(value: Any, key: Key, environ: Mapping[str, str], faults: list[Fault]) -> Any:
    match value:
        case dict():
            return {name: _filled(inner, (*key, name), environ, faults) for name, inner in value.items()}
        case list():
            return [_filled(inner, (*key, place), environ, faults) for place, inner in enumerate(value)]
        case str():
            missing = [match[0] for match in _SECRET.finditer(value) if _of(match, environ) is None]
            faults.extend(_missing(key, text) for text in missing)
            return value if missing else _SECRET.sub(lambda match: environ[match[1]], value)
        case _:
            return value


def _of(match: re.Match[str], environ: Mapping[str, str]) -> str | None:
    return environ.get(match[1]) if match[0].endswith("}") else None


def _missing(key: Key, text: str) -> Fault:
    name = re.fullmatch(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}", text)
    if name is None:
        return Fault(key, f"{text} names no environment variable", "${NAME}")
    return Fault(key, f"{text} is not in the environment", f"{name[1]} to be set")
