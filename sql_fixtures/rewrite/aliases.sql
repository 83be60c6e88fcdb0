-- upper case folds, quoted does not
SELECT SEX, COUNT(*) AS "N" FROM PEOPLE AS P WHERE P.AGE > 30 GROUP BY SEX;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 30) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "N" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- quoted aliases that differ in case alone
SELECT "P".sex, count(*) FROM people AS "P" JOIN visits AS p ON "P".person_id = p.person_id GROUP BY "P".sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- quoted column names that differ in case alone
SELECT "a", "A", count(*) FROM (SELECT sex AS "a", smoker AS "A" FROM people) t GROUP BY "a", "A";
-- =>
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c0" AS k0, s0."c1" AS k1 FROM (SELECT s0."person_id" AS u, s0."sex" AS c0, s0."smoker" AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "a", dpproxy_0.k1 AS "A", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BOOLEAN[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- unicode names
SELECT "Größe", count(*) AS "数", sum(größe2) FROM (SELECT sex AS "Größe", age AS größe2 FROM people) AS "Ärzte" GROUP BY "Größe";
-- =>
SELECT k0, COUNT(*) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c0" AS k0, CAST(CASE WHEN s0."c1" > 120 THEN 120 WHEN s0."c1" < 0 THEN 0 ELSE s0."c1" END AS BIGINT) AS m1 FROM (SELECT s0."person_id" AS u, s0."sex" AS c0, s0."age" AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- m1: SUM 0..120 step 1
-- post: SELECT dpproxy_0.k0 AS "Größe", dpproxy_0.o0 AS "数", dpproxy_0.o1 AS "sum" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS r("k0", "o0", "o1")) AS "dpproxy_0"

-- keywords as names
SELECT "select", count(*) AS "from" FROM (SELECT sex AS "select", age AS "where" FROM people) AS "group" WHERE "group"."where" > 30 GROUP BY "select";
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."person_id" AS u, s0."sex" AS c0, s0."age" AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c1" > 30) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "select", dpproxy_0.o0 AS "from" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- names with quotes, dots and spaces in them
SELECT "a.b", count(*) FROM (SELECT sex AS "a.b", city AS "c""d", age AS " " FROM people) AS "x.y" WHERE "x.y"." " > 20 AND "c""d" = 'Delft' GROUP BY "a.b";
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."person_id" AS u, s0."sex" AS c0, s0."city" AS c1, s0."age" AS c2 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c2" > 20 AND s0."c1" = 'Delft') AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "a.b", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- the schema written out
SELECT people.sex, count(*) FROM public.people JOIN public.visits ON people.person_id = visits.person_id GROUP BY people.sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a quoted schema and table
SELECT "people"."sex", count(*) FROM "public"."people" GROUP BY "people"."sex";
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a CTE that hides a table
WITH people AS (SELECT person_id, sex FROM people WHERE age > 40) SELECT sex, count(*) FROM people GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c1" AS k0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."sex" AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 40) AS s0 WHERE s0."u" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a CTE that hides a private table by a public one
WITH visits AS (SELECT dept, beds FROM departments) SELECT sum(beds) FROM visits;
-- =>
-- post: WITH "visits" AS (SELECT "departments"."dept" AS "dept", "departments"."beds" AS "beds" FROM "public"."departments" AS "departments") SELECT SUM("visits"."beds") AS "sum" FROM "visits" AS "visits"

