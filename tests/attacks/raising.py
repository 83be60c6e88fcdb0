"""Statements that raise on a plain engine if and only if Zelda is in the table, by what raises.

Each is an attack by itself on one of the two plain engines at least, in Postgres's words. Over the proxy it is
answered, with NULL where it would raise, or refused at sight and uncharged.
"""

from __future__ import annotations

from typing import Final


def _counted(*expressions: str) -> tuple[str, ...]:
    return tuple(f"SELECT count({each}) FROM odds" for each in expressions)


def _kept(*conditions: str) -> tuple[str, ...]:
    return tuple(f"SELECT count(*) FROM odds WHERE {each}" for each in conditions)


DIVISION: Final = _counted(
    "1 / i", "i % b", "mod(b, i)", "div(n, i)", "1 / n", "1 / d", "1 / n::real", "INTERVAL '1 day' / d"
)

CASTS: Final = (
    *_counted("CAST(t AS INTEGER)", "CAST(t AS DOUBLE PRECISION)", "CAST(t AS NUMERIC(5, 2))", "CAST(b AS INTEGER)"),
    *_counted("CAST(d AS BIGINT)", "CAST(d AS NUMERIC(10, 2))", "CAST(n AS SMALLINT)", "CAST(d AS REAL)"),
    *_counted("('.' || t)::numeric(38, 38)", "CAST(d AS REAL) * CAST(n AS REAL)"),
    *_counted("CAST(i AS SMALLINT)", "round(d)::int", "n::numeric(4, 2)", "i::text::smallint", "round(d::numeric, 2)"),
    "SELECT count(CAST(t AS DATE)) FROM odds WHERE length(t) <> 1",
    "SELECT count(CAST(t AS TIMESTAMP)) FROM odds WHERE length(t) <> 1",
    "SELECT count(CAST(t AS BOOLEAN)) FROM odds WHERE t = '1' OR length(t) > 2",
    "SELECT count(t::uuid) FROM odds WHERE length(t) <> 1",
    *_counted("('1.2.3.' || t)::inet", "t::json", "t::tsquery", "t::money", "t::xid", "CAST(t || ' days' AS INTERVAL)"),
)

OVERFLOW: Final = (
    *_counted("i + 1", "i - 2", "-i", "i * 3", "abs(i)", "b + b", "-b", "abs(b)", "b * b", "i / -1", "lcm(b, i)"),
    *_counted("d * d", "d + d", "n * n * n * n", "power(d, 2)", "exp(d)", "exp(n)", "power(n, n)", "degrees(d)"),
    *_counted("n::real * n::real * n::real * n::real", "n::real / (n::real * n::real * n::real * n::real * n::real)"),
    *_counted("factorial(b)", "gamma(d)", "EXTRACT(epoch FROM ts)::int", "trunc(n, b::int)"),
    *(f"SELECT {each} FROM odds" for each in ("sum(i * i)", "sum(i + b)", "sum(b * 2)", "avg(d * d)", "stddev(d)")),
    *(f"SELECT {each} FROM odds" for each in ("var_pop(d)", "corr(d, i)", "regr_slope(d, i)", "covar_pop(d, d)")),
)

LOGS_AND_ROOTS: Final = (
    *_counted("ln(d)", "log(n)", "log(2, n)", "sqrt(d)", "sqrt(i)", "power(d, 0.5)", "power(i, -1)"),
    *_counted("asin(d / 10)", "acosh(d)", "sin(d)", "tan(d)"),
)

DATES: Final = (
    *_counted("day + i", "day - day", "make_date(i, i, i)", "to_date(t, 'YYYY-MM-DD')", "INTERVAL '1 year' * i"),
    *_counted("CAST('2024-01-0' || t AS DATE)", "to_date('2024-02-' || t, 'YYYY-MM-DD')", "make_interval(years => i)"),
    *_counted("ts + INTERVAL '1 second' * d", "ts + i * INTERVAL '1 year'", "ts + INTERVAL '290000 years'"),
    *_counted("to_timestamp(d)", "to_timestamp('2024-02-' || t, 'YYYY-MM-DD')", "make_timestamp(i, 1, 1, 1, 1, 1)"),
    *_counted("ts - TIMESTAMP '2000-01-01'", "ts::date + i", "CAST('10:0' || t AS TIME)"),
    "SELECT count(date_trunc(CASE WHEN i BETWEEN 1 AND 9 THEN 'day' ELSE t END, ts)) FROM odds",
)

