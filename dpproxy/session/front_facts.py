"""What the front says of a session for a private statement, and what of it is kept.

Checked by: tests/test_kept_lookup.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class FrontFacts:
    """The answer: `settings` of `SETTINGS` and `dp.*`, the OID that each name means, parameters as text, the time."""

    settings: Mapping[str, str | None]
    oids: Mapping[str, int | None]
    values: tuple[str | None, ...]
    now: datetime | None = None


@dataclass(frozen=True, slots=True)
class KeptLookup:
    """What was said of these settings and relations, when so much had been executed and these OIDs were the policy's
    tables."""

    settings: tuple[str, ...]
    relations: tuple[str, ...]
    executed: int
    oids: Mapping[int, str]
    facts: FrontFacts
