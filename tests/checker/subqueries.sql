-- EXISTS (…) and (SELECT …) in conditions and items.

-- single: exists
SELECT s0."person_id" AS u, s0."age" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL
AND EXISTS (SELECT 1 FROM "visits" AS q0 WHERE q0."person_id" = s0."person_id" AND q0."cost" > s0."age")
-- ! q0."person_id" = s0."person_id" AND => TRUE AND :: q0 could be of another unit
-- ! q0."person_id" = s0."person_id" AND => q0."person_id" = s0."person_id" OR :: q0 could be of another unit
-- ! q0."person_id" = s0."person_id" AND => q0."person_id" = s0."age" AND :: q0 could be of another unit
-- ! q0."person_id" = s0."person_id" AND => q0."person_id" <> s0."person_id" AND :: q0 could be of another unit
-- ! q0."person_id" = s0."person_id" AND => q0."person_id" IS NOT DISTINCT FROM s0."person_id" AND :: q0 could be of another unit
-- ! q0."person_id" = s0."person_id" AND => q0."person_id" = q0."person_id" AND :: q0 could be of another unit
-- ! q0."person_id" = s0."person_id" AND => CAST(q0."person_id" AS TEXT) = CAST(s0."person_id" AS TEXT) AND :: q0 could be of another unit
-- ! "visits" AS q0 => "visits" AS s0 :: two sources of one name
-- ! "visits" AS q0 => "visits" AS "S0" :: two sources of one name
-- ! "visits" AS q0 => "visits" :: without a name of letters
-- ! SELECT 1 FROM "visits" => SELECT COUNT(*) FROM "visits" :: EXISTS of anything but 1
-- ! SELECT 1 FROM "visits" => SELECT q0."cost" FROM "visits" :: EXISTS of anything but 1
-- ! SELECT 1 FROM "visits" => SELECT 1, 2 FROM "visits" :: several columns
-- ! > s0."age") => > s0."age" LIMIT 1) :: a limit clause
-- ! > s0."age") => > s0."age" GROUP BY q0."dept") :: a group clause
-- ! > s0."age") => > s0."age" HAVING COUNT(*) > 3) :: a having clause
-- ! > s0."age") => > s0."age" UNION ALL SELECT 1 FROM "visits" AS q1) :: not one SELECT
-- ! q0."cost" > s0."age" => s0."name" = 'Zelda' :: not to be read
-- ! EXISTS (SELECT 1 FROM => s0."age" IN (SELECT q0."cost" FROM :: In with query is not on the list
-- ! EXISTS (SELECT 1 FROM => s0."age" > ANY (SELECT q0."cost" FROM :: Any is not on the list
-- ! AND EXISTS (SELECT 1 FROM => AND NOT s0."age" < ALL (SELECT q0."cost" FROM :: All is not on the list
-- ! AND EXISTS => OR EXISTS :: without a unit are not dropped
-- ! FROM "visits" AS q0 => FROM "visits" AS q0 CROSS JOIN "visits" AS q1 :: q1 could be of another unit
-- ! FROM "visits" AS q0 => FROM "visits" AS q0 CROSS JOIN "orders" AS q1 :: two units

-- single: not exists
SELECT s0."person_id" AS u, s0."age" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM "visits" AS q0 WHERE q0."person_id" = s0."person_id")
-- ! WHERE q0."person_id" = s0."person_id") => ) :: q0 could be of another unit
-- ! q0."person_id" = s0."person_id" => q0."dept" = s0."city" :: q0 could be of another unit

-- single: exists, or something else
SELECT s0."person_id" AS u, s0."age" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL
AND (s0."age" > 40 OR EXISTS (SELECT 1 FROM "visits" AS q0 WHERE q0."person_id" = s0."person_id"))
-- ! q0."person_id" = s0."person_id" => q0."visit_id" = s0."person_id" :: q0 could be of another unit

-- single: exists in an item
SELECT s0."person_id" AS u, CASE WHEN EXISTS (SELECT 1 FROM "visits" AS q0 WHERE q0."person_id" = s0."person_id") THEN 1 ELSE 0 END AS k0
FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL
-- ! q0."person_id" = s0."person_id" => q0."cost" > s0."age" :: q0 could be of another unit

-- rows: exists in an item of many rows
SELECT s0."person_id" AS u, CASE WHEN EXISTS (SELECT 1 FROM "people" AS q0 WHERE q0."person_id" = s0."person_id") THEN 1 ELSE 0 END AS k0
FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL

-- rows: exists in ON
SELECT s0."person_id" AS u, s1."dept" AS k0 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s1."person_id" = s0."person_id"
AND NOT EXISTS (SELECT 1 FROM "visits" AS q0 WHERE q0."person_id" = s1."person_id" AND q0."day" < s1."day")
WHERE s0."person_id" IS NOT NULL
-- ! q0."person_id" = s1."person_id" => q0."dept" = s1."dept" :: q0 could be of another unit
-- ! ON s1."person_id" = s0."person_id" AND NOT => ON NOT :: s1 could be of another unit
-- ! ON s1."person_id" = s0."person_id" AND NOT => ON s1."person_id" = s0."person_id" OR NOT :: s1 could be of another unit

-- rows: exists in ON of public rows
SELECT s0."person_id" AS u, s1."building" AS k0 FROM "people" AS s0
LEFT JOIN "departments" AS s1 ON EXISTS (SELECT 1 FROM "visits" AS q0 WHERE q0."person_id" = s0."person_id" AND q0."dept" = s1."dept")
WHERE s0."person_id" IS NOT NULL
-- ! q0."person_id" = s0."person_id" AND =>   :: q0 could be of another unit

-- rows: exists in ON sees nothing that is joined later
SELECT s0."person_id" AS u, s1."building" AS k0 FROM "people" AS s0
LEFT JOIN "departments" AS s1 ON EXISTS (SELECT 1 FROM "visits" AS q0 WHERE q0."person_id" = s0."person_id" AND q0."dept" = s1."dept")
JOIN "people" AS s2 ON s2."person_id" = s0."person_id" WHERE s0."person_id" IS NOT NULL
-- ! q0."person_id" = s0."person_id" AND => q0."person_id" = s2."person_id" AND :: q0 could be of another unit
-- ! q0."dept" = s1."dept" => q0."dept" = s2."city" :: not to be read

-- rows: tied to a row that may be missing
SELECT s0."person_id" AS u, s1."dept" AS k0 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s1."person_id" = s0."person_id"
WHERE s0."person_id" IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM "visits" AS q0 WHERE q0."person_id" = s1."person_id" AND q0."day" < s1."day")
-- ! q0."person_id" = s1."person_id" => q0."person_id" IS NOT DISTINCT FROM s1."person_id" :: q0 could be of another unit
-- ! q0."person_id" = s1."person_id" => (q0."person_id" = s1."person_id" OR s1."person_id" IS NULL) :: q0 could be of another unit

-- rows: tied by what is around it
SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 JOIN "nation" AS s1 ON s1."nationkey" = s0."person_id"
WHERE s0."person_id" IS NOT NULL AND EXISTS (SELECT 1 FROM "visits" AS q0 WHERE q0."person_id" = s1."nationkey")
-- ! ON s1."nationkey" = s0."person_id" => ON s1."nationkey" <> s0."person_id" :: q0 could be of another unit
-- ! JOIN "nation" AS s1 => LEFT JOIN "nation" AS s1 :: q0 could be of another unit

-- single: with joins
SELECT s0."person_id" AS u, s0."age" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL
AND EXISTS (SELECT 1 FROM "departments" AS q0 LEFT JOIN "visits" AS q1 ON q1."dept" = q0."dept" AND q1."person_id" = s0."person_id" WHERE q1."cost" IS NULL)
-- ! AND q1."person_id" = s0."person_id" =>   :: q1 could be of another unit
-- ! LEFT JOIN "visits" => FULL JOIN "visits" :: FULL join
-- ! LEFT JOIN "visits" => RIGHT JOIN "visits" :: a RIGHT INNER join
-- ! AND q1."person_id" = s0."person_id" WHERE q1."cost" IS NULL => WHERE q1."cost" IS NULL OR q1."person_id" = s0."person_id" :: q1 could be of another unit

-- single: nested
SELECT s0."person_id" AS u, s0."age" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL
AND EXISTS (SELECT 1 FROM "visits" AS q0 WHERE q0."person_id" = s0."person_id"
AND NOT EXISTS (SELECT 1 FROM "visits" AS p0 WHERE p0."person_id" = q0."person_id" AND p0."day" > q0."day"))
-- ! p0."person_id" = q0."person_id" => p0."dept" = q0."dept" :: p0 could be of another unit
-- ! q0."person_id" = s0."person_id" => q0."visit_id" = s0."person_id" :: q0 could be of another unit
-- ! "visits" AS p0 => "visits" AS q0 :: two sources of one name
-- ! "visits" AS p0 => "visits" AS s0 :: two sources of one name

-- single: nested in a public one
SELECT s0."person_id" AS u, s0."age" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL
AND EXISTS (SELECT 1 FROM "departments" AS q0 WHERE EXISTS (SELECT 1 FROM "visits" AS p0 WHERE p0."person_id" = s0."person_id" AND p0."dept" = q0."dept"))
-- ! p0."person_id" = s0."person_id" AND =>   :: p0 could be of another unit
-- ! FROM "departments" AS q0 => FROM (SELECT q0."dept" AS "dept" FROM "departments" AS q0 WHERE EXISTS (SELECT 1 FROM "visits" AS p0)) AS q0 :: first item is not a unit key

-- single: over a derived relation
SELECT s0."person_id" AS u, s0."age" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL
AND EXISTS (SELECT 1 FROM ({counts}) AS q0 WHERE q0."u" = s0."person_id" AND q0."a0" > 1)
-- ! q0."u" = s0."person_id" AND =>   :: q0 could be of another unit
-- ! q0."u" = s0 => q0."a0" = s0 :: q0 could be of another unit

-- rows customer: along a link
SELECT s0."custkey" AS u, s0."priority" AS k0 FROM "orders" AS s0 WHERE s0."custkey" IS NOT NULL
AND EXISTS (SELECT 1 FROM "lineitem" AS q0 WHERE q0."orderkey" = s0."orderkey")
-- ! q0."orderkey" = s0."orderkey" => q0."linenumber" = s0."orderkey" :: q0 could be of another unit
-- ! q0."orderkey" = s0."orderkey" => q0."orderkey" = s0."custkey" :: q0 could be of another unit

-- rows: public rows
SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL
AND EXISTS (SELECT 1 FROM "departments" AS q0 WHERE q0."dept" = s0."dept" AND q0."beds" > 15)
-- ! s0."dept" AND => s0."name" AND :: not to be read
-- ! FROM "departments" AS q0 => FROM "departments" AS q0 CROSS JOIN "people" AS q1 :: q1 could be of another unit
-- ! FROM "departments" AS q0 => FROM "departments" AS q0 WHERE EXISTS (SELECT 1 FROM "people" AS q1) UNION ALL SELECT 1 FROM "departments" AS q0 :: not one SELECT

-- single: a value
SELECT s0."person_id" AS u, (SELECT COUNT(*) FROM "visits" AS q0 WHERE q0."person_id" = s0."person_id") AS k0
FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL
-- ! WHERE q0."person_id" = s0."person_id") => ) :: q0 could be of another unit
-- ! WHERE q0."person_id" = s0."person_id") => WHERE q0."person_id" = s0."age") :: q0 could be of another unit
-- ! SELECT COUNT(*) FROM "visits" => SELECT q0."cost" FROM "visits" :: a value that is no aggregate
-- ! SELECT COUNT(*) FROM "visits" => SELECT 1 FROM "visits" :: no aggregate
-- ! SELECT COUNT(*) FROM "visits" => SELECT COUNT(*) + q0."cost" FROM "visits" :: neither grouped nor aggregated
-- ! SELECT COUNT(*) FROM "visits" => SELECT SUM(q0."cost") FROM "visits" :: depends on the order of rows
-- ! SELECT COUNT(*) FROM "visits" => SELECT AVG(q0."cost") FROM "visits" :: depends on the order of rows
-- ! SELECT COUNT(*) FROM "visits" => SELECT SUM(s0."age") FROM "visits" :: rows around it
-- ! SELECT COUNT(*) FROM "visits" => SELECT MAX(CAST(s0."age" AS BIGINT) + 1) FROM "visits" :: rows around it
-- ! SELECT COUNT(*) FROM "visits" => SELECT COUNT(*), COUNT(*) FROM "visits" :: several columns
-- ! SELECT COUNT(*) FROM "visits" => SELECT ROW_NUMBER() OVER (ORDER BY q0."day") FROM "visits" :: a value that is no aggregate
-- ! SELECT COUNT(*) FROM "visits" => SELECT SUM(COUNT(*)) OVER () FROM "visits" :: Window beside aggregates
-- ! SELECT COUNT(*) FROM "visits" => SELECT COUNT(DISTINCT q0."dept", q0."day") FROM "visits" :: a count of several columns
-- ! = s0."person_id") => = s0."person_id" GROUP BY q0."dept") :: a group clause
-- ! = s0."person_id") => = s0."person_id" LIMIT 1) :: a limit clause