-- the table itself beside the CTE of its name
WITH people AS (SELECT person_id FROM people WHERE age > 40) SELECT count(*) FROM people a JOIN public.people b ON a.person_id = b.person_id WHERE b.sex = 'F';
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 40) AS s0 JOIN "people" AS s1 ON s0."u" = s1."person_id" WHERE s0."u" IS NOT NULL AND s1."sex" = 'F') AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- an alias that is another table's name
SELECT departments.sex, count(*) FROM people AS departments GROUP BY departments.sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- two tables that change names
SELECT visits.sex, count(*) FROM people AS visits JOIN visits AS people ON people.person_id = visits.person_id GROUP BY visits.sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- the same alias within and without
SELECT t.sex, count(*) FROM (SELECT t.sex, t.person_id FROM (SELECT * FROM people) t WHERE t.age > 30) t GROUP BY t.sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."u" AS u, s0."c2" AS c0, s0."u" AS c1 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."age" AS c1, s0."sex" AS c2, s0."income" AS c3, s0."city" AS c4, s0."smoker" AS c5, s0."joined" AS c6 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c1" > 30) AS s0 WHERE s0."u" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- the same alias in a subquery means its own
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id AND EXISTS (SELECT 1 FROM departments p WHERE p.dept = v.dept AND p.beds > 16));
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" = s0."person_id" AND EXISTS(SELECT 1 FROM "departments" AS q2_s0 WHERE q2_s0."dept" = q1_s0."dept" AND q2_s0."beds" > 16))) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a CTE inside of a subquery hides one outside
WITH a AS (SELECT sex, count(*) AS n FROM people GROUP BY sex) SELECT sex, n, (WITH a AS (SELECT count(*) AS m FROM visits) SELECT m FROM a) FROM a;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: WITH "a" AS (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") SELECT "a"."sex" AS "sex", "a"."n" AS "n", (WITH "a" AS (SELECT dpproxy_1.o0 AS "m" FROM (SELECT * FROM UNNEST(CAST($3 AS BIGINT[])) AS r("o0")) AS "dpproxy_1") SELECT "a ~2"."m" AS "m" FROM "a" AS "a ~2") AS "m" FROM "a" AS "a"

-- names that the proxy uses itself
SELECT u, k0, count(*) AS n, sum(m0) AS m1 FROM (SELECT sex AS u, smoker AS k0, age AS m0 FROM people) AS s0 GROUP BY u, k0;
-- =>
SELECT k0, k1, COUNT(*) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c0" AS k0, s0."c1" AS k1, CAST(CASE WHEN s0."c2" > 120 THEN 120 WHEN s0."c2" < 0 THEN 0 ELSE s0."c2" END AS BIGINT) AS m1 FROM (SELECT s0."person_id" AS u, s0."sex" AS c0, s0."smoker" AS c1, s0."age" AS c2 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: ROWS 0..1 step 1
-- m1: SUM 0..120 step 1
-- post: SELECT dpproxy_0.k0 AS "u", dpproxy_0.k1 AS "k0", dpproxy_0.o0 AS "n", dpproxy_0.o1 AS "m1" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BOOLEAN[]), CAST($3 AS BIGINT[]), CAST($4 AS BIGINT[])) AS r("k0", "k1", "o0", "o1")) AS "dpproxy_0"

