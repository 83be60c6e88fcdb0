-- a sum that no double holds
SELECT corr(price * 1e300::float8, quantity * 1e300::float8) FROM lineitem;
-- instead:
SELECT corr(price, quantity) FROM lineitem;
-- =>
-- DP003: CORR("lineitem"."price" * CAST(1e300 AS DOUBLE PRECISION), "lineitem"."quantity" * CAST(1e300 AS DOUBLE PRECISION)) adds up values too large or too small for double precision
-- HINT: Multiply them so that they are nearer to 1, and the answer back again.

-- a sum per person of floating point without bounds
SELECT avg(n) FROM (SELECT person_id, sum(visit_id::float8) AS n FROM visits GROUP BY person_id) t;
-- instead:
SELECT avg(n) FROM (SELECT person_id, sum(LEAST(GREATEST(CAST(visits.visit_id AS double precision), 0), 1000)) AS n FROM visits GROUP BY person_id) t;
-- =>
-- DP003 at 39 ('sum(visit_id'): CAST(visits.visit_id AS DOUBLE PRECISION) has no finite bounds, so its sum for one unit has none
-- HINT: Clip it: LEAST(GREATEST(CAST(visits.visit_id AS DOUBLE PRECISION), 0), 1000) with bounds that fit, or ask the owner for bounds.
