"""What the clients' tests share: proxies that run as long as the session, and a plain Postgres beside them.

Who asks for `world` (or `backend`) runs twice: before DuckDB with an embedded front, and before a given Postgres.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from scratch_postgres import INSTALLATIONS, ScratchPostgres, scratch_postgres
from worlds import SCRIPT, statements

from dpproxy.cli.verifier import verifier

from .backends import Backend, made_world
from .course.client import Address
from .served import Served, psql_program, serving

# alice may spend a lot, carol as little as one statement, erna without an end; dora and gina show a password.
# What gina asks costs so much that the noise is rounded away.
ANALYSTS = """
[analysts.erna]
trust = true
epsilon = 1e15
delta = 0.5

[analysts.carol]
trust = true
epsilon = 0.5
delta = 1e-6

[analysts.dora]
password = "{verifier}"
epsilon = 10.0
delta = 1e-6
tables = ["people", "departments"]

[analysts.gina]
password = "{verifier}"
epsilon = 1e15
delta = 0.5
[analysts.gina.defaults]
epsilon = 1e5
"""
PASSWORD = "rosa parks, 1955"


@pytest.fixture(scope="session")
def psql_path() -> Path:
    path = psql_program()
    if path is None:
        pytest.skip("there is no psql")
    return path


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path] | None:
    """A certificate for localhost and its key, if there is an openssl to make them."""
    directory = tmp_path_factory.mktemp("tls")
    certificate, key = directory / "server.crt", directory / "server.key"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    try:
        subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    except FileNotFoundError:
        return None
    return certificate, key


@pytest.fixture(scope="module", params=[Backend.EMBEDDED, pytest.param(Backend.GIVEN, marks=pytest.mark.long)])
def backend(request: pytest.FixtureRequest) -> Backend:
    """What the proxy stands before."""
    found: Backend = request.param
    return found


@pytest.fixture(scope="module")
def world(backend: Backend, request: pytest.FixtureRequest) -> Served:
    """The world of sql_fixtures behind a proxy; TLS is there for who wants it."""
    served: Served = request.getfixturevalue(f"{backend}_world")
    return served


@pytest.fixture
def erna(world: Served) -> Iterator[psycopg.Connection[Any]]:
    """She may spend without an end, and pays so much that the noise is small."""
    with world.connect("erna") as connection:
        connection.execute("SET dp.epsilon = 1000")
        yield connection


@pytest.fixture(scope="session")
def embedded_world(tmp_path_factory: pytest.TempPathFactory, certificate: tuple[Path, Path] | None) -> Iterator[Served]:
    """`world` before DuckDB, as long as the session."""
    with _served_world(Backend.EMBEDDED, tmp_path_factory.mktemp("embedded"), certificate) as served:
        yield served


@pytest.fixture(scope="session")
def given_world(tmp_path_factory: pytest.TempPathFactory, certificate: tuple[Path, Path] | None) -> Iterator[Served]:
    """`world` before a given Postgres, as long as the session."""
    with _served_world(Backend.GIVEN, tmp_path_factory.mktemp("given"), certificate) as served:
        yield served


@contextmanager
def _served_world(backend: Backend, directory: Path, certificate: tuple[Path, Path] | None) -> Iterator[Served]:
    with made_world(backend, directory) as policy:
        text = policy.read_text().replace("epsilon = 100.0", "epsilon = 10000.0")
        # For statements that take long: at an epsilon such as erna's their time is hidden as well.
        text = text.replace("\n[privacy]\n", "\n[privacy]\nmax_fanout = 1000000000\n")
        text += ANALYSTS.format(verifier=verifier(PASSWORD))
        policy.write_text(with_tls(text, certificate))
        with serving(policy, "demo") as served:
            yield served


@pytest.fixture(scope="module")
def gina(world: Served, certificate: tuple[Path, Path] | None) -> Address:
    """Where gina finds the world, with TLS or without."""
    if certificate is None:
        pytest.skip("there is no openssl")
    return Address(world.host, world.port, world.database, "gina", PASSWORD, str(certificate[0]), world.port)


def with_tls(policy: str, certificate: tuple[Path, Path] | None) -> str:
    """The policy with the certificate, if there is one."""
    if certificate is None:
        return policy
    return policy.replace("\n[server]", f'\n[server]\ntls_cert = "{certificate[0]}"\ntls_key = "{certificate[1]}"')


@pytest.fixture(scope="session")
def plain() -> Iterator[ScratchPostgres]:
    """A plain Postgres with the world's own tables and rows: what a client of an ordinary server sees."""
    with scratch_postgres(list(INSTALLATIONS.values())[-1]) as server:
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            for statement in statements(SCRIPT):
                connection.execute(statement)
        yield server
