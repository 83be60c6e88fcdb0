-- Joins: which sources are there, what ties them to one unit, how many rows a unit has.

-- rows: a table
SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL
-- ! s0."person_id" AS u => s0."visit_id" AS u :: first item is not a unit key
-- ! s0."person_id" AS u => (s0."person_id") AS u :: first item is not a column
-- ! s0."person_id" AS u => COALESCE(s0."person_id", 7) AS u :: first item is not a column
-- ! AS u => AS w :: not called u
-- ! AS u => AS "U" :: not called u
-- ! s0."dept" AS k0 => s0."dept" AS "U", s0."dept" AS k0 :: two items of one name
-- ! WHERE s0."person_id" IS NOT NULL => WHERE TRUE :: without a unit are not dropped
-- ! "person_id" IS NOT NULL => "person_id" IS NULL :: without a unit are not dropped
-- ! s0."person_id" IS NOT NULL => s0."person_id" IS NOT NULL OR TRUE :: without a unit are not dropped
-- ! IS NOT NULL => IS NOT NULL LIMIT 100 :: a limit clause
-- ! IS NOT NULL => IS NOT NULL OFFSET 1 :: an OFFSET over rows
-- ! IS NOT NULL => IS NOT NULL ORDER BY s0."cost" :: a order clause
-- ! IS NOT NULL => IS NOT NULL HAVING TRUE :: a having clause
-- ! SELECT s0 => SELECT DISTINCT s0 :: a distinct clause
-- ! AS s0 WHERE => AS "S0" WHERE :: without a name of letters
-- ! AS s0 WHERE => AS alias WHERE :: without a name of letters
-- ! s0."dept" AS k0 => s0.* :: without a name
-- ! s0."dept" AS k0 => s0.DEPT AS k0 :: not to be read
-- ! s0."dept" AS k0 => dept AS k0 :: not to be read
-- ! s0."dept" AS k0 => s1."dept" AS k0 :: not to be read
-- ! s0."dept" AS k0 => s0."name" AS k0 :: not to be read

-- single: a table of units
SELECT s0."person_id" AS u, s0."age" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL
-- ! s0."age" => s0."name" :: not to be read
-- ! s0."age" => COUNT(*) :: Count inside an expression
-- ! s0."age" => SUM(s0."age") :: Sum inside an expression
-- ! s0."age" => UNNEST(CAST($r0c0 AS BIGINT[])) :: inputs are not those that the text reads

-- steady: a join
SELECT s0."person_id" AS u, s1."city" AS k0 FROM "visits" AS s0 JOIN "people" AS s1 ON s0."person_id" = s1."person_id"
WHERE s0."person_id" IS NOT NULL
-- ! JOIN "people" => RIGHT JOIN "people" :: a RIGHT INNER join
-- ! JOIN "people" => CROSS JOIN "people" :: a CROSS join with ON
-- ! JOIN "people" => SEMI JOIN "people" :: a SEMI join
-- ! = s1."person_id" => = s1."person_id" OR s1."age" > 5 :: s1 could be of another unit
-- ! = s1."person_id" => IS NOT DISTINCT FROM s1."person_id" :: s1 could be of another unit
-- ! = s1."person_id" => + 0 = s1."person_id" :: s1 could be of another unit
-- ! = s1."person_id" => = s1."age" :: s1 could be of another unit
-- ! = s1."person_id" => >= s1."person_id" :: s1 could be of another unit
-- ! ON s0."person_id" = s1 => ON NOT s0."person_id" = s1 :: s1 could be of another unit
-- ! s0."person_id" = s1."person_id" => s0."person_id" = s0."person_id" :: s1 could be of another unit
-- ! "people" AS s1 => "customer" AS s1 :: two units in one join
-- ! JOIN "people" AS s1 => JOIN LATERAL (SELECT * FROM "people") AS s1 :: Lateral
-- ! ON s0."person_id" = s1."person_id" => USING ("person_id") :: using is not on the list
-- ! AS s1 ON => AS s1 JOIN "nation" AS s2 ON TRUE ON :: Table with joins is not on the list
-- ! JOIN "people" AS s1 ON s0."person_id" = s1."person_id" => JOIN ("people" AS s1 JOIN "nation" AS s2 ON TRUE) ON s0."person_id" = s1."person_id" :: is not on the list
-- ! JOIN "people" AS s1 ON s0."person_id" = s1."person_id" => , "people" AS s1 :: a INNER join without ON
-- ! JOIN "people" AS s1 ON s0."person_id" = s1."person_id" => NATURAL JOIN "people" AS s1 :: method is not on the list
-- ! "people" AS s1 => ONLY "people" AS s1 :: only is not on the list
-- ! "people" AS s1 => "people" AS s1 (u, v) :: columns with other names
-- ! "people" AS s1 => 'people.csv' AS s1 :: a name in quotes that is not of a table
-- ! "people" AS s1 => (VALUES (1)) AS s1 :: neither a table nor a derived one
-- ! "people" AS s1 => "pg_catalog"."pg_class" AS s1 :: no table of the policy