-- single: a value within an expression
SELECT s0."person_id" AS u, COALESCE((SELECT MAX(q0."day") FROM "visits" AS q0 WHERE q0."person_id" = s0."person_id" AND q0."cost" > s0."age"), CAST('2024-01-01' AS DATE)) AS k0
FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL
-- ! q0."person_id" = s0."person_id" AND => q0."person_id" > s0."person_id" AND :: q0 could be of another unit

-- single: a value of two aggregates
SELECT s0."person_id" AS u, (SELECT LEAST(GREATEST(SUM(CASE WHEN s0."age" > 40 THEN q0."visit_id" END), 0), 1000000) + LEAST(COUNT(DISTINCT q0."dept"), 1000) - CAST(s0."age" AS BIGINT)
FROM "visits" AS q0 WHERE q0."person_id" = s0."person_id") AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL
-- ! THEN q0."visit_id" => THEN q0."cost" :: depends on the order of rows
-- ! THEN q0."visit_id" => THEN q0."visit_id" % 2.5 :: depends on the order of rows
-- ! THEN q0."visit_id" => THEN q0."visit_id" / 3.0 :: depends on the order of rows
-- ! THEN q0."visit_id" => THEN FLOOR(q0."visit_id") :: depends on the order of rows
-- ! THEN q0."visit_id" => THEN s0."age" :: rows around it

