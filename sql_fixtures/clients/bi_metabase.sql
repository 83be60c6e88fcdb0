-- Metabase: count of rows by a category
SELECT "public"."people"."sex" AS "sex", COUNT(*) AS "count" FROM "public"."people" GROUP BY "public"."people"."sex" ORDER BY "public"."people"."sex" ASC LIMIT 10000;
-- answered

-- Metabase: the same with the notebook's wrapped source
SELECT "source"."sex" AS "sex", COUNT(*) AS "count" FROM (SELECT "public"."people"."person_id" AS "person_id", "public"."people"."age" AS "age", "public"."people"."sex" AS "sex" FROM "public"."people" WHERE "public"."people"."age" >= 30) AS "source" GROUP BY "source"."sex" ORDER BY "source"."sex" ASC;
-- answered

-- Metabase: several aggregates
SELECT COUNT(*) AS "count", SUM("public"."people"."income") AS "sum", AVG("public"."people"."income") AS "avg", COUNT(distinct "public"."people"."city") AS "count_2" FROM "public"."people";
-- answered

-- Metabase: share of rows and conditional sums
SELECT CAST(SUM(CASE WHEN "public"."people"."smoker" = TRUE THEN 1 ELSE 0.0 END) AS DOUBLE PRECISION) / NULLIF(CAST(COUNT(*) AS DOUBLE PRECISION), 0) AS "share", SUM(CASE WHEN "public"."people"."age" > 40 THEN 1 ELSE 0.0 END) AS "count-where" FROM "public"."people";
-- answered

-- Metabase: rows by month
SELECT DATE_TRUNC('month', "public"."visits"."day") AS "day", COUNT(*) AS "count" FROM "public"."visits" GROUP BY DATE_TRUNC('month', "public"."visits"."day") ORDER BY DATE_TRUNC('month', "public"."visits"."day") ASC;
-- answered, all public keys

-- Metabase: rows by month of a date, cast as newer versions do
SELECT CAST(DATE_TRUNC('month', CAST("public"."visits"."day" AS timestamp)) AS date) AS "day", COUNT(*) AS "count" FROM "public"."visits" GROUP BY CAST(DATE_TRUNC('month', CAST("public"."visits"."day" AS timestamp)) AS date) ORDER BY CAST(DATE_TRUNC('month', CAST("public"."visits"."day" AS timestamp)) AS date) ASC;
-- answered, all public keys

-- Metabase: rows by week, which begins on Sunday there
SELECT CAST((CAST(DATE_TRUNC('week', (CAST("public"."visits"."day" AS timestamp) + INTERVAL '1 day')) AS timestamp) + INTERVAL '-1 day') AS date) AS "day", COUNT(*) AS "count" FROM "public"."visits" GROUP BY CAST((CAST(DATE_TRUNC('week', (CAST("public"."visits"."day" AS timestamp) + INTERVAL '1 day')) AS timestamp) + INTERVAL '-1 day') AS date) ORDER BY 1 ASC;
-- answered, all public keys

-- Metabase: rows by day of one year
SELECT CAST("public"."visits"."day" AS date) AS "day", COUNT(*) AS "count" FROM "public"."visits" WHERE ("public"."visits"."day" >= date '2024-01-01') AND ("public"."visits"."day" < date '2025-01-01') GROUP BY CAST("public"."visits"."day" AS date) ORDER BY CAST("public"."visits"."day" AS date) ASC;
-- answered, common keys

-- Metabase: quarter, hour of day, day of week, month of year
SELECT CAST(extract(month from "public"."visits"."day") AS integer) AS "day", COUNT(*) AS "count" FROM "public"."visits" GROUP BY CAST(extract(month from "public"."visits"."day") AS integer) ORDER BY 1 ASC;
-- answered

-- Metabase: day of week
SELECT CAST(extract(isodow from "public"."visits"."day") AS integer) AS "day", COUNT(*) AS "count" FROM "public"."visits" GROUP BY CAST(extract(isodow from "public"."visits"."day") AS integer) ORDER BY 1 ASC;
-- answered

