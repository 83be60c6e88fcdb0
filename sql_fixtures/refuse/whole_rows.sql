-- a whole row as text
SELECT count(*) FROM people p WHERE p::text LIKE '%Delft%';
-- instead:
SELECT count(*) FROM people p WHERE p.city LIKE '%Delft%';
-- =>
-- 0A000 at 37 ('p::text LIKE'): a whole row as a value is not supported over private tables
-- HINT: Name columns of it in its place: COUNT(t.x), t.x = u.x, GROUP BY t.x, t.y.

-- groups of whole rows
SELECT count(*) FROM people p GROUP BY p;
-- instead:
SELECT count(*) FROM people p GROUP BY p.sex, p.city;
-- =>
-- 0A000 at 40 ('p'): a whole row as a value is not supported over private tables
-- HINT: Name columns of it in its place: COUNT(t.x), t.x = u.x, GROUP BY t.x, t.y.

-- two whole rows compared
SELECT count(*) FROM people p JOIN people q USING (person_id) WHERE p = q;
-- instead:
SELECT count(*) FROM people p JOIN people q USING (person_id) WHERE p.age = q.age;
-- =>
-- 0A000 at 69 ('p = q'): a whole row as a value is not supported over private tables
-- HINT: Name columns of it in its place: COUNT(t.x), t.x = u.x, GROUP BY t.x, t.y.

-- a whole row of all its columns in HAVING
SELECT d.dept, count(*) FROM departments d JOIN visits v USING (dept) GROUP BY d.dept HAVING d = d;
-- instead:
SELECT d.dept, count(*) FROM departments d JOIN visits v USING (dept) GROUP BY d.dept HAVING d.beds = d.beds;
-- =>
-- 0A000 at 94 ('d = d'): whole rows are not supported over private tables
-- HINT: Name the columns of d, and group by them.

-- distinct whole rows
SELECT count(DISTINCT p.*) FROM people p;
-- instead:
SELECT count(DISTINCT p.city) FROM people p;
-- =>
-- 0A000 at 23 ('p.*) FROM pe'): a whole row as a value is not supported over private tables
-- HINT: Name columns of it in its place: COUNT(t.x), t.x = u.x, GROUP BY t.x, t.y.

-- a count of rows that an outer join may lack
SELECT count(v) FROM people p LEFT JOIN visits v USING (person_id);
-- instead:
SELECT count(v.visit_id) FROM people p LEFT JOIN visits v USING (person_id);
-- =>
-- 0A000 at 14 ('v) FROM peop'): a whole row as a value is not supported over private tables
-- HINT: Name columns of it in its place: COUNT(t.x), t.x = u.x, GROUP BY t.x, t.y.

-- a whole row in a list
SELECT json_agg(p) FROM people p;
-- instead:
SELECT json_agg(DISTINCT p.city) FROM people p;
-- =>
-- DP002 at 17 ('p) FROM peop'): JSON_AGG would tell the value of each row
-- HINT: Which values there are can be told: JSON_AGG(DISTINCT p.x).

-- a whole row beside aggregates
SELECT d, count(*) FROM departments d JOIN visits v USING (dept) GROUP BY d.dept;
-- instead:
SELECT d.dept, d.beds, count(*) FROM departments d JOIN visits v USING (dept) GROUP BY d.dept, d.beds;
-- =>
-- 0A000 at 8 ('d, count(*) '): whole rows are not supported over private tables
-- HINT: Name the columns of d, and group by them.

-- a row value compared
SELECT count(*) FROM people WHERE (age, sex) < (30, 'F');
-- instead:
SELECT count(*) FROM people WHERE age < 30 OR (age = 30 AND sex < 'F');
-- =>
-- 0A000 at 36 ('age, sex) < '): a row value is not supported over private tables
-- HINT: Write its values one by one, x < 1 OR (x = 1 AND y < 2); pairs are counted as groups: SELECT COUNT(*) FROM (SELECT DISTINCT x, y FROM t) AS s.

-- pairs of values counted
SELECT count(DISTINCT (sex, city)) FROM people;
-- instead:
SELECT count(*) FROM (SELECT DISTINCT sex, city FROM people) AS s;
-- =>
-- 0A000 at 24 ('sex, city)) '): a row value is not supported over private tables
-- HINT: Write its values one by one, x < 1 OR (x = 1 AND y < 2); pairs are counted as groups: SELECT COUNT(*) FROM (SELECT DISTINCT x, y FROM t) AS s.

-- a field of a row that is a column
SELECT (x.p).sex, count(*) FROM (SELECT p FROM people p) x GROUP BY 1;
-- instead:
SELECT x.sex, count(*) FROM (SELECT p.* FROM people p) x GROUP BY 1;
-- =>
-- 0A000 at 9 ('x.p).sex, co'): a field of a row is not supported in a statement over private tables
-- HINT: Write t.x for (t).x, where t is an alias in FROM.
