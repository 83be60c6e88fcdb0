-- rows of a private table
SELECT * FROM people;
-- =>
-- DP002: this statement would return rows of private tables
-- HINT: Select aggregates: COUNT(*), SUM(x) or AVG(x), with GROUP BY for a row per group.

-- a column of it
SELECT age FROM people WHERE age > 30 LIMIT 5;
-- =>
-- DP002 at 8 ('age FROM peo'): this statement would return rows of private tables
-- HINT: Select aggregates: COUNT(*), SUM(x) or AVG(x), with GROUP BY for a row per group.

-- the unit's key as a group
SELECT person_id, count(*) FROM people GROUP BY person_id;
-- =>
-- DP002 at 49 ('person_id'): GROUP BY "person_id" would give one row for each person
-- HINT: Group by a column that many share, or leave the GROUP BY out.

-- the unit's key through a derived table
SELECT p, count(*) FROM (SELECT person_id AS p FROM visits) t GROUP BY p;
-- =>
-- DP002 at 61 ('t GROUP BY p'): GROUP BY "p" would give one row for each person
-- HINT: Group by a column that many share, or leave the GROUP BY out.

-- a set operation of private rows
SELECT age FROM people UNION ALL SELECT age FROM people;
-- =>
-- 0A000 at 8 ('age FROM peo'): UNION of private rows is not supported
-- HINT: Aggregate each side first; set operations over released rows are free.

-- a subquery that returns rows
SELECT d.dept FROM departments d WHERE d.dept IN (SELECT dept FROM visits);
-- =>
-- DP002 at 58 ('dept FROM vi'): this subquery would return rows of private tables
-- HINT: Aggregate them in the subquery: COUNT(*), SUM(x) or AVG(x).
