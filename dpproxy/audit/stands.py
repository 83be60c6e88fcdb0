"""A proxy of its own before each database of an audit: the real one, `dpproxy serve`, in a process of its own.

Its policy is the owner's, but for where it listens, what it stands before, and one analyst's account, which is made
large enough to ask for ever. No release is stored: each answer has new noise. No statement times out: time is no part
of what is audited, and a busy machine is no neighbour.
"""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import asyncpg
import tomlkit

from dpproxy.accounting.account import default_delta
from dpproxy.accounting.loss import Loss
from dpproxy.config import Config, load
from dpproxy.errors import DPProxyError
from dpproxy.front.embedded import running
from dpproxy.front.process import dying_with_parent
from dpproxy.ledger import Ledger
from dpproxy.ledger.model import AccountRef

DPPROXY: Sequence[str] = (sys.executable, "-m", "dpproxy.cli")
"""How a proxy is started; words of `serve` follow."""

_DATABASE = "audit"
_START_SECONDS, _STOP_SECONDS = 180.0, 30.0
_EPSILON, _DELTA = "1e12", "0.9"
_GRANTED = Loss(Decimal(10**12), Decimal(10**12))


class StandUnavailable(DPProxyError, sqlstate="08006"):
    """A proxy of the audit did not start."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is asked with. delta: what the analyst's own account would spend on private keys, unless told otherwise."""

    analyst: str
    epsilon: Decimal
    delta: Decimal

    def options(self) -> dict[str, str]:
        """As a session's settings."""
        return {"dp.epsilon": f"{self.epsilon:f}", "dp.delta": f"{self.delta:f}", "dp.fresh": "on"}


def settings(config: Config, analyst: str, epsilon: Decimal | None, delta: Decimal | None) -> Settings:
    """Those of `analyst`, where they are not given."""
    chosen = config.analysts[analyst].statement_epsilon if epsilon is None else epsilon
    return Settings(analyst, chosen, default_delta(config.terms(analyst), chosen) if delta is None else delta)


@dataclass(frozen=True, slots=True)
class Stand:
    """A proxy that listens on `port`, and the ledger in its front."""

    port: int
    ledger: Ledger
    settings: Settings

    async def connect(self) -> asyncpg.Connection[Any]:
        """A session of the analyst."""
        return await asyncpg.connect(
            host="127.0.0.1",
            port=self.port,
            user=self.settings.analyst,
            database=_DATABASE,
            ssl=False,
            timeout=_START_SECONDS,
            server_settings=self.settings.options(),
        )

    async def last_charge(self) -> int:
        """The number of the analyst's last charge."""
        latest = await self.ledger.statements(self.settings.analyst, 1)
        return latest[0].number if latest else 0

    async def charges(self, after: int, expected: int) -> dict[tuple[str, Loss], int]:
        """What was charged since that number: for which statement, how much, and how often. About so many are expected;
        more than twice as many are not told."""
        latest = await self.ledger.statements(self.settings.analyst, 2 * expected + 1)
        return dict(Counter((each.statement, each.cost) for each in latest if each.number > after))

    async def clear(self) -> None:
        """Let the analyst go on after an engine failure, as `dpproxy analyst clear` does."""
        await self.ledger.clear(self.settings.analyst)


@asynccontextmanager
async def stands(
    policy: Path,
    urls: Mapping[str, str],
    directory: Path,
    asked: Settings,
    command: Sequence[str] = DPPROXY,
) -> AsyncIterator[dict[str, Stand]]:
    """A proxy before each database, started together, until the block ends.

    Raises StandUnavailable with the end of its log where one does not start.
    """
    async with AsyncExitStack() as held:
        written = {place: _written(policy, url, directory / place, asked) for place, url in urls.items()}
        processes = {place: await _started(path, command, held) for place, path in written.items()}
        ports = await asyncio.gather(*(_port(each, written[place]) for place, each in processes.items()))
        ledgers = [await _ledger(path, asked, held) for path in written.values()]
        yield {place: Stand(port, ledger, asked) for place, port, ledger in zip(written, ports, ledgers, strict=True)}


async def _ledger(policy: Path, asked: Settings, held: AsyncExitStack) -> Ledger:
    """The ledger of a stand, in which its analyst may ask for ever: no account's δ is 1 or more, but grants may be."""
    address = await held.enter_async_context(running(policy.parent / "front", _DATABASE))
    ledger = await Ledger.open(address.conninfo(), load(policy, os.environ).accounting, connections=1)
    held.push_async_callback(ledger.close)
    account = AccountRef(asked.analyst)
    await ledger.grant(account, await ledger.standing(account), Decimal(0), Decimal(0), _GRANTED)
    return ledger


async def _started(policy: Path, command: Sequence[str], held: AsyncExitStack) -> Process:
    with policy.with_suffix(".log").open("wb") as errors:
        words = (*dying_with_parent(), *command, "serve", "--config", str(policy))
        process = await asyncio.create_subprocess_exec(*words, stdout=PIPE, stderr=errors)
    held.push_async_callback(_stopped, process)
    return process


async def _port(process: Process, policy: Path) -> int:
    assert process.stdout is not None
    line = b""
    with suppress(TimeoutError):
        line = await asyncio.wait_for(process.stdout.readline(), _START_SECONDS)
    if not line.startswith(b"listening on "):
        log = policy.with_suffix(".log").read_text(errors="replace")
        raise StandUnavailable("a proxy of the audit did not start", detail=log[-2000:])
    return int(line.rsplit(b":", 1)[1])


async def _stopped(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _STOP_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()


def _written(policy: Path, url: str, directory: Path, asked: Settings) -> Path:
    """The owner's policy as the stand serves it."""
    directory.mkdir()
    document: Any = tomlkit.parse(policy.read_text(encoding="utf-8"))
    for section in ("ledger", "budgets"):
        document.pop(section, None)
    document["server"] = {"host": "127.0.0.1", "port": 0, "database": _DATABASE, "drain_timeout": "1s"}
    document["front"] = {"url": f"embedded:{directory}/front"}
    document["engine"] = {"url": url, "max_concurrency": 4, "statement_timeout": "1h"}
    document["privacy"] = {**document.get("privacy", {}), "stored_bytes": 0}
    document["analysts"] = {asked.analyst: _account(document["analysts"][asked.analyst])}
    path = directory / "policy.toml"
    path.write_text(tomlkit.dumps(document), encoding="utf-8")
    return path


def _account(analyst: Mapping[str, Any]) -> dict[str, Any]:
    chosen = {"tables": analyst["tables"]} if "tables" in analyst else {}
    amounts = tomlkit.parse(f"epsilon = {_EPSILON}\ndelta = {_DELTA}\n")
    return {"trust": True, **amounts, **chosen}
