"""TABLESAMPLE over units: the coins, whose rows are counted, and what is told again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from secrets import token_hex

import duckdb
import psycopg
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from lanes import sized
from neighbours import halls
from neighbours.data import HEAVY, Neighbours, World, opened, opened_in, worlds
from neighbours.places import Hall, Place
from scipy.stats import binom
from scratch_postgres import MAJORS, ScratchPostgres, scratch_postgres
from uncapped import policy
from worlds import plan

from dpproxy.answering.run import releases_in_order
from dpproxy.catalog.policy import Catalog
from dpproxy.engines import EngineQuery
from dpproxy.engines.dialects import dialect_of
from dpproxy.plan.private_plan import Bounded
from dpproxy.plan.samples import COIN, COINS, Sample, sample_of
from dpproxy.release_identity import beside, identity
from dpproxy.rewrite.checker.engines import facts_of
from dpproxy.rows import Column, Rows

TENTH = sample_of(Fraction(10))
ODDS = 1e-8
UNITS = 100_000
STATEMENTS = (
    "SELECT count(*) FROM visits TABLESAMPLE BERNOULLI (50)",
    "SELECT dept, sum(cost) FROM visits TABLESAMPLE BERNOULLI (50) GROUP BY dept",
    "SELECT sum(quantity) FROM lineitem TABLESAMPLE BERNOULLI (50)",
    "SELECT p.sex, count(*) FROM people p TABLESAMPLE BERNOULLI (50) LEFT JOIN visits v ON v.person_id = p.person_id "
    "GROUP BY p.sex",
    "SELECT count(*) FROM people p TABLESAMPLE BERNOULLI (50) FULL JOIN visits v TABLESAMPLE BERNOULLI (50) "
    "ON v.person_id = p.person_id",
    "SELECT avg(n) FROM (SELECT person_id, count(*) AS n FROM visits TABLESAMPLE BERNOULLI (50) GROUP BY person_id) t",
    "SELECT count(DISTINCT dept) FROM visits TABLESAMPLE BERNOULLI (50)",
    "SELECT dp.median(cost) FROM visits TABLESAMPLE BERNOULLI (50)",
    "SELECT count(*) FROM people p TABLESAMPLE BERNOULLI (50) "
    "WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id)",
    "SELECT count(*) FROM (SELECT person_id FROM people TABLESAMPLE BERNOULLI (50) "
    "UNION ALL SELECT person_id FROM visits TABLESAMPLE BERNOULLI (50)) t",
)


@pytest.fixture(scope="module")
def server() -> Iterator[ScratchPostgres]:
    with scratch_postgres(list(MAJORS.values())[-1]) as found:
        yield found


def coin(secret: str, key: object) -> int:
    return int(hashlib.sha256(f"{secret}{key}".encode()).hexdigest()[:16], 16)


@pytest.mark.parametrize(
    ("percent", "coins"),
    [("50", COINS // 2), ("10", COINS // 10), ("2e-17", 3), ("99.9999999999999999999999", COINS - 1)],
)
def test_a_percentage_is_a_number_of_coins(percent: str, coins: int) -> None:
    """Rounded down: nobody is in it more often than was said."""
    found = sample_of(Fraction(Decimal(percent)))
    assert found is not None and found.coins == coins
    assert found.rate <= Fraction(Decimal(percent)) / 100 < found.rate + Fraction(1, COINS)
    assert int(found.first_out, 16) == coins and len(found.first_out) == 16


def test_all_are_no_sample() -> None:
    assert sample_of(Fraction(100)) is None
    for percent in (0, -1, 101, Fraction(1, 10**18)):
        with pytest.raises(ValueError, match="no sample"):
            sample_of(Fraction(percent))


def texts(percent: int, dialect: str, table: str) -> str:
    """The keys of a table of numbers that a sample has, as a bounded text asks for them."""
    made = plan(f"SELECT count(*) FROM people TABLESAMPLE BERNOULLI ({percent})", policy(), dialect=dialect)
    (release,) = made.releases
    condition = re.search(r"IS NOT NULL AND (SHA256.*)\) AS r$", release.bounded.sql)
    assert condition is not None
    return f'SELECT s0."person_id" FROM {table} AS s0 WHERE {condition[1]}'


def in_duckdb(percent: int, secret: str, units: int) -> set[int]:
    text = texts(percent, "duckdb", f'(SELECT range AS "person_id" FROM range({units}))')
    return {row[0] for row in duckdb.connect().execute(text, {COIN: secret}).fetchall()}


def in_postgres(server: ScratchPostgres, percent: int, secret: str, units: int) -> set[int]:
    text = texts(percent, "postgres", f'(SELECT g AS "person_id" FROM generate_series(0, {units - 1}) AS g)')
    with psycopg.connect(server.conninfo) as session, psycopg.RawCursor(session) as cursor:
        cursor.execute(text.replace("$coin", "$1::text"), [secret])
        return {int(row[0]) for row in cursor.fetchall()}


def test_coins_are_those_of_sha_256(server: ScratchPostgres) -> None:
    """And of both engines the same, bit for bit."""
    assert TENTH is not None
    secret = token_hex(32)
    expected = {key for key in range(2000) if coin(secret, key) < TENTH.coins}
    assert in_duckdb(10, secret, 2000) == in_postgres(server, 10, secret, 2000) == expected


@pytest.mark.parametrize("percent", [1, 10, 50, 97])
def test_coins_are_fair(percent: int) -> None:
    """So many units are in, so many neighbours together, so many in two samples: as of independent coins."""
    one, other = in_duckdb(percent, token_hex(32), UNITS), in_duckdb(percent, token_hex(32), UNITS)
    rate = percent / 100
    neighbours = sum(key in one and key + 1 in one for key in range(0, UNITS, 2))
    for count, trials, chance in (
        (len(one), UNITS, rate),
        (neighbours, UNITS // 2, rate**2),
        (len(one & other), UNITS, rate**2),
    ):
        assert binom.cdf(count, trials, chance) > ODDS and binom.sf(count - 1, trials, chance) > ODDS


def test_one_units_coin_is_fair_over_secrets() -> None:
    """The first 64 bits of so many secrets' digests are even: each half byte is one of sixteen."""
    runs, places = 20_000, 16
    digests = [hashlib.sha256(f"{token_hex(32)}1".encode()).hexdigest()[:places] for _ in range(runs)]
    for place in range(places):
        for digit in "0123456789abcdef":
            count = sum(each[place] == digit for each in digests)
            assert binom.cdf(count, runs, 1 / 16) > ODDS / 256 and binom.sf(count - 1, runs, 1 / 16) > ODDS / 256


