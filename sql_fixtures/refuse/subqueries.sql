-- EXISTS of rows of others
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.cost > 300);
-- instead:
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.cost > 300 AND v.person_id = p.person_id);
-- =>
-- DP002 at 52 ('1 FROM visit'): this subquery reads rows of other persons than the row that asks
-- HINT: Tie it to the unit: AND v.person_id = p.person_id.

-- a subquery that selects nothing
SELECT count(*) FROM people p WHERE EXISTS (SELECT FROM people q WHERE q.income > p.income);
-- instead:
SELECT count(*) FROM people p WHERE EXISTS (SELECT FROM people q WHERE q.person_id = p.person_id AND q.income > p.income);
-- =>
-- DP002 at 57 ('people q WHE'): this subquery reads rows of other persons than the row that asks
-- HINT: Tie it to the unit: AND q.person_id = p.person_id.

-- IN over keys of others
SELECT count(*) FROM people p WHERE p.age IN (SELECT v.person_id FROM visits v);
-- instead:
SELECT count(*) FROM people p WHERE p.age IN (SELECT v.person_id FROM visits v WHERE v.person_id = p.person_id);
-- =>
-- DP002 at 54 ('v.person_id '): this subquery reads rows of other persons than the row that asks
-- HINT: Tie it to the unit: AND v.person_id = p.person_id.

-- IN over more values than one
SELECT count(*) FROM people p WHERE p.person_id IN (SELECT * FROM visits v);
-- instead:
SELECT count(*) FROM people p WHERE p.person_id IN (SELECT v.person_id FROM visits v);
-- =>
-- 42601 at 37 ('p.person_id '): subquery has too many columns
-- HINT: Select 1 column in it, as many values as stand before it.

-- a pair in rows of one value
SELECT count(*) FROM people p WHERE (p.person_id, p.age) IN (SELECT v.person_id FROM visits v);
-- instead:
SELECT count(*) FROM people p WHERE p.person_id IN (SELECT v.person_id FROM visits v);
-- =>
-- 42601 at 38 ('p.person_id,'): subquery has too few columns
-- HINT: Select 2 columns in it, as many values as stand before it.

-- IN over declared values of others
SELECT count(*) FROM people p WHERE p.sex IN (SELECT q.sex FROM people q WHERE q.smoker);
-- instead:
SELECT count(*) FROM people p WHERE p.sex IN (SELECT q.sex FROM people q WHERE q.smoker GROUP BY q.sex HAVING count(*) > 100);
-- =>
-- 0A000: which declared values there are is told by noisy counts, which cannot be read together with private rows
-- HINT: Tie it to the unit, or say how many must have it: IN (SELECT x FROM t GROUP BY x HAVING COUNT(*) > 100).

-- a scalar aggregate with a way around the tie
SELECT count(*) FROM people p WHERE (SELECT count(*) FROM visits v WHERE v.person_id = p.person_id OR v.cost > 3) > 3;
-- instead:
SELECT count(*) FROM people p WHERE (SELECT count(*) FROM visits v WHERE (v.person_id = p.person_id OR v.cost > 3) AND v.person_id = p.person_id) > 3;
-- =>
-- 0A000 at 74 ('v.person_id '): this correlation of a subquery over private rows is not supported
-- HINT: Correlate it by equality, or with public columns: (SELECT AVG(q.x) FROM t AS q WHERE q.k = p.k).

-- rows along links, untied
SELECT count(*) FROM orders o WHERE EXISTS (SELECT 1 FROM lineitem l WHERE l.flag = o.priority);
-- instead:
SELECT count(*) FROM orders o WHERE EXISTS (SELECT 1 FROM lineitem l WHERE l.flag = o.priority AND l.orderkey = o.orderkey);
-- =>
-- 0A000: which declared values there are is told by noisy counts, which cannot be read together with private rows
-- HINT: Tie it to the unit, or say how many must have it: IN (SELECT x FROM t GROUP BY x HAVING COUNT(*) > 100).

-- rows of another unit
SELECT count(*) FROM orders o WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person_id = o.custkey);
-- instead:
SELECT count(*) FROM orders o WHERE (SELECT count(*) FROM visits v WHERE v.cost > 300) > 100;
-- =>
-- DP002 at 52 ('1 FROM visit'): a subquery asks rows of "visits", where rows belong to customer and person
-- HINT: The nearest question is answered: SELECT COUNT(*) FROM orders AS o

