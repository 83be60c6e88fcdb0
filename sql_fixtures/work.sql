-- one row per unit
SELECT count(*) FROM people;
-- =>
-- rows 1, fan-out 1, scans 0

-- as many as the policy says
SELECT sum(cost) FROM visits;
-- =>
-- rows 100, fan-out 1, scans 0

-- along a link: no more than before
SELECT sex, count(*) FROM visits JOIN people USING (person_id) GROUP BY sex;
-- =>
-- rows 100, fan-out 1, scans 1

-- along a chain of links, from the far end
SELECT count(*) FROM customer c JOIN orders o ON c.custkey = o.custkey JOIN lineitem l ON l.orderkey = o.orderkey;
-- =>
-- rows 100, fan-out 1, scans 2

-- rows of a unit with one another
SELECT count(*) FROM visits a JOIN visits b USING (person_id);
-- =>
-- rows 10000, fan-out 1, scans 1

-- the first rows of a unit, by DISTINCT ON, with its last
SELECT avg(z.cost - a.cost) FROM (SELECT DISTINCT ON (person_id) person_id, cost FROM visits ORDER BY person_id, day, visit_id) a JOIN (SELECT DISTINCT ON (person_id) person_id, cost FROM visits ORDER BY person_id, day DESC, visit_id) z USING (person_id);
-- =>
-- rows 100, fan-out 1, scans 1

-- by a row number: the first row with each other
SELECT count(*) FROM (SELECT person_id, row_number() OVER (PARTITION BY person_id ORDER BY day, visit_id) AS r FROM visits) a JOIN visits z USING (person_id) WHERE a.r <= 1;
-- =>
-- rows 100, fan-out 1, scans 1

-- the first two: not one
SELECT count(*) FROM (SELECT person_id, row_number() OVER (PARTITION BY person_id ORDER BY day, visit_id) AS r FROM visits) a JOIN visits z USING (person_id) WHERE a.r <= 2;
-- =>
-- rows 10000, fan-out 1, scans 1

-- ranks are no row numbers
SELECT count(*) FROM (SELECT person_id, rank() OVER (PARTITION BY person_id ORDER BY day) AS r FROM visits) a JOIN visits z USING (person_id) WHERE a.r <= 1;
-- =>
-- rows 10000, fan-out 1, scans 1

-- both sides of FULL JOIN
SELECT count(*) FROM visits a FULL JOIN visits b USING (person_id);
-- =>
-- rows 10201, fan-out 1, scans 1

-- a public table by its key
SELECT count(*) FROM visits v JOIN departments d ON v.dept = d.dept;
-- =>
-- rows 100, fan-out 1, scans 0

-- by its key, in WHERE
SELECT count(*) FROM visits v, departments d WHERE v.dept = d.dept;
-- =>
-- rows 100, fan-out 1, scans 0

-- by another column
SELECT count(*) FROM people p JOIN departments d ON p.city = d.building;
-- =>
-- rows 8, fan-out 8 (departments: 8), scans 0

-- by its key OR not
SELECT count(*) FROM visits v JOIN departments d ON v.dept = d.dept OR d.beds > 10;
-- =>
-- rows 800, fan-out 8 (departments: 8), scans 0

-- by a LEFT JOIN
SELECT count(*) FROM visits v LEFT JOIN departments d ON v.cost > d.beds;
-- =>
-- rows 800, fan-out 8 (departments: 8), scans 0

-- by its key from another public table
SELECT count(*) FROM visits v JOIN departments d ON v.cost > d.beds JOIN departments e ON e.dept = d.dept;
-- =>
-- rows 800, fan-out 8 (departments: 8), scans 0

-- a constant for its key
SELECT count(*) FROM visits v, departments d WHERE d.dept = 'cardio';
-- =>
-- rows 100, fan-out 1, scans 0

-- a public table that is aggregated first
SELECT count(*) FROM people p JOIN (SELECT building, sum(beds) AS b FROM departments GROUP BY building) d ON p.city = d.building;
-- =>
-- rows 1, fan-out 1, scans 0

