-- one value per unit
SELECT count(DISTINCT city) FROM people;
-- =>
SELECT COUNT(DISTINCT v) AS m0 FROM (SELECT v FROM (SELECT v, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, v)), v) AS r FROM (SELECT u, v FROM (SELECT s0."person_id" AS u, s0."city" AS v FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, v) AS c) AS w WHERE r <= 1) AS l;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: DISTINCT 0..1 step 1
-- post: SELECT dpproxy_0.d0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("d0")) AS "dpproxy_0"

-- the unit itself: exactly one
SELECT count(DISTINCT person_id) FROM visits;
-- =>
SELECT COUNT(DISTINCT v) AS m0 FROM (SELECT v FROM (SELECT v, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(v AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), v) AS r FROM (SELECT u, v FROM (SELECT s0."person_id" AS u, s0."person_id" AS v FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, v) AS c) AS w WHERE r <= 1) AS l;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: DISTINCT 0..1 step 1
-- post: SELECT dpproxy_0.d0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("d0")) AS "dpproxy_0"

-- the unit itself, by key
SELECT dept, count(DISTINCT person_id) FROM visits GROUP BY dept;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- some values per unit
SELECT count(DISTINCT dept) FROM visits;
-- =>
SELECT COUNT(DISTINCT v) AS m0 FROM (SELECT v FROM (SELECT v, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, v)), v) AS r FROM (SELECT u, v FROM (SELECT s0."person_id" AS u, s0."dept" AS v FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, v) AS c) AS w WHERE r <= 3) AS l;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: DISTINCT 0..3 step 1
-- post: SELECT dpproxy_0.d0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("d0")) AS "dpproxy_0"

