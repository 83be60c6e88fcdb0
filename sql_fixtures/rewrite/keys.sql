-- booleans and comparisons
SELECT smoker, age >= 40 AS old, count(*) FROM people GROUP BY 1, 2;
-- =>
SELECT k0, k1, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."smoker" AS k0, s0."age" >= 40 AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE (k0 IN (FALSE, TRUE)) AND (k1 IN (FALSE, TRUE))) AS r GROUP BY k0, k1;

-- CASE over literals
SELECT CASE WHEN age < 30 THEN 'young' WHEN age < 60 THEN 'middle' ELSE 'old' END AS ages, count(*) FROM people GROUP BY ages;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, CASE WHEN s0."age" < 30 THEN 'young' WHEN s0."age" < 60 THEN 'middle' ELSE 'old' END AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE (k0 IN ('young', 'middle', 'old'))) AS r GROUP BY k0;

-- a finite function
SELECT extract(month FROM joined), count(*) FROM people GROUP BY 1;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, EXTRACT(MONTH FROM CASE WHEN s0."joined" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."joined" END) AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE (k0 IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))) AS r GROUP BY k0;

-- WHERE narrows declared values
SELECT sex, count(*) FROM people WHERE sex = 'F' GROUP BY sex;
-- =>
SELECT k0, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL AND (s0."sex" = 'F')) AS q WHERE (k0 IN ('F'))) AS r GROUP BY k0;

-- public and private together
SELECT sex, city, count(*) FROM people GROUP BY sex, city;
-- =>
SELECT k0, k1, COUNT(*) AS n, COUNT(*) AS m0 FROM (SELECT * FROM (SELECT s0."person_id" AS u, s0."sex" AS k0, s0."city" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE (k0 IN ('F', 'M')) AND (POSITION(CHR(0) IN k1) = 0 OR k1 IS NULL)) AS r GROUP BY k0, k1;

-- an expression of a private key
SELECT upper(city), count(*) FROM people GROUP BY upper(city);
-- =>
SELECT k0, COUNT(*) AS n FROM (SELECT * FROM (SELECT s0."person_id" AS u, UPPER(s0."city") AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS q WHERE (POSITION(CHR(0) IN k0) = 0 OR k0 IS NULL)) AS r GROUP BY k0;

-- a date in months
SELECT date_trunc('month', day) AS month, count(*) FROM visits GROUP BY month;
-- =>
SELECT k0, COUNT(*) AS n, CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT k0, m0 FROM (SELECT k0, m0, ROW_NUMBER() OVER (PARTITION BY u ORDER BY MD5(COALESCE(CAST(u AS TEXT), '') || '|' || COALESCE(CAST(k0 AS TEXT), '')), k0) AS r FROM (SELECT * FROM (SELECT u, k0, LEAST(GREATEST(COUNT(*), 0), 20) AS m0 FROM (SELECT s0."person_id" AS u, DATE_TRUNC('MONTH', CAST(CASE WHEN s0."day" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."day" END AS TIMESTAMP)) AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, k0) AS q WHERE CASE WHEN m0 <= 20 THEN (k0 BETWEEN TIMESTAMP '0001-01-01 00:00:00' AND TIMESTAMP '9999-12-31 23:59:59.999999' OR k0 IS NULL) END) AS c) AS w WHERE r <= 3) AS l GROUP BY k0;
