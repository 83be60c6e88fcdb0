-- counts under conditions of which no row meets two are one count by one key more
SELECT count(*) FILTER (WHERE sex = 'F') AS f, count(*) FILTER (WHERE sex = 'M') AS m FROM people;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, CASE WHEN s0."sex" = 'F' THEN 1 WHEN s0."sex" = 'M' THEN 2 END AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND CASE WHEN s0."sex" = 'F' THEN 1 WHEN s0."sex" = 'M' THEN 2 END IN (1, 2)) AS q WHERE k0 IN (1, 2)) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 1, 2
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0_1 AS "f", dpproxy_0.o0_2 AS "m" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0_1", "o0_2")) AS "dpproxy_0"

-- by a key; sums of 1 are counts
SELECT smoker, sum(CASE WHEN age < 30 THEN 1 ELSE 0 END) AS young, count(CASE WHEN age >= 30 AND age < 60 THEN 1 END) AS middle, sum(CASE WHEN age >= 60 THEN 1 END) AS old FROM people GROUP BY smoker HAVING count(*) FILTER (WHERE age >= 60) > 10 ORDER BY old;
-- =>
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."smoker" AS k0, CASE WHEN s0."age" < 30 THEN 1 WHEN (s0."age" >= 30) AND (s0."age" < 60) THEN 2 WHEN s0."age" >= 60 THEN 3 END AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND CASE WHEN s0."age" < 30 THEN 1 WHEN (s0."age" >= 30) AND (s0."age" < 60) THEN 2 WHEN s0."age" >= 60 THEN 3 END IN (1, 2, 3)) AS q WHERE k0 IN (FALSE, TRUE) AND k1 IN (1, 2, 3)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values False, True
-- k1: values 1, 2, 3
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "smoker", dpproxy_0.o0_1 AS "young", dpproxy_0.o0_2 AS "middle", dpproxy_0.o0_3 AS "old" FROM (SELECT * FROM UNNEST(CAST($1 AS BOOLEAN[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0_1", "o0_2", "o0_3")) AS "dpproxy_0" WHERE dpproxy_0.o0_3 > 10 ORDER BY "old"

-- caps that hold: a unit would count in fewer keys
SELECT extract(year FROM day)::int AS y, sum(CASE dept WHEN 'cardio' THEN 1 ELSE 0 END) AS cardio, count(*) FILTER (WHERE dept = 'neuro') AS neuro FROM visits GROUP BY 1 ORDER BY 1;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, m0, m1 FROM (SELECT k0, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), 0), 20) AS m1 FROM (SELECT s0."person_id" AS u, EXTRACT(YEAR FROM CASE WHEN s0."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."day" END) AS k0, CAST(CASE WHEN CASE WHEN s0."dept" = 'cardio' THEN 1 ELSE 0 END > 1 THEN 1 WHEN CASE WHEN s0."dept" = 'cardio' THEN 1 ELSE 0 END < 0 THEN 0 ELSE CASE WHEN s0."dept" = 'cardio' THEN 1 ELSE 0 END END AS BIGINT) AS m0, CASE WHEN s0."dept" = 'neuro' THEN 1 END AS m1 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN (2020, 2021, 2022, 2023, 2024, 2025, 2026, 2027, 2028, 2029) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: values 2020, 2021, 2022, 2023, 2024, 2025, 2026, 2027, 2028, 2029
-- m0: SUM 0..20 step 1
-- m1: VALUES 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "y", dpproxy_0.o0 AS "cardio", dpproxy_0.o1 AS "neuro" FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("k0", "o0", "o1")) AS "dpproxy_0" ORDER BY "y"

-- a row may meet both
SELECT count(*) FILTER (WHERE age < 30) AS young, count(*) FILTER (WHERE age < 60) AS not_old FROM people;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT s0."person_id" AS u, CASE WHEN s0."age" < 30 THEN 1 END AS m0, CASE WHEN s0."age" < 60 THEN 1 END AS m1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: VALUES 0..1 step 1
-- m1: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "young", dpproxy_0.o1 AS "not_old" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- beside another number
SELECT count(*), count(*) FILTER (WHERE sex = 'F') AS f, count(*) FILTER (WHERE sex = 'M') AS m FROM people;
-- =>
SELECT COUNT(*) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1, CAST(LEAST(GREATEST(COALESCE(SUM(m2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m2 FROM (SELECT s0."person_id" AS u, CASE WHEN s0."sex" = 'F' THEN 1 END AS m1, CASE WHEN s0."sex" = 'M' THEN 1 END AS m2 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- m1: VALUES 0..1 step 1
-- m2: VALUES 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count", dpproxy_0.o1 AS "f", dpproxy_0.o2 AS "m" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("o0", "o1", "o2")) AS "dpproxy_0"

-- read by a later release
SELECT count(*) FROM people WHERE age > (SELECT count(*) FILTER (WHERE sex = 'F') - count(*) FILTER (WHERE sex = 'M') FROM people);
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, CASE WHEN s0."sex" = 'F' THEN 1 WHEN s0."sex" = 'M' THEN 2 END AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND CASE WHEN s0."sex" = 'F' THEN 1 WHEN s0."sex" = 'M' THEN 2 END IN (1, 2)) AS q WHERE k0 IN (1, 2)) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 1, 2
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > (SELECT t."c0" FROM (SELECT CAST(q1_s0."o0_1" AS DECIMAL(20, 0)) - CAST(q1_s0."o0_2" AS DECIMAL(20, 0)) AS c0 FROM (SELECT UNNEST(CAST($r0c1k0v1 AS BIGINT[])) AS "o0_1", UNNEST(CAST($r0c1k0v2 AS BIGINT[])) AS "o0_2") AS q1_s0) AS t)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c1k0v1, r0c1k0v2
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- in error bars
SELECT smoker, count(*) FILTER (WHERE sex = 'F') AS f, dp.low(count(*) FILTER (WHERE sex = 'F')), dp.high(count(*) FILTER (WHERE sex = 'F') - count(*) FILTER (WHERE sex = 'M')) FROM people GROUP BY smoker;
-- =>
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."smoker" AS k0, CASE WHEN s0."sex" = 'F' THEN 1 WHEN s0."sex" = 'M' THEN 2 END AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND CASE WHEN s0."sex" = 'F' THEN 1 WHEN s0."sex" = 'M' THEN 2 END IN (1, 2)) AS q WHERE k0 IN (FALSE, TRUE) AND k1 IN (1, 2)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values False, True
-- k1: values 1, 2
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "smoker", dpproxy_0.o0_1 AS "f", "dpproxy_0"."low of o0_1" AS "low", CASE WHEN NOT (dpproxy_0.o0_1 - dpproxy_0.o0_2) IS NULL THEN DP_BARS.EACH_HIGH(DP_BARS.EACH_SUBTRACT(CAST("dpproxy_0"."replicates of o0_1" AS DOUBLE PRECISION[]), CAST("dpproxy_0"."replicates of o0_2" AS DOUBLE PRECISION[])), 10) END AS "high" FROM (SELECT * FROM UNNEST(CAST($1 AS BOOLEAN[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[]), CAST($5 AS TEXT[]), CAST($6 AS TEXT[])) AS r("k0", "o0_1", "o0_2", "low of o0_1", "replicates of o0_1", "replicates of o0_2")) AS "dpproxy_0"