-- rows: conditions in WHERE
SELECT s0."person_id" AS u, s0."dept" AS k0 FROM "visits" AS s0 CROSS JOIN "people" AS s1
WHERE s0."person_id" IS NOT NULL AND (s1."person_id" = s0."person_id") AND s1."age" > 40
-- ! AND s1."age" > 40 => OR s1."age" > 40 :: without a unit are not dropped
-- ! (s1."person_id" = s0."person_id") => (s1."person_id" = s0."person_id" OR s1."age" > 3) :: s1 could be of another unit
-- ! (s1."person_id" = s0."person_id") => NOT (s1."person_id" = s0."person_id") :: s1 could be of another unit
-- ! (s1."person_id" = s0."person_id") => CASE WHEN s1."person_id" = s0."person_id" THEN TRUE END :: s1 could be of another unit

-- steady: three, one after the other
SELECT s0."person_id" AS u, s2."city" AS k0
FROM "visits" AS s0 CROSS JOIN "visits" AS s1 JOIN "people" AS s2 ON s2."person_id" = s1."person_id"
WHERE s0."person_id" IS NOT NULL AND s0."person_id" = s1."person_id" AND s1."cost" > s2."age"
-- ! AND s0."person_id" = s1."person_id" => AND s0."visit_id" = s1."person_id" :: s1, s2 could be of another unit

-- rows: a tie by a row that both are
SELECT s0."person_id" AS u, s1."dept" AS k0 FROM "visits" AS s0 JOIN "visits" AS s1 ON s0."visit_id" = s1."visit_id"
JOIN "people" AS s2 ON s2."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL AND s0."person_id" = s2."person_id"
-- ! AND s0."person_id" = s2."person_id" =>   :: s1, s2 could be of another unit

-- rows: public rows on any condition
SELECT s0."person_id" AS u, s1."building" AS k0 FROM "visits" AS s0
JOIN "departments" AS s1 ON s0."dept" <> s1."dept" OR s0."cost" > s1."beds" WHERE s0."person_id" IS NOT NULL
-- ! JOIN "departments" => FULL JOIN "departments" :: FULL join of anything but
-- ! JOIN "departments" => RIGHT JOIN "departments" :: a RIGHT INNER join

-- rows: public rows first
SELECT s1."person_id" AS u, s0."building" AS k0 FROM "departments" AS s0 JOIN "visits" AS s1 ON s1."dept" = s0."dept"
WHERE s1."person_id" IS NOT NULL
-- ! JOIN "visits" => LEFT JOIN "visits" :: first item is of a source that may be missing
-- ! s1."person_id" AS u => s0."dept" AS u :: not a unit key

-- single: public rows by a unique column
SELECT s0."person_id" AS u, s1."beds" AS k0 FROM "people" AS s0 JOIN "departments" AS s1 ON s1."dept" = s0."city"
WHERE s0."person_id" IS NOT NULL
-- ! s1."dept" = s0."city" => s1."building" = s0."city" :: not proved: one row per unit
-- ! s1."dept" = s0."city" => s1."dept" = LOWER(s0."city") :: not proved: one row per unit
-- ! s1."dept" = s0."city" => s1."dept" >= s0."city" :: not proved: one row per unit
-- ! s1."dept" = s0."city" => s1."dept" IS NOT DISTINCT FROM s0."city" :: not proved: one row per unit

-- single: public rows by a unique column, or NULL
SELECT s0."person_id" AS u, s1."beds" AS k0 FROM "people" AS s0
LEFT JOIN "departments" AS s1 ON s1."dept" = s0."city" AND s1."beds" > 3 WHERE s0."person_id" IS NOT NULL
-- ! s1."dept" = s0."city" => s1."dept" = s1."building" :: not proved: one row per unit

-- single: public rows, found one by the other
SELECT s0."person_id" AS u, s2."nation" AS k0 FROM "people" AS s0 JOIN "departments" AS s1 ON s1."dept" = s0."city"
LEFT JOIN "nation" AS s2 ON s2."nationkey" = s1."beds" WHERE s0."person_id" IS NOT NULL
-- ! s1."dept" = s0."city" => s1."beds" = s2."nationkey" :: not to be read