-- by public keys, beside other aggregates
SELECT extract(year FROM day) AS year, count(*), count(DISTINCT dept), avg(cost) FROM visits GROUP BY 1;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1, CAST(LEAST(GREATEST(COALESCE(SUM(m2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m2 FROM (SELECT k0, m0, m1, m2 FROM (SELECT k0, m0, m1, m2, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), -400000), 400000) AS m1, LEAST(GREATEST(COALESCE(SUM(m2), 0), 0), 20) AS m2 FROM (SELECT s0."person_id" AS u, EXTRACT(YEAR FROM CASE WHEN s0."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."day" END) AS k0, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END - 20000 AS BIGINT) AS m1, CASE WHEN s0."cost" IS NOT NULL AND s0."cost" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m2 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN (2020, 2021, 2022, 2023, 2024, 2025, 2026, 2027, 2028, 2029) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: values Decimal('2020'), Decimal('2021'), Decimal('2022'), Decimal('2023'), Decimal('2024'), Decimal('2025'), Decimal('2026'), Decimal('2027'), Decimal('2028'), Decimal('2029')
-- m0: ROWS 0..20 step 1
-- m1: CENTRED -400000..400000 step 0.01
-- m2: VALUES 0..20 step 1
SELECT k0, COUNT(DISTINCT v) AS m0 FROM (SELECT k0, v FROM (SELECT k0, v, ROW_NUMBER() OVER (PARTITION BY u, k0 ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)), v)), v) AS r, DENSE_RANK() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0) AS g FROM (SELECT * FROM (SELECT u, k0, v FROM (SELECT s0."person_id" AS u, EXTRACT(YEAR FROM CASE WHEN s0."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."day" END) AS k0, s0."dept" AS v FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, k0, v) AS q WHERE k0 IN (2020, 2021, 2022, 2023, 2024, 2025, 2026, 2027, 2028, 2029)) AS c) AS w WHERE r <= 3 AND g <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: values Decimal('2020'), Decimal('2021'), Decimal('2022'), Decimal('2023'), Decimal('2024'), Decimal('2025'), Decimal('2026'), Decimal('2027'), Decimal('2028'), Decimal('2029')
-- m0: DISTINCT 0..3 step 1
-- post: SELECT dpproxy_0.k0 AS "year", dpproxy_0.o0 AS "_column_1", dpproxy_0.d0 AS "_column_2", dpproxy_0.o1 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[]), CAST($2 AS BIGINT[]), CAST($3 AS DOUBLE PRECISION[]), CAST($4 AS BIGINT[])) AS r("k0", "o0", "o1", "d0")) AS "dpproxy_0"

-- two of them
SELECT sex, count(DISTINCT city), count(DISTINCT age) FROM people GROUP BY sex;
-- =>
SELECT k0, COUNT(DISTINCT v) AS m0 FROM (SELECT k0, v FROM (SELECT k0, v, ROW_NUMBER() OVER (PARTITION BY u, k0 ORDER BY HASH(HASH(u, k0, v)), v) AS r FROM (SELECT * FROM (SELECT u, k0, v FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."city" AS v FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, k0, v) AS q WHERE k0 IN ('F', 'M')) AS c) AS w WHERE r <= 1) AS l GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: DISTINCT 0..1 step 1
SELECT k0, COUNT(DISTINCT v) AS m0 FROM (SELECT k0, v FROM (SELECT k0, v, ROW_NUMBER() OVER (PARTITION BY u, k0 ORDER BY HASH(HASH(u, k0, NULLIF(NULLIF(CAST(v AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), v) AS r FROM (SELECT * FROM (SELECT u, k0, v FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."age" AS v FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, k0, v) AS q WHERE k0 IN ('F', 'M')) AS c) AS w WHERE r <= 1) AS l GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: DISTINCT 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.d0 AS "_column_1", dpproxy_0.d1 AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("k0", "d0", "d1")) AS "dpproxy_0"

-- FILTER
SELECT count(DISTINCT city) FILTER (WHERE age > 30) FROM people;
-- =>
SELECT COUNT(DISTINCT v) AS m0 FROM (SELECT v FROM (SELECT v, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, v)), v) AS r FROM (SELECT u, v FROM (SELECT s0."person_id" AS u, CASE WHEN s0."age" > 30 THEN s0."city" END AS v FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, v) AS c) AS w WHERE r <= 1) AS l;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: DISTINCT 0..1 step 1
-- post: SELECT dpproxy_0.d0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("d0")) AS "dpproxy_0"

-- an expression of it
SELECT count(DISTINCT upper(city)), count(DISTINCT age / 10) FROM people;
-- =>
SELECT COUNT(DISTINCT v) AS m0 FROM (SELECT v FROM (SELECT v, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, v)), v) AS r FROM (SELECT u, v FROM (SELECT s0."person_id" AS u, UPPER(s0."city") AS v FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, v) AS c) AS w WHERE r <= 1) AS l;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: DISTINCT 0..1 step 1
SELECT COUNT(DISTINCT v) AS m0 FROM (SELECT v FROM (SELECT v, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(v AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), v) AS r FROM (SELECT u, v FROM (SELECT s0."person_id" AS u, CAST(s0."age" AS BIGINT) // CAST(10 AS BIGINT) AS v FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, v) AS c) AS w WHERE r <= 1) AS l;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: DISTINCT 0..1 step 1
-- post: SELECT dpproxy_0.d0 AS "_column_0", dpproxy_0.d1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("d0", "d1")) AS "dpproxy_0"

-- joined
SELECT d.building, count(DISTINCT v.person_id) FROM visits v JOIN departments d USING (dept) GROUP BY d.building;
-- =>
SELECT k0, COUNT(DISTINCT v) AS m0 FROM (SELECT k0, v FROM (SELECT k0, v, ROW_NUMBER() OVER (PARTITION BY u, k0 ORDER BY HASH(HASH(u, k0, NULLIF(NULLIF(CAST(v AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), v) AS r, DENSE_RANK() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS g FROM (SELECT * FROM (SELECT u, k0, v FROM (SELECT s0."person_id" AS u, s1."building" AS k0, s0."person_id" AS v FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, k0, v) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 1 AND g <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1
-- m0: DISTINCT 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.d0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "d0")) AS "dpproxy_0"

-- the unit's key on the other side of a join
SELECT p.sex, count(DISTINCT v.person_id) FROM people p JOIN visits v ON v.person_id = p.person_id GROUP BY p.sex;
-- =>
SELECT k0, COUNT(DISTINCT v) AS m0 FROM (SELECT k0, v FROM (SELECT k0, v, ROW_NUMBER() OVER (PARTITION BY u, k0 ORDER BY HASH(HASH(u, k0, NULLIF(NULLIF(CAST(v AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), v) AS r FROM (SELECT * FROM (SELECT u, k0, v FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s1."person_id" AS v FROM "people" AS s0 JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, k0, v) AS q WHERE k0 IN ('F', 'M')) AS c) AS w WHERE r <= 1) AS l GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: DISTINCT 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.d0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "d0")) AS "dpproxy_0"

-- along links
SELECT priority, count(DISTINCT custkey) FROM orders GROUP BY priority;
-- =>
SELECT k0, COUNT(DISTINCT v) AS m0 FROM (SELECT k0, v FROM (SELECT k0, v, ROW_NUMBER() OVER (PARTITION BY u, k0 ORDER BY HASH(HASH(u, k0, NULLIF(NULLIF(CAST(v AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), v) AS r FROM (SELECT * FROM (SELECT u, k0, v FROM (SELECT s0."custkey" AS u, s0."priority" AS k0, s0."custkey" AS v FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, k0, v) AS q WHERE k0 IN ('1-URGENT', '5-LOW')) AS c) AS w WHERE r <= 1) AS l GROUP BY k0;
-- unit customer: 40 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: DISTINCT 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "priority", dpproxy_0.d0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "d0")) AS "dpproxy_0"

-- in an expression
SELECT count(*)::float8 / count(DISTINCT person_id) FROM visits;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
SELECT COUNT(DISTINCT v) AS m0 FROM (SELECT v FROM (SELECT v, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(v AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), v) AS r FROM (SELECT u, v FROM (SELECT s0."person_id" AS u, s0."person_id" AS v FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, v) AS c) AS w WHERE r <= 1) AS l;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: DISTINCT 0..1 step 1
-- post: SELECT CAST(dpproxy_0.o0 AS DOUBLE PRECISION) / NULLIF(dpproxy_0.d0, '0') AS "_column_0" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "d0")) AS "dpproxy_0"

-- within a person
SELECT avg(n) FROM (SELECT person_id, count(DISTINCT dept) AS n FROM visits GROUP BY person_id) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c1" > 20 THEN 20 WHEN s0."c1" < 1 THEN 1 ELSE s0."c1" END - 10 AS BIGINT) AS m0 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, COUNT(DISTINCT a0) AS v0 FROM (SELECT s0."person_id" AS u, s0."dept" AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -9..10 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- over released rows
SELECT count(DISTINCT n > 5) FROM (SELECT city, count(*) AS n FROM people GROUP BY city) t;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT COUNT(DISTINCT "t"."n" > 5) AS "count" FROM (SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "t"

-- of a side that an outer join may leave out
SELECT p.sex, count(DISTINCT v.dept) FROM people p LEFT JOIN visits v ON p.person_id = v.person_id GROUP BY p.sex;
-- =>
SELECT k0, COUNT(DISTINCT v) AS m0 FROM (SELECT k0, v FROM (SELECT k0, v, ROW_NUMBER() OVER (PARTITION BY u, k0 ORDER BY HASH(HASH(u, k0, v)), v) AS r FROM (SELECT * FROM (SELECT u, k0, v FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s1."dept" AS v FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, k0, v) AS q WHERE k0 IN ('F', 'M')) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: DISTINCT 0..8 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.d0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "d0")) AS "dpproxy_0"

-- of a public column
SELECT count(DISTINCT d.building) FROM visits v JOIN departments d USING (dept);
-- =>
SELECT COUNT(DISTINCT v) AS m0 FROM (SELECT v FROM (SELECT v, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, v)), v) AS r FROM (SELECT u, v FROM (SELECT s0."person_id" AS u, s1."building" AS v FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, v) AS c) AS w WHERE r <= 3) AS l;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: DISTINCT 0..3 step 1
-- post: SELECT dpproxy_0.d0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("d0")) AS "dpproxy_0"

-- of the unit, where a FULL JOIN holds it
SELECT count(DISTINCT person_id) FROM people FULL JOIN visits USING (person_id);
-- =>
SELECT COUNT(DISTINCT v) AS m0 FROM (SELECT v FROM (SELECT v, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(v AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), v) AS r FROM (SELECT u, v FROM (SELECT COALESCE(s0."person_id", s1."person_id") AS u, COALESCE(s0."person_id", s1."person_id") AS v FROM "people" AS s0 FULL JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE COALESCE(s0."person_id", s1."person_id") IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, v) AS c) AS w WHERE r <= 1) AS l;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: DISTINCT 0..1 step 1
-- post: SELECT dpproxy_0.d0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("d0")) AS "dpproxy_0"

-- by a private key and a declared one that the policy says is never NULL: its values are kept in every release
-- set dp.max_groups_per_unit = 8
SELECT p.city, EXTRACT(quarter FROM v.day), count(DISTINCT v.dept) FROM visits v JOIN people p USING (person_id) GROUP BY 1, 2;
-- =>
SELECT k0, k1, COUNT(*) AS n FROM (SELECT * FROM (SELECT u, k0, k1 FROM (SELECT s0."person_id" AS u, s1."city" AS k0, EXTRACT(QUARTER FROM CASE WHEN s0."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."day" END) AS k1 FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND k1 IN (1, 2, 3, 4)) AS c GROUP BY k0, k1;
-- unit person: 20 rows, 4 keys (FEW_PUBLIC_KEYS)
-- k0: private
-- k1: values Decimal('1'), Decimal('2'), Decimal('3'), Decimal('4')
SELECT k0, k1, COUNT(DISTINCT v) AS m0 FROM (SELECT k0, k1, v FROM (SELECT k0, k1, v, ROW_NUMBER() OVER (PARTITION BY u, k0, k1 ORDER BY HASH(HASH(u, k0, NULLIF(NULLIF(CAST(k1 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)), v)), v) AS r FROM (SELECT * FROM (SELECT u, k0, k1, v FROM (SELECT s0."person_id" AS u, s1."city" AS k0, EXTRACT(QUARTER FROM CASE WHEN s0."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."day" END) AS k1, s0."dept" AS v FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, k0, k1, v) AS q WHERE (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND k1 IN (1, 2, 3, 4)) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 4 keys (FEW_PUBLIC_KEYS)
-- k0: column 0 of release 0
-- k1: column 1 of release 0
-- m0: DISTINCT 0..8 step 1
-- post: SELECT dpproxy_0.k0 AS "city", dpproxy_0.k1 AS "extract", dpproxy_0.d0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "d0")) AS "dpproxy_0"

-- the same of a boolean
SELECT length(p.city), v.cost > 10, count(DISTINCT v.dept), count(DISTINCT v.day) FROM visits v JOIN people p USING (person_id) GROUP BY 1, 2;
-- =>
SELECT k0, k1, COUNT(*) AS n FROM (SELECT * FROM (SELECT u, k0, k1 FROM (SELECT s0."person_id" AS u, LENGTH(s1."city") AS k0, s0."cost" > CAST('10.0' AS DOUBLE) AS k1 FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE k1 IN (FALSE, TRUE)) AS c GROUP BY k0, k1;
-- unit person: 20 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: private
-- k1: values False, True
SELECT k0, k1, COUNT(DISTINCT v) AS m0 FROM (SELECT k0, k1, v FROM (SELECT k0, k1, v, ROW_NUMBER() OVER (PARTITION BY u, k0, k1 ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)), k1, v)), v) AS r FROM (SELECT * FROM (SELECT u, k0, k1, v FROM (SELECT s0."person_id" AS u, LENGTH(s1."city") AS k0, s0."cost" > CAST('10.0' AS DOUBLE) AS k1, s0."dept" AS v FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL GROUP BY u, k0, k1, v) AS q WHERE k1 IN (FALSE, TRUE)) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: column 0 of release 0
-- k1: column 1 of release 0
-- m0: DISTINCT 0..8 step 1
SELECT k0, k1, COUNT(DISTINCT v) AS m0 FROM (SELECT k0, k1, v FROM (SELECT k0, k1, v, DENSE_RANK() OVER (PARTITION BY u, k0, k1 ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)), k1, v)), v) AS r FROM (SELECT * FROM (SELECT u, k0, k1, v FROM (SELECT s0."person_id" AS u, LENGTH(s1."city") AS k0, s0."cost" > CAST('10.0' AS DOUBLE) AS k1, s0."day" AS v FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL) AS q WHERE k1 IN (FALSE, TRUE)) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: column 0 of release 0
-- k1: column 1 of release 0
-- m0: DISTINCT 0..8 step 1
-- post: SELECT dpproxy_0.k0 AS "length", dpproxy_0.k1 AS "_column_1", dpproxy_0.d0 AS "_column_2", dpproxy_0.d1 AS "_column_3" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BOOLEAN[]), CAST($3 AS BIGINT[]), CAST($4 AS BIGINT[])) AS r("k0", "k1", "d0", "d1")) AS "dpproxy_0"

-- a moment an interval later is as exact as the moment
SELECT count(DISTINCT day + interval '1 day'), count(DISTINCT interval '1 month' + day) FROM visits;
-- =>
SELECT COUNT(DISTINCT v) AS m0 FROM (SELECT v FROM (SELECT v, DENSE_RANK() OVER (PARTITION BY u ORDER BY HASH(HASH(u, v)), v) AS r FROM (SELECT u, v FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."day" END AS TIMESTAMP) + INTERVAL '1' DAY AS v FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL) AS c) AS w WHERE r <= 3) AS l;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: DISTINCT 0..3 step 1
SELECT COUNT(DISTINCT v) AS m0 FROM (SELECT v FROM (SELECT v, DENSE_RANK() OVER (PARTITION BY u ORDER BY HASH(HASH(u, v)), v) AS r FROM (SELECT u, v FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."day" END AS TIMESTAMP) + INTERVAL '1' MONTH AS v FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE v IS NOT NULL) AS c) AS w WHERE r <= 3) AS l;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: DISTINCT 0..3 step 1
-- post: SELECT dpproxy_0.d0 AS "_column_0", dpproxy_0.d1 AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("d0", "d1")) AS "dpproxy_0"
