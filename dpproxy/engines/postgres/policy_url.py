"""The URL of a database as a policy says it: without any secret.

Checked by: tests/test_init.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

_SECRETS = {"password": "${PGPASSWORD}", "sslpassword": "${PGSSLPASSWORD}", "oauth_client_secret": "${OAUTH_SECRET}"}
_PLACED = ("user", "host", "port", "dbname", "password")


def secrets(said: Mapping[str, str]) -> tuple[str, ...]:
    """What of the parts of a URL nobody may see."""
    return tuple(said[key] for key in _SECRETS if key in said)


def without_secrets(said: Mapping[str, str]) -> str:
    """The URL with each secret taken from the environment, its parts percent-encoded."""
    user = _part(said["user"]) if "user" in said else ""
    password = f":{_SECRETS['password']}" if "password" in said else ""
    login = f"{user}{password}@" if user or password else ""
    more = "&".join(f"{key}={_SECRETS.get(key, _part(value))}" for key, value in said.items() if key not in _PLACED)
    return f"postgresql://{login}{_hosts(said)}/{_part(said['dbname'])}{'?' + more if more else ''}"


def _hosts(said: Mapping[str, str]) -> str:
    """One host or several, each with its port; a directory of a socket is encoded."""
    hosts, ports = said.get("host", "").split(","), said.get("port", "").split(",")
    ports *= len(hosts) if len(ports) == 1 else 1
    return ",".join(_host(host) + (f":{port}" if port else "") for host, port in zip(hosts, ports, strict=False))


def _host(host: str) -> str:
    return f"[{host}]" if ":" in host else _part(host)


def _part(text: str) -> str:
    return quote(text, safe="")
