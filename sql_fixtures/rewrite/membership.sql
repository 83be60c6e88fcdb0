-- public rows that some private one meets
SELECT d.dept FROM departments d WHERE EXISTS (SELECT 1 FROM visits v WHERE v.dept = d.dept AND v.cost > 100);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('100.0' AS DOUBLE)) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- note: values of "v"."dept": those that were chosen; what few persons have is left out
-- note: values of "v"."dept" that few persons have count as absent
-- post: SELECT "d"."dept" AS "dept" FROM "public"."departments" AS "d" WHERE EXISTS(SELECT 1 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0" WHERE dpproxy_0.k0 = "d"."dept")

-- public rows that hardly anybody has
SELECT d.dept FROM departments d WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.dept = d.dept);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- note: values of "v"."dept": those that were chosen; what few persons have is left out
-- note: values of "v"."dept" that few persons have count as absent
-- post: SELECT "d"."dept" AS "dept" FROM "public"."departments" AS "d" WHERE NOT EXISTS(SELECT 1 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0" WHERE dpproxy_0.k0 = "d"."dept")

-- NOT IN of a private column
SELECT sum(d.beds) FROM departments d WHERE d.dept NOT IN (SELECT dept FROM visits);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- note: values of "visits"."dept": those that were chosen; what few persons have is left out
-- note: values of "visits"."dept" that few persons have count as absent
-- post: SELECT SUM("d"."beds") AS "sum" FROM "public"."departments" AS "d" WHERE NOT "d"."dept" IN (SELECT dpproxy_0.k0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[])) AS r("k0")) AS "dpproxy_0")

-- IN over a join, with a condition on the public row alone
SELECT n.nation FROM nation n WHERE n.nationkey IN (SELECT c.nationkey FROM customer c JOIN orders o USING (custkey) WHERE o.priority = '1-URGENT' AND n.nation <> 'CHINA');
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT u, k0 FROM (SELECT s0."custkey" AS u, s0."nationkey" AS k0 FROM "customer" AS s0 JOIN "orders" AS s1 ON s0."custkey" = s1."custkey" WHERE s0."custkey" IS NOT NULL AND s1."priority" = '1-URGENT') AS r GROUP BY u, k0) AS c GROUP BY k0;
-- unit customer: 40 rows, 1 keys (KEY_OF_UNIT)
-- k0: private
-- note: values of "c"."nationkey": those that were chosen; what few customers have is left out
-- note: values of "c"."nationkey" that few customers have count as absent
-- post: SELECT "n"."nation" AS "nation" FROM "public"."nation" AS "n" WHERE "n"."nationkey" IN (SELECT dpproxy_0.k0 FROM (SELECT * FROM UNNEST(CAST($1 AS INT[])) AS r("k0")) AS "dpproxy_0" WHERE "n"."nation" <> 'CHINA')

-- declared values are known by noisy counts
SELECT s.x FROM (VALUES ('F'), ('M'), ('X')) AS s (x) WHERE s.x NOT IN (SELECT p.sex FROM people p WHERE p.age > 70);
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 70) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- note: values of "p"."sex": those whose noisy count is above 0 with its interval
-- note: values of "p"."sex" that few persons have count as absent
-- post: SELECT "s"."x" AS "x" FROM (VALUES ('F'), ('M'), ('X')) AS "s"("x") WHERE NOT "s"."x" IN (SELECT dpproxy_0.k0 FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS DOUBLE PRECISION[])) AS r("k0", "o0", "low of o0")) AS "dpproxy_0" WHERE "dpproxy_0"."low of o0" > 0)

-- a pair of columns
SELECT n.nation FROM nation n WHERE (n.nationkey, 'BUILDING') IN (SELECT nationkey, segment FROM customer);
-- =>
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."custkey" AS u, s0."nationkey" AS k0, s0."segment" AS k1 FROM "customer" AS s0 WHERE s0."custkey" IS NOT NULL) AS q WHERE k1 IN ('AUTOMOBILE', 'BUILDING', 'MACHINERY')) AS r GROUP BY k0, k1;
-- unit customer: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- k1: values 'AUTOMOBILE', 'BUILDING', 'MACHINERY'
-- m0: ROWS 0..1 step 1
-- note: values of "customer"."nationkey", "customer"."segment": those whose noisy count is above 0 with its interval
-- note: values of "customer"."nationkey", "customer"."segment" that few customers have count as absent
-- post: SELECT "n"."nation" AS "nation" FROM "public"."nation" AS "n" WHERE ("n"."nationkey", 'BUILDING') IN (SELECT dpproxy_0.k0, dpproxy_0.k1 FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "k1", "o0", "low of o0")) AS "dpproxy_0" WHERE "dpproxy_0"."low of o0" > 0)

