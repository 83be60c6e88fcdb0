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

-- released and private rows
SELECT count(*) FROM people GROUP BY sex UNION ALL SELECT age FROM people;
-- instead:
SELECT count(*) FROM people GROUP BY sex UNION ALL SELECT count(*) FROM people GROUP BY age;
-- =>
-- DP002 at 59 ('age FROM peo'): UNION ALL of rows of public or released tables and of unit person
-- HINT: Combine rows of one privacy unit, or aggregate each side first.

-- what many share, row by row
SELECT count(*) FROM (SELECT city FROM people WHERE smoker INTERSECT ALL SELECT city FROM people WHERE NOT smoker) t;
-- instead:
SELECT count(*) FROM (SELECT city FROM people WHERE smoker INTERSECT SELECT city FROM people WHERE NOT smoker) t;
-- =>
-- DP002 at 30 ('city FROM pe'): INTERSECT ALL would compare rows of one person with those of others
-- HINT: Select the key of the person first on both sides, use UNION ALL, or aggregate each side first.