-- aliases that the proxy uses itself
SELECT dpproxy_0.sex, count(*) FROM people AS dpproxy_0 JOIN visits AS q1_s0 ON dpproxy_0.person_id = q1_s0.person_id GROUP BY dpproxy_0.sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- an output name that is a column's: GROUP BY means the column
SELECT smoker AS sex, count(*) FROM people GROUP BY smoker;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."smoker" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN (FALSE, TRUE)) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values False, True
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BOOLEAN[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- ORDER BY means the output name
SELECT sex AS s, count(*) AS age FROM people GROUP BY sex ORDER BY age DESC, s;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "s", dpproxy_0.o0 AS "age" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY "age" DESC, "s"

-- the columns of a CTE named in its head
WITH a (s, n) AS (SELECT sex, count(*) FROM people GROUP BY sex) SELECT s, n FROM a WHERE n > 1;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: WITH "a" AS (SELECT dpproxy_0.k0 AS "s", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") SELECT "a"."s" AS "s", "a"."n" AS "n" FROM "a" AS "a" WHERE "a"."n" > 1

-- the columns of a derived table named after it
SELECT s, count(*) FROM (SELECT sex, age FROM people) AS t (s, a) WHERE a > 30 GROUP BY s;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."person_id" AS u, s0."sex" AS c0, s0."age" AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c1" > 30) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "s", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- every column of a derived table
SELECT t.* FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex) t;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT "t"."sex" AS "sex", "t"."n" AS "n" FROM (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "t"

-- a column without its alias, where one source alone has it
SELECT building, count(*), avg(age) FROM people, visits, departments WHERE people.person_id = visits.person_id AND visits.dept = departments.dept GROUP BY building;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, CAST(LEAST(GREATEST(COALESCE(SUM(m1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m1 FROM (SELECT k0, m0, m1 FROM (SELECT k0, m0, m1, ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(HASH(u, k0)), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), -1200), 1200) AS m1 FROM (SELECT s0."person_id" AS u, s2."building" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m1 FROM "people" AS s0 CROSS JOIN "visits" AS s1 CROSS JOIN "departments" AS s2 WHERE s0."person_id" IS NOT NULL AND s0."person_id" = s1."person_id" AND s1."dept" = s2."dept") AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c) AS w WHERE r <= 8) AS l GROUP BY k0;
-- unit person: 20 rows, 8 keys (KEYS_LIMITED)
-- k0: column 0 of SELECT DISTINCT s2."building" AS d0 FROM "departments" AS s2
-- m0: ROWS 0..20 step 1
-- m1: CENTRED -1200..1200 step 1
-- post: SELECT dpproxy_0.k0 AS "building", dpproxy_0.o0 AS "count", dpproxy_0.o1 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS DECIMAL[])) AS r("k0", "o0", "o1")) AS "dpproxy_0"

-- "Sex" and sex
SELECT "Sex", count(*) FROM (SELECT sex AS "Sex", age AS sex FROM people) "T" WHERE "T".sex > 30 GROUP BY "Sex";
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."person_id" AS u, s0."sex" AS c0, s0."age" AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c1" > 30) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "Sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- CTEs that differ in case alone
WITH "T" AS (SELECT sex FROM people), t AS (SELECT smoker FROM people) SELECT (SELECT count(*) FROM "T" WHERE sex = 'F'), (SELECT count(*) FROM t WHERE smoker);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."person_id" AS u, s0."sex" AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c0" = 'F') AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
SELECT COUNT(*) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."person_id" AS u, s0."smoker" AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c0") AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT (SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0") AS "_column_0", (SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($2 AS BIGINT[])) AS r("o0")) AS "dpproxy_1") AS "_column_1"

