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
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 1.597191
--   Measure AVG("people"."income"): centred sum, bounds [-250000, 250000] around 250000, step 1, sensitivity 250000 in 1 keys, gaussian, standard deviation 399297.9
--   Measure COUNT("people"."income"): values, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 2.25877

-- private keys of many rows per unit
SELECT dept, sum(cost) FROM visits GROUP BY dept;
-- =>
-- Cost: epsilon 1, delta 5e-08
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 4,920 row operations; no row is multiplied
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
-- Work: one person is at most 4,560 row operations; no row is multiplied
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
-- Work: one person is at most 5,400 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Release 1 of unit person
--   Key COALESCE("visits"."dept", "departments"."dept"): public, from SELECT DISTINCT s1."dept" AS d0 FROM "departments" AS s1
--   Limits: 20 rows per unit and key, 3 keys per unit (at most max_groups_per_unit keys per unit are kept)
--   Choice by SUM("visits"."cost"): sum, bounds [0, 8000], step 0.01, sensitivity 8000 in 3 keys, noisy max by Gumbel noise of scale 4040.61: charged as one choice, which tells the key of the largest and nothing else

-- several keys with their numbers: choices, then noise for what was chosen
SELECT priority, flag, count(*) FROM orders JOIN lineitem USING (orderkey) GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 2;
-- =>
-- Cost: epsilon 1, delta 0
-- Remaining: epsilon 100, delta 5e-06
-- Work: one customer is at most 2,640 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Release 1 of unit customer
--   Key "orders"."priority": public, 2 values (1-URGENT, 5-LOW)
--   Key "lineitem"."flag": public, 3 values (A, N, R)
--   Limits: 100 rows per unit and key, 6 keys per unit (there are no more public keys than that)
--   Choice by COUNT(*): rows, bounds [0, 100], step 1, sensitivity 100 in 6 keys, noisy top 2 by Gumbel noise of scale 101.0153: charged as 2 choices, which tell the keys of the 2 largest, in order, and nothing else; below the one that belongs at a place by 553.6281 at most in 95 of 100 cases
--   Measure COUNT(*): rows, bounds [0, 100], step 1, sensitivity 100 in 2 keys, gaussian, standard deviation 202.0305

-- parts that add up to totals, of each aggregate that does
SELECT sex, smoker, count(*), sum(age), avg(age), count(DISTINCT age) FROM people GROUP BY CUBE (sex, smoker);
-- =>
-- Cost: epsilon 1, delta 0
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 1,398 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Consistent: COUNT(*) of release 1 adds up to releases 3, 5, 7
-- Consistent: SUM("people"."age") of release 1 adds up to releases 3, 5, 7
-- Release 1 of unit person
--   Key "people"."sex": public, 2 values (F, M)
--   Key "people"."smoker": public, 2 values (False, True)
--   Limits: 1 rows per unit and key, 1 keys per unit (one row per unit, so one key)
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 4.04061
--   Measure SUM("people"."age"): sum, bounds [0, 120], step 1, sensitivity 120 in 1 keys, gaussian, standard deviation 484.8732
--   Measure AVG("people"."age"): centred sum, bounds [-60, 60] around 60, step 1, sensitivity 60 in 1 keys, gaussian, standard deviation 242.4366
-- Release 2 of unit person
--   Key "people"."sex": public, 2 values (F, M)
--   Key "people"."smoker": public, 2 values (False, True)
--   Limits: 1 distinct values per unit and key, 1 keys per unit (one row per unit, so one key)
--   Measure COUNT(DISTINCT "people"."age"): distinct values, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 4.04061
-- Release 3 of unit person
--   Key "people"."sex": public, 2 values (F, M)
--   Limits: 1 rows per unit and key, 1 keys per unit (one row per unit, so one key)
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 4.04061
--   Measure SUM("people"."age"): sum, bounds [0, 120], step 1, sensitivity 120 in 1 keys, gaussian, standard deviation 484.8732
--   Measure AVG("people"."age"): centred sum, bounds [-60, 60] around 60, step 1, sensitivity 60 in 1 keys, gaussian, standard deviation 242.4366
-- Release 4 of unit person
--   Key "people"."sex": public, 2 values (F, M)
--   Limits: 1 distinct values per unit and key, 1 keys per unit (one row per unit, so one key)
--   Measure COUNT(DISTINCT "people"."age"): distinct values, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 4.04061
-- Release 5 of unit person
--   Key "people"."smoker": public, 2 values (False, True)
--   Limits: 1 rows per unit and key, 1 keys per unit (one row per unit, so one key)
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 4.04061
--   Measure SUM("people"."age"): sum, bounds [0, 120], step 1, sensitivity 120 in 1 keys, gaussian, standard deviation 484.8732
--   Measure AVG("people"."age"): centred sum, bounds [-60, 60] around 60, step 1, sensitivity 60 in 1 keys, gaussian, standard deviation 242.4366
-- Release 6 of unit person
--   Key "people"."smoker": public, 2 values (False, True)
--   Limits: 1 distinct values per unit and key, 1 keys per unit (one row per unit, so one key)
--   Measure COUNT(DISTINCT "people"."age"): distinct values, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 4.04061
-- Release 7 of unit person
--   Limits: 1 rows per unit and key, 1 keys per unit (no keys)
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 4.04061
--   Measure SUM("people"."age"): sum, bounds [0, 120], step 1, sensitivity 120 in 1 keys, gaussian, standard deviation 484.8732
--   Measure AVG("people"."age"): centred sum, bounds [-60, 60] around 60, step 1, sensitivity 60 in 1 keys, gaussian, standard deviation 242.4366
-- Release 8 of unit person
--   Limits: 1 distinct values per unit and key, 1 keys per unit (no keys)
--   Measure COUNT(DISTINCT "people"."age"): distinct values, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 4.04061

