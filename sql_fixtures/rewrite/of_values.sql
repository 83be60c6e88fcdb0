-- the least and the greatest text of those that were chosen
SELECT min(city), upper(max(city)) FROM people;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."city" IS NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of MIN("people"."city"), MAX("people"."city"): those that were chosen; what few persons have is left out
-- post: SELECT dpproxy_0_lists.v0 AS "min", UPPER(dpproxy_0_lists.v1) AS "upper" FROM (SELECT MIN(dpproxy_0.k0) AS v0, MAX(dpproxy_0.k0) AS v1 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0") AS dpproxy_0_lists

-- of groups, beside a count, under HAVING, in an order: of public groups a value counts where all of the group are surely above 0
SELECT sex, count(*), min(city) FROM people GROUP BY sex HAVING max(city) > 'B' ORDER BY min(city) DESC;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."city" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."city" IS NULL) AS q WHERE k0 IN ('F', 'M') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: private
-- m0: ROWS 0..1 step 1
-- note: values of MIN("people"."city"), MAX("people"."city"): those whose noisy count is above 0 with its interval
-- note: where one value decides, those whose counts differ from 0 with all of the group's together
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count", dpproxy_1_lists.v0 AS "min" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" LEFT JOIN (SELECT dpproxy_1_values.k0 AS k0, MIN(dpproxy_1_values.k1) FILTER(WHERE dpproxy_1_values.dpproxy_surely_all) AS v0, MAX(dpproxy_1_values.k1) FILTER(WHERE dpproxy_1_values.dpproxy_surely_all) AS v1 FROM (SELECT dpproxy_1.k0 AS k0, dpproxy_1.k1 AS k1, (dpproxy_1.o0) > ("dpproxy_1"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_1.k0)) AS DOUBLE PRECISION) / (0.025))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_1.k0)) AS DOUBLE PRECISION) / (0.025))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS TEXT[]), CAST($5 AS BIGINT[]), CAST($6 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "stddev of o0")) AS "dpproxy_1") AS dpproxy_1_values GROUP BY dpproxy_1_values.k0) AS dpproxy_1_lists ON dpproxy_0.k0 = dpproxy_1_lists.k0 WHERE dpproxy_1_lists.v1 > 'B' ORDER BY "min" DESC

-- of declared values, with a confidence, beside a list of them
-- set dp.confidence = 0.99
SELECT max(flag) FILTER (WHERE quantity > 10), array_agg(DISTINCT flag) FILTER (WHERE quantity > 10) FROM lineitem;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 1) AS m0 FROM (SELECT h0."custkey" AS u, s0."flag" AS k0, 1 AS m0 FROM "lineitem" AS s0 JOIN "orders" AS h0 ON s0."orderkey" = h0."orderkey" WHERE h0."custkey" IS NOT NULL AND s0."quantity" > 10) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('A', 'N', 'R') END) AS c GROUP BY k0;
-- unit customer: 100 rows, 3 keys (FEW_PUBLIC_KEYS)
-- k0: values 'A', 'N', 'R'
-- m0: UNITS 0..1 step 1
-- note: values of MAX("lineitem"."flag") FILTER(WHERE "lineitem"."quantity" > 10), ARRAY_AGG(DISTINCT "lineitem"."flag") FILTER(WHERE "lineitem"."quantity" > 10): those whose noisy count is above 0 with its interval
-- note: where one value decides, those whose counts differ from 0 with all of the group's together
-- post: SELECT dpproxy_0_lists.v0 AS "max", dpproxy_0_lists.v1 AS "array_agg" FROM (SELECT MAX(dpproxy_0_values.k0) FILTER(WHERE dpproxy_0_values.dpproxy_surely_all) AS v0, ARRAY_AGG(DISTINCT dpproxy_0_values.k0) FILTER(WHERE dpproxy_0_values.dpproxy_surely) AS v1 FROM (SELECT dpproxy_0.k0 AS k0, "dpproxy_0"."low of o0" > 0 AS dpproxy_surely, (dpproxy_0.o0) > ("dpproxy_0"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER ()) AS DOUBLE PRECISION) / (0.005))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER ()) AS DOUBLE PRECISION) / (0.005))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS DOUBLE PRECISION[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "o0", "low of o0", "stddev of o0")) AS "dpproxy_0") AS dpproxy_0_values) AS dpproxy_0_lists

