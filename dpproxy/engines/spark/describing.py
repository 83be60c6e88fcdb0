"""The schema of a server's current schema, for `dpproxy init`: its catalog is asked, and no row."""

from __future__ import annotations

from collections.abc import Callable

from dpproxy.engines.described import Database, DescribedColumn, DescribedTable, sayable
from dpproxy.engines.spark.schema import found_tables
from dpproxy.engines.spark.sessions import Session
from dpproxy.errors import ConfigFault


def described(url: str, tell: Callable[[str], None]) -> Database:
    """The tables. Raises ConfigFault, in which nothing of the URL is."""
    try:
        session = Session(url)
        try:
            session.begin({})
            found = found_tables(session, {}, frozenset())
        finally:
            session.cut()
    except ConfigFault:
        raise
    except Exception as cause:
        raise ConfigFault("the Spark server cannot be used", detail=type(cause).__name__) from cause
    tell(f"{len(found.columns)} tables")
    tables = {
        name: DescribedTable(name, tuple(DescribedColumn(each.name, each.type, each.nullable) for each in columns))
        for name, columns in sorted(found.columns.items())
        if sayable("", name)
    }
    others = tuple(f"{name} ({what})" for name, what in sorted(found.others.items()))
    return Database("spark", "${SPARK_URL}", tables, others)
