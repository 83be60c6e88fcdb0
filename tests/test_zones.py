"""Time zones: all engines know those that are named to them, and local times are those of Postgres."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import duckdb
import psycopg
import pytest
from scratch_postgres import MAJORS, scratch_postgres

from dpproxy.catalog import zones

# Around the changes of 2024, and in the middle of both seasons.
LOCAL = [
    *(datetime(2024, month, day, hour, 30) for month, day in ((3, 31), (10, 27), (11, 3)) for hour in range(4)),
    *(datetime(2024, 1, 15, 12), datetime(2024, 7, 15, 12), datetime(2024, 3, 10, 2, 30), datetime(1999, 12, 31, 23)),
]
PLACES = ["Europe/Amsterdam", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns", "UTC"]

pytestmark = pytest.mark.larger  # older versions of Postgres, too


@pytest.mark.parametrize("major", MAJORS)
def test_every_postgres_knows_them_and_tells_the_same_times(major: int) -> None:
    with scratch_postgres(MAJORS[major]) as server, psycopg.connect(server.conninfo) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM pg_timezone_names").fetchall()}
        assert names >= zones.ZONES
        connection.execute("SET TimeZone = 'UTC'")
        for zone in PLACES:
            for local in LOCAL:
                moment = zones.moment_of(local, zone)
                found = connection.execute(
                    "SELECT %s::timestamp AT TIME ZONE %s, %s::timestamptz AT TIME ZONE %s", (local, zone, moment, zone)
                ).fetchone()
                assert found == (moment, zones.local_of(moment, zone)), (local, zone)


def test_duckdb_knows_them_and_raises_at_no_end_of_the_calendar() -> None:
    with duckdb.connect() as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM pg_timezone_names()").fetchall()}
        assert names >= zones.ZONES
        for zone in sorted(zones.ZONES):
            for end in ("0001-01-01 00:00:00", "9999-12-31 23:59:59.999999"):
                text = "SELECT CAST(? AS TIMESTAMP) AT TIME ZONE 'UTC' AT TIME ZONE ? IS NULL"
                assert connection.execute(text, [end, zone]).fetchall() == [(False,)]
        for zone in PLACES:
            for local in LOCAL:
                moment = zones.moment_of(local, zone).replace(tzinfo=None)
                text = "SELECT CAST(? AS TIMESTAMP) AT TIME ZONE 'UTC' AT TIME ZONE ?"
                ((found,),) = connection.execute(text, [moment, zone]).fetchall()
                assert found == zones.local_of(moment.replace(tzinfo=UTC), zone), (local, zone)


def test_a_zone_moves_no_moment_by_a_day() -> None:
    """What is proved of a local time leans on it."""
    for zone in zones.ZONES:
        if zones.known(zone):
            for year in range(1800, 2101, 5):
                moment = datetime(year, 6, 1, tzinfo=UTC)
                assert abs(zones.local_of(moment, zone) - moment.replace(tzinfo=None)) < timedelta(days=1)


def test_names_of_clients() -> None:
    assert zones.zone_of(None) == zones.zone_of("Etc/UTC") == zones.zone_of("GMT") == "UTC"
    assert zones.zone_of("US/Eastern") == "America/New_York"
    assert zones.zone_of("<+02>-02") == "<+02>-02"
    assert not zones.known("<+02>-02")
    assert not zones.known("Mars/Olympus")
    assert {zones.zone_of(name) for name in ("US/Pacific", "Asia/Calcutta", "Asia/Saigon")} <= zones.ZONES
    with pytest.raises(LookupError):
        zones.local_of(datetime(2024, 1, 1, tzinfo=UTC), "Mars/Olympus")
