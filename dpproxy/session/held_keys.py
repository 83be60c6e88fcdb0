"""A plan of which an answer would have too many rows, made anew: the largest of its public keys are held private.

Checked by: tests/test_held_keys.py.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from dpproxy.answering.public_keys import HINT, Sizes, TooManyKeys, largest
from dpproxy.errors import DPProxyError, QueryCanceled
from dpproxy.plan.private_plan import MOST_PUBLIC_KEYS, Plan
from dpproxy.rewrite.question import Question


async def with_room(
    question: Question,
    planned: Callable[[Question], Awaitable[Plan]],
    sizes_of: Callable[[Plan], Awaitable[Sizes]],
) -> Plan:
    """The plan of a question; where it has too many public keys, of the same one that is told how many they are.

    Claim: which of both is made depends on public tables alone. Because: `sizes_of` asks how many keys they give, and
    nothing else. Raises DPProxyError: TooManyKeys where none of them can be held private.
    """
    plan = await planned(question)
    sizes = await sizes_of(plan)
    if (most := largest(plan, sizes)) <= MOST_PUBLIC_KEYS:
        return plan
    try:
        return await planned(replace(question, sizes=tuple(sorted(sizes.items()))))
    except QueryCanceled:
        raise
    except DPProxyError as fault:
        told = (
            f"GROUP BY has {most} public keys; {MOST_PUBLIC_KEYS} is the most, unless they are chosen as private ones"
        )
        raise TooManyKeys(f"{told}: {fault}", hint=HINT) from fault