-- rows: public rows, or NULL
SELECT s0."person_id" AS u, s1."beds" AS k0 FROM "people" AS s0 LEFT JOIN "departments" AS s1 ON s1."building" = s0."city"
WHERE s0."person_id" IS NOT NULL

-- steady: a tie through a public column
SELECT s0."person_id" AS u, s2."age" AS k0 FROM "visits" AS s0 JOIN "nation" AS s1 ON s0."person_id" = s1."nationkey"
JOIN "people" AS s2 ON s1."nationkey" = s2."person_id" WHERE s0."person_id" IS NOT NULL
-- ! s1."nationkey" = s2 => s1."nation" = s2 :: s2 could be of another unit
-- ! JOIN "nation" AS s1 => LEFT JOIN "nation" AS s1 :: s2 could be of another unit
-- ! "nation" AS s1 ON => (SELECT CAST(s0."nationkey" AS DOUBLE PRECISION) AS "nationkey" FROM "nation" AS s0) AS s1 ON :: s2 could be of another unit
-- ! "nation" AS s1 ON => (SELECT s0."nationkey" * 1.0 AS "nationkey" FROM "nation" AS s0) AS s1 ON :: s2 could be of another unit
-- ! "nation" AS s1 ON => (SELECT FLOOR(s0."nationkey") AS "nationkey" FROM "nation" AS s0) AS s1 ON :: s2 could be of another unit
-- ! "nation" AS s1 ON => (SELECT CAST(s0."nationkey" AS TEXT) AS "nationkey" FROM "nation" AS s0) AS s1 ON :: s2 could be of another unit

-- rows: private rows, or NULL
SELECT s0."person_id" AS u, s1."dept" AS k0 FROM "people" AS s0
LEFT JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" AND s1."cost" > 100 WHERE s0."person_id" IS NOT NULL
-- ! s0."person_id" AS u => s1."person_id" AS u :: source that may be missing
-- ! s0."person_id" AS u => COALESCE(s0."person_id", s1."person_id") AS u :: first item is not a column
-- ! AND s1."cost" > 100 => OR s1."cost" > 100 :: s1 could be of another unit
-- ! s1."person_id" = s0."person_id" AND => TRUE AND :: s1 could be of another unit
-- ! s1."person_id" = s0."person_id" => s1."person_id" IS NOT DISTINCT FROM s0."person_id" :: s1 could be of another unit
-- ! s1."person_id" = s0."person_id" => s1."visit_id" = s0."person_id" :: s1 could be of another unit
-- ! LEFT JOIN "visits" AS s1 => LEFT JOIN "lineitem" AS s1 :: two units in one join
-- ! LEFT JOIN "visits" => FULL JOIN "visits" :: not the keys of both sides
-- ! LEFT JOIN "visits" => LEFT SEMI JOIN "visits" :: a LEFT SEMI join
-- ! LEFT JOIN "visits" => LEFT ANTI JOIN "visits" :: a LEFT ANTI join

-- steady: one row, or NULL for all of a unit's
SELECT s0."person_id" AS u, s1."city" AS k0 FROM "visits" AS s0
LEFT JOIN "people" AS s1 ON s1."person_id" = s0."person_id" AND s1."age" > 40 WHERE s0."person_id" IS NOT NULL
-- ! s1."age" > 40 => s0."cost" > 40 :: keys are a function of the unit
-- ! s1."age" > 40 => EXISTS (SELECT 1 FROM "visits" AS q0 WHERE q0."person_id" = s0."person_id" AND q0."day" < s0."day") :: keys are a function of the unit

-- single: units, or NULL
SELECT s0."person_id" AS u, s1."a0" AS k0 FROM "people" AS s0 LEFT JOIN ({each}) AS s1 ON s1."u" = s0."person_id" AND s1."a0" > 2
WHERE s0."person_id" IS NOT NULL
-- ! s1."u" = s0."person_id" => s1."a0" = s0."person_id" :: s1 could be of another unit

-- rows: one after another that may be missing
SELECT s0."person_id" AS u, s2."dept" AS k0 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s1."person_id" = s0."person_id"
LEFT JOIN "visits" AS s2 ON s2."person_id" = s1."person_id" AND s2."day" > s1."day" WHERE s0."person_id" IS NOT NULL
-- ! ON s1."person_id" = s0."person_id" => ON s1."person_id" = s0."age" :: s1, s2 could be of another unit
-- ! ON s2."person_id" = s1."person_id" => ON s2."person_id" = s0."age" :: s2 could be of another unit
-- ! ON s1."person_id" = s0."person_id" => ON s1."person_id" = s2."person_id" :: s1, s2 could be of another unit

