"""Servers of Spark Connect: Sail, as a process of its own that can be killed; and a Spark, where there is one.

`SPARK_HOME` says where: the folder `pyspark` that `pip install pyspark` makes, beside a Java.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_SAIL = """
import sys, time
from pysail.spark import SparkConnectServer
server = SparkConnectServer("127.0.0.1", int(sys.argv[1]))
server.start(background=True)
print(server.listening_address[1], flush=True)
time.sleep(100_000)
"""

_OPTIONS = {
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
}
SPARK_HOME = os.environ.get("SPARK_HOME")


@contextmanager
def real_spark(directory: Path) -> Iterator[str]:
    """The URL of a Spark in one JVM of 1,500 MB, with its Connect server, for the length of a block."""
    assert SPARK_HOME is not None
    port = free_port()
    options = {**_OPTIONS, "spark.connect.grpc.binding.port": str(port), "spark.sql.warehouse.dir": str(directory)}
    process = subprocess.Popen(
        [
            *(f"{SPARK_HOME}/bin/spark-submit", "--master", "local[2]", "--driver-memory", "1500m"),
            *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
            *(part for key, value in options.items() for part in ("--conf", f"{key}={value}")),
            "local:///dev/null",
        ],
        cwd=directory,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port)
        yield f"sc://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    """One of this machine that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def wait_for(port: int) -> None:
    """Until somebody listens there; five minutes at most."""
    for _ in range(600):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.5)
    raise AssertionError("the Spark does not listen")


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
