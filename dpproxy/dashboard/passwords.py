"""Passwords that are typed into the page, and how often somebody may try.

Checked by: tests/test_dashboard.py.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Final

from dpproxy.config.sections import AnalystSection
from dpproxy.server.handshake import verifier_of
from dpproxy.server.scram import Verifier, parse_verifier, proves

MOST_TRIES: Final = 10
WINDOW: Final = 60.0  # seconds
_MOST_ADDRESSES: Final = 10_000
_AT_ONCE: Final = 2


class Tries:
    """At most `MOST_TRIES` that fail in `WINDOW` seconds from one address: who guesses is in his own way alone.

    An address is one of IPv4, or a network of 64 bits of IPv6, which is what one customer has.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._failed: OrderedDict[str, deque[float]] = OrderedDict()

    def wait(self, address: str) -> float:
        """Seconds until another try is taken from this address; 0 where it is taken now, and counted."""
        now, failed = self._clock(), self._of(address)
        while failed and now - failed[0] >= WINDOW:
            failed.popleft()
        if len(failed) >= MOST_TRIES:
            return WINDOW - (now - failed[0])
        failed.append(now)  # before the outcome is known: tries at the same time count, too
        return 0.0

    def succeeded(self, address: str) -> None:
        """The try that was taken last was none."""
        if failed := self._of(address):
            failed.pop()

    def _of(self, address: str) -> deque[float]:
        key = _network(address)
        failed = self._failed.setdefault(key, deque())
        self._failed.move_to_end(key)
        while len(self._failed) > _MOST_ADDRESSES:
            self._failed.popitem(last=False)
        return failed


def _network(address: str) -> str:
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv4Address) or known.ipv4_mapped is not None:
        return str(known)
    return str(ipaddress.ip_network((known, 64), strict=False))


class Passwords:
    """Checks them in a thread, few at once: each costs milliseconds, and sessions are served meanwhile."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def of_analyst(self, name: str, password: str, analysts: Mapping[str, AnalystSection]) -> bool:
        """Whether it is the analyst's password.

        Claim: what is told, and how long it takes, is the same for a name that the policy does not have as for a wrong
        password. Because: such a name has a verifier that nothing fits, with iterations that others have
        (`scram.mock_verifier`), and so has one that needs no password. Checked by:
        tests/test_dashboard.py::test_a_name_that_does_not_exist_is_refused_alike.
        """
        return await self._proves(password, verifier_of(name, analysts))

    async def of_owner(self, password: str, verifier: str) -> bool:
        """Whether it is the owner's."""
        return await self._proves(password, parse_verifier(verifier))

    async def _proves(self, password: str, verifier: Verifier) -> bool:
        async with self._places:
            return await asyncio.to_thread(proves, password, verifier)
