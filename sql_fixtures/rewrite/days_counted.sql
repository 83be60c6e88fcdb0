-- working days between two dates of a row
SELECT sum((SELECT count(*) FROM generate_series(p.joined, v.day, INTERVAL '1 day') AS g(d) WHERE EXTRACT(isodow FROM g.d) < 6)) FROM visits v JOIN people p ON p.person_id = v.person_id;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -74060), 94960) AS m0 FROM (SELECT t.u AS u, CAST(CASE WHEN t.g0 > 4748 THEN 4748 WHEN t.g0 < (-3703) THEN -3703 ELSE t.g0 END AS BIGINT) AS m0 FROM (SELECT s0."person_id" AS u, CASE WHEN s0."day" >= s1."joined" THEN ((CAST(CASE WHEN s0."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."day" END - CASE WHEN s1."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s1."joined" END AS BIGINT) + CAST(1 AS BIGINT)) - (((CAST(CASE WHEN s0."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."day" END - CAST('0001-01-01' AS DATE) AS BIGINT) + CAST(2 AS BIGINT)) // CAST(7 AS BIGINT)) - ((CAST(CASE WHEN s1."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s1."joined" END - CAST('0001-01-01' AS DATE) AS BIGINT) + CAST(1 AS BIGINT)) // CAST(7 AS BIGINT)))) - (((CAST(CASE WHEN s0."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."day" END - CAST('0001-01-01' AS DATE) AS BIGINT) + CAST(1 AS BIGINT)) // CAST(7 AS BIGINT)) - ((CAST(CASE WHEN s1."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s1."joined" END - CAST('0001-01-01' AS DATE) AS BIGINT) + CAST(0 AS BIGINT)) // CAST(7 AS BIGINT))) ELSE 0 END AS g0 FROM "visits" AS s0 JOIN "people" AS s1 ON s1."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: SUM -74060..94960 step 1
-- post: SELECT dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"

-- all days up to a constant, none where the ends are the other way round, as a value in WHERE
SELECT count(*) FROM people WHERE (SELECT count(*) FROM generate_series(joined, '2024-06-30'::date, '1 day') AS g) > 100;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND CASE WHEN CAST('2024-06-30' AS DATE) >= s0."joined" THEN CAST(CAST('2024-06-30' AS DATE) - CASE WHEN s0."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."joined" END AS BIGINT) + CAST(1 AS BIGINT) ELSE 0 END > 100) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- days of one weekday, and of those at a week's end
SELECT sex, avg((SELECT count(*) FROM generate_series(p.joined, DATE '2024-12-31', '1 day'::interval) d WHERE extract(dow FROM d) = 1)), avg((SELECT count(*) FROM generate_series(p.joined, DATE '2024-12-31', '1 day'::interval) d WHERE NOT extract(isodow FROM d) BETWEEN 1 AND 5 OR extract(dow FROM d) IN (0, 6))) FROM people p GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1, CAST(LEAST(GREATEST(COALESCE(SUM(m2), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m2 FROM (SELECT * FROM (SELECT t.u AS u, t.x1 AS k0, CAST(CASE WHEN t.g0 > 313 THEN 313 WHEN t.g0 < 0 THEN 0 ELSE t.g0 END - 156 AS BIGINT) AS m0, CAST(CASE WHEN t.g1 > 626 THEN 626 WHEN t.g1 < 0 THEN 0 ELSE t.g1 END - 313 AS BIGINT) AS m2 FROM (SELECT s0."person_id" AS u, s0."sex" AS x1, CASE WHEN CAST('2024-12-31' AS DATE) >= s0."joined" THEN CAST(0 AS BIGINT) + (CAST(105608 AS BIGINT) - ((CAST(CASE WHEN s0."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."joined" END - CAST('0001-01-01' AS DATE) AS BIGINT) + CAST(6 AS BIGINT)) // CAST(7 AS BIGINT))) ELSE 0 END AS g0, CASE WHEN CAST('2024-12-31' AS DATE) >= s0."joined" THEN (CAST(0 AS BIGINT) + (CAST(105607 AS BIGINT) - ((CAST(CASE WHEN s0."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."joined" END - CAST('0001-01-01' AS DATE) AS BIGINT) + CAST(1 AS BIGINT)) // CAST(7 AS BIGINT)))) + (CAST(105607 AS BIGINT) - ((CAST(CASE WHEN s0."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."joined" END - CAST('0001-01-01' AS DATE) AS BIGINT) + CAST(0 AS BIGINT)) // CAST(7 AS BIGINT))) ELSE 0 END AS g1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS t WHERE t.u IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: CENTRED -156..157 step 1
-- m1: ROWS 0..1 step 1
-- m2: CENTRED -313..313 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "_column_1", dpproxy_0.o1 AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[]), CAST($3 AS DECIMAL[])) AS r("k0", "o0", "o1")) AS "dpproxy_0"

-- by its name in a derived table
SELECT avg(t.count) FROM (SELECT joined, (SELECT count(*) FROM generate_series(DATE '2020-01-01', joined, '1 day')) FROM people) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c1" > 2557 THEN 2557 WHEN s0."c1" < 0 THEN 0 ELSE s0."c1" END - 1278 AS BIGINT) AS m0 FROM (SELECT s0."person_id" AS u, s0."joined" AS c0, CASE WHEN s0."joined" >= CAST('2020-01-01' AS DATE) THEN CAST(CASE WHEN s0."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."joined" END - CAST('2020-01-01' AS DATE) AS BIGINT) + CAST(1 AS BIGINT) ELSE 0 END AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -1278..1279 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[])) AS r("o0")) AS "dpproxy_0"