TIME_ZONES: Final = _counted(
    "ts AT TIME ZONE t",
    "timezone(t, ts)",
    "ts::timestamptz AT TIME ZONE ('UTC-' || t)",
    "CAST('2024-01-01 10:00:00+' || t AS TIMESTAMP WITH TIME ZONE)",
)

EXPRESSIONS_OF_TEXT: Final = (
    *_kept("'a' ~ t", "'a' SIMILAR TO t"),
    *_counted("regexp_replace('a', t, 'b')", "regexp_like('a', t)", "substring('a' from t)"),
    *_counted("regexp_split_to_array('a', t)", "jsonb_path_query_array('{}', t::jsonpath)"),
    *_kept("'a' LIKE 'b' ESCAPE t", "t LIKE 'a%' ESCAPE t"),
)

ARRAYS: Final = _counted(
    "('{' || t || '}')::int[]", "array_fill(0, ARRAY[i])", "(ARRAY[1, 2])[i:b]", "array_fill(1, ARRAY[abs(b)::int])"
)

TEXTS: Final = (
    *_counted("chr(i)", "repeat('x', i)", "lpad('x', i, 'y')", "substring('abc', 1, i)", "substr('abc', 1, i)"),
    *_counted("split_part('a,b', ',', i)", "overlay('abc' placing 'x' from i)", "to_char(d, t)", "to_number(t, '999')"),
    *_counted("format(t, i)", "parse_ident('a' || t)", "width_bucket(d, 0, 10, i)", "width_bucket(n, 0, n, 5)"),
    *_counted("random(1, i)", "rpad('a', i, 'x')"),
)

ENCODINGS: Final = _counted(
    *("convert_from(t::bytea, 'UTF8')", "encode(t::bytea, 'hex')", "convert_to(t, 'LATIN1')", "unistr(t)"),
    *("decode('0' || t, 'hex')", "convert(t::bytea, 'UTF8', 'LATIN1')", "set_bit('abc'::bytea, i, 1)"),
)

_OF_PERSON: Final = "FROM odds o WHERE o.person_id = p.person_id"
SEVERAL_ROWS: Final = (
    "SELECT count(*) FROM people WHERE age = (SELECT i FROM odds WHERE person_id = 1000)",
    f"SELECT count(*) FROM people p WHERE age = (SELECT o.i {_OF_PERSON})",
    f"SELECT count((SELECT o.i {_OF_PERSON})) FROM people p",
    f"SELECT count(*) FROM people p WHERE (p.age, 1) = (SELECT o.i, 1 {_OF_PERSON})",
    f"SELECT count(*) FROM people p WHERE p.age > ALL (SELECT 1 / o.i {_OF_PERSON})",
)

MEMORY: Final = (
    *_counted("repeat(t, 1000000)", "repeat(t, 10000)"),
    "SELECT count(lpad(t, 1100000000, 'x')) FROM odds WHERE i = 65",
)

STATEMENTS: Final = {
    "division": DIVISION,
    "casts": CASTS,
    "overflow": OVERFLOW,
    "logs and roots": LOGS_AND_ROOTS,
    "dates": DATES,
    "time zones": TIME_ZONES,
    "regular expressions and LIKE": EXPRESSIONS_OF_TEXT,
    "arrays": ARRAYS,
    "texts": TEXTS,
    "encodings": ENCODINGS,
    "several rows": SEVERAL_ROWS,
    "memory": MEMORY,
}

