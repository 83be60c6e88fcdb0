-- Windows over a unit's own rows.

-- rows: the first rows of each unit
SELECT s0."u" AS u, s0."c0" AS k0 FROM (SELECT u, c0, ROW_NUMBER() OVER (PARTITION BY u, c0 ORDER BY c3 DESC NULLS LAST, c1, c2) AS w0
FROM ({v}) AS r) AS s0 WHERE s0."u" IS NOT NULL AND s0."w0" <= 2
-- ! PARTITION BY u, c0 ORDER => ORDER :: not within the unit
-- ! PARTITION BY u, c0 => PARTITION BY c0, u :: not within the unit
-- ! PARTITION BY u, c0 => PARTITION BY c0 :: not within the unit
-- ! PARTITION BY u, c0 => PARTITION BY u + 0, c0 :: not within the unit
-- ! PARTITION BY u, c0 => PARTITION BY (u), c0 :: not within the unit
-- ! PARTITION BY u, c0 ORDER => PARTITION BY u ORDER :: leaves rows to the engine
-- ! , c1, c2) => , c1) :: leaves rows to the engine
-- ! ORDER BY c3 DESC NULLS LAST, c1, c2 => ORDER BY COALESCE(c3, c3), c1, c2 :: leaves rows to the engine
-- ! ORDER BY c3 DESC NULLS LAST, c1, c2) => ) :: leaves rows to the engine
-- ! SELECT u, c0, ROW => SELECT c1 AS u, c0, ROW :: first item is not u
-- ! SELECT u, c0, ROW => SELECT ROW_NUMBER() OVER (PARTITION BY u ORDER BY c0, c1, c2, c3) AS u, c0, ROW :: first item is not u
-- ! FROM ({v}) AS r => FROM ({v}) AS r WHERE c1 > 3 :: a where clause
-- ! FROM ({v}) AS r => FROM ({v}) AS r LIMIT 10 :: a limit clause
-- ! FROM ({v}) AS r => FROM "visits" AS r :: not one derived table
-- ! ROW_NUMBER() OVER => RANDOM() OVER :: list
-- ! c3 DESC NULLS LAST => (SELECT MAX(q0."day") FROM "visits" AS q0) DESC :: q0 could be of another unit
-- ! c0, ROW => c0, COUNT(*) AS a0, ROW :: beside windows

-- rows: lag
SELECT u, LAG(c0, 1, 'none') OVER (PARTITION BY u ORDER BY c3, c0, c1, c2, c3) AS k0 FROM ({v}) AS r
-- ! c3, c0, c1, c2, c3) => c3, c0, c1) :: leaves rows to the engine
-- ! PARTITION BY u ORDER => ORDER :: not within the unit
-- ! LAG(c0, 1 => LAG(c0, c1 :: number is no constant, or too small

-- rows: first, last, n-th, and so on
SELECT s0."u" AS u, s0."w0" AS k0 FROM (SELECT u, LAST_VALUE(c0) OVER (PARTITION BY u ORDER BY u, c0, c1, c2, c3) AS w0,
FIRST_VALUE(c0) OVER (PARTITION BY u ORDER BY c0, c1, c2, c3) AS w1, NTH_VALUE(c0, 2) OVER (PARTITION BY u ORDER BY c0, c1, c2, c3) AS w2,
LEAD(c0) OVER (PARTITION BY u ORDER BY c0, c1, c2, c3) AS w3, NTILE(4) OVER (PARTITION BY u ORDER BY c0, c1, c2, c3) AS w4
FROM ({v}) AS r) AS s0 WHERE s0."u" IS NOT NULL
-- ! c3) AS w0 => c1) AS w0 :: leaves rows to the engine
-- ! c3) AS w1 => c1) AS w1 :: leaves rows to the engine
-- ! c3) AS w2 => c1) AS w2 :: leaves rows to the engine
-- ! c3) AS w3 => c1) AS w3 :: leaves rows to the engine
-- ! c3) AS w4 => c1) AS w4 :: leaves rows to the engine
-- ! NTILE(4) => NTILE(c1) :: number is no constant, or too small
-- ! NTILE(4) => NTILE(0) :: number is no constant, or too small
-- ! NTH_VALUE(c0, 2) => NTH_VALUE(c0, 0) :: number is no constant, or too small
-- ! NTH_VALUE(c0, 2) => NTH_VALUE(c0, c1) :: number is no constant, or too small

