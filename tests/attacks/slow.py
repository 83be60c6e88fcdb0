"""What makes one row slow, or leaves a trace of it: functions that sleep, have effects or never say the same twice, and
functions whose work is as large as a private value. Each stands for a condition, in every place that takes one.
"""

from __future__ import annotations

from typing import Final

# Zelda, and nobody else, makes the engine come to it.
FOR_ZELDA: Final = "CASE WHEN p.person_id = 1000 THEN {evil} ELSE false END"

PLACES: Final = {
    "where": "SELECT count(*) FROM people p WHERE {evil}",
    "filter": "SELECT count(*) FILTER (WHERE {evil}) FROM people p",
    "measure": "SELECT sum(CASE WHEN {evil} THEN 1 ELSE 0 END) FROM people p",
    "key": "SELECT {evil} AS k, count(*) FROM people p GROUP BY 1",
    "on": "SELECT count(*) FROM people p JOIN visits v ON v.person_id = p.person_id AND v.visit_id < 100003 AND {evil}",
    "left join": "SELECT count(*) FROM people p LEFT JOIN departments d ON {evil}",
    "public join": "SELECT count(*) FROM people p JOIN departments d ON {evil}",
    "having": "SELECT sex, count(*) FROM people p GROUP BY sex HAVING bool_or({evil})",
    "order by": "SELECT sex, count(*) FROM people p GROUP BY sex ORDER BY bool_or({evil})",
    "order of rows": "SELECT count(*) FROM (SELECT 1 AS one FROM people p ORDER BY {evil} LIMIT 500) s",
    "derived": "SELECT count(*) FROM (SELECT {evil} AS x FROM people p) s WHERE x",
    "cte": "WITH s AS (SELECT {evil} AS x FROM people p) SELECT count(*) FROM s WHERE x",
    "exists": "SELECT count(*) FROM people q"
    " WHERE EXISTS (SELECT 1 FROM people p WHERE p.person_id = q.person_id AND {evil})",
    "scalar": "SELECT (SELECT count(*) FROM people p WHERE {evil}) AS n",
    "lateral": "SELECT count(*) FROM people p, LATERAL (SELECT {evil} AS x) s WHERE x",
    "partition": "SELECT sum(n) FROM (SELECT count(*) OVER (PARTITION BY {evil}) AS n FROM people p) s",
    "window order": "SELECT count(*) FROM (SELECT rank() OVER (ORDER BY {evil}) AS n FROM people p) s WHERE n = 1",
    "per person": "SELECT count(*) FROM"
    " (SELECT p.person_id FROM people p GROUP BY p.person_id HAVING bool_or({evil})) s",
    "union": "SELECT count(*) FROM"
    " (SELECT p.person_id FROM people p WHERE {evil} UNION ALL SELECT person_id FROM people) s",
    "distinct": "SELECT count(*) FROM (SELECT DISTINCT {evil} AS x FROM people p) s",
    "recursion": "WITH RECURSIVE s AS (SELECT {evil} AS x FROM people p UNION SELECT x FROM s) SELECT count(*) FROM s",
}

EFFECTS: Final = (
    "pg_sleep_for('1 second') IS NOT NULL",
    "pg_sleep_until(now() + '1 second') IS NOT NULL",
    "set_config('my.seen', 'yes', false) IS NOT NULL",
    "set_config('dp.epsilon', '9', false) IS NOT NULL",
    "pg_notify('a', 'b') IS NOT NULL",
    "pg_advisory_lock(1) IS NOT NULL",
    "pg_try_advisory_lock(1)",
    "pg_advisory_xact_lock(1) IS NOT NULL",
    "nextval('s') > 0",
    "setval('s', 1) > 0",
    "lastval() > 0",
    "lo_create(0) > 0",
    "pg_cancel_backend(pg_backend_pid())",
    "pg_terminate_backend(pg_backend_pid())",
    "txid_current() > 0",
    "pg_current_xact_id() IS NOT NULL",
    "pg_export_snapshot() IS NOT NULL",
    "pg_logical_emit_message(false, 'a', 'b') IS NOT NULL",
    "pg_read_file('/etc/hostname') IS NOT NULL",
    "pg_switch_wal() IS NOT NULL",
    "query_to_xml('SELECT pg_sleep(1)', true, true, '') IS NOT NULL",
    "setseed(0.5) IS NOT NULL",
)

