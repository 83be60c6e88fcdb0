-- the most frequent of declared values, one row per unit
SELECT mode() WITHIN GROUP (ORDER BY sex) FROM people;
-- =>
SELECT b, COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u, CASE WHEN s0."sex" = 'F' THEN 0 WHEN s0."sex" = 'M' THEN 1 END AS b FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY b;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..1 step 1
-- told: the largest of m0 among 2
-- post: SELECT CAST(CASE dpproxy_0.f0 WHEN 0 THEN 'F' WHEN 1 THEN 'M' END AS TEXT) AS "mode" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[])) AS r("f0")) AS "dpproxy_0"

-- a unit's rows weigh as one
SELECT mode() WITHIN GROUP (ORDER BY flag) FILTER (WHERE quantity > 10) FROM lineitem;
-- =>
SELECT b, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT b, (m0 * 65536) // CAST(LEAST(GREATEST(SUM(m0) OVER (PARTITION BY u), 1), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, b, LEAST(GREATEST(COUNT(*), 0), 2147483647) AS m0 FROM (SELECT h0."custkey" AS u, CASE WHEN s0."quantity" > 10 THEN CASE WHEN s0."flag" = 'A' THEN 0 WHEN s0."flag" = 'N' THEN 1 WHEN s0."flag" = 'R' THEN 2 END END AS b FROM "lineitem" AS s0 JOIN "orders" AS h0 ON s0."orderkey" = h0."orderkey" WHERE h0."custkey" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY u, b) AS c) AS l GROUP BY b;
-- unit customer: 100 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..65536 step 0.0000152587890625
-- told: the largest of m0 among 3
-- post: SELECT CAST(CASE dpproxy_0.f0 WHEN 0 THEN 'A' WHEN 1 THEN 'N' WHEN 2 THEN 'R' END AS TEXT) AS "mode" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[])) AS r("f0")) AS "dpproxy_0"

-- of each group, beside other aggregates
SELECT sex, mode() WITHIN GROUP (ORDER BY smoker), count(*) FROM people GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT k0, b, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CASE WHEN s0."smoker" = FALSE THEN 0 WHEN s0."smoker" = TRUE THEN 1 END AS b FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r WHERE b IS NOT NULL GROUP BY k0, b;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: HISTOGRAM 0..1 step 1
-- told: the largest of m0 among 2
-- post: SELECT dpproxy_0.k0 AS "sex", CAST(CASE dpproxy_0.f0 WHEN 0 THEN FALSE WHEN 1 THEN TRUE END AS BOOLEAN) AS "mode", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS INT[])) AS r("k0", "o0", "f0")) AS "dpproxy_0"

-- keys that are private are released first
SELECT dept, mode() WITHIN GROUP (ORDER BY sex) FROM visits JOIN people USING (person_id) GROUP BY dept;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: private
SELECT k0, b, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, b, m0 FROM (SELECT k0, b, (m0 * 65536) // CAST(LEAST(GREATEST(SUM(m0) OVER (PARTITION BY u, k0), 1), 4611686018427387904) AS BIGINT) AS m0, DENSE_RANK() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS g FROM (SELECT * FROM (SELECT u, k0, b, LEAST(GREATEST(COUNT(*), 0), 2147483647) AS m0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0, CASE WHEN s1."sex" = 'F' THEN 0 WHEN s1."sex" = 'M' THEN 1 END AS b FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY u, k0, b) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE g <= 8) AS l GROUP BY k0, b;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of release 0
-- m0: HISTOGRAM 0..65536 step 0.0000152587890625
-- told: the largest of m0 among 2
-- post: SELECT dpproxy_0.k0 AS "dept", CAST(CASE dpproxy_0.f0 WHEN 0 THEN 'F' WHEN 1 THEN 'M' END AS TEXT) AS "mode" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS INT[])) AS r("k0", "f0")) AS "dpproxy_0"

