"""A front in a Postgres that is already running: where it is, and whether it will do.

Its owner is CREATEROLE and owns the database; more is welcome and not needed. Nothing is started and nothing stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Conninfo, ConninfoOption

from dpproxy.errors import ConfigFault
from dpproxy.front.encryption import encryption
from dpproxy.front.front_address import FrontAddress

OLDEST_VERSION: Final = 130000
_PATIENCE: Final = 10  # seconds to connect in, unless the URL says otherwise
_ASKED: Final = """
SELECT pg_backend_pid(), rolsuper OR rolcreaterole, pg_has_role(datdba, 'USAGE'), pg_is_in_recovery(),
       current_setting('server_encoding'), current_setting('max_connections')::integer, datconnlimit
FROM pg_database CROSS JOIN pg_roles WHERE datname = current_database() AND rolname = current_user
"""


@dataclass(frozen=True, slots=True)
class _ServerFacts:
    """What a server says of itself and of the one who asks. room: how many connections it takes, at most."""

    backend: int
    makes_roles: bool
    owns: bool
    standby: bool
    encoding: str
    most: int
    database_limit: int

    @property
    def room(self) -> int:
        return self.most if self.database_limit < 0 else min(self.most, self.database_limit)


@dataclass(frozen=True, slots=True)
class GivenFront:
    """A front that somebody else runs; `room` is how many connections its server takes."""

    address: FrontAddress
    room: int


async def given_front(url: str) -> GivenFront:
    """Raises ConfigFault, in words that name `front.url` and never its password, where it cannot be a front."""
    own = _with_patience(url)
    asked = _settings(Conninfo.get_defaults()) | conninfo_to_dict(url)
    _refuse(_many_hosts(asked))
    try:
        async with await AsyncConnection.connect(own) as connection:
            cursor = await connection.execute(_ASKED)
            found = _ServerFacts(*(await cursor.fetchone() or ()))
            settings = _settings(connection.pgconn.info)
            _refuse(_faults(connection, found, settings))
            return GivenFront(_address(connection, own, settings, asked.get("hostaddr")), found.room)
    except psycopg.OperationalError as error:
        raise _fault(f"{said(error)}; expected an owner who can connect there") from None
    except (OSError, KeyError) as error:
        raise _fault(f"its TLS settings cannot be used ({error}); expected files that can be read") from None


def _with_patience(url: str) -> str:
    named = conninfo_to_dict(url)
    return make_conninfo(
        url,
        application_name=named.get("application_name") or "dpproxy front",
        connect_timeout=named.get("connect_timeout") or _PATIENCE,
    )


def _many_hosts(asked: Mapping[str, Any]) -> Iterator[str]:
    if any("," in str(asked.get(key, "")) for key in ("host", "hostaddr", "port")):
        yield "it names several hosts; expected one"


def _settings(options: list[ConninfoOption]) -> dict[str, Any]:
    """All that libpq goes by: the URL, the environment, a service file, its defaults."""
    return {each.keyword.decode(): each.val.decode() for each in options if each.val}


def _address(
    connection: AsyncConnection[Any], own: str, settings: Mapping[str, str], number: str | None
) -> FrontAddress:
    """number: the host's, if the owner wrote one; else its name is looked up for each connection."""
    told = connection.info
    host = number or told.host
    name = settings.get("host") or host
    secured = None
    if not told.host.startswith("/"):
        secured = encryption(settings, name, in_use=bool(connection.pgconn.ssl_in_use))
    return FrontAddress(host, told.port, told.dbname, told.user, told.password or None, own, secured)


def _faults(connection: AsyncConnection[Any], found: _ServerFacts, settings: Mapping[str, str]) -> Iterator[str]:
    version = connection.info.server_version
    if version < OLDEST_VERSION:
        yield f"the server is a Postgres {version // 10000}; expected 13 or newer"
    if found.backend != connection.info.backend_pid:
        yield "there is a pooler in between; expected the server itself: each session is a session of its own there"
    if settings.get("channel_binding") == "require":
        yield "channel_binding=require is not supported for analysts' sessions; expected sslmode=verify-full instead"
    if found.standby:
        yield "the server is a standby and takes no changes; expected the primary"
    if found.encoding != "UTF8":
        yield f"the database's encoding is {found.encoding}; expected UTF8"
    user, database = connection.info.user, connection.info.dbname
    if not found.makes_roles:
        yield f'"{user}" may not create roles; expected ALTER ROLE "{user}" CREATEROLE'
    if not found.owns:
        yield f'"{user}" does not own the database; expected ALTER DATABASE "{database}" OWNER TO "{user}"'


def _refuse(faults: Iterator[str]) -> None:
    lines = [f"front.url: {each}" for each in faults]
    if lines:
        raise ConfigFault("the front cannot be used", detail="\n".join(lines))


def _fault(why: str) -> ConfigFault:
    return ConfigFault("the front cannot be used", detail=f"front.url: {why}")


def said(error: psycopg.Error) -> str:
    """Why libpq could not connect, in its own words, which hold no password, as one line."""
    lines = [line.strip(" -\t").removeprefix("connection failed: ") for line in str(error).splitlines()]
    return "; ".join(filter(None, lines)) or "it cannot be reached"
