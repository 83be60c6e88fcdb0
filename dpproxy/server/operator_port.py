"""The operator's port: /metrics, /healthz and /readyz over plain HTTP, for the operator's own network alone.

Written out because so little is asked of it: GET and HEAD of three paths, one request per connection, no body is read.
A request has `_MOST_BYTES` and `_PATIENCE`, and more than `_MOST_AT_ONCE` connections are closed.

Checked by: tests/test_operation.py.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST

from dpproxy.server.health import OK, Health
from dpproxy.server.listening import cannot_listen

_MOST_BYTES: Final = 8192
_MOST_AT_ONCE: Final = 16
_PATIENCE: Final = 5.0  # seconds
_PLAIN: Final = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class _Answer:
    status: HTTPStatus
    body: bytes = b""
    kind: str = _PLAIN


class OperatorPort:
    """A listener on `host` and `port`. asked: told the status of each answer."""

    def __init__(self, page: Callable[[], bytes], health: Health, asked: Callable[[int], None]) -> None:
        self._page, self._health, self._asked = page, health, asked
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, host: str, port: int) -> None:
        """Listen. Raises ConfigFault."""
        try:
            self._server = await asyncio.start_server(self._connected, host, port, limit=_MOST_BYTES)
        except OSError as fault:
            raise cannot_listen(fault, host, port, "metrics_port") from fault

    @property
    def port(self) -> int:
        """The port that it listens on."""
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def stop(self) -> None:
        """Stop listening, and answer nobody any more."""
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._tasks) >= _MOST_AT_ONCE:
            writer.transport.abort()
            return
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
                method, answer = await self._answered(head)
                self._asked(answer.status)
                writer.write(_written(method, answer))
                await writer.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            writer.transport.abort()
        finally:
            writer.close()

    async def _answered(self, head: bytes) -> tuple[str, _Answer]:
        words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/1."):
            return "GET", _Answer(HTTPStatus.BAD_REQUEST)
        method, path = words[0], words[1].partition("?")[0]
        if method not in ("GET", "HEAD"):
            return method, _Answer(HTTPStatus.METHOD_NOT_ALLOWED)
        match path:
            case "/metrics":
                return method, _Answer(HTTPStatus.OK, self._page(), CONTENT_TYPE_LATEST)
            case "/healthz":
                return method, _Answer(HTTPStatus.OK, b"ok\n")
            case "/readyz":
                return method, _ready(await self._health.state())
            case _:
                return method, _Answer(HTTPStatus.NOT_FOUND)


def _ready(state: dict[str, str]) -> _Answer:
    ready = all(each == OK for each in state.values())
    body = json.dumps({"ready": ready, **state}).encode() + b"\n"
    return _Answer(HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE, body, "application/json")


def _written(method: str, answer: _Answer) -> bytes:
    status = answer.status
    lines = (
        f"HTTP/1.1 {status.value} {status.phrase}",
        f"Content-Type: {answer.kind}",
        f"Content-Length: {len(answer.body)}",
        "Cache-Control: no-store",
        "Connection: close",
        *(("Allow: GET, HEAD",) if status is HTTPStatus.METHOD_NOT_ALLOWED else ()),
    )
    head = "\r\n".join((*lines, "", "")).encode("latin-1")
    return head if method == "HEAD" else head + answer.body
