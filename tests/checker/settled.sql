-- GROUP BY what settles the unit, before the join that leads to it: exact aggregates of one unit's rows.

-- rows customer: by a link
SELECT h0."custkey" AS u, s0."v0" AS k0 FROM (SELECT g0, SUM(a0) AS v0 FROM (SELECT s0."orderkey" AS g0, s0."linenumber" AS a0 FROM "lineitem" AS s0
WHERE s0."linenumber" > 1) AS r GROUP BY g0) AS s0 JOIN "orders" AS h0 ON s0."g0" = h0."orderkey" WHERE h0."custkey" IS NOT NULL
-- ! s0."orderkey" AS g0 => s0."linenumber" AS g0 :: could be of several units
-- ! s0."orderkey" AS g0 => s0."orderkey" + 0 AS g0 :: could be of several units
-- ! s0."g0" = h0."orderkey" => s0."v0" = h0."orderkey" :: could be of another unit
-- ! s0."g0" = h0."orderkey" => s0."g0" >= h0."orderkey" :: could be of another unit
-- ! s0."g0" = h0."orderkey" => TRUE :: could be of another unit
-- ! SELECT g0, SUM(a0) AS v0 => SELECT MAX(g0) AS g0, SUM(a0) AS v0 :: could be of another unit
-- ! SUM(a0) AS v0 => a0 AS v0 :: neither grouped nor aggregated
-- ! SUM(a0) AS v0 => SUM(a0 * 1.5e0) AS v0 :: depends on the order of rows
-- ! SUM(a0) AS v0 => SUM(a0) OVER (PARTITION BY g0) AS v0 :: beside aggregates
-- ! GROUP BY g0 => GROUP BY g0 % 2 :: grouped by more than columns
-- ! GROUP BY g0 => GROUP BY GROUPING SETS ((g0), ()) :: grouping sets where none belong
-- ! GROUP BY g0 => GROUP BY g0 HAVING COUNT(*) > 1 :: a having clause
-- ! "linenumber" > 1) AS r => "linenumber" > 1 LIMIT 5) AS r :: a limit clause
-- ! "linenumber" > 1) AS r => "linenumber" > 1 OFFSET 0) AS r :: a offset clause
-- ! SELECT s0."orderkey" AS g0 => SELECT DISTINCT s0."orderkey" AS g0 :: a distinct clause
-- ! FROM "lineitem" AS s0 => FROM "lineitem" AS s0 JOIN "nation" AS s1 ON TRUE :: joins clause
-- ! s0."linenumber" > 1 => EXISTS (SELECT 1 FROM "orders" AS q0) :: q0 could be of another unit
-- ! h0."custkey" AS u => s0."g0" AS u :: not a unit key
-- ! WHERE h0."custkey" IS NOT NULL => WHERE TRUE :: without a unit are not dropped

-- rows customer: by a link and more
SELECT h0."custkey" AS u, s0."g1" AS k0 FROM (SELECT g1, g0, COUNT(*) AS v0 FROM (SELECT s0."orderkey" AS g0, s0."flag" AS g1 FROM "lineitem" AS s0) AS r
GROUP BY g1, g0) AS s0 JOIN "orders" AS h0 ON s0."g0" = h0."orderkey" WHERE h0."custkey" IS NOT NULL AND s0."v0" > 1
-- ! GROUP BY g1, g0 => GROUP BY g1 :: could be of several units
-- ! SELECT g1, g0 => SELECT g1, MIN(g0) AS g0 :: could be of another unit
