-- two units
SELECT count(*) FROM (SELECT person_id FROM people UNION ALL SELECT custkey FROM customer) t;
-- instead:
SELECT count(*) FROM people UNION ALL SELECT count(*) FROM customer;
-- =>
-- DP002 at 30 ('person_id FR'): UNION ALL of rows of unit person and of unit customer
-- HINT: Combine rows of one privacy unit, or aggregate each side first.

-- private and public rows
SELECT count(*) FROM (SELECT dept FROM visits UNION ALL SELECT dept FROM departments) t;
-- instead:
SELECT sum(n) FROM (SELECT count(*) AS n FROM visits UNION ALL SELECT count(*) FROM departments) t;
-- =>
-- DP002 at 30 ('dept FROM vi'): UNION ALL of rows of unit person and of public or released tables
-- HINT: Combine rows of one privacy unit, or aggregate each side first.

-- public rows that are nobody's
SELECT dept FROM departments EXCEPT SELECT dept FROM visits;
-- instead:
SELECT dept FROM departments EXCEPT SELECT dept FROM visits GROUP BY dept;
-- =>
-- DP002 at 8 ('dept FROM de'): EXCEPT of rows of public or released tables and of unit person
-- HINT: Combine rows of one privacy unit, or aggregate each side first.

-- released and private rows
SELECT count(*) FROM people GROUP BY sex UNION ALL SELECT age FROM people;
-- instead:
SELECT count(*) FROM people GROUP BY sex UNION ALL SELECT count(*) FROM people GROUP BY age;
-- =>
-- DP002 at 59 ('age FROM peo'): UNION ALL of rows of public or released tables and of unit person
-- HINT: Combine rows of one privacy unit, or aggregate each side first.

-- UNION without the key
SELECT count(*) FROM (SELECT dept FROM visits UNION SELECT dept FROM visits WHERE cost > 100) t;
-- instead:
SELECT count(*) FROM (SELECT person_id, dept FROM visits UNION SELECT person_id, dept FROM visits WHERE cost > 100) t;
-- =>
-- DP002 at 30 ('dept FROM vi'): UNION would compare rows of one person with those of others
-- HINT: Select the key of the person first on both sides, use UNION ALL, or aggregate each side first.

-- INTERSECT of what many share
SELECT count(*) FROM (SELECT city FROM people WHERE smoker INTERSECT SELECT city FROM people WHERE NOT smoker) t;
-- instead:
SELECT count(*) FROM (SELECT city FROM people WHERE smoker GROUP BY city INTERSECT SELECT city FROM people WHERE NOT smoker GROUP BY city) t;
-- =>
-- DP002 at 30 ('city FROM pe'): INTERSECT would compare rows of one person with those of others
-- HINT: Select the key of the person first on both sides, use UNION ALL, or aggregate each side first.
