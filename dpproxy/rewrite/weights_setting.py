"""`dp.weights`: how much each column of an answer counts when the price of a statement is split."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Final

from dpproxy.errors import InvalidPrivacySetting

_NAME, _NUMBER = r'"(?:[^"]|"")++"|[^":,\s][^":,]*+', r"[0-9]{1,6}(?:\.[0-9]{1,6})?"
# Possessive: else blanks would be divided between their neighbours in every way.
_PART: Final = re.compile(rf"\s*+({_NAME})\s*+:\s*+({_NUMBER})\s*+(?:,|$)")
_LONGEST: Final = 10_000


def read_weights(text: str) -> tuple[tuple[str, Fraction], ...]:
    """Columns and their weights, of `visits: 4, "Total cost": 0.5`; names without quotes are in lower case, as in SQL.

    Raises InvalidPrivacySetting for another text, a weight of 0, and a name that is there twice.
    """
    found: dict[str, Fraction] = {}
    at = 0
    while at < len(text.rstrip()):
        part = _PART.match(text, at) if len(text) <= _LONGEST else None
        if part is None:
            raise _refused(f"{text[at : at + 40].strip()!r} is no name and number")
        name, weight = _named(part[1]), Fraction(Decimal(part[2]))
        if not weight:
            raise _refused(f"a weight is above 0, and that of {name} is not")
        if name in found:
            raise _refused(f"{name} has two weights")
        found[name], at = weight, part.end()
    return tuple(found.items())


def _named(written: str) -> str:
    written = written.strip()
    return written[1:-1].replace('""', '"') if written.startswith('"') else written.lower()


def _refused(why: str) -> InvalidPrivacySetting:
    return InvalidPrivacySetting(
        f"dp.weights must be columns of the answer with numbers: {why}",
        hint="Write SET dp.weights = 'visits: 4, cost: 1', or RESET dp.weights for an even split.",
    )
