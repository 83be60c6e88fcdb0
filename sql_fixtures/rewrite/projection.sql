-- a derived table over private rows
SELECT avg(y) FROM (SELECT age * 2 AS y FROM people WHERE age > 30) t;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c0" > 240 THEN 240 WHEN s0."c0" < 62 THEN 62 ELSE s0."c0" END - 151 AS BIGINT) AS m0 FROM (SELECT s0."person_id" AS u, CAST(s0."age" AS BIGINT) * CAST(2 AS BIGINT) AS c0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" > 30) AS s0 WHERE s0."u" IS NOT NULL) AS r;

-- a CTE over private rows, used twice
WITH adults AS (SELECT person_id, age, sex FROM people WHERE age >= 18) SELECT (SELECT count(*) FROM adults) AS a, (SELECT avg(age) FROM adults) AS b;
-- =>
SELECT COUNT(*) AS m0 FROM (SELECT s0."u" AS u FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."age" AS c1, s0."sex" AS c2 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" >= 18) AS s0 WHERE s0."u" IS NOT NULL) AS r;
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."u" AS u, CAST(CASE WHEN s0."c1" > 120 THEN 120 WHEN s0."c1" < 18 THEN 18 ELSE s0."c1" END - 69 AS BIGINT) AS m0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."age" AS c1, s0."sex" AS c2 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND s0."age" >= 18) AS s0 WHERE s0."u" IS NOT NULL) AS r;

-- a derived table keeps its key for a join
SELECT t.sex, count(*) FROM (SELECT person_id AS p, sex FROM people) t JOIN visits v ON v.person_id = t.p GROUP BY t.sex;
-- =>
SELECT k0, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."u" AS u, s0."c1" AS k0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."sex" AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 JOIN "visits" AS s1 ON s1."person_id" = s0."u" WHERE s0."u" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 <= 20 THEN k0 IN ('F', 'M') END) AS c GROUP BY k0;
