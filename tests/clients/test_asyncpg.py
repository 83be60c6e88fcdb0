"""What asyncpg has beyond the course: its pool, its cache of statements, codecs, and types that it looks up."""

from __future__ import annotations

import csv
import io
import ssl
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from .course.client import Address
from .course.drivers.asyncpg_ import connect
from .course.questions import BY_SEX, PREVIEW

OLDER = "SELECT count(*) FROM people WHERE age > $1"
MEAN = "SELECT avg(age)::numeric(6,2) FROM people"
ROWS = [("F", 200, 9420), ("M", 200, 9580)]


@pytest_asyncio.fixture
async def connection(gina: Address) -> AsyncIterator[Any]:
    connection = await connect(gina)
    yield connection
    await connection.close()


async def test_types_are_looked_up(connection: Any) -> None:
    """Rows of a table, ranges, arrays and domains: asyncpg reads the catalog for what it does not know."""
    row = await connection.fetchrow("SELECT d, int4range(1, 5) AS r FROM departments d ORDER BY dept LIMIT 1")
    assert (*row["d"], row["r"].upper) == ("cardio", "north", 20, 5)
    assert (await connection.prepare("SELECT NULL::people")).get_attributes()[0].type.name == "people"
    assert await connection.fetchval("SELECT array_agg(n) FROM (SELECT count(*) n FROM people GROUP BY sex) s") == [
        200,
        200,
    ]
    assert await connection.fetchval("SELECT 7::information_schema.cardinal_number") == 7


async def test_codecs_of_ones_own(connection: Any) -> None:
    await connection.set_type_codec("numeric", schema="pg_catalog", encoder=str, decoder=float, format="text")
    assert await connection.fetchval(MEAN) == 47.5
    await connection.reset_type_codec("numeric", schema="pg_catalog")
    assert repr(await connection.fetchval(MEAN)) == repr(Decimal("47.50"))


async def test_the_cache_of_statements(gina: Address, connection: Any) -> None:
    """The third run of a text uses what the first one prepared; a cache of one statement closes the other."""
    for _ in range(3):
        assert await connection.fetchval(OLDER, 30) == 314
        assert await connection.fetchval(MEAN) == Decimal("47.50")
    names = {row["name"] for row in await connection.fetch("SELECT name FROM pg_prepared_statements")}
    assert len([name for name in names if "asyncpg" in name]) == 3
    await connection.reload_schema_state()
    assert await connection.fetchval(OLDER, 30) == 314


async def test_cursors(connection: Any) -> None:
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        cursor = await connection.cursor(BY_SEX.sql)
        assert tuple(await cursor.fetchrow()) == ROWS[0]
        assert await cursor.forward(1) == 1
        assert await cursor.fetch(5) == []
    with pytest.raises(asyncpg.NoActiveSQLTransactionError):
        await connection.cursor(BY_SEX.sql)


async def test_copy(connection: Any) -> None:
    out = io.BytesIO()
    assert await connection.copy_from_query(OLDER, 30, output=out) == "COPY 1"
    assert out.getvalue() == b"314\n"
    out = io.BytesIO()
    await connection.copy_from_table("departments", columns=["dept", "beds"], output=out, format="csv")
    assert ["ortho", "30"] in list(csv.reader(io.StringIO(out.getvalue().decode())))
    with pytest.raises(asyncpg.PostgresError) as caught:
        await connection.copy_from_table("people", output=io.BytesIO())
    assert caught.value.sqlstate == "DP002"


async def test_savepoints(connection: Any) -> None:
    async with connection.transaction():
        with pytest.raises(asyncpg.PostgresError):
            async with connection.transaction():
                await connection.fetch(PREVIEW)
        assert list(map(tuple, await connection.fetch(BY_SEX.sql))) == ROWS


async def test_a_pool_gives_connections_back_as_they_were(gina: Address) -> None:
    place = {"host": gina.host, "port": gina.port, "database": gina.database}
    secure = ssl.create_default_context(cafile=gina.certificate)
    async with asyncpg.create_pool(
        **place, user=gina.user, password=gina.password, ssl=secure, min_size=1, max_size=1
    ) as pool:
        async with pool.acquire() as connection:
            await connection.execute("SET dp.epsilon = 3")
            assert await connection.fetchval("SHOW dp.epsilon") == "3"
        async with pool.acquire() as connection:
            assert await connection.fetchval("SHOW dp.epsilon") == "100000"
        assert await pool.fetchval(OLDER, 30) == 314