-- of a public table's values
SELECT d.building, min(d.dept) FROM visits v JOIN departments d USING (dept) GROUP BY d.building;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 1) AS m0 FROM (SELECT s0."person_id" AS u, s1."building" AS k0, s1."dept" AS k1, 1 AS m0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."building" AS d0, s1."dept" AS d1 FROM "departments" AS s1
-- k1: column 1 of SELECT DISTINCT s1."building" AS d0, s1."dept" AS d1 FROM "departments" AS s1
-- m0: UNITS 0..1 step 1
-- note: values of MIN("d"."dept"): those whose noisy count is above 0 with its interval
-- note: where one value decides, those whose counts differ from 0 with all of the group's together
-- post: SELECT dpproxy_0_lists.k0 AS "building", dpproxy_0_lists.v0 AS "min" FROM (SELECT dpproxy_0_values.k0 AS k0, MIN(dpproxy_0_values.k1) FILTER(WHERE dpproxy_0_values.dpproxy_surely_all) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, (dpproxy_0.o0) > ("dpproxy_0"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_0.k0)) AS DOUBLE PRECISION) / (0.025))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_0.k0)) AS DOUBLE PRECISION) / (0.025))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "stddev of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists

-- of an expression over rows of a unit
SELECT max(lower(v.dept) || '!') FROM visits v;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."person_id" AS u, LOWER(s0."dept") || '!' AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- note: values of MAX(LOWER("v"."dept") || '!'): those that were chosen; what few persons have is left out
-- post: SELECT dpproxy_0_lists.v0 AS "max" FROM (SELECT MAX(dpproxy_0.k0) AS v0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0") AS dpproxy_0_lists

-- of released rows, in a scalar subquery that the engine reads
SELECT count(*) FROM people WHERE city = (SELECT min(city) FROM people);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."city" IS NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of MIN("people"."city"): those that were chosen; what few persons have is left out
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."city" = (SELECT t."c0" FROM (SELECT q1_s0."c0" AS c0 FROM (SELECT q2_s0."v0" AS c0 FROM (SELECT MIN(a0) AS v0 FROM (SELECT q2_s0."k0" AS a0 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0) AS q2_s0) AS r) AS q2_s0) AS q1_s0) AS t)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- exact within the rows of one unit, a release over them
SELECT min(t.d) FROM (SELECT person_id, max(dept) AS d FROM visits GROUP BY person_id) AS t;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c1" AS k0 FROM (SELECT s0."u" AS u, s0."u" AS c0, s0."v0" AS c1 FROM (SELECT u, MAX(a0) AS v0 FROM (SELECT s0."person_id" AS u, s0."dept" AS a0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of MIN("t"."d"): those that were chosen; what few persons have is left out
-- post: SELECT dpproxy_0_lists.v0 AS "min" FROM (SELECT MIN(dpproxy_0.k0) AS v0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0") AS dpproxy_0_lists

-- different values are added once each
SELECT sum(DISTINCT age), avg(DISTINCT age), stddev(DISTINCT age) FROM people;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT s0."person_id" AS u, s0."age" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of SUM(DISTINCT "people"."age"), AVG(DISTINCT "people"."age"), STDDEV(DISTINCT "people"."age"): those that were chosen; what few persons have is left out
-- post: SELECT dpproxy_0_lists.v0 AS "sum", dpproxy_0_lists.v1 AS "avg", dpproxy_0_lists.v2 AS "stddev" FROM (SELECT SUM(DISTINCT dpproxy_0.k0) AS v0, AVG(DISTINCT dpproxy_0.k0) AS v1, STDDEV(DISTINCT dpproxy_0.k0) AS v2 FROM (SELECT * FROM UNNEST(CAST($1 AS INT[])) AS r("k0")) AS "dpproxy_0") AS dpproxy_0_lists

-- NaN is left out of what is computed
SELECT sex, sum(DISTINCT income) FROM people GROUP BY sex;
-- =>
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."income" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."income" IS NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: private
-- m0: ROWS 0..1 step 1
-- note: values of SUM(DISTINCT "people"."income"): those whose noisy count is above 0 with its interval
-- note: where one value decides, those whose counts differ from 0 with all of the group's together
-- post: SELECT dpproxy_0_lists.k0 AS "sex", dpproxy_0_lists.v0 AS "sum" FROM (SELECT dpproxy_0_values.k0 AS k0, SUM(DISTINCT dpproxy_0_values.k1) FILTER(WHERE dpproxy_0_values.dpproxy_surely_all AND dpproxy_0_values.k1 <> CAST('NaN' AS DOUBLE PRECISION)) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, (dpproxy_0.o0) > ("dpproxy_0"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_0.k0)) AS DOUBLE PRECISION) / (0.025))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_0.k0)) AS DOUBLE PRECISION) / (0.025))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DOUBLE PRECISION[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "stddev of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists

-- different values of some rows
SELECT avg(DISTINCT linenumber) FILTER (WHERE flag = 'A') FROM lineitem WHERE price > 10;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0) AS r FROM (SELECT u, k0 FROM (SELECT h0."custkey" AS u, s0."linenumber" AS k0 FROM "lineitem" AS s0 JOIN "orders" AS h0 ON s0."orderkey" = h0."orderkey" WHERE h0."custkey" IS NOT NULL AND s0."price" > 10 AND s0."flag" = 'A') AS r GROUP BY u, k0) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit customer: 100 rows, 8 keys (KEYS_LIMITED)
-- k0: private
-- note: values of AVG(DISTINCT "lineitem"."linenumber") FILTER(WHERE "lineitem"."flag" = 'A'): those that were chosen; what few customers have is left out
-- post: SELECT dpproxy_0_lists.v0 AS "avg" FROM (SELECT AVG(DISTINCT dpproxy_0.k0) AS v0 FROM (SELECT * FROM UNNEST(CAST($1 AS INT[])) AS r("k0")) AS "dpproxy_0") AS dpproxy_0_lists