-- IN over keys of another unit
SELECT count(*) FROM people p WHERE p.person_id IN (SELECT custkey FROM customer);
-- instead:
SELECT count(*) FROM people p WHERE p.age < (SELECT count(*) FROM customer);
-- =>
-- DP002 at 60 ('custkey FROM'): a subquery asks rows of "customer", where rows belong to customer and person
-- HINT: The nearest question is answered: SELECT COUNT(*) FROM people AS p

-- a scalar of several public rows for each private one
SELECT count(*) FROM visits v WHERE v.cost > (SELECT d.beds FROM departments d WHERE d.building = v.dept);
-- instead:
SELECT count(*) FROM visits v WHERE v.cost > (SELECT max(d.beds) FROM departments d WHERE d.building = v.dept);
-- =>
-- DP002 at 54 ('d.beds FROM '): a scalar subquery here must be proved to have one row
-- HINT: Aggregate in it: MAX(x), MIN(x), COUNT(*), SUM(x) or AVG(x). Of public or released rows: LIMIT 1.

-- a scalar of several groups
SELECT count(*) FROM people p WHERE 2 < (SELECT count(*) FROM visits v WHERE v.person_id = p.person_id GROUP BY v.dept);
-- instead:
SELECT count(*) FROM people p WHERE 2 < (SELECT count(*) FROM visits v WHERE v.person_id = p.person_id);
-- =>
-- DP002 at 113 ('v.dept)'): a scalar subquery here must be proved to have one row
-- HINT: Aggregate in it: MAX(x), MIN(x), COUNT(*), SUM(x) or AVG(x). Of public or released rows: LIMIT 1.

-- a correlation of more than equality
SELECT count(*) FROM visits v WHERE 10 < (SELECT count(*) FROM people p WHERE p.age > v.cost);
-- instead:
SELECT count(*) FROM visits v JOIN departments d ON d.dept = v.dept WHERE 10 < (SELECT count(*) FROM people p WHERE p.age > d.beds);
-- =>
-- 0A000 at 79 ('p.age > v.co'): this correlation of a subquery over private rows is not supported
-- HINT: Correlate it by equality, or with public columns: (SELECT AVG(q.x) FROM t AS q WHERE q.k = p.k).

-- a correlated query of groups, cut
SELECT count(*) FROM people p WHERE p.person_id IN (SELECT v.person_id FROM visits v WHERE v.dept = p.city GROUP BY v.person_id LIMIT 3);
-- instead:
SELECT count(*) FROM people p JOIN (SELECT v.person_id, v.dept FROM visits v GROUP BY v.person_id, v.dept) t ON t.person_id = p.person_id AND t.dept = p.city;
-- =>
-- 0A000 at 60 ('v.person_id '): a correlated subquery over private rows with WITH, GROUP BY, DISTINCT, LIMIT or a set operation is not supported
-- HINT: Write it as a derived table grouped by the unit's key, and join it ON the key.

-- a correlated query with a WITH of its own
SELECT count(*) FROM people p WHERE (WITH v AS (SELECT * FROM visits) SELECT count(*) FROM v WHERE v.person_id = p.person_id) > 3;
-- instead:
WITH v AS (SELECT * FROM visits) SELECT count(*) FROM people p WHERE (SELECT count(*) FROM v WHERE v.person_id = p.person_id) > 3;
-- =>
-- 0A000 at 100 ('v.person_id '): a correlated subquery over private rows with WITH, GROUP BY, DISTINCT, LIMIT or a set operation is not supported
-- HINT: Write it as a derived table grouped by the unit's key, and join it ON the key.

-- LATERAL with a WITH of its own
SELECT count(*) FROM people p, LATERAL (WITH v AS (SELECT * FROM visits) SELECT cost FROM v WHERE v.person_id = p.person_id) AS s;
-- instead:
WITH v AS (SELECT * FROM visits) SELECT count(*) FROM people p, LATERAL (SELECT cost FROM v WHERE v.person_id = p.person_id) AS s;
-- =>
-- 0A000 at 46 ('v AS (SELECT'): WITH inside of LATERAL is not supported in a statement over private tables
-- HINT: Write it before the SELECT: WITH t AS (…) SELECT … FROM p, LATERAL (SELECT … FROM t …) AS s.

