"""The keys of a release once the values of the public ones are known.

    PrivateKeys   in no block: key selection chooses their values
    Literals      a block of one key
    FromPublic    a block of all keys with the same `sql`: its rows are their combinations
    FromRelease   one block of all keys: its combinations are the rows of the earlier release, in their order

The answer has a row for each selected private part with each combination of each block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from dpproxy.plan.private_plan import FromPublic, FromRelease, Key, Literals, PrivateKeys
from dpproxy.rows import Rows, Value

KeyValues = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Public keys whose values go together: their places among the keys, and every combination, in order."""

    places: tuple[int, ...]
    combinations: tuple[KeyValues, ...]


Space = tuple[Block, ...]


def key_space(keys: Sequence[Key], public: Mapping[str, Rows], released: Sequence[Rows]) -> Space:
    """The blocks of `keys`, in the order of their first keys.

    public: the rows of each FromPublic's sql. released: those of each earlier release. Raises ValueError where keys of
    an earlier release stand beside others, or are not distinct in it.
    """
    blocks: list[Block] = []
    joint: dict[str, list[tuple[int, FromPublic]]] = {}
    earlier: dict[int, list[tuple[int, FromRelease]]] = {}
    for place, key in enumerate(keys):
        match key.domain:
            case PrivateKeys():
                pass
            case Literals(values):
                blocks.append(Block((place,), tuple((value,) for value in values)))
            case FromPublic(sql) as domain:
                joint.setdefault(sql, []).append((place, domain))
            case FromRelease(release) as domain:
                earlier.setdefault(release, []).append((place, domain))
            case _:
                assert_never(key.domain)
    blocks.extend(_of_public(public[sql], found) for sql, found in joint.items())
    blocks.extend(_of_release(released[release], found, len(keys)) for release, found in earlier.items())
    return tuple(sorted(blocks, key=lambda block: block.places))


def _of_public(rows: Rows, joint: Sequence[tuple[int, FromPublic]]) -> Block:
    """Each combination once: some of the query's columns may be no key. NULL is of all keys of the block at once."""
    combinations = _columns(rows, [domain.column for _, domain in joint])
    nulls = ((None,) * len(joint),) if any(domain.nullable for _, domain in joint) else ()
    return Block(tuple(place for place, _ in joint), tuple(dict.fromkeys((*combinations, *nulls))))


def _of_release(rows: Rows, earlier: Sequence[tuple[int, FromRelease]], width: int) -> Block:
    """The post statement reads both releases side by side, so no row may be lost or added."""
    combinations = _columns(rows, [domain.column for _, domain in earlier])
    if len(earlier) != width or len(set(combinations)) != len(combinations):
        raise ValueError("keys of an earlier release are all its keys, and they alone")
    return Block(tuple(place for place, _ in earlier), combinations)


def _columns(rows: Rows, columns: Sequence[int]) -> tuple[KeyValues, ...]:
    return tuple(tuple(row[column] for column in columns) for row in rows.rows)


def part_of(key: KeyValues, places: Sequence[int]) -> KeyValues:
    """The values at those places."""
    return tuple(key[place] for place in places)
