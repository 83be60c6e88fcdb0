-- rows of two people
SELECT count(*) FROM people p JOIN visits v ON p.age = v.visit_id;
-- =>
-- DP002: joining "p" with "v" could put rows of two persons together
-- HINT: Join them ON v.person_id = p.person_id.

-- a cross join of private tables
SELECT count(*) FROM people, visits;
-- =>
-- DP002: joining "people" with "visits" could put rows of two persons together
-- HINT: Join them ON visits.person_id = people.person_id.

-- two units
SELECT count(*) FROM people p JOIN customer c ON p.person_id = c.custkey;
-- =>
-- DP002: "p" belongs to unit person and "c" to unit customer
-- HINT: Join tables of one privacy unit only; answer each of the others in a statement of its own.

-- an outer join
SELECT count(*) FROM people p LEFT JOIN visits v ON p.person_id = v.person_id;
-- =>
-- 0A000 at 48 ('v ON p.perso'): LEFT JOIN over private tables is not supported
-- HINT: Use an inner join: JOIN … ON ….

-- private rows joined with released ones
WITH a AS (SELECT avg(age) AS m FROM people) SELECT count(*) FROM people, a WHERE age > m;
-- =>
-- 0A000 at 75 ('a WHERE age '): joining private rows with released ones is not supported
-- HINT: Aggregate the private rows first, and join the results.

-- a table that is not of the policy
SELECT count(*) FROM people JOIN elsewhere e ON e.id = person_id;
-- =>
-- 0A000 at 34 ('elsewhere e '): table "elsewhere" cannot be combined with private tables
-- HINT: Join tables of the policy only, or keep the private part's answer in a table of your own first.
