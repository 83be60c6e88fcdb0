"""Servers of Spark Connect: Sail, as a process of its own that can be killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_SAIL = """
import sys, time
from pysail.spark import SparkConnectServer
server = SparkConnectServer("127.0.0.1", int(sys.argv[1]))
server.start(background=True)
print(server.listening_address[1], flush=True)
time.sleep(100_000)
"""


@dataclass
class Sail:
    """The process, and the port that it listens at."""

    port: int
    process: subprocess.Popen[str]

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Sail]:
        """For the length of a block."""
        server = cls(*_process(0))
        try:
            yield server
        finally:
            server.kill()

    @property
    def url(self) -> str:
        """As a policy has it."""
        return f"sc://127.0.0.1:{self.port}"

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        """Another one at the same port, which knows nothing of the first."""
        self.port, self.process = _process(self.port)


def _process(port: int) -> tuple[int, subprocess.Popen[str]]:
    """A process that listens; at any port that is free, for 0."""
    process = subprocess.Popen(
        [sys.executable, "-c", _SAIL, str(port)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    return int(process.stdout.readline()), process