-- the first row by LATERAL, by an inequality with a row that has no key
SELECT count(*) FROM visits v, LATERAL (SELECT w.dept FROM visits w WHERE w.person_id = v.person_id AND w.day > v.day ORDER BY w.day, w.visit_id LIMIT 1) x WHERE x.dept = 'cardio';
-- instead:
SELECT count(*) FROM (SELECT lead(dept) OVER (PARTITION BY person_id ORDER BY day, visit_id) AS next FROM visits) t WHERE next = 'cardio';
-- =>
-- 0A000 at 105 ('w.day > v.da'): this LATERAL has groups or a limit, and reads the row before it by more than equality
-- HINT: It may do so where that row is of a table with a primary key. Else join rows before they are grouped: FROM p JOIN t ON t.key = p.key AND t.x > p.y GROUP BY …; or LEAD(x) OVER (PARTITION BY key ORDER BY …).

-- groups by LATERAL of rows of others, by an inequality
SELECT sex, sum(x.n) FROM people p, LATERAL (SELECT v.dept, count(*) AS n FROM visits v WHERE v.cost > p.age GROUP BY v.dept) x GROUP BY sex;
-- instead:
SELECT sex, sum(x.n) FROM people p, LATERAL (SELECT v.dept, count(*) AS n FROM visits v WHERE v.person_id = p.person_id AND v.cost > p.age GROUP BY v.dept) x GROUP BY sex;
-- =>
-- DP002: joining "v" with "p" could put rows of two persons together
-- HINT: Join them ON v.person_id = p.person_id.

-- an aggregate by LATERAL, before a RIGHT JOIN
SELECT count(x.n) FROM people p CROSS JOIN LATERAL (SELECT count(*) AS n FROM visits v WHERE v.person_id = p.person_id) x RIGHT JOIN people q ON q.person_id = p.person_id AND q.age > 30;
-- instead:
SELECT count(x.n) FROM people q LEFT JOIN people p ON q.person_id = p.person_id AND q.age > 30 CROSS JOIN LATERAL (SELECT count(*) AS n FROM visits v WHERE v.person_id = p.person_id) x;
-- =>
-- 0A000 at 60 ('count(*) AS '): an aggregate before a RIGHT or FULL JOIN inside of LATERAL is not supported over private rows
-- HINT: Write that join before LATERAL.

-- LATERAL with HAVING of a whole
SELECT count(*) FROM people p, LATERAL (SELECT max(v.cost) AS n FROM visits v WHERE v.person_id = p.person_id HAVING count(*) > 2) x;
-- instead:
SELECT count(*) FROM people p, LATERAL (SELECT max(v.cost) AS n, count(*) AS m FROM visits v WHERE v.person_id = p.person_id) x WHERE x.m > 2;
-- =>
-- 0A000 at 118 ('count(*) > 2'): HAVING without GROUP BY inside of LATERAL is not supported over private rows
-- HINT: Ask it outside: WHERE x.n > 2.

-- LATERAL with DISTINCT and a limit
SELECT count(*) FROM people p, LATERAL (SELECT DISTINCT v.dept FROM visits v WHERE v.person_id = p.person_id ORDER BY v.dept LIMIT 2) x;
-- instead:
SELECT count(*) FROM people p, LATERAL (SELECT v.dept FROM visits v WHERE v.person_id = p.person_id GROUP BY v.dept ORDER BY v.dept LIMIT 2) x;
-- =>
-- 0A000 at 57 ('v.dept FROM '): DISTINCT with ON or LIMIT inside of LATERAL is not supported over private rows
-- HINT: Write GROUP BY in its place: SELECT k FROM … GROUP BY k.

-- LATERAL with grouping sets
SELECT count(*) FROM people p, LATERAL (SELECT v.dept, count(*) AS n FROM visits v WHERE v.person_id = p.person_id GROUP BY ROLLUP (v.dept)) x;
-- instead:
SELECT count(*) FROM people p, LATERAL (SELECT v.dept, count(*) AS n FROM visits v WHERE v.person_id = p.person_id GROUP BY v.dept) x;
-- =>
-- 0A000 at 133 ('v.dept)) x'): GROUPING SETS inside of LATERAL is not supported over private rows
-- HINT: Write it as a derived table, and join that on its key.

-- LATERAL of rows of others
SELECT count(*) FROM people p, LATERAL (SELECT v.dept FROM visits v WHERE v.cost > p.age) x;
-- instead:
SELECT count(*) FROM people p, LATERAL (SELECT v.dept FROM visits v WHERE v.person_id = p.person_id AND v.cost > p.age) x;
-- =>
-- DP002 at 48 ('v.dept FROM '): joining "p" with "x" could put rows of two persons together
-- HINT: Join them ON the key of the person; let a derived table select it.

