-- a window over everybody
SELECT avg(r) FROM (SELECT rank() OVER (ORDER BY cost, visit_id) AS r FROM visits) t;
-- instead:
SELECT avg(r) FROM (SELECT rank() OVER (PARTITION BY person_id ORDER BY cost, visit_id) AS r FROM visits) t;
-- =>
-- DP002 at 28 ('rank() OVER '): a window over rows of several persons
-- HINT: Add the unit: OVER (PARTITION BY person_id …); or keep the first buckets of ntile(20) in its place, whose bounds are released; or GROUP BY first, and rank the groups.

-- a window over people with something in common
SELECT avg(r) FROM (SELECT rank() OVER (PARTITION BY sex ORDER BY age, person_id) AS r FROM people) t;
-- instead:
SELECT sex, age, rank() OVER (PARTITION BY sex ORDER BY count(*)) FROM people GROUP BY sex, age;
-- =>
-- DP002 at 28 ('rank() OVER '): a window over rows of several persons
-- HINT: Add the unit: OVER (PARTITION BY person_id …); or keep the first buckets of ntile(20) in its place, whose bounds are released; or GROUP BY first, and rank the groups.

-- a frame of a range
SELECT count(*) FROM (SELECT sum(cost) OVER (PARTITION BY person_id ORDER BY day RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW) AS x FROM visits) t WHERE x > 100;
-- instead:
SELECT count(*) FROM (SELECT sum(cost) OVER (PARTITION BY person_id ORDER BY day, visit_id ROWS BETWEEN 7 PRECEDING AND CURRENT ROW) AS x FROM visits) t WHERE x > 100;
-- =>
-- 0A000 at 30 ('sum(cost) OV'): this frame of a window over private rows is not supported
-- HINT: Use ROWS BETWEEN n PRECEDING AND CURRENT ROW, or no frame.

-- a frame of groups
SELECT count(*) FROM (SELECT count(*) OVER (PARTITION BY person_id ORDER BY day GROUPS 2 PRECEDING) AS x FROM visits) t WHERE x > 2;
-- instead:
SELECT count(*) FROM (SELECT count(*) OVER (PARTITION BY person_id ORDER BY day) AS x FROM visits) t WHERE x > 2;
-- =>
-- 0A000 at 30 ('count(*) OVE'): this frame of a window over private rows is not supported
-- HINT: Use ROWS BETWEEN n PRECEDING AND CURRENT ROW, or no frame.

