"""Through the proxy, beside the front directly and pgbouncer; and the proxy's own time per private statement."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench import opening, private, rates
from bench.bouncer import program
from bench.rates import Size
from bench.ways import guarded_policy, make_certificate, opened
from proxies import serving, write_policy

# A budget that lasts, and statements that cost next to nothing.
RICH = {
    "epsilon = 100.0\ndelta = 1e-5": "epsilon = 1e9\ndelta = 1e-5",
    "epsilon = 1.0\n\n[analysts.bob]": "epsilon = 0.01\n\n[analysts.bob]",
}


def lines(size: Size, connections: int, executions: int) -> Iterator[str]:
    """Lines on connecting, throughput and own time, measured over one proxy."""
    if program() is None:
        yield "pgbouncer is not here: left out"
    with tempfile.TemporaryDirectory() as directory:
        certificate = make_certificate(Path(directory))
        config = write_policy(Path(directory) / "policy", RICH | guarded_policy(certificate))
        with serving(config) as proxy, opened(proxy, certificate) as ways:
            yield from opening.lines(ways, connections)
            yield from rates.lines(ways, size)
            yield from private.lines(proxy, ways, size, executions)