-- single: a value in a value
SELECT s0."person_id" AS u, (SELECT MAX(LEAST((SELECT COUNT(*) FROM "visits" AS p0 WHERE p0."person_id" = q0."person_id" AND p0."day" < q0."day"), 1000) + CAST(LEAST(GREATEST(q0."visit_id", 0), 100000) AS BIGINT))
FROM "visits" AS q0 WHERE q0."person_id" = s0."person_id") AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL
-- ! p0."person_id" = q0."person_id" AND =>   :: p0 could be of another unit
-- ! SELECT COUNT(*) FROM "visits" AS p0 => SELECT SUM(q0."visit_id") FROM "visits" AS p0 :: rows around it

-- rows: a public value
SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL
AND s0."cost" > (SELECT AVG(CAST(q0."beds" AS DOUBLE PRECISION)) FROM "departments" AS q0)
-- ! "departments" AS q0) => "departments" AS q0 WHERE q0."dept" = s0."dept") :: depends on the order of rows
-- ! AVG(CAST(q0."beds" AS DOUBLE PRECISION)) => q0."beds" :: there could be several
-- ! FROM "departments" AS q0) => FROM "departments" AS q0 GROUP BY q0."building") :: there could be several
-- ! SELECT AVG(CAST(q0."beds" AS DOUBLE PRECISION)) FROM "departments" AS q0 => SELECT AVG(q0."age") FROM "people" AS q0 :: q0 could be of another unit

