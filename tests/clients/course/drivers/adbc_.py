"""ADBC's Postgres driver: Arrow tables, which it reads by COPY in binary; with parameters it does without COPY."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import adbc_driver_postgresql.dbapi as adbc

from ..client import Address, Client, Part
from ..questions import BY_SEX
from ..session import PLAIN, Session, fetched, runs


def uri(address: Address) -> str:
    """How libpq connects, in one word."""
    place = f"{address.host}:{address.port}/{address.database}"
    secure = f"sslmode=verify-ca&sslrootcert={quote(address.certificate)}"
    return f"postgresql://{address.user}:{quote(address.password)}@{place}?{secure}"


@contextmanager
def _session(address: Address) -> Iterator[Session]:
    with adbc.connect(uri(address), autocommit=True) as connection, connection.cursor() as cursor:

        def rows(sql: str, values: Any = ()) -> list[Any]:
            cursor.adbc_statement.set_options(**{"adbc.postgresql.use_copy": "false"})
            cursor.execute(sql, values or None)
            return fetched(cursor)

        yield Session(rows, adbc.Error, lambda fault: fault.sqlstate, cursor.adbc_cancel, "$1")


def _introspects(address: Address) -> Any:
    with adbc.connect(uri(address)) as connection:
        (catalog,) = (
            connection.adbc_get_objects(catalog_filter="demo", db_schema_filter="public").read_all().to_pylist()
        )
    (schema,) = catalog["catalog_db_schemas"]
    tables = {each["table_name"]: each for each in schema["db_schema_tables"]}
    columns = {each["column_name"]: each["remarks"] for each in tables["people"]["table_columns"]}
    (link,) = (each for each in tables["visits"]["table_constraints"] if each["constraint_type"] == "FOREIGN KEY")
    (target,) = link["constraint_column_usage"]
    return {
        "tables": [*tables],
        "columns": [*columns],
        "comment": columns["age"],
        "primary key": tables["people"]["table_constraints"][0]["constraint_column_names"],
        "foreign key": [*link["constraint_column_names"], target["fk_table"], target["fk_column_name"]],
    }


def _copy(address: Address) -> Any:
    with adbc.connect(uri(address)) as connection, connection.cursor() as cursor:
        cursor.execute(BY_SEX.sql)
        return [tuple(row.values()) for row in cursor.fetch_arrow_table().to_pylist()]


CLIENTS = (
    Client(
        "ADBC",
        lambda: None,
        runs(_session, *PLAIN, Part.CANCEL) | {Part.INTROSPECTS: _introspects, Part.COPY: _copy},
    ),
)
