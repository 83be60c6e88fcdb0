-- what LEFT JOIN adds of others, by keys that the rows themselves have
SELECT o.priority, count(DISTINCT o.orderkey) AS orders, count(x.orderkey) AS others, avg(x.orderdate - o.orderdate) FROM orders o LEFT JOIN orders x ON x.custkey = o.orderkey WHERE o.orderdate > '1995-01-01' GROUP BY o.priority HAVING count(x.orderkey) > 3 ORDER BY orders DESC;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 40) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 40) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = '1-URGENT' THEN 1 WHEN k0 = '5-LOW' THEN 2147483648 END) AS s0 FROM (SELECT s0."custkey" AS u, s0."priority" AS k0 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL AND s0."orderdate" > CAST('1995-01-01' AS DATE)) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, '1-URGENT'), (1, '5-LOW')) AS v0(i, k0)) AS v;
-- unit customer: 40 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..40 step 1
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0, m1 FROM (SELECT * FROM (SELECT u, v, k0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), -4309999681536), 4312147165184) AS m1 FROM (SELECT t.u AS u, t.x1 AS v, t.x2 AS k0, CAST(CASE WHEN t.g0 > 1459 THEN 1459 WHEN t.g0 < (-2556) THEN -2556 ELSE t.g0 END - (-549) AS BIGINT) AS m1 FROM (SELECT s0."custkey" AS u, s1."custkey" AS x1, s2."c0" AS x2, CAST(CASE WHEN s1."orderdate" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s1."orderdate" END - CASE WHEN s0."orderdate" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."orderdate" END AS BIGINT) AS g0 FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" JOIN (SELECT s0."k0" AS c0, s0."o0" AS c1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0) AS s2 ON s2."c0" = s0."priority" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL AND s0."orderdate" > CAST('1995-01-01' AS DATE)) AS t WHERE t.u IS NOT NULL) AS r GROUP BY u, v, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') END) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..2147483648 step 1
-- m1: CENTRED -4309999681536..4312147165184 step 1
-- inputs: r0c0, r0c1
-- post: WITH "own rows ~2" AS (SELECT dpproxy_0.k0 AS "dpproxy key 0", dpproxy_0.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"), "rows met ~2" AS (SELECT dpproxy_1.k0 AS "dpproxy key 0", dpproxy_1.o0 AS "dpproxy value 0", dpproxy_1.o1 AS "dpproxy value 1" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[]), CAST($5 AS DECIMAL[])) AS r("k0", "o0", "o1")) AS "dpproxy_1") SELECT "own rows ~2"."dpproxy key 0" AS "priority", "own rows ~2"."dpproxy value 0" AS "orders", "rows met ~2"."dpproxy value 0" AS "others", "rows met ~2"."dpproxy value 1" AS "avg" FROM "own rows ~2" AS "own rows ~2" LEFT JOIN "rows met ~2" AS "rows met ~2" ON "own rows ~2"."dpproxy key 0" = "rows met ~2"."dpproxy key 0" WHERE "rows met ~2"."dpproxy value 0" > 3 ORDER BY "orders" DESC

-- the same of all
SELECT count(DISTINCT o.orderkey), count(x.orderkey) FROM orders o LEFT JOIN orders x ON x.custkey = o.orderkey AND x.priority = '1-URGENT';
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 40) AS m0 FROM (SELECT s0."custkey" AS u FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit customer: 40 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..40 step 1
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT u, v, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" AND s1."priority" = '1-URGENT' WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
-- post: WITH "own rows ~2" AS (SELECT dpproxy_0.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"), "rows met ~2" AS (SELECT dpproxy_1.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($2 AS BIGINT[])) AS r("o0")) AS "dpproxy_1") SELECT "own rows ~2"."dpproxy value 0" AS "_column_0", "rows met ~2"."dpproxy value 0" AS "_column_1" FROM "own rows ~2" AS "own rows ~2" CROSS JOIN "rows met ~2" AS "rows met ~2"

-- how many others each row meets, on average
SELECT t.priority, avg(t.n), count(*) FROM (SELECT o.orderkey, o.priority, count(x.orderkey) AS n FROM orders o LEFT JOIN orders x ON x.custkey = o.orderkey GROUP BY o.orderkey, o.priority) AS t GROUP BY t.priority;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 40) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 40) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = '1-URGENT' THEN 1 WHEN k0 = '5-LOW' THEN 2147483648 END) AS s0 FROM (SELECT s0."custkey" AS u, s0."priority" AS k0 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, '1-URGENT'), (1, '5-LOW')) AS v0(i, k0)) AS v;
-- unit customer: 40 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..40 step 1
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT * FROM (SELECT u, v, k0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s2."c0" AS k0 FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" JOIN (SELECT s0."k0" AS c0, s0."o0" AS c1, s0."o0" AS c2 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0) AS s2 ON s2."c0" = s0."priority" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') END) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..2147483648 step 1
-- inputs: r0c0, r0c1
-- post: WITH "own rows ~2" AS (SELECT dpproxy_0.k0 AS "dpproxy key 0", dpproxy_0.o0 AS "dpproxy value 0", dpproxy_0.o0 AS "dpproxy value 1" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"), "rows met ~2" AS (SELECT dpproxy_1.k0 AS "dpproxy key 0", dpproxy_1.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1") SELECT "own rows ~2"."dpproxy key 0" AS "priority", (CAST("rows met ~2"."dpproxy value 0" AS DECIMAL) / NULLIF("own rows ~2"."dpproxy value 0", 0)) AS "avg", "own rows ~2"."dpproxy value 1" AS "count" FROM "own rows ~2" AS "own rows ~2" LEFT JOIN "rows met ~2" AS "rows met ~2" ON "own rows ~2"."dpproxy key 0" = "rows met ~2"."dpproxy key 0"

-- the same, aggregated before it is joined
WITH x AS (SELECT custkey, count(*) AS n FROM orders GROUP BY custkey) SELECT sum(coalesce(x.n, 0)), avg(coalesce(x.n, 0)) FROM orders o LEFT JOIN x ON x.custkey = o.orderkey;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 40) AS m0 FROM (SELECT s0."custkey" AS u FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit customer: 40 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..40 step 1
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT u, v, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
-- post: WITH "own rows ~2" AS (SELECT dpproxy_0.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"), "rows met ~2" AS (SELECT dpproxy_1.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($2 AS BIGINT[])) AS r("o0")) AS "dpproxy_1") SELECT CAST("rows met ~2"."dpproxy value 0" AS DECIMAL) AS "sum", (CAST("rows met ~2"."dpproxy value 0" AS DECIMAL) / NULLIF("own rows ~2"."dpproxy value 0", 0)) AS "avg" FROM "own rows ~2" AS "own rows ~2" CROSS JOIN "rows met ~2" AS "rows met ~2"

-- private keys, chosen by the rows of one side
SELECT c.nationkey, count(*) AS n, avg(x.orderdate - o.orderdate) FROM orders o JOIN orders x ON x.custkey = o.orderkey JOIN customer c ON c.custkey = o.custkey GROUP BY c.nationkey;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT u, k0 FROM (SELECT s0."custkey" AS u, s1."nationkey" AS k0 FROM "orders" AS s0 CROSS JOIN "customer" AS s1 WHERE s0."custkey" IS NOT NULL AND s1."custkey" = s0."custkey") AS r GROUP BY u, k0) AS c GROUP BY k0;
-- unit customer: 40 rows, 1 keys (KEY_OF_UNIT)
-- k0: private
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0, m1 FROM (SELECT u, v, k0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), -5488968204288), 5488968204288) AS m1 FROM (SELECT t.u AS u, t.x1 AS v, t.x2 AS k0, CAST(CASE WHEN t.g0 > 2556 THEN 2556 WHEN t.g0 < (-2556) THEN -2556 ELSE t.g0 END AS BIGINT) AS m1 FROM (SELECT s0."custkey" AS u, s1."custkey" AS x1, s3."c0" AS x2, CAST(CASE WHEN s1."orderdate" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s1."orderdate" END - CASE WHEN s0."orderdate" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."orderdate" END AS BIGINT) AS g0 FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" JOIN "customer" AS s2 ON s2."custkey" = s0."custkey" JOIN (SELECT s0."k0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS INT[])) AS k0) AS s0) AS s3 ON s3."c0" = s2."nationkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r GROUP BY u, v, k0) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- k0: column 0 of SELECT DISTINCT s3."c0" AS d0 FROM (SELECT s0."k0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS INT[])) AS k0) AS s0) AS s3, r0c0
-- m0: ROWS 0..2147483648 step 1
-- m1: CENTRED -5488968204288..5488968204288 step 1
-- inputs: r0c0
-- post: WITH "own rows ~2" AS (SELECT dpproxy_0.k0 AS "dpproxy key 0" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[])) AS r("k0")) AS "dpproxy_0"), "rows met ~2" AS (SELECT dpproxy_1.k0 AS "dpproxy key 0", dpproxy_1.o0 AS "dpproxy value 0", dpproxy_1.o1 AS "dpproxy value 1" FROM (SELECT * FROM UNNEST(CAST($2 AS INT[]), CAST($3 AS BIGINT[]), CAST($4 AS DECIMAL[])) AS r("k0", "o0", "o1")) AS "dpproxy_1") SELECT "own rows ~2"."dpproxy key 0" AS "nationkey", "rows met ~2"."dpproxy value 0" AS "n", "rows met ~2"."dpproxy value 1" AS "avg" FROM "own rows ~2" AS "own rows ~2" LEFT JOIN "rows met ~2" AS "rows met ~2" ON "own rows ~2"."dpproxy key 0" = "rows met ~2"."dpproxy key 0"

