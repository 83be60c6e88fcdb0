-- the ends of a count's interval
SELECT sex, count(*), dp.low(count(*)), dp.high(count(*)) FROM people GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count", "dpproxy_0"."low of o0" AS "low", "dpproxy_0"."high of o0" AS "high" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS DOUBLE PRECISION[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "o0", "low of o0", "high of o0")) AS "dpproxy_0"

-- at another confidence
-- set dp.confidence = 90 %
SELECT dp.half_width(avg(age)), dp.stddev(avg(age)), dp.clipped(avg(age)) FROM people;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT "dpproxy_0"."half_width of o0" AS "half_width", "dpproxy_0"."stddev of o0" AS "stddev", "dpproxy_0"."clipped of o0" AS "clipped" FROM (SELECT * FROM UNNEST(CAST($1 AS DECIMAL[]), CAST($2 AS DOUBLE PRECISION[]), CAST($3 AS DOUBLE PRECISION[]), CAST($4 AS DOUBLE PRECISION[])) AS r("o0", "half_width of o0", "stddev of o0", "clipped of o0")) AS "dpproxy_0"

-- of a share of a total, by replicates
SELECT sex, 100.0 * count(*) / sum(count(*)) OVER () AS share, dp.low(100.0 * count(*) / sum(count(*)) OVER ()) FROM people GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", 100.0 * dpproxy_0.o0 / NULLIF(SUM(dpproxy_0.o0) OVER (), '0') AS "share", CASE WHEN NOT (100.0 * dpproxy_0.o0 / NULLIF(SUM(dpproxy_0.o0) OVER (), '0')) IS NULL THEN DP_BARS.EACH_LOW(DP_BARS.EACH_DIVIDE(DP_BARS.EACH_MULTIPLY(PG_CATALOG.ARRAY_FILL(CAST((100.0) AS DOUBLE PRECISION), ARRAY[399]), CAST("dpproxy_0"."replicates of o0" AS DOUBLE PRECISION[])), DP_BARS.EACH_SUM(CAST("dpproxy_0"."replicates of o0" AS DOUBLE PRECISION[])) OVER ()), 10) END AS "low" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS TEXT[])) AS r("k0", "o0", "replicates of o0")) AS "dpproxy_0"

-- of a ratio, at more confidence than the usual replicates tell
-- set dp.confidence = 0.999
SELECT dp.high(round(sum(income) / nullif(count(*), 0))) FROM people;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."income" < 0 THEN 0 WHEN s0."income" <= 500000 THEN s0."income" WHEN s0."income" < CAST('NaN' AS DOUBLE) THEN 500000 END AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..500000 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT CASE WHEN NOT (ROUND(dpproxy_0.o0 / NULLIF(dpproxy_0.o1, 0))) IS NULL THEN DP_BARS.EACH_HIGH(DP_BARS.EACH_ROUND(DP_BARS.EACH_DIVIDE(CAST("dpproxy_0"."replicates of o0" AS DOUBLE PRECISION[]), DP_BARS.EACH_UNLESS(CAST("dpproxy_0"."replicates of o1" AS DOUBLE PRECISION[]), PG_CATALOG.ARRAY_FILL(CAST((0) AS DOUBLE PRECISION), ARRAY[3999]))), PG_CATALOG.ARRAY_FILL(CAST((0) AS DOUBLE PRECISION), ARRAY[3999])), 2) END AS "high" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[]), CAST($2 AS BIGINT[]), CAST($3 AS TEXT[]), CAST($4 AS TEXT[])) AS r("o0", "o1", "replicates of o0", "replicates of o1")) AS "dpproxy_0"

-- as a condition, and in an order
SELECT sex, count(*) FROM people GROUP BY sex HAVING dp.low(count(*)) > 2 ORDER BY dp.half_width(count(*) / 10);
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS TEXT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "o0", "replicates of o0", "low of o0")) AS "dpproxy_0" WHERE "dpproxy_0"."low of o0" > 2 ORDER BY CASE WHEN NOT (dpproxy_0.o0 / 10) IS NULL THEN DP_BARS.EACH_HALF_WIDTH(DP_BARS.EACH_QUOTIENT(CAST("dpproxy_0"."replicates of o0" AS DOUBLE PRECISION[]), PG_CATALOG.ARRAY_FILL(CAST((10) AS DOUBLE PRECISION), ARRAY[399])), 10) END

