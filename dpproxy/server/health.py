"""Whether the proxy can answer now: each part that it stands on, looked at when somebody asks.

Checked by: tests/test_operation.py.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from dpproxy.server.logs import event, told

Check = Callable[[], Awaitable[object]]
PATIENCE: Final = 2.0  # seconds that one look may take
FRESH: Final = 1.0  # seconds that a look is believed
_log: Final = logging.getLogger(__name__)
OK: Final = "ok"
DRAINING: Final = "draining"


@dataclass(slots=True)
class Health:
    """The parts, each with a way to look at it, which raises where it cannot be reached.

    However many ask at once, each part is looked at once a second at most. draining: no new sessions are wanted.
    """

    parts: Mapping[str, Check]
    draining: bool = False
    latest: dict[str, str] = field(default_factory=dict)
    _at: float = float("-inf")
    _looking: asyncio.Task[None] | None = None

    async def state(self) -> dict[str, str]:
        """What is said of each part: "ok", or what is wrong in fixed words; and whether the proxy is draining."""
        now = asyncio.get_running_loop().time()
        if self._looking is None and now - self._at > FRESH:
            self._looking = asyncio.get_running_loop().create_task(self._look())
        if self._looking is not None:
            await asyncio.shield(self._looking)
        return {**self.latest, "proxy": DRAINING if self.draining else OK}

    async def close(self) -> None:
        """Stop looking."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def _look(self) -> None:
        try:
            found = await asyncio.gather(*(self._seen(name, check) for name, check in self.parts.items()))
            self.latest = dict(zip(self.parts, found, strict=True))
        finally:
            self._at, self._looking = asyncio.get_running_loop().time(), None

    async def _seen(self, name: str, check: Check) -> str:
        try:
            async with asyncio.timeout(PATIENCE):
                await check()
        except TimeoutError:
            said = "no answer in time"
        except Exception as fault:  # noqa: BLE001 (whatever is wrong with a part, it is not ready)
            said = told(fault)
        else:
            said = OK
        if said != self.latest.get(name, OK):
            level, what = (logging.INFO, "ready again") if said == OK else (logging.WARNING, "not ready")
            event(_log, level, what, part=name, state=said)
        return said
