-- Tableau: a bar chart
SELECT SUM("people"."income") AS "sum:income:ok",
  "people"."sex" AS "sex"
FROM "public"."people" "people"
GROUP BY 2;
-- answered

-- Tableau: number of rows
SELECT SUM(1) AS "sum:Number of Records:ok",
  "visits"."dept" AS "dept"
FROM "public"."visits" "visits"
GROUP BY 2;
-- answered

-- Tableau: number of rows, newer
SELECT COUNT(1) AS "cnt:people_0E1A:ok"
FROM "public"."people" "people"
HAVING (COUNT(1) > 0);
-- answered

-- Tableau: the values of a quick filter
SELECT "people"."sex" AS "sex"
FROM "public"."people" "people"
GROUP BY 1
ORDER BY 1 ASC NULLS FIRST;
-- answered

-- Tableau: the values of a quick filter of text
SELECT CAST("people"."city" AS TEXT) AS "city"
FROM "public"."people" "people"
GROUP BY 1;
-- answered

-- Tableau: an average as a float
SELECT AVG(CAST("people"."age" AS DOUBLE PRECISION)) AS "avg:age:ok",
  CAST("people"."sex" AS TEXT) AS "sex"
FROM "public"."people" "people"
GROUP BY 2;
-- answered

-- Tableau: a year
SELECT CAST(DATE_PART('YEAR',"visits"."day") AS BIGINT) AS "yr:day:ok",
  SUM("visits"."cost") AS "sum:cost:ok"
FROM "public"."visits" "visits"
GROUP BY 1;
-- answered

-- Tableau: a year, rounded as older versions do
SELECT CAST(TRUNC(EXTRACT(YEAR FROM "visits"."day")) AS INTEGER) AS "yr:day:ok",
  SUM("visits"."cost") AS "sum:cost:ok"
FROM "public"."visits" "visits"
GROUP BY 1;
-- answered, all public keys

-- Tableau: a continuous month
SELECT DATE_TRUNC( 'MONTH', CAST("visits"."day" AS DATE) ) AS "tmn:day:ok",
  COUNT(1) AS "cnt:visits:ok"
FROM "public"."visits" "visits"
GROUP BY 1;
-- answered, all public keys

-- Tableau: a continuous month, as a timestamp
SELECT DATE_TRUNC( 'MONTH', CAST("visits"."day" AS TIMESTAMP) ) AS "tmn:day:ok",
  COUNT(1) AS "cnt:visits:ok"
FROM "public"."visits" "visits"
GROUP BY 1;
-- answered, all public keys

-- Tableau: a filter by a range of dates
SELECT COUNT(1) AS "cnt:visits:ok"
FROM "public"."visits" "visits"
WHERE (("visits"."day" >= (DATE '2024-01-01')) AND ("visits"."day" <= (DATE '2024-12-31')))
HAVING (COUNT(1) > 0);
-- answered

-- Tableau: a filter by a range of timestamps
SELECT COUNT(1) AS "cnt:visits:ok"
FROM "public"."visits" "visits"
WHERE ((CAST("visits"."day" AS TIMESTAMP) >= (TIMESTAMP '2024-01-01 00:00:00.000')) AND (CAST("visits"."day" AS TIMESTAMP) <= (TIMESTAMP '2024-12-31 00:00:00.000')))
HAVING (COUNT(1) > 0);
-- answered

-- Tableau: a join
SELECT "people"."sex" AS "sex",
  SUM("visits"."cost") AS "sum:cost:ok"
FROM "public"."visits" "visits"
  INNER JOIN "public"."people" "people" ON ("visits"."person_id" = "people"."person_id")
WHERE ("people"."sex" IN ('F', 'M'))
GROUP BY 1;
-- answered

-- Tableau: a relationship of two tables
SELECT "t0"."sex" AS "sex",
  "t0"."X_measure__0" AS "sum:cost:ok"
FROM (
  SELECT "people"."sex" AS "sex",
    SUM("visits"."cost") AS "X_measure__0"
  FROM "public"."people" "people"
    INNER JOIN "public"."visits" "visits" ON ("people"."person_id" = "visits"."person_id")
  GROUP BY 1
) "t0";
-- answered

