"""A proxy of its own before each database of an audit: the real one, `dpproxy serve`, in a process of its own.

Its policy is the owner's, but for where it listens, what it stands before, and one analyst's account, which is made
large enough to ask for ever. No release is stored: each answer has new noise.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import asyncpg
import psycopg
import tomlkit

from dpproxy.accounting.account import default_delta
from dpproxy.accounting.loss import Loss
from dpproxy.config.model import Config
from dpproxy.errors import DPProxyError
from dpproxy.front.embedded import running

DPPROXY: Sequence[str] = (sys.executable, "-m", "dpproxy.cli")
"""How a proxy is started; words of `serve` follow."""

_DATABASE = "audit"
_START_SECONDS, _STOP_SECONDS = 180.0, 30.0
# What an account holds: more than any audit asks for. Half of the δ is for key selection under zCDP.
_EPSILON, _DELTA = "1e12", "0.9"


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
    """A proxy that listens on `port`; its front is in `directory`."""

    port: int
    directory: Path
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
            command_timeout=_START_SECONDS,
            server_settings=self.settings.options(),
        )

    async def last_charge(self) -> int:
        """The number of the ledger's last charge."""
        ((number,),) = await self._read("SELECT coalesce(max(id), 0) FROM dp.charges", ())
        return int(number)

    async def charges(self, after: int) -> list[tuple[Loss, int]]:
        """What was charged after that number: each different loss of each statement, and how often."""
        text = "SELECT main, delta, count(*) FROM dp.charges WHERE id > %s GROUP BY statement, main, delta"
        return [(Loss(main, delta), number) for main, delta, number in await self._read(text, (after,))]

    async def clear(self) -> None:
        """Let the analyst go on after an engine failure, as `dpproxy analyst clear` does."""
        await self._read(
            "UPDATE dp.alarms SET cleared_at = clock_timestamp() WHERE cleared_at IS NULL AND id > %s RETURNING id",
            (0,),
        )

    async def _read(self, text: str, values: tuple[int, ...]) -> list[tuple[Any, ...]]:
        async with (
            running(self.directory, _DATABASE) as address,
            await psycopg.AsyncConnection.connect(address.conninfo(), autocommit=True) as connection,
        ):
            return await (await connection.execute(text.encode(), values)).fetchall()


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
        yield {
            place: Stand(port, path.parent / "front", asked)
            for (place, path), port in zip(written.items(), ports, strict=True)
        }


async def _started(policy: Path, command: Sequence[str], held: AsyncExitStack) -> Process:
    with policy.with_suffix(".log").open("wb") as errors:
        words = (*command, "serve", "--config", str(policy))
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
    document["engine"] = {"url": url, "max_concurrency": 4}
    document["privacy"] = {**document.get("privacy", {}), "stored_bytes": 0}
    document["analysts"] = {asked.analyst: _account(document["analysts"][asked.analyst])}
    path = directory / "policy.toml"
    path.write_text(tomlkit.dumps(document), encoding="utf-8")
    return path


def _account(analyst: Mapping[str, Any]) -> dict[str, Any]:
    chosen = {"tables": analyst["tables"]} if "tables" in analyst else {}
    amounts = tomlkit.parse(f"epsilon = {_EPSILON}\ndelta = {_DELTA}\n")
    return {"trust": True, **amounts, **chosen}
