-- rows of a private table
SELECT * FROM people;
-- instead:
SELECT count(*), sum(age), avg(age) FROM people;
-- =>
-- DP002: this statement would return rows of private tables
-- HINT: Select aggregates: COUNT(*), SUM(x) or AVG(x), with GROUP BY for a row per group.

-- a column of it
SELECT age FROM people WHERE age > 30 LIMIT 5;
-- instead:
SELECT age, count(*) FROM people WHERE age > 30 GROUP BY age;
-- =>
-- DP002 at 8 ('age FROM peo'): this statement would return rows of private tables
-- HINT: Select aggregates: COUNT(*), SUM(x) or AVG(x), with GROUP BY for a row per group.

-- a window over it
SELECT age, count(*) OVER () FROM people;
-- instead:
SELECT age, sum(count(*)) OVER () FROM people GROUP BY age;
-- =>
-- DP002 at 8 ('age, count(*'): this statement would return rows of private tables
-- HINT: Select aggregates: COUNT(*), SUM(x) or AVG(x), with GROUP BY for a row per group.

-- private rows beside released ones
SELECT p.sex, q.n FROM people p JOIN (SELECT sex, count(*) AS n FROM people GROUP BY sex) q ON q.sex = p.sex;
-- instead:
SELECT p.sex, count(*), max(q.n) FROM (SELECT sex, count(*) FROM people GROUP BY sex) p JOIN (SELECT sex, count(*) AS n FROM people GROUP BY sex) q ON q.sex = p.sex GROUP BY p.sex;
-- =>
-- DP002 at 8 ('p.sex, q.n F'): this statement would return rows of private tables
-- HINT: Select aggregates: COUNT(*), SUM(x) or AVG(x), with GROUP BY for a row per group.

-- the unit's key as a group
SELECT person_id, count(*) FROM people GROUP BY person_id;
-- instead:
SELECT avg(n) FROM (SELECT person_id, count(*) AS n FROM people GROUP BY person_id) AS t;
-- =>
-- DP002 at 49 ('person_id'): GROUP BY or DISTINCT "person_id" would give one row for each person, or several
-- HINT: Group by a column that many share, or aggregate these rows once more: SELECT AVG(n) FROM (…) AS t.

-- the unit's key through a derived table
SELECT p, count(*) FROM (SELECT person_id AS p FROM visits) t GROUP BY p;
-- instead:
SELECT avg(n) FROM (SELECT p, count(*) AS n FROM (SELECT person_id AS p FROM visits) t GROUP BY p) AS t;
-- =>
-- DP002 at 72 ('p'): GROUP BY or DISTINCT "p" would give one row for each person, or several
-- HINT: Group by a column that many share, or aggregate these rows once more: SELECT AVG(n) FROM (…) AS t.

-- the unit's key and more
SELECT person_id, dept, count(*) FROM visits GROUP BY person_id, dept HAVING count(*) > 3;
-- instead:
SELECT dept, avg(n) FROM (SELECT person_id, dept, count(*) AS n FROM visits GROUP BY person_id, dept HAVING count(*) > 3) AS t GROUP BY dept;
-- =>
-- DP002 at 55 ('person_id, d'): GROUP BY or DISTINCT "person_id" would give one row for each person, or several
-- HINT: Group by a column that many share, or aggregate these rows once more: SELECT AVG(n) FROM (…) AS t.

-- a column that settles the unit
SELECT orderkey, sum(price) FROM lineitem GROUP BY orderkey;
-- instead:
SELECT avg(s) FROM (SELECT orderkey, sum(price) AS s FROM lineitem GROUP BY orderkey) AS t;
-- =>
-- DP002 at 52 ('orderkey'): GROUP BY or DISTINCT "orderkey" would give one row for each customer, or several
-- HINT: Group by a column that many share, or aggregate these rows once more: SELECT AVG(n) FROM (…) AS t.

-- the units themselves
SELECT DISTINCT person_id FROM visits;
-- instead:
SELECT count(DISTINCT person_id) FROM visits;
-- =>
-- DP002 at 17 ('person_id FR'): GROUP BY or DISTINCT "person_id" would give one row for each person, or several
-- HINT: Group by a column that many share, or aggregate these rows once more: SELECT AVG(n) FROM (…) AS t.

-- a set operation of private rows
SELECT age FROM people UNION ALL SELECT age FROM people;
-- instead:
SELECT avg(age) FROM (SELECT age FROM people UNION ALL SELECT age FROM people) t;
-- =>
-- DP002 at 8 ('age FROM peo'): this statement would return rows of private tables
-- HINT: Select aggregates: COUNT(*), SUM(x) or AVG(x), with GROUP BY for a row per group.

-- public rows for which there is nobody, by an order
SELECT d.dept FROM departments d WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.dept = d.dept AND v.cost > d.beds);
-- instead:
SELECT d.dept FROM departments d WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.dept = d.dept AND v.cost > 30);
-- =>
-- 0A000 at 101 ('v.cost > d.b'): private rows are compared with public ones here by more than equality
-- HINT: Compare with constants, and with public columns by equality: EXISTS (SELECT 1 FROM t WHERE t.k = p.k).

