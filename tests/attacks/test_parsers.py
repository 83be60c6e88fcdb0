"""The text that was analysed is the text that runs: what is not refused means what it means to Postgres.

Each text is answered without noise over both engines, and by a plain Postgres, and the answers are compared. The texts
are chosen, and then made by chance: blanks of all of Unicode's classes, comments, quotes, escapes, numbers in all
forms, names that differ by case or length, keywords of other dialects, glued operators. A longer lane tries more.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count
from random import Random

import psycopg
import pytest
from lanes import seed, sized
from test_executed import WIDE, Halls, agree, halls, judge, judged, without_noise
from worlds import plan

from attacks.oddities import FIXED, odd
from dpproxy.errors import DPProxyError, EngineFailure, InternalFault
from dpproxy.session.gate import examine
from dpproxy.session.verdicts import GateNames, Plain, Private

pytestmark = pytest.mark.long

__all__ = ["halls", "judge", "without_noise"]  # fixtures

SECONDS = sized(1.0, 2.0, 600.0)
SEED = seed()
FAULTS = (InternalFault.sqlstate, EngineFailure.sqlstate)


def outcome(halls: Halls, sql: str) -> str:
    """What becomes of a text that the front takes. Raises AssertionError where it is answered as if it were another."""
    tables = frozenset({"people", "visits", "public.people", "public.visits"})
    statements = examine(sql, GateNames(tables, frozenset({"departments"}), "alice"))
    if [type(each.verdict) for each in statements] != [Private] or not isinstance(statements[0].verdict.form, Plain):  # type: ignore[union-attr]
        return "no private statement"
    try:
        own = judged(halls, sql)
    except psycopg.Error as fault:
        return f"the front's {fault.sqlstate}"
    for dialect, room in halls.rooms.items():
        try:
            made = plan(sql, room.catalog, WIDE, dialect=dialect)
        except DPProxyError as refusal:
            assert refusal.sqlstate not in FAULTS
            return "refused"
        agree(halls, room, made, own)
    return "the same"


def _all(halls: Halls, sqls: Iterable[str]) -> tuple[Counter[str], list[str]]:
    """How often there was each outcome, and what must not be, with its text."""
    found, wrong = Counter[str](), []
    for sql in sqls:
        try:
            found[outcome(halls, sql)] += 1
        except (AssertionError, DPProxyError, psycopg.Error) as fault:
            wrong.append(f"{sql!r}: {fault!r}"[:500])
    print(f"\n{found.most_common()}")
    return found, wrong


def _by_chance() -> Iterator[str]:
    random, end = Random(f"odd {SEED}"), time.monotonic() + SECONDS
    for number in count():
        if number > 300 and time.monotonic() > end:
            return
        yield odd(random)


def test_each_chosen_text_means_what_it_means_to_postgres(halls: Halls) -> None:
    found, wrong = _all(halls, FIXED)
    assert wrong == []
    assert found["the same"] > len(FIXED) / 2


def test_each_text_made_by_chance_does(halls: Halls) -> None:
    found, wrong = _all(halls, _by_chance())
    assert wrong == []
    assert found["the same"] and found["refused"]
