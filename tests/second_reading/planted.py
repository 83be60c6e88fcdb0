"""Texts that two parsers read differently, and pairs of texts that mean two things: what the comparison must notice."""

from __future__ import annotations

# sqlglot's reading of each is not the engine's. The checker refuses each, or no plan has it.
READ_DIFFERENTLY: tuple[tuple[str, str], ...] = (
    ("postgres", "SELECT a ~ b || c AS m FROM t"),
    ("postgres", "SELECT CAST(a AS FLOAT(10)) AS m FROM t"),
    ("postgres", "SELECT A AS m FROM t"),
    ("postgres", "SELECT a AS M FROM t"),
    ("postgres", "SELECT s.a AS m FROM t AS S"),
    ("postgres", 'SELECT "LEAST"(a, b) AS m FROM t'),
    ("postgres", 'SELECT CAST(a AS "INT") AS m FROM t'),
    ("postgres", "SELECT IFNULL(a, b) AS m FROM t"),
    ("postgres", "SELECT TO_CHAR(a, '%Y') AS m FROM t"),
    ("postgres", "SELECT a AS m FROM t LIMIT ALL"),
    ("postgres", "SELECT x.a AS m FROM x, y RIGHT JOIN z ON y.k = z.k"),
    ("postgres", "SELECT x.a AS m FROM x, y JOIN z ON y.k = z.k"),
    ("duckdb", "SELECT x.a AS m FROM x, y RIGHT JOIN z ON y.k = z.k"),
    ("duckdb", "SELECT x.a AS m FROM x, y JOIN z ON y.k = z.k"),
    ("duckdb", "SELECT a AS m FROM t LIMIT ALL"),
)

# The engine takes none of these; sqlglot takes all.
NOT_READ_BY_ENGINES = ("a = b = c", "a < b = c", "a = b < c", "a LIKE b LIKE c", "'a' 'b'")

# The checker takes none of these. A function or a type in quotes is the built-in one to sqlglot alone.
NOT_READ_BY_THE_CHECKER = (
    *("$$a'b$$", "$x$a$$b$x$", "a /* + c */ + b", "B'01'", "a::json"),
    *('"LEAST"(a, b)', '"least"(a, b)', '"sum"(a)', '"left"(a, 1)', '"octet_length"(a)', '"coalesce"(a, b)'),
    *('CAST(a AS "INT")', 'CAST(a AS "int4")', 'a::"int8"', 'CAST(a AS "pg_catalog"."int4")', '"public"."least"(a, b)'),
    *('EXTRACT("year" FROM a)', '"row_number"() OVER (ORDER BY a)', '"a" + CAST("a" AS "int4")'),
)

# Expressions that both parsers read alike, each with one that is another where precedence, associativity, a sign, a
# quote or an escape is misread.
PAIRS: tuple[tuple[str, str], ...] = (
    ("NOT a = b", "(NOT a) = b"),
    ("NOT a IS NULL", "(NOT a) IS NULL"),
    ("NOT a AND b", "NOT (a AND b)"),
    ("NOT a LIKE b", "(NOT a) LIKE b"),
    ("NOT a BETWEEN 1 AND 2 AND c", "NOT (a BETWEEN 1 AND 2 AND c)"),
    ("a = b IS NULL", "a = (b IS NULL)"),
    ("a = b AND c OR d", "a = b AND (c OR d)"),
    ("a OR b AND c", "(a OR b) AND c"),
    ("a BETWEEN b AND c AND d", "a BETWEEN b AND (c AND d)"),
    ("a NOT BETWEEN b AND c + 1", "(a NOT BETWEEN b AND c) + 1"),
    ("a = b IN (1, 2)", "(a = b) IN (1, 2)"),
    ("a + 1 IN (1, 2)", "a + (1 IN (1, 2))"),
    ("a || b LIKE c || d", "a || (b LIKE c) || d"),
    ("a - b - c", "a - (b - c)"),
    ("a / b * c", "a / (b * c)"),
    ("a % b * c", "a % (b * c)"),
    ("a + b * c", "(a + b) * c"),
    ("a || b || c", "a || (b || c)"),
    ("a || b + c", "(a || b) + c"),
    ("a - b || c", "a - (b || c)"),
    ("2 ^ 3 ^ 2", "2 ^ (3 ^ 2)"),
    ("-a ^ 2", "-(a ^ 2)"),
    ("-a * b", "-(a * b)"),
    ("-a::int", "(-a)::int"),
    ("-1::int", "(-1)::int"),
    ("CAST(-1 AS INT)", "-CAST(1 AS INT)"),
    ("a - -b", "a - b"),
    ("1 -1", "1 - -1"),
    ("a IS DISTINCT FROM b AND c", "a IS DISTINCT FROM (b AND c)"),
    ('a || b COLLATE "C"', '(a || b) COLLATE "C"'),
    ("a - b AT TIME ZONE 'UTC'", "(a - b) AT TIME ZONE 'UTC'"),
    ("CASE a WHEN 1 THEN 2 END", "CASE WHEN a THEN 2 END"),
    ("CASE WHEN a THEN b END = c", "CASE WHEN a THEN b = c END"),
    ("1.5", "15"),
    ("1e5", "1e6"),
    ("1.", "1"),
    (".5", "5"),
    ("'a\\'", "'a\\\\'"),
    ("'a\\n'", "E'a\\n'"),
    ("'a''b'", "'ab'"),
    ("'--'", "''"),
    ("'/* x */'", "'x'"),
    ("a /* + c */ + b", "a + c + b"),
    ("a /* /* */ - */ + b", "a - b"),
    ('"a"', '"A"'),
    ('"a""b"', '"ab"'),
    ('"a.b"', "c.b"),
    ("CAST(a AS INT)", "CAST(a AS BIGINT)"),
    ("CAST(a AS DECIMAL(9, 2))", "CAST(a AS DECIMAL(9, 3))"),
    ("CAST(a AS REAL)", "CAST(a AS DOUBLE PRECISION)"),
    ("COUNT(a)", "COUNT(*)"),
    ("COUNT(DISTINCT a)", "COUNT(a)"),
    ("LAG(a, 1) OVER (ORDER BY b)", "LAG(a, 1, 0) OVER (ORDER BY b)"),
    ("SUM(a) OVER (ORDER BY b)", "SUM(a) OVER (ORDER BY b ROWS UNBOUNDED PRECEDING)"),
    ("SUM(a) OVER (ORDER BY b DESC NULLS LAST)", "SUM(a) OVER (ORDER BY b DESC NULLS FIRST)"),
    ("SUM(a) OVER (PARTITION BY b)", "SUM(a) OVER (ORDER BY b)"),
    ("SUBSTRING(a FROM 2 FOR 3)", "SUBSTRING(a, 3, 2)"),
    ("POSITION(a IN b)", "POSITION(b IN a)"),
    ("TRIM(LEADING 'x' FROM a)", "TRIM(TRAILING 'x' FROM a)"),
    ("EXTRACT(DOW FROM a)", "EXTRACT(DOY FROM a)"),
    ("EXISTS (SELECT 1 FROM t)", "(SELECT 1 FROM t)"),
    ("NULLIF(a, b)", "NULLIF(b, a)"),
    ("COALESCE(a, b, c)", "COALESCE(a, c, b)"),
)

