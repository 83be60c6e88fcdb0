"""Public keys that have too many combinations for an answer: those of the largest are chosen as private keys are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import assert_never

from dpproxy.plan.notes import Beside
from dpproxy.plan.private_plan import MOST_PUBLIC_KEYS, Domain, FromPublic, FromRelease, Literals, PrivateKeys

Block = tuple[int, ...]
"""The places of keys whose values go together."""


def held_private(domains: Sequence[Domain], sizes: Mapping[str, int]) -> list[Domain]:
    """The same domains; as many of the largest private as it takes until the others have few enough combinations.

    sizes: how many keys the texts of public tables give, as far as that was asked.
    Claim: which keys are held private is a function of the policy, of the statement's text, and of public tables.
    Because: listed values are of the first two, and `sizes` were counted by texts that read public tables alone
    (`answering.public_keys`). A key that is private, whatever it could be, is told by partition selection alone.
    Checked by: tests/test_held_keys.py.
    """
    found = {block: size for block in _blocks(domains) if (size := _size(domains[block[0]], sizes)) is not None}
    held: set[int] = set()
    while math.prod(found.values()) > MOST_PUBLIC_KEYS:
        largest = max(found, key=lambda block: found[block])
        del found[largest]
        held.update(largest)
    return [PrivateKeys() if place in held else domain for place, domain in enumerate(domains)]


def _blocks(domains: Sequence[Domain]) -> list[Block]:
    """Those of one text are joint; each other key is one by itself."""
    blocks: dict[str | int, list[int]] = {}
    for place, domain in enumerate(domains):
        blocks.setdefault(domain.sql if isinstance(domain, FromPublic) else place, []).append(place)
    return list(map(tuple, blocks.values()))


def _size(domain: Domain, sizes: Mapping[str, int]) -> int | None:
    """None where the values are not there beforehand, or nobody asked how many they are."""
    match domain:
        case Literals(values):
            return len(values)
        case FromPublic(sql, nullable=nullable):
            return sizes[sql] + nullable if sql in sizes else None
        case PrivateKeys() | FromRelease():
            return None
        case _:
            assert_never(domain)


def held_notes(labels: Sequence[str], unit: str | None) -> tuple[Beside, ...]:
    """What is told of keys that are held private: none of them is in an answer only because a table has it."""
    if not labels:
        return ()
    told = f"{', '.join(labels)}: there are more than {MOST_PUBLIC_KEYS} public keys, so of these values"
    return (Beside(f"{told} only those are told that enough {unit}s have, and none as 0"),)
