"""Recordings of clients: one JSON object a line, in the order sent.

`proto` is `startup` (with `params`, the startup packet), `simple` or `extended`; `sql` is the statement, `mark` what
the client was doing. Extended ones have `oids` (declared types of parameters) and, where they were bound, `params`
(text, null, or `hex:…`), `pfmt` and `rfmt` (format codes). Where it matters also: `name` of the prepared statement,
`portal`, `max_rows` of its first Execute, `again` (bound without a Parse of its own), `flush` (the client waited for
the description before it bound), `open` (there was no Sync after it: the next line is of the same pipeline).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_WAIT_FOR_DESCRIPTIONS = frozenset({"asyncpg"})


@dataclass(frozen=True)
class Startup:
    """A connection is opened; what was open before is closed."""

    mark: str
    parameters: tuple[tuple[str, str], ...]
    sql: str = ""


@dataclass(frozen=True)
class Simple:
    """A Query message."""

    mark: str
    sql: str


@dataclass(frozen=True)
class Bound:
    """The Bind and Execute of a statement. Formats are codes; parameters are bytes as on the wire."""

    parameters: tuple[bytes | None, ...]
    parameter_formats: tuple[int, ...]
    result_formats: tuple[int, ...]
    portal: str = ""
    max_rows: int = 0


@dataclass(frozen=True)
class Extended:
    """A Parse, unless `again`, and a Describe, and what was bound, if anything was."""

    mark: str
    sql: str
    oids: tuple[int, ...]
    bound: Bound | None
    name: str = ""
    again: bool = False
    flush: bool = False
    open: bool = False


Step = Startup | Simple | Extended


def read(path: Path) -> tuple[Step, ...]:
    """The steps of a recording."""
    lines = path.read_text().splitlines()
    return tuple(_step(json.loads(line), path.stem in _WAIT_FOR_DESCRIPTIONS) for line in lines if line)


def sessions(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """The steps of each connection, its Startup first."""
    begins = [at for at, step in enumerate(steps) if isinstance(step, Startup)]
    assert begins and begins[0] == 0, "a recording begins with a startup"
    for begin, end in zip(begins, [*begins[1:], len(steps)], strict=True):
        yield steps[begin:end]


def pipelines(steps: Sequence[Simple | Extended]) -> Iterator[tuple[Simple | Extended, ...]]:
    """The steps up to each Sync; a simple one is its own."""
    begin = 0
    for at, step in enumerate(steps, 1):
        if isinstance(step, Simple) or not step.open or at == len(steps):
            yield tuple(steps[begin:at])
            begin = at


def _step(line: dict[str, Any], waits: bool) -> Step:
    match line["proto"]:
        case "startup":
            return Startup(line["mark"], tuple(line["params"].items()))
        case "simple":
            return Simple(line["mark"], line["sql"])
        case "extended":
            bound = _bound(line) if "params" in line else None
            flags = line.get("again", False), line.get("flush", waits), line.get("open", False)
            return Extended(line["mark"], line["sql"], tuple(line["oids"]), bound, line.get("name", ""), *flags)
        case other:
            raise AssertionError(f"unknown proto {other!r}")


def _bound(line: dict[str, Any]) -> Bound:
    parameters = tuple(None if each is None else _bytes(each) for each in line["params"])
    formats = tuple(line["pfmt"]), tuple(line["rfmt"])
    return Bound(parameters, *formats, line.get("portal", ""), line.get("max_rows", 0))


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("hex:")) if text.startswith("hex:") else text.encode()