-- rows: a tie between two that are there
SELECT s0."person_id" AS u, s2."dept" AS k0 FROM "people" AS s0 JOIN "visits" AS s1 ON s1."person_id" = s0."person_id"
LEFT JOIN "visits" AS s2 ON s2."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL
-- ! JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" => CROSS JOIN "visits" AS s1 :: s1, s2 could be of another unit
-- ! JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" LEFT JOIN "visits" AS s2 ON s2 => CROSS JOIN "visits" AS s1 LEFT JOIN "visits" AS s2 ON s1."person_id" = s0."person_id" AND s2 :: s1 could be of another unit
-- ! JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" LEFT JOIN "visits" AS s2 => CROSS JOIN "visits" AS s1 LEFT JOIN "departments" AS s2 :: s1 could be of another unit
-- ! JOIN "visits" AS s1 ON s1."person_id" = s0."person_id" LEFT JOIN "visits" AS s2 ON s2."person_id" => CROSS JOIN "visits" AS s1 LEFT JOIN "nation" AS s2 ON s1."person_id" = s0."person_id" AND s2."nationkey" :: s1 could be of another unit

-- rows: tied by WHERE and ON
SELECT s0."person_id" AS u, s2."dept" AS k0 FROM "visits" AS s0 CROSS JOIN "nation" AS s1
LEFT JOIN "visits" AS s2 ON s2."person_id" = s1."nationkey" WHERE s0."person_id" IS NOT NULL AND s1."nationkey" = s0."person_id"
-- ! AND s1."nationkey" = s0."person_id" => AND s1."nationkey" <= s0."person_id" :: s2 could be of another unit

-- rows: joined to one that may be missing
SELECT s0."person_id" AS u, s2."dept" AS k0 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s1."person_id" = s0."person_id"
JOIN "visits" AS s2 ON s2."person_id" = s1."person_id" WHERE s0."person_id" IS NOT NULL
-- ! JOIN "visits" AS s2 ON s2."person_id" = s1 => JOIN "visits" AS s2 ON s2."person_id" IS NOT DISTINCT FROM s1 :: s2 could be of another unit

-- steady: who has no visits
SELECT s0."person_id" AS u, s0."sex" AS k0 FROM "people" AS s0 LEFT JOIN "visits" AS s1 ON s1."person_id" = s0."person_id"
WHERE s0."person_id" IS NOT NULL AND s1."person_id" IS NULL
-- ! s1."person_id" = s0."person_id" => s1."visit_id" = s0."age" :: s1 could be of another unit
-- ! s0."sex" => s1."dept" :: keys are a function of the unit

-- rows: either may be missing
SELECT COALESCE(s0."person_id", s1."person_id") AS u, s0."city" AS k0 FROM "people" AS s0
FULL JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" AND s1."cost" > 100
WHERE COALESCE(s0."person_id", s1."person_id") IS NOT NULL
-- ! AND s1."cost" > 100 => OR s1."cost" > 100 :: s1 could be of another unit
-- ! COALESCE(s0."person_id", s1."person_id") AS u => s0."person_id" AS u :: not the keys of both sides
-- ! COALESCE(s0."person_id", s1."person_id") AS u => COALESCE(s0."person_id", s1."visit_id") AS u :: not a unit key
-- ! COALESCE(s0."person_id", s1."person_id") AS u => COALESCE(s0."person_id", s0."person_id") AS u :: not the keys of both sides
-- ! COALESCE(s0."person_id", s1."person_id") AS u => COALESCE(s0."person_id", s1."person_id", 7) AS u :: not the keys of both sides
-- ! WHERE COALESCE(s0."person_id", s1."person_id") => WHERE COALESCE(s1."person_id", s0."person_id") :: without a unit are not dropped
-- ! WHERE COALESCE(s0."person_id", s1."person_id") IS NOT NULL => WHERE s0."person_id" IS NOT NULL :: without a unit are not dropped
-- ! ON s0."person_id" = s1."person_id" AND => ON s0."age" = s1."person_id" AND :: s1 could be of another unit
-- ! WHERE COALESCE => JOIN "people" AS s2 ON s2."person_id" = s0."person_id" WHERE COALESCE :: FULL join of anything but
-- ! FULL JOIN "visits" AS s1 ON s0."person_id" = s1."person_id" AND => FULL JOIN "visits" AS s1 ON TRUE AND :: s1 could be of another unit
-- ! s0."person_id" = s1."person_id" AND s1."cost" > 100 WHERE => TRUE WHERE s0."person_id" = s1."person_id" AND :: s1 could be of another unit

