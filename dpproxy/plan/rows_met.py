"""Rows of one side that others' rows meet, where rows belong to two units each."""

from __future__ import annotations

from dataclasses import dataclass

WHERE_GIVEN = {"identity": "where it is given"}
"""Of fields that came later: where one is None, the release is the one that it was (`release_identity`)."""


@dataclass(frozen=True, slots=True)
class RowsMet:
    """Of rows that belong to two units each: the rows of one side are counted that rows of the other meet.

    side: which of both units has them, 0 or 1. least: by how many rows of others one is met at least.
    """

    side: int
    least: int = 1
