"""How long it takes to connect, one after another: libpq from the first byte to ready, by way and by what is shown."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from bench.timing import in_turn, timed
from bench.ways import FRONT, Ways
from psycopg import pq


def lines(ways: Ways, rounds: int) -> Iterator[str]:
    """A line for each way and each kind of connection; the front has but one kind, by its socket, with SCRAM."""
    found = in_turn({name: partial(_connect, conninfo) for name, conninfo in _kinds(ways).items()}, rounds)
    for name, figures in sorted(found.items()):
        yield f"connecting to {name}: {figures.median * 1e3:.2f} ms, at least {figures.least * 1e3:.2f} ms"


def _kinds(ways: Ways) -> dict[str, str]:
    """Connection strings by kind."""
    kinds = {f"{name}, SCRAM": address for name, address in ways.guarded.items()}
    kinds |= {f"{name}, trust": address for name, address in ways.trusted.items() if name != FRONT}
    plain = {kind: f"{address.conninfo()} sslmode=disable" for kind, address in kinds.items()}
    if not ways.encrypted:
        return plain
    outside = {kind: address for kind, address in kinds.items() if not address.host.startswith("/")}
    return plain | {f"{kind} and TLS": f"{address.conninfo()} sslmode=require" for kind, address in outside.items()}


def _connect(conninfo: str) -> float:
    """Seconds until a session is ready."""
    opened: list[pq.PGconn] = []
    seconds = timed(lambda: opened.append(pq.PGconn.connect(conninfo.encode())))
    assert opened[0].status == pq.ConnStatus.OK, opened[0].error_message
    opened[0].finish()
    return seconds