-- the names of the unit column, in both cases
SELECT u."U", u.u, count(*) FROM (SELECT sex AS "U", smoker AS u FROM people) u GROUP BY u."U", u.u;
-- =>
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c0" AS k0, s0."c1" AS k1 FROM (SELECT s0."person_id" AS u, s0."sex" AS c0, s0."smoker" AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "U", dpproxy_0.k1 AS "u", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BOOLEAN[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- letters that fold in their own way
SELECT "日本"."列", count(*) FROM (SELECT city AS "列", age FROM people) AS "日本" JOIN (SELECT 1 AS "İ", 2 AS "i") AS x ON x.i > "İ" GROUP BY "日本"."列";
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT s0."person_id" AS u, s0."city" AS c0, s0."age" AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 JOIN (SELECT 1 AS c0, 2 AS c1) AS s1 ON s1."c1" > s1."c0" WHERE s0."u" IS NOT NULL) AS q WHERE STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: private
-- post: SELECT dpproxy_0.k0 AS "列", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- aliases that are keywords
SELECT "user", "order", count(*) FROM (SELECT sex AS "user", smoker AS "order", person_id AS "table" FROM people) AS "select" JOIN visits AS "end" ON "end".person_id = "select"."table" GROUP BY "user", "order";
-- =>
SELECT k0, k1, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, k1, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u, s0."c0" AS k0, s0."c1" AS k1 FROM (SELECT s0."person_id" AS u, s0."sex" AS c0, s0."smoker" AS c1, s0."person_id" AS c2 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 JOIN "visits" AS s1 ON s1."person_id" = s0."u" WHERE s0."u" IS NOT NULL) AS r GROUP BY u, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE) END) AS c GROUP BY k0, k1;
-- unit person: 20 rows, 1 keys (KEY_OF_UNIT)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.k0 AS "user", dpproxy_0.k1 AS "order", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BOOLEAN[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- schema, table and column
SELECT public.people.sex, count(*) FROM public.people GROUP BY public.people.sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- an output that has the key's name: GROUP BY means the column, ORDER BY the output
SELECT upper(sex) AS sex, count(*) FROM people GROUP BY sex ORDER BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT UPPER(dpproxy_0.k0) AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY "sex"

-- outputs that change names
SELECT sex AS "count", count(*) AS sex FROM people GROUP BY 1 ORDER BY 2;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.k0 AS "count", dpproxy_0.o0 AS "sex" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY "sex"

-- a derived table that hides a table, within IN
SELECT count(*), (SELECT count(*) FROM visits) FROM people WHERE person_id IN (SELECT person_id FROM (SELECT * FROM visits) visits WHERE visits.cost > 100);
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND EXISTS(SELECT 1 FROM (SELECT q1_s0."person_id" AS u, q1_s0."visit_id" AS c0, q1_s0."person_id" AS c1, q1_s0."day" AS c2, q1_s0."cost" AS c3, q1_s0."dept" AS c4 FROM "visits" AS q1_s0 WHERE q1_s0."person_id" IS NOT NULL) AS q1_s0 WHERE q1_s0."c3" > CAST('100.0' AS DOUBLE) AND s0."person_id" = q1_s0."u")) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "_column_0", (SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($2 AS BIGINT[])) AS r("o0")) AS "dpproxy_1") AS "_column_1" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- the columns of a release named after it
SELECT a.* FROM (SELECT sex, count(*) FROM people GROUP BY sex) a (s, n) WHERE n > 3;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT "a"."s" AS "s", "a"."n" AS "n" FROM (SELECT dpproxy_0.k0 AS "s", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "a" WHERE "a"."n" > 3

-- all columns of a join with USING
SELECT * FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex) a JOIN (SELECT sex, count(*) AS m FROM people GROUP BY sex) b USING (sex);
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT COALESCE("a"."sex", "b"."sex") AS "sex", "a"."n" AS "n", "b"."m" AS "m" FROM (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "a" JOIN (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "m" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "b" ON "a"."sex" = "b"."sex"

-- all columns of a natural join
SELECT * FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex) a NATURAL JOIN (SELECT smoker, sex, count(*) AS m FROM people GROUP BY sex, smoker) b;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."smoker" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M') AND k1 IN (FALSE, TRUE)) AS r GROUP BY k0, k1;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- k1: values False, True
-- m0: ROWS 0..1 step 1
-- post: SELECT COALESCE("a"."sex", "b"."sex") AS "sex", "a"."n" AS "n", "b"."smoker" AS "smoker", "b"."m" AS "m" FROM (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "a" JOIN (SELECT dpproxy_1.k1 AS "smoker", dpproxy_1.k0 AS "sex", dpproxy_1.o0 AS "m" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BOOLEAN[]), CAST($5 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_1") AS "b" ON "a"."sex" = "b"."sex"

-- two releases with the same column names
SELECT * FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex) a, (SELECT sex, count(*) AS n FROM people GROUP BY sex) b;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: SELECT "a"."sex" AS "sex", "a"."n" AS "n", "b"."sex" AS "sex", "b"."n" AS "n" FROM (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "a", (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "b"

-- CTEs that are joined with one another
WITH a AS (SELECT person_id FROM people), b AS (SELECT a.person_id FROM a JOIN visits USING (person_id)) SELECT count(*) FROM a JOIN b USING (person_id);
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT u, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 JOIN (SELECT s0."u" AS u, s0."u" AS c0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 JOIN "visits" AS s1 ON s0."u" = s1."person_id" WHERE s0."u" IS NOT NULL) AS s1 ON s0."u" = s1."u" WHERE s0."u" IS NOT NULL) AS r GROUP BY u) AS c;
-- unit person: 20 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..20 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- MATERIALIZED says nothing
WITH a AS MATERIALIZED (SELECT sex, count(*) AS n FROM people GROUP BY sex) SELECT * FROM a;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE k0 IN ('F', 'M')) AS r GROUP BY k0;
-- unit person: 1 rows, 1 keys (ONE_ROW)
-- k0: values 'F', 'M'
-- m0: ROWS 0..1 step 1
-- post: WITH "a" AS MATERIALIZED (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") SELECT "a"."sex" AS "sex", "a"."n" AS "n" FROM "a" AS "a"

-- a derived table without an alias
SELECT count(*) FROM (SELECT age FROM people) WHERE age > 30;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."person_id" AS u, s0."age" AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 WHERE s0."u" IS NOT NULL AND s0."c0" > 30) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: ROWS 0..1 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"
