"""Messages of the COPY sub-protocol that go both ways."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CopyData:
    """A piece of a COPY stream; pieces need not be rows."""

    data: bytes


@dataclass(frozen=True, slots=True)
class CopyDone:
    """The COPY stream is complete."""