-- a frame without the row itself
SELECT count(*) FROM (SELECT count(*) OVER (PARTITION BY person_id ORDER BY day, visit_id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) AS x FROM visits) t WHERE x > 1;
-- instead:
SELECT count(*) FROM (SELECT count(*) OVER (PARTITION BY person_id ORDER BY day, visit_id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS x FROM visits) t WHERE x > 1;
-- =>
-- 0A000 at 30 ('count(*) OVE'): this frame of a window over private rows is not supported
-- HINT: Use ROWS BETWEEN n PRECEDING AND CURRENT ROW, or no frame.

-- LAG with a default
SELECT count(*) FROM (SELECT lag(dept, 1, 'none') OVER (PARTITION BY person_id ORDER BY day, visit_id) AS x FROM visits) t WHERE x = 'none';
-- instead:
SELECT count(*) FROM (SELECT coalesce(lag(dept) OVER (PARTITION BY person_id ORDER BY day, visit_id), 'none') AS x FROM visits) t WHERE x = 'none';
-- =>
-- 0A000 at 30 ('lag(dept, 1,'): a default of LAG or LEAD over private rows is not supported
-- HINT: Put it around the window: COALESCE(LAG(x) OVER (…), 0).

-- LAG by nothing
SELECT count(*) FROM (SELECT lag(dept, 0) OVER (PARTITION BY person_id ORDER BY day, visit_id) AS x FROM visits) t WHERE x = 'cardio';
-- instead:
SELECT count(*) FROM (SELECT lag(dept, 2) OVER (PARTITION BY person_id ORDER BY day, visit_id) AS x FROM visits) t WHERE x = 'cardio';
-- =>
-- 0A000 at 30 ('lag(dept, 0)'): an offset other than a number from 1 to 10000 over private rows is not supported
-- HINT: Write a number: LAG(x, 2) OVER (…).

-- an aggregate that is no window function here
SELECT count(*) FROM (SELECT stddev(cost) OVER (PARTITION BY person_id) AS x FROM visits) t WHERE x > 10;
-- instead:
SELECT count(*) FROM (SELECT max(cost) OVER (PARTITION BY person_id) - min(cost) OVER (PARTITION BY person_id) AS x FROM visits) t WHERE x > 10;
-- =>
-- 0A000 at 30 ('stddev(cost)'): this window function over private rows is not supported
-- HINT: Use ROW_NUMBER, RANK, LAG, LEAD, FIRST_VALUE, COUNT, SUM, AVG, MIN or MAX OVER (PARTITION BY its key ORDER BY …).

-- LAG by a column
SELECT count(*) FROM (SELECT lag(dept, visit_id::int) OVER (PARTITION BY person_id ORDER BY day) AS x FROM visits) t WHERE x = 'cardio';
-- instead:
SELECT count(*) FROM (SELECT lag(dept, 2) OVER (PARTITION BY person_id ORDER BY day) AS x FROM visits) t WHERE x = 'cardio';
-- =>
-- 0A000 at 30 ('lag(dept, vi'): an offset other than a number from 1 to 10000 over private rows is not supported
-- HINT: Write a number: LAG(x, 2) OVER (…).

-- a rank in groups of everybody, as a filter
SELECT avg(age) FROM (SELECT age, row_number() OVER (PARTITION BY sex ORDER BY joined DESC) AS r FROM people) t WHERE r <= 20;
-- instead:
SELECT avg(age) FROM (SELECT age, ntile(10) OVER (PARTITION BY sex ORDER BY joined DESC) AS r FROM people) t WHERE r = 1;
-- =>
-- DP002 at 35 ('row_number()'): a window over rows of several persons
-- HINT: Add the unit: OVER (PARTITION BY person_id …); or keep the first buckets of ntile(20) in its place, whose bounds are released; or GROUP BY first, and rank the groups.

-- a share of everybody
SELECT avg(age) FROM (SELECT age, percent_rank() OVER (ORDER BY joined) AS r FROM people) t WHERE r >= 0.9;
-- instead:
SELECT avg(age) FROM (SELECT age, ntile(10) OVER (ORDER BY joined) AS r FROM people) t WHERE r = 10;
-- =>
-- DP002 at 35 ('percent_rank'): a window over rows of several persons
-- HINT: Add the unit: OVER (PARTITION BY person_id …); or keep the first buckets of ntile(20) in its place, whose bounds are released; or GROUP BY first, and rank the groups.

-- very small shares
SELECT avg(age) FROM (SELECT age, ntile(1000) OVER (ORDER BY joined) AS r FROM people) t WHERE r = 1000;
-- instead:
SELECT avg(age) FROM (SELECT age, ntile(20) OVER (ORDER BY joined) AS r FROM people) t WHERE r = 20;
-- =>
-- DP002 at 35 ('ntile(1000) '): a window over rows of several persons
-- HINT: Add the unit: OVER (PARTITION BY person_id …); or ntile(n) of one number, a date or a moment, where n is 20 at most.

-- a running total of everybody's rows
SELECT count(*) FROM (SELECT sum(cost) OVER (ORDER BY day) AS s FROM visits) t WHERE s > 1000;
-- instead:
SELECT count(*) FROM (SELECT sum(sum(cost)) OVER (ORDER BY m) AS s FROM (SELECT date_trunc('month', day) AS m, cost FROM visits) v GROUP BY m) t WHERE s > 1000;
-- =>
-- DP002 at 30 ('sum(cost) OV'): a window over rows of several persons
-- HINT: Add the unit: OVER (PARTITION BY person_id …); leave ORDER BY out, for a number of the whole partition; or GROUP BY first, and use it over groups.

-- a window of a unit's groups, over those of everybody
SELECT avg(r) FROM (SELECT rank() OVER (ORDER BY sum(cost)) AS r FROM visits GROUP BY person_id, dept) t;
-- instead:
SELECT avg(r) FROM (SELECT rank() OVER (PARTITION BY person_id ORDER BY sum(cost)) AS r FROM visits GROUP BY person_id, dept) t;
-- =>
-- DP002 at 28 ('rank() OVER '): a window over rows of several persons
-- HINT: Add the unit: OVER (PARTITION BY person_id …); or keep the first buckets of ntile(20) in its place, whose bounds are released; or GROUP BY first, and rank the groups.

-- a window whose rows are the answer
WITH ranked AS (SELECT dept, cost, rank() OVER (PARTITION BY dept ORDER BY cost DESC) AS r FROM visits) SELECT dept, cost FROM ranked WHERE r <= 10;
-- instead:
SELECT dept, max(cost), avg(cost) FROM visits GROUP BY dept;
-- =>
-- DP002 at 112 ('dept, cost F'): this statement would return rows of private tables
-- HINT: Select aggregates: COUNT(*), SUM(x) or AVG(x), with GROUP BY for a row per group.

-- windows over everybody within each other
SELECT count(*) FROM (SELECT x3 - avg(x3) OVER () AS x4 FROM (SELECT x2 - avg(x2) OVER () AS x3 FROM (SELECT x1 - avg(x1) OVER () AS x2 FROM (SELECT x0 - avg(x0) OVER () AS x1 FROM (SELECT cost AS x0 FROM visits) t0) t1) t2) t3) z WHERE x4 > 0;
-- instead:
WITH c0 AS (SELECT cost AS x0 FROM visits), c1 AS (SELECT x0 - avg(x0) OVER () AS x1 FROM c0), c2 AS (SELECT x1 - avg(x1) OVER () AS x2 FROM c1), c3 AS (SELECT x2 - avg(x2) OVER () AS x3 FROM c2), c4 AS (SELECT x3 - avg(x3) OVER () AS x4 FROM c3) SELECT count(*) FROM c4 WHERE x4 > 0;
-- =>
-- 0A000 at 35 ('avg(x3) OVER'): more windows over rows of several units than are read within each other
-- HINT: Put the inner ones into queries of WITH, each of which is read once.

-- DISTINCT of a unit's key beside windows
SELECT DISTINCT person_id, rank() OVER (PARTITION BY person_id ORDER BY day) AS r FROM visits;
-- instead:
SELECT DISTINCT dept, rank() OVER (PARTITION BY person_id ORDER BY day) AS r FROM visits;
-- =>
-- DP002: GROUP BY or DISTINCT "person_id" would give one row for each person, or several
-- HINT: Group by a column that many share, or aggregate these rows once more: SELECT AVG(n) FROM (…) AS t.
