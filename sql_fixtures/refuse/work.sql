-- series that multiply
SELECT count(*) FROM people p, generate_series(1, 1000) AS a, generate_series(1, 1000) AS b, generate_series(1, 1000) AS c WHERE p.person_id = 7 AND p.city = 'Delft';
-- instead:
SELECT count(*) FROM people p, generate_series(1, 1000) AS a WHERE p.person_id = 7 AND p.city = 'Delft';
-- =>
-- DP002 at 94 ('generate_ser'): one private row could meet 1,000,000,000 public rows (a list of 1,000 rows: 1,000 × a list of 1,000 rows: 1,000 × a list of 1,000 rows: 1,000), 10,000 are the most
-- HINT: Use fewer rows of constants, or aggregate before they are joined; the owner may raise max_fanout in [privacy].

-- a public table that multiplies, again and again
SELECT count(*) FROM visits v, departments a, departments b, departments c, departments d, departments e;
-- instead:
SELECT count(*) FROM visits v JOIN departments a ON a.dept = v.dept, departments b, departments c, departments d, departments e;
-- =>
-- DP002 at 92 ('departments '): one private row could meet 32,768 public rows (departments: 8 × departments: 8 × departments: 8 × departments: 8 × departments: 8), 10,000 are the most
-- HINT: Join departments ON its primary key (dept), or aggregate it first; the owner may raise max_fanout in [privacy].

-- a list within a list, for each row
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM generate_series(1, 200) AS a(x) WHERE a.x > p.age AND EXISTS (SELECT 1 FROM generate_series(1, 200) AS b(y) WHERE a.x * b.y = p.age));
-- instead:
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM generate_series(1, 200) AS a(x) WHERE a.x > p.age);
-- =>
-- DP002 at 135 ('generate_ser'): one private row could meet 40,000 public rows (a list of 200 rows: 200 × a list of 200 rows: 200), 10,000 are the most
-- HINT: Use fewer rows of constants, or aggregate before they are joined; the owner may raise max_fanout in [privacy].

-- rows of a unit that multiply one another
SELECT count(*) FROM visits a JOIN visits b USING (person_id) JOIN visits c USING (person_id) JOIN visits d USING (person_id) JOIN visits e USING (person_id) JOIN visits f USING (person_id);
-- instead:
SELECT sum(least(n * n * n, 1000)) FROM (SELECT person_id, least(count(*), 20) AS n FROM visits GROUP BY person_id) s;
-- =>
-- DP002 at 22 ('visits a JOI'): the rows of one unit could take more than 1,000,000,000,000 row operations
-- HINT: Aggregate the rows of each unit first, in a derived table grouped by the unit's key.
