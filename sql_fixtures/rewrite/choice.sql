-- the key alone is told, of declared values
SELECT sex FROM people WHERE age > 30 GROUP BY sex ORDER BY count(*) DESC LIMIT 1;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 30) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- told: the key of the largest m0
-- post: SELECT dpproxy_0.k0 AS "sex" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0" LIMIT 1

-- a unit may be in every declared key: there is no limit step
SELECT sex, CASE WHEN cost > 100 THEN 'dear' ELSE 'cheap' END AS price FROM visits JOIN people USING (person_id) GROUP BY 1, 2 ORDER BY count(*) DESC LIMIT 1;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s1."sex" AS k0, CASE WHEN s0."cost" > CAST('100.0' AS DOUBLE) THEN 'dear' ELSE 'cheap' END AS k1 FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') AND k1 IN ('dear', 'cheap') END) AS c GROUP BY k0, k1;
-- unit person: 20 rows, 2 keys (FEW_PUBLIC_KEYS)
-- k0: values 'F', 'M'
-- k1: values 'dear', 'cheap'
-- m0: ROWS 0..20 step 1
-- told: the key of the largest m0
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.k1 AS "price" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[])) AS r("k0", "k1")) AS "dpproxy_0" LIMIT 1

-- keys of a public table, and a sum
SELECT upper(dept) FROM visits JOIN departments USING (dept) GROUP BY dept ORDER BY sum(cost) DESC LIMIT 1;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 800000) AS m0 FROM (SELECT s0."person_id" AS u, COALESCE(s0."dept", s1."dept") AS k0, CAST(CASE WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < 0 THEN 0 WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) <= 40000 THEN (s0."cost" * CAST('100.0' AS DOUBLE)) WHEN (s0."cost" * CAST('100.0' AS DOUBLE)) < CAST('NaN' AS DOUBLE) THEN 40000 END AS BIGINT) AS m0 FROM "visits" AS s0 JOIN "departments" AS s1 ON s0."dept" = s1."dept" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s1."dept" AS d0 FROM "departments" AS s1
-- m0: SUM 0..800000 step 0.01
-- told: the key of the largest m0
-- post: SELECT UPPER(dpproxy_0.k0) AS "upper" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0" LIMIT 1

-- further keys in ORDER BY decide nothing
SELECT sex FROM people WHERE age > 30 GROUP BY sex, smoker ORDER BY count(income) DESC NULLS LAST, sex, smoker LIMIT 1;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."smoker" AS k1, CASE WHEN s0."income" IS NOT NULL AND s0."income" <> CAST('NaN' AS DOUBLE) THEN 1 END AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 30) AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: VALUES 0..1 step 1
-- told: the key of the largest m0
-- post: SELECT dpproxy_0.k0 AS "sex" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BOOLEAN[])) AS r("k0", "k1")) AS "dpproxy_0" LIMIT 1

-- a number beside it makes it an ordinary release
SELECT sex, count(*) FROM people WHERE age > 30 GROUP BY sex ORDER BY count(*) DESC LIMIT 1;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 30) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY "count" DESC LIMIT 1

-- so do private keys
SELECT city FROM people GROUP BY city ORDER BY count(*) DESC LIMIT 1;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "city" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY dpproxy_0.o0 DESC LIMIT 1

-- and an outer query
SELECT s.sex FROM (SELECT sex FROM people WHERE age > 30 GROUP BY sex ORDER BY count(*) DESC LIMIT 1) AS s;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 30) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT "s"."sex" AS "sex" FROM (SELECT dpproxy_0.k0 AS "sex" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY dpproxy_0.o0 DESC LIMIT 1) AS "s"