-- private parts: only the totals over public keys are known to have all of them
SELECT city, sex, count(*) FROM people GROUP BY ROLLUP (city, sex);
-- =>
-- Cost: epsilon 1, delta 5e-08
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 375 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Consistent: COUNT(*) of release 1 adds up to release 2
-- Release 1 of unit person
--   Key "people"."city": private, released above the threshold
--   Key "people"."sex": public, 2 values (F, M)
--   Key selection: gaussian, standard deviation 2.020305, threshold 13 persons
--   Limits: 1 rows per unit and key, 1 keys per unit (one row per unit, so one key)
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 2.020305
-- Release 2 of unit person
--   Key "people"."city": private, released above the threshold
--   Key selection: gaussian, standard deviation 2.020305, threshold 13 persons
--   Limits: 1 rows per unit and key, 1 keys per unit (one row per unit, so one key)
-- Release 3 of unit person
--   Limits: 1 rows per unit and key, 1 keys per unit (no keys)
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 2.020305

-- private parts first: a total over them is of nothing that is known
SELECT sex, city, count(*) FROM people GROUP BY ROLLUP (sex, city);
-- =>
-- Cost: epsilon 1, delta 5e-08
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 393 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Consistent: COUNT(*) of release 2 adds up to release 3
-- Release 1 of unit person
--   Key "people"."sex": public, 2 values (F, M)
--   Key "people"."city": private, released above the threshold
--   Key selection: gaussian, standard deviation 2.020305, threshold 13 persons
--   Limits: 1 rows per unit and key, 1 keys per unit (one row per unit, so one key)
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 2.020305
-- Release 2 of unit person
--   Key "people"."sex": public, 2 values (F, M)
--   Limits: 1 rows per unit and key, 1 keys per unit (one row per unit, so one key)
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 2.020305
-- Release 3 of unit person
--   Limits: 1 rows per unit and key, 1 keys per unit (no keys)
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 2.020305

-- sets of which none holds another have no parts
SELECT sex, smoker, count(*) FROM people GROUP BY GROUPING SETS ((sex), (smoker));
-- =>
-- Cost: epsilon 1, delta 0
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 262 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Release 1 of unit person
--   Key "people"."sex": public, 2 values (F, M)
--   Limits: 1 rows per unit and key, 1 keys per unit (one row per unit, so one key)
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 1.428571
-- Release 2 of unit person
--   Key "people"."smoker": public, 2 values (False, True)
--   Limits: 1 rows per unit and key, 1 keys per unit (one row per unit, so one key)
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 1.428571

-- nothing below 0
-- set dp.nonnegative = on
SELECT sex, count(*), sum(age) FROM people GROUP BY sex;
-- =>
-- Cost: epsilon 1, delta 0
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 158 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Nonnegative: counts, and sums of what is never below 0, are 0 at least
-- Release 1 of unit person
--   Key "people"."sex": public, 2 values (F, M)
--   Limits: 1 rows per unit and key, 1 keys per unit (one row per unit, so one key)
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 1.428571
--   Measure SUM("people"."age"): sum, bounds [0, 120], step 1, sensitivity 120 in 1 keys, gaussian, standard deviation 171.4286

-- quantiles and extremes
SELECT percentile_cont(ARRAY[0.25, 0.5]) WITHIN GROUP (ORDER BY age), max(income) FROM people;
-- =>
-- Cost: epsilon 1, delta 0
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 279 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Release 1 of unit person
--   Limits: all rows together as one per unit and key, 1 keys per unit (no keys)
--   Histogram "people"."age": histogram, bounds [0, 1], step 1, sensitivity 1 in 1 keys, 2 quantiles by a tree of noisy counts, 4 levels of 4 parts, over 121 values, gaussian of standard deviation 2.857143: off in rank by 11.42857 at most in 95 of 100 cases, where each person counts as one
-- Release 2 of unit person
--   Limits: all rows together as one per unit and key, 1 keys per unit (no keys)
--   Histogram "people"."income": histogram, bounds [0, 1], step 1, sensitivity 1 in 1 keys, 1 quantile by the exponential mechanism of scale 1.649572 among 62,501 values: off in rank by 46.3156 at most in 95 of 100 cases, where each person counts as one; MIN and MAX are the values beyond which 24 of them lie; counts around it get gaussian of standard deviation 2.857143 for a quarter of its price: an interval of 95 % reaches 23.75879 in rank, or to the next of 1, 2, 4 … values away