-- values of a public table: one choice among them
SELECT mode() WITHIN GROUP (ORDER BY dept) FROM visits JOIN departments USING (dept);
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, COALESCE(s0."dept", s1."dept") AS k0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."dept" AS d0 FROM "departments" AS s1
-- m0: ROWS 0..20 step 1
-- told: the key of the largest m0
-- post: SELECT dpproxy_0.value AS "mode" FROM (SELECT (SELECT dpproxy_0.k0 AS value FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0" LIMIT 1) AS value) AS dpproxy_0

-- private values are selected, with noisy counts
SELECT mode() WITHIN GROUP (ORDER BY city) FROM people;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: the mode is the value of the largest noisy count
-- post: SELECT dpproxy_0.value AS "mode" FROM (SELECT (SELECT dpproxy_0.k0 AS value FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" WHERE dpproxy_0.k0 IS NOT NULL ORDER BY dpproxy_0.o0 DESC NULLS LAST LIMIT 1) AS value) AS dpproxy_0

-- of each group the value of the largest noisy count
SELECT sex, mode() WITHIN GROUP (ORDER BY age) AS m FROM people GROUP BY sex ORDER BY m;
-- =>
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."age" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: private
-- m0: ROWS 0..1 step 1
-- note: the mode is the value of the largest noisy count
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.value AS "m" FROM (SELECT DISTINCT ON (dpproxy_0.k0) dpproxy_0.k0, dpproxy_0.k1 AS value FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS INT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" WHERE dpproxy_0.k1 IS NOT NULL ORDER BY dpproxy_0.k0, dpproxy_0.o0 DESC NULLS LAST) AS dpproxy_0 ORDER BY "m"

-- beside other aggregates, of values that are not declared
SELECT sex, mode() WITHIN GROUP (ORDER BY city) AS usual, count(*) FROM people GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."city" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: private
-- m0: ROWS 0..1 step 1
-- note: the mode is the value of the largest noisy count
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_1_mode.value AS "usual", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" LEFT JOIN (SELECT DISTINCT ON (dpproxy_1.k0) dpproxy_1.k0, dpproxy_1.k1 AS value FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS TEXT[]), CAST($5 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_1" WHERE dpproxy_1.k1 IS NOT NULL ORDER BY dpproxy_1.k0, dpproxy_1.o0 DESC NULLS LAST) AS dpproxy_1_mode ON dpproxy_0.k0 = dpproxy_1_mode.k0

-- of all rows, beside other aggregates
SELECT count(*), mode() WITHIN GROUP (ORDER BY sex), mode() WITHIN GROUP (ORDER BY city) FILTER (WHERE smoker) FROM people;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
SELECT b, COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u, CASE WHEN s0."sex" = 'F' THEN 0 WHEN s0."sex" = 'M' THEN 1 END AS b FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r WHERE b IS NOT NULL GROUP BY b;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: HISTOGRAM 0..1 step 1
-- told: the largest of m0 among 2
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0, CASE WHEN s0."smoker" THEN 1 END AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- m0: VALUES 0..1 step 1
-- note: the mode is the value of the largest noisy count
-- post: SELECT dpproxy_0.o0 AS "count", CAST(CASE dpproxy_0.f0 WHEN 0 THEN 'F' WHEN 1 THEN 'M' END AS TEXT) AS "_column_1", dpproxy_2_mode.value AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS INT[])) AS r("o0", "f0")) AS "dpproxy_0" LEFT JOIN (SELECT (SELECT dpproxy_2.k0 AS value FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_2" WHERE dpproxy_2.k0 IS NOT NULL ORDER BY dpproxy_2.o0 DESC NULLS LAST LIMIT 1) AS value) AS dpproxy_2_mode ON TRUE

-- over sets of keys
SELECT sex, mode() WITHIN GROUP (ORDER BY city), count(*) FROM people GROUP BY ROLLUP (sex);
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."city" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: private
-- m0: ROWS 0..1 step 1
-- note: the mode is the value of the largest noisy count
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: the mode is the value of the largest noisy count
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.a0 AS "mode", dpproxy_0_sets.a1 AS "count" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_2_mode.value AS a0, dpproxy_0.o0 AS a1 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" LEFT JOIN (SELECT DISTINCT ON (dpproxy_2.k0) dpproxy_2.k0, dpproxy_2.k1 AS value FROM (SELECT * FROM UNNEST(CAST($4 AS TEXT[]), CAST($5 AS TEXT[]), CAST($6 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_2" WHERE dpproxy_2.k1 IS NOT NULL ORDER BY dpproxy_2.k0, dpproxy_2.o0 DESC NULLS LAST) AS dpproxy_2_mode ON dpproxy_0.k0 = dpproxy_2_mode.k0 UNION ALL SELECT CAST(NULL AS TEXT) AS k0, dpproxy_3_mode.value AS a0, dpproxy_1.o0 AS a1 FROM (SELECT * FROM UNNEST(CAST($3 AS BIGINT[])) AS r("o0")) AS "dpproxy_1" LEFT JOIN (SELECT (SELECT dpproxy_3.k0 AS value FROM (SELECT * FROM UNNEST(CAST($7 AS TEXT[]), CAST($8 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_3" WHERE dpproxy_3.k0 IS NOT NULL ORDER BY dpproxy_3.o0 DESC NULLS LAST LIMIT 1) AS value) AS dpproxy_3_mode ON TRUE) AS dpproxy_0_sets

-- in a correlated subquery
SELECT d.dept, (SELECT mode() WITHIN GROUP (ORDER BY city) FROM visits v JOIN people p USING (person_id) WHERE v.dept = d.dept) FROM departments d;
-- =>
SELECT k0, k1, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s2."c0" AS k0, s1."city" AS k1 FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s2 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s2."c0") AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s2."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s2
-- k1: private
-- m0: ROWS 0..20 step 1
-- note: the mode is the value of the largest noisy count
-- post: SELECT "d"."dept" AS "dept", (dpproxy_0_looked_up_0.a0) AS "mode" FROM "public"."departments" AS "d" LEFT JOIN (SELECT dpproxy_0_mode.k0 AS k0, dpproxy_0_mode.value AS a0 FROM (SELECT DISTINCT ON (dpproxy_0.k0) dpproxy_0.k0, dpproxy_0.k1 AS value FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" WHERE dpproxy_0.k1 IS NOT NULL ORDER BY dpproxy_0.k0, dpproxy_0.o0 DESC NULLS LAST) AS dpproxy_0_mode) AS dpproxy_0_looked_up_0 ON dpproxy_0_looked_up_0.k0 = "d"."dept"