-- selected and correlated
SELECT d.dept FROM departments d WHERE d.beds IN (SELECT p.age FROM people p JOIN visits v USING (person_id) WHERE v.dept = d.dept);
-- =>
SELECT k0, k1, COUNT(*) AS n FROM (SELECT k0, k1 FROM (SELECT k0, k1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, NULLIF(NULLIF(CAST(k0 AS DOUBLE), 0), CAST('NaN' AS DOUBLE)), k1)), k0, k1) AS r FROM (SELECT * FROM (SELECT u, k0, k1 FROM (SELECT s0."person_id" AS u, s0."age" AS k0, s1."dept" AS k1 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) AS c) AS w WHERE r <= 8) AS l GROUP BY k0, k1;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: private
-- k1: private
-- note: values of "p"."age", "v"."dept": those that were chosen; what few persons have is left out
-- note: values of "p"."age", "v"."dept" that few persons have count as absent
-- post: SELECT "d"."dept" AS "dept" FROM "public"."departments" AS "d" WHERE "d"."beds" IN (SELECT dpproxy_0.k0 FROM (SELECT * FROM UNNEST(CAST($1 AS INT[]), CAST($2 AS TEXT[])) AS r("k0", "k1")) AS "dpproxy_0" WHERE dpproxy_0.k1 = "d"."dept")

-- ANY and ALL
SELECT n.nation, n.nationkey = ANY (SELECT nationkey FROM customer) AS is_there, n.nationkey <> ALL (SELECT nationkey FROM customer) AS is_absent FROM nation n;
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT s0."custkey" AS u, s0."nationkey" AS k0 FROM "customer" AS s0 WHERE s0."custkey" IS NOT NULL) AS r GROUP BY k0;
-- unit customer: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of "customer"."nationkey": those that were chosen; what few customers have is left out
-- note: values of "customer"."nationkey" that few customers have count as absent
-- post: SELECT "n"."nation" AS "nation", "n"."nationkey" = ANY (SELECT dpproxy_0.k0 FROM (SELECT * FROM UNNEST(CAST($2 AS INT[])) AS r("k0")) AS "dpproxy_0") AS "is_there", "n"."nationkey" <> ALL (SELECT dpproxy_0.k0 FROM (SELECT * FROM UNNEST(CAST($1 AS INT[])) AS r("k0")) AS "dpproxy_0") AS "is_absent" FROM "public"."nation" AS "n"

-- whether there is anybody
SELECT EXISTS (SELECT 1 FROM people WHERE age > 100 LIMIT 1);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 100) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- note: rows: there are some, if their noisy count is above 0 with its interval
-- note: rows that few persons have count as absent
-- post: SELECT EXISTS(SELECT 1 FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS DOUBLE PRECISION[])) AS r("o0", "low of o0")) AS "dpproxy_0" WHERE "dpproxy_0"."low of o0" > 0) AS "exists"

-- whether there is anybody with a visit
SELECT sex, count(*) FROM people GROUP BY sex HAVING EXISTS (SELECT FROM visits WHERE cost > 300);
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 1) AS m0 FROM (SELECT s0."person_id" AS u, 1 AS m0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('300.0' AS DOUBLE)) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: UNITS 0..1 step 1
-- note: rows: there are some, if their noisy count is above 0 with its interval
-- note: rows that few persons have count as absent
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" WHERE EXISTS(SELECT 1 FROM (SELECT * FROM UNNEST(CAST($3 AS BIGINT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("o0", "low of o0")) AS "dpproxy_1" WHERE "dpproxy_1"."low of o0" > 0)

-- released rows for which there is somebody
SELECT a.city, a.n FROM (SELECT city, count(*) AS n FROM people GROUP BY city) a WHERE EXISTS (SELECT 1 FROM people p WHERE p.city = a.city AND p.smoker);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."smoker") AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of "p"."city": those that were chosen; what few persons have is left out
-- note: values of "p"."city" that few persons have count as absent
-- post: SELECT "a"."city" AS "city", "a"."n" AS "n" FROM (SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "a" WHERE EXISTS(SELECT 1 FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[])) AS r("k0")) AS "dpproxy_1" WHERE dpproxy_1.k0 = "a"."city")

