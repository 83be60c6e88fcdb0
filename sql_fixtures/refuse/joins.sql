-- rows of two people
SELECT count(*) FROM people p JOIN visits v ON p.income = v.cost;
-- instead:
SELECT count(*) FROM people p JOIN visits v ON p.person_id = v.person_id;
-- =>
-- DP002 at 36 ('visits v ON '): joining "p" with "v" could put rows of two persons together
-- HINT: Join them ON p.person_id = v.person_id. If income determines the person, ask the data owner to let the policy say so.

-- an outer join on what names a row of another unit's
SELECT count(*) FROM lineitem l LEFT JOIN customer c ON c.custkey = l.linenumber WHERE c.acctbal IS NULL OR l.quantity > 1;
-- instead:
SELECT count(*) FROM lineitem l JOIN customer c ON c.custkey = l.linenumber WHERE l.quantity > 1;
-- =>
-- DP002 at 43 ('customer c O'): joining "l" with "c" could put rows of two customers together
-- HINT: Of rows of two customers COUNT, SUM and AVG are answered, by public keys or by columns of one side that are never NULL: no outer join, ON c.custkey = l.linenumber.

-- a cross join of private tables
SELECT count(*) FROM people, visits;
-- instead:
SELECT count(*) FROM people JOIN visits ON people.person_id = visits.person_id;
-- =>
-- DP002 at 30 ('visits'): joining "people" with "visits" could put rows of two persons together
-- HINT: Join them ON people.person_id = visits.person_id.

-- a self-join on what many share
SELECT count(*) FROM visits a JOIN visits b ON a.dept = b.dept;
-- instead:
SELECT count(*) FROM visits a JOIN visits b ON a.person_id = b.person_id AND a.dept = b.dept;
-- =>
-- DP002 at 36 ('visits b ON '): joining "a" with "b" could put rows of two persons together
-- HINT: Join them ON a.person_id = b.person_id. If dept determines the person, ask the data owner to let the policy say so.

-- a self-join of a table that has only a link
SELECT count(*) FROM lineitem a JOIN lineitem b ON a.linenumber = b.linenumber;
-- instead:
SELECT count(*) FROM lineitem a JOIN lineitem b ON a.orderkey = b.orderkey AND a.linenumber = b.linenumber;
-- =>
-- DP002 at 38 ('lineitem b O'): joining "a" with "b" could put rows of two customers together
-- HINT: Join them ON a.orderkey = b.orderkey.

-- a table and its grandparent
SELECT count(*) FROM customer c JOIN lineitem l ON l.linenumber = c.nationkey;
-- instead:
SELECT count(*) FROM customer c JOIN (SELECT o.custkey, l.linenumber FROM orders o JOIN lineitem l ON l.orderkey = o.orderkey) t ON t.custkey = c.custkey;
-- =>
-- DP002 at 38 ('lineitem l O'): joining "c" with "l" could put rows of two customers together
-- HINT: Join them ON the key of the customer; let a derived table select it.

-- an outer join that ties nothing
SELECT count(*) FROM people p LEFT JOIN visits v ON p.age > 30;
-- instead:
SELECT count(*) FROM people p LEFT JOIN visits v ON p.person_id = v.person_id AND p.age > 30;
-- =>
-- DP002 at 41 ('visits v ON '): joining "p" with "v" could put rows of two persons together
-- HINT: Join them ON p.person_id = v.person_id.

-- a full join on other columns
SELECT count(*) FROM people p FULL JOIN visits v ON p.age = v.cost;
-- instead:
SELECT count(*) FROM people p FULL JOIN visits v ON p.person_id = v.person_id;
-- =>
-- DP002 at 41 ('visits v ON '): joining "p" with "v" could put rows of two persons together
-- HINT: Join them ON p.person_id = v.person_id. If age determines the person, ask the data owner to let the policy say so.

-- a tie in the ON of an outer join is none of the rows before it
SELECT count(*) FROM people p JOIN people q ON TRUE LEFT JOIN visits v ON v.person_id = p.person_id AND v.person_id = q.person_id;
-- instead:
SELECT count(*) FROM people p JOIN people q ON p.person_id = q.person_id LEFT JOIN visits v ON v.person_id = p.person_id;
-- =>
-- DP002 at 36 ('people q ON '): joining "p" with "q" could put rows of two persons together
-- HINT: Join them ON p.person_id = q.person_id.

-- derived tables that have lost the key
SELECT count(*) FROM (SELECT age FROM people) a JOIN (SELECT cost FROM visits) b ON a.age = b.cost;
-- instead:
SELECT count(*) FROM (SELECT person_id, age FROM people) a JOIN (SELECT person_id, cost FROM visits) b ON a.person_id = b.person_id AND a.age = b.cost;
-- =>
-- DP002 at 62 ('cost FROM vi'): joining "a" with "b" could put rows of two persons together
-- HINT: Join them ON the key of the person; let a derived table select it. If age determines the person, ask the data owner to let the policy say so.

