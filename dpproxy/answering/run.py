"""The releases of a plan, one after the other: what is asked of the engine, and what is released of its answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from secrets import token_hex
from typing import assert_never

from dpproxy.answering.public_keys import TooManyKeys, check_size
from dpproxy.answering.resources import Resources
from dpproxy.answering.watched import run_watched
from dpproxy.catalog.policy import Proof
from dpproxy.engines import EngineQuery, Ticket, Work, in_turn
from dpproxy.errors import (
    EngineChanged,
    EngineFailure,
    EngineUnavailable,
    QueryCanceled,
    StatementTimeout,
)
from dpproxy.plan.private_plan import FromPublic, FromRelease, Key, Plan
from dpproxy.plan.samples import COIN, Sample
from dpproxy.plan.space import Space, key_space
from dpproxy.plan.told_columns import OwnColumn, PublicColumn, ReleasedColumn, values_of
from dpproxy.release import release
from dpproxy.rows import Rows, Value

_PROVED = ((True,),)
OwnRows = Mapping[int, Rows]
"""What was read of the tables in `plan.told`: their columns in `plan.tables`, in order."""
NONE: OwnRows = {}
Known = Mapping[int, Rows]
"""Releases of a plan that were paid for before, by their place."""


async def prove_again(resources: Resources, proof: Proof | None, ticket: Ticket) -> None:
    """Raises EngineChanged, uncharged, where what was refuted before still is, or cannot be asked."""
    if proof is None or proof not in resources.refuted:
        return
    try:
        (found,) = await run_watched(resources, in_turn(EngineQuery(proof.sql, lock=proof.lock)), ticket)
    except (EngineFailure, StatementTimeout) as fault:
        raise EngineChanged from fault
    if found.rows != _PROVED:
        raise EngineChanged
    resources.refuted.discard(proof)


def _has_earlier(keys: Sequence[Key]) -> bool:
    return any(isinstance(key.domain, FromRelease) for key in keys)


async def run_releases(
    resources: Resources, work: Work[tuple[Rows, ...]], ticket: Ticket, seconds: float, stopped: bool
) -> tuple[Rows, ...]:
    """The released rows. Whatever goes wrong here may depend on a row, so all of it is told in the one fixed text; but
    for what ran out of its time, which is a mechanism's word."""
    if stopped:
        raise EngineFailure
    try:
        return await run_watched(resources, work, ticket, seconds)
    except TooManyKeys:
        resources.sizes.clear()
        raise
    except (EngineChanged, EngineFailure, EngineUnavailable, QueryCanceled, StatementTimeout):
        raise
    except Exception as fault:
        raise EngineFailure from fault


def releases_in_order(plan: Plan, own: OwnRows, known: Known, proof: Proof | None) -> Work[tuple[Rows, ...]]:
    """The releases one after the other, all in one snapshot: what is proved, public keys, exact totals, noise.

    Claim: what a later query is told of an earlier one is what was released of it; keys that the plan leans on hold;
    releases of one sample read the same units, which nobody could have known before.
    Because: `exact` goes into `release` and nowhere else, and every input is a column of `released`, or of `own`, which
    was there before; `proof` was true in the snapshot of all others; and the coins of each sample come from a secret
    that is drawn here, from the system's entropy, and is told to the engine alone.
    Checked by: tests/test_answer.py::test_later_queries_read_released_rows, tests/test_samples.py.
    """
    public: dict[str, Rows] = {}
    released: list[Rows] = []
    coins: dict[Sample, str] = {}
    only = proof is None and _asks_once(plan, known)
    if proof is not None and (yield EngineQuery(proof.sql, lock=proof.lock)).rows != _PROVED:
        raise EngineChanged
    for index, each in enumerate(plan.releases):
        if index in known:
            released.append(known[index])
            continue
        bounded = each.bounded
        for key in bounded.keys:
            if isinstance(key.domain, FromPublic) and key.domain.sql not in public:
                public[key.domain.sql] = yield _query(key.domain.sql, key.domain.inputs, released, own)
        space = key_space(bounded.keys, public, released)
        _check_size(bounded.keys, space)
        asked = _query(bounded.sql, bounded.inputs, released, own, only)
        if bounded.pair is not None:
            asked = replace(asked, numbers=not bounded.keys)
        exact = yield asked if bounded.sample is None else _with_coins(asked, bounded.sample, coins)
        released.append(release(each, exact, space, released))
    return tuple(released)


def _asks_once(plan: Plan, known: Known) -> bool:
    """Whether one release is run, without public keys to be read before it."""
    run = [each for index, each in enumerate(plan.releases) if index not in known]
    return len(run) == 1 and not any(isinstance(key.domain, FromPublic) for key in run[0].bounded.keys)


def _query(
    sql: str, inputs: Iterable[PublicColumn], released: Sequence[Rows], own: OwnRows, only: bool = False
) -> EngineQuery:
    told = {each.name: values(each, dict(enumerate(released)), own) for each in inputs}
    return EngineQuery(sql, told, only=only)


def _with_coins(query: EngineQuery, sample: Sample, coins: dict[Sample, str]) -> EngineQuery:
    """The query with the secret of its sample: 64 letters, the first block of SHA-256, one for each run."""
    return replace(query, secrets={COIN: coins.setdefault(sample, token_hex(32))})


def values(column: PublicColumn, released: Known, own: OwnRows) -> tuple[Value, ...]:
    """The values of a column that a text of the engine is told."""
    match column:
        case ReleasedColumn(release, index, part):
            return values_of(released[release], part, released[release].column(index))
        case OwnColumn(table, index):
            return own[table].column(index)
        case _:
            assert_never(column)


def _check_size(keys: Sequence[Key], space: Space) -> None:
    """Every public key is a row of the answer. How many there are is public, and so is this refusal.

    Keys of an earlier release are its rows, no more.
    """
    if not _has_earlier(keys):
        check_size(math.prod(len(block.combinations) for block in space))