-- DISTINCT is left out where the column is unique
SELECT sum(DISTINCT orderkey), count(DISTINCT orderkey) FROM orders;
-- =>
SELECT COUNT(*) AS c, b0, b1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT m0, m1, CAST(CEIL(LN(CAST(GREATEST(ABS(m0), 1) AS DOUBLE)) * 11.541560327111707) AS INT) AS b0, CAST(CEIL(LN(CAST(GREATEST(ABS(m1), 1) AS DOUBLE)) * 11.541560327111707) AS INT) AS b1 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), -35184372088832), 35184372088832) AS m0, LEAST(GREATEST(COUNT(*), 0), 40) AS m1 FROM (SELECT s0."custkey" AS u, CAST(CASE WHEN s0."orderkey" > 35184372088832 THEN 35184372088832 WHEN s0."orderkey" < (-35184372088832) THEN -35184372088832 ELSE s0."orderkey" END AS BIGINT) AS m0 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS c) AS t GROUP BY GROUPING SETS ((b0), (b1));
-- unit customer: 40 rows, 1 keys (NO_KEYS)
-- scaled down to a clip of the L2 norm
-- m0: SUM -35184372088832..35184372088832 step 1
-- m1: ROWS 0..40 step 1
-- post: SELECT dpproxy_0.o0 AS "sum", dpproxy_0.o1 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0"