NEVER_THE_SAME: Final = (
    "random() < 0.5",
    "random(1, 6) > 3",
    "random_normal() > 0",
    "gen_random_uuid() IS NOT NULL",
    "uuidv7() IS NOT NULL",
    "clock_timestamp() > now()",
    "clock_timestamp() - now() > '1 second'",
    "timeofday() > 'a'",
    "statement_timestamp() > now()",
    "pg_backend_pid() > 0",
)

AS_LARGE_AS_A_VALUE: Final = (
    "repeat('x', p.age * 1000000) > 'y'",
    "length(repeat(p.city, 1000000)) > 5",
    "length(repeat(repeat(p.city, 20), 20)) > 5",
    "lpad(p.city, p.age * 1000000) > 'y'",
    "rpad(p.city, p.age * 1000000, 'z') > 'y'",
    "format('%*s', p.age * 1000000, 'x') > 'y'",
    "array_length(array_fill(1, ARRAY[p.age * 100000]), 1) > 5",
    "(SELECT count(*) FROM generate_series(1, p.age * 1000000)) > 5",
    "(SELECT count(*) FROM generate_series(1, 1000000000)) > 5",
    "EXISTS (SELECT 1 FROM generate_series(1, p.age * 1000000) g WHERE g < 0)",
    "(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < p.age * 100000)"
    " SELECT count(*) FROM r) > 5",
    "(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r) > 5",
    "p.city ~ p.city",
    r"p.city ~ '(.)(.)(.)\3\2\1'",
    "p.city ~ '((x|y){255}){255}'",
    "p.city SIMILAR TO p.city",
    "regexp_replace(p.city, p.city, 'x') > 'y'",
    "regexp_replace(p.city, 'e([^~]*~)?', 'x', 'g') > 'y'",
    "regexp_count(p.city, '(a|a)*b') > 5",
    "regexp_match(p.city, '(a*)*b') IS NOT NULL",
    "array_length(regexp_split_to_array(p.city, ''), 1) > 5",
    "factorial(p.age * 1000) > 5",
    "(2::numeric ^ (p.age * 10000)) > 5",
    "power(2::numeric, p.age * 10000) > 5",
    "round(p.age::numeric, p.age * 1000) > 5",
    "to_tsvector(p.city) IS NOT NULL",
    "translate(p.city, p.city, 'abc') > 'a'",
    "split_part(p.city, 'e', p.age) > 'a'",
    "(SELECT string_agg(q.city, ',' ORDER BY q.city) FROM people q) > 'a'",
    "(SELECT array_agg(q.age ORDER BY q.city) FROM people q) IS NOT NULL",
    "(SELECT count(*) FROM people a, people b, people c) > 5",
)

# Heavy words that are taken: total, and of a cost that no text and no value blows up. {text} is a text of 120,000
# letters of Zelda's.
TAKEN: Final = (
    "{text} ~ '(a*)*~'",
    "{text} ~ '(Z|e|l|d|a| )*~'",
    "{text} ~ '(Zelda|Z|e)*(Zelda|Z|e)*(Zelda|Z|e)*~'",
    "{text} ~ '[Ze]*[a-z ]*[lda]{{100}}'",
    "{text} LIKE '%a%a%a%a%a%a%~'",
    "{text} LIKE '%a_%a_%a_%a_%a_%~'",
    "{text} ILIKE '%A%_A%_A%_A%_A%~'",
    "{text} LIKE '%a!%%a%a%a%~' ESCAPE '!'",
    "{text} LIKE {text}",
    "{text} LIKE '%a%' || left({text}, 80) || '%~'",
    "{text} ILIKE '%' || left({text}, 90) || '~'",
    "{text} SIMILAR TO '(%a%a%)*~'",
    "regexp_replace({text}, '[^~]*~', '', 'g') = 'x'",
    "regexp_replace({text}, '(Z|Zelda) ', 'x', 'g') = 'x'",
    "regexp_replace({text}, '[aeiou]', 'xyz', 'g') = 'x'",
    "replace({text}, 'e', 'eeeeeeeeeeeeeeeeeee') = 'x'",
    "length(repeat({text}, 20)) = 1",
    "strpos({text}, right({text}, 60000)) = 1",
    "split_part({text}, 'a', 19999) = 'x'",
    "exp(p.i::numeric) + ln(p.n) + sqrt(abs(p.d)) + power(p.d, 100) > 1",
    "concat({text}, {text}, {text}) = {text}",
)