-- a list
SELECT count(*) FROM people p JOIN (VALUES (1), (2), (3)) AS v(x) ON p.age > v.x;
-- =>
-- rows 3, fan-out 3 (a list of 3 rows: 3), scans 0

-- a list whose values differ, by its value
SELECT count(*) FROM people p JOIN (VALUES (1), (2), (3)) AS v(x) ON p.age = v.x;
-- =>
-- rows 1, fan-out 1, scans 0

-- a list whose values do not
SELECT count(*) FROM people p JOIN (VALUES (1), (2), (2)) AS v(x) ON p.age = v.x;
-- =>
-- rows 3, fan-out 3 (a list of 3 rows: 3), scans 0

-- series
SELECT count(*) FROM people p, generate_series(1, 100) AS a(x), generate_series(1, 100) AS b(y);
-- =>
-- rows 10000, fan-out 10000 (a list of 100 rows: 100 × a list of 100 rows: 100), scans 0

-- too many series
SELECT count(*) FROM people p, generate_series(1, 1000) AS a, generate_series(1, 1000) AS b, generate_series(1, 1000) AS c WHERE p.person_id = 7 AND p.city = 'Delft';
-- =>
-- DP002 at 94 ('generate_series(1, 1000)'): one private row could meet 1,000,000,000 public rows (a list of 1,000 rows: 1,000 × a list of 1,000 rows: 1,000 × a list of 1,000 rows: 1,000), 10,000 are the most
-- HINT: Use fewer rows of constants, or aggregate before they are joined; the owner may raise max_fanout in [privacy].

-- one in a derived table, one outside
SELECT count(*) FROM (SELECT p.person_id FROM people p, generate_series(1, 200) AS a(x)) s, generate_series(1, 200) AS b(y);
-- =>
-- DP002 at 93 ('generate_series(1, 200) '): one private row could meet 40,000 public rows (a list of 200 rows: 200 × a list of 200 rows: 200), 10,000 are the most
-- HINT: Use fewer rows of constants, or aggregate before they are joined; the owner may raise max_fanout in [privacy].

-- the same in CTEs
WITH s AS (SELECT p.person_id FROM people p, generate_series(1, 200) AS a(x)), t AS (SELECT s.person_id FROM s, generate_series(1, 200) AS b(y)) SELECT count(*) FROM t;
-- =>
-- DP002 at 113 ('generate_series(1, 200) '): one private row could meet 40,000 public rows (a list of 200 rows: 200 × a list of 200 rows: 200), 10,000 are the most
-- HINT: Use fewer rows of constants, or aggregate before they are joined; the owner may raise max_fanout in [privacy].

-- LATERAL
SELECT count(*) FROM people p CROSS JOIN LATERAL (SELECT x FROM generate_series(1, 200) AS a(x)) s CROSS JOIN LATERAL (SELECT y FROM generate_series(1, 200) AS b(y)) t;
-- =>
-- DP002 at 134 ('generate_series(1, 200) '): one private row could meet 40,000 public rows (a list of 200 rows: 200 × a list of 200 rows: 200), 10,000 are the most
-- HINT: Use fewer rows of constants, or aggregate before they are joined; the owner may raise max_fanout in [privacy].

-- aggregated per unit in between: one row again
SELECT count(*) FROM (SELECT p.person_id, count(*) AS n FROM people p, generate_series(1, 200) AS a(x) GROUP BY p.person_id) s, generate_series(1, 200) AS b(y);
-- =>
-- rows 200, fan-out 200 (a list of 200 rows: 200), scans 0

-- EXISTS over a list
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM generate_series(1, 200) AS a(x) WHERE a.x > p.age);
-- =>
-- rows 1, fan-out 200 (a list of 200 rows: 200), scans 0

-- EXISTS over a list, by equality: a hash table is made of it once
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM generate_series(1, 200) AS a(x) WHERE a.x = p.age);
-- =>
-- rows 1, fan-out 1, scans 0

