"""Metadata: sizes, statistics, plans, counters, comments, history; nothing of them tells the neighbours apart.

And what an analyst sees of another one: nothing of sessions, settings, statements, questions and charges, and of own
tables what STATED says. tests/clients/test_catalog.py watches sizes and counters while others work; what catalogs tell
of the policy is there too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest
from clients.backends import REFUSED_WHERE_GIVEN, Backend, superuser_of_the_front

from attacks.duel import Connected, Duel, Pair

Asking = Callable[[str], Pair]

pytestmark = pytest.mark.long

# On a plain engine: what tells how many rows there are, or which values, without any row being selected.
PLAIN = {
    Backend.EMBEDDED: (
        "SELECT table_name, estimated_size FROM duckdb_tables() ORDER BY 1",
        "SELECT stats FROM pragma_storage_info('odds') WHERE segment_type <> 'VALIDITY' ORDER BY column_id, stats",
        "SELECT stats(person_id) FROM visits LIMIT 1",
        "EXPLAIN SELECT * FROM visits",
        "SUMMARIZE people",
    ),
    Backend.GIVEN: (
        "EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, BUFFERS off) SELECT * FROM visits",
        "SELECT pg_relation_size('visits')",
        "SELECT max(ctid) FROM visits",
        "SELECT pg_stat_get_live_tuples('visits'::regclass) > 2000",
    ),
}

# The same over the proxy, and more: each answer, row by row, is the same with Zelda and without.
WATCHED = (
    "SELECT relname, relkind, reltuples, relpages, relallvisible, relhasindex, relhassubclass, reltoastrelid <> 0,"
    " relnatts, relchecks, relacl::text FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
    "SELECT attrelid::regclass::text, attname, atttypid, attnotnull, atthasdef, attstattarget, attacl::text"
    " FROM pg_attribute WHERE attrelid = ANY ('{people,visits,odds,orders}'::regclass[]) ORDER BY 1, 2",
    "SELECT * FROM pg_stats WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'watcher')"
    " AND tablename NOT IN ('departments', 'nation')",
    "SELECT * FROM pg_stats_ext",
    "SELECT conname, contype, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid >= 16384 ORDER BY 1",
    "SELECT objsubid, description FROM pg_description WHERE objoid = 'people'::regclass ORDER BY 1",
    "SELECT relname, n_live_tup, n_dead_tup, seq_scan, n_mod_since_analyze FROM pg_stat_user_tables ORDER BY 1",
    "SELECT relname, heap_blks_read, idx_blks_hit FROM pg_statio_user_tables ORDER BY 1",
    "SELECT pg_relation_size('people'), pg_total_relation_size('visits'), pg_table_size('odds')",
    "SELECT pg_relation_size('visits', 'fsm'), pg_indexes_size('people')",
    "SELECT max(ctid) FROM pg_class WHERE false",
    "SELECT tablename, hasindexes, rowsecurity FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
    "SELECT * FROM pg_sequences WHERE schemaname = 'public'",
    "SELECT table_name, column_name, data_type, is_nullable, column_default, numeric_precision"
    " FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
    "SELECT * FROM information_schema.table_constraints WHERE table_schema = 'public' ORDER BY constraint_name",
    'SELECT * FROM dp.tables ORDER BY "table"',
    'SELECT * FROM dp.columns ORDER BY "table", name',
    "SELECT * FROM dp.last_statement",
    "SELECT statement, epsilon, delta, outcome FROM dp.statements WHERE outcome <> 'charged' ORDER BY id DESC LIMIT 8",
    "SELECT epsilon, delta FROM dp.budget",
    "SELECT statement FROM pg_prepared_statements",
    "SELECT statement FROM pg_cursors",
    "EXPLAIN SELECT count(*) FROM departments, nation",
    "EXPLAIN SELECT count(*) FROM visits WHERE cost > 100",
    "EXPLAIN SELECT dept, sum(cost), avg(cost) FROM visits JOIN people USING (person_id) WHERE age > 30 GROUP BY dept",
    "EXPLAIN (FORMAT json, VERBOSE) SELECT t, count(*) FROM odds GROUP BY t",
    "EXPLAIN (FORMAT yaml) SELECT count(DISTINCT person_id) FROM visits",
    "EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, BUFFERS off) SELECT count(*) FROM departments",
    "EXPLAIN ANALYZE SELECT * FROM visits",
    "EXPLAIN (ANALYZE, BUFFERS, WAL, MEMORY, SERIALIZE) SELECT count(*) FROM people",
    "EXPLAIN (GENERIC_PLAN) SELECT count(*) FROM people WHERE age > $1",
    "EXPLAIN SELECT * FROM people",
    "SUMMARIZE people",
    "PRAGMA table_info('people')",
    "DESCRIBE people",
    "SELECT * FROM duckdb_tables()",
    "SELECT * FROM pragma_storage_info('people')",
    "SELECT stats(age) FROM people",
    "SELECT pg_size_pretty(pg_relation_size('people'::regclass))",
    "ANALYZE people",
    "VACUUM people",
    "ANALYZE VERBOSE visits",
    "SHOW ALL TABLES",
    "COMMENT ON TABLE visits IS 'x'",
)


def test_metadata_tells_rows_on_the_plain_engine(duel: Duel) -> None:
    for sql in PLAIN[duel.backend]:
        here, gone = duel.plain.ask(sql)
        if "pg_stat_get_live_tuples" in sql:  # where the statistics have arrived
            continue
        assert here.rows != gone.rows, sql


def test_metadata_is_the_same_for_neighbours(asking: Asking) -> None:
    watcher = asking("watcher")
    for sql in ("SELECT count(*) FROM departments, nation", "SELECT count(*) FROM visits", "SELECT sum(b) FROM odds"):
        watcher.ask(sql)
    differ = {}
    for sql in WATCHED:
        here, gone = watcher.ask(sql)
        if (here.outline, here.rows) != (gone.outline, gone.rows):
            differ[sql] = (here, gone)
        assert here.charged is None, sql
    assert not differ


# What an analyst may look at to see what another does, beside what test_catalog.py watches.
OF_OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE usename <> current_user",
    "SELECT usename, application_name, query, state FROM pg_stat_activity WHERE usename = 'victor'",
    "SELECT pid FROM pg_locks WHERE pid <> pg_backend_pid()",
    "SELECT * FROM pg_stat_progress_create_index",
    "SELECT numbackends, xact_commit, tup_returned, temp_bytes FROM pg_stat_database ORDER BY datid",
    "SELECT name, statement FROM pg_prepared_statements",
    "SELECT name, statement FROM pg_cursors",
    "SELECT name, setting FROM pg_settings WHERE source = 'session' AND name <> 'work_mem' ORDER BY 1",
    "SELECT setting FROM pg_settings WHERE name IN ('dp.epsilon', 'application_name', 'search_path') ORDER BY name",
    "SELECT setdatabase, setrole, setconfig FROM pg_db_role_setting WHERE setrole <> 0",
    "SELECT * FROM dp.budget",
    "SELECT id, statement, epsilon, outcome FROM dp.statements ORDER BY id",
    "SELECT * FROM dp.last_statement",
    "SELECT lomowner FROM pg_largeobject_metadata",
    "SELECT pg_notification_queue_usage()",
    "SELECT * FROM pg_listening_channels()",
    "SELECT last_value FROM pg_sequences WHERE schemaname ~ '^dp'",
    "SELECT relname, reltuples, relpages FROM pg_class WHERE relnamespace::regnamespace::text ~ '^dp' ORDER BY 1",
    "SELECT count(*) FROM pg_stats WHERE schemaname = 'victor'",
    "SELECT relname, seq_scan, n_tup_ins FROM pg_stat_all_tables WHERE schemaname ~ '^(dp.*|victor)$' ORDER BY 1",
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'victor'",
    "SELECT column_name FROM information_schema.columns WHERE table_schema = 'victor'",
    "SELECT view_definition FROM information_schema.views WHERE table_schema = 'victor'",
    "SELECT nspname FROM pg_namespace WHERE nspname ~ '^pg_temp' AND has_schema_privilege(oid, 'USAGE')",
    "SELECT pg_stat_get_backend_pid(1)",
    "EXPLAIN SELECT count(*) FROM people",
)

# What Postgres keeps in catalogs that everybody reads, and tools need: docs/security.md says so. Rows are not among
# it, and nothing of a private table is: a table of one's own holds what was released, and paid for by its owner.
STATED = (
    "SELECT relname FROM pg_class WHERE relnamespace = 'victor'::regnamespace ORDER BY 1",
    "SELECT attname FROM pg_attribute WHERE attrelid IN (SELECT oid FROM pg_class"
    " WHERE relnamespace = 'victor'::regnamespace) AND attnum > 0 ORDER BY 1",
    "SELECT viewname, definition FROM pg_views WHERE schemaname = 'victor'",
    "SELECT description FROM pg_description WHERE objoid IN (SELECT oid FROM pg_class"
    " WHERE relnamespace = 'victor'::regnamespace) ORDER BY 1",
    "SELECT relname, reltuples, relpages FROM pg_class WHERE relnamespace = 'victor'::regnamespace ORDER BY 1",
    "SELECT relname, pg_relation_size(oid) FROM pg_class WHERE relnamespace = 'victor'::regnamespace ORDER BY 1",
    "SELECT pg_current_snapshot()::text",
    "SELECT txid_current() > 0, xmin::text FROM pg_class ORDER BY xmin::text::bigint DESC LIMIT 1",
)


@pytest.fixture
def busy(asking: Asking) -> Iterator[Callable[[], None]]:
    """Victor at work, in all ways that leave a trace in a Postgres."""
    victor = asking("victor")

    def work() -> None:
        victor.ask("SET application_name = 'victors tool'; SET dp.epsilon = 0.5; SET search_path = victor")
        victor.ask("SELECT count(*) FROM public.people WHERE age > 41")
        victor.ask("CREATE TABLE victor.told AS SELECT sex, count(*) AS n FROM public.people GROUP BY sex")
        victor.ask("ALTER TABLE victor.told ADD PRIMARY KEY (sex)")
        victor.ask("COMMENT ON TABLE victor.told IS 'a comment of victors'")
        victor.ask("CREATE VIEW victor.look AS SELECT 'a text of victors' FROM victor.told")
        victor.ask("PREPARE ask AS SELECT 'a statement of victors'")
        victor.ask("BEGIN")
        victor.ask("DECLARE look CURSOR FOR TABLE victor.told")

    yield work
    victor.ask("ROLLBACK")
    victor.ask("DROP TABLE victor.told CASCADE")


def test_others_at_work_are_not_seen(duel: Duel, asking: Asking, busy: Callable[[], None]) -> None:
    mallory = asking("mallory")
    mallory.ask("SELECT count(*) FROM people")
    for _ in range(2):  # once before, so that her session has prepared all that it needs
        before = {sql: mallory.ask(sql) for sql in (*OF_OTHERS, *STATED)}
    busy()
    changed = [
        sql
        for sql, seen in before.items()
        if [(each.outline, each.rows) for each in mallory.ask(sql)] != [(each.outline, each.rows) for each in seen]
    ]
    assert not set(changed) - set(STATED)
    assert len(changed) >= 4, "what is stated is seen"
    refused = {sql for sql, (here, _) in before.items() if here.state == "42501"}
    closed = {
        sql for sql in OF_OTHERS if any(name in sql for name in (*REFUSED_WHERE_GIVEN, "pg_stat_get_", "pg_stat_"))
    }
    assert refused <= closed if duel.backend is Backend.GIVEN else len(refused) <= 1, refused - closed


def test_what_is_stated_of_own_tables_holds_no_row(mallory: Pair, busy: Callable[[], None]) -> None:
    """Not the table's statistics either, which would tell values and how many rows there are of each."""
    busy()
    for sql in (
        "TABLE victor.told",
        "TABLE victor.look",
        "SELECT * FROM pg_statistic",
        "SELECT pg_get_viewdef('victor.look'::regclass) FROM victor.told",
    ):
        for seen in mallory.ask(sql):
            assert seen.state == "42501", (sql, seen)
    for seen in mallory.ask("SELECT count(*) FROM pg_stats WHERE schemaname = 'victor'"):
        assert seen.rows == ((0,),)


