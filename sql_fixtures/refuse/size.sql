-- a derived column used twice on each of many levels
SELECT count(*) FROM (SELECT t||t AS t FROM (SELECT t||t AS t FROM (SELECT t||t AS t FROM (SELECT t||t AS t FROM (SELECT city||city AS t FROM people) a) b) c) d) e WHERE length(t) > 0;
-- =>
-- 0A000 at 30 ('t||t AS t FR'): an expression over private rows grows too large through derived tables
-- HINT: Use each derived column once or twice, and put fewer texts together.

-- numbers grow as well
SELECT sum(x) FROM (SELECT (x+x)*(x+x)*(x+x) AS x FROM (SELECT (x+x)*(x+x)*(x+x) AS x FROM (SELECT (x+x)*(x+x)*(x+x) AS x FROM (SELECT (age+age)*(age+age) AS x FROM people) a) b) c) d;
-- =>
-- 0A000 at 29 ('x+x)*(x+x)*('): an expression over private rows grows too large through derived tables
-- HINT: Use each derived column once or twice, and put fewer texts together.

-- replace() through a derived table
SELECT count(*) FROM (SELECT replace(town, 'a', 'aaa') AS t FROM (SELECT replace(city, 'a', 'aaa') AS town FROM people) a) b WHERE t <> '';
-- =>
-- 0A000 at 30 ('replace(town'): replace() of a derived column that is a replace() itself is not supported
-- HINT: Replace once.

-- joins inside of parentheses
SELECT count(*) FROM people p JOIN (visits v JOIN departments d ON v.dept = d.dept) ON p.person_id = v.person_id;
-- =>
-- 0A000 at 44 ('v JOIN depar'): TABLE is not supported in FROM together with private tables
-- HINT: Select from tables of the policy, subqueries and CTEs.

-- a real key that the engine would hold as a double
SELECT CASE WHEN age = 77 THEN 0.1 ELSE CAST(0.1 AS real) END AS k, count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 18 ('age = 77 THE'): grouping by this real expression is not supported
-- HINT: Cast it: CAST(x AS double precision) or CAST(x AS bigint).
