"""Where a front listens and who owns it: all that is needed to open a connection."""

from __future__ import annotations

from dataclasses import dataclass, field

from psycopg.conninfo import make_conninfo

from dpproxy.front.encryption import Encryption


@dataclass(frozen=True, slots=True)
class FrontAddress:
    """A front's address. A host that begins with a slash is the directory of its Unix socket.

    The socket's file is `{host}/.s.PGSQL.{port}`. The password is the owner's and stays out of `repr`.
    url: of a given front, as libpq takes it, with all that the owner wrote. encryption: of connections over TCP; None
    leaves them plain.
    """

    host: str
    port: int
    database: str
    owner: str
    password: str | None = field(repr=False)
    url: str | None = field(default=None, repr=False)
    encryption: Encryption | None = None

    def conninfo(self) -> str:
        """A libpq connection string for the owner, quoted."""
        return self.url or make_conninfo(
            host=self.host, port=self.port, dbname=self.database, user=self.owner, password=self.password
        )