-- of grouping sets
SELECT sex, smoker, count(*), dp.low(count(*)) FROM people GROUP BY ROLLUP (sex, smoker);
-- =>
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."smoker" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: ROWS 0..1 step 1
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.k1 AS "smoker", dpproxy_0_sets.a0 AS "count", "dpproxy_0_sets".dpproxy_bar_0 AS "low" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, dpproxy_0.o0 AS a0, "dpproxy_0"."low of o0" AS dpproxy_bar_0 FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BOOLEAN[]), CAST($5 AS BIGINT[]), CAST($6 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0" UNION ALL SELECT dpproxy_1.k0 AS k0, CAST(NULL AS BOOLEAN) AS k1, dpproxy_1.o0 AS a0, "dpproxy_1"."low of o0" AS dpproxy_bar_0 FROM (SELECT * FROM UNNEST(CAST($7 AS TEXT[]), CAST($8 AS BIGINT[]), CAST($9 AS DOUBLE PRECISION[])) AS r("k0", "o0", "low of o0")) AS "dpproxy_1" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, CAST(NULL AS BOOLEAN) AS k1, dpproxy_2.o0 AS a0, "dpproxy_2"."low of o0" AS dpproxy_bar_0 FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("o0", "low of o0")) AS "dpproxy_2") AS dpproxy_0_sets

-- of totals of a derived table
SELECT max(n) - min(n) AS apart, dp.low(max(n) - min(n)), dp.high(avg(n)) FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex) AS t;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT MAX("t"."n") - MIN("t"."n") AS "apart", CASE WHEN NOT (MAX("t"."n") - MIN("t"."n")) IS NULL THEN DP_BARS.EACH_LOW(DP_BARS.EACH_SUBTRACT(DP_BARS.EACH_MAX("t".dpproxy_bar_0), DP_BARS.EACH_MIN("t".dpproxy_bar_0)), 10) END AS "low", CASE WHEN NOT (AVG("t"."n")) IS NULL THEN DP_BARS.EACH_HIGH(DP_BARS.EACH_DIVIDE(DP_BARS.EACH_SUM("t".dpproxy_bar_0), DP_BARS.EACH_SUM(DP_BARS.EACH_NO(DP_BARS.EACH_MISSING("t".dpproxy_bar_0)))), 10) END AS "high" FROM (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n", CAST("dpproxy_0"."replicates of o0" AS DOUBLE PRECISION[]) AS dpproxy_bar_0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS TEXT[])) AS r("k0", "o0", "replicates of o0")) AS "dpproxy_0") AS "t"

-- of two releases
WITH t AS (SELECT sex, count(*) AS n FROM people GROUP BY sex) SELECT sex, dp.low(n), dp.low(1.0 * n / (SELECT count(*) FROM visits)) FROM t;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: WITH "t" AS (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n", "dpproxy_0"."low of o0" AS dpproxy_bar_0, CAST("dpproxy_0"."replicates of o0" AS DOUBLE PRECISION[]) AS dpproxy_bar_1 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS DOUBLE PRECISION[]), CAST($4 AS TEXT[])) AS r("k0", "o0", "low of o0", "replicates of o0")) AS "dpproxy_0") SELECT "t"."sex" AS "sex", "t".dpproxy_bar_0 AS "_column_1", CASE WHEN NOT (1.0 * "t"."n" / NULLIF((SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($7 AS BIGINT[]), CAST($8 AS TEXT[])) AS r("o0", "replicates of o0")) AS "dpproxy_1"), '0')) IS NULL THEN DP_BARS.EACH_LOW(DP_BARS.EACH_DIVIDE(DP_BARS.EACH_MULTIPLY(PG_CATALOG.ARRAY_FILL(CAST((1.0) AS DOUBLE PRECISION), ARRAY[399]), "t".dpproxy_bar_1), (SELECT CAST("dpproxy_1"."replicates of o0" AS DOUBLE PRECISION[]) FROM (SELECT * FROM UNNEST(CAST($5 AS BIGINT[]), CAST($6 AS TEXT[])) AS r("o0", "replicates of o0")) AS "dpproxy_1")), 10) END AS "_column_2" FROM "t" AS "t"

-- of a choice of values
SELECT sex, dp.low(CASE WHEN count(*) > 3 THEN coalesce(avg(age), 0) ELSE -1 END) FROM people GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- m1: CENTRED -60..60 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", CASE WHEN NOT (CASE WHEN dpproxy_0.o0 > 3 THEN COALESCE(dpproxy_0.o1, 0) ELSE -1 END) IS NULL THEN DP_BARS.EACH_LOW(DP_BARS.EACH_CHOOSE(DP_BARS.EACH_BELOW(PG_CATALOG.ARRAY_FILL(CAST((3) AS DOUBLE PRECISION), ARRAY[399]), CAST("dpproxy_0"."replicates of o0" AS DOUBLE PRECISION[])), DP_BARS.EACH_FIRST(CAST("dpproxy_0"."replicates of o1" AS DOUBLE PRECISION[]), PG_CATALOG.ARRAY_FILL(CAST((0) AS DOUBLE PRECISION), ARRAY[399])), PG_CATALOG.ARRAY_FILL(CAST((-1) AS DOUBLE PRECISION), ARRAY[399])), 10) END AS "low" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS DECIMAL[]), CAST($4 AS TEXT[]), CAST($5 AS TEXT[])) AS r("k0", "o0", "o1", "replicates of o0", "replicates of o1")) AS "dpproxy_0"

-- of a whole number divided by a whole number, and of what is public
SELECT sex, dp.low(count(*) / 2), dp.low(length(sex)), dp.half_width(7) FROM people GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", CASE WHEN NOT (dpproxy_0.o0 / 2) IS NULL THEN DP_BARS.EACH_LOW(DP_BARS.EACH_QUOTIENT(CAST("dpproxy_0"."replicates of o0" AS DOUBLE PRECISION[]), PG_CATALOG.ARRAY_FILL(CAST((2) AS DOUBLE PRECISION), ARRAY[399])), 10) END AS "_column_1", CAST((LENGTH(dpproxy_0.k0)) AS DOUBLE PRECISION) AS "_column_2", CAST((0) AS DOUBLE PRECISION) AS "half_width" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS TEXT[])) AS r("k0", "o0", "replicates of o0")) AS "dpproxy_0"

-- what is clipped of several numbers
SELECT dp.clipped(sum(age) / count(*)) FROM people;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: SUM 0..120 step 1
-- m1: ROWS 0..1 step 1
-- post: SELECT GREATEST("dpproxy_0"."clipped of o0", "dpproxy_0"."clipped of o1") AS "clipped" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[]), CAST($3 AS DOUBLE PRECISION[]), CAST($4 AS DOUBLE PRECISION[])) AS r("o0", "o1", "clipped of o0", "clipped of o1")) AS "dpproxy_0"

-- in the FILTER of an aggregate over groups of released rows
SELECT sex, max(n) FILTER (WHERE dp.low(n) > 5) FROM (SELECT city, sex, count(*) AS n FROM people GROUP BY city, sex) AS t GROUP BY sex;
-- =>
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0, s0."sex" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE (STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AND k1 IN ('F', 'M')) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- k1: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT "t"."sex" AS "sex", MAX("t"."n") FILTER(WHERE "t".dpproxy_bar_0 > 5) AS "max" FROM (SELECT dpproxy_0.k0 AS "city", dpproxy_0.k1 AS "sex", dpproxy_0.o0 AS "n", "dpproxy_0"."low of o0" AS dpproxy_bar_0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0") AS "t" GROUP BY "t"."sex"