-- where a join has it several times, by what EXISTS tells
SELECT o.priority, count(DISTINCT o.orderkey) FROM orders o JOIN lineitem l USING (orderkey) GROUP BY o.priority;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 40) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 40) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = '1-URGENT' THEN 1 WHEN k0 = '5-LOW' THEN 2147483648 END) AS s0 FROM (SELECT s0."custkey" AS u, s0."priority" AS k0 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL AND EXISTS(SELECT 1 FROM "lineitem" AS q1_s0 WHERE s0."orderkey" = q1_s0."orderkey")) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, '1-URGENT'), (1, '5-LOW')) AS v0(i, k0)) AS v;
-- unit customer: 40 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..40 step 1
-- post: SELECT dpproxy_0.k0 AS "priority", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- not where a join has it several times, of which another aggregate tells
SELECT o.priority, count(DISTINCT o.orderkey), count(*) FROM orders o JOIN lineitem l USING (orderkey) GROUP BY o.priority;
-- =>
SELECT v.k0 AS k0, CASE WHEN v.i = 0 THEN t.p0 WHEN v.i = 1 THEN t.p1 END AS m0 FROM (SELECT CAST(LEAST(GREATEST(COALESCE(SUM(p0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p0, CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS p1 FROM (SELECT LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 100) AS p0, LEAST(CAST((COALESCE(s0, 0) >> 31) & 2147483647 AS BIGINT), 100) AS p1 FROM (SELECT u, SUM(CASE WHEN k0 = '1-URGENT' THEN 1 WHEN k0 = '5-LOW' THEN 2147483648 END) AS s0 FROM (SELECT s0."custkey" AS u, s0."priority" AS k0 FROM "orders" AS s0 JOIN "lineitem" AS s1 ON s0."orderkey" = s1."orderkey" WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u) AS q WHERE s0 IS NOT NULL) AS c) AS t CROSS JOIN (SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, '1-URGENT'), (1, '5-LOW')) AS v0(i, k0)) AS v;
-- unit customer: 100 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..100 step 1
SELECT k0, COUNT(DISTINCT v) AS m0 FROM (SELECT k0, v FROM (SELECT k0, v, DENSE_RANK() OVER (PARTITION BY u, k0 ORDER BY HASH(HASH(u, k0, NULLIF(NULLIF(CAST(v AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), v) AS r FROM (SELECT * FROM (SELECT u, k0, v FROM (SELECT s0."custkey" AS u, s0."priority" AS k0, s0."orderkey" AS v FROM "orders" AS s0 JOIN "lineitem" AS s1 ON s0."orderkey" = s1."orderkey" WHERE s0."custkey" IS NOT NULL) AS r WHERE v IS NOT NULL) AS q WHERE k0 IN ('1-URGENT', '5-LOW')) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit customer: 100 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- m0: DISTINCT 0..8 step 1
-- post: SELECT dpproxy_0.k0 AS "priority", dpproxy_0.d0 AS "_column_1", dpproxy_0.o0 AS "_column_2" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("k0", "o0", "d0")) AS "dpproxy_0"

-- and where the same value once more changes nothing
SELECT sex, every(DISTINCT smoker), max(DISTINCT age) FROM people GROUP BY sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CASE WHEN NOT s0."smoker" THEN 1 END AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: VALUES 0..1 step 1
SELECT k0, b, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END AS BIGINT) AS b FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r WHERE b IS NOT NULL GROUP BY k0, b;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: HISTOGRAM 0..1 step 1
-- told: QuantileBrackets 1/1 of m0 among 121
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "every", dpproxy_0.q0 AS "max" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BOOLEAN[]), CAST($3 AS INT[])) AS r("k0", "o0", "q0")) AS "dpproxy_0"

-- of each grouping set, beside numbers that add up
SELECT sex, grouping(sex), count(*), min(city) FROM people GROUP BY ROLLUP (sex) HAVING max(city) > 'B' ORDER BY min(city);
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."city" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."city" IS NULL) AS q WHERE k0 IN ('F', 'M') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: private
-- m0: ROWS 0..1 step 1
-- note: values of MIN("people"."city"), MAX("people"."city"): those whose noisy count is above 0 with its interval
-- note: where one value decides, those whose counts differ from 0 with all of the group's together
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."city" IS NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of MIN("people"."city"), MAX("people"."city"): those that were chosen; what few persons have is left out
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.a0 AS "grouping", dpproxy_0_sets.a1 AS "count", dpproxy_0_sets.a2 AS "min" FROM (SELECT dpproxy_0.k0 AS k0, 0 AS a0, dpproxy_0.o0 AS a1, dpproxy_2_lists.v0 AS a2, dpproxy_2_lists.v1 AS a3 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" LEFT JOIN (SELECT dpproxy_2_values.k0 AS k0, MIN(dpproxy_2_values.k1) FILTER(WHERE dpproxy_2_values.dpproxy_surely_all) AS v0, MAX(dpproxy_2_values.k1) FILTER(WHERE dpproxy_2_values.dpproxy_surely_all) AS v1 FROM (SELECT dpproxy_2.k0 AS k0, dpproxy_2.k1 AS k1, (dpproxy_2.o0) > ("dpproxy_2"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_2.k0)) AS DOUBLE PRECISION) / (0.025))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_2.k0)) AS DOUBLE PRECISION) / (0.025))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($5 AS TEXT[]), CAST($6 AS TEXT[]), CAST($7 AS BIGINT[]), CAST($8 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "stddev of o0")) AS "dpproxy_2") AS dpproxy_2_values GROUP BY dpproxy_2_values.k0) AS dpproxy_2_lists ON dpproxy_0.k0 = dpproxy_2_lists.k0 UNION ALL SELECT CAST(NULL AS TEXT) AS k0, 1 AS a0, dpproxy_1.o0 AS a1, dpproxy_3_lists.v0 AS a2, dpproxy_3_lists.v1 AS a3 FROM (SELECT * FROM UNNEST(CAST($3 AS BIGINT[])) AS r("o0")) AS "dpproxy_1" LEFT JOIN (SELECT MIN(dpproxy_3.k0) AS v0, MAX(dpproxy_3.k0) AS v1 FROM (SELECT * FROM UNNEST(CAST($4 AS TEXT[])) AS r("k0")) AS "dpproxy_3") AS dpproxy_3_lists ON TRUE) AS dpproxy_0_sets WHERE dpproxy_0_sets.a3 > 'B' ORDER BY "min"

-- each once, of private groups and of all
SELECT city, sum(DISTINCT age) FROM people GROUP BY GROUPING SETS ((city), ());
-- =>
SELECT k0, k1, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0, s0."age" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- k1: private
-- note: values of SUM(DISTINCT "people"."age"): those that were chosen; what few persons have is left out
SELECT k0, COUNT(*) AS n FROM (SELECT s0."person_id" AS u, s0."age" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of SUM(DISTINCT "people"."age"): those that were chosen; what few persons have is left out
-- post: SELECT dpproxy_0_sets.k0 AS "city", dpproxy_0_sets.a0 AS "sum" FROM (SELECT dpproxy_0_lists.k0 AS k0, dpproxy_0_lists.v0 AS a0 FROM (SELECT dpproxy_0.k0 AS k0, SUM(DISTINCT dpproxy_0.k1) AS v0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS INT[])) AS r("k0", "k1")) AS "dpproxy_0" GROUP BY dpproxy_0.k0) AS dpproxy_0_lists UNION ALL SELECT CAST(NULL AS TEXT) AS k0, dpproxy_1_lists.v0 AS a0 FROM (SELECT SUM(DISTINCT dpproxy_1.k0) AS v0 FROM (SELECT * FROM UNNEST(CAST($3 AS INT[])) AS r("k0")) AS "dpproxy_1") AS dpproxy_1_lists) AS dpproxy_0_sets

-- two kinds of values in each set
SELECT sex, smoker, max(city), avg(DISTINCT age) FROM people GROUP BY GROUPING SETS ((sex), (smoker));
-- =>
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."city" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."city" IS NULL) AS q WHERE k0 IN ('F', 'M') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: private
-- m0: ROWS 0..1 step 1
-- note: values of MAX("people"."city"): those whose noisy count is above 0 with its interval
-- note: where one value decides, those whose counts differ from 0 with all of the group's together
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."age" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: private
-- m0: ROWS 0..1 step 1
-- note: values of AVG(DISTINCT "people"."age"): those whose noisy count is above 0 with its interval
-- note: where one value decides, those whose counts differ from 0 with all of the group's together
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."smoker" AS k0, s0."city" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."city" IS NULL) AS q WHERE k0 IN (FALSE, TRUE) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values False, True
-- k1: private
-- m0: ROWS 0..1 step 1
-- note: values of MAX("people"."city"): those whose noisy count is above 0 with its interval
-- note: where one value decides, those whose counts differ from 0 with all of the group's together
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."smoker" AS k0, s0."age" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values False, True
-- k1: private
-- m0: ROWS 0..1 step 1
-- note: values of AVG(DISTINCT "people"."age"): those whose noisy count is above 0 with its interval
-- note: where one value decides, those whose counts differ from 0 with all of the group's together
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.k1 AS "smoker", dpproxy_0_sets.a0 AS "max", dpproxy_0_sets.a1 AS "avg" FROM (SELECT dpproxy_0_lists_groups.k0 AS k0, CAST(NULL AS BOOLEAN) AS k1, dpproxy_0_lists.v0 AS a0, dpproxy_1_lists.v0 AS a1 FROM (SELECT dpproxy_0_lists.k0 AS k0 FROM (SELECT dpproxy_0_values.k0 AS k0, MAX(dpproxy_0_values.k1) FILTER(WHERE dpproxy_0_values.dpproxy_surely_all) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, (dpproxy_0.o0) > ("dpproxy_0"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_0.k0)) AS DOUBLE PRECISION) / (0.025))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_0.k0)) AS DOUBLE PRECISION) / (0.025))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($17 AS TEXT[]), CAST($18 AS TEXT[]), CAST($19 AS BIGINT[]), CAST($20 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "stddev of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists UNION SELECT dpproxy_1_lists.k0 AS k0 FROM (SELECT dpproxy_1_values.k0 AS k0, AVG(DISTINCT dpproxy_1_values.k1) FILTER(WHERE dpproxy_1_values.dpproxy_surely_all) AS v0 FROM (SELECT dpproxy_1.k0 AS k0, dpproxy_1.k1 AS k1, (dpproxy_1.o0) > ("dpproxy_1"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_1.k0)) AS DOUBLE PRECISION) / (0.025))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_1.k0)) AS DOUBLE PRECISION) / (0.025))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($21 AS TEXT[]), CAST($22 AS INT[]), CAST($23 AS BIGINT[]), CAST($24 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "stddev of o0")) AS "dpproxy_1") AS dpproxy_1_values GROUP BY dpproxy_1_values.k0) AS dpproxy_1_lists) AS dpproxy_0_lists_groups LEFT JOIN (SELECT dpproxy_0_values.k0 AS k0, MAX(dpproxy_0_values.k1) FILTER(WHERE dpproxy_0_values.dpproxy_surely_all) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, (dpproxy_0.o0) > ("dpproxy_0"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_0.k0)) AS DOUBLE PRECISION) / (0.025))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_0.k0)) AS DOUBLE PRECISION) / (0.025))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "stddev of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists ON dpproxy_0_lists_groups.k0 = dpproxy_0_lists.k0 LEFT JOIN (SELECT dpproxy_1_values.k0 AS k0, AVG(DISTINCT dpproxy_1_values.k1) FILTER(WHERE dpproxy_1_values.dpproxy_surely_all) AS v0 FROM (SELECT dpproxy_1.k0 AS k0, dpproxy_1.k1 AS k1, (dpproxy_1.o0) > ("dpproxy_1"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_1.k0)) AS DOUBLE PRECISION) / (0.025))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_1.k0)) AS DOUBLE PRECISION) / (0.025))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($5 AS TEXT[]), CAST($6 AS INT[]), CAST($7 AS BIGINT[]), CAST($8 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "stddev of o0")) AS "dpproxy_1") AS dpproxy_1_values GROUP BY dpproxy_1_values.k0) AS dpproxy_1_lists ON dpproxy_0_lists_groups.k0 = dpproxy_1_lists.k0 UNION ALL SELECT CAST(NULL AS TEXT) AS k0, dpproxy_2_lists_groups.k0 AS k1, dpproxy_2_lists.v0 AS a0, dpproxy_3_lists.v0 AS a1 FROM (SELECT dpproxy_2_lists.k0 AS k0 FROM (SELECT dpproxy_2_values.k0 AS k0, MAX(dpproxy_2_values.k1) FILTER(WHERE dpproxy_2_values.dpproxy_surely_all) AS v0 FROM (SELECT dpproxy_2.k0 AS k0, dpproxy_2.k1 AS k1, (dpproxy_2.o0) > ("dpproxy_2"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_2.k0)) AS DOUBLE PRECISION) / (0.025))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_2.k0)) AS DOUBLE PRECISION) / (0.025))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($25 AS BOOLEAN[]), CAST($26 AS TEXT[]), CAST($27 AS BIGINT[]), CAST($28 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "stddev of o0")) AS "dpproxy_2") AS dpproxy_2_values GROUP BY dpproxy_2_values.k0) AS dpproxy_2_lists UNION SELECT dpproxy_3_lists.k0 AS k0 FROM (SELECT dpproxy_3_values.k0 AS k0, AVG(DISTINCT dpproxy_3_values.k1) FILTER(WHERE dpproxy_3_values.dpproxy_surely_all) AS v0 FROM (SELECT dpproxy_3.k0 AS k0, dpproxy_3.k1 AS k1, (dpproxy_3.o0) > ("dpproxy_3"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_3.k0)) AS DOUBLE PRECISION) / (0.025))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_3.k0)) AS DOUBLE PRECISION) / (0.025))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($29 AS BOOLEAN[]), CAST($30 AS INT[]), CAST($31 AS BIGINT[]), CAST($32 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "stddev of o0")) AS "dpproxy_3") AS dpproxy_3_values GROUP BY dpproxy_3_values.k0) AS dpproxy_3_lists) AS dpproxy_2_lists_groups LEFT JOIN (SELECT dpproxy_2_values.k0 AS k0, MAX(dpproxy_2_values.k1) FILTER(WHERE dpproxy_2_values.dpproxy_surely_all) AS v0 FROM (SELECT dpproxy_2.k0 AS k0, dpproxy_2.k1 AS k1, (dpproxy_2.o0) > ("dpproxy_2"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_2.k0)) AS DOUBLE PRECISION) / (0.025))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_2.k0)) AS DOUBLE PRECISION) / (0.025))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($9 AS BOOLEAN[]), CAST($10 AS TEXT[]), CAST($11 AS BIGINT[]), CAST($12 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "stddev of o0")) AS "dpproxy_2") AS dpproxy_2_values GROUP BY dpproxy_2_values.k0) AS dpproxy_2_lists ON dpproxy_2_lists_groups.k0 = dpproxy_2_lists.k0 LEFT JOIN (SELECT dpproxy_3_values.k0 AS k0, AVG(DISTINCT dpproxy_3_values.k1) FILTER(WHERE dpproxy_3_values.dpproxy_surely_all) AS v0 FROM (SELECT dpproxy_3.k0 AS k0, dpproxy_3.k1 AS k1, (dpproxy_3.o0) > ("dpproxy_3"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_3.k0)) AS DOUBLE PRECISION) / (0.025))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_3.k0)) AS DOUBLE PRECISION) / (0.025))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($13 AS BOOLEAN[]), CAST($14 AS INT[]), CAST($15 AS BIGINT[]), CAST($16 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "stddev of o0")) AS "dpproxy_3") AS dpproxy_3_values GROUP BY dpproxy_3_values.k0) AS dpproxy_3_lists ON dpproxy_2_lists_groups.k0 = dpproxy_3_lists.k0) AS dpproxy_0_sets