-- several keys, in the order in which they were chosen
SELECT priority, flag FROM orders JOIN lineitem USING (orderkey) GROUP BY 1, 2 ORDER BY count(*) DESC LIMIT 2;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s0."custkey" AS u, s0."priority" AS k0, s1."flag" AS k1 FROM "orders" AS s0 JOIN "lineitem" AS s1 ON s0."orderkey" = s1."orderkey" WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') AND k1 IN ('A', 'N', 'R') END) AS c GROUP BY k0, k1;
-- unit customer: 100 rows, 6 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- k1: values 'A', 'N', 'R'
-- m0: ROWS 0..100 step 1
-- told: the 2 keys of the largest m0
-- post: SELECT dpproxy_0.k0 AS "priority", dpproxy_0.k1 AS "flag" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[])) WITH ORDINALITY AS r("k0", "k1", "place")) AS "dpproxy_0" ORDER BY dpproxy_0.place LIMIT 2

-- a number beside several keys is told of the chosen ones alone, where that errs less
SELECT priority, flag, count(*) AS n FROM orders JOIN lineitem USING (orderkey) GROUP BY 1, 2 ORDER BY n DESC LIMIT 2;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s0."custkey" AS u, s0."priority" AS k0, s1."flag" AS k1 FROM "orders" AS s0 JOIN "lineitem" AS s1 ON s0."orderkey" = s1."orderkey" WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') AND k1 IN ('A', 'N', 'R') END) AS c GROUP BY k0, k1;
-- unit customer: 100 rows, 6 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- k1: values 'A', 'N', 'R'
-- m0: ROWS 0..100 step 1
-- told: the 2 keys of the largest m0
-- told of what was chosen: m0
-- post: SELECT dpproxy_0.k0 AS "priority", dpproxy_0.k1 AS "flag", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) WITH ORDINALITY AS r("k0", "k1", "o0", "place")) AS "dpproxy_0" ORDER BY "n" DESC LIMIT 2

-- so is another number than the one that they are chosen by
SELECT flag, sum(quantity) FROM orders JOIN lineitem USING (orderkey) GROUP BY priority, flag ORDER BY count(*) DESC LIMIT 1;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 500000) AS m0, LEAST(GREATEST(COUNT(*), 0), 100) AS m1 FROM (SELECT s0."custkey" AS u, s0."priority" AS k0, s1."flag" AS k1, CAST(CASE WHEN (CAST(s1."quantity" AS DOUBLE) * CAST('100.0' AS DOUBLE)) > 5000 THEN 5000 WHEN (CAST(s1."quantity" AS DOUBLE) * CAST('100.0' AS DOUBLE)) < 0 THEN 0 ELSE (CAST(s1."quantity" AS DOUBLE) * CAST('100.0' AS DOUBLE)) END AS BIGINT) AS m0 FROM "orders" AS s0 JOIN "lineitem" AS s1 ON s0."orderkey" = s1."orderkey" WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') AND k1 IN ('A', 'N', 'R') END) AS c GROUP BY k0, k1;
-- unit customer: 100 rows, 6 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- k1: values 'A', 'N', 'R'
-- m0: SUM 0..500000 step 0.01
-- m1: ROWS 0..100 step 1
-- told: the key of the largest m1
-- told of what was chosen: m0
-- post: SELECT dpproxy_0.k1 AS "flag", dpproxy_0.o0 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS DECIMAL[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" LIMIT 1

-- as many keys as there are: nothing is chosen
SELECT priority, flag FROM orders JOIN lineitem USING (orderkey) GROUP BY 1, 2 ORDER BY count(*) DESC LIMIT 6;
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 100) AS m0 FROM (SELECT s0."custkey" AS u, s0."priority" AS k0, s1."flag" AS k1 FROM "orders" AS s0 JOIN "lineitem" AS s1 ON s0."orderkey" = s1."orderkey" WHERE s0."custkey" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') AND k1 IN ('A', 'N', 'R') END) AS c GROUP BY k0, k1;
-- unit customer: 100 rows, 6 keys (FEW_PUBLIC_KEYS)
-- k0: values '1-URGENT', '5-LOW'
-- k1: values 'A', 'N', 'R'
-- m0: ROWS 0..100 step 1
-- post: SELECT dpproxy_0.k0 AS "priority", dpproxy_0.k1 AS "flag" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" ORDER BY dpproxy_0.o0 DESC LIMIT 6
