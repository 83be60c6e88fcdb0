-- the values that were chosen, in one list
SELECT string_agg(DISTINCT city, ', ' ORDER BY city DESC) FROM people;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."city" IS NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of STRING_AGG(DISTINCT "people"."city", ', ' ORDER BY "people"."city" DESC): those that were chosen; what few persons have is left out
-- post: SELECT dpproxy_0_lists.v0 AS "string_agg" FROM (SELECT STRING_AGG(DISTINCT dpproxy_0.k0, ', ' ORDER BY dpproxy_0.k0 DESC) AS v0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0") AS dpproxy_0_lists

-- NULL is a value of an array
SELECT array_agg(DISTINCT city), cardinality(array_agg(DISTINCT city)) FROM people;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of ARRAY_AGG(DISTINCT "people"."city"): those that were chosen; what few persons have is left out
-- post: SELECT dpproxy_0_lists.v0 AS "array_agg", CARDINALITY(dpproxy_0_lists.v0) AS "cardinality" FROM (SELECT ARRAY_AGG(DISTINCT dpproxy_0.k0) AS v0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0") AS dpproxy_0_lists

-- of private groups
SELECT p.city, json_agg(DISTINCT v.dept) FROM people p JOIN visits v USING (person_id) GROUP BY p.city;
-- =>
SELECT k0, k1, COUNT(*) AS n FROM (SELECT k0, k1 FROM (SELECT k0, k1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1 FROM (SELECT s0."person_id" AS u, s0."city" AS k0, s1."dept" AS k1 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL)) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: private
-- k1: private
-- note: values of JSON_AGG(DISTINCT "v"."dept"): those that were chosen; what few persons have is left out
-- post: SELECT dpproxy_0_lists.k0 AS "city", dpproxy_0_lists.v0 AS "json_agg" FROM (SELECT dpproxy_0.k0 AS k0, JSON_AGG(DISTINCT dpproxy_0.k1) AS v0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[])) AS r("k0", "k1")) AS "dpproxy_0" GROUP BY dpproxy_0.k0) AS dpproxy_0_lists

