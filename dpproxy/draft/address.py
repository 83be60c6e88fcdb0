"""The URL of a database: where to read, and how the policy says it, without any secret."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from dpproxy.errors import ConfigFault

_SECRETS = {"password": "${PGPASSWORD}", "sslpassword": "${PGSSLPASSWORD}", "oauth_client_secret": "${OAUTH_SECRET}"}
_PLACED = ("user", "host", "port", "dbname", "password")


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """A database of a server. `conninfo` may hold a password and is never shown; `url` is the policy's."""

    conninfo: str = field(repr=False)
    name: str
    url: str
    secrets: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class DuckDBAddress:
    """A file."""

    path: Path
    url: str


def address(url: str, beside: Path) -> PostgresAddress | DuckDBAddress:
    """What `url` names; a relative path in the policy's is relative to the directory `beside`. Raises ConfigFault."""
    if re.match("postgres(ql)?://", url):
        return _postgres(url)
    if match := re.fullmatch("duckdb:///(.+)", url):
        return _duckdb(Path(match[1]), beside)
    raise ConfigFault(
        "this URL names no kind of engine",
        hint='Write "postgresql://USER@HOST/DATABASE" or "duckdb:///FILE" (an absolute path has a fourth slash).',
    )


def _postgres(url: str) -> PostgresAddress:
    try:
        named = {key: str(value) for key, value in conninfo_to_dict(url).items() if value not in (None, "")}
    except ProgrammingError:
        raise ConfigFault(
            "this is no URL of a Postgres",
            hint="Write postgresql://USER:PASSWORD@HOST:PORT/DATABASE; a % or @ in a password is %25 or %40.",
        ) from None
    if "dbname" not in named:
        raise ConfigFault("this URL names no database", hint="Write it last: postgresql://USER@HOST/DATABASE")
    secrets = tuple(named[key] for key in _SECRETS if key in named)
    return PostgresAddress(url, named["dbname"], _without_secrets(named), secrets)


def _without_secrets(named: Mapping[str, str]) -> str:
    """The URL with each secret taken from the environment, its parts percent-encoded."""
    user = _part(named["user"]) if "user" in named else ""
    password = f":{_SECRETS['password']}" if "password" in named else ""
    login = f"{user}{password}@" if user or password else ""
    more = "&".join(f"{key}={_SECRETS.get(key, _part(value))}" for key, value in named.items() if key not in _PLACED)
    return f"postgresql://{login}{_hosts(named)}/{_part(named['dbname'])}{'?' + more if more else ''}"


def _hosts(named: Mapping[str, str]) -> str:
    """One host or several, each with its port; a directory of a socket is encoded."""
    hosts, ports = named.get("host", "").split(","), named.get("port", "").split(",")
    ports *= len(hosts) if len(ports) == 1 else 1
    return ",".join(_host(host) + (f":{port}" if port else "") for host, port in zip(hosts, ports, strict=False))


def _host(host: str) -> str:
    return f"[{host}]" if ":" in host else _part(host)


def _part(text: str) -> str:
    return quote(text, safe="")


def _duckdb(path: Path, beside: Path) -> DuckDBAddress:
    written = path.as_posix() if path.is_absolute() else Path(os.path.relpath(path, beside)).as_posix()
    return DuckDBAddress(path, f"duckdb:///{written}")
