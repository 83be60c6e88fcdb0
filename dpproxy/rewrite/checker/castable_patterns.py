"""Patterns of which every text is one of a type: what a cast after them reads."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dpproxy.rewrite.checker.held import Kind

# Patterns, with N for counts, and what their texts are: whole numbers, those with a point, or an exponent, days.
_COUNT = re.compile(r"(?<=\{1,)\d+(?=\})|(?<=\{0,)\d+(?=\})")
_SIGN, _BLANK = r"[\+\-]?", r"[\t-\r ]*"
_MONTH = "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])"
_COMMON = f"([1-9][0-9]{{3}}|0[1-9][0-9]{{2}}|00[1-9][0-9]|000[1-9])-({_MONTH})"
_FOURTH = "(0[48]|[2468][048]|[13579][26])"
_DAY = f"(({_COMMON})|((([0-9]{{2}}{_FOURTH})|({_FOURTH}00))-02-29))"
_TIME = "([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,N})?)?)?"
_POINT = r"(?:[0-9]{1,N}(?:\.[0-9]{0,N})?|\.[0-9]{1,N})"
_BEHIND = rf"^{_BLANK}{_SIGN}0*\.[0-9]{{1,N}}{_BLANK}$"
_READ: Mapping[str, Kind] = {
    f"^{_BLANK}{_SIGN}0*[0-9]{{1,N}}{_BLANK}$": Kind.INTEGER,
    rf"^{_BLANK}{_SIGN}(?:0*[0-9]{{1,N}}(?:\.[0-9]{{0,N}})?|\.[0-9]{{1,N}}){_BLANK}$": Kind.DECIMAL,
    _BEHIND: Kind.DECIMAL,
    rf"^{_BLANK}{_SIGN}{_POINT}(?:[Ee]{_SIGN}[0-9]{{1,2}})?{_BLANK}$": Kind.DOUBLE,
    rf"^{_BLANK}{_SIGN}{_POINT}(?:[Ee]{_SIGN}[0-9]{{1,N}})?{_BLANK}$": Kind.DOUBLE,
    f"^({_DAY})$": Kind.DATE,
    f"^({_DAY}{_TIME})$": Kind.TIMESTAMP,
}


def read(pattern: str) -> tuple[Kind | None, list[int]]:
    """What the texts of a pattern are, and its counts, that of digits before the point first; None where not known."""
    pattern = pattern.replace("{1}", "{1,1}")
    form, counts = re.sub(_COUNT, "N", pattern), [int(count) for count in re.findall(_COUNT, pattern)]
    return _READ.get(form), [0, *counts] if form == _BEHIND else counts


def beginning(pattern: str, letters: int) -> str:
    """A pattern of the first letters of its texts, where they are a day."""
    return f"^({_DAY})$" if letters == 10 and read(pattern)[0] in (Kind.DATE, Kind.TIMESTAMP) else ""
