"""Budget: a served proxy that dies, loses its client or is cancelled at each await from the private Bind on.

`struck_proxy.py` is the served process, whole, before an embedded front; the client is a real one. Afterwards the books
are compared with what it was told. At some awaits: a start of a proxy each. The
nightly lane kills at all of them.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from clusters import with_front
from lanes import sized
from proxies import PATIENCE_SECONDS, ServedProxy, books, nothing_left, write_policy

from dpproxy.config import Config

pytestmark = pytest.mark.long

ASKED = "SELECT count(*) /* {} at {} */ FROM people WHERE age > $1 AND income < {}"
STRIDE = sized(8, 8, 1)
MOST_AWAITS = 60


def start(config: Config) -> ServedProxy:
    """The struck proxy; returns when it listens."""
    tests = Path(__file__).parents[1]
    path = os.pathsep.join([str(tests), str(tests.parent), os.environ.get("PYTHONPATH", "")])
    with_front(config)
    log = config.path.with_suffix(".log")
    with log.open("a") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "attacks.struck_proxy", "serve", "--config", str(config.path)],
            stdout=subprocess.PIPE, stderr=errors, text=True, env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("listening on "), log.read_text()[-4000:]
    return ServedProxy(config, log, process, int(line.rsplit(":", 1)[1]))


@dataclass
class Client:
    """What was asked, and what came back, by the statement's text."""

    asked: list[str] = field(default_factory=list)
    told: dict[str, object] = field(default_factory=dict)

    def ask(self, proxy: ServedProxy, sql: str) -> bool:
        """Whether there was an answer."""
        self.asked.append(sql)
        try:
            with psycopg.connect(proxy.dsn("alice"), autocommit=True, connect_timeout=30) as connection:
                [(answer,)] = psycopg.RawCursor(connection).execute(sql.encode(), [17]).fetchall()
        except psycopg.OperationalError as fault:  # the connection has ended, or 57014
            assert fault.sqlstate in (None, "57014", "57P01"), fault
            return False
        self.told[sql] = answer
        return True


@contextmanager
def house(directory: Path) -> Iterator[Config]:
    changes = {
        "stored_bytes = 0": "stored_bytes = 1000000",
        "[analysts.alice.defaults]\nepsilon = 1.0": "[analysts.alice.defaults]\nepsilon = 0.001",
    }
    config = write_policy(directory, changes)
    with nothing_left(config):
        yield config


async def check(config: Config, client: Client) -> Counter[str]:
    """No answer without its charge, none charged twice, and the account is the sum."""
    found = await books(config)
    charges = Counter(row["statement"] for row in found.charges)
    assert set(charges.values()) <= {1}, "charged twice for one execution"
    assert charges.keys() <= set(client.asked)
    assert found.spent.get(("analyst", "alice"), 0) == sum(row["main"] for row in found.charges)
    return charges


def again(asked: list[str]) -> list[str]:
    """The same questions, which nothing strikes: each text is another, and what is asked is not."""
    return [sql.replace(" at ", " again ") for sql in asked]


async def check_again(config: Config, client: Client, proxy: ServedProxy, struck: list[str]) -> None:
    """Who asks again is told what was paid for, or pays: what was struck before its charge was never answered."""
    charges = await check(config, client)
    for sql, repeated in zip(struck, again(struck), strict=True):
        assert sql not in client.told or sql in charges, "an answer without its charge"
        assert client.ask(proxy, repeated)
    charges = await check(config, client)
    for sql, repeated in zip(struck, again(struck), strict=True):
        free = repeated not in charges
        assert not free or sql in charges
        assert not free or sql not in client.told or client.told[sql] == client.told[repeated]


async def test_killed_at_an_await(tmp_path: Path) -> None:
    with house(tmp_path) as config:
        client, struck, proxy = Client(), list[str](), start(config)
        try:
            for at in range(2, MOST_AWAITS, STRIDE):
                struck.append(ASKED.format("kill", at, 1_000_000 + at))
                answered = client.ask(proxy, struck[-1])
                if answered and proxy.process.poll() is None:
                    break
                proxy.process.wait(PATIENCE_SECONDS)
                proxy = start(config)
                await check(config, client)
            assert len(struck) > 2
            if not client.ask(proxy, "SELECT count(*) FROM people WHERE age > $1"):  # the last one struck after all
                proxy.process.wait(PATIENCE_SECONDS)
                proxy = start(config)
            await check_again(config, client, proxy, struck)
            assert proxy.stop() == 0, proxy.log.read_text()[-4000:]
        finally:
            proxy.kill()


async def test_cancelled_at_every_await(tmp_path: Path) -> None:
    """By the client's going, or by its request: at all of them, in one process, which goes on. Nobody is kept waiting
    for what was left behind."""
    with house(tmp_path) as config:
        client, struck, proxy = Client(), list[str](), start(config)
        try:
            for number, (at, strike) in enumerate(itertools.product(range(1, 24), ("gone", "cancel"))):
                struck.append(ASKED.format(strike, at, 1_000_000 + number))
                client.ask(proxy, struck[-1])
            answered = [sql for sql in struck if sql in client.told]
            assert 1 <= len(answered) < len(struck), "some come too late, and some do not"
            await check_again(config, client, proxy, struck)
            assert proxy.stop() == 0, proxy.log.read_text()[-4000:]
            assert "Traceback" not in proxy.log.read_text()
        finally:
            proxy.kill()
