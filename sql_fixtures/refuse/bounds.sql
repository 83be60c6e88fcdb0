-- no bounds declared
SELECT sum(visit_id) FROM visits;
-- =>
-- DP003 at 12 ('visit_id) FR'): visits.visit_id has no finite bounds, so one unit's share of the sum has none
-- HINT: Clip it: LEAST(GREATEST(visits.visit_id, 0), 1000) with bounds that fit, or ask the owner for bounds.

-- no bounds in a mean
SELECT avg(person_id) FROM people;
-- =>
-- DP003 at 12 ('person_id) F'): people.person_id has no finite bounds, so one unit's share of the sum has none
-- HINT: Clip it: LEAST(GREATEST(people.person_id, 0), 1000) with bounds that fit, or ask the owner for bounds.

-- could pass the integers
SELECT sum(price * 1e14) FROM lineitem;
-- =>
-- DP003: the bounds are too wide for the grid of the sum
-- HINT: Narrow the values with LEAST and GREATEST or in WHERE, or round them.