-- several that are aggregated before they are joined, beside a public table
WITH x AS (SELECT custkey, count(*) AS n FROM orders GROUP BY custkey), y AS (SELECT o.custkey, sum(CASE WHEN o.priority = '1-URGENT' THEN 1 ELSE 0 END) AS urgent FROM orders o WHERE o.orderdate > '1995-01-01' GROUP BY o.custkey) SELECT o.priority, count(*), avg(coalesce(x.n, 0)), sum(y.urgent) FROM orders o LEFT JOIN x ON x.custkey = o.orderkey LEFT JOIN y ON y.custkey = o.orderkey GROUP BY o.priority;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 40) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 40) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = '1-URGENT' THEN 1 WHEN k0 = '5-LOW' THEN 2147483648 END) AS s0 FROM (SELECT s0."custkey" AS u, s0."priority" AS k0 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, '1-URGENT'), (1, '5-LOW')) AS v0(i, k0)) AS v;
-- unit customer: 40 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..40 step 1
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT * FROM (SELECT u, v, k0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s2."c0" AS k0 FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" JOIN (SELECT s0."k0" AS c0, s0."o0" AS c1, s0."o0" AS c2 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0) AS s2 ON s2."c0" = s0."priority" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') END) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..2147483648 step 1
-- inputs: r0c0, r0c1
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT * FROM (SELECT u, v, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s2."c0" AS k0, CAST(CASE WHEN CASE WHEN s1."priority" = '1-URGENT' THEN 1 ELSE 0 END > 1 THEN 1 WHEN CASE WHEN s1."priority" = '1-URGENT' THEN 1 ELSE 0 END < 0 THEN 0 ELSE CASE WHEN s1."priority" = '1-URGENT' THEN 1 ELSE 0 END END AS BIGINT) AS m0 FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" AND s1."orderdate" > CAST('1995-01-01' AS DATE) JOIN (SELECT s0."k0" AS c0, s0."o0" AS c1, s0."o0" AS c2 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0) AS s0) AS s2 ON s2."c0" = s0."priority" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') END) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- k0: values '1-URGENT', '5-LOW'
-- m0: SUM 0..2147483648 step 1
-- inputs: r0c0, r0c1
-- post: WITH "own rows ~2" AS (SELECT dpproxy_0.k0 AS "dpproxy key 0", dpproxy_0.o0 AS "dpproxy value 0", dpproxy_0.o0 AS "dpproxy value 1" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"), "rows met ~2" AS (SELECT dpproxy_1.k0 AS "dpproxy key 0", dpproxy_1.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1"), "rows met ~3" AS (SELECT dpproxy_2.k0 AS "dpproxy key 0", dpproxy_2.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($5 AS TEXT[]), CAST($6 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_2") SELECT "own rows ~2"."dpproxy key 0" AS "priority", "own rows ~2"."dpproxy value 0" AS "count", (CAST("rows met ~2"."dpproxy value 0" AS DECIMAL) / NULLIF("own rows ~2"."dpproxy value 1", 0)) AS "avg", CAST("rows met ~3"."dpproxy value 0" AS DECIMAL) AS "sum" FROM "own rows ~2" AS "own rows ~2" LEFT JOIN "rows met ~2" AS "rows met ~2" ON "own rows ~2"."dpproxy key 0" = "rows met ~2"."dpproxy key 0" LEFT JOIN "rows met ~3" AS "rows met ~3" ON "own rows ~2"."dpproxy key 0" = "rows met ~3"."dpproxy key 0"

-- others that are added once by their key, beside what each row has
SELECT x.priority, count(*) AS n, sum(c.acctbal) AS all_of_them, avg(1 - COALESCE(c.acctbal, 0)) AS less FROM orders x LEFT JOIN customer c ON c.custkey = x.orderkey GROUP BY x.priority;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 40) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 40) AS m1 FROM (SELECT s0."custkey" AS u, s0."priority" AS k0, CAST(CASE WHEN 1 > 1 THEN 1 WHEN 1 < 1 THEN 1 ELSE 1 END AS BIGINT) AS m1 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') END) AS c GROUP BY k0;
-- unit customer: 40 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..40 step 1
-- m1: SUM 0..40 step 1
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0, m1 FROM (SELECT * FROM (SELECT u, v, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -35184372088832), 35184372088832) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), -35184372088832), 35184372088832) AS m1 FROM (SELECT t.u AS u, t.x1 AS v, t.x2 AS k0, CAST(CASE WHEN t.g0 > 1000000 THEN 1000000 WHEN t.g0 < (-100000) THEN -100000 ELSE t.g0 END AS BIGINT) AS m0, CAST(CASE WHEN t.g1 > 1000000 THEN 1000000 WHEN t.g1 < (-100000) THEN -100000 ELSE t.g1 END AS BIGINT) AS m1 FROM (SELECT s0."custkey" AS u, s1."custkey" AS x1, s2."c0" AS x2, CAST(s1."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE) AS g0, CAST(CASE WHEN NOT (s1."custkey" IS NULL) THEN COALESCE(s1."acctbal", CAST(0 AS DECIMAL(15, 2))) END AS DOUBLE) * CAST('100.0' AS DOUBLE) AS g1 FROM "orders" AS s0 JOIN "customer" AS s1 ON s1."custkey" = s0."orderkey" JOIN (SELECT s0."k0" AS c0, s0."o0" AS c1, s0."o1" AS c2, s0."o0" AS c3 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0, UNNEST(CAST($r0c1 AS BIGINT[])) AS o0, UNNEST(CAST($r0c2 AS BIGINT[])) AS o1) AS s0) AS s2 ON s2."c0" = s0."priority" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r GROUP BY u, v, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') END) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- k0: values '1-URGENT', '5-LOW'
-- m0: SUM -35184372088832..35184372088832 step 0.01
-- m1: SUM -35184372088832..35184372088832 step 0.01
-- inputs: r0c0, r0c1, r0c2
-- post: WITH "own rows ~2" AS (SELECT dpproxy_0.k0 AS "dpproxy key 0", dpproxy_0.o0 AS "dpproxy value 0", dpproxy_0.o1 AS "dpproxy value 1", dpproxy_0.o0 AS "dpproxy value 2" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("k0", "o0", "o1")) AS "dpproxy_0"), "rows met ~2" AS (SELECT dpproxy_1.k0 AS "dpproxy key 0", dpproxy_1.o0 AS "dpproxy value 0", dpproxy_1.o1 AS "dpproxy value 1" FROM (SELECT * FROM UNNEST(CAST($4 AS TEXT[]), CAST($5 AS DECIMAL[]), CAST($6 AS DECIMAL[])) AS r("k0", "o0", "o1")) AS "dpproxy_1") SELECT "own rows ~2"."dpproxy key 0" AS "priority", "own rows ~2"."dpproxy value 0" AS "n", "rows met ~2"."dpproxy value 0" AS "all_of_them", (CAST(("own rows ~2"."dpproxy value 1" - COALESCE("rows met ~2"."dpproxy value 1", 0)) AS DECIMAL) / NULLIF("own rows ~2"."dpproxy value 2", 0)) AS "less" FROM "own rows ~2" AS "own rows ~2" LEFT JOIN "rows met ~2" AS "rows met ~2" ON "own rows ~2"."dpproxy key 0" = "rows met ~2"."dpproxy key 0"

-- those that meet none, as all but those that do
SELECT count(*) FROM orders o WHERE NOT EXISTS (SELECT 1 FROM customer c WHERE c.custkey = o.orderkey AND c.segment = 'BUILDING');
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 40) AS m0 FROM (SELECT s0."custkey" AS u FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit customer: 40 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..40 step 1
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT u, v, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v FROM "orders" AS s0 JOIN "customer" AS s1 ON s1."custkey" = s0."orderkey" AND s1."segment" = 'BUILDING' WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
-- post: WITH "own rows ~2" AS (SELECT dpproxy_0.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"), "rows met ~2" AS (SELECT dpproxy_1.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($2 AS BIGINT[])) AS r("o0")) AS "dpproxy_1") SELECT ("own rows ~2"."dpproxy value 0" - "rows met ~2"."dpproxy value 0") AS "count" FROM "own rows ~2" AS "own rows ~2" CROSS JOIN "rows met ~2" AS "rows met ~2"

-- those that meet one
SELECT o.priority, count(*) FROM orders o WHERE EXISTS (SELECT 1 FROM customer c WHERE c.custkey = o.orderkey) GROUP BY o.priority;
-- =>
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT * FROM (SELECT u, v, k0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s0."priority" AS k0 FROM "orders" AS s0 JOIN "customer" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') END) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0.k0 AS "priority", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a scalar subquery of each row, level by level
WITH t AS (SELECT o.orderkey, o.priority, (SELECT count(*) FROM orders x WHERE x.custkey = o.orderkey) AS n FROM orders o) SELECT sum(t.n) FILTER (WHERE t.priority = '5-LOW'), avg(t.n) FROM t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 40) AS m0 FROM (SELECT s0."custkey" AS u FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit customer: 40 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..40 step 1
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0, m1 FROM (SELECT u, v, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 2147483648) AS m0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m1 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, CASE WHEN s0."priority" = '5-LOW' THEN 1 END AS m0 FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: VALUES 0..2147483648 step 1
-- m1: ROWS 0..2147483648 step 1
-- post: WITH "own rows ~2" AS (SELECT dpproxy_0.o0 AS "dpproxy value 0" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"), "rows met ~2" AS (SELECT dpproxy_1.o0 AS "dpproxy value 0", dpproxy_1.o1 AS "dpproxy value 1" FROM (SELECT * FROM UNNEST(CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_1") SELECT CAST("rows met ~2"."dpproxy value 0" AS DECIMAL) AS "sum", (CAST("rows met ~2"."dpproxy value 1" AS DECIMAL) / NULLIF("own rows ~2"."dpproxy value 0", 0)) AS "avg" FROM "own rows ~2" AS "own rows ~2" CROSS JOIN "rows met ~2" AS "rows met ~2"

-- LEFT JOIN of what a condition asks for
SELECT sum(c.acctbal) FROM orders o LEFT JOIN customer c ON c.custkey = o.orderkey WHERE c.acctbal > 10;
-- =>
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT u, v, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 35184372088832) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, CAST(CASE WHEN (CAST(s1."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE)) > 1000000 THEN 1000000 WHEN (CAST(s1."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE)) < 1000 THEN 1000 ELSE (CAST(s1."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE)) END AS BIGINT) AS m0 FROM "orders" AS s0 JOIN "customer" AS s1 ON s1."custkey" = s0."orderkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL AND s1."acctbal" > 10) AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: SUM 0..35184372088832 step 0.01
-- post: SELECT dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"