-- rows: a public value by a unique column
SELECT s0."person_id" AS u, (SELECT q0."building" FROM "departments" AS q0 WHERE q0."dept" = s0."dept") AS k0
FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL
-- ! q0."dept" = s0."dept" => q0."building" = s0."dept" :: there could be several
-- ! q0."dept" = s0."dept" => q0."dept" <= s0."dept" :: there could be several
-- ! q0."dept" = s0."dept" => q0."dept" = LOWER(s0."dept") :: there could be several
-- ! FROM "departments" AS q0 => FROM "departments" AS q0 CROSS JOIN "nation" AS q1 :: there could be several
-- ! FROM "departments" AS q0 => FROM "departments" AS q0 RIGHT JOIN "nation" AS q1 ON q1."nation" = q0."building" :: there could be several

-- rows: the first of public values
SELECT s0."person_id" AS u, (SELECT q0."building" FROM "departments" AS q0 WHERE q0."beds" > s0."cost" ORDER BY q0."beds" DESC, q0."building" LIMIT 1) AS k0
FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL
-- ! DESC, q0."building" LIMIT => DESC LIMIT :: depends on the order of rows
-- ! ORDER BY q0."beds" DESC, q0."building" LIMIT 1 => LIMIT 1 :: depends on the order of rows
-- ! LIMIT 1 => LIMIT 2 :: there could be several
-- ! LIMIT 1 => LIMIT (SELECT COUNT(*) FROM "people" AS p0) :: a limit clause where none belongs
-- ! SELECT q0."building" FROM => SELECT ROW_NUMBER() OVER (ORDER BY q0."beds") FROM :: Window inside a public query
-- ! LIMIT 1 => LIMIT 1 OFFSET CAST(s0."cost" AS BIGINT) :: no whole number

-- rows: a value of a derived public one
SELECT s0."person_id" AS u, (SELECT t."c0" FROM (SELECT COUNT(*) AS c0 FROM "departments" AS q0 WHERE q0."beds" > s0."cost") AS t) AS k0
FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL
-- ! SELECT COUNT(*) AS c0 => SELECT SUM(CAST(q0."beds" AS DOUBLE PRECISION)) AS c0 :: depends on the order of rows
-- ! SELECT COUNT(*) AS c0 => SELECT SUM(s0."visit_id") AS c0 :: rows around it
-- ! SELECT COUNT(*) AS c0 => SELECT q0."beds" AS c0 :: there could be several
