-- a derived column used twice on each of many levels
SELECT count(*) FROM (SELECT t||t AS t FROM (SELECT t||t AS t FROM (SELECT t||t AS t FROM (SELECT t||t AS t FROM (SELECT city||city AS t FROM people) a) b) c) d) e WHERE length(t) > 0;
-- instead:
SELECT count(*) FROM (SELECT t||t AS t FROM (SELECT city||city AS t FROM people) a) b WHERE length(t) > 0;
-- =>
-- 0A000 at 30 ('t||t AS t FR'): an expression over private rows grows too large through derived tables
-- HINT: Use each derived column once or twice, and put fewer texts together.

-- numbers grow as well
SELECT sum(x) FROM (SELECT (x+x)*(x+x)*(x+x) AS x FROM (SELECT (x+x)*(x+x)*(x+x) AS x FROM (SELECT (x+x)*(x+x)*(x+x) AS x FROM (SELECT (age+age)*(age+age) AS x FROM people) a) b) c) d;
-- instead:
SELECT sum(x) FROM (SELECT x*8 AS x FROM (SELECT age*age*4 AS x FROM people) a) b;
-- =>
-- 0A000 at 29 ('x+x)*(x+x)*('): an expression over private rows grows too large through derived tables
-- HINT: Use each derived column once or twice, and put fewer texts together.

-- replace() through a derived table
SELECT count(*) FROM (SELECT replace(town, 'a', 'aaa') AS t FROM (SELECT replace(city, 'a', 'aaa') AS town FROM people) a) b WHERE t <> '';
-- instead:
SELECT count(*) FROM (SELECT replace(city, 'a', 'aaaaaaaaa') AS t FROM people) b WHERE t <> '';
-- =>
-- 0A000 at 30 ('replace(town'): replace() of a derived column that is made longer itself is not supported
-- HINT: Use replace(), regexp_replace() and repeat() once on a text.

-- a real key that the engine would hold as a double
SELECT CASE WHEN age = 77 THEN 0.1 ELSE CAST(0.1 AS real) END AS k, count(*) FROM people GROUP BY 1;
-- instead:
SELECT CAST(CASE WHEN age = 77 THEN 0.5 ELSE CAST(0.25 AS real) END AS double precision) AS k, count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 18 ('age = 77 THE'): grouping by this real expression is not supported
-- HINT: Cast it: CAST(x AS double precision) or CAST(x AS bigint).

-- too many grouping sets
SELECT sex, smoker, age > 10 AS a, age > 20 AS b, age > 30 AS c, age > 40 AS d, count(*) FROM people GROUP BY CUBE (sex, smoker, a, b, c, d);
-- instead:
SELECT sex, smoker, age > 10 AS a, count(*) FROM people GROUP BY GROUPING SETS ((sex, smoker), (a), ());
-- =>
-- 0A000 at 21 ('age > 10 AS '): 64 grouping sets are too many: each is a release of its own, and 32 is the most
-- HINT: Group by fewer columns, or list the sets that you need: GROUPING SETS ((a, b), (a), ()).

-- grouping sets without those that are there twice
SELECT sex, smoker, count(*) FROM people GROUP BY DISTINCT ROLLUP (sex, smoker), ROLLUP (sex);
-- instead:
SELECT sex, smoker, count(*) FROM people GROUP BY GROUPING SETS ((sex, smoker), (sex), ());
-- =>
-- 0A000 at 68 ('sex, smoker)'): this form of GROUP BY is not supported over private tables
-- HINT: List the keys, GROUP BY a, b, or the sets of them: GROUP BY GROUPING SETS ((a, b), (a), ()).

-- where rows belong to two units, too
SELECT count(*) FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT a+a AS a FROM (SELECT age AS a FROM people p JOIN customer c ON c.custkey = p.person_id) t0) t1) t2) t3) t4) t5) t6) t7) t8) t9) t10) t11) t12) t13) t14) t15) t16) t17) t18) t19) t20) t21) t22) t23) t24) t25) t26) t27) t28) t29) x WHERE a > 3;
-- instead:
SELECT count(*) FROM (SELECT a+a AS a FROM (SELECT age AS a FROM people p JOIN customer c ON c.custkey = p.person_id) t) x WHERE a > 3;
-- =>
-- 0A000 at 448 ('a+a AS a FRO'): an expression over private rows grows too large through derived tables
-- HINT: Use each derived column once or twice, and put fewer texts together.