-- rows: ranks
SELECT u, RANK() OVER (PARTITION BY u ORDER BY c2 DESC) AS k0 FROM ({v}) AS r
-- ! RANK() => ROW_NUMBER() :: leaves rows to the engine
-- ! PARTITION BY u => PARTITION BY c0 :: not within the unit
-- ! PARTITION BY u => PARTITION BY u, s0.c0 :: not to be read

-- rows: other ranks
SELECT u, CAST(CUME_DIST() OVER (PARTITION BY u ORDER BY c3) + PERCENT_RANK() OVER (PARTITION BY u ORDER BY c3) AS TEXT) AS k0 FROM ({v}) AS r
-- ! CUME_DIST() OVER (PARTITION BY u => CUME_DIST() OVER (PARTITION BY c0 :: not within the unit
-- ! PERCENT_RANK() OVER (PARTITION BY u ORDER => PERCENT_RANK() OVER (ORDER :: not within the unit

-- rows: a running sum
SELECT u, SUM(c1) OVER (PARTITION BY u ORDER BY c3, c0, c1, c2 ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS k0 FROM ({v}) AS r
-- ! SUM(c1) => SUM(c2) :: sum that depends on the order of rows
-- ! SUM(c1) => AVG(c2) :: sum that depends on the order of rows
-- ! ORDER BY c3, c0, c1, c2 ROWS => ORDER BY c3 ROWS :: leaves rows to the engine
-- ! 2 PRECEDING => c1 PRECEDING :: not constant
-- ! 2 PRECEDING => -2 PRECEDING :: not constant
-- ! CURRENT ROW) => CURRENT ROW EXCLUDE TIES) :: list
-- ! SUM(c1) => SUM(DISTINCT c1) :: a window over distinct values
-- ! SUM(c1) => COUNT(DISTINCT c1) :: distinct values

-- rows: a sum of peers
SELECT u, SUM(c1) OVER (PARTITION BY u ORDER BY c3) AS k0 FROM ({v}) AS r
-- ! ORDER BY c3 => ORDER BY c3 ROWS UNBOUNDED PRECEDING :: leaves rows to the engine
-- ! ORDER BY c3 => ORDER BY c3 GROUPS UNBOUNDED PRECEDING :: leaves rows to the engine

-- rows: a sum of a range
SELECT u, COUNT(*) OVER (PARTITION BY u ORDER BY c1 RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS k0 FROM ({v}) AS r
-- ! CURRENT ROW AND => 30 PRECEDING AND :: ends are values
-- ! ORDER BY c1 RANGE BETWEEN CURRENT ROW AND => ORDER BY HASH(c1) RANGE BETWEEN 30 PRECEDING AND :: ends are values|HASH is not one
-- ! CURRENT ROW AND => (SELECT COUNT(*) FROM "people" AS q0) PRECEDING AND :: not constant

-- steady: a sum of all
SELECT u, SUM(c1) OVER (PARTITION BY u) AS k0 FROM ({v}) AS r
-- ! PARTITION BY u => PARTITION BY u, c0 :: keys are a function of the unit
-- ! PARTITION BY u => PARTITION BY u ORDER BY c3 :: keys are a function of the unit
-- ! SUM(c1) OVER (PARTITION BY u) => COALESCE(SUM(c1) OVER (PARTITION BY u), c1) :: keys are a function of the unit
-- ! SUM(c1) => FIRST_VALUE(c1) :: leaves rows to the engine
-- ! SUM(c1) => SUM(c2) :: sum that depends on the order of rows

-- steady: within an expression
SELECT u, CASE WHEN COUNT(*) OVER (PARTITION BY u) > 3 THEN 'many' ELSE 'few' END AS k0 FROM ({v}) AS r
-- ! (PARTITION BY u) => () :: not within the unit
-- ! ELSE 'few' => ELSE c0 :: keys are a function of the unit
-- ! ELSE 'few' => ELSE MAX(c0) :: beside windows
-- ! ELSE 'few' => ELSE (SELECT MAX(q0."dept") FROM "visits" AS q0) :: beside windows

-- single: one row each
SELECT u, COUNT(*) OVER (PARTITION BY u) AS k0 FROM ({p}) AS r
-- ! FROM ({p}) => FROM ({v}) :: not proved: one row per unit
