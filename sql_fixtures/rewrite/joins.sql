-- a key of the unit: the city is the person's
SELECT p.city, count(*) FROM visits v JOIN people p ON v.person_id = p.person_id GROUP BY p.city;
-- =>

-- comma join with the condition in WHERE
SELECT p.sex, sum(v.cost) FROM visits v, people p WHERE v.person_id = p.person_id AND p.age >= 40 GROUP BY p.sex;
-- =>

-- USING
SELECT sex, avg(cost) FROM visits JOIN people USING (person_id) GROUP BY sex;
-- =>

-- a public table, by its key: the domain comes from it and public conditions
SELECT d.building, sum(v.cost) FROM visits v JOIN departments d ON v.dept = d.dept WHERE d.beds > 10 GROUP BY d.building;
-- =>

-- a public table that may fan out
SELECT count(*) FROM people p JOIN departments d ON p.age > d.beds;
-- =>

-- a hidden join along the links
SELECT flag, sum(quantity), sum(price * (1 - discount)) FROM lineitem WHERE shipdate <= DATE '1996-09-02' GROUP BY flag;
-- =>

-- a chain of links written out
SELECT o.priority, count(*) FROM customer c JOIN orders o ON c.custkey = o.custkey JOIN lineitem l ON l.orderkey = o.orderkey WHERE c.segment = 'BUILDING' GROUP BY o.priority;
-- =>

-- a public table joined to one row per unit by its primary key
SELECT n.nation, avg(c.acctbal) FROM customer c JOIN nation n ON c.nationkey = n.nationkey GROUP BY n.nation;
-- =>