-- an expression of the key
SELECT count(*) FROM people p JOIN (SELECT person_id % 2 AS k FROM visits) v ON v.k = p.person_id;
-- instead:
SELECT count(*) FROM people p JOIN (SELECT person_id FROM visits) v ON v.person_id = p.person_id;
-- =>
-- DP002 at 44 ('person_id % '): joining "p" with "v" could put rows of two persons together
-- HINT: Join them ON the key of the person; let a derived table select it.

-- what stands in parentheses
SELECT count(*) FROM people p JOIN (visits v JOIN departments d ON d.dept = v.dept) ON p.city = d.building;
-- instead:
SELECT count(*) FROM people p JOIN (visits v JOIN departments d ON d.dept = v.dept) ON p.person_id = v.person_id AND p.city = d.building;
-- =>
-- DP002 at 37 ('visits v JOI'): joining "p" with "v" could put rows of two persons together
-- HINT: Join them ON the key of the person; let a derived table select it. If city determines the person, ask the data owner to let the policy say so.

-- one of two conditions
SELECT count(*) FROM people p JOIN visits v ON p.person_id = v.person_id OR p.age = v.cost;
-- instead:
SELECT count(*) FROM people p JOIN visits v ON p.person_id = v.person_id AND (p.age = v.cost OR v.cost > 100);
-- =>
-- DP002 at 36 ('visits v ON '): joining "p" with "v" could put rows of two persons together
-- HINT: Join them ON p.person_id = v.person_id.

-- an equality that rounds
SELECT count(*) FROM people p JOIN visits v ON p.person_id::float8 = v.person_id::float8;
-- instead:
SELECT count(*) FROM people p JOIN visits v ON p.person_id = v.person_id;
-- =>
-- DP002 at 36 ('visits v ON '): joining "p" with "v" could put rows of two persons together
-- HINT: Join them ON p.person_id = v.person_id.

-- a way to join that is another dialect's
SELECT count(*) FROM people SEMI JOIN visits USING (person_id);
-- instead:
SELECT count(*) FROM people "semi" JOIN visits USING (person_id);
-- =>
-- 0A000 at 39 ('visits USING'): SEMI JOIN over private tables is not supported
-- HINT: Use JOIN, LEFT JOIN, RIGHT JOIN, FULL JOIN or CROSS JOIN; put an alias of that name between quotes.

-- public rows that no person meets, with a column of nobody's
SELECT d.dept, v.cost FROM departments d LEFT JOIN visits v ON v.dept = d.dept WHERE v.dept IS NULL;
-- instead:
SELECT d.dept FROM departments d WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.dept = d.dept);
-- =>
-- DP002 at 86 ('v.dept IS NU'): rows of public tables without a row of "v" would show who is absent
-- HINT: Ask for the keys that few or none have: NOT EXISTS (SELECT 1 FROM … WHERE …), without the join.

-- public rows that no person meets, by RIGHT JOIN
SELECT count(*) FROM visits v RIGHT JOIN departments d ON v.dept = d.dept WHERE v.visit_id IS NULL;
-- instead:
SELECT count(*) FROM departments d WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.dept = d.dept);
-- =>
-- DP002 at 81 ('v.visit_id I'): rows of public tables without a row of "v" would show who is absent
-- HINT: Ask for the keys that few or none have: NOT EXISTS (SELECT 1 FROM … WHERE …), without the join.

-- a column of one's own table that the engine could not hold
SELECT count(*) FROM visits v JOIN mine m ON m.dept = v.dept WHERE m.notes IS NULL;
-- instead:
SELECT count(*) FROM visits v JOIN mine m ON m.dept = v.dept WHERE m.since IS NULL;
-- =>
-- 0A000 at 68 ('m.notes IS N'): column "notes" is of type jsonb, which cannot be read together with private rows
-- HINT: Keep it in another type when you make the table, for example as text.

-- a table that is not of the policy
SELECT count(*) FROM people JOIN elsewhere e ON e.id = person_id;
-- instead:
SELECT count(*) FROM people JOIN departments d ON d.beds = age;
-- =>
-- 0A000 at 34 ('elsewhere e '): table "elsewhere" cannot be combined with private tables
-- HINT: Join tables of the policy and of your own, or keep the private part's answer in one of your own.

