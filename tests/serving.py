"""A proxy over the small world, in a thread of its own, on a free port."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from worlds import make_world

from dpproxy.config import load
from dpproxy.server.proxy import Proxy


@dataclass
class Running:
    """A proxy that serves. `conninfo` is libpq's, for an analyst."""

    proxy: Proxy
    directory: Path

    @property
    def port(self) -> int:
        return self.proxy.port

    def conninfo(self, user: str = "alice", **others: object) -> str:
        words = {"host": "127.0.0.1", "port": self.port, "user": user, "dbname": "demo", "sslmode": "disable", **others}
        return " ".join(f"{name}={value}" for name, value in words.items())


@contextmanager
def running(directory: Path, edit: Callable[[str], str] = lambda text: text) -> Iterator[Running]:
    """A proxy over a world in `directory`, with its policy edited."""
    policy = make_world(directory)
    policy.write_text(edit(policy.read_text()))
    started: list[Running | BaseException] = []
    ready, over = threading.Event(), threading.Event()

    async def serve() -> None:
        try:
            async with Proxy(load(policy, {})) as proxy:
                started.append(Running(proxy, directory))
                ready.set()
                while not over.is_set():
                    await asyncio.sleep(0.05)
        except BaseException as fault:
            started.append(fault)
            raise
        finally:
            ready.set()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    try:
        assert ready.wait(60)
        first = started[0]
        if isinstance(first, BaseException):
            raise first
        yield first
    finally:
        over.set()
        thread.join(30)
        assert not thread.is_alive(), "the proxy does not stop"
