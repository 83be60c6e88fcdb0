"""Two answers compared, and said in words where they differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from .essence import Mark, Part, Row
from .naming import Names

_SHOWN = 4
_LONGEST = 400  # characters
_ORDERED = re.compile(r"\border\s+by\b", re.I)


def differences(sql: str, seen: Sequence[Part], expected: Sequence[Part], own: Names) -> list[str]:
    """How an answer differs from the expected one. Rows that name an object of the proxy's own may be more.

    Rows are compared in their order where the statement has an ORDER BY anywhere, else as a bag.
    """
    ordered = _ORDERED.search(sql) is not None
    told, expected = without_own(seen, expected, own), without_own(expected, seen, own)
    said = []
    for at in range(max(len(told), len(expected))):
        ours, theirs = (parts[at] if at < len(parts) else None for parts in (told, expected))
        if not _same(ours, theirs, ordered):
            said += _told(ours, theirs)
            break
    return said


def without_own(seen: Sequence[Part], expected: Sequence[Part], own: Names) -> list[Part]:
    """The answer without rows that the other one lacks and that name an object of the proxy's own."""
    kept: list[Part] = []
    dropped = 0
    for at, part in enumerate(seen):
        match part:
            case Mark("done", (str() as tag,)) if dropped:
                verb, _, count = tag.rpartition(" ")
                kept.append(Mark("done", (f"{verb} {int(count) - dropped}",)))
                dropped = 0
            case Mark():
                kept.append(part)
            case rows:
                theirs = _rows_at(expected, at)
                left = _left(rows, theirs, own)
                dropped = len(rows) - len(left)
                if left:
                    kept.append(left)
    return kept


def _rows_at(parts: Sequence[Part], at: int) -> tuple[Row, ...]:
    part = parts[at] if at < len(parts) else ()
    return () if isinstance(part, Mark) else part


def _left(rows: tuple[Row, ...], theirs: tuple[Row, ...], own: Names) -> tuple[Row, ...]:
    more = Counter(rows) - Counter(theirs)
    return tuple(row for row in rows if not (more[row] and any(map(own.is_of_the_proxy, row))))


def _same(ours: Part | None, theirs: Part | None, ordered: bool) -> bool:
    if isinstance(ours, tuple) and isinstance(theirs, tuple) and not ordered:
        return Counter(ours) == Counter(theirs)
    return ours == theirs


def _told(ours: Part | None, theirs: Part | None) -> list[str]:
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        more, less = Counter(ours) - Counter(theirs), Counter(theirs) - Counter(ours)
        if not more and not less:
            return ["rows in another order"]
        return [*_some("only the proxy", more), *_some("only Postgres", less)]
    return [f"the proxy: {_short(ours)}", f"Postgres:  {_short(theirs)}"]


def _some(who: str, rows: Counter[Row]) -> list[str]:
    shown = [f"{who}: {_short(row)}" for row in list(rows.elements())[:_SHOWN]]
    return shown + ([f"{who}: … {rows.total()} rows in all"] if rows.total() > _SHOWN else [])


def _short(what: object) -> str:
    text = "nothing" if what is None else f"{what.kind}{what.what}" if isinstance(what, Mark) else str(what)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