# Wherever an expression may stand. {e}: one that raises, of a table called o; it is a number.
CLAUSES: Final = (
    "SELECT count({e}) FROM odds o",
    "SELECT sum(CASE WHEN {e} > 0 THEN 1 ELSE 0 END) FROM odds o",
    "SELECT avg(least(greatest({e}, 0), 10)) FROM odds o",
    "SELECT count(*) FROM odds o WHERE {e} > 0",
    "SELECT count(*) FROM odds o WHERE o.t = 'x' OR NOT ({e} > 0)",
    "SELECT count(*) FROM odds o WHERE o.i IN (1, {e})",
    "SELECT count(*) FROM odds o WHERE 5 BETWEEN {e} AND 9",
    "SELECT count(*) FILTER (WHERE {e} > 0) FROM odds o",
    "SELECT count(CASE WHEN o.i IS NOT NULL THEN {e} END) FROM odds o",
    "SELECT count(CASE {e} WHEN 1 THEN 2 END) FROM odds o",
    "SELECT count(COALESCE({e}, 0)) FROM odds o",
    "SELECT count(NULLIF({e}, 0)) FROM odds o",
    "SELECT {e} > 0, count(*) FROM odds o GROUP BY 1",
    "SELECT CASE WHEN {e} > 0 THEN 'a' ELSE 'b' END, count(*) FROM odds o GROUP BY 1",
    "SELECT o.flag, count({e}) FROM odds o GROUP BY ROLLUP (o.flag)",
    "SELECT count(DISTINCT floor({e})::bigint) FROM odds o",
    "SELECT bool_or({e} > 0) FROM odds o",
    "SELECT stddev(least(greatest({e}, 0), 10)) FROM odds o",
    "SELECT count(*) FROM odds o JOIN departments x ON {e} > x.beds",
    "SELECT count(*) FROM odds o LEFT JOIN departments x ON {e} > x.beds",
    "SELECT count(*) FROM (SELECT o.person_id FROM odds o GROUP BY o.person_id HAVING max({e}) > 0) AS q",
    "SELECT count(m) FROM (SELECT o.person_id, max({e}) AS m FROM odds o GROUP BY o.person_id) AS q",
    "SELECT count(*) FROM (SELECT o.person_id, {e} AS k FROM odds o GROUP BY o.person_id, {e}) AS q",
    "SELECT count(x) FROM (SELECT {e} AS x FROM odds o) AS q",
    "WITH q AS (SELECT {e} AS x FROM odds o) SELECT count(*) FROM q WHERE x > 0",
    "SELECT count(r) FROM (SELECT row_number() OVER (PARTITION BY o.person_id ORDER BY {e}) AS r FROM odds o) AS q",
    "SELECT count(r) FROM (SELECT lag({e}) OVER (PARTITION BY o.person_id ORDER BY o.t) AS r FROM odds o) AS q",
    "SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM odds o WHERE o.person_id = p.person_id AND {e} > 0)",
    "SELECT count(*) FROM people p WHERE p.person_id IN (SELECT o.person_id FROM odds o WHERE {e} > 0)",
    "SELECT count(q.x) FROM people p"
    " JOIN LATERAL (SELECT {e} AS x FROM odds o WHERE o.person_id = p.person_id) AS q ON true",
    "SELECT count(*) FROM (SELECT DISTINCT o.person_id, {e} FROM odds o) AS q",
    "SELECT count(*) FROM (SELECT DISTINCT ON (o.person_id) o.person_id FROM odds o ORDER BY o.person_id, {e}) AS q",
    "SELECT count(*) FROM (SELECT o.person_id, {e} AS x FROM odds o UNION SELECT person_id, age FROM people) AS q",
)
HOSTILE: Final = (
    *("1 / o.i", "10 % o.b", "CAST(o.t AS INTEGER)", "CAST(o.d AS BIGINT)", "o.i * 3", "abs(o.b)", "o.d * o.d"),
    *("ln(o.d)", "sqrt(o.i)", "extract(year FROM o.day + o.i)", "length(chr(o.i))", "length(substring('abc', 1, o.i))"),
    *("extract(day FROM CAST('2024-02-' || o.t AS DATE))", "o.n::numeric(4, 2)"),
)
