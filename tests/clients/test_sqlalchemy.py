"""What SQLAlchemy has beyond the course, by each driver: the reflection of everything, mapped classes, a pool."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas
import pytest
from sqlalchemy import Connection, MetaData, create_engine, func, inspect, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.automap import automap_base
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from .course.client import Address
from .course.drivers.sqlalchemy_ import DRIVERS, asked, secured, url
from .course.questions import BY_SEX, PREVIEW

BY = pytest.mark.parametrize("driver", DRIVERS)
ROWS = [("F", 200, 9420), ("M", 200, 9580)]


class Base(DeclarativeBase):
    """Mapped classes."""


class Person(Base):
    """A row of people."""

    __tablename__ = "people"
    person_id: Mapped[int] = mapped_column(primary_key=True)
    age: Mapped[int]
    sex: Mapped[str]
    joined: Mapped[date]


def _everything(connection: Connection) -> Any:
    metadata = MetaData()
    for schema in (None, "dp", "information_schema"):
        metadata.reflect(connection, schema=schema, views=True)
    inspector = inspect(connection)
    kinds = {name: getattr(inspector, name)() for name in dir(inspector) if name.startswith("get_multi_")}
    lists = ["get_schema_names", "get_sequence_names", "get_view_names", "get_temp_table_names", "get_temp_view_names"]
    lists += ["get_materialized_view_names", "get_enums", "get_domains", "get_foreign_table_names"]
    return metadata, kinds, {name: getattr(inspector, name)() for name in lists}


@BY
def test_everything_is_reflected(driver: str, gina: Address) -> None:
    metadata, kinds, lists = asked(driver, _everything, gina)
    assert {"people", "visits", "dp.budget", "information_schema.columns"} <= {*metadata.tables}
    assert "name" not in metadata.tables["people"].columns
    links = {
        (each.parent.table.name, each.target_fullname)
        for table in metadata.tables.values()
        for each in table.foreign_keys
    }
    assert {("visits", "people.person_id"), ("orders", "customer.custkey"), ("lineitem", "orders.orderkey")} <= links
    assert kinds["get_multi_table_comment"][None, "people"] == {"text": "private: unit person"}
    assert kinds["get_multi_pk_constraint"][None, "orders"]["constrained_columns"] == ["orderkey"]
    assert {"public", "gina"} <= {*lists.pop("get_schema_names")}
    assert not any(lists.values()), lists


def _mapped(connection: Connection) -> Any:
    session = Session(connection)
    total = session.scalar(select(func.count()).select_from(Person).where(Person.joined >= date(2022, 6, 1)))
    grouped = select(Person.sex, func.count(), func.sum(Person.age)).group_by(Person.sex).order_by(Person.sex)
    return total, list(map(tuple, session.execute(grouped)))


@BY
def test_mapped_classes(driver: str, gina: Address) -> None:
    assert asked(driver, _mapped, gina) == (197, ROWS)


def _automapped(connection: Connection) -> Any:
    base = automap_base()
    base.prepare(autoload_with=connection)
    visits, people = base.classes.visits if "visits" in base.classes else None, base.classes.people
    orders, customer = base.classes.orders, base.classes.customer
    joined = select(customer.segment, func.count(orders.orderkey)).join(orders.customer).group_by(customer.segment)
    return visits, people.__table__.name, {segment for segment, _ in Session(connection).execute(joined)}


def test_classes_made_from_the_keys_and_links(gina: Address) -> None:
    """The joins that a tool draws are joins that the proxy takes. What has no primary key gets no class."""
    assert asked("psycopg", _automapped, gina) == (None, "people", {"AUTOMOBILE", "BUILDING", "MACHINERY"})


@pytest.mark.parametrize("driver", [each for each in DRIVERS if each != "asyncpg"])
def test_a_pool(driver: str, gina: Address) -> None:
    """Given back after an error, a connection is reset; taken again, it is asked whether it still lives."""
    engine = create_engine(
        url(gina, driver), pool_size=1, max_overflow=0, pool_pre_ping=True, connect_args=secured(gina, driver)
    )
    for _ in range(3):
        with pytest.raises(DBAPIError), engine.connect() as connection:
            connection.execute(text(PREVIEW))
        with engine.begin() as connection:
            assert list(map(tuple, connection.execute(text(BY_SEX.sql)))) == ROWS
    raw = engine.raw_connection()
    cursor = raw.cursor()
    cursor.execute(BY_SEX.sql)
    assert list(map(tuple, cursor.fetchall())) == ROWS
    raw.close()
    assert engine.pool.status().startswith("Pool size: 1  Connections in pool: 1")
    engine.dispose()


def _isolated(connection: Connection) -> Any:
    level = connection.execution_options(isolation_level="REPEATABLE READ").get_isolation_level()
    with connection.begin(), connection.begin_nested():
        return level, list(map(tuple, connection.execute(text(BY_SEX.sql))))


@BY
def test_transactions(driver: str, gina: Address) -> None:
    assert asked(driver, _isolated, gina) == ("REPEATABLE READ", ROWS)


def test_a_whole_table_of_pandas(gina: Address) -> None:
    """Public ones are read; a private one is refused with what to do."""
    frame = asked("psycopg", lambda connection: pandas.read_sql_table("departments", connection), gina)
    assert (len(frame), frame.beds.sum()) == (4, 70)
    with pytest.raises(pandas.errors.DatabaseError, match="HINT:  Select aggregates"):
        asked("psycopg", lambda connection: pandas.read_sql_table("people", connection), gina)