-- groups of a derived table, correlated by an inequality
SELECT d.dept, (SELECT max(t.n) FROM (SELECT v.day, count(*) AS n FROM visits v WHERE v.cost > d.beds GROUP BY v.day) t) FROM departments d;
-- instead:
SELECT t.dept, max(t.n) FROM (SELECT d.dept, v.day, count(*) AS n FROM departments d JOIN visits v ON v.cost > d.beds GROUP BY d.dept, v.day) t GROUP BY t.dept;
-- =>
-- 0A000 at 96 ('d.beds GROUP'): "beds" of the query around this one cannot be read here
-- HINT: A derived table may ask of it in WHERE: anything where each row is by itself, equality where there are groups. Else join the rows before they are grouped: FROM p JOIN t ON t.key = p.key AND t.x > p.y GROUP BY ….

-- groups of a derived table over the unit's rows, correlated by an inequality
SELECT count(*) FROM people p WHERE 3 < (SELECT count(*) FROM (SELECT v.day FROM visits v WHERE v.person_id = p.person_id AND v.cost > p.age GROUP BY v.day) t);
-- instead:
SELECT count(*) FROM (SELECT t.person_id FROM (SELECT p.person_id, v.day FROM people p JOIN visits v ON v.person_id = p.person_id AND v.cost > p.age GROUP BY p.person_id, v.day) t GROUP BY t.person_id HAVING count(*) > 3) u;
-- =>
-- 0A000 at 111 ('p.person_id '): "person_id" of the query around this one cannot be read here
-- HINT: A derived table may ask of it in WHERE: anything where each row is by itself, equality where there are groups. Else join the rows before they are grouped: FROM p JOIN t ON t.key = p.key AND t.x > p.y GROUP BY ….

-- a whole of a derived table over the unit's rows
SELECT count(*) FROM people p WHERE 3 < (SELECT t.n FROM (SELECT count(*) AS n FROM visits v WHERE v.person_id = p.person_id) t);
-- instead:
SELECT count(*) FROM people p WHERE 3 < (SELECT count(*) AS n FROM visits v WHERE v.person_id = p.person_id);
-- =>
-- 0A000 at 114 ('p.person_id)'): "person_id" of the query around this one cannot be read here
-- HINT: A derived table may ask of it in WHERE: anything where each row is by itself, equality where there are groups. Else join the rows before they are grouped: FROM p JOIN t ON t.key = p.key AND t.x > p.y GROUP BY ….

-- LATERAL with a limit for all
SELECT count(*) FROM people p, LATERAL (SELECT cost FROM visits v ORDER BY cost DESC LIMIT 1) t;
-- instead:
SELECT count(*) FROM people p, LATERAL (SELECT cost FROM visits v WHERE v.person_id = p.person_id ORDER BY cost DESC LIMIT 1) AS t;
-- =>
-- DP002 at 48 ('cost FROM vi'): LIMIT in this LATERAL would keep rows of some units and not of others
-- HINT: Tie it to the unit: LATERAL (SELECT … WHERE t.key = outer.key ORDER BY … LIMIT n).

-- a correlated query of a whole, asked whether it has rows
SELECT count(*) FROM people p WHERE EXISTS (SELECT v.person_id FROM visits v WHERE v.person_id > p.person_id GROUP BY v.person_id HAVING count(*) > 3);
-- instead:
SELECT count(*) FROM people p JOIN (SELECT v.person_id FROM visits v GROUP BY v.person_id HAVING count(*) > 3) t ON t.person_id = p.person_id;
-- =>
-- 0A000 at 52 ('v.person_id '): a correlated subquery over private rows with WITH, GROUP BY, DISTINCT, LIMIT or a set operation is not supported
-- HINT: Write it as a derived table grouped by the unit's key, and join it ON the key.

-- LEFT JOIN LATERAL of an aggregate, on a condition
SELECT count(t.n) FROM people p LEFT JOIN LATERAL (SELECT count(*) AS n FROM visits v WHERE v.person_id = p.person_id) t ON p.age > 40;
-- instead:
SELECT count(CASE WHEN p.age > 40 THEN t.n END) FROM people p LEFT JOIN LATERAL (SELECT count(*) AS n FROM visits v WHERE v.person_id = p.person_id) t ON TRUE;
-- =>
-- 0A000 at 93 ('v.person_id '): this form of LATERAL over private rows is not supported
-- HINT: Write one plain SELECT in it that reads the row before it in WHERE, joined ON TRUE: LATERAL (SELECT … FROM t WHERE t.key = p.key ORDER BY … LIMIT n) AS name, and what is computed of an aggregate and that row outside of it; or join a derived table.

