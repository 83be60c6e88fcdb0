"""The front, and the ledger, must not be in the engine's database: analysts' sessions live in the one, the data in the
other. Names in URLs say nothing (a host has many), so the servers themselves are asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from dpproxy.config import Config, Fault, refuse
from dpproxy.config.field_types import Postgres
from dpproxy.front.given_front import said

_PATIENCE: Final = 10  # seconds to connect in, unless a URL says otherwise
_WHERE: Final = """
SELECT oid, to_char(pg_postmaster_start_time() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')
FROM pg_database WHERE datname = current_database()
"""
_MAY_ASK: Final = "SELECT has_function_privilege('pg_control_system()', 'EXECUTE')"
# Kept by a standby and by a copy of a server's files: the engine may be a replica of where the front is.
_CLUSTER: Final = "SELECT system_identifier FROM pg_control_system()"


@dataclass(frozen=True, slots=True)
class _Place:
    """A database: of which server, by its start and by the files that it was made from, and its OID there."""

    oid: int
    started: str
    cluster: int | None

    def is_same_server(self, other: _Place) -> bool:
        return self.started == other.started or (self.cluster is not None and self.cluster == other.cluster)

    def is_same(self, other: _Place) -> bool:
        return self.oid == other.oid and self.is_same_server(other)


async def check_separate_databases(config: Config) -> tuple[str, ...]:
    """A line for each thing that is doubtful: a front on the engine's server.

    Raises ConfigFault where the front or the ledger is in the engine's database, or one of them cannot be reached.
    """
    urls = dict(_urls(config))
    if "engine" not in urls or len(urls) == 1:
        return ()
    faults: list[Fault] = []
    places: dict[str, _Place] = {}
    for section, url in urls.items():
        try:
            places[section] = await _place(url)
        except psycopg.Error as error:
            faults.append(Fault((section, "url"), said(error), "a database that can be reached"))
    refuse(config.path, tuple(faults))
    engine = places.pop("engine")
    together = [section for section, place in places.items() if place.is_same(engine)]
    refuse(config.path, tuple(_fault(section) for section in together))
    return tuple(_warnings(section for section, place in places.items() if place.is_same_server(engine)))


def _urls(config: Config) -> Iterator[tuple[str, str]]:
    if config.engine.url.conninfo is not None:
        yield "engine", config.engine.url.conninfo
    for name, section in (("front", config.front), ("ledger", config.ledger)):
        if isinstance(section.url, Postgres):
            yield name, section.url.url


async def _place(url: str) -> _Place:
    patience = conninfo_to_dict(url).get("connect_timeout") or _PATIENCE
    own = make_conninfo(url, connect_timeout=patience, application_name="dpproxy")
    async with await AsyncConnection.connect(own, prepare_threshold=None) as connection:
        oid, started = await _row(connection, _WHERE)
        (allowed,) = await _row(connection, _MAY_ASK)
        (cluster,) = await _row(connection, _CLUSTER) if allowed else (None,)
        return _Place(oid, started, cluster)


async def _row(connection: AsyncConnection[Any], query: str) -> tuple[Any, ...]:
    cursor = await connection.execute(query.encode())
    row: tuple[Any, ...] = await cursor.fetchone() or ()
    return row


def _fault(section: str) -> Fault:
    return Fault((section, "url"), "is in the engine's database, or in a copy of it", "a database of its own")


def _warnings(sections: Iterator[str]) -> Iterator[str]:
    for section in sections:
        if section == "front":
            yield (
                "front.url: is on the engine's server; one of its own shares no counters of use with the data, and"
                " no analyst's role can be let into the engine's database by mistake"
            )
