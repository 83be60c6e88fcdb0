"""Functions that other databases have and the front has not, and error bars of what is no number: what to write.

Checked by: tests/test_known_elsewhere.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from dpproxy.plan.error_bars import Bar

_UNDEFINED: Final = "42883"
_NAMED: Final = re.compile(r"function (\w+)\(")
_BAR: Final = re.compile(rf"function dp\.({'|'.join(bar.value for bar in Bar)})\(([^,]*)\)")
_TIMES: Final = ("date", "timestamp without time zone", "timestamp with time zone")
_QUANTILE: Final = "Write PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)."
_INSTEAD: Final[Mapping[str, str]] = {
    "median": "Write dp.median(x).",
    "quantile": _QUANTILE,
    "quantile_cont": _QUANTILE,
    "quantile_disc": "Write PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY x).",
    "approx_quantile": _QUANTILE,
    "strftime": "Write to_char(x, 'YYYY-MM').",
}


def written_instead(fields: Mapping[str, str]) -> str | None:
    """The hint for the front's error that it knows no such function; None where nothing is known of it."""
    if fields.get("C") != _UNDEFINED:
        return None
    message = fields.get("M", "")
    if (bar := _BAR.match(message)) is not None:
        return _of_a_number(bar[1], bar[2])
    named = _NAMED.match(message)
    return None if named is None else _INSTEAD.get(named[1])


def _of_a_number(bar: str, argument: str) -> str:
    """The hint for dp.low and its like of a value of another type."""
    if argument not in _TIMES:
        return f"It is of released numbers: dp.{bar}(count(*)), dp.{bar}(avg(x))."
    days = f"dp.{bar}(max(x::date - DATE '1970-01-01'))"
    if bar in (Bar.LOW.value, Bar.HIGH.value):
        return f"It is of numbers, such as days: DATE '1970-01-01' + {days}::integer."
    return f"It is of numbers, such as days: {days}."