-- many quantiles of a unit's many rows
SELECT percentile_cont(ARRAY[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]) WITHIN GROUP (ORDER BY cost) FROM visits;
-- =>
-- Cost: epsilon 1, delta 0
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 7,410 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Release 1 of unit person
--   Limits: all rows together as one per unit and key, 1 keys per unit (no keys)
--   Histogram "visits"."cost": histogram, bounds [0, 1], step 1.525879e-05, sensitivity 1 in 1 keys, 9 quantiles by a tree of noisy counts, 4 levels of 16 parts, over 40,001 values, gaussian of standard deviation 2.020305: off in rank by 16.16244 at most in 95 of 100 cases, where each person counts as one

-- sample and aggregate
-- set dp.mechanism = sample_aggregate
-- set dp.blocks = 40
SELECT stddev(income), corr(income, age) FROM people;
-- =>
-- Cost: epsilon 1, delta 0
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 1,631 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Release 1 of unit person
--   Sample and aggregate: 40 blocks of units, median of their answers
--   Limits: all rows of a unit in one block
--   Histogram STDDEV("people"."income"): answers of blocks, of which one unit changes one, 1 quantile by the exponential mechanism of scale 2.857143 among 753,665 values: off in rank by 23.61205 at most in 95 of 100 cases, where each block counts as one
--   Note: an answer is that of about 1/40 of the units; how far it is from that of all of them is not known
-- Release 2 of unit person
--   Sample and aggregate: 40 blocks of units, median of their answers
--   Limits: all rows of a unit in one block
--   Histogram CORR("people"."income", "people"."age"): answers of blocks, of which one unit changes one, 1 quantile by the exponential mechanism of scale 2.857143 among 64,518 values: off in rank by 20.10062 at most in 95 of 100 cases, where each block counts as one
--   Note: an answer is that of about 1/40 of the units; how far it is from that of all of them is not known

-- a list of values that others may not have
SELECT city, array_agg(DISTINCT sex), count(*) FROM people GROUP BY city;
-- =>
-- Cost: epsilon 1, delta 5e-08
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 247 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Error bars: free, of columns, at 0.95
-- Release 1 of unit person
--   Key "people"."city": private, released above the threshold
--   Key selection: gaussian, standard deviation 1.749636, threshold 11 persons
--   Limits: 1 rows per unit and key, 1 keys per unit (one row per unit, so one key)
-- Release 2 of unit person
--   Key "people"."city": private, released above the threshold
--   Key "people"."sex": public, 2 values (F, M)
--   Key selection: gaussian, standard deviation 1.749636, threshold 11 persons
--   Limits: 1 rows per unit and key, 1 keys per unit (one row per unit, so one key)
--   Measure COUNT(*): rows, bounds [0, 1], step 1, sensitivity 1 in 1 keys, gaussian, standard deviation 1.749636
--   Note: values of ARRAY_AGG(DISTINCT "people"."sex"): those whose noisy count is above 0 with its interval

-- rows of two units
SELECT p.sex, count(*) FROM people p JOIN customer c ON p.person_id = c.custkey GROUP BY p.sex;
-- =>
-- Cost: epsilon 1, delta 0
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person and customer is at most 410,140 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Release 1 of unit person and customer
--   Key "p"."sex": public, 2 values (F, M)
--   Limits: any number of rows per unit and key, any number of keys per unit (all keys of a unit are kept, and scaled down together)
--   Measure COUNT(*): rows, step 1, each person and customer held to a clip by a maximum flow, chosen privately (Gumbel noisy max); then gaussian, standard deviation 1.428573 clips; of fewer than about 35 units of a kind in a key most may be cut off

-- more public keys than an answer has rows for
SELECT extract(doy FROM day), extract(month FROM day), extract(dow FROM day), count(*) FROM visits GROUP BY 1, 2, 3;
-- =>
-- Cost: epsilon 1, delta 5e-08
-- Remaining: epsilon 100, delta 5e-06
-- Work: one person is at most 8,270 row operations; no row is multiplied
-- Time: its limit has gaussian noise, standard deviation 7.08 times one unit's work; when the answer leaves is not covered
-- Release 1 of unit person
--   Key EXTRACT(DOY FROM "visits"."day"): private, released above the threshold
--   Key EXTRACT(MONTH FROM "visits"."day"): public, 12 values (1, 2, 3, 4, 5, 6, 7, 8, …)
--   Key EXTRACT(DOW FROM "visits"."day"): public, 7 values (0, 1, 2, 3, 4, 5, 6)
--   Key selection: gaussian, standard deviation 4.285714, threshold 28 persons
--   Limits: 20 rows per unit and key, 3 keys per unit (at most max_groups_per_unit keys per unit are kept)
--   Measure COUNT(*): rows, bounds [0, 20], step 1, sensitivity 20 in 3 keys, gaussian, standard deviation 49.48717
--   Note: EXTRACT(DOY FROM "visits"."day"): there are more than 10000 public keys, so of these values only those are told that enough persons have, and none as 0