-- single: units of either side
SELECT COALESCE(s0."u", s1."person_id") AS u, s0."a0" AS k0 FROM ({each}) AS s0
FULL OUTER JOIN "people" AS s1 ON s0."u" = s1."person_id" WHERE COALESCE(s0."u", s1."person_id") IS NOT NULL
-- ! = s1."person_id" WHERE => = s1."person_id" AND s1."age" > 3 WHERE :: not proved: one row per unit

-- rows customer: along a link
SELECT h0."custkey" AS u, s0."flag" AS k0 FROM "lineitem" AS s0 JOIN "orders" AS h0 ON s0."orderkey" = h0."orderkey"
WHERE h0."custkey" IS NOT NULL
-- ! s0."orderkey" = h0."orderkey" => s0."linenumber" = h0."orderkey" :: s0 could be of another unit
-- ! s0."orderkey" = h0."orderkey" => s0."orderkey" = h0."custkey" :: s0 could be of another unit
-- ! h0."custkey" AS u => s0."orderkey" AS u :: not a unit key

-- rows customer: lines of one order
SELECT h0."custkey" AS u, s1."flag" AS k0 FROM "lineitem" AS s0 JOIN "orders" AS h0 ON s0."orderkey" = h0."orderkey"
JOIN "lineitem" AS s1 ON s1."orderkey" = s0."orderkey" WHERE h0."custkey" IS NOT NULL
-- ! s1."orderkey" = s0."orderkey" => s1."linenumber" = s0."linenumber" :: s1 could be of another unit

-- rows customer: an order without its lines
SELECT s0."custkey" AS u, s1."flag" AS k0 FROM "orders" AS s0 LEFT JOIN "lineitem" AS s1 ON s1."orderkey" = s0."orderkey"
WHERE s0."custkey" IS NOT NULL
-- ! s1."orderkey" = s0."orderkey" => s1."orderkey" = s0."custkey" :: s1 could be of another unit

-- rows customer: a tie by numbers that may round
SELECT s0."custkey" AS u, s1."priority" AS k0 FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."orderkey" = s0."orderkey"
WHERE s0."custkey" IS NOT NULL
-- ! s1."orderkey" = s0."orderkey" => CAST(s1."orderkey" AS DOUBLE PRECISION) = s0."orderkey" :: s1 could be of another unit

-- steady: a key under another name
SELECT s0."u" AS u, s1."age" AS k0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0, s0."visit_id" AS c1
FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL) AS s0 JOIN "people" AS s1 ON s1."person_id" = s0."c0" WHERE s0."u" IS NOT NULL
-- ! s0."person_id" AS c0 => s0."person_id" + 0 AS c0 :: s1 could be of another unit
-- ! s1."person_id" = s0."c0" => s1."person_id" = s0."c1" :: s1 could be of another unit
-- ! SELECT s0."u" AS u => SELECT s0."c1" AS u :: not a unit key
-- ! "visits" AS s0 WHERE s0."person_id" IS NOT NULL => "visits" AS s0 WHERE TRUE :: without a unit are not dropped

-- steady: a public column that is the key
SELECT s0."person_id" AS u, s0."age" AS k0 FROM "people" AS s0 JOIN (SELECT s1."person_id" AS u, s0."nationkey" AS c0
FROM "nation" AS s0 JOIN "visits" AS s1 ON s0."nationkey" = s1."person_id" WHERE s1."person_id" IS NOT NULL) AS s1
ON s1."c0" = s0."person_id" WHERE s0."person_id" IS NOT NULL
-- ! s0."nationkey" = s1."person_id" => s0."nationkey" <= s1."person_id" :: s1 could be of another unit

-- rows: a derived relation sees nothing of what is around it
SELECT s0."u" AS u, s0."c0" AS k0 FROM ({v}) AS s0 JOIN "people" AS s1 ON s1."person_id" = s0."u" WHERE s0."u" IS NOT NULL
-- ! JOIN "people" AS s1 ON => JOIN (SELECT s1."person_id" AS u, s0."c0" AS "person_id" FROM "people" AS s1 WHERE s1."person_id" IS NOT NULL) AS s1 ON :: not to be read
-- ! SELECT s0."person_id" AS u => SELECT s1."person_id" AS u :: not to be read
-- ! JOIN "people" AS s1 => JOIN "people" AS s0 :: two sources of one name
