-- one row per unit, public keys
SELECT sex, count(*), avg(income) FROM people GROUP BY sex;
-- =>
-- Cost: epsilon 1, delta 0
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 184 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Release 1 of unit person
--   Key "people"."sex": public, 2 values (F, M)
--   Limits: 1 rows per unit and key, 1 keys per unit (one row per unit, so one key)
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 1.749636
--   Measure AVG("people"."income"): centred sum, bounds [-250000, 250000] around 250000, step 1, sensitivity 250000 in 1 keys, gaussian, standard deviation 437408.9
--   Measure COUNT("people"."income"): values, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 1.749636

-- private keys of many rows per unit
SELECT dept, sum(cost) FROM visits GROUP BY dept;
-- =>
-- Cost: epsilon 1, delta 5e-08
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 5,530 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Release 1 of unit person
--   Key "visits"."dept": private, released above the threshold
--   Key selection: gaussian, standard deviation 2.474358, threshold 16 persons
--   Limits: 20 rows per unit and key, 3 keys per unit (at most max_groups_per_unit keys per unit are kept)
--   Measure SUM("visits"."cost"): sum, bounds [0, 8000], step 0.01, sensitivity 8000 in 3 keys, gaussian, standard deviation 19794.87

-- two releases, one price
WITH a AS (SELECT count(*) AS n FROM people), b AS (SELECT sum(cost) AS c FROM visits) SELECT c / n FROM a, b;
-- =>
-- Cost: epsilon 1, delta 0
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 1,684 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Release 1 of unit person
--   Limits: 1 rows per unit and key, 1 keys per unit (no keys)
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 1.428571
-- Release 2 of unit person
--   Limits: 20 rows per unit and key, 1 keys per unit (no keys)
--   Measure SUM("visits"."cost"): sum, bounds [0, 8000], step 0.01, sensitivity 8000 in 1 keys, gaussian, standard deviation 11428.57

-- keys of a public table
SELECT building, count(*) FROM visits JOIN departments USING (dept) GROUP BY building;
-- =>
-- Cost: epsilon 1, delta 0
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 5,170 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Release 1 of unit person
--   Key "departments"."building": public, from SELECT DISTINCT s1."building" AS d0 FROM "departments" AS s1
--   Limits: 20 rows per unit and key, 3 keys per unit (at most max_groups_per_unit keys per unit are kept)
--   Measure COUNT(*): rows, bounds [0, 20], step 1, sensitivity 20 in 3 keys, gaussian, standard deviation 34.99271

-- the proxy's own tables cost nothing
SELECT * FROM dp.budget;
-- =>
-- Cost: epsilon 0, delta 0
-- Remaining: epsilon 100, delta 5e-06

-- which public key has the most: one choice
SELECT sex FROM people WHERE age > 30 GROUP BY sex ORDER BY count(*) DESC LIMIT 1;
-- =>
-- Cost: epsilon 1, delta 0
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 131 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Release 1 of unit person
--   Key "people"."sex": public, 2 values (F, M)
--   Limits: 1 rows per unit and key, 1 keys per unit (one row per unit, so one key)
--   Choice by COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, noisy max by Gumbel noise of scale 0.5050763: charged as one choice, which tells the key of the largest and nothing else; below the largest by 1.863165 at most in 95 of 100 cases

-- which public key has the most, of those that the engine knows
SELECT dept FROM visits JOIN departments USING (dept) GROUP BY dept ORDER BY sum(cost) DESC, dept LIMIT 1;
-- =>
-- Cost: epsilon 1, delta 0
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 6,010 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Release 1 of unit person
--   Key COALESCE("visits"."dept", "departments"."dept"): public, from SELECT DISTINCT s1."dept" AS d0 FROM "departments" AS s1
--   Limits: 20 rows per unit and key, 3 keys per unit (at most max_groups_per_unit keys per unit are kept)
--   Choice by SUM("visits"."cost"): sum, bounds [0, 8000], step 0.01, sensitivity 8000 in 3 keys, noisy max by Gumbel noise of scale 4040.61: charged as one choice, which tells the key of the largest and nothing else
