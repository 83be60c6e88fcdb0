"""How a given front is reached: TLS as its URL says, faults told at the start, a server that goes and comes back."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
import pytest
from scratch_postgres import INSTALLATIONS, ScratchPostgres, _user, scratch_postgres
from small_front import WORLD
from worlds import make_world

from dpproxy.config import load
from dpproxy.errors import ConfigFault, FrontUnavailable
from dpproxy.front.encryption import encryption
from dpproxy.front.front_address import FrontAddress
from dpproxy.front.given_front import given_front
from dpproxy.front.roles import AnalystRole, role_password
from dpproxy.front.schema import sync_front
from dpproxy.server import front_connections
from dpproxy.server.database_separation import check_separate_databases
from dpproxy.server.proxy import Proxy
from dpproxy.wire import (
    BackendKeyData,
    CancelRequest,
    Frame,
    Query,
    StartupMessage,
    decode_backend,
    encode_frontend,
    split_frames,
)

pytestmark = pytest.mark.long

ANN = AnalystRole("ann")
SECRET = "s3cret%"
PATIENCE_SECONDS = 30.0
BY_TCP = """
local all owner trust
local all all scram-sha-256
hostnossl all all 127.0.0.1/32 {plain}
hostssl certified all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca
hostssl all all 127.0.0.1/32 scram-sha-256
"""


class Listening(ScratchPostgres):
    """A server that listens on 127.0.0.1 too, with a certificate for localhost."""

    port = 0

    @property
    def options(self) -> tuple[str, ...]:  # type: ignore[override]
        settings = {"port": self.port, "listen_addresses": "127.0.0.1", "ssl": "on"}
        settings |= {"ssl_ca_file": "server.crt", "ssl_cert_file": "server.crt", "ssl_key_file": "server.key"}
        return tuple(word for name, value in settings.items() for word in ("-c", f"{name}={value}"))

    @property
    def conninfo(self) -> str:
        return f"{super().conninfo} port={self.port}"

    @property
    def _maintenance(self) -> str:
        return f"{super()._maintenance} port={self.port}"

    def create(self) -> None:
        super().create()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        certify(self.data / "server")
        for path in (self.data / "server.crt", self.data / "server.key"):
            if user := _user():
                os.chown(path, user["user"], user["group"])  # type: ignore[call-overload]
        self.write_hba("reject")

    def write_hba(self, plain: str) -> None:
        (self.data / "pg_hba.conf").write_text(BY_TCP.format(plain=plain))

    @property
    def certificate(self) -> Path:
        return self.data / "server.crt"

    def url(self, database: str = "given", user: str = "landlord", host: str = "127.0.0.1", **settings: object) -> str:
        words = urlencode({"sslmode": "prefer", **settings}, quote_via=quote)
        return f"postgresql://{user}:{quote(SECRET)}@{host}:{self.port}/{database}?{words}"


def certify(path: Path) -> None:
    """A certificate of its own for localhost, and its key."""
    named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *named]
    subprocess.run(
        [*made, "-keyout", f"{path}.key", "-out", f"{path}.crt"], check=True, capture_output=True, umask=0o077
    )


@pytest.fixture(scope="module")
def server() -> Iterator[Listening]:
    if not INSTALLATIONS or shutil.which("openssl") is None:
        pytest.skip("no Postgres, or no openssl, on this machine")
    with scratch_postgres(next(iter(INSTALLATIONS.values())), Listening) as running:
        assert isinstance(running, Listening)
        with psycopg.connect(running.conninfo, autocommit=True) as owner:
            owner.execute(f"CREATE ROLE landlord LOGIN CREATEROLE PASSWORD '{SECRET}'")
            owner.execute(f"CREATE ROLE tenant LOGIN PASSWORD '{SECRET}'")
            for name in ("given", "demo", "certified"):
                owner.execute(f"CREATE DATABASE {name} OWNER landlord")
            owner.execute("GRANT CONNECT ON DATABASE given TO tenant")
            owner.execute("CREATE DATABASE latin OWNER landlord ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'")
        yield running


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No certificates of whoever runs the tests."""
    monkeypatch.setenv("HOME", str(tmp_path))


