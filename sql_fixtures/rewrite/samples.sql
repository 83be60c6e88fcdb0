-- a table of several rows per unit
SELECT count(*) FROM visits TABLESAMPLE BERNOULLI (10);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND SHA256(CAST($coin AS TEXT) || CAST(s0."person_id" AS TEXT)) < '1999999999999999') AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the unit is behind a link
SELECT sum(quantity) FROM lineitem TABLESAMPLE BERNOULLI (0.5);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 500000) AS m0 FROM (SELECT h0."custkey" AS u, CAST(CASE WHEN (CAST(s0."quantity" AS DOUBLE) * CAST('100.0' AS DOUBLE)) > 5000 THEN 5000 WHEN (CAST(s0."quantity" AS DOUBLE) * CAST('100.0' AS DOUBLE)) < 0 THEN 0 ELSE (CAST(s0."quantity" AS DOUBLE) * CAST('100.0' AS DOUBLE)) END AS BIGINT) AS m0 FROM "lineitem" AS s0 JOIN "orders" AS h0 ON s0."orderkey" = h0."orderkey" WHERE h0."custkey" IS NOT NULL AND SHA256(CAST($coin AS TEXT) || CAST(h0."custkey" AS TEXT)) < '0147ae147ae147ae') AS r GROUP BY u) AS c;
-- unit customer: 100 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..500000 step 0.01
-- post: SELECT dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- one table of a join is enough
SELECT sum(v.cost) FROM people p TABLESAMPLE BERNOULLI (25) JOIN visits v ON v.person_id = p.person_id;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 800000) AS m0 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s1."cost" * CAST('100.0' AS DOUBLE)) WHEN (s1."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m0 FROM "people" AS s0 JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL AND SHA256(CAST($coin AS TEXT) || CAST(s0."person_id" AS TEXT)) < '4000000000000000') AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..800000 step 0.01
-- post: SELECT dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[])) AS r("o0")) AS "dpproxy_0"

-- both of a full join
SELECT count(*) FROM people p TABLESAMPLE BERNOULLI (10) FULL JOIN visits v TABLESAMPLE BERNOULLI (10) ON v.person_id = p.person_id;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT COALESCE(s0."person_id", s1."person_id") AS u FROM "people" AS s0 FULL JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" WHERE COALESCE(s0."person_id", s1."person_id") IS NOT NULL AND SHA256(CAST($coin AS TEXT) || CAST(COALESCE(s0."person_id", s1."person_id") AS TEXT)) < '1999999999999999') AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a query per unit
SELECT avg(n) FROM (SELECT person_id, count(*) AS n FROM visits TABLESAMPLE BERNOULLI (10) GROUP BY person_id) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c1" > 20 THEN 20 WHEN s0."c1" < 1 THEN 1 ELSE s0."c1" END - 10 AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, COUNT(*) AS v0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND SHA256(CAST($coin AS TEXT) || CAST(s0."u" AS TEXT)) < '1999999999999999') AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -9..10 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- several releases of one sample
SELECT sex, count(*), count(DISTINCT city) FROM people TABLESAMPLE BERNOULLI (50) GROUP BY ROLLUP (sex);
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND SHA256(CAST($coin AS TEXT) || CAST(s0."person_id" AS TEXT)) < '8000000000000000') AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT k0, COUNT(DISTINCT v) AS m0 FROM (SELECT k0, v FROM (SELECT k0, v, ROW_NUMBER() OVER (PARTITION BY u, k0 ORDER BY HASH(HASH(u, k0, v)), v) AS r FROM (SELECT * FROM (SELECT u, k0, v FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."city" AS v FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND SHA256(CAST($coin AS TEXT) || CAST(s0."person_id" AS TEXT)) < '8000000000000000') AS r WHERE v IS NOT NULL GROUP BY u, k0, v) AS q WHERE k0 IN ('F', 'M')) AS c) AS w WHERE r <= 1) AS l GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: DISTINCT 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND SHA256(CAST($coin AS TEXT) || CAST(s0."person_id" AS TEXT)) < '8000000000000000') AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
SELECT COUNT(DISTINCT v) AS m0 FROM (SELECT v FROM (SELECT v, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, v)), v) AS r FROM (SELECT u, v FROM (SELECT s0."person_id" AS u, s0."city" AS v FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND SHA256(CAST($coin AS TEXT) || CAST(s0."person_id" AS TEXT)) < '8000000000000000') AS r WHERE v IS NOT NULL GROUP BY u, v) AS c) AS w WHERE r <= 1) AS l;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: DISTINCT 0..1 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.a0 AS "_column_1", dpproxy_0_sets.a1 AS "_column_2" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.o0 AS a0, dpproxy_0.d0 AS a1 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("k0", "o0", "d0")) AS "dpproxy_0" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, dpproxy_2.o0 AS a0, dpproxy_2.d0 AS a1 FROM (SELECT * FROM UNNEST(CAST($4 AS BIGINT[]), CAST($5 AS BIGINT[])) AS r("o0", "d0")) AS "dpproxy_2") AS dpproxy_0_sets

-- private keys
SELECT city, count(*) FROM people TABLESAMPLE BERNOULLI (50) GROUP BY city;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND SHA256(CAST($coin AS TEXT) || CAST(s0."person_id" AS TEXT)) < '8000000000000000') AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- all of them are no sample
SELECT count(*) FROM people TABLESAMPLE BERNOULLI (100);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a sample beside all units
SELECT (SELECT count(*) FROM people TABLESAMPLE BERNOULLI (10)) * 10.0 / count(*) FROM people;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND SHA256(CAST($coin AS TEXT) || CAST(s0."person_id" AS TEXT)) < '1999999999999999') AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT (SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($2 AS BIGINT[])) AS r("o0")) AS "dpproxy_1") * 10.0 / NULLIF(dpproxy_0.o0, '0') AS "_column_0" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"