def test_they_are_seen_on_a_plain_postgres(duel: Duel, busy: Callable[[], None]) -> None:
    """Behind the proxy's back, as a role that everybody could have, where nothing was taken from it or hidden."""
    if duel.backend is Backend.EMBEDDED:
        return  # there it was taken: see tests/test_front_schema.py
    busy()
    with psycopg.connect(superuser_of_the_front(duel.served[0]), autocommit=True) as owner:
        owner.execute("DROP ROLE IF EXISTS eve; CREATE ROLE eve; GRANT USAGE ON SCHEMA public TO eve; SET ROLE eve")
        for sql in (
            "SELECT 1 FROM pg_stat_activity WHERE usename = 'victor'",
            "SELECT 1 FROM pg_locks WHERE pid <> pg_backend_pid()",
            "SELECT 1 FROM pg_stat_all_tables WHERE schemaname = 'victor' AND n_tup_ins > 0 OR schemaname ~ '^dp'",
            "SELECT 1 FROM pg_stat_database WHERE xact_commit > 0",
        ):
            assert owner.execute(sql).fetchall(), sql
        owner.execute("RESET ROLE; REVOKE ALL ON SCHEMA public FROM eve; DROP ROLE eve")


def test_sessions_share_nothing_but_the_account(duel: Duel) -> None:
    """Settings, prepared statements, cursors and what dp.last_statement tells are one session's, of one analyst too."""
    first, second = duel.proxied(), duel.proxied()
    try:
        first.ask("SET dp.epsilon = 0.5; PREPARE mine AS SELECT 1; SELECT count(*) FROM people WHERE age > 77")
        first.ask("DECLARE c CURSOR WITH HOLD FOR SELECT 1")
        for sql, state in (("EXECUTE mine", "26000"), ("FETCH c", "34000")):
            assert [seen.state for seen in second.ask(sql)] == [state] * 2
        assert [seen.rows for seen in second.ask("SHOW dp.epsilon")] == [(("1.0",),)] * 2
        assert [seen.rows for seen in second.ask("SELECT * FROM dp.last_statement")] == [()] * 2
        assert all(seen.rows for seen in first.ask("SELECT * FROM dp.last_statement"))
    finally:
        for pair in (first, second):
            for side in (pair.here, pair.gone):
                assert isinstance(side, Connected)
                side.connection.close()