# The same for whole queries.
QUERIES: tuple[tuple[str, str], ...] = (
    ("SELECT 1 AS a UNION SELECT 2 EXCEPT SELECT 3", "SELECT 1 AS a UNION (SELECT 2 EXCEPT SELECT 3)"),
    ("SELECT 1 AS a EXCEPT SELECT 2 EXCEPT SELECT 3", "SELECT 1 AS a EXCEPT (SELECT 2 EXCEPT SELECT 3)"),
    ("SELECT 1 AS a UNION SELECT 2 INTERSECT SELECT 3", "(SELECT 1 AS a UNION SELECT 2) INTERSECT SELECT 3"),
    ("SELECT 1 AS a UNION ALL SELECT 2", "SELECT 1 AS a UNION SELECT 2"),
    (
        "SELECT x.a AS m FROM x LEFT JOIN y ON x.k = y.k JOIN z ON y.k = z.k",
        "SELECT x.a AS m FROM x JOIN y ON x.k = y.k LEFT JOIN z ON y.k = z.k",
    ),
    ("SELECT a AS m FROM t LIMIT 1 OFFSET 2", "SELECT a AS m FROM t LIMIT 2 OFFSET 1"),
    ("SELECT a AS m FROM t GROUP BY a HAVING COUNT(*) > 1", "SELECT a AS m FROM t WHERE a > 1 GROUP BY a"),
    ("SELECT a AS m FROM t GROUP BY a, b", "SELECT a AS m FROM t GROUP BY a, b, c"),
    ("SELECT a AS m FROM t GROUP BY a, b, a", "SELECT a AS m FROM t GROUP BY b, a, b"),
    (
        "SELECT a AS m FROM t GROUP BY GROUPING SETS ((a), (b))",
        "SELECT a AS m FROM t GROUP BY GROUPING SETS ((a), (b)), GROUPING SETS ((a), (b))",
    ),
    (
        "SELECT a AS m FROM t GROUP BY GROUPING SETS ((a, b), (a, c))",
        "SELECT a AS m FROM t GROUP BY GROUPING SETS ((a, b), (a, c)), b",
    ),
    ("SELECT DISTINCT a AS m FROM t", "SELECT a AS m FROM t"),
    ("SELECT a AS m FROM s.t AS t", "SELECT a AS m FROM t AS s"),
    ("SELECT v.a AS m FROM (VALUES (1, 2)) AS v(a, b)", "SELECT v.a AS m FROM (VALUES (1), (2)) AS v(a)"),
    ("SELECT v.a AS m FROM (VALUES (1, 2)) AS v(a, b)", "SELECT v.a AS m FROM (VALUES (1, 2)) AS v(b, a)"),
    ("SELECT a AS m FROM t WHERE a = 1 -- OR b", "SELECT a AS m FROM t WHERE a = 1 OR b"),
)

# Pairs of queries that are one, though an engine's parser may leave out what the other has twice.
WRITTEN_TWICE: tuple[tuple[str, str], ...] = (
    ("SELECT a AS m FROM t GROUP BY a, b", "SELECT a AS m FROM t GROUP BY a, b, a"),
    ("SELECT a AS m FROM t GROUP BY a, b", "SELECT a AS m FROM t GROUP BY a, a, b, b"),
    (
        "SELECT a AS m FROM t GROUP BY GROUPING SETS ((a, b), (a, c))",
        "SELECT a AS m FROM t GROUP BY GROUPING SETS ((a, b), (a, c)), a",
    ),
    (
        "SELECT r.a AS m FROM (SELECT a FROM t GROUP BY a) AS r",
        "SELECT r.a AS m FROM (SELECT a FROM t GROUP BY a, a) AS r",
    ),
)
