"""What a statement tells of Zelda on a plain engine, by its outcome under a time limit, and by its time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from time import perf_counter
from typing import Final

from attacks.duel import Pair, PlainDuckDB, Side
from attacks.slowing import Attack

LIMIT: Final = 0.25
"""Seconds that a plain engine is given."""
TIMES: Final = 6


@contextmanager
def _limited(side: Side) -> Iterator[None]:
    """A statement of the block ends after `LIMIT` with an error."""
    match side:
        case PlainDuckDB(connection):
            timer = Timer(LIMIT, connection.interrupt)
            timer.start()
            try:
                yield
            finally:
                timer.cancel()
                timer.join()
        case _:
            side.ask(f"SET statement_timeout = {int(LIMIT * 1000)}")
            yield
            side.ask("RESET statement_timeout")


def _once(side: Side, sql: str) -> tuple[str | None, float]:
    """With which error it ends, if with any, and after how long."""
    with _limited(side):
        begun = perf_counter()
        seen = side.ask(sql)
        return seen.state, perf_counter() - begun


def tells(pair: Pair, attack: Attack) -> str | None:
    """By what the statement tells whether Zelda is there; None where it does not.

    By time: each of a few answers with her takes longer than each without, which by chance is so once in 924 times.
    """
    for sql in attack.before:
        pair.ask(sql)
    asked = [(_once(pair.gone, attack.sql), _once(pair.here, attack.sql)) for _ in range(2)]
    if len(states := {tuple(state for state, _ in both) for both in asked}) == 1 and len(set(*states)) > 1:
        return "outcome"
    if any(state is not None for both in asked for state, _ in both):
        return None
    asked += [(_once(pair.gone, attack.sql), _once(pair.here, attack.sql)) for _ in range(TIMES - 2)]
    gone, here = ([both[place][1] for both in asked] for place in (0, 1))
    return "time" if min(here) > max(gone) else None
