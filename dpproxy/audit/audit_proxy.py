"""The proxy of an audit, in a process of its own: the real one, but that it stands before several databases.

A stand is the way to one of them: an analyst of that proxy, whose statements the engine of that database runs (see
`engine_per_analyst`, which says why it is one proxy and not several). The policy is the owner's, its time limit and its
`constant_time` too, but for where the proxy listens, what it stands before, and the analysts' accounts, which are made
large enough to ask for ever. No release is stored: each answer has new noise.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import asyncpg
import tomlkit

from dpproxy.accounting.account import default_delta
from dpproxy.accounting.loss import Loss
from dpproxy.audit.engine_per_analyst import PLACES
from dpproxy.config import Config, load
from dpproxy.engines.scratch import ScratchDatabase
from dpproxy.errors import DPProxyError
from dpproxy.front.embedded_front import running
from dpproxy.front.server_process import dying_with_parent
from dpproxy.ledger import Ledger
from dpproxy.ledger.records import AccountRef

DPPROXY: Sequence[str] = (sys.executable, "-m", "dpproxy.audit.engine_per_analyst")
"""How the proxy is started; words of `serve` follow."""

_DATABASE = "audit"
_START_SECONDS, _STOP_SECONDS = 180.0, 30.0
_EPSILON, _DELTA = "1e12", "0.9"
_RENEWED_AT = Decimal("0.1")
# Where a proxy listens and who may be there, which is no part of what it tells.
_OF_THE_MACHINE = (
    *("tls_cert", "tls_key", "require_tls", "max_connections", "idle_timeout", "startup_timeout", "drain_delay"),
    *("metrics_host", "metrics_port", "limits"),
)


class AuditProxyUnavailable(DPProxyError, sqlstate="08006"):
    """The proxy of the audit did not start."""


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """What is asked with. delta: what the analyst's own account would spend on private keys, unless told otherwise.

    others: other settings of the session, by name."""

    analyst: str
    epsilon: Decimal
    delta: Decimal
    others: tuple[tuple[str, str], ...] = ()

    def options(self) -> dict[str, str]:
        """As a session's settings."""
        others = {f"dp.{name}": value for name, value in self.others}
        return {**others, "dp.epsilon": f"{self.epsilon:f}", "dp.delta": f"{self.delta:f}", "dp.fresh": "on"}


def settings(config: Config, analyst: str, epsilon: Decimal | None, delta: Decimal | None) -> AuditSettings:
    """Those of `analyst`, where they are not given."""
    chosen = config.analysts[analyst].statement_epsilon if epsilon is None else epsilon
    return AuditSettings(analyst, chosen, default_delta(config.terms(analyst), chosen) if delta is None else delta)


@dataclass(frozen=True, slots=True)
class AuditedDatabase:
    """The proxy that listens on `port`, the ledger in its front, and the analyst who asks of one database."""

    port: int
    ledger: Ledger
    settings: AuditSettings

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

    def lasts(self, statements: int) -> int:
        """For how many answers of so many statements an account lasts: its δ is below 1, whatever was granted."""
        cost = self.settings.delta * statements
        return max(1, int(min(_RENEWED_AT / cost, Decimal(10**6)))) if cost else 10**6

    async def renew(self) -> None:
        """Begin a new account, as `dpproxy budget reset` does."""
        await self.ledger.reset(AccountRef(self.settings.analyst))

    async def clear(self) -> None:
        """Let the analyst go on after an engine failure, as `dpproxy analyst clear` does."""
        await self.ledger.clear(self.settings.analyst)


@asynccontextmanager
async def audited_databases(
    policy: Path,
    made: Mapping[str, ScratchDatabase],
    directory: Path,
    asked: AuditSettings,
    command: Sequence[str] = DPPROXY,
) -> AsyncIterator[dict[str, AuditedDatabase]]:
    """A way to each database, through one proxy, until the block ends.

    Raises AuditProxyUnavailable with the end of its log where it does not start.
    """
    analysts = {place: f"audited_{number}" for number, place in enumerate(made, 1)}
    async with AsyncExitStack() as held:
        written = [
            _written(policy, each, directory / place, asked, tuple(analysts.values())) for place, each in made.items()
        ]
        others = dict(zip([*analysts.values()][1:], map(str, written[1:]), strict=True))
        written[0].with_name(PLACES).write_text(json.dumps(others))
        process = await _started(written[0], command, held)
        port = await _port(process, written[0])
        ledger = await _ledger(written[0], held)
        yield {place: AuditedDatabase(port, ledger, replace(asked, analyst=name)) for place, name in analysts.items()}


async def _ledger(policy: Path, held: AsyncExitStack) -> Ledger:
    """The proxy's ledger."""
    address = await held.enter_async_context(running(policy.parent / "front", _DATABASE))
    ledger = await Ledger.open(address.conninfo(), load(policy, os.environ).accounting, connections=1)
    held.push_async_callback(ledger.close)
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
        raise AuditProxyUnavailable("the proxy of the audit did not start", detail=log[-2000:])
    return int(line.rsplit(b":", 1)[1])


async def _stopped(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _STOP_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()


def _written(
    policy: Path, made: ScratchDatabase, directory: Path, asked: AuditSettings, analysts: Sequence[str]
) -> Path:
    """The owner's policy as the proxy serves it before one database."""
    directory.mkdir()
    document: Any = tomlkit.parse(policy.read_text(encoding="utf-8"))
    for section in ("ledger", "budgets"):
        document.pop(section, None)
    server = {key: value for key, value in document.get("server", {}).items() if key not in _OF_THE_MACHINE}
    listening = {"host": "127.0.0.1", "port": 0, "database": _DATABASE, "drain_timeout": "1s"}
    document["server"] = {**server, **listening}
    document["front"] = {"url": f"embedded:{directory}/front"}
    document["engine"] = {**document["engine"], "url": made.url}
    for name, table in document.get("tables", {}).items():
        for key in ("source", "snapshot"):
            table.pop(key, None)  # its rows are made, as all others are
        if name in made.sources:
            table["source"] = made.sources[name]
    document["privacy"] = {**document.get("privacy", {}), "stored_bytes": 0}
    account = _account(document["analysts"][asked.analyst])
    document["analysts"] = dict.fromkeys(analysts, account)
    path = directory / "policy.toml"
    path.write_text(tomlkit.dumps(document), encoding="utf-8")
    return path


def _account(analyst: Mapping[str, Any]) -> dict[str, Any]:
    chosen = {"tables": analyst["tables"]} if "tables" in analyst else {}
    amounts = tomlkit.parse(f"epsilon = {_EPSILON}\ndelta = {_DELTA}\n")
    return {"trust": True, **amounts, **chosen}