-- several groups of each public row
SELECT d.dept, (SELECT p.city FROM visits v JOIN people p USING (person_id) WHERE v.dept = d.dept GROUP BY p.city) FROM departments d;
-- instead:
SELECT d.dept, (SELECT count(DISTINCT p.city) FROM visits v JOIN people p USING (person_id) WHERE v.dept = d.dept) FROM departments d;
-- =>
-- DP002 at 24 ('p.city FROM '): a scalar subquery here must be proved to have one row
-- HINT: Aggregate in it: MAX(x), MIN(x), COUNT(*), SUM(x) or AVG(x). Of public or released rows: LIMIT 1.

-- a value of several released rows
SELECT count(*) FROM people p WHERE p.city = (SELECT q.city FROM people q GROUP BY q.city HAVING count(*) > 100);
-- instead:
SELECT count(*) FROM people p WHERE p.city = (SELECT q.city FROM people q GROUP BY q.city HAVING count(*) > 100 ORDER BY count(*) DESC LIMIT 1);
-- =>
-- DP002: a scalar subquery here must be proved to have one row
-- HINT: Aggregate in it: MAX(x), MIN(x), COUNT(*), SUM(x) or AVG(x). Of public or released rows: LIMIT 1.

-- a derived table that is correlated, read as a whole row
SELECT d.dept, (SELECT json_agg(t) FROM (SELECT v.dept AS k, count(*) AS n FROM visits v WHERE v.dept = d.dept GROUP BY v.dept) AS t) FROM departments d;
-- instead:
SELECT d.dept, (SELECT json_agg(json_build_object('k', t.k, 'n', t.n)) FROM (SELECT v.dept AS k, count(*) AS n FROM visits v WHERE v.dept = d.dept GROUP BY v.dept) AS t) FROM departments d;
-- =>
-- 0A000 at 105 ('d.dept GROUP'): "dept" of the query around this one cannot be read here
-- HINT: A derived table may ask of it in WHERE: anything where each row is by itself, equality where there are groups. Else join the rows before they are grouped: FROM p JOIN t ON t.key = p.key AND t.x > p.y GROUP BY ….

-- a whole row of a public table, beside aggregates
SELECT d.dept, to_json(d), count(*) FROM visits v JOIN departments d ON v.dept = d.dept GROUP BY d.dept;
-- instead:
SELECT d.dept, json_build_object('building', d.building), count(*) FROM visits v JOIN departments d ON v.dept = d.dept GROUP BY d.dept, d.building;
-- =>
-- 0A000 at 24 ('d), count(*)'): whole rows are not supported over private tables
-- HINT: Name the columns of d, and group by them.

-- correlated by what an outer join may leave out, and a condition that is true there
SELECT n.nation, (SELECT count(*) FROM visits v WHERE v.cost > COALESCE(d.beds, 0)) FROM nation n LEFT JOIN departments d ON d.building = n.nation;
-- instead:
SELECT t.nation, (SELECT count(*) FROM visits v WHERE v.cost > COALESCE(t.beds, 0)) FROM (SELECT n.nation, d.beds FROM nation n LEFT JOIN departments d ON d.building = n.nation) AS t;
-- =>
-- 0A000 at 73 ('d.beds, 0)) '): "d" may be missing in the outer join, and this condition be true there
-- HINT: Join the outer tables in a derived table: FROM (SELECT … FROM a LEFT JOIN b ON …) AS t.

-- LATERAL of an aggregate and the row before it
SELECT sum(x.c) FROM people p, LATERAL (SELECT count(*) * p.age AS c FROM visits v WHERE v.person_id = p.person_id) x;
-- instead:
SELECT sum(x.c * p.age) FROM people p, LATERAL (SELECT count(*) AS c FROM visits v WHERE v.person_id = p.person_id) x;
-- =>
-- 0A000 at 59 ('p.age AS c F'): this form of LATERAL over private rows is not supported
-- HINT: Write one plain SELECT in it that reads the row before it in WHERE, joined ON TRUE: LATERAL (SELECT … FROM t WHERE t.key = p.key ORDER BY … LIMIT n) AS name, and what is computed of an aggregate and that row outside of it; or join a derived table.
