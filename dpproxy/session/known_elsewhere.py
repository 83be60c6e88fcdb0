"""Functions that other databases have and the front has not: what to write instead.

Checked by: tests/test_known_elsewhere.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_UNDEFINED: Final = "42883"
_NAMED: Final = re.compile(r"function (\w+)\(")
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
    named = _NAMED.match(fields.get("M", "")) if fields.get("C") == _UNDEFINED else None
    return None if named is None else _INSTEAD.get(named[1])