-- Tableau: custom SQL
SELECT "Custom SQL Query"."sex" AS "sex",
  SUM("Custom SQL Query"."income") AS "sum:income:ok"
FROM (
  SELECT * FROM people WHERE age > 20
) "Custom SQL Query"
GROUP BY 1;
-- answered

-- Tableau: the columns of custom SQL
SELECT * FROM (
  SELECT sex, count(*) AS n FROM people GROUP BY sex
) "Custom SQL Query" LIMIT 0;
-- answered

-- Tableau: the columns of a table
SELECT * FROM "public"."visits" WHERE 1=0;
-- answered

-- Tableau: the top two
SELECT "visits"."dept" AS "dept",
  SUM("visits"."cost") AS "sum:cost:ok"
FROM "public"."visits" "visits"
  INNER JOIN (
  SELECT "visits"."dept" AS "dept",
    SUM("visits"."cost") AS "$__alias__0"
  FROM "public"."visits" "visits"
  GROUP BY 1
  ORDER BY 2 DESC
  LIMIT 2
) "t0" ON ("visits"."dept" = "t0"."dept")
GROUP BY 1;
-- answered

-- Tableau: the same where a key may be null
SELECT "people"."city" AS "city",
  COUNT(1) AS "cnt:people:ok"
FROM "public"."people" "people"
  INNER JOIN (
  SELECT "people"."city" AS "city",
    COUNT(1) AS "$__alias__0"
  FROM "public"."people" "people"
  GROUP BY 1
  ORDER BY 2 DESC
  LIMIT 2
) "t0" ON (("people"."city" = "t0"."city") OR (("people"."city" IS NULL) AND ("t0"."city" IS NULL)))
GROUP BY 1;
-- answered

-- Tableau: a calculated group
SELECT (CASE WHEN ("people"."age" >= 40) THEN 'old' WHEN NOT ("people"."age" >= 40) THEN 'young' ELSE NULL END) AS "Calculation_1",
  COUNT(1) AS "cnt:people:ok"
FROM "public"."people" "people"
GROUP BY 1;
-- answered, all public keys

-- Tableau: bins
SELECT FLOOR("people"."age" / 10.0) AS "age (bin)",
  COUNT(1) AS "cnt:people:ok"
FROM "public"."people" "people"
GROUP BY 1;
-- answered

-- Tableau: count of distinct values
SELECT COUNT(DISTINCT "visits"."person_id") AS "ctd:person_id:ok",
  "visits"."dept" AS "dept"
FROM "public"."visits" "visits"
GROUP BY 2;
-- answered

-- Tableau: whether there is anything to show
SELECT 1 AS "one"
FROM "public"."people" "people"
WHERE ("people"."sex" = 'F')
HAVING (COUNT(1) > 0);
-- answered

-- Tableau: the ends of a range filter
SELECT MIN("people"."age") AS "TEMP(TC_)(1)(0)",
  MAX("people"."age") AS "TEMP(TC_)(2)(0)"
FROM "public"."people" "people"
HAVING (COUNT(1) > 0);
-- answered

-- Tableau: the measures of a standard deviation, apart
SELECT STDDEV_SAMP("people"."age") AS "std:age:ok",
  SUM(CAST("people"."age" AS DOUBLE PRECISION)) AS "TEMP(a)", COUNT("people"."income") AS "TEMP(b)"
FROM "public"."people" "people";
-- answered

-- Tableau: an attribute, which is one value or a star
SELECT "people"."sex" AS "sex", MIN("people"."city") AS "TEMP(attr:city:nk)(1)", MAX("people"."city") AS "TEMP(attr:city:nk)(2)"
FROM "public"."people" "people"
GROUP BY 1;
-- answered

-- Tableau: the underlying rows
SELECT "people"."age" AS "age",
  "people"."sex" AS "sex"
FROM "public"."people" "people"
LIMIT 10000;
-- refused DP002