-- by equality, and by more
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM generate_series(1, 200) AS a(x) WHERE a.x % 2 = p.age AND a.x > p.age);
-- =>
-- rows 1, fan-out 200 (a list of 200 rows: 200), scans 0

-- IN released rows
SELECT count(*) FROM visits WHERE dept IN (SELECT dept FROM visits GROUP BY dept HAVING count(*) > 5);
-- =>
-- rows 100, fan-out 1, scans 0

-- EXISTS in EXISTS
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM generate_series(1, 200) AS a(x) WHERE a.x > p.age AND EXISTS (SELECT 1 FROM generate_series(1, 200) AS b(y) WHERE a.x * b.y = p.age));
-- =>
-- DP002 at 135 ('generate_series(1, 200) '): one private row could meet 40,000 public rows (a list of 200 rows: 200 × a list of 200 rows: 200), 10,000 are the most
-- HINT: Use fewer rows of constants, or aggregate before they are joined; the owner may raise max_fanout in [privacy].

-- EXISTS for rows that are many already
SELECT count(*) FROM people p, generate_series(1, 200) AS s(z) WHERE EXISTS (SELECT 1 FROM generate_series(1, 200) AS a(x) WHERE a.x + s.z > p.age);
-- =>
-- DP002 at 92 ('generate_series(1, 200) '): one private row could meet 40,000 public rows (a list of 200 rows: 200 × a list of 200 rows: 200), 10,000 are the most
-- HINT: Use fewer rows of constants, or aggregate before they are joined; the owner may raise max_fanout in [privacy].

-- EXISTS that hangs on no row is computed once
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM generate_series(1, 200) AS a(x), generate_series(1, 200) AS b(y) WHERE a.x = b.y);
-- =>
-- rows 1, fan-out 1, scans 0

-- EXISTS over rows of the unit, which an engine may look for in the whole table
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id AND v.cost > 100);
-- =>
-- rows 100, fan-out 1, scans 1

-- rows of the analyst's own
SELECT count(*) FROM visits v JOIN mine m ON v.cost > m.weight;
-- =>
-- rows 800, fan-out 8 (alice.mine: 8), scans 0

-- an own table once too often
SELECT count(*) FROM people, mine a, mine b, mine c, mine d, mine e;
-- =>
-- DP002 at 62 ('mine e'): one private row could meet 32,768 public rows (alice.mine: 8 × alice.mine: 8 × alice.mine: 8 × alice.mine: 8 × alice.mine: 8), 10,000 are the most
-- HINT: Use fewer rows of constants, or aggregate before they are joined; the owner may raise max_fanout in [privacy].

-- released rows
SELECT count(*) FROM people p JOIN (SELECT sex, avg(age) AS a FROM people GROUP BY sex) r ON p.age > r.a;
-- =>
-- rows 2, fan-out 2 (an aggregate of private rows: 2), scans 0

-- released rows by their key
SELECT count(*) FROM people p JOIN (SELECT sex, avg(age) AS a FROM people GROUP BY sex) r ON p.sex = r.sex;
-- =>
-- rows 1, fan-out 1, scans 0

-- UNION ALL
SELECT count(*) FROM (SELECT person_id FROM visits UNION ALL SELECT person_id FROM visits UNION ALL SELECT p.person_id FROM people p, generate_series(1, 30) AS a(x)) s;
-- =>
-- rows 230, fan-out 30 (a list of 30 rows: 30), scans 2

-- a window
SELECT avg(n) FROM (SELECT person_id, row_number() OVER (PARTITION BY person_id ORDER BY day, visit_id, cost, dept) AS n FROM visits, generate_series(1, 5) AS g(x)) s WHERE n < 5;
-- =>
-- rows 500, fan-out 5 (a list of 5 rows: 5), scans 0

-- rows of a unit with one another, too often
SELECT count(*) FROM visits a JOIN visits b USING (person_id) JOIN visits c USING (person_id) JOIN visits d USING (person_id) JOIN visits e USING (person_id) JOIN visits f USING (person_id);
-- =>
-- DP002 at 22 ('visits a JOIN visits b U'): the rows of one unit could take more than 1,000,000,000,000 row operations
-- HINT: Aggregate the rows of each unit first, in a derived table grouped by the unit's key.

