"""What ADBC, connectorx and polars have beyond the course: what they ask in secret, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import adbc_driver_postgresql.dbapi as adbc
import connectorx
import polars
import pyarrow
import pytest

from .course.client import Address
from .course.drivers.adbc_ import uri
from .course.drivers.connectorx_ import connectorx_uri
from .course.drivers.psycopg3 import connect
from .course.questions import BY_SEX
from .test_psycopg import charges

pytestmark = pytest.mark.long

ROWS = [("F", 200, 9420), ("M", 200, 9580)]


@pytest.fixture
def cursor(gina: Address) -> Iterator[Any]:
    with adbc.connect(uri(gina), autocommit=True) as connection, connection.cursor() as cursor:
        yield cursor


def rows(table: pyarrow.Table) -> list[Any]:
    return [tuple(row.values()) for row in table.to_pylist()]


def test_adbc_describes_for_nothing(cursor: Any, gina: Address) -> None:
    with connect(gina) as connection:
        before = charges(connection)
        schema = cursor.adbc_execute_schema(BY_SEX.sql)
        assert [str(each.type) for each in schema] == ["string", "int64", "int64"]
        assert str(cursor.adbc_prepare("SELECT count(*) FROM people WHERE age > $1").field(0).type) == "int32"
        assert charges(connection) == before


def test_adbc_runs_once_for_each_row_of_parameters(cursor: Any) -> None:
    cursor.execute("SELECT count(*) AS n FROM people WHERE age > $1", pyarrow.record_batch({"age": [30, 40]}))
    assert rows(cursor.fetch_arrow_table()) == [(314,), (247,)]


def test_adbc_reads_in_pieces(cursor: Any) -> None:
    cursor.execute(BY_SEX.sql)
    assert rows(cursor.fetch_record_batch().read_all()) == ROWS


def test_adbc_knows_the_tables(cursor: Any) -> None:
    """Its statistics are of public tables only."""
    connection = cursor.connection
    assert connection.adbc_get_table_schema("people").names[:3] == ["person_id", "age", "sex"]
    assert "table" in connection.adbc_get_table_types()
    (catalog,) = connection.adbc_get_statistics(db_schema_filter="public").read_all().to_pylist()
    told = {each["table_name"] for schema in catalog["catalog_db_schemas"] for each in schema["db_schema_statistics"]}
    assert told <= {"departments", "nation"}


@pytest.mark.parametrize(
    ("protocol", "kind", "statements"),
    [
        ("binary", "arrow", 1),
        ("csv", "arrow", 1),
        ("cursor", "arrow", 1),
        ("simple", "arrow", 1),
        ("binary", "pandas", 2),
    ],
)
def test_connectorx_counts_first_for_pandas(protocol: Any, kind: Any, statements: int, gina: Address) -> None:
    """For a frame of pandas it asks for the number of rows beforehand, and that is a statement of its own.

    Arrow's tables, which polars takes too, are asked for once.
    """
    with connect(gina) as connection:
        before = charges(connection)
        table = connectorx.read_sql(connectorx_uri(gina), BY_SEX.sql, protocol=protocol, return_type=kind)
        assert len(table) == 2
        assert charges(connection) == before + statements


def test_connectorx_divides(gina: Address) -> None:
    """By the least and the largest of a released column; those of a private one are paid for, and its rows refused."""
    where = connectorx_uri(gina)
    parts = connectorx.read_sql(where, BY_SEX.sql, return_type="arrow", partition_on="years", partition_num=2)
    assert sorted(rows(parts)) == ROWS
    with connect(gina) as connection:
        before = charges(connection)
        with pytest.raises(RuntimeError, match="would return rows of private tables"):
            connectorx.read_sql(where, "SELECT * FROM people", return_type="arrow", partition_on="age", partition_num=2)
        assert charges(connection) == before + 1


def test_connectorx_sets_what_a_statement_costs(gina: Address) -> None:
    with connect(gina) as connection:
        settings = ["SET dp.epsilon = '54321'"]
        connectorx.read_sql(connectorx_uri(gina), BY_SEX.sql, return_type="arrow", pre_execution_query=settings)
        last = connection.execute("SELECT epsilon FROM dp.statements ORDER BY id DESC LIMIT 1").fetchone()
        assert last == (54321,)


def test_polars_with_parameters_and_in_batches(gina: Address) -> None:
    with connect(gina) as connection:
        sql = "SELECT count(*) FROM people WHERE age > %s"
        assert polars.read_database(sql, connection, execute_options={"params": [30]}).rows() == [(314,)]
        batches = polars.read_database(BY_SEX.sql, connection, iter_batches=True, batch_size=1)
        assert [batch.rows() for batch in batches] == [[row] for row in ROWS]
