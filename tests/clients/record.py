"""Records what a client says to a Postgres: a relay between them that writes one JSON object a line.

    python -m tests.clients.record HOST:PORT FILE.jsonl

It prints the port that the client is to connect to, and ends at Ctrl-C. The lines are those that `replay.recording`
reads. Encryption is declined, so that statements can be read; the server has to trust the client. What was written
before is left out unless it is about a transaction or a cursor. A client tells what it is doing by `SELECT 'mark:
WORDS'`, which is passed on and not written.

Record nothing but a schema made up for the purpose: texts and parameters are written as they are.
"""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpproxy.wire import (
    FRONTEND_LIMITS,
    Bind,
    CancelRequest,
    Close,
    Execute,
    Flush,
    FrameReader,
    FrontendMessage,
    GSSENCRequest,
    Parse,
    Query,
    SSLRequest,
    StartupMessage,
    Sync,
    decode_frontend,
    decode_startup,
)

_MARK = re.compile(r"\s*select 'mark: (.*)'\s*;?\s*", re.I)
_ALWAYS = re.compile(r"\s*(begin|start|commit|end|rollback|abort|savepoint|release|declare|fetch|move|close)\b", re.I)
Line = dict[str, Any]
Address = tuple[str, int] | str  # host and port, or the path of a Unix socket


@dataclass
class Recorder:
    """The lines of one connection. `written`: what is in the file already, of any connection."""

    written: set[str]
    lines: list[Line] = field(default_factory=list)
    _mark: str = "connect"
    _prepared: dict[str, Parse] = field(default_factory=dict)
    _fresh: set[str] = field(default_factory=set)
    _there: dict[str, str] = field(default_factory=dict)
    _pending: list[tuple[Line, bool]] = field(default_factory=list)
    _flushed: bool = False

    def open(self, message: StartupMessage) -> None:
        """The startup packet."""
        version = f"{message.major}.{message.minor}"
        startup = {"proto": "startup", "params": dict(message.parameters), "version": version, "sql": ""}
        self.lines.append({"mark": self._mark, **startup})

    def see(self, message: FrontendMessage) -> None:
        """One message of the client's."""
        match message:
            case Query(sql):
                self._put({"proto": "simple", "sql": sql})
            case Parse(name):
                self._prepared[name] = message
                self._fresh.add(name)
            case Flush():
                self._flushed = True
            case Bind():
                self._bind(message)
            case Execute(portal, max_rows) if max_rows:
                self._limit(portal, max_rows)
            case Close("S", name):
                self._prepared.pop(name, None)
            case Sync():
                self._sync()
            case _:
                pass

    @property
    def worth(self) -> bool:
        """Whether there is anything that was not written before."""
        return any(line["proto"] != "startup" and not _ALWAYS.match(line["sql"]) for line in self.lines)

    def _bind(self, message: Bind) -> None:
        parsed = self._prepared.get(message.statement)
        if parsed is None:
            return  # prepared in SQL
        line = _described(parsed) | {
            "params": list(map(_value, message.parameters, _formats(message))),
            "pfmt": list(message.parameter_formats),
            "rfmt": list(message.result_formats),
        }
        fresh = parsed.name in self._fresh
        self._fresh.discard(parsed.name)
        line |= {"flush": True} if self._flushed and fresh else {}
        line |= {"portal": message.portal} if message.portal else {}
        self._pending.append((line, fresh))

    def _limit(self, portal: str, max_rows: int) -> None:
        for line, _ in self._pending[-1:]:
            if line.get("portal", "") == portal:
                line.setdefault("max_rows", max_rows)

    def _sync(self) -> None:
        """All up to here was one pipeline; what was parsed and not bound was described only."""
        self._pending += [(_described(self._prepared[name]), True) for name in self._fresh & self._prepared.keys()]
        put = [kept for line, fresh in self._pending if (kept := self._put(self._renewed(line, fresh)))]
        for line in put[:-1]:
            line["open"] = True
        self._pending.clear()
        self._fresh.clear()
        self._flushed = False

    def _renewed(self, line: Line, fresh: bool) -> Line:
        kept = not fresh and self._there.get(line.get("name", "")) == line["sql"]
        return line | ({"again": True} if kept else {})

    def _put(self, line: Line) -> Line | None:
        """Write a line, unless it was before; the line as written."""
        if mark := _MARK.fullmatch(line["sql"]):
            self._mark = mark[1]
            return None
        key = json.dumps(line)
        if key in self.written and not _ALWAYS.match(line["sql"]):
            return None
        self.written.add(key)
        if line["proto"] == "extended":
            self._there[line.get("name", "")] = line["sql"]
        self.lines.append({"mark": self._mark, **line})
        return self.lines[-1]


def _described(parsed: Parse) -> Line:
    named = {"name": parsed.name} if parsed.name else {}
    return {"proto": "extended", "sql": parsed.sql, "oids": list(parsed.types), **named}


def _formats(message: Bind) -> tuple[int, ...]:
    formats, count = message.parameter_formats, len(message.parameters)
    return formats if len(formats) == count else (formats or (0,)) * count


def _value(value: bytes | None, form: int) -> str | None:
    if value is None:
        return None
    return value.decode() if form == 0 else f"hex:{value.hex()}"


@dataclass
class Relay:
    """Passes connections on to `server`, and writes `file` when each of them ends."""

    server: Address
    file: Path
    _written: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def serve(self, listening: socket.socket) -> None:
        """Take connections until the socket is closed."""
        while True:
            client, _ = listening.accept()
            threading.Thread(target=self._pass, args=(client,), daemon=True).start()

    def _pass(self, client: socket.socket) -> None:
        recorder = Recorder(self._written)
        with client, _connected(self.server) as server:
            threading.Thread(target=_copy, args=(server, client), daemon=True).start()
            _follow(client, server, recorder)
        if recorder.worth:
            with self._lock, self.file.open("a") as file:
                file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in recorder.lines)


def _connected(server: Address) -> socket.socket:
    if isinstance(server, tuple):
        return socket.create_connection(server)
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(server)
    return connection


def _follow(client: socket.socket, server: socket.socket, recorder: Recorder) -> None:
    reader = FrameReader(FRONTEND_LIMITS, startup=True)
    opened = False
    while data := _received(client):
        reader.feed(data)
        while (frame := reader.next_frame()) is not None:
            if opened:
                recorder.see(decode_frontend(frame))
                server.sendall(frame.raw)
                continue
            match decode_startup(frame.payload):
                case SSLRequest() | GSSENCRequest():
                    client.sendall(b"N")
                    continue
                case StartupMessage() as message:
                    recorder.open(message)
                    opened = True
                case CancelRequest():
                    pass
            server.sendall(frame.raw)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := _received(source):
            target.sendall(data)
        target.shutdown(socket.SHUT_RDWR)


def _received(source: socket.socket) -> bytes:
    try:
        return source.recv(1 << 16)
    except OSError:
        return b""


def main(to: str, file: str) -> None:
    """Listen on a free port of this machine."""
    host, _, port = to.rpartition(":")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)
        Relay((host, int(port)), Path(file)).serve(listening)


if __name__ == "__main__":
    main(*sys.argv[1:])
