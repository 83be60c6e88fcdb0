-- a recursive query
WITH RECURSIVE t AS (SELECT person_id FROM people UNION SELECT t.person_id FROM t) SELECT count(*) FROM t;
-- instead:
WITH t AS (SELECT person_id FROM people) SELECT count(*) FROM t;
-- =>
-- 0A000 at 16 ('t AS (SELECT'): the recursive query "t" cannot be combined with private rows
-- HINT: Write it without RECURSIVE, level by level: each level a CTE that reads the one before.

-- a recursive query that begins with private rows
WITH RECURSIVE r AS (SELECT person_id, age AS i FROM people UNION ALL SELECT person_id, i + 10 FROM r WHERE i < 60) SELECT avg(i) FROM r;
-- instead:
WITH a AS (SELECT person_id, age AS i FROM people), b AS (SELECT person_id, i + 10 AS i FROM a WHERE i < 60), r AS (SELECT * FROM a UNION ALL SELECT * FROM b) SELECT avg(i) FROM r;
-- =>
-- 0A000 at 16 ('r AS (SELECT'): the recursive query "r" cannot be combined with private rows
-- HINT: Write it without RECURSIVE, level by level: each level a CTE that reads the one before.

-- a recursive query over released rows, for the engine
WITH RECURSIVE a AS (SELECT dept, count(*) AS c FROM visits GROUP BY dept), r AS (SELECT dept, c, 1 AS level FROM a UNION ALL SELECT dept, c / 2, level + 1 FROM r WHERE level < 2) SELECT count(*) FROM visits v JOIN r ON r.dept = v.dept;
-- instead:
WITH a AS (SELECT dept, count(*) AS c, 1 AS level FROM visits GROUP BY dept), b AS (SELECT dept, c / 2 AS c, level + 1 AS level FROM a) SELECT count(*) FROM visits v JOIN b ON b.dept = v.dept;
-- =>
-- 0A000 at 77 ('r AS (SELECT'): the recursive query "r" cannot be combined with private rows
-- HINT: Write it without RECURSIVE, level by level: each level a CTE that reads the one before.

-- a recursive query within another one
SELECT count(*) FROM people WHERE age IN (WITH RECURSIVE n(i) AS (SELECT 21 UNION ALL SELECT i + 1 FROM n WHERE i < 25) SELECT i FROM n);
-- instead:
WITH RECURSIVE n(i) AS (SELECT 21 UNION ALL SELECT i + 1 FROM n WHERE i < 25) SELECT count(*) FROM people WHERE age IN (SELECT i FROM n);
-- =>
-- 0A000 at 58 ('n(i) AS (SEL'): the recursive query "n" cannot be combined with private rows within another query
-- HINT: Begin the whole statement with it: WITH RECURSIVE n AS (…) SELECT ….

-- new names for the columns of a recursive query
WITH RECURSIVE n AS (SELECT 21 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 25) SELECT count(*) FROM people JOIN n AS m(j) ON age = m.j;
-- instead:
WITH RECURSIVE n(j) AS (SELECT 21 UNION ALL SELECT j + 1 FROM n WHERE j < 25) SELECT count(*) FROM people JOIN n AS m ON age = m.j;
-- =>
-- 0A000 at 114 ('n AS m(j) ON'): renaming the columns of "n" in FROM is not supported
-- HINT: Name them in WITH: WITH RECURSIVE "n" (a, b) AS (…).
