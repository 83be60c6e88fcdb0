"""Names as they are typed into psql.

Checked by: tests/test_init_guesses.py.
"""

from __future__ import annotations

import re

from postgast import scan

_PLAIN = (0, 1)  # no keyword, and one that is not reserved


def sql_name(name: str) -> str:
    """A name, in quotes where it has to be."""
    plain = re.fullmatch("[a-z_][a-z0-9_]*", name) and scan(name).tokens[0].keyword_kind in _PLAIN
    return name if plain else '"' + name.replace('"', '""') + '"'
