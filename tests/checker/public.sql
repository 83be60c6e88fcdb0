-- Public queries as sources: whatever they are made of, they stand by themselves and read nothing private.

-- rows: grouped
SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "visits" AS s0 JOIN (SELECT s0."building" AS c0, COUNT(*) AS c1, AVG(s0."beds" * 1e0) AS c2
FROM "departments" AS s0 WHERE s0."beds" > 5 GROUP BY s0."building" HAVING COUNT(*) > 0) AS s1 ON s1."c1" < s0."cost"
WHERE s0."person_id" IS NOT NULL
-- ! "departments" AS s0 WHERE => "people" AS s0 WHERE :: a where clause where none belongs
-- ! FROM "departments" AS s0 WHERE => FROM "departments" AS s0 CROSS JOIN "people" AS s9 WHERE :: a joins clause where none belongs
-- ! s0."beds" > 5 => EXISTS (SELECT 1 FROM "people" AS q0) :: a where clause where none belongs
-- ! COUNT(*) > 0 => COUNT(*) > (SELECT COUNT(*) FROM "visits" AS q0) :: a where clause where none belongs
-- ! s0."beds" > 5 => s1."beds" > 5 :: not to be read
-- ! s0."building" AS c0 => s0."rowid" AS c0 :: not to be read

-- single: grouped by a derived one's column
SELECT s0."person_id" AS u, s1."v0" AS k0 FROM "people" AS s0 LEFT JOIN (SELECT g0, SUM(a0) AS v0
FROM (SELECT s0."building" AS g0, s0."beds" AS a0 FROM "departments" AS s0) AS r GROUP BY g0) AS s1 ON s1."g0" = s0."city"
WHERE s0."person_id" IS NOT NULL
-- ! s1."g0" = s0."city" => s1."v0" = s0."age" :: not proved: one row per unit
-- ! GROUP BY g0) => GROUP BY g0, a0) :: not proved: one row per unit
-- ! GROUP BY g0) => GROUP BY 1) :: which counts items
-- ! SELECT g0, SUM(a0) AS v0 FROM (SELECT s0."building" AS g0, s0."beds" AS a0 FROM "departments" AS s0) AS r GROUP BY g0) => SELECT g0, 2 AS v0 FROM (SELECT s0."building" AS g0, s0."beds" AS a0 FROM "departments" AS s0) AS r GROUP BY g0, (2)) :: which counts items
-- ! FROM "departments" AS s0) AS r => FROM "visits" AS s0) AS r :: not to be read

-- single: one row for all
SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0 CROSS JOIN (SELECT COUNT(*) AS c0 FROM "departments" AS s0) AS s1
WHERE s0."person_id" IS NOT NULL
-- ! COUNT(*) AS c0 FROM "departments" AS s0 => COUNT(*) AS c0 FROM "departments" AS s0 GROUP BY s0."dept" :: not proved: one row per unit
-- ! COUNT(*) AS c0 => COUNT(*) OVER () AS c0 :: not proved: one row per unit
-- ! COUNT(*) AS c0 FROM "departments" => COUNT(*) AS c0 FROM "visits" :: first item is not a column

-- rows: windows, ORDER BY and LIMIT
SELECT s0."person_id" AS u, s1."c1" AS k0 FROM "visits" AS s0 JOIN (SELECT s0."dept" AS c0, ROW_NUMBER() OVER (ORDER BY s0."beds" DESC) AS c1
FROM "departments" AS s0 ORDER BY c1 LIMIT 3 OFFSET 1) AS s1 ON s1."c0" = s0."dept" WHERE s0."person_id" IS NOT NULL
-- ! ORDER BY c1 => ORDER BY c7 :: not to be read
-- ! LIMIT 3 => LIMIT 3 + 1 :: no whole number
-- ! FROM "departments" AS s0 ORDER => FROM "visits" AS s0 ORDER :: where none belongs

-- rows: joins of all kinds
SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0 CROSS JOIN (SELECT DISTINCT s0."dept" AS c0 FROM "departments" AS s0
FULL JOIN "nation" AS s1 ON s0."beds" = s1."nationkey" RIGHT JOIN "nation" AS s2 ON TRUE LEFT JOIN "nation" AS s3 ON s3."nation" = s1."nation") AS s1
WHERE s0."person_id" IS NOT NULL
-- ! "nation" AS s3 => "people" AS s3 :: a distinct clause where none belongs
-- ! SELECT DISTINCT s0."dept" => SELECT DISTINCT ON (s0."beds") s0."dept" :: list
-- ! LEFT JOIN "nation" => ASOF LEFT JOIN "nation" :: Join with method is not on the list

-- single: a set operation
SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0 LEFT JOIN (SELECT s0."dept" AS c0 FROM "departments" AS s0
UNION SELECT s0."nation" AS c0 FROM "nation" AS s0) AS s1 ON s1."c0" = s0."city" WHERE s0."person_id" IS NOT NULL
-- ! UNION SELECT => UNION ALL SELECT :: not proved: one row per unit
-- ! FROM "nation" AS s0) => FROM "nation" AS s0 WHERE EXISTS (SELECT 1 FROM "people" AS q0)) :: first item is not a unit key
-- ! SELECT s0."nation" AS c0 FROM "nation" AS s0) => SELECT s0."city" AS c0 FROM "people" AS s0) :: first item is not a unit key
-- ! SELECT s0."nation" AS c0 => SELECT s0."nation" AS c0, 1 AS c1 :: different columns

-- rows: subqueries
SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0 CROSS JOIN (SELECT s0."dept" AS c0 FROM "departments" AS s0
WHERE EXISTS (SELECT 1 FROM "nation" AS q0 WHERE q0."nationkey" < s0."beds") AND s0."beds" >= (SELECT MIN(q0."beds") FROM "departments" AS q0)) AS s1
WHERE s0."person_id" IS NOT NULL
-- ! SELECT MIN(q0."beds") FROM "departments" AS q0 => SELECT MIN(q0."age") FROM "people" AS q0 :: first item is not a unit key
-- ! FROM "nation" AS q0 => FROM "orders" AS q0 :: first item is not a unit key
-- ! SELECT MIN(q0."beds") FROM "departments" AS q0 => SELECT MIN(s9."beds") FROM "departments" AS q0 :: not to be read

-- rows: constants
SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0 CROSS JOIN (SELECT 1 AS c0 UNION ALL SELECT 2 AS c0) AS s1
WHERE s0."person_id" IS NOT NULL
-- ! SELECT 2 AS c0 => SELECT s0."age" AS c0 :: not to be read
-- ! SELECT 2 AS c0 => SELECT RANDOM() AS c0 :: Rand is not on the list
-- ! SELECT 2 AS c0 => SELECT * FROM "departments" AS s0 :: Star outside of COUNT

-- rows: it sees nothing of what is beside it
SELECT s0."person_id" AS u, s1."c0" AS k0 FROM "people" AS s0
CROSS JOIN (SELECT s1."dept" AS c0 FROM "departments" AS s1 WHERE s1."beds" > 10) AS s1 WHERE s0."person_id" IS NOT NULL
-- ! s1."beds" > 10 => s1."beds" > s0."age" :: not to be read
-- ! SELECT s1."dept" AS c0 => SELECT s0."city" AS c0 :: not to be read
-- ! s1."beds" > 10 => EXISTS (SELECT 1 FROM "nation" AS q0 WHERE q0."nationkey" = s0."age") :: not to be read
-- ! s1."beds" > 10 => s1."beds" > c0 :: not to be read
