-- tables get their schema, columns their table
SELECT sex, count(*) FROM people GROUP BY 1 ORDER BY 2 DESC;
-- =>
SELECT "people"."sex" AS "sex", COUNT(*) AS "count" FROM "public"."people" AS "people" GROUP BY "people"."sex" ORDER BY "count" DESC;

-- an input column comes before an output name in GROUP BY
SELECT age % 10 AS age, count(*) FROM people GROUP BY age;
-- =>
SELECT "people"."age" % 10 AS "age", COUNT(*) AS "count" FROM "public"."people" AS "people" GROUP BY "people"."age";

-- an output name, where there is no such column
SELECT age / 10 AS decade, count(*) FROM people GROUP BY decade ORDER BY decade;
-- =>
SELECT "people"."age" / 10 AS "decade", COUNT(*) AS "count" FROM "public"."people" AS "people" GROUP BY "people"."age" / 10 ORDER BY "decade";

-- USING and NATURAL are written out
SELECT sex, sum(cost) FROM visits JOIN people USING (person_id) GROUP BY sex;
-- =>
SELECT "people"."sex" AS "sex", SUM("visits"."cost") AS "sum" FROM "public"."visits" AS "visits" JOIN "public"."people" AS "people" ON "visits"."person_id" = "people"."person_id" GROUP BY "people"."sex";

-- upper case, quotes and schemas
SELECT COUNT(*) FROM PUBLIC.People AS "P" WHERE "P".Age > 3;
-- =>
SELECT COUNT(*) AS "count" FROM "public"."people" AS "P" WHERE "P"."age" > 3;

-- a CTE of the same name as a table
WITH people AS (SELECT sex, count(*) AS n FROM people GROUP BY sex) SELECT n FROM people;
-- =>
WITH "people" AS (SELECT "people"."sex" AS "sex", COUNT(*) AS "n" FROM "public"."people" AS "people" GROUP BY "people"."sex") SELECT "people ~2"."n" AS "n" FROM "people" AS "people ~2";

-- a query of WITH whose columns FROM names, all or some
WITH t AS (SELECT sex, age FROM people) SELECT u.x, avg(u.y), count(v.age) FROM t AS u(x, y) JOIN t AS v(z) ON u.x = v.z GROUP BY u.x;
-- =>
WITH "t" AS (SELECT "people"."sex" AS "sex", "people"."age" AS "age" FROM "public"."people" AS "people") SELECT "u"."x" AS "x", AVG("u"."y") AS "avg", COUNT("v"."age") AS "count" FROM (SELECT "t"."sex" AS "x", "t"."age" AS "y" FROM "t" AS "t") AS "u" JOIN (SELECT "t ~2"."sex" AS "z", "t ~2"."age" AS "age" FROM "t" AS "t ~2") AS "v" ON "u"."x" = "v"."z" GROUP BY "u"."x";
