"""Units of time by all the names that Postgres has for them, and how long each is."""

from __future__ import annotations

from collections.abc import Mapping

_NAMES = {
    "millennium": "mil mils millennia millennium",
    "century": "c cent cents century centuries",
    "decade": "dec decs decade decades",
    "year": "y yr yrs year years",
    "quarter": "qtr quarter",
    "month": "mon mons month months",
    "week": "w week weeks",
    "day": "d day days dayofmonth",
    "hour": "h hr hrs hour hours",
    "minute": "m min mins minute minutes",
    "second": "s sec secs second seconds",
    "milliseconds": "ms msec msecs millisecond milliseconds",
    "microseconds": "us usec usecs microsecond microseconds",
    # How the parser spells some fields.
    "dow": "dayofweek",
    "doy": "dayofyear",
    "isodow": "dayofweekiso",
}
_UNITS: Mapping[str, str] = {name: unit for unit, names in _NAMES.items() for name in names.split()}

MONTHS: Mapping[str, int] = {"millennium": 12000, "century": 1200, "decade": 120, "year": 12, "month": 1}
DAYS: Mapping[str, int] = {"week": 7, "day": 1}
MICROS: Mapping[str, int] = {
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "milliseconds": 1000,
    "microseconds": 1,
}


def unit_of(name: str) -> str:
    """The unit that goes by a name, and the name itself where none does."""
    return _UNITS.get(name.lower(), name.lower())
