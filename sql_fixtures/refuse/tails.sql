-- LIMIT in a derived table
SELECT avg(age) FROM (SELECT age FROM people ORDER BY age LIMIT 10) t;
-- instead:
SELECT avg(cost) FROM (SELECT cost, row_number() OVER (PARTITION BY person_id ORDER BY cost, visit_id) AS r FROM visits) t WHERE r <= 10;
-- =>
-- DP002 at 65 ('10) t'): LIMIT over private rows would keep those of some units and not of others
-- HINT: Leave it out, or keep rows of each unit: ROW_NUMBER() OVER (PARTITION BY its key ORDER BY …) AS r in a derived table, and WHERE r <= n around it.

-- OFFSET in a derived table
SELECT avg(cost) FROM (SELECT cost FROM visits OFFSET 10) t;
-- instead:
SELECT avg(cost) FROM (SELECT cost, row_number() OVER (PARTITION BY person_id ORDER BY day, visit_id) AS r FROM visits) t WHERE r > 10;
-- =>
-- DP002 at 55 ('10) t'): OFFSET over private rows would keep those of some units and not of others
-- HINT: Leave it out, or keep rows of each unit: ROW_NUMBER() OVER (PARTITION BY its key ORDER BY …) AS r in a derived table, and WHERE r <= n around it.

-- FETCH in a derived table
SELECT count(*) FROM (SELECT age FROM people ORDER BY age FETCH FIRST 3 ROWS ONLY) t;
-- instead:
SELECT count(*) FROM (SELECT age FROM people ORDER BY age) t;
-- =>
-- DP002 at 71 ('3 ROWS ONLY)'): FETCH over private rows would keep those of some units and not of others
-- HINT: Leave it out, or keep rows of each unit: ROW_NUMBER() OVER (PARTITION BY its key ORDER BY …) AS r in a derived table, and WHERE r <= n around it.

-- the largest of all people
SELECT avg(n) FROM (SELECT person_id, count(*) AS n FROM visits GROUP BY person_id ORDER BY count(*) DESC LIMIT 10) t;
-- instead:
SELECT avg(n) FROM (SELECT person_id, count(*) AS n FROM visits GROUP BY person_id) t WHERE n > 10;
-- =>
-- DP002 at 113 ('10) t'): LIMIT over private rows would keep those of some units and not of others
-- HINT: Leave it out, or keep rows of each unit: ROW_NUMBER() OVER (PARTITION BY its key ORDER BY …) AS r in a derived table, and WHERE r <= n around it.

-- LIMIT of a set operation
SELECT count(*) FROM (SELECT person_id FROM people UNION ALL SELECT person_id FROM visits LIMIT 3) t;
-- instead:
SELECT count(*) FROM (SELECT person_id FROM people UNION ALL SELECT person_id FROM visits) t;
-- =>
-- DP002 at 97 ('3) t'): LIMIT over private rows would keep those of some units and not of others
-- HINT: Leave it out, or keep rows of each unit: ROW_NUMBER() OVER (PARTITION BY its key ORDER BY …) AS r in a derived table, and WHERE r <= n around it.

-- a limit that is no number
SELECT count(*) FROM visits JOIN (SELECT dept FROM departments ORDER BY beds LIMIT 1.5) d USING (dept);
-- instead:
SELECT count(*) FROM visits JOIN (SELECT dept FROM departments ORDER BY beds LIMIT 10) d USING (dept);
-- =>
-- 0A000 at 84 ('1.5) d USING'): LIMIT and OFFSET of public rows that meet private ones must be whole numbers
-- HINT: Write a number: LIMIT 10.

-- WITH TIES
SELECT count(*) FROM visits JOIN (SELECT dept FROM departments ORDER BY beds FETCH FIRST 2 ROWS WITH TIES) d USING (dept);
-- instead:
SELECT count(*) FROM visits JOIN (SELECT dept FROM departments ORDER BY beds LIMIT 2) d USING (dept);
-- =>
-- 0A000 at 90 ('2 ROWS WITH '): FETCH … WITH TIES is not supported here
-- HINT: Write LIMIT n.
