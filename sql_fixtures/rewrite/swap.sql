-- having, order, limit
SELECT sex, count(*) AS n FROM people GROUP BY sex HAVING count(*) > 10 ORDER BY n DESC, 1 LIMIT 1;
-- =>
SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" WHERE dpproxy_0.o0 > 10 ORDER BY "n" DESC, "sex" LIMIT 1;
-- text[], bigint[]

-- arithmetic over aggregates
SELECT round(sum(income)::numeric / count(*), 1), CASE WHEN count(*) > 100 THEN 'many' ELSE 'few' END FROM people;
-- =>
SELECT ROUND(CAST(dpproxy_0.o0 AS DECIMAL) / NULLIF(dpproxy_0.o1, '0'), 1) AS "round", CASE WHEN dpproxy_0.o1 > 100 THEN 'many' ELSE 'few' END AS "case" FROM (SELECT * FROM UNNEST(CAST($1 AS DOUBLE PRECISION[]), CAST($2 AS BIGINT[])) AS r("o0", "o1")) AS "dpproxy_0";
-- double precision[], bigint[]

-- a release in a derived table, and post-processing of it
SELECT max(n), avg(n) FROM (SELECT city, count(*) AS n FROM people GROUP BY city) t WHERE n > 5;
-- =>
SELECT MAX("t"."n") AS "max", AVG("t"."n") AS "avg" FROM (SELECT dpproxy_0.k0 AS "city", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "t" WHERE "t"."n" > 5;
-- text[], bigint[]

-- two releases joined
WITH a AS (SELECT sex, count(*) AS n FROM people GROUP BY sex), b AS (SELECT sex, avg(income) AS m FROM people GROUP BY sex) SELECT a.sex, n, m FROM a JOIN b ON a.sex = b.sex;
-- =>
WITH "a" AS (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"), "b" AS (SELECT dpproxy_1.k0 AS "sex", dpproxy_1.o0 AS "m" FROM (SELECT * FROM UNNEST(CAST($3 AS TEXT[]), CAST($4 AS DOUBLE PRECISION[])) AS r("k0", "o0")) AS "dpproxy_1") SELECT "a"."sex" AS "sex", "a"."n" AS "n", "b"."m" AS "m" FROM "a" AS "a" JOIN "b" AS "b" ON "a"."sex" = "b"."sex";
-- text[], bigint[], text[], double precision[]

-- one CTE used twice is released once
WITH a AS (SELECT sex, count(*) AS n FROM people GROUP BY sex) SELECT x.sex, x.n / (SELECT sum(n) FROM a) FROM a x;
-- =>
WITH "a" AS (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") SELECT "x"."sex" AS "sex", "x"."n" / NULLIF((SELECT SUM("a"."n") AS "sum" FROM "a" AS "a"), '0') AS "_column_1" FROM "a" AS "x";
-- text[], bigint[]

-- a window over released rows
SELECT sex, count(*), sum(count(*)) OVER () AS total, rank() OVER (ORDER BY count(*) DESC) FROM people GROUP BY sex;
-- =>
SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "count", SUM(dpproxy_0.o0) OVER () AS "total", RANK() OVER (ORDER BY dpproxy_0.o0 DESC) AS "rank" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0";
-- text[], bigint[]

-- the proxy's own tables
SELECT remaining_epsilon FROM dp.budget WHERE analyst = 'alice';
-- =>
SELECT "budget"."remaining_epsilon" AS "remaining_epsilon" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS DECIMAL[]), CAST($4 AS DECIMAL[]), CAST($5 AS DECIMAL[]), CAST($6 AS DECIMAL[]), CAST($7 AS DECIMAL[]), CAST($8 AS DECIMAL[]), CAST($9 AS TIMESTAMPTZ[]), CAST($10 AS DECIMAL[]), CAST($11 AS BIGINT[])) AS r("analyst", "period", "epsilon", "delta", "spent_epsilon", "spent_delta", "remaining_epsilon", "remaining_delta", "period_ends", "epsilon_pld", "statements_left")) AS "budget" WHERE "budget"."analyst" = 'alice';
-- text[], text[], numeric[], numeric[], numeric[], numeric[], numeric[], numeric[], timestamp with time zone[], numeric[], bigint[]

-- a public table joined with a release
SELECT d.building, v.n FROM departments d JOIN (SELECT dept, count(*) AS n FROM visits GROUP BY dept) v ON v.dept = d.dept;
-- =>
SELECT "d"."building" AS "building", "v"."n" AS "n" FROM "public"."departments" AS "d" JOIN (SELECT dpproxy_0.k0 AS "dept", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0") AS "v" ON "v"."dept" = "d"."dept";
-- text[], bigint[]

-- the name that Postgres gives is found by the outer query
SELECT count + 1 FROM (SELECT count(*) FROM people) t;
-- =>
SELECT "t"."count" + 1 AS "_column_0" FROM (SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0") AS "t";
-- bigint[]

-- an expression of ORDER BY reads the column, and not a result of the same name
SELECT upper(sex) AS sex, count(*) FROM people GROUP BY people.sex ORDER BY CASE sex WHEN 'M' THEN 0 ELSE 1 END, lower(sex) DESC, sex;
-- =>
SELECT UPPER(dpproxy_0.k0) AS "sex", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0" ORDER BY CASE dpproxy_0.k0 WHEN 'M' THEN 0 ELSE 1 END, LOWER(dpproxy_0.k0) DESC, "sex";
-- text[], bigint[]

-- WITH RECURSIVE that nothing needs
WITH RECURSIVE a AS (SELECT sex, count(*) AS n FROM people GROUP BY sex), b AS (SELECT max(n) AS m FROM a) SELECT sex, n, m FROM a, b;
-- =>
WITH "a" AS (SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "n" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"), "b" AS (SELECT MAX("a"."n") AS "m" FROM "a" AS "a") SELECT "a ~2"."sex" AS "sex", "a ~2"."n" AS "n", "b"."m" AS "m" FROM "a" AS "a ~2", "b" AS "b";
-- text[], bigint[]
