"""psqlODBC by pyodbc. ODBC has no COPY."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from ..client import Address, Client, Part
from ..questions import BY_SEX
from ..session import Session, fetched, runs

try:
    import pyodbc
except ImportError:  # of the module, or of unixODBC's library
    pyodbc = None

DRIVER = "PostgreSQL Unicode"


def lacks() -> str | None:
    """pyodbc, or the driver that its manager is to know."""
    if pyodbc is None:
        return "pyodbc with unixODBC"
    return None if DRIVER in pyodbc.drivers() else f"ODBC driver {DRIVER}"


def connect(address: Address, **options: object) -> pyodbc.Connection:
    """A connection in autocommit. The certificate reaches libpq by the driver's pqopt."""
    return pyodbc.connect(
        driver=f"{{{DRIVER}}}",
        server=address.host,
        port=address.port,
        database=address.database,
        uid=address.user,
        pwd=f"{{{address.password}}}",
        sslmode="verify-full",
        pqopt=f"{{sslrootcert={address.certificate}}}",
        autocommit=True,
        boolsaschar=0,
        **options,
    )


@contextmanager
def opened(address: Address, **options: object) -> Iterator[Session]:
    """A session of one cursor: pyodbc keeps prepared what a cursor is given again."""
    connection = connect(address, **options)
    cursor = connection.cursor()
    yield Session(
        lambda sql, values=(): fetched(cursor.execute(sql, *values)),
        pyodbc.Error,
        lambda fault: str(fault.args[0]),
        cursor.cancel,
        "?",
    )
    connection.close()


def introspects(address: Address) -> Any:
    """By ODBC's catalog functions."""
    connection = connect(address)
    cursor = connection.cursor()
    link = cursor.foreignKeys(foreignTable="visits", foreignSchema="public").fetchone()
    columns = cursor.columns(table="people", schema="public").fetchall()
    told = {
        "tables": [row.table_name for row in cursor.tables(schema="public", tableType="TABLE")],
        "columns": [row.column_name for row in columns],
        "primary key": [row.column_name for row in cursor.primaryKeys(table="people", schema="public")],
        "foreign key": [link.fkcolumn_name, link.pktable_name, link.pkcolumn_name],
    }
    connection.close()
    return told


def by_cursor(address: Address) -> Any:
    """The driver declares a cursor for every statement, and fetches one row at a time."""
    with opened(address, usedeclarefetch=1, fetch=1) as session:
        return session.rows(BY_SEX.sql)


CLIENTS = (
    Client(
        "psqlODBC",
        lacks,
        {
            **runs(opened, Part.CONNECTS, Part.ANSWERS, Part.PREPARED, Part.CANCEL),
            # Without the savepoint that the driver makes before each statement by default.
            **runs(partial(opened, protocol="7.4-0"), Part.ERRORS),
            Part.INTROSPECTS: introspects,
            Part.CURSOR: by_cursor,
        },
    ),
)
