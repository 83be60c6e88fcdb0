"""How server processes end: in order, by force, and those that a killed proxy or a killed server left behind."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from contextlib import suppress

import psutil

from dpproxy.errors import FrontUnavailable
from dpproxy.front.directory_lock import server_lock
from dpproxy.front.front_directory import FrontDirectory
from dpproxy.front.server_process import PORT, exited

STOP_SECONDS = 10.0


async def stop_server(process: subprocess.Popen[bytes], tag: str) -> None:
    """Stop by a fast shutdown, by force if that takes too long, and leave no process of the server's behind."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await exited(process)
    except TimeoutError:
        process.kill()
        await exited(process)
    _signal(servers(tag), signal.SIGKILL)  # there are none, unless the postmaster was killed and left its children


async def end_orphans(directory: FrontDirectory) -> None:
    """End what a killed proxy left running, and remove the pid files that a killed server left.

    An orphan is stopped and started anew, not adopted: its settings may be an older version's, sessions of the dead
    proxy's clients may still run in it, and only a parent learns at once and for certain that a server died.
    That nothing runs is known from the lock that all server processes inherit, not from a pid, which may by now belong
    to another program. Raises FrontUnavailable when something cannot be ended.
    """
    if directory.data.exists() and not _idle(directory):
        await _end(directory.tag(), directory)
    if not await _becomes_idle(directory):
        raise FrontUnavailable(
            f"server processes of an earlier proxy still run in {directory.path} and cannot be ended",
            hint=f"End the processes that hold {directory.server_lock} open.",
        )
    for name in ("postmaster.pid", f".s.PGSQL.{PORT}.lock", f".s.PGSQL.{PORT}"):
        (directory.data / name).unlink(missing_ok=True)


def servers(tag: str) -> list[psutil.Process]:
    """The running server processes that carry the tag, the postmaster first."""
    running = psutil.process_iter(["name", "cmdline"])
    found = [it for it in running if it.info["name"] == "postgres" and tag in " ".join(it.info["cmdline"] or ())]
    return sorted(found, key=_is_child)


async def _end(tag: str, directory: FrontDirectory) -> None:
    """A fast shutdown by the postmaster; children without one, and what does not heed it, are killed."""
    postmasters = [process for process in servers(tag) if not _is_child(process)]
    _signal(postmasters, signal.SIGINT)
    if not (postmasters and await _becomes_idle(directory)):
        _signal(servers(tag), signal.SIGKILL)


async def _becomes_idle(directory: FrontDirectory) -> bool:
    try:
        async with asyncio.timeout(STOP_SECONDS):
            while not _idle(directory):
                await asyncio.sleep(0.02)
    except TimeoutError:
        return False
    return True


def _idle(directory: FrontDirectory) -> bool:
    """Whether no server process is alive. Both signs must agree: some network file systems do not pass locks on."""
    try:
        with server_lock(directory):
            return not (directory.data.exists() and servers(directory.tag()))
    except BlockingIOError:
        return False


def _is_child(process: psutil.Process) -> bool:
    """Children of the postmaster change their title; the postmaster keeps the command line it was started with."""
    return bool(process.info["cmdline"][0].startswith("postgres: "))


def _signal(processes: list[psutil.Process], number: signal.Signals) -> None:
    """Send a signal to processes, some of which may have ended meanwhile (psutil knows a pid that was given anew)."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)
