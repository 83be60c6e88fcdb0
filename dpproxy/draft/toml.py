"""Pieces of TOML: keys and values in their notation, and comments that stay comments whatever is in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

import tomlkit

from dpproxy.draft.checks import Constant

Entry = Mapping[str, "str | bool | Decimal | tuple[Constant, ...]"]


def key(name: str) -> str:
    """A key, quoted where it has to be."""
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else text(name)


def text(value: str) -> str:
    """A string."""
    return tomlkit.item(value).as_string()


def shown(name: str) -> str:
    """A name in a comment: as it is, or quoted where it could be mistaken or end the line."""
    return name if re.fullmatch(r"[^\W\d][\w$.]*", name) else text(name)


def names(values: tuple[str, ...]) -> str:
    """A list of strings."""
    return f"[{', '.join(map(text, values))}]"


def inline(entry: Entry) -> str:
    """An inline table."""
    return "{ " + ", ".join(f"{name} = {_value(value)}" for name, value in entry.items()) + " }"


def constants(values: tuple[Constant | None, ...]) -> str:
    """A list of constants, with ? for those that are not known, which is no TOML."""
    return f"[{', '.join('?' if value is None else _value(value) for value in values)}]"


def _value(value: str | bool | Decimal | tuple[Constant, ...]) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case Decimal():
            return f"{value:f}"
        case str():
            return text(value)
        case tuple():
            return constants(value)


def commented(lines: list[str]) -> list[str]:
    """The lines as comments."""
    return [f"# {line}".rstrip() for line in lines]
