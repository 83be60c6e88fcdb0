"""now() and current_date in private statements: the transaction's time in the session's zone, all the way through."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from proxies import ServedProxy, serving, write_policy

from dpproxy.session.front_lookup import found, lookup
from dpproxy.wire import Bind

BIND = Bind("", "", (), (), ())


@pytest.mark.parametrize(
    ("sql", "clock"),
    [
        ("SELECT count(*) FROM people", None),
        ("SELECT count(*) FROM people WHERE joined < CURRENT_DATE", "CURRENT_DATE"),
        ("SELECT avg(extract(year FROM Age(joined))) FROM people", "CURRENT_DATE"),
        ("SELECT count(*) FROM people WHERE joined < now()", "LOCALTIMESTAMP"),
        ("SELECT count(*) FROM people WHERE joined < current_date AND joined < localtimestamp", "LOCALTIMESTAMP"),
        ("SELECT snow, page, current_dates FROM t", None),
    ],
)
def test_the_time_is_asked_for_where_the_text_asks_for_it(sql: str, clock: str | None) -> None:
    query = lookup((), (), (), BIND, sql).sql
    assert [word for word in ("CURRENT_DATE", "LOCALTIMESTAMP") if word in query] == ([clock] if clock else [])


def test_the_time_is_found_behind_the_names() -> None:
    row = (b"UTF8", b'["UTF8", "123"]', b"2024-05-17T10:30:00.25", b"7")
    looked = found(("client_encoding",), ("people",), (23,), row, "utf-8")
    assert looked.now == datetime(2024, 5, 17, 10, 30, 0, 250_000)
    assert (looked.oids, looked.values) == ({"people": 123}, ("7",))
    assert found(("client_encoding",), ("people",), (23,), (*row[:2], b"7"), "utf-8").now is None


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProxy]:
    directory: Path = tmp_path_factory.mktemp("clock")
    with serving(write_policy(directory / "policy", {})) as served:
        yield served


@pytest.fixture
def alice(proxy: ServedProxy) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(proxy.dsn("alice")) as connection:
        yield connection
        connection.rollback()


def value(connection: psycopg.Connection[Any], sql: str) -> Any:
    row = connection.execute(sql).fetchone()  # type: ignore[arg-type]
    assert row is not None
    return row[0]


def bounded(connection: psycopg.Connection[Any], condition: str, *parameters: object) -> str:
    """The condition on `joined` in the SQL that EXPLAIN shows."""
    sql = f"EXPLAIN VERBOSE SELECT count(*) FROM people WHERE joined >= {condition}"
    text = "\n".join(row[0] for row in connection.execute(sql, parameters).fetchall())  # type: ignore[arg-type]
    shown = re.search(r"CAST\('([^']*)' AS (?:DATE|TIMESTAMP)\)\)", text)
    assert shown is not None, text
    return shown[1]


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12", "UTC", "America/St_Johns"])
def test_today_is_the_session_s(alice: psycopg.Connection[Any], zone: str) -> None:
    alice.execute(f"SET TIME ZONE '{zone}'")  # type: ignore[arg-type]
    today: date = value(alice, "SELECT current_date")
    assert bounded(alice, "current_date") == str(today)
    assert bounded(alice, "current_date - %s", 30) == str(today - timedelta(days=30))
    assert bounded(alice, "current_date - %s", timedelta(days=7)) == str(today - timedelta(days=7))


def test_now_is_fixed_in_a_transaction_and_goes_on_between_them(alice: psycopg.Connection[Any]) -> None:
    alice.execute("SET TIME ZONE 'Asia/Kathmandu'")
    local: datetime = value(alice, "SELECT localtimestamp")
    assert datetime.fromisoformat(bounded(alice, "now()")) == local
    assert datetime.fromisoformat(bounded(alice, "now() - INTERVAL '90 minutes'")) == local - timedelta(minutes=90)
    assert bounded(alice, "transaction_timestamp()") == bounded(alice, "localtimestamp") == bounded(alice, "now()")
    before = bounded(alice, "now()")
    alice.commit()
    assert datetime.fromisoformat(bounded(alice, "now()")) > datetime.fromisoformat(before)


def test_months_are_public_keys_of_the_session_s_midnights(alice: psycopg.Connection[Any]) -> None:
    alice.execute("SET TIME ZONE 'America/New_York'")
    months = [f"{2019 + at // 12}-{at % 12 + 1:02}" for at in range(96)]
    rows = alice.execute(
        "SELECT date_trunc('month', joined) AS m, count(*) FROM people GROUP BY m ORDER BY m"
    ).fetchall()
    assert [row[0].strftime("%Y-%m %H:%M") for row in rows] == [f"{month} 00:00" for month in months]
    rows = alice.execute(
        "SELECT to_char(joined, 'YYYY-MM') AS m, count(*) FROM people GROUP BY 1 ORDER BY 1"
    ).fetchall()
    assert [row[0] for row in rows] == months
    rows = alice.execute(
        "SELECT date_trunc('quarter', joined)::date AS q, count(*) FROM people "
        "WHERE extract(year FROM joined) = 2024 GROUP BY q ORDER BY q"
    ).fetchall()
    assert [row[0] for row in rows] == [date(2024, month, 1) for month in (1, 4, 7, 10)]


@pytest.mark.parametrize(
    "question",
    [
        "SELECT count(*) FROM people WHERE joined < now() - INTERVAL '1 year'",
        "SELECT avg(extract(year FROM age(joined))) FROM people",
        "SELECT avg(extract(epoch FROM now() - joined) / 86400) FROM people",
        "SELECT count(*) FROM people WHERE age(current_date, joined) > INTERVAL '2 years 6 months'",
        "SELECT extract(dow FROM joined) AS d, count(*) FROM people GROUP BY d",
        "SELECT date_part('year', joined) AS y, current_date, count(*) FROM people GROUP BY y ORDER BY y",
        "SELECT count(*) FROM people WHERE joined + age * INTERVAL '1 day' > make_date(2024, 1, 1)",
        "SELECT to_char(joined, 'Dy') AS d, to_char(now(), '%Y dy'), count(*) FROM people GROUP BY d",
    ],
)
def test_answers(alice: psycopg.Connection[Any], question: str) -> None:
    assert alice.execute(question).fetchall()  # type: ignore[arg-type]