def without_coin(bounded: Bounded) -> str:
    text = r" AND SHA256\(CAST\(\$coin AS TEXT\) \|\| CAST\(.*? AS TEXT\)\) < '[0-9a-f]{16}'"
    sql, left = re.subn(text, "", bounded.sql)
    assert left == 1
    return sql


def in_sample(world: World, secret: str, sample: Sample) -> World:
    """The world without the rows of units whose coin is out. Lines are of their orders' units."""
    places = {"people": 0, "visits": 1, "customer": 0, "orders": 1}
    tables = {
        name: [row for row in rows if name not in places or coin(secret, row[places[name]]) < sample.coins]
        for name, rows in world.tables.items()
    }
    return replace(world, tables=tables)


def rows_of(place: Place, bounded: Bounded, sql: str, secrets: dict[str, str]) -> list[str]:
    """Of a text of the release; what it is told of others before it is 0."""
    told = {each.name: (0,) for each in bounded.inputs}
    return sorted(map(str, place(EngineQuery(sql, told, secrets=secrets)).rows))


EVERY = settings(
    max_examples=sized(5, 5, 80),
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.long
@EVERY
@given(worlds())
def test_a_sample_is_the_world_without_the_others(world: World) -> None:
    """What is asked of a sample is what would be asked of all, had the units whose coin is out no rows at all."""
    secret = token_hex(32)
    for release in (release for sql in STATEMENTS for release in plan(sql, policy()).releases):
        bounded = release.bounded
        assert bounded.sample is not None
        with opened(world, policy()) as around, opened(in_sample(world, secret, bounded.sample), policy()) as kept:
            found = rows_of(around.base, bounded, bounded.sql, {COIN: secret})
            assert found == rows_of(kept.base, bounded, without_coin(bounded), {}), (bounded.sql, world)


@pytest.mark.long
@EVERY
@given(worlds())
def test_who_is_not_in_the_sample_changes_nothing(world: World) -> None:
    with opened(world, policy()) as around:
        not_seen(around)


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with halls.keyed(tmp_path_factory.mktemp("hall"), list(MAJORS.values())[-1]) as found:
        yield found


@pytest.mark.long
@EVERY
@given(world=worlds())
def test_who_is_not_in_the_sample_changes_nothing_in_postgres(world: World, hall: Hall) -> None:
    with opened_in(hall, world) as around:
        not_seen(around)


def not_seen(around: Neighbours) -> None:
    """Every neighbour by a unit whose coin is out has the same rows; some whose coin lets them in have others."""
    secrets = {COIN: token_hex(32)}
    for sql in STATEMENTS:
        for release in plan(sql, around.catalog, dialect=around.dialect).releases:
            bounded = release.bounded
            assert bounded.sample is not None
            base = rows_of(around.base, bounded, bounded.sql, secrets)
            for name, place in around.others.items():
                unit = name.removeprefix("without_") if name != "heavy" else HEAVY
                if coin(secrets[COIN], unit) >= bounded.sample.coins:
                    assert rows_of(place, bounded, bounded.sql, secrets) == base, (name, bounded.sql)


def test_all_releases_of_a_run_read_one_sample(catalog: Catalog) -> None:
    """And the next run another one; what is no sample is told nothing."""
    made = plan(
        "SELECT (SELECT count(DISTINCT city) FROM people TABLESAMPLE BERNOULLI (10)), "
        "(SELECT count(*) FROM visits TABLESAMPLE BERNOULLI (10)), "
        "(SELECT count(*) FROM people TABLESAMPLE BERNOULLI (20)), (SELECT count(*) FROM people)",
        catalog,
    )
    runs = [list(asked(made)) for _ in range(2)]
    tenth, again, fifth, whole = ([*run] for run in zip(*runs, strict=True))
    assert tenth == again and len({*tenth, *fifth}) == 4 and whole == [None, None]
    assert all(re.fullmatch("[0-9a-f]{64}", each or "") for each in (*tenth, *fifth))


def asked(made: object) -> Iterator[str | None]:
    """The secret of each query of a plan."""
    work = releases_in_order(made, {}, {}, None)  # type: ignore[arg-type]
    answer = Rows((Column("m0", "bigint"),), ((5,),))
    query = next(work)
    while True:
        yield query.secrets.get(COIN)
        try:
            query = work.send(answer)
        except StopIteration:
            return


def test_no_secret_is_in_a_plan(catalog: Catalog) -> None:
    one, other = (plan(STATEMENTS[0], catalog) for _ in range(2))
    assert one == other


def test_a_sample_is_part_of_what_a_release_is(catalog: Catalog) -> None:
    sampled, more, whole = (
        plan(f"SELECT count(*) FROM people{clause}", catalog, {"epsilon": "1"}).releases[0]
        for clause in (" TABLESAMPLE BERNOULLI (10)", " TABLESAMPLE BERNOULLI (20)", "")
    )
    said = replace(sampled, bounded=replace(sampled.bounded, sample=Sample(5)))
    assert len({identity(b"", each, ()) for each in (sampled, more, whole, said)}) == 4


def test_releases_of_one_sample_are_told_again_together(catalog: Catalog) -> None:
    """A count of one sample and a mean of another do not belong together."""
    both = plan("SELECT count(*), count(DISTINCT city) FROM people TABLESAMPLE BERNOULLI (10)", catalog).releases
    assert [beside(both, index) for index in (0, 1)] == [(both[1],), (both[0],)]
    assert identity(b"", both[0], (), beside(both, 0)) != identity(b"", both[0], ())
    plain = plan("SELECT count(*), count(DISTINCT city) FROM people", catalog).releases
    assert beside(plain, 0) == ()


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_both_halves_write_one_coin(dialect: str) -> None:
    assert dialect_of(dialect).digest_below is not None and facts_of(dialect).digest_below.count("$") == 2