-- in a correlated subquery
SELECT d.building, (SELECT max(v.dept) FROM visits v WHERE v.dept = d.dept) FROM departments d;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 1) AS m0 FROM (SELECT s0."person_id" AS u, s1."c0" AS k0, s0."dept" AS k1, 1 AS m0 FROM "visits" AS s0 CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s1."c0") AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."c0" AS d0, s1."c0" AS d1 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1
-- k1: column 1 of SELECT DISTINCT s1."c0" AS d0, s1."c0" AS d1 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s1
-- m0: UNITS 0..1 step 1
-- note: values of MAX("v"."dept"): those whose noisy count is above 0 with its interval
-- note: where one value decides, those whose counts differ from 0 with all of the group's together
-- post: SELECT "d"."building" AS "building", (dpproxy_0_looked_up_0.a0) AS "max" FROM "public"."departments" AS "d" LEFT JOIN (SELECT dpproxy_0_lists.k0 AS k0, dpproxy_0_lists.v0 AS a0 FROM (SELECT dpproxy_0_values.k0 AS k0, MAX(dpproxy_0_values.k1) FILTER(WHERE dpproxy_0_values.dpproxy_surely_all) AS v0 FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, (dpproxy_0.o0) > ("dpproxy_0"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_0.k0)) AS DOUBLE PRECISION) / (0.025))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_0.k0)) AS DOUBLE PRECISION) / (0.025))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "stddev of o0")) AS "dpproxy_0") AS dpproxy_0_values GROUP BY dpproxy_0_values.k0) AS dpproxy_0_lists) AS dpproxy_0_looked_up_0 ON dpproxy_0_looked_up_0.k0 = "d"."dept"