-- private rows ask for values of others
SELECT count(*) FROM people WHERE city NOT IN (SELECT city FROM people WHERE smoker AND city IS NOT NULL);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."smoker" AND NOT s0."city" IS NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of "people"."city": those that were chosen; what few persons have is left out
-- note: values of "people"."city" that few persons have count as absent
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT CASE WHEN EXISTS(SELECT 1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0) AS q1_s0 WHERE s0."city" = q1_s0."k0") THEN TRUE WHEN EXISTS(SELECT 1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0) AS q1_s0 WHERE (s0."city" = q1_s0."k0") IS NULL) THEN NULL ELSE FALSE END) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- private rows ask by an order
SELECT count(*) FROM people p WHERE p.age > ALL (SELECT q.age FROM people q WHERE q.smoker);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT s0."person_id" AS u, s0."age" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."smoker") AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of "q"."age": those that were chosen; what few persons have is left out
-- note: values of "q"."age" that few persons have count as absent; AND q.person_id = p.person_id asks for rows of the same person
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND (NOT CASE WHEN EXISTS(SELECT 1 FROM (SELECT UNNEST(CAST($r0c0 AS INT[])) AS k0) AS q1_s0 WHERE s0."age" <= q1_s0."k0") THEN TRUE WHEN EXISTS(SELECT 1 FROM (SELECT UNNEST(CAST($r0c0 AS INT[])) AS k0) AS q1_s0 WHERE (s0."age" <= q1_s0."k0") IS NULL) THEN NULL ELSE FALSE END)) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- public rows ask, of which private ones ask
SELECT count(*) FROM visits v WHERE v.dept IN (SELECT d.dept FROM departments d WHERE d.dept NOT IN (SELECT dept FROM visits WHERE cost > 390));
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."cost" > CAST('390.0' AS DOUBLE)) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 20 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- note: values of "visits"."dept": those that were chosen; what few persons have is left out
-- note: values of "visits"."dept" that few persons have count as absent
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "departments" AS q1_s0 WHERE NOT CASE WHEN EXISTS(SELECT 1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0) AS q2_s0 WHERE q1_s0."dept" = q2_s0."k0") THEN TRUE WHEN EXISTS(SELECT 1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0) AS q2_s0 WHERE (q1_s0."dept" = q2_s0."k0") IS NULL) THEN NULL ELSE FALSE END AND s0."dept" = q1_s0."dept")) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- inputs: r0c0
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- private rows ask by a column of others
SELECT count(*) FROM people p WHERE NOT EXISTS (SELECT 1 FROM people q WHERE q.city = p.city AND q.age > 75);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 75) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- note: values of "q"."city": those that were chosen; what few persons have is left out
-- note: values of "q"."city" that few persons have count as absent; AND q.person_id = p.person_id asks for rows of the same person
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND NOT EXISTS(SELECT 1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0) AS q1_s0 WHERE q1_s0."k0" = s0."city")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- private rows ask by a column of groups of others
SELECT count(*) FROM people p WHERE EXISTS (SELECT v.person_id FROM visits v WHERE v.dept = p.city GROUP BY v.person_id HAVING count(*) > 3);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT k0 FROM (SELECT k0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0 FROM (SELECT s0."u" AS u, s0."c1" AS k0 FROM (SELECT q1_s0."u" AS u, q1_s0."u" AS c0, q1_s0."g1" AS c1 FROM (SELECT u, g1, COUNT(*) AS v0 FROM (SELECT q1_s0."person_id" AS u, q1_s0."dept" AS g1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" IS NOT NULL) AS r GROUP BY u, g1) AS q1_s0 WHERE q1_s0."u" IS NOT NULL AND q1_s0."v0" > 3) AS s0 WHERE s0."u" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
-- unit person: 1 rows, 3 keys (KEYS_LIMITED)
-- k0: private
-- note: values of "v"."dept": those that were chosen; what few persons have is left out
-- note: values of "v"."dept" that few persons have count as absent
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM (SELECT UNNEST(CAST($r0c0 AS TEXT[])) AS k0) AS q1_s0 WHERE q1_s0."k0" = s0."city")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- inputs: r0c0
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"
