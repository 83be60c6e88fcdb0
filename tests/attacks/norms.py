"""Steps by which what a unit adds is sorted by its norm: as text, each in the one form that it may have."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

WHOLE, MOST_KEYS = 2**20, 4096
"""What a unit weighs in all of its private keys, and in how many of them at most it weighs anything."""
_OVER: Final = r" OVER \(PARTITION BY u\)"
_OF_UNIT: Final[Mapping[str, str]] = {
    r"SUM\(ABS\((m\d+)\)\)": "size",
    r"SUM\(CAST\((m\d+) AS (?:INT128|DECIMAL)\) \* \1\)": "square",
    r"MAX\(ABS\((m\d+)\)\)": "largest",
    r"COUNT\(\*\)": "rows",
    r"ROW_NUMBER\(\)": "number",
}
_READ: Final = r"LN\(CAST\(GREATEST\((\w+|ABS\(m\d+\)), 1\) AS DOUBLE\)\)"
_BUCKET: Final = re.compile(rf"CAST\(CEIL\({_READ} \* ([\d.]+)\) AS INT\)")
_OF_BOTH: Final = re.compile(rf"CAST\(CEIL\(\({_READ} \+ {_READ}\) \* ([\d.]+)\) AS INT\)")
_FIRST: Final = re.compile(r"CASE WHEN (\w+) = 1 THEN 1 ELSE 0 END")
_WEIGHT: Final = re.compile(
    rf"CASE WHEN (\w+) > {MOST_KEYS} THEN 0 ELSE CAST\(FLOOR\({WHOLE} / "
    r"(?:CAST\(\1 AS DOUBLE\)|(SQRT)\(CAST\(\1 AS DOUBLE\)\))\) AS BIGINT\) END"
)


def told_of(text: str, below: Mapping[str, str]) -> str:
    """What a step's expression is, by what its columns are; "" for anything else.

    Of all rows of a unit: "size m0", "square m0", "largest m0", "rows"; "number" tells them apart. Of those: "bucket L1
    m0" and "bucket L2 m0" are the same in all rows of a unit, "first" is 1 in one of them and else 0, "weight L1" and
    "weight L2" have that norm WHOLE at most. "bucket m0" is of a row alone.
    """
    for pattern, kind in _OF_UNIT.items():
        if found := re.fullmatch(pattern + _OVER, text):
            return " ".join([kind, *found.groups()])
    if found := _FIRST.fullmatch(text):
        return "first" if below.get(found[1]) == "number" else ""
    if found := _WEIGHT.fullmatch(text):
        return f"weight {'L2' if found[2] else 'L1'}" if below.get(found[1]) == "rows" else ""
    if found := _BUCKET.fullmatch(text):
        return _bucket(found[1], float(found[2]), below)
    if found := _OF_BOTH.fullmatch(text):
        one, other = (below.get(each, "").split() for each in found.groups()[:2])
        bound = one[:1] == ["size"] and other == ["largest", *one[1:]] and _is_eighth(float(found[3]), 2)
        return f"bucket L2 {one[1]}" if bound else ""
    return ""


def told_of_group(text: str, number: str) -> str:
    """The same of an aggregate of all rows of a unit; "number" is the least of those that tell all rows apart, which
    are called `number`."""
    for pattern, kind in _OF_UNIT.items():
        if kind != "number" and (found := re.fullmatch(pattern, text)):
            return " ".join([kind, *found.groups()])
    return "number" if text == f"MIN({number})" else ""


def _bucket(read: str, factor: float, below: Mapping[str, str]) -> str:
    if read.startswith("ABS("):
        return f"bucket {read[4:-1]}" if _is_eighth(factor, 1) else ""
    kind, _, name = below.get(read, "").partition(" ")
    if kind == "size" and _is_eighth(factor, 1):
        return f"bucket L1 {name}"
    return f"bucket L2 {name}" if kind == "square" and _is_eighth(factor, 2) else ""


def _is_eighth(factor: float, power: int) -> bool:
    """Whether that many times the logarithm of a power of the norm makes eight buckets for each doubling."""
    return math.isclose(factor, 8 / power / math.log(2), rel_tol=1e-15)
