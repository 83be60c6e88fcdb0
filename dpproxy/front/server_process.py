"""Server processes of an embedded front: how they are started.

Every process inherits its cluster as an open directory, opened *before* root's identity is given up, and gets
`/proc/self/fd/N` as its path. So the server's user needs no right to pass the directories above it, nobody's directory
has to change its mode, and no character of the path ever meets a shell or a list in the server's settings. (The working
directory would not do: before version 16 a program of Postgres leaves it and comes back by its path.)
Where there is no /proc the plain path is used.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from dpproxy.errors import FrontUnavailable
from dpproxy.front.binaries import Binaries
from dpproxy.front.directory_lock import open_directory, server_lock
from dpproxy.front.front_directory import FrontDirectory, ServerUser, identity

PORT = 5432
OWNER = "dpproxy"
START_SECONDS = 120.0
_POLL_SECONDS = 0.005
_OWN_CONNECTIONS = 75

SETTINGS: dict[str, str] = {
    # Only a Unix socket in the cluster's own directory, which is private.
    "listen_addresses": "",
    "unix_socket_directories": ".",
    "port": str(PORT),
    # The ledger lives here: what is committed stays.
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    # Small: the front holds no data. Workers and replication are off for good, not by a setting of the session's.
    "shared_buffers": "16MB",
    "max_worker_processes": "0",
    "max_logical_replication_workers": "0",
    "max_wal_senders": "0",
    "wal_level": "minimal",
    "min_wal_size": "32MB",
    "max_wal_size": "64MB",
    "max_prepared_transactions": "0",
    "temp_file_limit": "256MB",
    "huge_pages": "off",
    "jit": "off",
    "autovacuum": "on",
    # The same answers on every machine.
    "timezone": "UTC",
    "log_timezone": "UTC",
    "lc_messages": "C",
    # The log holds the server's own events: neither analysts' errors nor their statements.
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",  # a backend that crashed would be told with the statement that it ran
    "log_checkpoints": "off",
}


def connections_for(sessions: int) -> int:
    """How many connections the server takes: the sessions, those of the proxy's own, and backends that have not gone
    yet when the next session comes."""
    return sessions + sessions // 4 + _OWN_CONNECTIONS


@dataclass(frozen=True, slots=True)
class Launcher:
    """Starts programs of one installation in one directory, as the server's user."""

    binaries: Binaries
    directory: FrontDirectory
    user: ServerUser | None

    def initdb(self, secret: IO[bytes]) -> subprocess.Popen[bytes]:
        """Begin to make a cluster in `data.new`; the owner's password is read from the file `secret`."""
        place = self.directory.unfinished
        options = ["--username", OWNER, "--pwfile=/dev/stdin", "--auth-local=scram-sha-256", "--auth-host=reject"]
        return self._launch(self.binaries.initdb, [*options, "--data-checksums", *self._locale()], place, secret)

    def postgres(self, sessions: int) -> subprocess.Popen[bytes]:
        """Begin to start the server on `data`, with room for so many sessions of analysts."""
        own = {"cluster_name": self.directory.tag(), "max_connections": str(connections_for(sessions))}
        settings = SETTINGS | own | self._newer_settings()
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return self._launch(self.binaries.postgres, options, self.directory.data, subprocess.DEVNULL)

    def _locale(self) -> list[str]:
        """Text compares by code point; since 17 Postgres itself knows upper and lower case of all letters too."""
        builtin = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] if self.binaries.version >= (17, 0) else []
        return ["--encoding=UTF8", "--locale=C", "--text-search-config=english", *builtin]

    def _newer_settings(self) -> dict[str, str]:
        return {"io_method": "sync"} if self.binaries.version >= (18, 0) else {}

    def _launch(self, program: Path, words: list[str], place: Path, stdin: IO[bytes] | int) -> subprocess.Popen[bytes]:
        try:
            with (
                server_lock(self.directory) as lock,
                open_directory(place) as cluster,
                _open_log(self.directory) as log,
            ):
                return subprocess.Popen(
                    [*dying_with_parent(), program, "-D", _inherited_path(cluster, place), *words],
                    cwd="/",
                    env={"LC_ALL": "C", "PATH": os.defpath},
                    stdin=stdin,
                    stdout=log,
                    stderr=log,
                    pass_fds=[lock, cluster],
                    umask=0o077,
                    start_new_session=True,  # the terminal's Ctrl-C is for the proxy
                    **identity(self.user),
                )
        except OSError as error:
            raise FrontUnavailable(f"{program} could not be started", detail=str(error)) from None


async def exited(process: subprocess.Popen[bytes], every: float = _POLL_SECONDS) -> int:
    """Wait for a process to end, looking every so many seconds; returns its exit status (minus the signal's number).

    To look is one cheap call, works in every event loop, and needs no thread that would outlive a cancellation.
    """
    while (status := process.poll()) is None:
        await asyncio.sleep(every)
    return status


async def ready(process: subprocess.Popen[bytes], directory: FrontDirectory) -> None:
    """Wait until the server takes connections, after whatever recovery it needs.

    Raises FrontUnavailable with the end of the log when it ends instead, or takes longer than START_SECONDS.
    """
    try:
        async with asyncio.timeout(START_SECONDS):
            while not _says_ready(directory.data / "postmaster.pid", process.pid):
                if process.poll() is not None:
                    raise FrontUnavailable("the embedded front did not start", detail=log_tail(directory))
                await asyncio.sleep(_POLL_SECONDS)
    except TimeoutError:
        raise FrontUnavailable("the embedded front takes too long to start", detail=log_tail(directory)) from None


def log_tail(directory: FrontDirectory, lines: int = 8) -> str:
    """The last lines of the server's log."""
    return "\n".join(directory.log.read_text(errors="replace").splitlines()[-lines:])


def _says_ready(pid_file: Path, pid: int) -> bool:
    try:
        lines = pid_file.read_text().splitlines()
    except FileNotFoundError:
        return False
    return len(lines) >= 8 and lines[0] == str(pid) and lines[7].strip() == "ready"


def _inherited_path(descriptor: int, place: Path) -> str:
    through = Path(f"/proc/self/fd/{descriptor}")
    return str(through) if through.exists() else str(place)


def _open_log(directory: FrontDirectory, most_bytes: int = 4 << 20) -> IO[bytes]:
    """The log, to append to; one that has grown large is put aside first."""
    log = directory.log
    if log.exists() and log.stat().st_size > most_bytes:
        log.replace(log.with_suffix(".log.old"))
    return open(log, "ab", opener=_private)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def dying_with_parent() -> list[str]:
    """Words before a command that make the kernel stop it when the thread that started it ends, however it ends.

    Where the system has no such program the next start finds the orphan and stops it.
    """
    program = shutil.which("setpriv")
    if program is None or Path(program).resolve().name != "setpriv":  # busybox has one that knows less
        return []
    return [program, "--pdeathsig", "INT", "--"]
