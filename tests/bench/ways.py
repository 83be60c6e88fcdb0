"""The ways to one and the same session of an analyst: through the proxy, straight to the front, through pgbouncer."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bench import bouncer
from bench.bouncer import Behind, bouncing, program
from bench.timing import Figures
from proxies import ServedProxy
from psycopg import AsyncConnection

from dpproxy.cli.verifier import verifier
from dpproxy.front.embedded_front import running
from dpproxy.front.front_address import FrontAddress
from dpproxy.front.roles import role_password

PROXY, FRONT, BOUNCER = "the proxy", "the front", "pgbouncer"
TRUSTED, GUARDED, PASSWORD = "alice", "dora", "rosa parks, 1955"


@dataclass(frozen=True)
class Ways:
    """Where a session is had, by the name of the way: by trust, and for a password (the front always asks for one).

    pgbouncer is not among them where it is missing, nor TLS where there is no certificate.
    """

    trusted: dict[str, FrontAddress]
    guarded: dict[str, FrontAddress]
    encrypted: bool

    def compared(self, found: dict[str, Figures], unit: str) -> str:
        """Medians of the ways, and the proxy's ratio to each of the others."""
        mine = found[PROXY]
        told = [f"{each.median:,.{_digits(each.median)}f} {unit} through {name}" for name, each in found.items()]
        ratios = [f"{mine.over(each):.2f} of {name}" for name, each in found.items() if name != PROXY]
        return ", ".join([*told, f"ratio {' and '.join(ratios)}"])


def _digits(value: float) -> int:
    return 0 if value >= 100 else 2


def guarded_policy(certificate: tuple[Path, Path] | None) -> dict[str, str]:
    """What a policy needs for connections that show a password, and for those that are encrypted."""
    dora = f'[analysts.{GUARDED}]\npassword = "{verifier(PASSWORD)}"\nepsilon = 1.0\ndelta = 1e-6\n\n[analysts.bob]'
    changes = {"[analysts.bob]": dora}
    if certificate is not None:
        changes["[server]"] = f'[server]\ntls_cert = "{certificate[0]}"\ntls_key = "{certificate[1]}"'
    return changes


def make_certificate(directory: Path) -> tuple[Path, Path] | None:
    """A certificate and its key, if there is an openssl to make them."""
    certificate, key = directory / "server.crt", directory / "server.key"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    try:
        subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    except FileNotFoundError:
        return None
    return certificate, key


@contextmanager
def opened(proxy: ServedProxy, certificate: tuple[Path, Path] | None) -> Iterator[Ways]:
    """All ways that there are on this machine."""
    behind = asyncio.run(_behind(proxy))
    front = behind.front
    served = FrontAddress("127.0.0.1", proxy.port, front.database, TRUSTED, None)
    trusted = {PROXY: served, FRONT: front}
    guarded = {PROXY: replace(served, owner=GUARDED, password=PASSWORD), FRONT: front}
    if program() is None:
        yield Ways(trusted, guarded, certificate is not None)
        return
    with bouncing(behind, certificate) as port:
        trusted[BOUNCER] = replace(served, port=port)
        guarded[BOUNCER] = replace(front, host=served.host, port=port, database=bouncer.GUARDED)
        yield Ways(trusted, guarded, certificate is not None)


async def _behind(proxy: ServedProxy) -> Behind:
    """The front as the role of one analyst: the same rights on every way."""
    directory = proxy.config.front.url.directory
    async with (
        running(directory, proxy.config.server.database) as owner,
        await AsyncConnection.connect(owner.conninfo()) as connection,
    ):
        kept = await connection.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", (TRUSTED,))
        ((verifier,),) = await kept.fetchall()
        password = await role_password(owner.conninfo(), TRUSTED)
    return Behind(replace(owner, owner=TRUSTED, password=password), directory, verifier)