-- Metabase: day of week, which begins on Sunday there
SELECT (((CAST(extract(isodow from "public"."visits"."day") AS integer) + 1 - 1) % 7) + 1) AS "day", COUNT(*) AS "count" FROM "public"."visits" GROUP BY (((CAST(extract(isodow from "public"."visits"."day") AS integer) + 1 - 1) % 7) + 1) ORDER BY 1 ASC;
-- answered

-- Metabase: the last thirty days
SELECT COUNT(*) AS "count" FROM "public"."visits" WHERE ("public"."visits"."day" >= CAST((CAST(now() AS timestamp) + (INTERVAL '-30 day')) AS date)) AND ("public"."visits"."day" < CAST(now() AS date));
-- answered

-- Metabase: this month, in its truncated form
SELECT COUNT(*) AS "count" FROM "public"."visits" WHERE ("public"."visits"."day" >= DATE_TRUNC('month', NOW())) AND ("public"."visits"."day" < DATE_TRUNC('month', (NOW() + INTERVAL '1 month')));
-- answered

-- Metabase: a join along a foreign key
SELECT "People"."sex" AS "People__sex", SUM("public"."visits"."cost") AS "sum" FROM "public"."visits" LEFT JOIN "public"."people" AS "People" ON "public"."visits"."person_id" = "People"."person_id" GROUP BY "People"."sex" ORDER BY "People"."sex" ASC;
-- answered

-- Metabase: an implicit join, as its alias is written
SELECT "people__via__person_id"."sex" AS "people__via__person_id__sex", COUNT(*) AS "count" FROM "public"."visits" LEFT JOIN "public"."people" AS "people__via__person_id" ON "public"."visits"."person_id" = "people__via__person_id"."person_id" WHERE "people__via__person_id"."age" > 40 GROUP BY "people__via__person_id"."sex" ORDER BY "people__via__person_id"."sex" ASC;
-- answered, all public keys

-- Metabase: a join with a public table
SELECT "Departments"."building" AS "Departments__building", COUNT(*) AS "count" FROM "public"."visits" LEFT JOIN "public"."departments" AS "Departments" ON "public"."visits"."dept" = "Departments"."dept" GROUP BY "Departments"."building" ORDER BY "Departments"."building" ASC;
-- answered, all public keys

-- Metabase: numbers in bins
SELECT FLOOR((("public"."people"."age" - 0.0) / 10.0)) * 10.0 + 0.0 AS "age", COUNT(*) AS "count" FROM "public"."people" GROUP BY FLOOR((("public"."people"."age" - 0.0) / 10.0)) * 10.0 + 0.0 ORDER BY FLOOR((("public"."people"."age" - 0.0) / 10.0)) * 10.0 + 0.0 ASC;
-- answered

-- Metabase: numbers in bins, newer
SELECT (FLOOR((("public"."people"."age" - 10) / 10.0)) * 10) + 10 AS "age", COUNT(*) AS "count" FROM "public"."people" GROUP BY (FLOOR((("public"."people"."age" - 10) / 10.0)) * 10) + 10 ORDER BY 1 ASC;
-- answered

-- Metabase: text filters
SELECT COUNT(*) AS "count" FROM "public"."people" WHERE (LOWER("public"."people"."city") LIKE '%delf%') AND ("public"."people"."city" <> 'Gouda' OR "public"."people"."city" IS NULL) AND ("public"."people"."sex" = 'F' OR "public"."people"."sex" = 'M');
-- answered

-- Metabase: a null or empty text
SELECT COUNT(*) AS "count" FROM "public"."people" WHERE ("public"."people"."city" IS NULL) OR ("public"."people"."city" = '');
-- answered

-- Metabase: the values of a filter
SELECT "public"."people"."city" AS "city" FROM "public"."people" GROUP BY "public"."people"."city" ORDER BY "public"."people"."city" ASC LIMIT 1000;
-- answered

