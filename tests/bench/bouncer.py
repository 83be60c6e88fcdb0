"""pgbouncer before the front, with its own defaults: the relay that others use, to measure ours beside."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from psycopg import pq

from dpproxy.front.directory_lock import open_directory
from dpproxy.front.front_address import FrontAddress
from dpproxy.front.front_directory import FrontDirectory, ServerUser, identity

# In session mode each client has a session of its own in the front, as with dpproxy; it is kept for the next client.
# Who asks for the other database shows a password, with which pgbouncer signs in to the front in turn.
GUARDED = "guarded"
SETTINGS = """
[databases]
{front.database} = {there} user={front.owner} password={front.password}
{guarded} = {there}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
pool_mode = session
default_pool_size = 32
auth_type = hba
auth_hba_file = {place}/hba
auth_file = {place}/users
ignore_startup_parameters = extra_float_digits
"""
ENCRYPTED = """
client_tls_sslmode = allow
client_tls_cert_file = {place}/server.crt
client_tls_key_file = {place}/server.key
"""
HBA = "host {front.database} all 127.0.0.1/32 trust\nhost {guarded} all 127.0.0.1/32 scram-sha-256\n"
USERS = '"{front.owner}" "{verifier}"\n'
PATIENCE_SECONDS = 20.0


@dataclass(frozen=True)
class Behind:
    """The front in `directory` as an analyst's role, whose password is kept there as `verifier`."""

    front: FrontAddress
    directory: Path
    verifier: str


def program() -> str | None:
    """Where pgbouncer is; Debian puts it where not everybody looks."""
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")


@contextmanager
def bouncing(behind: Behind, certificate: tuple[Path, Path] | None) -> Iterator[int]:
    """A pgbouncer that listens on 127.0.0.1; its port.

    It does not run as root, so it runs as the front's user, who gets at the socket by an inherited open directory and
    not by its path.
    """
    found, place = program(), FrontDirectory(behind.directory)
    assert found is not None
    with ExitStack() as held:
        own = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="dpp")))
        door = held.enter_context(open_directory(place.data))
        port = _free_port()
        _write_files(own, behind, door, port, certificate)
        _give(own, place.server_user())
        log = held.enter_context((own / "log").open("wb"))
        process = subprocess.Popen(
            [found, "-q", str(own / "ini")], pass_fds=[door], stdout=log, stderr=log, **identity(place.server_user())
        )
        held.callback(_end, process)
        _wait(process, f"host=127.0.0.1 port={port} dbname={behind.front.database} user={behind.front.owner}", own)
        yield port


def _write_files(own: Path, behind: Behind, door: int, port: int, certificate: tuple[Path, Path] | None) -> None:
    front, words = behind.front, {"front": behind.front, "guarded": GUARDED, "place": own}
    there = f"host=/proc/self/fd/{door} port={front.port} dbname={front.database}"
    settings = SETTINGS + ENCRYPTED if certificate else SETTINGS
    (own / "ini").write_text(settings.format(**words, there=there, port=port))
    (own / "hba").write_text(HBA.format(**words))
    (own / "users").write_text(USERS.format(**words, verifier=behind.verifier))
    for name, source in zip(("server.crt", "server.key"), certificate or (), strict=False):
        shutil.copy(source, own / name)


def _give(own: Path, user: ServerUser | None) -> None:
    if user is not None:
        for path in (own, *own.iterdir()):
            os.chown(path, user.uid, user.gid)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _wait(process: subprocess.Popen[bytes], conninfo: str, own: Path) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        opened = pq.PGconn.connect(f"{conninfo} sslmode=disable".encode())
        ready, said = opened.status == pq.ConnStatus.OK, opened.error_message.decode()
        opened.finish()
        if ready:
            return
        assert process.poll() is None and time.monotonic() < until, f"{said}\n{(own / 'log').read_text()[-2000:]}"
        time.sleep(0.05)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()  # at once, clients or not
    try:
        process.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