-- public values that are nobody's key
SELECT sum(d.beds) FROM departments d WHERE d.beds NOT IN (SELECT person_id FROM visits);
-- instead:
SELECT sum(d.beds) FROM departments d WHERE d.beds NOT IN (SELECT age FROM people);
-- =>
-- DP002 at 67 ('person_id FR'): visits.person_id would tell of each person whether there is one
-- HINT: Compare with a column that many persons share, or count them: (SELECT COUNT(*) FROM …) > 100.

-- what determines the person is of one person each
SELECT sum(d.beds) FROM departments d WHERE EXISTS (SELECT 1 FROM visits v WHERE v.visit_id = d.beds);
-- instead:
SELECT sum(d.beds) FROM departments d WHERE EXISTS (SELECT 1 FROM visits v WHERE v.dept = d.dept);
-- =>
-- DP002 at 82 ('v.visit_id ='): v.visit_id would tell of each person whether there is one
-- HINT: Compare with a column that many persons share, or count them: (SELECT COUNT(*) FROM …) > 100.

-- and is compared with the rows of the person that asks, as it is
SELECT count(*) FROM visits a WHERE EXISTS (SELECT 1 FROM visits b WHERE b.visit_id = a.visit_id + 1);
-- instead:
SELECT count(*) FROM visits a WHERE EXISTS (SELECT 1 FROM visits b WHERE b.visit_id = a.visit_id + 1 AND b.person_id = a.person_id);
-- =>
-- DP002 at 52 ('1 FROM visit'): this subquery reads rows of other persons than the row that asks
-- HINT: Tie it to the unit: AND b.person_id = a.person_id.

-- rows that are kept of those that public ones ask for
SELECT d.dept FROM departments d WHERE d.dept IN (SELECT dept FROM visits ORDER BY cost LIMIT 3);
-- instead:
SELECT d.dept FROM departments d WHERE d.dept IN (SELECT dept FROM (SELECT dept, row_number() OVER (PARTITION BY person_id ORDER BY cost, visit_id) AS r FROM visits) AS t WHERE r <= 3);
-- =>
-- DP002 at 95 ('3)'): LIMIT over private rows would keep those of some units and not of others
-- HINT: Leave it out, or keep rows of each unit: ROW_NUMBER() OVER (PARTITION BY its key ORDER BY …) AS r in a derived table, and WHERE r <= n around it.

-- a private value for each public row
SELECT d.dept, (SELECT v.cost FROM visits v WHERE v.dept = d.dept LIMIT 1) FROM departments d;
-- instead:
SELECT d.dept, (SELECT count(*) FROM visits v WHERE v.dept = d.dept) FROM departments d;
-- =>
-- DP002 at 24 ('v.cost FROM '): this subquery would hand rows of private tables to a query over public or released ones
-- HINT: Aggregate them in the subquery: COUNT(*), SUM(x) or AVG(x).

-- a private value where one is asked for
SELECT (SELECT age FROM people);
-- instead:
SELECT (SELECT avg(age) FROM people);
-- =>
-- DP002 at 16 ('age FROM peo'): this subquery would hand rows of private tables to a query over public or released ones
-- HINT: Aggregate them in the subquery: COUNT(*), SUM(x) or AVG(x).

-- a column that is not grouped, in HAVING
SELECT sex, count(*) FROM people GROUP BY sex HAVING age > 30;
-- instead:
SELECT sex, count(*) FROM people GROUP BY sex HAVING avg(age) > 30;
-- =>
-- DP002 at 54 ('age > 30'): column "age" is neither aggregated nor one of the keys
-- HINT: Add "age" to GROUP BY, or aggregate it.

-- a column that is not grouped, in ORDER BY
SELECT sex, count(*) FROM people GROUP BY sex ORDER BY age;
-- instead:
SELECT sex, count(*) FROM people GROUP BY sex ORDER BY avg(age);
-- =>
-- DP002 at 56 ('age'): column "age" is neither aggregated nor one of the keys
-- HINT: Add "age" to GROUP BY, or aggregate it.

-- the unit's key after another
SELECT dept, person_id, count(*) FROM visits GROUP BY dept, person_id;
-- instead:
SELECT dept, avg(n) FROM (SELECT dept, person_id, count(*) AS n FROM visits GROUP BY dept, person_id) AS t GROUP BY dept;
-- =>
-- DP002 at 61 ('person_id'): GROUP BY or DISTINCT "person_id" would give one row for each person, or several
-- HINT: Group by a column that many share, or aggregate these rows once more: SELECT AVG(n) FROM (…) AS t.

-- the unit's key of a full join
SELECT person_id, count(*) FROM people FULL JOIN visits USING (person_id) GROUP BY person_id;
-- instead:
SELECT avg(n) FROM (SELECT person_id, count(*) AS n FROM people FULL JOIN visits USING (person_id) GROUP BY person_id) AS t;
-- =>
-- DP002: GROUP BY or DISTINCT the person's key would give one row for each person, or several
-- HINT: Group by a column that many share, or aggregate these rows once more: SELECT AVG(n) FROM (…) AS t.

