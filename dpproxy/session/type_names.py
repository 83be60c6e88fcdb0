"""Types as `format_type` prints them, from OID and modifier.

Checked by: tests/test_relay.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_NUMERIC, _HEADER = 1700, 4
# Spelled by the grammar itself; all others are looked up.
_KEYWORDS = re.compile(r"(bigint|bit|boolean|character|double|integer|interval|numeric|real|smallint|time|timestamp)\b")
_SIZED = frozenset({1042, 1043})


def type_name(types: Mapping[int, str], oid: int, modifier: int) -> str:
    """`numeric(15,2)` for the numeric of that modifier; "unknown" for a type that is not Postgres's own."""
    name = types.get(oid, "unknown")
    if modifier < _HEADER:
        return name
    if oid == _NUMERIC:
        precision, scale = (modifier - _HEADER) >> 16, ((modifier - _HEADER) & 0x7FF ^ 1024) - 1024
        return f"{name}({precision},{scale})"
    return f"{name}({modifier - _HEADER})" if oid in _SIZED else name


def written_type(types: Mapping[int, str], oid: int, modifier: int) -> str:
    """The type in a text, where no table of the analyst's can be taken for it."""
    name = type_name(types, oid, modifier)
    return name if _KEYWORDS.match(name) or name == "unknown" else f"pg_catalog.{name}"
