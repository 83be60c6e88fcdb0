-- no bounds declared
SELECT sum(visit_id) FROM visits;
-- instead:
SELECT sum(LEAST(GREATEST(visits.visit_id, 0), 1000)) FROM visits;
-- =>
-- DP003 at 12 ('visit_id) FR'): visits.visit_id has no finite bounds, so one unit's share of the sum has none
-- HINT: Clip it: LEAST(GREATEST(visits.visit_id, 0), 1000) with bounds that fit, or ask the owner for bounds.

-- no bounds in a mean
SELECT avg(person_id) FROM people;
-- instead:
SELECT avg(LEAST(GREATEST(people.person_id, 0), 1000)) FROM people;
-- =>
-- DP003 at 12 ('person_id) F'): people.person_id has no finite bounds, so one unit's share of the sum has none
-- HINT: Clip it: LEAST(GREATEST(people.person_id, 0), 1000) with bounds that fit, or ask the owner for bounds.

-- could pass the integers
SELECT sum(price * 1e14) FROM lineitem;
-- instead:
SELECT sum(LEAST(price * 1e14, 1e9)) FROM lineitem;
-- =>
-- DP003: the bounds are too wide for the grid of the sum
-- HINT: Narrow the values with LEAST and GREATEST or in WHERE, or round them.

-- no bounds of a derived column
SELECT sum(t.x) FROM (SELECT visit_id + 1 AS x FROM visits) t;
-- instead:
SELECT sum(LEAST(GREATEST(t.x, 0), 1000)) FROM (SELECT visit_id + 1 AS x FROM visits) t;
-- =>
-- DP003 at 12 ('t.x) FROM (S'): t.x has no finite bounds, so one unit's share of the sum has none
-- HINT: Clip it: LEAST(GREATEST(t.x, 0), 1000) with bounds that fit, or ask the owner for bounds.

-- no bounds of a sum per person
SELECT avg(t.n) FROM (SELECT person_id, sum(visit_id) AS n FROM visits GROUP BY person_id) t;
-- instead:
SELECT avg(LEAST(GREATEST(t.n, 0), 1000)) FROM (SELECT person_id, sum(visit_id) AS n FROM visits GROUP BY person_id) t;
-- =>
-- DP003 at 12 ('t.n) FROM (S'): t.n has no finite bounds, so one unit's share of the sum has none
-- HINT: Clip it: LEAST(GREATEST(t.n, 0), 1000) with bounds that fit, or ask the owner for bounds.

-- a sum per person of floating point without bounds
SELECT avg(n) FROM (SELECT person_id, sum(visit_id::float8) AS n FROM visits GROUP BY person_id) t;
-- instead:
SELECT avg(n) FROM (SELECT person_id, sum(LEAST(GREATEST(CAST(visits.visit_id AS double precision), 0), 1000)) AS n FROM visits GROUP BY person_id) t;
-- =>
-- DP003 at 39 ('sum(visit_id'): CAST(visits.visit_id AS DOUBLE PRECISION) has no finite bounds, so its sum for one unit has none
-- HINT: Clip it: LEAST(GREATEST(CAST(visits.visit_id AS DOUBLE PRECISION), 0), 1000) with bounds that fit, or ask the owner for bounds.

-- a spread without bounds
SELECT stddev(visit_id) FROM visits;
-- instead:
SELECT stddev(LEAST(GREATEST(visits.visit_id, 0), 1000)) FROM visits;
-- =>
-- DP003 at 15 ('visit_id) FR'): visits.visit_id has no finite bounds, so one unit's share of the sum has none
-- HINT: Clip it: LEAST(GREATEST(visits.visit_id, 0), 1000) with bounds that fit, or ask the owner for bounds.

-- a correlated sum for each public row, without bounds
SELECT d.dept, (SELECT sum(v.visit_id) FROM visits v WHERE v.dept = d.dept) FROM departments d;
-- instead:
SELECT d.dept, (SELECT sum(LEAST(GREATEST(v.visit_id, 0), 1000)) FROM visits v WHERE v.dept = d.dept) FROM departments d;
-- =>
-- DP003 at 28 ('v.visit_id) '): v.visit_id has no finite bounds, so one unit's share of the sum has none
-- HINT: Clip it: LEAST(GREATEST(v.visit_id, 0), 1000) with bounds that fit, or ask the owner for bounds.
