-- GROUP BY the unit: exact aggregates of its own rows.

-- rows: by the unit and more
SELECT s0."u" AS u, s0."a0" AS k0 FROM ({counts}) AS s0 WHERE s0."u" IS NOT NULL
-- ! GROUP BY u, c0 => GROUP BY c0 :: does not begin with the unit
-- ! GROUP BY u, c0 => GROUP BY c0, u :: does not begin with the unit
-- ! GROUP BY u, c0 => GROUP BY u :: neither grouped nor aggregated
-- ! GROUP BY u, c0 => GROUP BY ALL :: Group with all is not on the list
-- ! GROUP BY u, c0 => GROUP BY 1, 2 :: grouped by more than columns
-- ! GROUP BY u, c0 => GROUP BY u % 2, c0 :: grouped by more than columns
-- ! GROUP BY u, c0 => GROUP BY ROLLUP (u, c0) :: list
-- ! GROUP BY u, c0 => GROUP BY GROUPING SETS ((u, c0), (c0)) :: grouping sets where none belong
-- ! GROUP BY u, c0 => GROUP BY u, c0 HAVING COUNT(*) > 1 :: a having clause
-- ! GROUP BY u, c0 => GROUP BY u, c0 ORDER BY u :: a order clause
-- ! SELECT u, c0, COUNT(*) => SELECT c1 AS u, c0, COUNT(*) :: first item is not u
-- ! SELECT u, c0, COUNT(*) => SELECT MIN(u) AS u, c0, COUNT(*) :: first item is not u
-- ! SELECT u, c0, COUNT(*) => SELECT c0, u, COUNT(*) :: first item is not u
-- ! MAX(c3) AS a1 => MAX(c9) AS a1 :: not to be read
-- ! MAX(c3) AS a1 => c3 AS a1 :: neither grouped nor aggregated
-- ! MAX(c3) AS a1 => MAX(c3) OVER (PARTITION BY u) AS a1 :: beside aggregates
-- ! MAX(c3) AS a1 => ANY_VALUE(c3) AS a1 :: AnyValue is not on the list|IgnoreNulls is not on the list
-- ! MAX(c3) AS a1 => FIRST(c3) AS a1 :: is not on the list
-- ! MAX(c3) AS a1 => SUM(c2) AS a1 :: depends on the order of rows
-- ! MAX(c3) AS a1 => AVG(c2) AS a1 :: depends on the order of rows
-- ! MAX(c3) AS a1 => SUM(CAST(c1 AS DOUBLE PRECISION) / 3) AS a1 :: depends on the order of rows
-- ! MAX(c3) AS a1 => MAX((SELECT COUNT(*) FROM "visits" AS q0)) AS a1 :: q0 could be of another unit
-- ! MAX(c3) AS a1 => COUNT(DISTINCT c2, c3) AS a1 :: a count of several columns
-- ! MAX(c3) AS a1 => (SELECT COUNT(*) FROM "visits" AS q0) AS a1 :: beside aggregates
-- ! WHERE s0."person_id" IS NOT NULL) AS r => WHERE TRUE) AS r :: without a unit are not dropped
-- ! ) AS r GROUP BY => ) AS r JOIN "people" AS s9 ON TRUE GROUP BY :: joins clause

-- single: by the unit alone
SELECT s0."u" AS u, s0."a0" AS k0 FROM ({each}) AS s0 WHERE s0."u" IS NOT NULL
-- ! SELECT u, COUNT(*) AS a0, MIN(c0) AS a1 => SELECT u, c0, COUNT(*) AS a0, MIN(c0) AS a1 :: neither grouped
-- ! GROUP BY u => GROUP BY u, c0 :: not proved: one row per unit
-- ! s0."a0" AS k0 => s0."a9" AS k0 :: not to be read
-- ! SELECT s0."u" AS u => SELECT s0."a0" AS u :: not a unit key

-- single: aggregates
SELECT s0."u" AS u, s0."a1" AS k0 FROM (SELECT u, COUNT(c0) AS a0, COUNT(DISTINCT c0) AS a1, SUM(c1) AS a2, AVG(c1) AS a3, MIN(c2) AS a4,
MAX(c3) AS a5, BOOL_AND(c2 > 5) AS a6, BOOL_OR(c2 > 5) AS a7, SUM(CASE WHEN c2 > 5 THEN c1 END) / NULLIF(COUNT(*), 0) AS a8,
SUM(CAST(LEAST(GREATEST(c2, 0), 1000) AS DECIMAL(10, 2))) AS a9 FROM ({v}) AS r GROUP BY u) AS s0 WHERE s0."u" IS NOT NULL
-- ! SUM(c1) AS a2 => SUM(c1 * 1.5e0) AS a2 :: depends on the order of rows
-- ! AVG(c1) AS a3 => AVG(c1 / 2.5) AS a3 :: depends on the order of rows
-- ! AVG(c1) AS a3 => SUM() AS a3 :: does not parse
-- ! THEN c1 END => THEN c1 ELSE 0.5e0 END :: depends on the order of rows

-- single: per-unit DISTINCT of what is steady
SELECT s0."u" AS u, s0."c1" AS k0 FROM (SELECT u, c1 FROM ({p}) AS r GROUP BY u, c1) AS s0 WHERE s0."u" IS NOT NULL

-- rows: per-unit DISTINCT
SELECT u, c0 AS k0 FROM ({v}) AS r GROUP BY u, c0
-- ! GROUP BY u, c0 => GROUP BY u, c1 :: neither grouped nor aggregated

-- rows: with a qualifier
SELECT s0."u" AS u, s0."a0" AS k0 FROM (SELECT r.u AS u, r."c0" AS c0, SUM(r.c1) AS a0 FROM ({v}) AS r GROUP BY r.u, r.c0) AS s0 WHERE s0."u" IS NOT NULL
-- ! SUM(r.c1) => SUM(s0.c1) :: not to be read
-- ! GROUP BY r.u => GROUP BY r.c3 :: begin with the unit
-- ! SELECT r.u AS u => SELECT r.u AS w :: first item is not u

-- single: a copy of the key ties on
SELECT s0."u" AS u, s1."age" AS k0 FROM (SELECT u, c0, COUNT(*) AS a0 FROM (SELECT s0."person_id" AS u, s0."person_id" AS c0 FROM "visits" AS s0
WHERE s0."person_id" IS NOT NULL) AS r GROUP BY u, c0) AS s0 JOIN "people" AS s1 ON s1."person_id" = s0."c0" WHERE s0."u" IS NOT NULL
-- ! ON s1."person_id" = s0."c0" => ON s1."person_id" = s0."a0" :: s1 could be of another unit
