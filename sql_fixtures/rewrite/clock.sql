-- the day, in WHERE
SELECT count(*) FROM people WHERE joined >= current_date - 365;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."joined" >= CAST('2023-05-18' AS DATE)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the time, cut to its month
SELECT count(*) FROM people WHERE joined >= date_trunc('month', now()) - INTERVAL '1 year';
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."joined" >= CAST('2023-05-01' AS DATE)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- an age, within the bounds of the column
SELECT avg(extract(year FROM age(joined))) FROM people;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT t.u AS u, CAST(CASE WHEN t.g1 > 5 THEN 5 WHEN t.g1 < (-2) THEN -2 ELSE t.g1 END - 1 AS BIGINT) AS m0 FROM (SELECT t.u AS u, ((777393 - ((((EXTRACT(YEAR FROM t.g0) * 12) + EXTRACT(MONTH FROM t.g0)) * 32) + EXTRACT(DAY FROM t.g0))) // 32) // 12 AS g1 FROM (SELECT s0."person_id" AS u, CASE WHEN s0."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."joined" END AS g0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -3..4 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- what is asked of the time above the rows stays in the statement for the front
SELECT current_date AS today, count(*) FROM people;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT CURRENT_DATE AS "today", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"