-- a table of which one row is met many times by a list: the list has more rows
SELECT count(*) FROM visits v JOIN departments d ON v.cost > d.beds, generate_series(1, 900) AS a(x), (VALUES (1), (2), (3), (4), (5), (6)) AS w(y);
-- =>
-- DP002 at 70 ('generate_series(1, 900) '): one private row could meet 43,200 public rows (departments: 8 × a list of 900 rows: 900 × a list of 6 rows: 6), 10,000 are the most
-- HINT: Join departments ON its primary key (dept), or aggregate it first; the owner may raise max_fanout in [privacy].

-- a list that is met by its key stands before the one that multiplies
SELECT count(*) FROM people p JOIN generate_series(1, 100) AS k(x) ON p.age = k.x, generate_series(1, 900) AS a(x), generate_series(1, 800) AS b(y);
-- =>
-- DP002 at 84 ('generate_series(1, 900) '): one private row could meet 720,000 public rows (a list of 900 rows: 900 × a list of 800 rows: 800), 10,000 are the most
-- HINT: Use fewer rows of constants, or aggregate before they are joined; the owner may raise max_fanout in [privacy].

-- released rows of more keys than the cap
SELECT count(*) FROM visits v, (SELECT dept, count(*) AS n FROM visits GROUP BY dept) r, (SELECT city, count(*) AS n FROM people GROUP BY city) c WHERE v.cost > r.n AND v.cost > c.n;
-- =>
-- DP002 at 98 ('city, count(*) AS n FROM'): one private row could meet 100,000,000 public rows (an aggregate of private rows: 10,000 × an aggregate of private rows: 10,000), 10,000 are the most
-- HINT: Use fewer rows of constants, or aggregate before they are joined; the owner may raise max_fanout in [privacy].

-- public rows put together
SELECT count(*) FROM visits v JOIN (SELECT d.beds + a.x AS b FROM departments d, generate_series(1, 1000) AS a(x), generate_series(1, 9) AS e(y)) s ON v.cost > s.b;
-- =>
-- DP002 at 67 ('departments d, generate_'): one private row could meet 72,000 public rows (departments, a list of 1,000 rows, a list of 9 rows: 72,000), 10,000 are the most
-- HINT: Use fewer rows of constants, or aggregate before they are joined; the owner may raise max_fanout in [privacy].

-- a group of more than a key: the key decides the rest, so that it is one row of the group
SELECT sum(t.q) FROM lineitem m JOIN (SELECT o.orderkey, o.orderdate, sum(l.quantity) AS q FROM orders o JOIN lineitem l ON l.orderkey = o.orderkey GROUP BY o.orderkey, o.orderdate) t ON t.orderkey = m.orderkey;
-- =>
-- rows 100, fan-out 1, scans 2

-- a group of a key and of what it does not decide
SELECT sum(t.q) FROM lineitem m JOIN (SELECT o.orderkey, l.flag, sum(l.quantity) AS q FROM orders o JOIN lineitem l ON l.orderkey = o.orderkey GROUP BY o.orderkey, l.flag) t ON t.orderkey = m.orderkey;
-- =>
-- rows 10000, fan-out 1, scans 2

-- a group of a key and of a column of its row, which is NULL where nothing was joined
SELECT sum(t.q) FROM lineitem m JOIN (SELECT l.orderkey, o.orderkey AS k, o.orderdate, sum(l.quantity) AS q FROM customer c JOIN orders x ON x.custkey = c.custkey JOIN lineitem l ON l.orderkey = x.orderkey LEFT JOIN orders o ON o.orderkey = l.orderkey AND o.priority = '5-LOW' GROUP BY l.orderkey, o.orderkey, o.orderdate) t ON t.orderkey = m.orderkey;
-- =>
-- rows 10000, fan-out 1, scans 4
