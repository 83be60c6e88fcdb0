"""Schemas whose names are taken: Postgres's, and those that the proxy makes for itself. Pure.

    dp          what analysts use: dp.budget, dp.median(x)
    dp_bars     functions that answers with error bars are computed with
    dp_front    the front's books, which nobody but its owner may enter
    dp_ledger   the ledger, which nobody but its owner may enter
    dp_own      what of Postgres's own is kept from analysts

Checked by: tests/test_config.py.
"""

from __future__ import annotations

from typing import Final

# Up to 0.2.0 there was dp_backstop.
OWN: Final = ("dp", "dp_backstop", "dp_bars", "dp_front", "dp_ledger", "dp_own")


def is_taken(schema: str) -> bool:
    """Whether a policy can have no table in a schema of this name."""
    return schema in (*OWN, "information_schema") or schema.startswith("pg_")
