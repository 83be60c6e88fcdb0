"""The mechanisms of a release by what they are, as tests ask for them and change them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.selection import Selection
from dpproxy.plan.private_plan import Applied, Release


def applied(noises: Sequence[Noise], selection: Selection | None = None) -> tuple[Applied, ...]:
    """Key selection, and noise for each measure in order."""
    first = () if selection is None else (Applied(selection, None),)
    return (*first, *(Applied(noise, index) for index, noise in enumerate(noises)))


def noises_of(release: Release) -> tuple[Noise, ...]:
    """In the order of their measures."""
    return tuple(each.mechanism for each in release.mechanisms if isinstance(each.mechanism, Noise))


def selection_of(release: Release) -> Selection | None:
    """The one that tells private keys."""
    found = release.applied_to(None)
    assert found is None or isinstance(found, Selection)
    return found


def with_noises(release: Release, noises: Sequence[Noise]) -> Release:
    """The same with other noise."""
    return replace(release, mechanisms=applied(noises, selection_of(release)))


def with_selection(release: Release, selection: Selection | None) -> Release:
    """The same with another selection."""
    first = () if selection is None else (Applied(selection, None),)
    return replace(release, mechanisms=(*first, *(each for each in release.mechanisms if each.measure is not None)))
