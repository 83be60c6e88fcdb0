"""Names that a policy can say of tables and columns, as its front can have them. Pure.

Checked by: tests/test_config.py, tests/test_init.py.
"""

from __future__ import annotations

from typing import Final

SYSTEM_COLUMNS: Final = frozenset({"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})
_MOST_BYTES = 63
_SECRET = "${"


def is_name(text: str) -> bool:
    """Whether Postgres can have it as a name of anything."""
    return 1 <= len(text.encode()) <= _MOST_BYTES and "\0" not in text


def reads_as_secret(text: str) -> bool:
    """Whether a policy would look for a secret in it."""
    return _SECRET in text


def unsayable(column: str) -> str | None:
    """Why a column of this name is in no policy; None where it can be."""
    if reads_as_secret(column):
        return "in a policy ${ begins the name of a secret"
    if column in SYSTEM_COLUMNS:
        return "each table of Postgres has a column of this name, of its own"
    if not is_name(column):
        return f"a name in a policy has 1 to {_MOST_BYTES} bytes"
    return None
