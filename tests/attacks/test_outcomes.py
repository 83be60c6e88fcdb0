"""A failure, a cancel and a free place as oracles: what one row is multiplied by, and what ends it.

On a plain engine, and on a proxy that bounds no work, the product below ends with an error if Zelda is there, and with
an answer if not, whatever it costs. It is refused now before it is charged. What is still allowed is asked on both
databases with the auditor on outcome and time: cancelled, in four sessions at once, and in four that have one place.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from clients.backends import Backend
from lanes import sized

from attacks.duel import Connected, Duel, Pair
from attacks.plainly import tells
from attacks.slowing import Attack, Manner
from attacks.timing_search import both, search

pytestmark = pytest.mark.long

PRODUCT = (
    "SELECT count(*) FROM people p, generate_series(1,1000) a, generate_series(1,1000) b, generate_series(1,1000) c"
    " WHERE p.person_id = 1000 AND p.city = 'Zeldatown'"
)
HEAVY = "SELECT count(*) FROM people p, generate_series(1,100) a WHERE p.person_id = 1000"
"""One row a hundred times: what a limit of a second lets pass at this price on a slow machine, too."""
ANSWERS = sized(60, 60, 200)


def spent(side: object) -> object:
    assert isinstance(side, Connected)
    return side.ask("SELECT spent_epsilon, (SELECT count(*) FROM dp.statements) FROM dp.budget").rows


def test_a_product_tells_on_the_plain_engine(duel: Duel) -> None:
    assert tells(duel.plain, Attack("finding", PRODUCT)) == "outcome"


def test_a_product_is_refused_before_it_is_charged(mallory: Pair) -> None:
    """At any price, in any form, with Zelda and without."""
    before = spent(mallory.here), spent(mallory.gone)
    for epsilon in ("1e-12", "1"):
        mallory.ask(f"SET dp.epsilon = '{epsilon}'")
        for sql in (PRODUCT, f"CREATE TABLE seen AS {PRODUCT}", f"DECLARE seen CURSOR WITH HOLD FOR {PRODUCT}"):
            here, gone = mallory.ask(sql)
            assert here == gone
            assert here.state == "DP002" and here.error is not None and here.error[3], here
    assert (spent(mallory.here), spent(mallory.gone)) == before


@pytest.mark.parametrize(
    ("attack", "places"),
    [
        (Attack("cancelled while it is at work", HEAVY, Manner.CANCELED, (), 0.05), 4),
        (Attack("cancelled when it is done", HEAVY, Manner.CANCELED, (), 0.3), 4),
        (Attack("four predicates at once", HEAVY, Manner.TOGETHER), 4),
        (Attack("the absent frees its place", HEAVY, Manner.TOGETHER), 1),
    ],
    ids=lambda value: getattr(value, "family", None),
)
def test_outcome_and_time_keep_to_the_charge(attack: Attack, places: int, tmp_path: Path) -> None:
    async def asked() -> None:
        async with both(Backend.EMBEDDED, tmp_path, places) as served:
            (found,) = await search(served, [attack], ANSWERS, lambda _: None)
            assert not found.broken, found.row
            # A cancel may come before the charge, each time.
            assert found.finding.problem is None
            assert found.finding.answers == 2 * ANSWERS or found.finding.refused == "refused with 57014"

    asyncio.run(asked())
