-- could pass the integers
SELECT sum(price * 1e14) FROM lineitem;
-- instead:
SELECT sum(LEAST(price * 1e14, 1e9)) FROM lineitem;
-- =>
-- DP003: the bounds are too wide for the grid of the sum
-- HINT: Narrow the values with LEAST and GREATEST or in WHERE, or round them.

-- a sum per person of floating point without bounds
SELECT avg(n) FROM (SELECT person_id, sum(visit_id::float8) AS n FROM visits GROUP BY person_id) t;
-- instead:
SELECT avg(n) FROM (SELECT person_id, sum(LEAST(GREATEST(CAST(visits.visit_id AS double precision), 0), 1000)) AS n FROM visits GROUP BY person_id) t;
-- =>
-- DP003 at 39 ('sum(visit_id'): CAST(visits.visit_id AS DOUBLE PRECISION) has no finite bounds, so its sum for one unit has none
-- HINT: Clip it: LEAST(GREATEST(CAST(visits.visit_id AS DOUBLE PRECISION), 0), 1000) with bounds that fit, or ask the owner for bounds.