@asynccontextmanager
async def session(address: FrontAddress, password: str) -> AsyncIterator[tuple[front_connections.Pipe, CancelRequest]]:
    """A session of ann's over the proxy's own connection."""
    pipe = await front_connections.connect(address)
    startup = StartupMessage(3, 0, (("user", "ann"), ("database", address.database)))
    said = bytearray(await front_connections.sign_in(pipe, startup, "ann", password))
    while not said.endswith(b"Z\0\0\0\5I"):
        said += await pipe.read()
    frames, _ = split_frames(said, 0)
    messages = [decode_backend(Frame(bytes([kind]), bytes(said[at + 5 : end]))) for kind, at, end in frames]
    key = next(each for each in messages if isinstance(each, BackendKeyData))
    try:
        yield pipe, CancelRequest(key.pid, key.key)
    finally:
        pipe.close()


async def ask(pipe: front_connections.Pipe, sql: str) -> bytes:
    """All that comes back for a query."""
    pipe.write(encode_frontend(Query(sql)))
    said = b""
    while not said.endswith(b"Z\0\0\0\5I"):
        data = await pipe.read()
        assert data, said
        said += data
    return said


# --- TLS --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "mode", "settings"),
    [
        ("127.0.0.1", "allow", ()),
        ("127.0.0.1", "prefer", ()),
        ("127.0.0.1", "require", ()),
        ("127.0.0.1", "require", ("sslrootcert",)),
        ("127.0.0.1", "verify-ca", ("sslrootcert",)),
        ("localhost", "verify-full", ("sslrootcert",)),
    ],
)
async def test_sessions_are_encrypted_as_the_url_says(
    server: Listening, host: str, mode: str, settings: tuple[str, ...]
) -> None:
    url = server.url(host=host, sslmode=mode, **dict.fromkeys(settings, server.certificate))
    front = await given_front(url)
    await sync_front(front.address.conninfo(), WORLD, (ANN,))
    password = await role_password(front.address.conninfo(), "ann")
    assert await front_connections.try_out(front.address, "ann", password)
    async with session(front.address, password) as (pipe, key):
        assert b"TLSv1." in await ask(pipe, "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        sleeping = asyncio.create_task(ask(pipe, "SELECT pg_sleep(600)"))
        while not sleeping.done():
            await front_connections.cancel(front.address, key)
            await asyncio.wait([sleeping], timeout=0.05)
        assert b"C57014" in sleeping.result()
        assert b"SELECT 1" in await ask(pipe, "SELECT 1")


async def test_a_certificate_of_the_clients(server: Listening, tmp_path: Path) -> None:
    pair = {"sslcert": tmp_path / "server.crt", "sslkey": tmp_path / "server.key"}
    for path in pair.values():
        shutil.copy(server.data / path.name, path)
        path.chmod(0o600)
    with pytest.raises(ConfigFault, match="the front cannot be used"):
        await given_front(server.url("certified", sslmode="require"))
    front = await given_front(server.url("certified", sslmode="require", **pair))
    await sync_front(front.address.conninfo(), WORLD, (AnalystRole("cem"),))
    assert await front_connections.try_out(front.address, "cem", await role_password(front.address.conninfo(), "cem"))
    with psycopg.connect(front.address.conninfo(), autocommit=True) as owner:
        owner.execute("DROP OWNED BY cem; DROP ROLE cem")


async def test_a_plain_front(server: Listening) -> None:
    with pytest.raises(ConfigFault) as caught:
        await given_front(server.url(sslmode="disable"))
    assert "pg_hba.conf rejects" in str(caught.value.detail)
    server.write_hba("trust")
    with psycopg.connect(server.conninfo, autocommit=True) as owner:
        owner.execute("SELECT pg_reload_conf()")
    try:
        front = await _plain(server)
        await sync_front(front.conninfo(), WORLD, (ANN,))
        password = await role_password(front.conninfo(), "ann")
        assert not await front_connections.try_out(front, "ann", password), "the server trusts everybody, which is told"
        async with session(front, password) as (pipe, _):
            assert b"\0\1f" in await ask(pipe, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
    finally:
        server.write_hba("reject")
        with psycopg.connect(server.conninfo, autocommit=True) as owner:
            owner.execute("SELECT pg_reload_conf()")


async def _plain(server: Listening) -> FrontAddress:
    """Once the server has read its file again."""
    while True:
        with suppress(ConfigFault):
            front = await given_front(server.url(sslmode="disable"))
            assert front.address.encryption is None
            return front.address


@pytest.mark.parametrize(
    ("host", "mode", "roots"),
    [("127.0.0.1", "verify-full", "server"), ("localhost", "verify-ca", "other"), ("localhost", "require", "other")],
)
async def test_a_server_that_is_not_the_one(
    server: Listening, tmp_path: Path, host: str, mode: str, roots: str
) -> None:
    """By its name, or by who signed its certificate: the owner's connection fails, and so would analysts'."""
    certify(tmp_path / "other")
    path = server.certificate if roots == "server" else tmp_path / "other.crt"
    settings = {"sslmode": mode, "sslrootcert": str(path)}
    with pytest.raises(ConfigFault) as caught:
        await given_front(server.url(host=host, **settings))
    assert "front.url: " in str(caught.value.detail)
    secured = encryption(settings, host, in_use=True)
    address = FrontAddress(host, server.port, "given", "landlord", None, None, secured)
    with pytest.raises(FrontUnavailable):
        await front_connections.connect(address)


@pytest.mark.parametrize("answer", [b"N", b"Sx", b"E\0", b""])
async def test_nothing_is_said_in_the_clear_to_a_server_without_tls(answer: bytes) -> None:
    heard = bytearray()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.extend(await reader.read(100))
        writer.write(answer)
        await writer.drain()
        if not answer:
            writer.close()
        heard.extend(await reader.read())
        writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listener:
        port = listener.sockets[0].getsockname()[1]
        secured = encryption({"sslmode": "require"}, "localhost", in_use=True)
        address = FrontAddress("127.0.0.1", port, "given", "landlord", None, None, secured)
        for reach in (front_connections.connect(address), front_connections.cancel(address, CancelRequest(1, b"1234"))):
            with pytest.raises(FrontUnavailable):
                await reach
    assert bytes(heard) == 2 * bytes.fromhex("0000000804d2162f"), "twice a request for TLS, and nothing after it"


async def test_tls_without_asking_first(server: Listening) -> None:
    """Postgres takes it since 17; the first byte is the handshake's."""
    first: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first.set_result(await reader.read(1))
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listener:
        settings = {"sslmode": "require", "sslnegotiation": "direct"}
        secured = encryption(settings, "localhost", in_use=True)
        port = listener.sockets[0].getsockname()[1]
        with pytest.raises(FrontUnavailable):
            await front_connections.connect(FrontAddress("127.0.0.1", port, "given", "landlord", None, None, secured))
    assert await first == b"\x16"


# --- faults at the start ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "told"),
    [
        (lambda s: s.url().replace(f":{s.port}/", ":1/"), "Connection refused"),
        (lambda s: s.url().replace(quote(SECRET), "wrong"), 'password authentication failed for user "landlord"'),
        (lambda s: s.url("nowhere"), 'database "nowhere" does not exist'),
        (lambda s: s.url(user="tenant"), '"tenant" may not create roles; expected ALTER ROLE "tenant" CREATEROLE'),
        (lambda s: s.url(user="tenant"), '"tenant" does not own the database; expected ALTER DATABASE "given" OWNER'),
        (lambda s: s.url("latin"), "the database's encoding is LATIN1; expected UTF8"),
        (lambda s: s.url(channel_binding="require"), "channel_binding=require is not supported"),
        (lambda s: s.url(host="127.0.0.1:1,127.0.0.1"), "it names several hosts; expected one"),
    ],
    ids=["port", "password", "database", "createrole", "owner", "encoding", "binding", "hosts"],
)
async def test_faults_of_a_given_front(server: Listening, url: Callable[[Listening], str], told: str) -> None:
    with pytest.raises(ConfigFault) as caught:
        await given_front(url(server))
    assert "front.url: " in str(caught.value.detail)
    assert told in str(caught.value.detail)
    assert SECRET not in f"{caught.value.message}{caught.value.detail}"


async def test_an_old_server(server: Listening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpproxy.front.given_front.OLDEST_VERSION", 990000)
    with pytest.raises(ConfigFault) as caught:
        await given_front(server.url())
    assert "expected 13 or newer" in str(caught.value.detail)


async def test_a_pooler_in_between(server: Listening, tmp_path: Path) -> None:
    """It hands out keys of its own, so a cancel request would not reach the session, which may be another's anyway."""

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inside, outside = await asyncio.open_unix_connection(f"{server.directory}/.s.PGSQL.{server.port}")
        await asyncio.gather(_copied(reader, outside, b"", b""), _copied(inside, writer, b"K\0\0\0\x0c", b"\xff\xff"))

    async with await asyncio.start_server(relay, "127.0.0.1", 0) as listener:
        port = listener.sockets[0].getsockname()[1]
        url = server.url(sslmode="disable", gssencmode="disable").replace(f":{server.port}/", f":{port}/")
        with pytest.raises(ConfigFault) as caught:
            await given_front(url)
    assert "there is a pooler in between" in str(caught.value.detail)


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, mark: bytes, key: bytes) -> None:
    """All that comes, with another process id after the mark of a key."""
    with suppress(OSError):
        while data := await reader.read(1 << 16):
            at = data.find(mark) + len(mark) if mark and mark in data else None
            writer.write(data if at is None else data[:at] + key + data[at + len(key) :])
        writer.close()


async def test_analysts_who_are_not_let_in(server: Listening) -> None:
    front = await given_front(server.url())
    await sync_front(front.address.conninfo(), WORLD, (ANN,))
    with pytest.raises(ConfigFault) as caught:
        await front_connections.try_out(front.address, "ann", "wrong")
    assert 'pg_hba.conf a line such as: hostssl "given" all PROXYS-ADDRESS/32 scram-sha-256' in str(caught.value.detail)


# --- a proxy before it ------------------------------------------------------------------------------------------------


async def test_a_front_that_goes_and_comes_back(server: Listening, tmp_path: Path) -> None:
    """Sessions end with it; new ones are refused at once, and served again when it is back, by the same proxy."""
    path = make_world(tmp_path)
    path.write_text(path.read_text().replace(f"embedded:{tmp_path}/front", server.url("demo", sslmode="require")))
    async with Proxy(load(path, {})) as proxy:
        dsn = f"postgresql://alice@127.0.0.1:{proxy.port}/demo"
        count = "SELECT count(*) FROM people WHERE age > {}"
        working = await psycopg.AsyncConnection.connect(dsn, autocommit=True)
        idle = await psycopg.AsyncConnection.connect(dsn, autocommit=True)
        assert await (await working.execute(count.format(1).encode())).fetchone()
        for closed in ("SELECT pg_table_size('people')", "TABLE pg_stat_database", "SELECT pg_current_wal_lsn()"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="could not be locked in this front"):
                await working.execute(closed.encode())
        sleeping = asyncio.create_task(working.execute("SELECT pg_sleep(600)"))
        await asyncio.sleep(0.1)
        await asyncio.to_thread(server.stop)
        with pytest.raises(psycopg.OperationalError) as ended:
            await asyncio.wait_for(sleeping, PATIENCE_SECONDS)
        assert ended.value.sqlstate in ("57P01", "08006")
        with pytest.raises(psycopg.OperationalError):
            await idle.execute("SELECT 1")
        with pytest.raises(psycopg.OperationalError, match="the front cannot be reached"):
            await asyncio.wait_for(psycopg.AsyncConnection.connect(dsn), PATIENCE_SECONDS)
        await asyncio.to_thread(server.start)
        async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as again:
            assert await (await again.execute(count.format(2).encode())).fetchone()
            spent = await (await again.execute("SELECT spent_epsilon > 0 FROM dp.budget")).fetchone()
            assert spent == (True,)


# --- apart from the data ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("section", ["front", "ledger"])
async def test_what_must_not_be_in_the_engines_database(server: Listening, tmp_path: Path, section: str) -> None:
    """However its URL is written. Where it is only on the same server, that is told."""
    text = make_world(tmp_path).read_text()
    engine = f"postgresql://owner@/given?host={quote(str(server.directory), safe='')}&port={server.port}"
    text = text.replace(f"duckdb:///{tmp_path}/world.duckdb", engine)

    async def check(database: str) -> tuple[str, ...]:
        url = server.url(database, host="localhost", options="-c TimeZone=Asia/Tokyo -c DateStyle=SQL")
        if section == "ledger":
            changed = text.replace("[privacy]", f'[ledger]\nurl = "{url}"\n\n[privacy]')
        else:
            changed = text.replace(f"embedded:{tmp_path}/front", url)
        (tmp_path / "apart.toml").write_text(changed)
        return await check_separate_databases(load(tmp_path / "apart.toml", {}))

    with pytest.raises(ConfigFault) as caught:
        await check("given")
    assert f"{section}.url: is in the engine's database" in str(caught.value.detail)
    with pytest.raises(ConfigFault) as caught:
        await check("nowhere")
    assert f"{section}.url: " in str(caught.value.detail)
    assert SECRET not in str(caught.value.detail)
    assert len(await check("demo")) == (1 if section == "front" else 0)


async def test_nothing_to_compare(tmp_path: Path) -> None:
    assert await check_separate_databases(load(make_world(tmp_path), {})) == ()