-- new names for a table's columns
SELECT count(*) FROM people AS p (a, b) WHERE a > 1;
-- instead:
SELECT count(*) FROM (SELECT person_id AS a, age AS b FROM people) AS p WHERE b > 1;
-- =>
-- 0A000 at 22 ('people AS p '): renaming the columns of "people" in FROM is not supported
-- HINT: Give the columns their names in a derived table: (SELECT x AS a FROM t) AS s.

-- the proxy's own tables
SELECT count(*) FROM people, dp.budget;
-- instead:
SELECT remaining_epsilon FROM dp.budget;
-- =>
-- 0A000 at 33 ('budget'): "dp.budget" cannot be read together with private rows
-- HINT: Ask for it in a statement of its own.

-- a hidden column
SELECT count(p.name) FROM people p;
-- instead:
SELECT count(p.city) FROM people p;
-- =>
-- 0A000: a name in this statement could not be bound to one column of the policy
-- HINT: Qualify the column with its table's alias.

-- USING a column that a RIGHT JOIN has merged
SELECT count(t.m) FROM visits RIGHT JOIN people USING (person_id) LEFT JOIN (SELECT person_id, max(cost) AS m FROM visits GROUP BY person_id) t USING (person_id);
-- instead:
SELECT count(t.m) FROM visits RIGHT JOIN people USING (person_id) LEFT JOIN (SELECT person_id, max(cost) AS m FROM visits GROUP BY person_id) t ON t.person_id = people.person_id;
-- =>
-- 0A000 at 85 ('person_id, m'): USING a column that an earlier RIGHT or FULL JOIN has merged is not supported
-- HINT: Write the condition: JOIN … ON a.key = b.key.

-- USING a column that a FULL JOIN of releases has merged
SELECT dept, c.n FROM (SELECT dept, count(*) AS n FROM visits WHERE cost < 200 GROUP BY 1) a FULL JOIN (SELECT dept, count(*) AS n FROM visits GROUP BY 1) b USING (dept) JOIN (SELECT dept, count(*) AS n FROM visits GROUP BY 1) c USING (dept);
-- instead:
SELECT coalesce(a.dept, b.dept) AS dept, c.n FROM (SELECT dept, count(*) AS n FROM visits WHERE cost < 200 GROUP BY 1) a FULL JOIN (SELECT dept, count(*) AS n FROM visits GROUP BY 1) b ON a.dept = b.dept JOIN (SELECT dept, count(*) AS n FROM visits GROUP BY 1) c ON c.dept = coalesce(a.dept, b.dept);
-- =>
-- 0A000 at 184 ('dept, count('): USING a column that an earlier RIGHT or FULL JOIN has merged is not supported
-- HINT: Write the condition: JOIN … ON a.key = b.key.

-- an alias that the parser takes for CROSS, as ß is SS in capitals
SELECT count(*) FROM visits croß JOIN departments ON TRUE;
-- instead:
SELECT count(*) FROM visits "croß" JOIN departments ON TRUE;
-- =>
-- 0A000 at 29 ('croß JOIN de'): croß is not understood in a statement over private tables
-- HINT: Write numbers in digits alone, blanks between operators, and other names between double quotes.

-- a derived table of no columns
SELECT count(*) FROM people, (SELECT) AS t;
-- instead:
SELECT count(*) FROM people, (SELECT 1) AS t;
-- =>
-- 0A000: a SELECT of no columns cannot be combined with private tables
-- HINT: Select something: SELECT 1 FROM ….

-- how many others a row meets at most: of two units, with no clip in sight
SELECT max(t.n), count(*) FROM (SELECT o.orderkey, count(x.orderkey) AS n FROM orders o LEFT JOIN orders x ON x.custkey = o.orderkey GROUP BY o.orderkey) AS t;
-- instead:
SELECT avg(t.n), sum(t.n), count(*) FROM (SELECT o.orderkey, count(x.orderkey) AS n FROM orders o LEFT JOIN orders x ON x.custkey = o.orderkey GROUP BY o.orderkey) AS t;
-- =>
-- DP002 at 99 ('orders x ON '): joining "o" with "x" could put rows of two customers together
-- HINT: Of rows of two customers COUNT, SUM and AVG are answered, by public keys or by columns of one side that are never NULL: no outer join, ON x.custkey = o.orderkey.

-- rows that meet none, among those that meet others
SELECT count(*) FROM orders o LEFT JOIN orders x ON x.custkey = o.orderkey;
-- instead:
SELECT count(DISTINCT o.orderkey), count(x.orderkey) FROM orders o LEFT JOIN orders x ON x.custkey = o.orderkey;
-- =>
-- DP002 at 41 ('orders x ON '): joining "o" with "x" could put rows of two customers together
-- HINT: Of rows of two customers COUNT, SUM and AVG are answered, by public keys or by columns of one side that are never NULL: no outer join, ON x.custkey = o.orderkey.