-- Metabase: the values of a filter, searched
SELECT "public"."people"."city" AS "city" FROM "public"."people" WHERE LOWER("public"."people"."city") LIKE '%l%' GROUP BY "public"."people"."city" ORDER BY "public"."people"."city" ASC LIMIT 100;
-- answered

-- Metabase: a cumulative sum
SELECT "source"."day" AS "day", SUM("source"."count") OVER (ORDER BY "source"."day" ASC ROWS UNBOUNDED PRECEDING) AS "sum" FROM (SELECT DATE_TRUNC('year', "public"."visits"."day") AS "day", COUNT(*) AS "count" FROM "public"."visits" GROUP BY DATE_TRUNC('year', "public"."visits"."day")) AS "source" ORDER BY "source"."day" ASC;
-- answered, all public keys

-- Metabase: cumulative count, as newer versions write it
SELECT DATE_TRUNC('year', "public"."visits"."day") AS "day", SUM(COUNT(*)) OVER (ORDER BY DATE_TRUNC('year', "public"."visits"."day") ASC ROWS UNBOUNDED PRECEDING) AS "count" FROM "public"."visits" GROUP BY DATE_TRUNC('year', "public"."visits"."day") ORDER BY 1 ASC;
-- answered, all public keys

-- Metabase: a filter after the summary
SELECT "source"."dept" AS "dept", "source"."count" AS "count" FROM (SELECT "public"."visits"."dept" AS "dept", COUNT(*) AS "count" FROM "public"."visits" GROUP BY "public"."visits"."dept") AS "source" WHERE "source"."count" > 100 ORDER BY "source"."dept" ASC LIMIT 1048575;
-- answered

-- Metabase: standard deviation and median
SELECT STDDEV_POP("public"."people"."age") AS "stddev" FROM "public"."people";
-- answered

-- Metabase: a percentile
SELECT PERCENTILE_CONT(0.5) within group (order by "public"."people"."age") AS "median" FROM "public"."people";
-- answered

-- Metabase: a custom expression
SELECT CASE WHEN "public"."people"."age" < 30 THEN 'young' WHEN "public"."people"."age" < 60 THEN 'middle' ELSE 'old' END AS "Group", AVG("public"."people"."income") AS "avg" FROM "public"."people" GROUP BY CASE WHEN "public"."people"."age" < 30 THEN 'young' WHEN "public"."people"."age" < 60 THEN 'middle' ELSE 'old' END ORDER BY 1 ASC;
-- answered

-- Metabase: a question on top of a SQL question
SELECT "source"."sex" AS "sex", AVG("source"."income") AS "avg" FROM (SELECT * FROM people WHERE age > 20) AS "source" GROUP BY "source"."sex" ORDER BY "source"."sex" ASC LIMIT 10000;
-- answered

-- Metabase: the rows of a table
SELECT "public"."people"."person_id" AS "person_id", "public"."people"."age" AS "age", "public"."people"."sex" AS "sex" FROM "public"."people" LIMIT 2000;
-- refused DP002

-- Metabase: sync, the fingerprint of a table
SELECT "public"."people"."age" AS "age", SUBSTRING("public"."people"."city", 1, 1234) AS "substring1" FROM "public"."people" LIMIT 10000;
-- refused DP002

-- Metabase: sync, whether a table may be read
SELECT TRUE AS "_" FROM "public"."people" WHERE 1 <> 1 LIMIT 0;
-- answered

-- Metabase: the lowest and highest value
SELECT MIN("public"."people"."age") AS "min", MAX("public"."people"."age") AS "max" FROM "public"."people";
-- answered

-- Metabase: the number of distinct values, in sync
SELECT count(distinct "public"."people"."sex") AS "count" FROM "public"."people";
-- answered

-- Metabase: a remark that goes before each statement
-- Metabase:: userID: 1 queryType: MBQL queryHash: 2f0d
SELECT COUNT(*) AS "count" FROM "public"."people";
-- answered
