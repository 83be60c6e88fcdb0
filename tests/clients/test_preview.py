"""SELECT * FROM people LIMIT 100, a tool's first question: refused in short, or empty if the policy says so."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from .backends import Backend, made_world
from .served import Served, serving, spent

pytestmark = pytest.mark.long

PREVIEW = "SELECT * FROM people LIMIT 100"
# What tools ask for rows with.
PREVIEWS = (
    PREVIEW,
    "SELECT x.* FROM public.people x LIMIT 200",
    "TABLE visits",
    "SELECT * FROM (SELECT * FROM people) AS virtual_table LIMIT 1",
    'SELECT "people"."age" AS "Age", age + 1 AS "n" FROM people ORDER BY 1 DESC FETCH FIRST 5 ROWS ONLY',
    "SELECT p.*, v.cost FROM people p JOIN visits v USING (person_id) WHERE v.cost > 3",
    "SELECT age FROM people UNION ALL SELECT age FROM people",
    "SELECT t.*, ctid FROM public.visits t LIMIT 201",
)


@pytest.fixture(scope="module")
def lenient(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with made_world(backend, tmp_path_factory.mktemp("preview")) as policy:
        policy.write_text(policy.read_text().replace("[privacy]", '[privacy]\npreview = "empty"'))
        with serving(policy, "demo") as served:
            yield served


@pytest.mark.parametrize("sql", PREVIEWS)
def test_a_preview_is_refused_in_short(sql: str, world: Served) -> None:
    with world.connect() as connection:
        before = spent(connection)
        with pytest.raises(psycopg.Error) as caught:
            connection.execute(sql)
        assert caught.value.sqlstate == "DP002"
        assert len(caught.value.diag.message_primary or "") < 80
        assert "COUNT" in (caught.value.diag.message_hint or "")
        assert connection.execute("SELECT 1").fetchone() == (1,)
        assert spent(connection) == before


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("sql", PREVIEWS)
def test_a_preview_is_empty_where_the_policy_says_so(sql: str, binary: bool, lenient: Served, world: Served) -> None:
    with lenient.connect() as connection:
        notices: list[str] = []
        connection.add_notice_handler(lambda diagnostic: notices.append(diagnostic.message_primary or ""))
        before = spent(connection)
        cursor = connection.execute(sql, prepare=binary, binary=binary)
        assert cursor.statusmessage == "SELECT 0"
        assert cursor.fetchall() == []
        assert [each for each in notices if "are not shown" in each] == notices[:1]
        assert spent(connection) == before
        connection.pgconn.prepare(b"", sql.encode())
        told = connection.pgconn.describe_prepared(b"")
        columns = [((told.fname(each) or b"").decode(), told.ftype(each)) for each in range(told.nfields)]
        assert [(each.name, each.type_code) for each in cursor.description or ()] == columns


def test_a_whole_row_has_no_type_to_be_empty_of(lenient: Served) -> None:
    with lenient.connect() as connection, pytest.raises(psycopg.Error) as caught:
        connection.execute("SELECT p FROM people p LIMIT 3")
    assert caught.value.sqlstate in ("DP002", "0A000")


def test_what_is_private_for_other_reasons_is_refused_all_the_same(lenient: Served) -> None:
    with lenient.connect() as connection:
        for sql in (
            "SELECT person_id, count(*) FROM visits GROUP BY person_id",
            "CREATE VIEW v AS SELECT age FROM people",
        ):
            with pytest.raises(psycopg.Error) as caught:
                connection.execute(sql)
            assert caught.value.sqlstate == "DP002"
        explained = [line for (line,) in connection.execute(f"EXPLAIN {PREVIEW}")]
        assert explained[0] == "Cost: epsilon 0, delta 0"
