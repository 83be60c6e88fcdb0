"""A proxy as a process, forked from one that has imported what `dpproxy serve` needs: to import it takes a second of a
core, and the tests start hundreds.

What a fresh process makes of the command line is looked at in tests/test_cli.py, test_demo.py and test_progress.py, and
so is what it loads. Run as a program, this is the process that forks; it ends with the tests, who hold the other end of
its socket. Between it and a proxy stands one that waits for the proxy's end and tells how it was.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import IO, NoReturn, TextIO

_MOST = 1 << 20
_asking = Lock()


@dataclass(slots=True)
class ForkedProcess:
    """A process as `subprocess.Popen` has it, so far as tests ask. `_end` tells its exit status when it has one."""

    args: Sequence[str]
    pid: int
    stdout: TextIO
    _end: TextIO
    returncode: int | None = None

    def poll(self) -> int | None:
        """The exit status; None while it runs."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, as soon as there is one. Raises subprocess.TimeoutExpired."""
        if self.returncode is None:
            if not select.select([self._end], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            self.returncode = int(self._end.readline())
            self._end.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """A signal, if it still runs."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)


def serve(config: Path, stderr: IO[bytes] | IO[str], cwd: Path | None = None) -> ForkedProcess:
    """`dpproxy serve`, with the environment of this process as it is now."""
    words = ["serve", "--config", str(config)]
    (read, written), (end, ending) = os.pipe(), os.pipe()
    asked = json.dumps([words, str(cwd or Path.cwd()), dict(os.environ)]).encode()
    assert len(asked) < _MOST
    with _asking:
        socket.send_fds(_forking(os.environ.get("PYTHONPATH")), [asked], [written, stderr.fileno(), ending])
        told = os.fdopen(end)
        os.close(written)
        os.close(ending)
        return ForkedProcess(["dpproxy", *words], int(told.readline()), os.fdopen(read), told)


@cache
def _forking(python_path: str | None) -> socket.socket:
    """The way to the process that forks, which is started here: one for each path that modules are found by, since
    what an interpreter runs at its start is behind a forked one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for each in (ours, theirs):
        each.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _MOST)
    with theirs:
        words = [sys.executable, __file__, str(theirs.fileno())]
        subprocess.Popen(words, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
    return ours


def _fork_when_asked(asking: socket.socket) -> None:
    """Until whoever asks has gone. Who waits for a proxy is waited for by nobody."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        asked, descriptors, *_ = socket.recv_fds(asking, _MOST, 3)
        if not asked:
            return
        if os.fork() == 0:
            asking.close()
            _wait_for_proxy(asked, *descriptors)
        for each in descriptors:
            os.close(each)


def _wait_for_proxy(asked: bytes, written: int, errors: int, ending: int) -> NoReturn:
    """Fork once more, into the proxy; tell its number, and how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        _be_proxy(asked, written, errors)
    os.close(written)
    os.close(errors)
    os.write(ending, f"{pid}\n".encode())
    with suppress(BrokenPipeError):
        os.write(ending, f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n".encode())
    os._exit(0)


def _be_proxy(asked: bytes, written: int, errors: int) -> NoReturn:
    """The command, with nothing open but what a process has from its start; raises SystemExit at its end."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.dup2(written, 1)
    os.dup2(errors, 2)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    words, cwd, environ = json.loads(asked)
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(cwd)
    sys.argv = ["dpproxy", *words]
    main()
    sys.exit()


if __name__ == "__main__":
    gc.disable()
    # What `dpproxy serve` imports, and the driver of the engine that most have.
    import duckdb  # noqa: F401

    import dpproxy.cli.app
    import dpproxy.cli.serve  # noqa: F401
    from dpproxy.cli.__main__ import main

    gc.freeze()
    _fork_when_asked(socket.socket(fileno=int(sys.argv[1])))
