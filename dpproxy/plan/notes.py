"""Notes on what is bounded: which of them are shown where."""

from __future__ import annotations


class Shown(str):
    """A note that EXPLAIN shows without VERBOSE, too: on what decides what the answer means."""

    __slots__ = ()


class Beside(Shown):
    """A note that is told beside the answer, too: on a condition that no row meets if the policy is right, or on what
    counts as absent."""

    __slots__ = ()


class Unmet(Beside):
    """One on a condition that no row meets if the policy is right."""

    __slots__ = ()
