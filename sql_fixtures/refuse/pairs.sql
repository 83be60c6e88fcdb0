-- rows of two units, one of which may be missing
SELECT count(*) FROM people p LEFT JOIN customer c ON p.person_id = c.custkey;
-- instead:
SELECT count(*) FROM people p JOIN customer c ON p.person_id = c.custkey;
-- =>
-- DP002 at 41 ('customer c O'): an outer join of rows of customer and person
-- HINT: Use JOIN: where a row may be missing, others would depend on who is not there.

-- rows of two units, by private keys
SELECT p.city, count(*) FROM people p JOIN customer c ON p.person_id = c.custkey GROUP BY p.city;
-- instead:
SELECT p.sex, count(*) FROM people p JOIN customer c ON p.person_id = c.custkey GROUP BY p.sex;
-- =>
-- DP002 at 91 ('p.city'): GROUP BY "p"."city" has private keys, and rows that belong to a person and a customer each choose none
-- HINT: The nearest question is answered: SELECT COUNT(*) FROM people AS p JOIN customer AS c ON p.person_id = c.custkey

-- rows of two units, in several sets of keys of which one is private
SELECT p.sex, p.city, count(*) FROM people p JOIN customer c ON p.person_id = c.custkey GROUP BY ROLLUP (p.sex, p.city);
-- instead:
SELECT p.sex, count(*) FROM people p JOIN customer c ON p.person_id = c.custkey GROUP BY ROLLUP (p.sex);
-- =>
-- DP002 at 113 ('p.city)'): GROUP BY "p"."city" has private keys, and rows that belong to a person and a customer each choose none
-- HINT: Group by columns with declared values or of public tables, or leave the GROUP BY out.

-- rows of each unit of two kinds, aggregated once more
SELECT avg(n) FROM (SELECT p.person_id, count(*) AS n FROM people p JOIN customer c ON p.person_id = c.custkey GROUP BY p.person_id) t;
-- instead:
SELECT count(*) AS n FROM people p JOIN customer c ON p.person_id = c.custkey;
-- =>
-- DP002 at 121 ('p.person_id)'): GROUP BY "person_id" would give one row for each person and customer
-- HINT: Group by a column that many share, or leave the GROUP BY out.

-- different pairs of units
WITH d AS (SELECT DISTINCT p.person_id, c.custkey FROM people p JOIN customer c ON p.person_id = c.custkey) SELECT count(*) FROM d;
-- instead:
SELECT count(*) FROM people p JOIN customer c ON p.person_id = c.custkey;
-- =>
-- DP002 at 28 ('p.person_id,'): GROUP BY "person_id" would give one row for each person and customer
-- HINT: Group by a column that many share, or leave the GROUP BY out.

-- distinct values of rows of two units
SELECT count(DISTINCT p.age) FROM people p JOIN customer c ON p.person_id = c.custkey;
-- instead:
SELECT count(p.age) FROM people p JOIN customer c ON p.person_id = c.custkey;
-- =>
-- 0A000 at 8 ('count(DISTIN'): COUNT(DISTINCT "p"."age") over rows that belong to a person and a customer each is not supported
-- HINT: COUNT, SUM and AVG are, and COUNT(DISTINCT x) of the key of one side's rows. Of rows of one kind of unit, all aggregates are.

-- a quantile of rows of two units
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY p.age) FROM people p JOIN customer c ON p.person_id = c.custkey;
-- instead:
SELECT avg(p.age) FROM people p JOIN customer c ON p.person_id = c.custkey;
-- =>
-- 0A000 at 8 ('percentile_c'): PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY "p"."age") over rows that belong to a person and a customer each is not supported
-- HINT: COUNT, SUM and AVG are, and COUNT(DISTINCT x) of the key of one side's rows. Of rows of one kind of unit, all aggregates are.

-- a spread of rows of two units
SELECT stddev(p.age) FROM people p JOIN customer c ON p.person_id = c.custkey;
-- instead:
SELECT sum(p.age * p.age), sum(p.age), count(p.age) FROM people p JOIN customer c ON p.person_id = c.custkey;
-- =>
-- 0A000 at 8 ('stddev(p.age'): STDDEV("p"."age") over rows that belong to a person and a customer each is not supported
-- HINT: COUNT, SUM and AVG are, and COUNT(DISTINCT x) of the key of one side's rows. Of rows of one kind of unit, all aggregates are.

-- a third unit, of one of the two kinds
SELECT count(*) FROM people p JOIN customer c ON p.person_id = c.custkey JOIN visits v ON v.cost = p.age;
-- instead:
SELECT count(*) FROM people p JOIN customer c ON p.person_id = c.custkey JOIN visits v ON v.person_id = p.person_id;
-- =>
-- DP002 at 79 ('visits v ON '): joining "p" with "v" could put rows of two persons together
-- HINT: Join them ON p.person_id = v.person_id. If cost determines the person, ask the data owner to let the policy say so.

