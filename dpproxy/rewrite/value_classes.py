"""Values of a question by their classes: of those of one class a plan has the same casts and nodes.

Checked by: tests/test_plans_alike.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import combinations
from typing import Final

from dpproxy.rewrite.question import Parameter

_WHOLE: Final = frozenset({"smallint", "int2", "integer", "int4", "bigint", "int8"})
_TEXTS: Final = frozenset({"text", "varchar", "character varying"})
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_DECIMAL: Final = re.compile(r"(?:0|[1-9][0-9]{0,11})\.[0-9]{1,9}")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_WORDS: Final = re.compile(r"[ !#-&(-\[\]-~]{1,200}")  # printable, without quotes and backslashes
_SKELETON: Final = re.compile(r"[^%_]+")
_LARGEST: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class ClassedValue:
    """A value. kind: its class: a plan may have other casts, and other nodes, for one of another. at: by which those of
    a class are ordered; forms: how an engine's text may have it, without its sign."""

    kind: tuple[object, ...]
    at: int | Decimal | str
    forms: tuple[str, ...]

    @property
    def is_text(self) -> bool:
        """Whether it is compared as a text, so that no other lies between two."""
        return self.kind[0] == "text"


def value_of(parameter: Parameter) -> ClassedValue | None:
    """The value of a parameter; None for what is of another type or form, and for NULL."""
    text, reader = parameter.text, _READERS.get(parameter.type)
    return None if text is None or reader is None else reader(text)


def _whole(text: str) -> ClassedValue | None:
    if not _NUMBER.fullmatch(text):
        return None
    number = int(text)
    return ClassedValue(
        ("number", number < 0, number == 0, abs(number) > _LARGEST),
        number,
        (str(abs(number)), f"'{abs(float(number))}'"),
    )


def _decimal(text: str) -> ClassedValue | None:
    """Its grid is known by its last places."""
    if not _DECIMAL.fullmatch(text):
        return None
    whole, _, places = text.partition(".")
    kind = "decimal", whole == "0" or len(whole), len(places), len(places.rstrip("0")), len(places.lstrip("0"))
    return ClassedValue(kind, Decimal(text), (text, f"'{text}'", f"'{float(text)}'"))


def _day(text: str) -> ClassedValue | None:
    return ClassedValue(("day",), text, (f"'{text}'", f"'{text} 00:00:00'")) if is_day(text) else None


def _text(text: str) -> ClassedValue | None:
    """Its wildcards, which LIKE reads, are of its class."""
    return ClassedValue(("text", _SKELETON.sub("w", text)), text, (f"'{text}'",)) if _WORDS.fullmatch(text) else None


_READERS: Final[Mapping[str, Callable[[str], ClassedValue | None]]] = {
    **dict.fromkeys(_WHOLE, _whole),
    "numeric": _decimal,
    "date": _day,
    **dict.fromkeys(_TEXTS, _text),
}


def is_day(text: str) -> bool:
    """Whether it is a day of four digits of a year."""
    try:
        return _DAY.fullmatch(text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        return False


def order_of(values: Sequence[ClassedValue]) -> tuple[tuple[bool, bool], ...]:
    """How they are ordered among each other, as far as they are of one type."""
    pairs = combinations(values, 2)
    return tuple((is_at_most(one, other), is_at_most(other, one)) for one, other in pairs if _are_ordered(one, other))


def _are_ordered(one: ClassedValue, other: ClassedValue) -> bool:
    return isinstance(one.at, str) == isinstance(other.at, str)


def is_at_most(one: ClassedValue, other: ClassedValue) -> bool:
    """Of two of one type; days of four digits of a year are ordered as their texts."""
    match one.at, other.at:
        case ((int() | Decimal()), (int() | Decimal())):
            return one.at <= other.at
        case str(), str():
            return one.at <= other.at
        case _:
            raise ValueError("a number and a day have no order")
