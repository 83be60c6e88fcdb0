"""Who has signed in to the page: a secret of 256 bits in a cookie, and here who it is.

Kept in memory alone: a restart signs everybody out.

Checked by: tests/test_dashboard.py.
"""

from __future__ import annotations

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from time import monotonic
from typing import Final

IDLE: Final = 30 * 60.0  # seconds
_LONGEST: Final = 12 * 3600.0
_MOST: Final = 1000


@dataclass(frozen=True, slots=True)
class Owner:
    """Whoever knows the owner's password."""


@dataclass(frozen=True, slots=True)
class Analyst:
    """An analyst of the policy. way_in: how they signed in, which may not be theirs any more after a reload."""

    name: str
    way_in: tuple[bool, str | None]


@dataclass(slots=True)
class Visitor:
    """Somebody who has signed in. form_token: what each form of theirs sends along."""

    who: Owner | Analyst
    since: float
    seen: float
    form_token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def sent(self, token: str) -> bool:
        """Whether a form with this token was one of theirs."""
        return hmac.compare_digest(token.encode(), self.form_token.encode())


class Visitors:
    """All of them. Of too many, the one that was not heard from for the longest goes. clock: seconds that only grow."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._there: OrderedDict[bytes, Visitor] = OrderedDict()

    def enter(self, who: Owner | Analyst) -> str:
        """They have signed in; the secret that is theirs from now on."""
        secret, now = secrets.token_urlsafe(32), self._clock()
        self._there[_kept(secret)] = Visitor(who, now, now)
        while len(self._there) > _MOST:
            self._there.popitem(last=False)
        return secret

    def of(self, secret: str) -> Visitor | None:
        """Whose secret it is, if they were heard from lately."""
        key, now = _kept(secret), self._clock()
        visitor = self._there.get(key)
        if visitor is None:
            return None
        if now - visitor.seen > IDLE or now - visitor.since > _LONGEST:
            del self._there[key]
            return None
        visitor.seen = now
        self._there.move_to_end(key)
        return visitor

    def leave(self, secret: str) -> None:
        """They have signed out. May be repeated."""
        self._there.pop(_kept(secret), None)


def _kept(secret: str) -> bytes:
    """Secrets are looked up by their digest, so that how long it takes tells nothing of those that are there."""
    return sha256(secret.encode()).digest()
