"""A cluster of Spark's on this machine: a master, workers and a Connect server, each a process that can be killed.

Each is the leader of a session, so that what it has started goes with it, as it would with a machine.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from spark_servers import SPARK_HOME, free_port, wait_for

_DEPLOY: Final = "org.apache.spark.deploy"
OPTIONS: Final = {
    "spark.driver.host": "127.0.0.1",
    "spark.executor.memory": "1500m",
    "spark.driver.memory": "1500m",
    "spark.sql.shuffle.partitions": "4",
}
"""Of every driver."""
_LOG: Final = {
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false",
}


@dataclass
class Cluster:
    """The processes, by name: `master`, `worker 0`, …, `connect`. ports: the Connect server's, and its pages'."""

    directory: Path
    master: str
    port: int
    pages: int
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """As a policy has it."""
        return f"sc://127.0.0.1:{self.port}"

    def leaders(self) -> frozenset[int]:
        """The processes whose sessions do the work: those of workers and of the Connect server, if it is there."""
        return frozenset(process.pid for name, process in self.processes.items() if name != "master")

    def start_worker(self, name: str) -> None:
        """One core and 2 GiB."""
        place = self.directory / name.replace(" ", "_")
        arguments = ("--host", "127.0.0.1", "--cores", "1", "--memory", "2g", "--webui-port", "0")
        self._start(name, "spark-class", f"{_DEPLOY}.worker.Worker", *arguments, "--work-dir", str(place), self.master)

    def start_connect(self) -> None:
        """Returns when it listens."""
        logs = self.directory / "events"
        logs.mkdir(exist_ok=True)
        server = "spark.connect.grpc.binding"
        ports = {f"{server}.address": "127.0.0.1", f"{server}.port": str(self.port), "spark.ui.port": str(self.pages)}
        places = {"spark.eventLog.dir": f"file:{logs}", "spark.sql.warehouse.dir": str(self.directory / "warehouse")}
        self._start(
            *("connect", "spark-submit", "--master", self.master),
            *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
            *(
                part
                for key, value in {**OPTIONS, **_LOG, **ports, **places}.items()
                for part in ("--conf", f"{key}={value}")
            ),
            "local:///dev/null",
        )
        wait_for(self.port)

    def start_master(self) -> None:
        """Returns when it listens."""
        port = self.master.rpartition(":")[2]
        arguments = ("--host", "127.0.0.1", "--port", port, "--webui-port", "0")
        self._start("master", "spark-class", f"{_DEPLOY}.master.Master", *arguments)
        wait_for(int(port))

    def kill(self, name: str) -> None:
        """End it and what it has started, at once."""
        process = self.processes.pop(name)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def executors(self) -> list[dict[str, Any]]:
        """Those that live, as the pages of Spark tell: where each is, and how many tasks it has."""
        return [each for each in self._page("executors") if each["id"] != "driver"]

    def busy_worker(self) -> str:
        """One whose executor has a task, as soon as there is any. Its directory is below its worker's."""
        for _ in range(600):
            if busy := [each for each in self.executors() if each["activeTasks"]]:
                (place,) = self.directory.glob(f"worker_*/{self._application()}/{busy[0]['id']}")
                return place.parents[1].name.replace("_", " ")
            time.sleep(0.1)
        raise AssertionError("no executor has a task")

    def _page(self, name: str) -> list[dict[str, Any]]:
        return _asked(f"http://127.0.0.1:{self.pages}/api/v1/applications/{self._application()}/{name}")

    def _application(self) -> str:
        (found,) = _asked(f"http://127.0.0.1:{self.pages}/api/v1/applications")
        return str(found["id"])

    def _start(self, name: str, program: str, *arguments: str) -> None:
        with (self.directory / f"{name.replace(' ', '_')}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [f"{SPARK_HOME}/bin/{program}", *arguments],
                cwd=self.directory,
                env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(SPARK_HOME)},
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )


@contextmanager
def cluster(directory: Path, workers: int = 2) -> Iterator[Cluster]:
    """For the length of a block; returns when all workers are there."""
    made = Cluster(directory, f"spark://127.0.0.1:{free_port()}", free_port(), free_port())
    try:
        made.start_master()
        for number in range(workers):
            made.start_worker(f"worker {number}")
        made.start_connect()
        wait_for_executors(made, workers)
        yield made
    finally:
        for name in list(made.processes):
            made.kill(name)


def wait_for_executors(made: Cluster, count: int) -> None:
    """Until so many live."""
    for _ in range(240):
        with suppress(OSError, ValueError):
            if len(made.executors()) == count:
                return
        time.sleep(0.5)
    raise AssertionError("the cluster has other executors than workers")


def _asked(place: str) -> list[dict[str, Any]]:
    with urllib.request.urlopen(place, timeout=10) as page:
        found: list[dict[str, Any]] = json.load(page)
        return found
