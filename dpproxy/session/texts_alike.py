"""Texts that differ in whole numbers alone: what the gate says of one, it says of all.

Tools ask the catalog the same again and again, each time of another oid, so that no text comes twice.
"""

from __future__ import annotations

import re
from typing import Final

_QUOTED: Final = re.compile(r"""('[^']*'|"[^"]*")""")
_NUMBER: Final = re.compile(r"(?<![\w.])[0-9]{1,9}(?![\w.])")
# Outside of quotes, what quotes or numbers may be read otherwise behind; and the type that the grammar reads one of.
_ODD: Final = re.compile(r"--|/\*|[$'\"]|[^\x00-\x7f]|u&\0|\bfloat\b", re.IGNORECASE)


def with_ones(sql: str) -> str | None:
    """The text with 1 in the place of each whole number; None where there is none, or where it is not plain which
    those are.

    Claim: Postgres's grammar takes both or neither, and reads the same tree in both but for the values of integers and
    the places of nodes. Because: quotes come in pairs, since there is no escape, no comment and no quote by dollars
    before them; outside of them up to nine digits between anything but letters, digits, `_` and points are one token,
    an integer that an int4 holds; and the grammar asks for the value of one in `float(n)` alone.
    Checked by: tests/test_gate.py::test_what_is_said_of_a_text_holds_for_other_numbers.
    """
    if "\\" in sql:
        return None
    parts = _QUOTED.split(sql)
    if _ODD.search("\0".join(parts[::2])):
        return None
    parts[::2] = [_NUMBER.sub("1", part) for part in parts[::2]]
    found = "".join(parts)
    return None if found == sql else found