-- in a correlated subquery beside a count, which is 0 where nothing was chosen
SELECT d.dept, (SELECT count(*) + coalesce(sum(DISTINCT v.beds), 0) FROM departments w JOIN visits v2 USING (dept) JOIN departments v USING (dept) WHERE v2.dept = d.dept) AS n FROM departments d ORDER BY (SELECT min(p.city) FROM visits v JOIN people p USING (person_id) WHERE v.dept = d.dept);
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s1."person_id" AS u, s3."c0" AS k0 FROM "departments" AS s0 JOIN "visits" AS s1 ON s0."dept" = s1."dept" JOIN "departments" AS s2 ON s0."dept" = s2."dept" CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s3 WHERE s1."person_id" IS NOT NULL AND s1."dept" = s3."c0") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s3."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s3
-- m0: ROWS 0..20 step 1
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, NULLIF(NULLIF(CAST(k1 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)))), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 1) AS m0 FROM (SELECT s1."person_id" AS u, s3."c0" AS k0, s2."beds" AS k1, 1 AS m0 FROM "departments" AS s0 JOIN "visits" AS s1 ON s0."dept" = s1."dept" JOIN "departments" AS s2 ON s0."dept" = s2."dept" CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s3 WHERE s1."person_id" IS NOT NULL AND s1."dept" = s3."c0") AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s3."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s3
-- k1: column 0 of SELECT DISTINCT s2."beds" AS d0 FROM "departments" AS s0 CROSS JOIN "departments" AS s2 WHERE s0."dept" = s2."dept"
-- m0: UNITS 0..1 step 1
-- note: values of SUM(DISTINCT "v"."beds"): those whose noisy count is above 0 with its interval
-- note: where one value decides, those whose counts differ from 0 with all of the group's together
SELECT k0, k1, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, k1, m0 FROM (SELECT k0, k1, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0, k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 1) AS m0 FROM (SELECT s0."person_id" AS u, s2."c0" AS k0, s1."city" AS k1, 1 AS m0 FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" CROSS JOIN (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s2 WHERE s0."person_id" IS NOT NULL AND s0."dept" = s2."c0" AND NOT s1."city" IS NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s2."c0" AS d0 FROM (SELECT s0."g0" AS c0 FROM (SELECT g0 FROM (SELECT s0."dept" AS g0 FROM "departments" AS s0) AS r GROUP BY g0) AS s0) AS s2
-- k1: private
-- m0: UNITS 0..1 step 1
-- note: values of MIN("p"."city"): those whose noisy count is above 0 with its interval
-- note: where one value decides, those whose counts differ from 0 with all of the group's together
-- post: SELECT "d"."dept" AS "dept", (COALESCE(dpproxy_0_looked_up_0.a0, 0) + COALESCE(dpproxy_0_looked_up_0.a1, 0)) AS "n" FROM "public"."departments" AS "d" LEFT JOIN (SELECT dpproxy_0.k0 AS k0, dpproxy_0.o0 AS a0, dpproxy_1_lists.v0 AS a1 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" LEFT JOIN (SELECT dpproxy_1_values.k0 AS k0, SUM(DISTINCT dpproxy_1_values.k1) FILTER(WHERE dpproxy_1_values.dpproxy_surely_all) AS v0 FROM (SELECT dpproxy_1.k0 AS k0, dpproxy_1.k1 AS k1, (dpproxy_1.o0) > ("dpproxy_1"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_1.k0)) AS DOUBLE PRECISION) / (0.025))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_1.k0)) AS DOUBLE PRECISION) / (0.025))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS INT[]), CAST($5 AS BIGINT[]), CAST($6 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "stddev of o0")) AS "dpproxy_1") AS dpproxy_1_values GROUP BY dpproxy_1_values.k0) AS dpproxy_1_lists ON dpproxy_0.k0 = dpproxy_1_lists.k0) AS dpproxy_0_looked_up_0 ON dpproxy_0_looked_up_0.k0 = "d"."dept" ORDER BY (SELECT MAX(dpproxy_2_looked_up.a0) AS "min" FROM (SELECT dpproxy_2_lists.k0 AS k0, dpproxy_2_lists.v0 AS a0 FROM (SELECT dpproxy_2_values.k0 AS k0, MIN(dpproxy_2_values.k1) FILTER(WHERE dpproxy_2_values.dpproxy_surely_all) AS v0 FROM (SELECT dpproxy_2.k0 AS k0, dpproxy_2.k1 AS k1, (dpproxy_2.o0) > ("dpproxy_2"."stddev of o0") * GREATEST((LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_2.k0)) AS DOUBLE PRECISION) / (0.025))) / SQRT(2), SQRT(2 * (LN(CAST((COUNT(*) OVER (PARTITION BY dpproxy_2.k0)) AS DOUBLE PRECISION) / (0.025))))) AS dpproxy_surely_all FROM (SELECT * FROM UNNEST(CAST($7 AS TEXT[]), CAST($8 AS TEXT[]), CAST($9 AS BIGINT[]), CAST($10 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "stddev of o0")) AS "dpproxy_2") AS dpproxy_2_values GROUP BY dpproxy_2_values.k0) AS dpproxy_2_lists) AS dpproxy_2_looked_up WHERE dpproxy_2_looked_up.k0 = "d"."dept")

-- correlated with rows of others, by a private column, which the engine reads
SELECT count(*) FROM people p WHERE city > (SELECT min(q.city) FROM people q WHERE q.age = p.age);
-- =>
SELECT k0, k1, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."age" AS k0, s0."city" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT s0."city" IS NULL) AS q WHERE STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- k1: private
-- note: values of MIN("q"."city"): those that were chosen; what few persons have is left out
-- note: looked up by "q"."age": by a value that was not chosen, a count is 0 and all else is NULL
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 LEFT JOIN (SELECT s0."g0" AS c0, s0."v0" AS c1 FROM (SELECT g0, MAX(a0) AS v0 FROM (SELECT s0."c0" AS g0, s0."c1" AS a0 FROM (SELECT s0."c0" AS c0, s0."c1" AS c1 FROM (SELECT s0."g0" AS c0, s0."v0" AS c1 FROM (SELECT g0, MIN(a0) AS v0 FROM (SELECT s0."k0" AS g0, s0."k1" AS a0 FROM (SELECT UNNEST(CAST($r0c0 AS INT[])) AS k0, UNNEST(CAST($r0c1 AS TEXT[])) AS k1) AS s0) AS r GROUP BY g0) AS s0) AS s0) AS s0) AS r GROUP BY g0) AS s0) AS s1 ON s1."c0" = s0."age" WHERE s0."person_id" IS NOT NULL AND s0."city" > s1."c1") AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0, r0c1
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"