-- a subquery over private rows beside rows of two units
SELECT count(*) FROM people p JOIN customer c ON p.person_id = c.custkey WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id);
-- instead:
SELECT count(*) FROM people p JOIN customer c ON p.person_id = c.custkey JOIN visits v ON v.person_id = p.person_id;
-- =>
-- DP002 at 8 ('count(*) FRO'): a subquery over private rows, beside rows that belong to two units each
-- HINT: The nearest question is answered: SELECT COUNT(*) FROM people AS p JOIN customer AS c ON p.person_id = c.custkey

-- a sample of rows of two units
SELECT count(*) FROM people p TABLESAMPLE BERNOULLI (10) JOIN customer c ON p.person_id = c.custkey;
-- instead:
SELECT count(*) FROM people p JOIN customer c ON p.person_id = c.custkey;
-- =>
-- DP002 at 22 ('people p TAB'): a sample of rows that belong to customer and person
-- HINT: Leave TABLESAMPLE out.

-- sample and aggregate over rows of two units
-- set dp.mechanism = sample_aggregate
SELECT avg(p.age) FROM people p JOIN customer c ON p.person_id = c.custkey;
-- instead:
SELECT avg(p.age) FROM people p;
-- =>
-- 0A000 at 8 ('avg(p.age) F'): sample and aggregate over rows that belong to two units each is not supported
-- HINT: SET dp.mechanism = 'auto'.

-- rows that belong to two units each
SELECT p.age FROM people p JOIN customer c ON p.person_id = c.custkey;
-- instead:
SELECT avg(p.age) FROM people p JOIN customer c ON p.person_id = c.custkey;
-- =>
-- DP002 at 33 ('customer c O'): "p" belongs to unit person and "c" to unit customer
-- HINT: Ask for COUNT, SUM or AVG of the joined rows, by public keys; or join tables of one privacy unit only: aggregate the others first, and join their results.

-- different rows of two units in a derived table
SELECT count(*) FROM (SELECT DISTINCT p.age FROM people p JOIN customer c ON p.person_id = c.custkey) t;
-- instead:
SELECT count(*) FROM people p JOIN customer c ON p.person_id = c.custkey;
-- =>
-- DP002 at 39 ('p.age FROM p'): GROUP BY "p"."age" has private keys, and rows that belong to a person and a customer each choose none
-- HINT: The nearest question is answered: SELECT COUNT(*) FROM people AS p JOIN customer AS c ON p.person_id = c.custkey

-- a window over rows of two units in a derived table
SELECT count(*) FROM (SELECT p.age, row_number() OVER (ORDER BY p.age) AS r FROM people p JOIN customer c ON p.person_id = c.custkey) t WHERE t.r < 10;
-- instead:
SELECT count(*) FROM (SELECT p.age FROM people p JOIN customer c ON p.person_id = c.custkey) t WHERE t.age < 10;
-- =>
-- DP002 at 96 ('customer c O'): "p" belongs to unit person and "c" to unit customer
-- HINT: Ask for COUNT, SUM or AVG of the joined rows, by public keys; or join tables of one privacy unit only: aggregate the others first, and join their results.

-- groups of rows of one unit, joined with another
SELECT count(*) FROM people p JOIN (SELECT custkey, count(*) AS n FROM orders GROUP BY custkey) o ON p.person_id = o.custkey WHERE o.n > 2;
-- instead:
SELECT count(*) FROM people p JOIN (SELECT custkey FROM customer WHERE acctbal > 2) o ON p.person_id = o.custkey;
-- =>
-- DP002 at 65 ('n FROM order'): a derived table, "o", beside rows of customer and person
-- HINT: Let it choose rows and compute of each, without DISTINCT, GROUP BY, LIMIT, windows and outer joins; or join the tables themselves.

-- public and private keys of rows of two units, in an order: the nearest question is printed
SELECT p.sex, p.city, count(*) FROM people p JOIN customer c ON p.person_id = c.custkey GROUP BY 1, 2 ORDER BY 2, 3;
-- instead:
SELECT p.sex, count(*) FROM people p JOIN customer c ON p.person_id = c.custkey GROUP BY p.sex;
-- =>
-- DP002 at 15 ('p.city, coun'): GROUP BY "p"."city" has private keys, and rows that belong to a person and a customer each choose none
-- HINT: The nearest question is answered: SELECT p.sex, COUNT(*) FROM people AS p JOIN customer AS c ON p.person_id = c.custkey GROUP BY p.sex ORDER BY COUNT(*)
