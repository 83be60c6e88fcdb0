-- distinct
SELECT count(DISTINCT city) FROM people;
-- =>
-- 0A000 at 8 ('count(DISTIN'): DISTINCT inside an aggregate is not supported over private tables
-- HINT: COUNT(*) over a table with one row per unit counts units; or GROUP BY the column instead.

-- minimum
SELECT min(age) FROM people;
-- =>
-- 0A000 at 8 ('min(age) FRO'): MIN of these arguments is not supported over private tables
-- HINT: Use COUNT(*), COUNT(x), SUM(x) or AVG(x) of a numeric expression, with FILTER if need be.

-- a median
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM people;
-- =>
-- 0A000 at 8 ('percentile_c'): WITHIN GROUP is not supported in a statement over private tables
-- HINT: Use AVG, or COUNT grouped by ranges of the value.

-- values in a list
SELECT array_agg(name) FROM people;
-- =>
-- 0A000 at 8 ('array_agg(na'): array_agg() is not supported in a statement over private tables
-- HINT: Use COUNT, SUM or AVG with GROUP BY.

-- grouping sets
SELECT sex, count(*) FROM people GROUP BY ROLLUP (sex);
-- =>
-- 0A000 at 51 ('sex)'): ROLLUP is not supported in a statement over private tables
-- HINT: Leave it out, or apply it to a released table of your own.

-- a subquery among the conditions
SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people);
-- =>
-- 0A000 at 49 ('avg(age) FRO'): a subquery among the expressions of a query over private rows is not supported
-- HINT: Join the table in FROM instead, or ask for the inner value in a statement of its own.

-- a column that is not grouped
SELECT sex, age, count(*) FROM people GROUP BY sex;
-- =>
-- DP002 at 13 ('age, count(*'): column "age" is neither aggregated nor one of the keys
-- HINT: Add "age" to GROUP BY, or aggregate it.

-- a lateral join
SELECT count(*) FROM people p, LATERAL (SELECT 1) t;
-- =>
-- 0A000 at 48 ('1) t'): LATERAL is not supported in a statement over private tables
-- HINT: Join tables, subqueries and CTEs without LATERAL.

-- a function in FROM
SELECT count(*) FROM people, generate_series(1, 10);
-- =>
-- 0A000 at 30 ('generate_ser'): generate_series() is not supported in a statement over private tables
-- HINT: Leave it out, or apply it to a released table of your own.
