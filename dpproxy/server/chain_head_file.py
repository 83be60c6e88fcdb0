"""The head of the ledger's chain, kept outside of it: in a file and in the log, at the start, now and then, and at the
end. A ledger that is behind it when a proxy starts was restored from an older copy: nothing is served then.

Checked by: tests/test_ledger_chain.py.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from dpproxy.config import Config
from dpproxy.errors import ConfigFault, LedgerUnavailable
from dpproxy.ledger.chain_head import ChainHead, advance, read
from dpproxy.ledger.ledger import Ledger
from dpproxy.server.logs import event

_EVERY: Final = 60.0  # seconds between two looks at the head while statements are charged
_log: Final = logging.getLogger(__name__)
_HINT: Final = (
    "What was charged since is not known to it. Run dpproxy ledger verify, bring back the newest copy, or go on with"
    " this one by dpproxy ledger accept."
)


@asynccontextmanager
async def head_kept(ledger: Ledger, config: Config, every: float = _EVERY) -> AsyncIterator[None]:
    """Keeps the head for as long as the block lasts. A ledger that is ahead of it is as it should be: other proxies
    charge, too, and who was killed wrote nothing.

    Raises ConfigFault where the ledger does not know the head that was kept, or where the file cannot be written.
    """
    await check_head(ledger, config.head)
    first = await _keep(ledger, config, None)
    keeping = asyncio.get_running_loop().create_task(_now_and_then(ledger, config, every, first))
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        with suppress(ConfigFault, LedgerUnavailable):
            await _keep(ledger, config, None)


async def check_head(ledger: Ledger, path: Path) -> None:
    """Raises ConfigFault where the ledger does not know the head that is kept in the file, if there is one."""
    kept = read(path)
    wrong = None if kept is None else await ledger.lost(kept)
    if wrong is not None:
        raise ConfigFault("the ledger was restored from an older copy", detail=f"{path}: {wrong}", hint=_HINT)


async def _now_and_then(ledger: Ledger, config: Config, every: float, last: ChainHead) -> None:
    while True:
        await asyncio.sleep(every)
        try:
            last = await _keep(ledger, config, last)
        except (ConfigFault, LedgerUnavailable) as fault:
            _log.warning("the ledger's head was not kept: %s", fault)


async def _keep(ledger: Ledger, config: Config, last: ChainHead | None) -> ChainHead:
    """The head now, which is written down if it is not the last one."""
    head = await ledger.head()
    if head != last:
        event(_log, logging.INFO, "ledger head", ledger=head.ledger, number=head.number, hash=head.hash.hex())
        _write(config, head, logging.WARNING if last is None else logging.DEBUG)
    return head


def _write(config: Config, head: ChainHead, level: int) -> None:
    """Where the file was not named by the owner, its directory may be one that cannot be written."""
    try:
        advance(config.head, head)
    except OSError as fault:
        if config.ledger.head is not None:
            wrong = f"{config.head}: {type(fault).__name__}"
            raise ConfigFault("the ledger's head cannot be kept", detail=wrong) from fault
        _log.log(level, "the ledger's head is kept in the log alone: name a file in [ledger] head")
