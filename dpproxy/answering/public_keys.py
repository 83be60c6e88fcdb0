"""How many keys public tables give: asked of the engine before anything is charged, and remembered.

A plan of which an answer would have too many rows is made anew, with the largest of these keys held private
(`rewrite.releases.held_keys`). What cannot be helped so is refused, uncharged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dpproxy.answering.resources import Resources
from dpproxy.answering.watched import run_watched
from dpproxy.engines import EngineQuery, Ticket, Work
from dpproxy.errors import DPProxyError, EngineFailure, EngineUnavailable, StatementTimeout
from dpproxy.plan.private_plan import MOST_PUBLIC_KEYS, FromPublic, Key, Literals, Plan

HINT: Final = "Group by fewer columns of public tables, or narrow them with WHERE."
_REMEMBERED: Final = 1000
Sizes = Mapping[str, int]
"""By their texts."""


class TooManyKeys(DPProxyError, sqlstate="54000"):
    """The keys of public tables have too many combinations."""


def check_size(size: int) -> None:
    """Raises TooManyKeys for more public keys than an answer has rows for."""
    if size > MOST_PUBLIC_KEYS:
        raise TooManyKeys(
            f"GROUP BY has {size} public keys, and each would be a row of the answer; {MOST_PUBLIC_KEYS} is the most",
            hint=HINT,
        )


def known_sizes(resources: Resources, plan: Plan) -> Sizes | None:
    """How many keys each of `public_texts` gives. None where the engine was not asked of each yet."""
    texts, known = public_texts(plan), resources.sizes
    return {text: known[text] for text in texts} if known.keys() >= set(texts) else None


async def sizes_of(resources: Resources, plan: Plan, ticket: Ticket) -> Sizes:
    """The same, asked of the engine where it has to be; nothing where it has no answer.

    Claim: no private row has a part in it. Because: what is run are the texts of public keys, which read public tables
    alone (`rewrite.checker`), and are told nothing. One that was asked is not asked again while the engine is open:
    should there be too many keys since, that is told where the statement is run, and all are forgotten.
    Checked by: tests/test_answer.py.
    """
    texts = public_texts(plan)
    found = {text: size for text in texts if (size := resources.sizes.get(text)) is not None}
    new = [text for text in texts if text not in found]
    if not new:
        return found
    try:
        found |= await run_watched(resources, counting(new), ticket, resources.speed.limit)
    except (EngineFailure, EngineUnavailable, StatementTimeout):
        return {}  # and is told of where the statement is paid for
    if len(resources.sizes) + len(new) > _REMEMBERED:
        resources.sizes.clear()
    resources.sizes.update(found)
    return found


def public_texts(plan: Plan) -> tuple[str, ...]:
    """The texts of public tables that keys come from: none that hangs on a release, or on tables of the analyst's
    own."""
    return tuple(dict.fromkeys(key.sql for each in plan.releases for key in _told_nothing(each.bounded.keys)))


def counting(texts: Sequence[str]) -> Work[Sizes]:
    """The work of counting the keys of each text."""
    found: dict[str, int] = {}
    for text in texts:
        rows = yield EngineQuery(f"SELECT count(*) FROM ({text}) AS q", only=len(texts) == 1)
        found[text] = int(str(rows.rows[0][0]))
    return found


def _told_nothing(keys: Sequence[Key]) -> Iterator[FromPublic]:
    return (each.domain for each in keys if isinstance(each.domain, FromPublic) and not each.domain.inputs)


def largest(plan: Plan, sizes: Sizes) -> int:
    """The most combinations that public keys of a release have, by what is known of them."""
    return max((_combinations(each.bounded.keys, sizes) for each in plan.releases), default=1)


def _combinations(keys: Sequence[Key], sizes: Sizes) -> int:
    listed = [len(key.domain.values) for key in keys if isinstance(key.domain, Literals)]
    public = {each.sql: sizes.get(each.sql, 0) + each.nullable for each in _told_nothing(keys)}
    return math.prod(listed) * math.prod(max(1, each) for each in public.values())
