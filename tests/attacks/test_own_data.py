"""Data that goes in: what a statement that writes could read, or write, that is not its analyst's.

Each is tried before a real proxy, by the simple and by the extended protocol, and leaves everything as it was.
"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from proxies import ServedProxy, serving, write_policy

pytestmark = pytest.mark.long

REFUSED = "42501|0A000|DP002|55000|3F000|42P01"
WAYS = (
    # written to: the policy's, the proxy's, another's, Postgres's own
    "INSERT INTO people SELECT * FROM people",
    "SET search_path = public; INSERT INTO people (person_id) VALUES (1)",
    "INSERT INTO dp.budget VALUES ('alice')",
    "INSERT INTO dp_front.roles VALUES ('alice', '')",
    "UPDATE dp_ledger.accounts SET main = 0",
    "DELETE FROM dp_ledger.charges",
    "TRUNCATE dp_ledger.charges",
    "COPY dp_ledger.charges FROM STDIN",
    "INSERT INTO bob.theirs VALUES (1)",
    "COPY bob.theirs FROM STDIN",
    "UPDATE pg_catalog.pg_class SET relname = 'x'",
    "DELETE FROM pg_catalog.pg_policy",
    "SET search_path = pg_catalog; DELETE FROM pg_policy",
    "SET search_path = bob; INSERT INTO theirs VALUES (1)",
    "CREATE VIEW alice.way AS SELECT * FROM public.departments; DELETE FROM alice.way",
    # read from, past the charge
    "INSERT INTO mine SELECT person_id FROM people",
    "INSERT INTO mine (SELECT person_id FROM people)",
    "INSERT INTO mine SELECT a FROM (SELECT person_id FROM ONLY people) AS t (a)",
    "INSERT INTO mine VALUES (1) RETURNING (SELECT max(person_id) FROM people)",
    "INSERT INTO mine VALUES (1) ON CONFLICT (a) DO UPDATE SET a = (SELECT max(person_id) FROM people)",
    "UPDATE mine SET a = person_id FROM people",
    "UPDATE mine SET a = (SELECT max(person_id) FROM people)",
    "DELETE FROM mine USING people WHERE a = person_id",
    "DELETE FROM mine WHERE EXISTS (SELECT FROM people) RETURNING a",
    "WITH gone AS (DELETE FROM mine RETURNING a) SELECT count(*) FROM people, gone",
    "WITH p AS (SELECT person_id FROM people) INSERT INTO mine SELECT * FROM p",
    "EXPLAIN ANALYZE INSERT INTO mine SELECT person_id FROM people",
    "PREPARE way AS INSERT INTO mine SELECT person_id FROM people",
    "CREATE TABLE alice.way (a bigint REFERENCES people)",
    "CREATE TABLE alice.way () INHERITS (people)",
    "CREATE TABLE alice.way (a int DEFAULT (SELECT max(person_id) FROM people))",
    "CREATE TABLE alice.way (a int CHECK (a > (SELECT max(person_id) FROM people)))",
    "CREATE VIEW alice.way AS SELECT person_id FROM people; INSERT INTO mine SELECT * FROM alice.way",
    "CREATE RULE r AS ON INSERT TO mine DO ALSO SELECT * FROM people",
    "CREATE TRIGGER t BEFORE INSERT ON mine FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    # what the server reads or runs
    "COPY mine FROM '/etc/hostname'",
    "COPY mine FROM PROGRAM 'echo 1'",
    "INSERT INTO mine SELECT length(pg_read_file('PG_VERSION'))",
    "CREATE TABLE alice.way (a boolean DEFAULT pg_try_advisory_lock(1)); INSERT INTO alice.way VALUES (DEFAULT)",
    "CREATE TABLE alice.way (a text DEFAULT set_config('debug_print_plan', 'on', false))",
)


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProxy]:
    with serving(write_policy(tmp_path_factory.mktemp("ways"), {})) as started:
        with psycopg.connect(started.dsn("bob"), autocommit=True) as bob:
            bob.execute("CREATE TABLE theirs (a int)")
        yield started


@pytest.mark.parametrize("prepare", [False, True], ids=["simple", "extended"])
@pytest.mark.parametrize("way", WAYS)
def test_nothing_else_is_read_or_written(proxy: ServedProxy, way: str, prepare: bool) -> None:
    with psycopg.connect(proxy.dsn("alice"), autocommit=True) as alice:
        for made in ("VIEW IF EXISTS alice.way", "TABLE IF EXISTS alice.way", "TABLE IF EXISTS alice.mine"):
            try:
                alice.execute(f"DROP {made}")
            except psycopg.errors.WrongObjectType:
                continue
        alice.execute("CREATE TABLE alice.mine (a bigint PRIMARY KEY)")
        before = alice.execute("SELECT spent_epsilon FROM dp.budget").fetchall()
        *first, last = way.split("; ")
        with pytest.raises(psycopg.Error) as caught:
            for each in first:
                alice.execute(each)
            alice.execute(last, prepare=prepare)
        assert caught.value.sqlstate in REFUSED.split("|"), caught.value
        assert alice.execute("SELECT count(*) FROM alice.mine").fetchall() == [(0,)]
        assert alice.execute("SELECT spent_epsilon FROM dp.budget").fetchall() == before
    with psycopg.connect(proxy.dsn("bob"), autocommit=True) as bob:
        assert bob.execute("SELECT count(*) FROM theirs").fetchall() == [(0,)]