-- whether there is anybody, by a WITH
SELECT EXISTS (WITH p AS (SELECT * FROM people) SELECT 1 FROM p WHERE age > 100);
-- instead:
SELECT (SELECT count(*) FROM people WHERE age > 100) > 0;
-- =>
-- DP002 at 71 ('age > 100)'): the answer would show without noise whether "p" has a row
-- HINT: Count them instead, which is released with noise: (SELECT COUNT(*) FROM … WHERE …) > 0.

-- the unit's key where an outer join may leave it out
SELECT avg(n) FROM (SELECT v.person_id, count(*) AS n FROM people p LEFT JOIN visits v ON p.person_id = v.person_id GROUP BY v.person_id) t;
-- instead:
SELECT avg(n) FROM (SELECT p.person_id, count(*) AS n FROM people p LEFT JOIN visits v ON p.person_id = v.person_id GROUP BY p.person_id) t;
-- =>
-- DP002 at 126 ('v.person_id)'): GROUP BY "person_id" would give one row for each person
-- HINT: Group by a column that many share, or leave the GROUP BY out.

-- the unit's key in ROLLUP
SELECT count(*) FROM (SELECT person_id, sum(cost) AS s FROM visits GROUP BY ROLLUP (person_id)) t;
-- instead:
SELECT count(*) FROM (SELECT person_id, sum(cost) AS s FROM visits GROUP BY person_id) t;
-- =>
-- DP002 at 85 ('person_id)) '): GROUP BY "person_id" would give one row for each person
-- HINT: Group by a column that many share, or leave the GROUP BY out.

-- a key of the unit within a text
SELECT 'order ' || orderkey, count(*) FROM lineitem GROUP BY 1;
-- instead:
SELECT flag, count(*) FROM lineitem GROUP BY flag;
-- =>
-- DP002 at 20 ('orderkey, co'): GROUP BY "orderkey" would give one row for each customer
-- HINT: Group by a column that many share, or leave the GROUP BY out.

-- a list of such
SELECT array_agg(DISTINCT person_id::text) FROM visits;
-- instead:
SELECT count(DISTINCT person_id) FROM visits;
-- =>
-- DP002 at 27 ('person_id::t'): a list of "person_id" would name single persons
-- HINT: List a column that many share, or count: COUNT(*).

-- some rows by chance
SELECT avg(income) FROM people WHERE random() < 0.1;
-- instead:
SELECT avg(income) FROM people TABLESAMPLE BERNOULLI (10);
-- =>
-- 0A000 at 38 ('random() < 0'): random() is not supported in a statement over private tables
-- HINT: A sample of the units is FROM t TABLESAMPLE BERNOULLI (10); beside released numbers, keep these in a table of your own, and call it there.

-- a number by chance beside released ones
SELECT city, gen_random_uuid(), count(*) FROM people GROUP BY city;
-- instead:
SELECT city, row_number() OVER (ORDER BY city), count(*) FROM people GROUP BY city;
-- =>
-- 0A000 at 14 ('gen_random_u'): gen_random_uuid() is not supported in a statement over private tables
-- HINT: Number released rows: row_number() OVER (ORDER BY k).

-- the time of day by itself
SELECT count(*) FROM people WHERE joined < timeofday()::date;
-- instead:
SELECT count(*) FROM people WHERE joined < now();
-- =>
-- 0A000 at 44 ('timeofday():'): function timeofday() is not supported in a statement over private tables
-- HINT: Write now(), the time at which the transaction began.

-- a seed
SELECT count(*), setseed(0.5) FROM people;
-- instead:
SELECT count(*) FROM people;
-- =>
-- 0A000 at 18 ('setseed(0.5)'): function setseed() is not supported in a statement over private tables
-- HINT: Leave it out: random() is not called over private tables.

-- a row for each unit, of keys by place and by name, in an order of these: the nearest question is printed
SELECT upper(p.sex) AS s, p.person_id, d.building, count(*) AS n, sum(v.cost) FROM people p JOIN visits v USING (person_id) JOIN departments d USING (dept) GROUP BY 2, s, d.building, p.city HAVING count(*) > 3 AND p.city > 'A' ORDER BY 2, 1, 4 DESC, p.city LIMIT 3;
-- instead:
SELECT upper(p.sex) AS s, d.building, count(*) AS n, sum(v.cost) FROM people p JOIN visits v USING (person_id) JOIN departments d USING (dept) GROUP BY upper(p.sex), d.building ORDER BY s, n DESC LIMIT 3;
-- =>
-- DP002 at 27 ('p.person_id,'): GROUP BY or DISTINCT "person_id" would give one row for each person, or several
-- HINT: The nearest question is answered: SELECT UPPER(p.sex) AS s, d.building, COUNT(*) AS n, SUM(v.cost) FROM people AS p JOIN visits AS v USING (person_id) JOIN departments AS d USING (dept) GROUP BY UPPER(p.sex), d.building ORDER BY s, n DESC LIMIT 3
