"""A small policy, its front in a Postgres of a test's own, and sessions in it."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from scratch_postgres import ScratchPostgres

from dpproxy.catalog.policy import Catalog, Link, Table, TableColumn, Unit
from dpproxy.catalog.types import BIGINT, DATE, DOUBLE, INTEGER, TEXT, SqlType
from dpproxy.catalog.views import VIEWS as NAMED
from dpproxy.front.roles import AnalystRole, role_password
from dpproxy.front.schema import FrontCatalog, sync_front

VIEWS = {f"dp.{name}": columns for name, columns in NAMED.items()}
PEOPLE = Table(
    "people",
    (
        TableColumn("person_id", BIGINT),
        TableColumn("name", TEXT, hidden=True),
        TableColumn("age", INTEGER, bounds=(0, 120), note="in years"),
        TableColumn("sex", TEXT, values=("F", "M", None), nullable=True),
        TableColumn("income", DOUBLE, bounds=(0, 500000), step=Decimal(1)),
        TableColumn("zip", SqlType("character varying", (5,)), nullable=True),
    ),
    unit="person",
    unit_key="person_id",
    primary_key=("person_id",),
    unique=frozenset({("person_id",)}),
    max_rows_per_unit=100,
    max_groups_per_unit=8,
    note="One row per inhabitant",
)
VISITS = Table(
    "clinic.visits",
    (
        TableColumn("visit_id", BIGINT),
        TableColumn("person_id", BIGINT, nullable=True),
        TableColumn("day", DATE),
        TableColumn("dept", TEXT),
    ),
    unit="person",
    links=(Link("person_id", "people", "person_id"),),
    primary_key=("visit_id",),
    max_rows_per_unit=100,
    max_groups_per_unit=8,
)
DEPARTMENTS = Table(
    "departments",
    (TableColumn("dept", TEXT), TableColumn("building", TEXT, nullable=True), TableColumn("secret", TEXT, hidden=True)),
    primary_key=("dept",),
    unique=frozenset({("dept",)}),
    size=64,
)
WORLD = Catalog(
    {table.name: table for table in (PEOPLE, VISITS, DEPARTMENTS)}, {"person": Unit("person", "people", "person_id")}
)
ALICE = AnalystRole("alice")
BOB = AnalystRole("Bob's", ("people", "departments"))

# Each would read a stub.
SCANS = [
    "SELECT count(*) FROM people",
    "SELECT * FROM people WHERE person_id = 1",
    "SELECT * FROM people WHERE false",
    "SELECT * FROM people LIMIT 0",
    "SELECT count(*) FROM people p JOIN clinic.visits v USING (person_id)",
    "SELECT 1 WHERE EXISTS (SELECT FROM people)",
    "SELECT 1 FROM people TABLESAMPLE system (1)",
    "SELECT * FROM people FOR UPDATE",
    "TABLE people",
    "EXPLAIN SELECT * FROM people",
    "COPY (SELECT * FROM people) TO STDOUT",
    "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM people",
    "CREATE TABLE alice.t AS SELECT * FROM people",
    "WITH x AS (SELECT * FROM people) SELECT * FROM x",
    "INSERT INTO people VALUES (1, 2, 'F', 3, '4')",
    "UPDATE people SET age = 1",
    "DELETE FROM people",
    "SELECT count(*) FROM ONLY people",
    "SELECT * FROM people, LATERAL (SELECT people.age) AS x",
    "SELECT 1 UNION ALL SELECT age FROM people",
    "SELECT v.day FROM clinic.visits v LEFT JOIN people p USING (person_id) LIMIT 0",
    "SELECT * FROM dp.budget",
    "SELECT * FROM dp.last_statement",
]


class Front:
    """A synced front and sessions in it. `conninfo` is its owner's, the server's own if none is given."""

    def __init__(self, server: ScratchPostgres, conninfo: str = "", *analysts: AnalystRole) -> None:
        self.server = server
        self.conninfo = conninfo or server.conninfo
        self.catalog = self.sync(WORLD, *(analysts or (ALICE, BOB)))
        self._open: dict[str, psycopg.Connection] = {}

    def sync(self, catalog: Catalog, *analysts: AnalystRole) -> FrontCatalog:
        return asyncio.run(sync_front(self.conninfo, catalog, analysts))

    def session(self, role: str) -> psycopg.Connection:
        if role not in self._open:
            conninfo = self.conninfo
            if role != "owner":
                database = conninfo_to_dict(conninfo)["dbname"]
                conninfo = self.server.conninfo_of(role, asyncio.run(role_password(conninfo, role)), str(database))
            self._open[role] = psycopg.connect(conninfo, autocommit=True)
        return self._open[role]

    def rows(self, query: str, role: str = "alice") -> list[tuple[object, ...]]:
        cursor = self.session(role).execute(query.encode())
        return cursor.fetchall() if cursor.description else []

    def error(self, query: str, role: str = "alice") -> tuple[str | None, str]:
        session = self.session(role)
        with pytest.raises(psycopg.Error) as caught:
            session.execute(query.encode())
        if session.info.transaction_status is not psycopg.pq.TransactionStatus.IDLE:
            session.rollback()
        return caught.value.sqlstate, caught.value.diag.message_primary or ""

    def close(self) -> None:
        for session in self._open.values():
            session.close()
