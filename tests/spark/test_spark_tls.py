"""The way to a server that wants a token, over TLS: here a gate before Sail that passes on what has the token."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from spark_servers import Sail
from test_spark_driver import asked, engine, written

from dpproxy.errors import ConfigFault

pytestmark = pytest.mark.long
TOKEN = "opensesame"


class Gate(grpc.GenericRpcHandler):
    """Each call with the token, whatever its method, is a call of the server behind."""

    def __init__(self, behind: str) -> None:
        self._behind = grpc.insecure_channel(behind)
        self.called = self.refused = 0

    def service(self, details: Any) -> Any:
        """The handler of one call."""
        self.called += 1
        if dict(details.invocation_metadata).get("authorization") != f"Bearer {TOKEN}":
            self.refused += 1
            return grpc.stream_stream_rpc_method_handler(
                lambda _, context: context.abort(grpc.StatusCode.UNAUTHENTICATED, "no token")
            )
        call = self._behind.stream_stream(details.method)
        return grpc.stream_stream_rpc_method_handler(lambda requests, _: call(requests))


def certified(directory: Path) -> tuple[Path, Path]:
    """A key, and a certificate that it has signed itself."""
    key, certificate = directory / "key.pem", directory / "certificate.pem"
    names = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    made = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *names)
    subprocess.run([*made, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    return key, certificate


@contextmanager
def listening(handler: Gate, key: Path, certificate: Path) -> Iterator[str]:
    """Where it listens, for the length of a block."""
    server = grpc.server(ThreadPoolExecutor(16))
    server.add_generic_rpc_handlers((handler,))
    credentials = grpc.ssl_server_credentials(((key.read_bytes(), certificate.read_bytes()),))
    port = server.add_secure_port("localhost:0", credentials)
    server.start()
    yield f"localhost:{port}"
    server.stop(None)


@pytest.fixture(scope="module")
def gate(sail: Sail, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Gate]]:
    """A gate, and where it listens; its certificate is the only one that this process trusts."""
    key, certificate = certified(tmp_path_factory.mktemp("trusted"))
    handler = Gate(f"127.0.0.1:{sail.port}")
    with pytest.MonkeyPatch.context() as patch, listening(handler, key, certificate) as place:
        patch.setenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", str(certificate))
        yield place, handler


async def test_a_token_over_tls(gate: tuple[str, Gate], tmp_path: Path) -> None:
    """Files are listed, and queries asked, through it."""
    place, handler = gate
    source = {"t": written(tmp_path / "t", "a.parquet", "SELECT 1::BIGINT AS x FROM range(10)")}
    async with engine(f"sc://{place}/;use_ssl=true;token={TOKEN}", source) as opened:
        assert (await asked(opened)).rows == ((10,),)
        assert await opened.warnings(()) == ()
    assert handler.called > 0 == handler.refused


async def test_who_has_no_token_or_no_tls_is_not_let_in(gate: tuple[str, Gate]) -> None:
    place, handler = gate
    for url in (f"sc://{place}/;use_ssl=true;token=wrong", f"sc://{place}"):
        await _fails(url)
    assert handler.refused > 0


async def test_another_certificate_is_not_trusted(gate: tuple[str, Gate], tmp_path: Path) -> None:
    """The token is not told to who has it."""
    _, handler = gate
    with listening(handler, *certified(tmp_path)) as place:
        before = handler.called
        await _fails(f"sc://{place}/;use_ssl=true;token={TOKEN}")
    assert handler.called == before


async def _fails(url: str) -> None:
    with pytest.raises(ConfigFault) as fault:
        async with engine(url, {}):
            pass
    assert "token" not in f"{fault.value.message} {fault.value.detail}"
