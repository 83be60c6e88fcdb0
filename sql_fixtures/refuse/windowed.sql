-- a window over everybody
SELECT avg(r) FROM (SELECT rank() OVER (ORDER BY cost, visit_id) AS r FROM visits) t;
-- instead:
SELECT avg(r) FROM (SELECT rank() OVER (PARTITION BY person_id ORDER BY cost, visit_id) AS r FROM visits) t;
-- =>
-- DP002 at 28 ('rank() OVER '): a window over rows of several persons
-- HINT: Add the unit: OVER (PARTITION BY person_id …), or aggregate first and use the window over the result.

-- a window over people with something in common
SELECT avg(r) FROM (SELECT rank() OVER (PARTITION BY sex ORDER BY age, person_id) AS r FROM people) t;
-- instead:
SELECT sex, age, rank() OVER (PARTITION BY sex ORDER BY count(*)) FROM people GROUP BY sex, age;
-- =>
-- DP002 at 28 ('rank() OVER '): a window over rows of several persons
-- HINT: Add the unit: OVER (PARTITION BY person_id …), or aggregate first and use the window over the result.

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

-- DISTINCT beside a window
SELECT count(*) FROM (SELECT DISTINCT person_id, rank() OVER (PARTITION BY person_id ORDER BY day) AS r FROM visits) t;
-- instead:
SELECT count(*) FROM (SELECT DISTINCT person_id, r FROM (SELECT person_id, rank() OVER (PARTITION BY person_id ORDER BY day) AS r FROM visits) a) t;
-- =>
-- 0A000 at 39 ('person_id, r'): DISTINCT beside window functions is not supported
-- HINT: Compute the window in a derived table, and select DISTINCT from it.

-- LAG by a column
SELECT count(*) FROM (SELECT lag(dept, visit_id::int) OVER (PARTITION BY person_id ORDER BY day) AS x FROM visits) t WHERE x = 'cardio';
-- instead:
SELECT count(*) FROM (SELECT lag(dept, 2) OVER (PARTITION BY person_id ORDER BY day) AS x FROM visits) t WHERE x = 'cardio';
-- =>
-- 0A000 at 30 ('lag(dept, vi'): an offset other than a number from 1 to 10000 over private rows is not supported
-- HINT: Write a number: LAG(x, 2) OVER (…).
