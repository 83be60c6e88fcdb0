-- one row per unit: one plain aggregate
SELECT count(*) FROM people;
-- =>

-- public keys: only rows with a declared value
SELECT sex, count(*) FROM people GROUP BY sex;
-- =>

-- private keys, one row per unit: the number of units is the count
SELECT city, count(*) FROM people GROUP BY city;
-- =>

-- many rows per unit: contributions and total
SELECT count(*), sum(cost) FROM visits;
-- =>

-- many rows per unit and private keys: contributions, limit and total
SELECT dept, count(*), avg(cost) FROM visits GROUP BY dept;
-- =>

-- the limit is the analyst's where set
-- set dp.max_groups_per_unit = 1
-- set dp.max_rows_per_unit = 2
SELECT dept, sum(cost) FROM visits GROUP BY dept;
-- =>

-- few public keys: no limit step
SELECT extract(quarter FROM day), count(*) FROM visits WHERE day >= DATE '2024-01-01' GROUP BY 1;
-- =>
