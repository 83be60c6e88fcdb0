-- a count grows with the rows
-- set dp.mechanism = sample_aggregate
SELECT avg(age), count(*) FROM people;
-- instead:
-- set dp.mechanism = auto
SELECT avg(age), count(*) FROM people;
-- =>
-- 0A000 at 18 ('count(*) FRO'): COUNT(*) grows with the number of rows: a block's answer is not that of all
-- HINT: Ask for it with SET dp.mechanism = auto; or for what does not: AVG(x), STDDEV(x), COUNT(DISTINCT x).

-- so does a sum
-- set dp.mechanism = sample_aggregate
SELECT sum(income) FROM people WHERE age > 30;
-- instead:
-- set dp.mechanism = sample_aggregate
SELECT avg(income) FROM people WHERE age > 30;
-- =>
-- 0A000 at 8 ('sum(income) '): SUM("people"."income") grows with the number of rows: a block's answer is not that of all
-- HINT: Ask for it with SET dp.mechanism = auto; or for what does not: AVG(x), STDDEV(x), COUNT(DISTINCT x).

-- and the number of units
-- set dp.mechanism = sample_aggregate
SELECT count(DISTINCT person_id) FROM visits;
-- instead:
-- set dp.mechanism = auto
SELECT count(DISTINCT person_id) FROM visits;
-- =>
-- 0A000 at 8 ('count(DISTIN'): COUNT(DISTINCT "visits"."person_id") grows with the number of rows: a block's answer is not that of all
-- HINT: Ask for it with SET dp.mechanism = auto; or for what does not: AVG(x), STDDEV(x), COUNT(DISTINCT x).

-- groups
-- set dp.mechanism = sample_aggregate
SELECT sex, avg(age) FROM people GROUP BY sex;
-- instead:
-- set dp.mechanism = sample_aggregate
SELECT avg(age) FILTER (WHERE sex = 'F'), avg(age) FILTER (WHERE sex = 'M') FROM people;
-- =>
-- 0A000 at 43 ('sex'): GROUP BY is not supported by dp.mechanism = sample_aggregate
-- HINT: Ask for one group by a condition, WHERE sex = 'F' or FILTER (WHERE …); or SET dp.mechanism = auto.

-- groups of a correlated subquery
-- set dp.mechanism = sample_aggregate
SELECT dept, (SELECT avg(cost) FROM visits v WHERE v.dept = d.dept) FROM departments d;
-- instead:
-- set dp.mechanism = auto
SELECT dept, (SELECT avg(cost) FROM visits v WHERE v.dept = d.dept) FROM departments d;
-- =>
-- 0A000: GROUP BY is not supported by dp.mechanism = sample_aggregate
-- HINT: Ask for one group by a condition, WHERE sex = 'F' or FILTER (WHERE …); or SET dp.mechanism = auto.

-- a decision
-- set dp.mechanism = sample_aggregate
SELECT bool_or(smoker) FROM people;
-- instead:
-- set dp.mechanism = auto
SELECT bool_or(smoker) FROM people;
-- =>
-- 0A000 at 8 ('bool_or(smok'): BOOL_OR("people"."smoker") is not supported by dp.mechanism = sample_aggregate
-- HINT: Use AVG, VARIANCE, STDDEV, COVAR, CORR, REGR, MIN, MAX or COUNT(DISTINCT x); or SET dp.mechanism = auto.

-- a text
-- set dp.mechanism = sample_aggregate
SELECT min(city) FROM people;
-- instead:
-- set dp.mechanism = sample_aggregate
SELECT min(joined) FROM people;
-- =>
-- 0A000 at 8 ('min(city) FR'): MIN("people"."city") is not supported by dp.mechanism = sample_aggregate
-- HINT: Use AVG, VARIANCE, STDDEV, COVAR, CORR, REGR, MIN, MAX or COUNT(DISTINCT x); or SET dp.mechanism = auto.

-- a quantile, which has a mechanism of its own
-- set dp.mechanism = sample_aggregate
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM people;
-- instead:
-- set dp.mechanism = auto
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM people;
-- =>
-- 0A000 at 8 ('percentile_c'): PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY "people"."age") is not supported by dp.mechanism = sample_aggregate
-- HINT: Use AVG, VARIANCE, STDDEV, COVAR, CORR, REGR, MIN, MAX or COUNT(DISTINCT x); or SET dp.mechanism = auto.

-- nothing to answer
-- set dp.mechanism = sample_aggregate
SELECT 1 FROM people HAVING true;
-- instead:
-- set dp.mechanism = sample_aggregate
SELECT avg(age) FROM people HAVING true;
-- =>
-- 0A000 at 8 ('1 FROM peopl'): a statement without an aggregate has nothing that blocks of units could answer
-- HINT: Select AVG(x), STDDEV(x) or the like, or SET dp.mechanism = auto.

-- one block
-- set dp.blocks = 1
SELECT count(*) FROM people;
-- instead:
-- set dp.blocks = 2
SELECT count(*) FROM people;
-- =>
-- DP004: dp.blocks must be an integer from 2 to 10000, not '1'
-- HINT: Write SET dp.blocks = 200, or RESET dp.blocks for a number that follows from dp.epsilon.

-- which keys there are
-- set dp.mechanism = sample_aggregate
SELECT d.dept FROM departments d WHERE d.dept NOT IN (SELECT dept FROM visits);
-- instead:
-- set dp.mechanism = auto
SELECT d.dept FROM departments d WHERE d.dept NOT IN (SELECT dept FROM visits);
-- =>
-- 0A000 at 62 ('dept FROM vi'): which rows there are is nothing that blocks of units could answer
-- HINT: SET dp.mechanism = auto.
