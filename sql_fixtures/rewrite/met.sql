-- how many rows others' rows meet
SELECT count(DISTINCT o.orderkey), count(*) FROM orders o JOIN orders x ON x.custkey = o.orderkey;
-- =>
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, CAST(HASH(o) % 9223372036854775807 AS BIGINT) AS r, m0 FROM (SELECT u, v, o, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s0."orderkey" AS o FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, o) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT u, v, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0_sets.a0 AS "_column_0", dpproxy_0_sets.a1 AS "_column_1" FROM (SELECT dpproxy_0.o0 AS a0, dpproxy_1.o0 AS a1 FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0" CROSS JOIN (SELECT * FROM UNNEST(CAST($2 AS BIGINT[])) AS r("o0")) AS "dpproxy_1") AS dpproxy_0_sets

-- by keys, under a condition, and who meets them
SELECT o.priority, count(DISTINCT x.custkey) FILTER (WHERE x.priority = '5-LOW'), count(DISTINCT o.custkey) FROM orders o JOIN orders x ON x.custkey = o.orderkey GROUP BY o.priority;
-- =>
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, CAST(HASH(o) % 9223372036854775807 AS BIGINT) AS r, m0 FROM (SELECT * FROM (SELECT u, v, o, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s1."custkey" AS o, s0."priority" AS k0, CASE WHEN s1."priority" = '5-LOW' THEN 1 END AS m0 FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, o, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') END) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- k0: values '1-URGENT', '5-LOW'
-- m0: VALUES 0..2147483648 step 1
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, CAST(HASH(o) % 9223372036854775807 AS BIGINT) AS r, m0 FROM (SELECT * FROM (SELECT u, v, o, k0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s0."custkey" AS o, s0."priority" AS k0 FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, o, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') END) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "priority", dpproxy_0_sets.a0 AS "_column_1", dpproxy_0_sets.a1 AS "_column_2" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.o0 AS a0, dpproxy_1.o0 AS a1 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" JOIN (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1" ON dpproxy_0.k0 IS NOT DISTINCT FROM dpproxy_1.k0) AS dpproxy_0_sets

-- EXISTS of others' rows, and NOT EXISTS
SELECT o.priority, count(*) FILTER (WHERE EXISTS (SELECT 1 FROM orders x WHERE x.custkey = o.orderkey)), count(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM orders x WHERE x.custkey = o.orderkey AND x.priority = '5-LOW')) FROM orders o GROUP BY o.priority;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 40) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 40) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = '1-URGENT' THEN 1 WHEN k0 = '5-LOW' THEN 2147483648 END) AS s0 FROM (SELECT s0."custkey" AS u, s0."priority" AS k0 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, '1-URGENT'), (1, '5-LOW')) AS v0(i, k0)) AS v;
-- unit customer: 40 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..40 step 1
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, CAST(HASH(o) % 9223372036854775807 AS BIGINT) AS r, m0 FROM (SELECT * FROM (SELECT u, v, o, k0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s1."custkey" AS o, s2."c0" AS k0 FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" JOIN (SELECT s0."k0" AS c0, s0."o0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0) AS s2 ON s2."c0" = s0."priority" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, o, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') END) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..2147483648 step 1
-- inputs: r0c0, r0c1
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, CAST(HASH(o) % 9223372036854775807 AS BIGINT) AS r, m0 FROM (SELECT * FROM (SELECT u, v, o, k0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s1."custkey" AS o, s2."c0" AS k0 FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" AND s1."priority" = '5-LOW' JOIN (SELECT s0."k0" AS c0, s0."o0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0) AS s2 ON s2."c0" = s0."priority" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, o, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') END) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..2147483648 step 1
-- inputs: r0c0, r0c1
-- post: WITH "own rows ~2" AS (SELECT dpproxy_0.k0 AS "dpproxy key 0", dpproxy_0.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"), "rows met ~2" AS (SELECT dpproxy_1.k0 AS "dpproxy key 0", dpproxy_1.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1"), "rows met ~3" AS (SELECT dpproxy_2.k0 AS "dpproxy key 0", dpproxy_2.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($5 AS TEXT[]), CAST($6 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_2") SELECT "own rows ~2"."dpproxy key 0" AS "priority", "rows met ~2"."dpproxy value 0" AS "_column_1", ("own rows ~2"."dpproxy value 0" - COALESCE("rows met ~3"."dpproxy value 0", 0)) AS "_column_2" FROM "own rows ~2" AS "own rows ~2" LEFT JOIN "rows met ~2" AS "rows met ~2" ON "own rows ~2"."dpproxy key 0" = "rows met ~2"."dpproxy key 0" LEFT JOIN "rows met ~3" AS "rows met ~3" ON "own rows ~2"."dpproxy key 0" = "rows met ~3"."dpproxy key 0"

-- EXISTS of others' rows in WHERE
SELECT count(*) FROM orders o WHERE EXISTS (SELECT 1 FROM orders x WHERE x.custkey = o.orderkey);
-- =>
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, CAST(HASH(o) % 9223372036854775807 AS BIGINT) AS r, m0 FROM (SELECT u, v, o, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s1."custkey" AS o FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, o) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- IN of others' rows
SELECT count(*) FROM orders o WHERE o.orderkey IN (SELECT x.custkey FROM orders x WHERE x.priority = '5-LOW');
-- =>
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, CAST(HASH(o) % 9223372036854775807 AS BIGINT) AS r, m0 FROM (SELECT u, v, o, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s1."custkey" AS o FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."priority" = '5-LOW' AND s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, o) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- LEFT JOIN of others' rows that meet none
SELECT count(*) FROM orders o LEFT JOIN orders x ON x.custkey = o.orderkey WHERE x.custkey IS NULL AND o.priority = '5-LOW';
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 40) AS m0 FROM (SELECT s0."custkey" AS u FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL AND s0."priority" = '5-LOW') AS r GROUP BY u) AS c;
-- unit customer: 40 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..40 step 1
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, CAST(HASH(o) % 9223372036854775807 AS BIGINT) AS r, m0 FROM (SELECT u, v, o, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s1."custkey" AS o FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL AND s0."priority" = '5-LOW') AS r GROUP BY u, v, o) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
-- post: WITH "own rows ~2" AS (SELECT dpproxy_0.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"), "rows met ~2" AS (SELECT dpproxy_1.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($2 AS BIGINT[])) AS r("o0")) AS "dpproxy_1") SELECT ("own rows ~2"."dpproxy value 0" - COALESCE("rows met ~2"."dpproxy value 0", 0)) AS "count" FROM "own rows ~2" AS "own rows ~2" CROSS JOIN "rows met ~2" AS "rows met ~2"

-- numbers of others' rows that are none, or more
SELECT t.priority, count(*) FILTER (WHERE t.n = 0), sum(CASE WHEN t.n > 0 THEN 1 ELSE 0 END) FROM (SELECT o.priority, (SELECT count(*) FROM orders x WHERE x.custkey = o.orderkey) AS n FROM orders o) AS t GROUP BY t.priority;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 40) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 40) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = '1-URGENT' THEN 1 WHEN k0 = '5-LOW' THEN 2147483648 END) AS s0 FROM (SELECT s0."custkey" AS u, s0."priority" AS k0 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, '1-URGENT'), (1, '5-LOW')) AS v0(i, k0)) AS v;
-- unit customer: 40 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..40 step 1
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, CAST(HASH(o) % 9223372036854775807 AS BIGINT) AS r, m0 FROM (SELECT * FROM (SELECT u, v, o, k0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s1."custkey" AS o, s2."c0" AS k0 FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" JOIN (SELECT s0."k0" AS c0, s0."o0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0) AS s2 ON s2."c0" = s0."priority" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, o, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') END) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..2147483648 step 1
-- inputs: r0c0, r0c1
-- post: WITH "own rows ~2" AS (SELECT dpproxy_0.k0 AS "dpproxy key 0", dpproxy_0.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"), "rows met ~2" AS (SELECT dpproxy_1.k0 AS "dpproxy key 0", dpproxy_1.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1") SELECT "own rows ~2"."dpproxy key 0" AS "priority", ("own rows ~2"."dpproxy value 0" - COALESCE("rows met ~2"."dpproxy value 0", 0)) AS "count", "rows met ~2"."dpproxy value 0" AS "sum" FROM "own rows ~2" AS "own rows ~2" LEFT JOIN "rows met ~2" AS "rows met ~2" ON "own rows ~2"."dpproxy key 0" = "rows met ~2"."dpproxy key 0"

-- keys of others' rows, each once, beside their numbers
SELECT count(*), count(d.custkey), avg(COALESCE(t.n, 0)) FROM orders o LEFT JOIN (SELECT DISTINCT x.custkey FROM orders x WHERE x.priority = '5-LOW') AS d ON d.custkey = o.orderkey LEFT JOIN (SELECT x.custkey, count(*) AS n FROM orders x GROUP BY x.custkey) AS t ON t.custkey = o.orderkey;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 40) AS m0 FROM (SELECT s0."custkey" AS u FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit customer: 40 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..40 step 1
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, CAST(HASH(o) % 9223372036854775807 AS BIGINT) AS r, m0 FROM (SELECT u, v, o, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s1."custkey" AS o FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" AND s1."priority" = '5-LOW' WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, o) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT u, v, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
-- post: WITH "own rows ~2" AS (SELECT dpproxy_0.o0 AS "dpproxy value 0", dpproxy_0.o0 AS "dpproxy value 1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"), "rows met ~2" AS (SELECT dpproxy_1.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($2 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"), "rows met ~3" AS (SELECT dpproxy_2.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($3 AS BIGINT[])) AS r("o0")) AS "dpproxy_2") SELECT "own rows ~2"."dpproxy value 0" AS "_column_0", "rows met ~2"."dpproxy value 0" AS "_column_1", (CAST("rows met ~3"."dpproxy value 0" AS DECIMAL) / NULLIF("own rows ~2"."dpproxy value 1", 0)) AS "avg" FROM "own rows ~2" AS "own rows ~2" CROSS JOIN "rows met ~2" AS "rows met ~2" CROSS JOIN "rows met ~3" AS "rows met ~3"

-- rows that meet others' alone, with numbers of these
SELECT count(*), sum(t.n), avg(t.n) FROM orders o JOIN (SELECT x.custkey, count(*) AS n FROM orders x GROUP BY x.custkey) AS t ON t.custkey = o.orderkey;
-- =>
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, CAST(HASH(o) % 9223372036854775807 AS BIGINT) AS r, m0 FROM (SELECT u, v, o, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s1."custkey" AS o FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, o) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT u, v, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0_sets.a0 AS "count", CAST(dpproxy_0_sets.a1 AS DECIMAL) AS "sum", (CAST(dpproxy_0_sets.a1 AS DECIMAL) / NULLIF(dpproxy_0_sets.a0, 0)) AS "avg" FROM (SELECT dpproxy_0.o0 AS a0, dpproxy_1.o0 AS a1 FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0" CROSS JOIN (SELECT * FROM UNNEST(CAST($2 AS BIGINT[])) AS r("o0")) AS "dpproxy_1") AS dpproxy_0_sets

-- what those rows hold that others' meet, and that meet none
SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM orders x WHERE x.custkey = o.orderkey)), avg(extract(month FROM o.orderdate)) FILTER (WHERE EXISTS (SELECT 1 FROM orders x WHERE x.custkey = o.orderkey)), sum(length(o.priority)) FILTER (WHERE NOT EXISTS (SELECT 1 FROM orders x WHERE x.custkey = o.orderkey)) FROM orders o;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 320) AS m0 FROM (SELECT s0."custkey" AS u, CAST(CASE WHEN LENGTH(s0."priority") > 8 THEN 8 WHEN LENGTH(s0."priority") < 5 THEN 5 ELSE LENGTH(s0."priority") END AS BIGINT) AS m0 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit customer: 40 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..320 step 1
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, CAST(HASH(o) % 9223372036854775807 AS BIGINT) AS r, m0 FROM (SELECT u, v, o, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s1."custkey" AS o FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, o) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, CAST(HASH(o) % 9223372036854775807 AS BIGINT) AS r, m0, m1 FROM (SELECT u, v, o, LEAST(GREATEST(COALESCE(MAX(m0), 0), -10737418240), 12884901888) AS m0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m1 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s1."custkey" AS o, CAST(CASE WHEN EXTRACT(MONTH FROM CASE WHEN s0."orderdate" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."orderdate" END) > 12 THEN 12 WHEN EXTRACT(MONTH FROM CASE WHEN s0."orderdate" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."orderdate" END) < 1 THEN 1 ELSE EXTRACT(MONTH FROM CASE WHEN s0."orderdate" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."orderdate" END) END - 6 AS BIGINT) AS m0 FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, o) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: CENTRED -10737418240..12884901888 step 1
-- m1: ROWS 0..2147483648 step 1
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, CAST(HASH(o) % 9223372036854775807 AS BIGINT) AS r, m0 FROM (SELECT u, v, o, LEAST(GREATEST(COALESCE(MAX(m0), 0), 0), 17179869184) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s1."custkey" AS o, CAST(CASE WHEN LENGTH(s0."priority") > 8 THEN 8 WHEN LENGTH(s0."priority") < 5 THEN 5 ELSE LENGTH(s0."priority") END AS BIGINT) AS m0 FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, o) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: SUM 0..17179869184 step 1
-- post: WITH "own rows ~2" AS (SELECT dpproxy_0.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"), "rows met ~2" AS (SELECT dpproxy_1.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($2 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"), "rows met ~3" AS (SELECT dpproxy_2.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($3 AS DECIMAL[])) AS r("o0")) AS "dpproxy_2"), "rows met ~4" AS (SELECT dpproxy_3.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($4 AS BIGINT[])) AS r("o0")) AS "dpproxy_3") SELECT "rows met ~2"."dpproxy value 0" AS "count", "rows met ~3"."dpproxy value 0" AS "avg", ("own rows ~2"."dpproxy value 0" - COALESCE("rows met ~4"."dpproxy value 0", 0)) AS "sum" FROM "own rows ~2" AS "own rows ~2" CROSS JOIN "rows met ~2" AS "rows met ~2" CROSS JOIN "rows met ~3" AS "rows met ~3" CROSS JOIN "rows met ~4" AS "rows met ~4"
