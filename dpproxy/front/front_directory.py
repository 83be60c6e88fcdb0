"""The directory of an embedded front: what lies in it, whose it is, and who holds it.

    proxy.lock       locked by the proxy that uses the directory; holds its pid
    server.lock      locked by every server process: they inherit the open file, so it is free only when all are gone
    owner.password   the owner's password, mode 0600
    data/            the cluster, with its Unix socket; owned by the user that the server runs as, mode 0700
    data.new/        a cluster being made; it is renamed to `data` as the last step, so `data` is always complete
    postgres.log     the server's log

Directories that were there before keep their mode and owner, whatever they are.
"""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from dpproxy.errors import FrontUnavailable

SERVER_ACCOUNTS = ("postgres", "nobody")


class Identity(TypedDict, total=False):
    """The arguments of `subprocess` that give up root's identity; none of them where there is nothing to give up."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class ServerUser:
    """The user that the server runs as when the proxy is root: Postgres refuses to run as root."""

    name: str
    uid: int
    gid: int


def identity(user: ServerUser | None) -> Identity:
    """Keyword arguments for `subprocess`; None is the user of this process."""
    return {"user": user.uid, "group": user.gid, "extra_groups": []} if user else {}


@dataclass(frozen=True, slots=True)
class FrontDirectory:
    """Paths of one front's directory (see the module's page)."""

    path: Path

    @property
    def data(self) -> Path:
        """The cluster, complete if it exists."""
        return self.path / "data"

    @property
    def unfinished(self) -> Path:
        """A cluster being made."""
        return self.path / "data.new"

    @property
    def password(self) -> Path:
        """The file with the owner's password."""
        return self.path / "owner.password"

    @property
    def log(self) -> Path:
        """The server's log."""
        return self.path / "postgres.log"

    @property
    def server_lock(self) -> Path:
        """The file that every server process keeps locked."""
        return self.path / "server.lock"

    def major_version(self) -> int | None:
        """The major version that made the cluster; None when there is no cluster yet.

        Raises FrontUnavailable when `data` is not a cluster: nothing that we did not make is ever removed.
        """
        if not self.data.exists():
            return None
        try:
            return int((self.data / "PG_VERSION").read_text())
        except (FileNotFoundError, ValueError):
            raise _no_cluster(self.data) from None

    def tag(self) -> str:
        """A name that all server processes over this cluster carry in their command line, and no others do."""
        status = self.data.stat()
        return f"dpproxy-{status.st_dev:x}-{status.st_ino:x}"

    def server_user(self) -> ServerUser | None:
        """Who the server runs as: None is the user of this process.

        Raises FrontUnavailable when the cluster belongs to somebody else.
        """
        cluster = self.data.stat() if self.data.exists() else None
        if os.geteuid() == 0:
            return _server_account() if cluster is None else _owner(self.data, cluster)
        if cluster is not None and cluster.st_uid != os.geteuid():
            raise FrontUnavailable(
                f"{self.data} belongs to another user (uid {cluster.st_uid})",
                hint="Run dpproxy as that user or as root, or choose another directory for the front.",
            )
        return None


def _owner(data: Path, cluster: os.stat_result) -> ServerUser:
    if cluster.st_uid == 0:
        raise _no_cluster(data)
    return ServerUser(f"with uid {cluster.st_uid}", cluster.st_uid, cluster.st_gid)


def _server_account() -> ServerUser:
    """The first account there is of those meant for a server."""
    accounts = {entry.pw_name: entry for entry in pwd.getpwall()}
    for name in SERVER_ACCOUNTS:
        if name in accounts:
            return ServerUser(name, accounts[name].pw_uid, accounts[name].pw_gid)
    raise FrontUnavailable(
        f"Postgres does not run as root, and there is no user named {' or '.join(SERVER_ACCOUNTS)} to run it as",
        hint="Make a user named postgres, or run dpproxy as an ordinary user.",
    )


def _no_cluster(data: Path) -> FrontUnavailable:
    return FrontUnavailable(
        f"{data} is not a Postgres data directory of dpproxy's", hint="Choose another directory for the front."
    )
