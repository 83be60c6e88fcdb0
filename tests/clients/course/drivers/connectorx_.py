"""connectorx in its four protocols, and polars, which reads by connectorx, by ADBC or by another driver's connection.

A statement is all that they know: no parameters, no transactions, no way to cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import connectorx
import polars

from ..client import Address, Client, Part, Run
from ..questions import BY_SEX, QUESTIONS
from ..session import INTROSPECTION
from .adbc_ import uri
from .psycopg3 import connect

Read = Callable[[Address, str], list[Any]]


def connectorx_uri(address: Address) -> str:
    """It knows no `verify-ca`: with `require` it checks the certificate if one is named."""
    return uri(address).replace("verify-ca", "require")


def _read(protocol: str, address: Address, sql: str) -> list[Any]:
    table = connectorx.read_sql(connectorx_uri(address), sql, protocol=protocol, return_type="arrow")
    return [tuple(row.values()) for row in table.to_pylist()]


def _polars(address: Address, sql: str) -> list[Any]:
    with connect(address) as connection:
        return polars.read_database(sql, connection).rows()


def _polars_adbc(address: Address, sql: str) -> list[Any]:
    return polars.read_database_uri(sql, uri(address), engine="adbc").rows()


def _polars_connectorx(address: Address, sql: str) -> list[Any]:
    return polars.read_database_uri(sql, connectorx_uri(address), engine="connectorx").rows()


def _connects(read: Read, address: Address) -> Any:
    return read(address, "SELECT current_user::text")[0]


def _introspects(read: Read, address: Address) -> Any:
    told = {name: [row[0] for row in read(address, sql)] for name, sql in INTROSPECTION.items()}
    return told | {"comment": told["comment"][0]}


def _answers(read: Read, address: Address) -> Any:
    return {each.name: read(address, each.literal) for each in QUESTIONS}


def _by_sex(read: Read, address: Address) -> Any:
    return read(address, BY_SEX.sql)


def _parts(read: Read, *more: Part) -> dict[Part, Run]:
    own = {Part.CONNECTS: _connects, Part.INTROSPECTS: _introspects, Part.ANSWERS: _answers}
    return {part: partial(run, read) for part, run in (own | dict.fromkeys(more, _by_sex)).items()}


CLIENTS = (
    Client("connectorx, simple", lambda: None, _parts(partial(_read, "simple"))),
    Client("connectorx, cursor", lambda: None, _parts(partial(_read, "cursor"), Part.CURSOR)),
    Client("connectorx, csv", lambda: None, _parts(partial(_read, "csv"), Part.COPY)),
    Client("connectorx", lambda: None, _parts(partial(_read, "binary"), Part.COPY)),
    Client("polars", lambda: None, _parts(_polars)),
    Client("polars, ADBC", lambda: None, _parts(_polars_adbc, Part.COPY)),
    Client("polars, connectorx", lambda: None, _parts(_polars_connectorx, Part.COPY)),
)