-- of public groups: a value is listed where the count of units is surely above 0
SELECT p.sex, jsonb_agg(DISTINCT v.dept ORDER BY v.dept) FROM people p JOIN visits v USING (person_id) GROUP BY p.sex;
-- =>
SELECT k0, k1, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 1) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s1."dept" AS k1, 1 AS m0 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: values 'F', 'M'
-- k1: private
-- m0: UNITS 0..1 step 1
-- note: values of JSONB_AGG(DISTINCT "v"."dept" ORDER BY "v"."dept"): those whose noisy count is above 0 with its interval
-- post: SELECT dpproxy_0_lists.k0 AS "sex", dpproxy_0_lists.v0 AS "jsonb_agg" FROM (SELECT dpproxy_0_values.k0 AS k0, JSONB_AGG(DISTINCT dpproxy_0_values.k1 ORDER BY dpproxy_0_values.k1) FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, "dpproxy_0"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists

-- of declared values, with a confidence
-- set dp.confidence = 0.99
SELECT city, string_agg(DISTINCT sex, '/') FROM people GROUP BY city;
-- =>
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0, s0."sex" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND k1 IN ('F', 'M')) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- k1: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- note: values of STRING_AGG(DISTINCT "people"."sex", '/'): those whose noisy count is above 0 with its interval
-- post: SELECT dpproxy_0_lists.k0 AS "city", dpproxy_0_lists.v0 AS "string_agg" FROM (SELECT dpproxy_0_values.k0 AS k0, STRING_AGG(DISTINCT dpproxy_0_values.k1, '/') FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, "dpproxy_0"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists

-- of a public table's values
SELECT d.building, array_agg(DISTINCT d.dept) FROM visits v JOIN departments d USING (dept) WHERE d.beds > 10 GROUP BY d.building;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 1) AS m0 FROM (SELECT s0."person_id" AS u, s1."building" AS k0, s1."dept" AS k1, 1 AS m0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL AND s1."beds" > 10) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0, s1."dept" AS d1 FROM "departments" AS s1 WHERE s1."beds" > 10
-- k1: column 1 of SELECT DISTINCT s1."building" AS d0, s1."dept" AS d1 FROM "departments" AS s1 WHERE s1."beds" > 10
-- m0: UNITS 0..1 step 1
-- note: values of ARRAY_AGG(DISTINCT "d"."dept"): those whose noisy count is above 0 with its interval
-- post: SELECT dpproxy_0_lists.k0 AS "building", dpproxy_0_lists.v0 AS "array_agg" FROM (SELECT dpproxy_0_values.k0 AS k0, ARRAY_AGG(DISTINCT dpproxy_0_values.k1) FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, "dpproxy_0"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists

-- beside numbers, under HAVING, in an order, the first ones
SELECT city, count(*) AS n, avg(age), string_agg(DISTINCT sex, ',') AS l FROM people GROUP BY city HAVING count(*) > 10 ORDER BY n DESC LIMIT 3;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- m0: CENTRED -60..60 step 1
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0, s0."sex" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND k1 IN ('F', 'M')) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- k1: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- note: values of STRING_AGG(DISTINCT "people"."sex", ','): those whose noisy count is above 0 with its interval
-- post: SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "n", dpproxy_0.o1 AS "avg", dpproxy_1_lists.v0 AS "l" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS DECIMAL[])) AS r("k0", "o0", "o1")) AS "dpproxy_0" LEFT JOIN (SELECT dpproxy_1_values.k0 AS k0, STRING_AGG(DISTINCT dpproxy_1_values.k1, ',') FILTER(WHERE dpproxy_1_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_1.k0 AS k0, dpproxy_1.k1 AS k1, "dpproxy_1"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($4 AS TEXT[]), CAST($5 AS TEXT[]), CAST($6 AS BIGINT[]), CAST($7 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_1") AS dpproxy_1_values GROUP BY dpproxy_1_values.k0) AS dpproxy_1_lists ON dpproxy_0.k0 IS NOT DISTINCT FROM dpproxy_1_lists.k0 WHERE dpproxy_0.o0 > 10 ORDER BY "n" DESC LIMIT 3

-- of some rows: those of FILTER, and their public values
SELECT d.building, array_agg(DISTINCT d.dept) FILTER (WHERE d.beds > 10 AND v.cost > 100) FROM visits v JOIN departments d USING (dept) GROUP BY d.building;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 1) AS m0 FROM (SELECT s0."person_id" AS u, s1."building" AS k0, s1."dept" AS k1, 1 AS m0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL AND s1."beds" > 10 AND s0."cost" > CAST('100.0' AS DOUBLE)) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0, s1."dept" AS d1 FROM "departments" AS s1 WHERE s1."beds" > 10
-- k1: column 1 of SELECT DISTINCT s1."building" AS d0, s1."dept" AS d1 FROM "departments" AS s1 WHERE s1."beds" > 10
-- m0: UNITS 0..1 step 1
-- note: values of ARRAY_AGG(DISTINCT "d"."dept") FILTER(WHERE "d"."beds" > 10 AND "v"."cost" > 100): those whose noisy count is above 0 with its interval
-- post: SELECT dpproxy_0_lists.k0 AS "building", dpproxy_0_lists.v0 AS "array_agg" FROM (SELECT dpproxy_0_values.k0 AS k0, ARRAY_AGG(DISTINCT dpproxy_0_values.k1) FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, "dpproxy_0"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists

-- two lists of the same values are one release
SELECT sex, string_agg(DISTINCT dept, ','), array_agg(DISTINCT dept) FROM people JOIN visits USING (person_id) GROUP BY sex;
-- =>
SELECT k0, k1, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 1) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s1."dept" AS k1, 1 AS m0 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: values 'F', 'M'
-- k1: private
-- m0: UNITS 0..1 step 1
-- note: values of STRING_AGG(DISTINCT "visits"."dept", ','), ARRAY_AGG(DISTINCT "visits"."dept"): those whose noisy count is above 0 with its interval
-- post: SELECT dpproxy_0_lists.k0 AS "sex", dpproxy_0_lists.v0 AS "string_agg", dpproxy_0_lists.v1 AS "array_agg" FROM (SELECT dpproxy_0_values.k0 AS k0, STRING_AGG(DISTINCT dpproxy_0_values.k1, ',') FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v0, ARRAY_AGG(DISTINCT dpproxy_0_values.k1) FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v1 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, "dpproxy_0"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists

-- lists of several columns: the groups of all of them
SELECT city, array_agg(DISTINCT smoker), array_agg(DISTINCT sex) FROM people GROUP BY city;
-- =>
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0, s0."smoker" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- k1: values False, True
-- m0: ROWS 0..1 step 1
-- note: values of ARRAY_AGG(DISTINCT "people"."smoker"): those whose noisy count is above 0 with its interval
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0, s0."sex" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND k1 IN ('F', 'M')) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- k1: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- note: values of ARRAY_AGG(DISTINCT "people"."sex"): those whose noisy count is above 0 with its interval
-- post: SELECT dpproxy_0_lists_groups.k0 AS "city", dpproxy_0_lists.v0 AS "_column_1", dpproxy_1_lists.v0 AS "_column_2" FROM (SELECT dpproxy_0_lists.k0 AS k0 FROM (SELECT dpproxy_0_values.k0 AS k0, ARRAY_AGG(DISTINCT dpproxy_0_values.k1) FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, "dpproxy_0"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($9 AS TEXT[]), CAST($10 AS BOOLEAN[]), CAST($11 AS BIGINT[]), CAST($12 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists UNION SELECT dpproxy_1_lists.k0 AS k0 FROM (SELECT dpproxy_1_values.k0 AS k0, ARRAY_AGG(DISTINCT dpproxy_1_values.k1) FILTER(WHERE dpproxy_1_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_1.k0 AS k0, dpproxy_1.k1 AS k1, "dpproxy_1"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($13 AS TEXT[]), CAST($14 AS TEXT[]), CAST($15 AS BIGINT[]), CAST($16 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_1") AS dpproxy_1_values GROUP BY dpproxy_1_values.k0) AS dpproxy_1_lists) AS dpproxy_0_lists_groups LEFT JOIN (SELECT dpproxy_0_values.k0 AS k0, ARRAY_AGG(DISTINCT dpproxy_0_values.k1) FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, "dpproxy_0"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BOOLEAN[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists ON dpproxy_0_lists_groups.k0 IS NOT DISTINCT FROM dpproxy_0_lists.k0 LEFT JOIN (SELECT dpproxy_1_values.k0 AS k0, ARRAY_AGG(DISTINCT dpproxy_1_values.k1) FILTER(WHERE dpproxy_1_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_1.k0 AS k0, dpproxy_1.k1 AS k1, "dpproxy_1"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($5 AS TEXT[]), CAST($6 AS TEXT[]), CAST($7 AS BIGINT[]), CAST($8 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_1") AS dpproxy_1_values GROUP BY dpproxy_1_values.k0) AS dpproxy_1_lists ON dpproxy_0_lists_groups.k0 IS NOT DISTINCT FROM dpproxy_1_lists.k0

-- lists without groups stand side by side
SELECT string_agg(DISTINCT city, ','), array_agg(DISTINCT sex), count(*) FROM people;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."city" IS NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of STRING_AGG(DISTINCT "people"."city", ','): those that were chosen; what few persons have is left out
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- note: values of ARRAY_AGG(DISTINCT "people"."sex"): those whose noisy count is above 0 with its interval
-- post: SELECT dpproxy_1_lists.v0 AS "string_agg", dpproxy_2_lists.v0 AS "array_agg", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0" LEFT JOIN (SELECT STRING_AGG(DISTINCT dpproxy_1.k0, ',') AS v0 FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[])) AS r("k0")) AS "dpproxy_1") AS dpproxy_1_lists ON TRUE LEFT JOIN (SELECT ARRAY_AGG(DISTINCT dpproxy_2_values.k0) FILTER(WHERE dpproxy_2_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_2.k0 AS k0, "dpproxy_2"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[]), CAST($5 AS DOUBLE PRECISION[])) AS r("k0", "o0", "low of o0")) AS "dpproxy_2") AS dpproxy_2_values) AS dpproxy_2_lists ON TRUE

-- of an expression, in HAVING and in ORDER BY
SELECT sex FROM people GROUP BY sex HAVING string_agg(DISTINCT lower(city), ',') LIKE '%a%' ORDER BY string_agg(DISTINCT lower(city), ',');
-- =>
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, LOWER(s0."city") AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT LOWER(s0."city") IS NULL) AS q WHERE k0 IN ('F', 'M') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: private
-- m0: ROWS 0..1 step 1
-- note: values of STRING_AGG(DISTINCT LOWER("people"."city"), ','): those whose noisy count is above 0 with its interval
-- post: SELECT dpproxy_0_lists.k0 AS "sex" FROM (SELECT dpproxy_0_values.k0 AS k0, STRING_AGG(DISTINCT dpproxy_0_values.k1, ',') FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, "dpproxy_0"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists WHERE dpproxy_0_lists.v0 LIKE '%a%' ORDER BY dpproxy_0_lists.v0

-- of rows that a subquery keeps
SELECT array_agg(DISTINCT city) FILTER (WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id AND v.cost > 300)) FROM people p;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND q1_s0."cost" > CAST('300.0' AS DOUBLE))) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of ARRAY_AGG(DISTINCT "p"."city") FILTER(WHERE EXISTS(SELECT 1 AS "_column_0" FROM "public"."visits" AS "v" WHERE "v"."person_id" = "p"."person_id" AND "v"."cost" > 300)): those that were chosen; what few persons have is left out
-- post: SELECT dpproxy_0_lists.v0 AS "array_agg" FROM (SELECT ARRAY_AGG(DISTINCT dpproxy_0.k0) AS v0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0") AS dpproxy_0_lists

-- in a derived table and a scalar subquery
SELECT t.string_agg, (SELECT json_agg(DISTINCT sex) FROM people) FROM (SELECT smoker, string_agg(DISTINCT city, ',') FROM people GROUP BY smoker) AS t;
-- =>
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."smoker" AS k0, s0."city" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."city" IS NULL) AS q WHERE k0 IN (FALSE, TRUE) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values False, True
-- k1: private
-- m0: ROWS 0..1 step 1
-- note: values of STRING_AGG(DISTINCT "people"."city", ','): those whose noisy count is above 0 with its interval
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- note: values of JSON_AGG(DISTINCT "people"."sex"): those whose noisy count is above 0 with its interval
-- post: SELECT "t"."string_agg" AS "string_agg", (SELECT dpproxy_1_lists.v0 AS "json_agg" FROM (SELECT JSON_AGG(DISTINCT dpproxy_1_values.k0) FILTER(WHERE dpproxy_1_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_1.k0 AS k0, "dpproxy_1"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS DOUBLE PRECISION[])) AS r("k0", "o0", "low of o0")) AS "dpproxy_1") AS dpproxy_1_values) AS dpproxy_1_lists) AS "json_agg" FROM (SELECT dpproxy_0_lists.k0 AS "smoker", dpproxy_0_lists.v0 AS "string_agg" FROM (SELECT dpproxy_0_values.k0 AS k0, STRING_AGG(DISTINCT dpproxy_0_values.k1, ',') FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, "dpproxy_0"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($4 AS BOOLEAN[]), CAST($5 AS TEXT[]), CAST($6 AS BIGINT[]), CAST($7 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists) AS "t"

-- of released rows, in any order
SELECT string_agg(city, ',' ORDER BY n DESC), json_agg(n), jsonb_agg(city) FROM (SELECT city, count(*) AS n FROM people GROUP BY city) AS t WHERE n > 5;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT STRING_AGG("t"."city", ',' ORDER BY "t"."n" DESC) AS "string_agg", JSON_AGG("t"."n") AS "json_agg", JSONB_AGG("t"."city") AS "jsonb_agg" FROM (SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "t" WHERE "t"."n" > 5

-- the weight of a list
-- set dp.weights = n: 4, l: 1
SELECT count(*) AS n, array_agg(DISTINCT sex) AS l FROM people;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- note: values of ARRAY_AGG(DISTINCT "people"."sex"): those whose noisy count is above 0 with its interval
-- post: SELECT dpproxy_0.o0 AS "n", dpproxy_1_lists.v0 AS "l" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0" LEFT JOIN (SELECT ARRAY_AGG(DISTINCT dpproxy_1_values.k0) FILTER(WHERE dpproxy_1_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_1.k0 AS k0, "dpproxy_1"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "o0", "low of o0")) AS "dpproxy_1") AS dpproxy_1_values) AS dpproxy_1_lists ON TRUE

-- in each grouping set
SELECT sex, string_agg(DISTINCT city, ',') FROM people GROUP BY ROLLUP (sex);
-- =>
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."city" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."city" IS NULL) AS q WHERE k0 IN ('F', 'M') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: private
-- m0: ROWS 0..1 step 1
-- note: values of STRING_AGG(DISTINCT "people"."city", ','): those whose noisy count is above 0 with its interval
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."city" IS NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of STRING_AGG(DISTINCT "people"."city", ','): those that were chosen; what few persons have is left out
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.a0 AS "string_agg" FROM (SELECT dpproxy_0_lists.k0 AS k0, dpproxy_0_lists.v0 AS a0 FROM (SELECT dpproxy_0_values.k0 AS k0, STRING_AGG(DISTINCT dpproxy_0_values.k1, ',') FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, "dpproxy_0"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[]), CAST($3 AS TEXT[]), CAST($4 AS BIGINT[]), CAST($5 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists UNION ALL SELECT CAST(NULL AS TEXT) AS k0, dpproxy_1_lists.v0 AS a0 FROM (SELECT STRING_AGG(DISTINCT dpproxy_1.k0, ',') AS v0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_1") AS dpproxy_1_lists) AS dpproxy_0_sets

-- in a correlated subquery
SELECT d.dept, (SELECT string_agg(DISTINCT p.city, ',') FROM visits v JOIN people p USING (person_id) WHERE v.dept = d.dept) FROM departments d;
-- =>
SELECT k0, k1, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 1) AS m0 FROM (SELECT s0."person_id" AS u, s2."c0" AS k0, s1."city" AS k1, 1 AS m0 FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s2 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s2."c0" AND NOT s1."city" IS NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s2."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s2
-- k1: private
-- m0: UNITS 0..1 step 1
-- note: values of STRING_AGG(DISTINCT "p"."city", ','): those whose noisy count is above 0 with its interval
-- post: SELECT "d"."dept" AS "dept", (dpproxy_0_looked_up_0.a0) AS "string_agg" FROM "public"."departments" AS "d" LEFT JOIN (SELECT dpproxy_0_lists.k0 AS k0, dpproxy_0_lists.v0 AS a0 FROM (SELECT dpproxy_0_values.k0 AS k0, STRING_AGG(DISTINCT dpproxy_0_values.k1, ',') FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, "dpproxy_0"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists) AS dpproxy_0_looked_up_0 ON dpproxy_0_looked_up_0.k0 = "d"."dept"

-- as JSON in the order of a correlated subquery, where the one of a group is found
SELECT d.dept FROM departments d ORDER BY (SELECT jsonb_agg(DISTINCT p.sex) FROM visits v JOIN people p USING (person_id) WHERE v.dept = d.dept);
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 1) AS m0 FROM (SELECT s0."person_id" AS u, s2."c0" AS k0, s1."sex" AS k1, 1 AS m0 FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s2 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s2."c0") AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND k1 IN ('F', 'M') END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s2."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s2
-- k1: values 'F', 'M'
-- m0: UNITS 0..1 step 1
-- note: values of JSONB_AGG(DISTINCT "p"."sex"): those whose noisy count is above 0 with its interval
-- post: SELECT "d"."dept" AS "dept" FROM "public"."departments" AS "d" ORDER BY (SELECT (ARRAY_AGG((dpproxy_0_looked_up.a0)))[1] AS "jsonb_agg" FROM (SELECT dpproxy_0_lists.k0 AS k0, dpproxy_0_lists.v0 AS a0 FROM (SELECT dpproxy_0_values.k0 AS k0, JSONB_AGG(DISTINCT dpproxy_0_values.k1) FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, "dpproxy_0"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists) AS dpproxy_0_looked_up WHERE dpproxy_0_looked_up.k0 = "d"."dept")

-- objects and arrays of released rows
SELECT json_object_agg(t.sex, t.n), jsonb_build_object('all', sum(t.n)), to_json(json_agg(t.n)::text) FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex) AS t;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT JSON_OBJECT_AGG("t"."sex", "t"."n") FILTER(WHERE NOT ("t"."sex") IS NULL) AS "json_object_agg", JSONB_BUILD_OBJECT('all', SUM("t"."n")) AS "jsonb_build_object", TO_JSON(CAST(JSON_AGG("t"."n") AS TEXT)) AS "to_json" FROM (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "t"

-- elements of a list
SELECT sex, (array_agg(DISTINCT city ORDER BY city))[1:2], (array_agg(DISTINCT city))[1] FROM people GROUP BY sex;
-- =>
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."city" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: private
-- m0: ROWS 0..1 step 1
-- note: values of ARRAY_AGG(DISTINCT "people"."city" ORDER BY "people"."city"), ARRAY_AGG(DISTINCT "people"."city"): those whose noisy count is above 0 with its interval
-- post: SELECT dpproxy_0_lists.k0 AS "sex", (dpproxy_0_lists.v0)[1:2] AS "_column_1", (dpproxy_0_lists.v1)[1] AS "_column_2" FROM (SELECT dpproxy_0_values.k0 AS k0, ARRAY_AGG(DISTINCT dpproxy_0_values.k1 ORDER BY dpproxy_0_values.k1) FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v0, ARRAY_AGG(DISTINCT dpproxy_0_values.k1) FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v1 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, "dpproxy_0"."low of o0" > 0 AS dpproxy_surely FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists
