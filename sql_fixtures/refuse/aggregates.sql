-- a quantile of texts
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY city) FROM people;
-- instead:
SELECT min(city), max(city) FROM people;
-- =>
-- 0A000 at 52 ('city) FROM p'): quantiles of text values are not supported over private tables
-- HINT: They are of numbers, dates and timestamps. Of texts there are MIN and MAX; or group by the values, and count.

-- a quantile of conditions
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY smoker) FROM people;
-- instead:
SELECT count(*) FILTER (WHERE smoker) FROM people;
-- =>
-- 0A000 at 52 ('smoker) FROM'): quantiles of boolean values are not supported over private tables
-- HINT: They are of numbers, dates and timestamps. Of texts there are MIN and MAX; or group by the values, and count.

-- a quantile of lengths of time
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age(joined, DATE '2020-01-01')) FROM people;
-- instead:
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY joined - DATE '2020-01-01') FROM people;
-- =>
-- 0A000 at 52 ('age(joined, '): an interval by itself is not supported over private tables
-- HINT: Use EXTRACT(epoch FROM …) or EXTRACT(day FROM …) of it, or compare it with an interval constant.

-- a fraction that is no constant
SELECT sex, percentile_cont(CASE WHEN sex = 'F' THEN 0.5 ELSE 0.9 END) WITHIN GROUP (ORDER BY age) FROM people GROUP BY sex;
-- instead:
SELECT sex, percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY age) FROM people GROUP BY sex;
-- =>
-- 0A000 at 13 ('percentile_c'): the fraction of a quantile must be a constant from 0 to 1, or an array of such
-- HINT: Write percentile_cont(0.5), or percentile_cont(ARRAY[0.25, 0.5, 0.75]).

-- a fraction beyond 1
SELECT percentile_disc(50) WITHIN GROUP (ORDER BY age) FROM people;
-- instead:
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY age) FROM people;
-- =>
-- 0A000 at 8 ('percentile_d'): the fraction of a quantile must be a constant from 0 to 1, or an array of such
-- HINT: Write percentile_cont(0.5), or percentile_cont(ARRAY[0.25, 0.5, 0.75]).

-- a fraction of NULL
SELECT percentile_cont(NULL) WITHIN GROUP (ORDER BY age) FROM people;
-- instead:
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM people;
-- =>
-- 0A000 at 8 ('percentile_c'): the fraction of a quantile must be a constant from 0 to 1, or an array of such
-- HINT: Write percentile_cont(0.5), or percentile_cont(ARRAY[0.25, 0.5, 0.75]).

-- a median of different values
SELECT dp.median(DISTINCT age) FROM people;
-- instead:
SELECT dp.median(age) FROM people;
-- =>
-- 0A000 at 11 ('median(DISTI'): DISTINCT inside an aggregate is not supported over private tables
-- HINT: Leave DISTINCT out, or GROUP BY the column and take PERCENTILE_CONT of the released keys.

-- values in a list
SELECT array_agg(name) FROM people;
-- instead:
SELECT city, count(*) FROM people GROUP BY city;
-- =>
-- 0A000: a name in this statement could not be bound to one column of the policy
-- HINT: Qualify the column with its table's alias.

-- a column that is not grouped
SELECT sex, age, count(*) FROM people GROUP BY sex;
-- instead:
SELECT sex, age, count(*) FROM people GROUP BY sex, age;
-- =>
-- DP002 at 13 ('age, count(*'): column "age" is neither aggregated nor one of the keys
-- HINT: Add "age" to GROUP BY, or aggregate it.

-- distinct values that name units
SELECT sum(DISTINCT person_id) FROM visits;
-- instead:
SELECT count(DISTINCT person_id) FROM visits;
-- =>
-- DP002 at 21 ('person_id) F'): SUM of "person_id" would name single persons
-- HINT: Take a column that many share, or count: COUNT(*).

-- distinct values of rows
SELECT sum(DISTINCT age, income) FROM people;
-- instead:
SELECT sum(DISTINCT age), sum(DISTINCT income) FROM people;
-- =>
-- 0A000 at 8 ('sum(DISTINCT'): DISTINCT inside an aggregate is not supported over private tables
-- HINT: Leave DISTINCT out, or GROUP BY the column and take SUM of the released keys.

-- a least known value, read by the engine
SELECT count(*) FROM people WHERE sex = (SELECT min(sex) FROM people);
-- instead:
SELECT count(*) FROM people WHERE sex = 'F';
-- =>
-- 0A000 at 49 ('min(sex) FRO'): MIN of texts cannot be read together with private rows
-- HINT: Ask for it in a statement of its own, and write its value here; values of groups, CREATE TABLE m AS SELECT k, … GROUP BY k, are then joined: JOIN m USING (k).

-- a mean of different values, read by the engine
SELECT count(*) FROM people WHERE age > (SELECT avg(DISTINCT age) FROM people);
-- instead:
SELECT count(*) FROM people WHERE age > 40;
-- =>
-- 0A000 at 49 ('avg(DISTINCT'): AVG(DISTINCT …) cannot be read together with private rows
-- HINT: Ask for it in a statement of its own, and write its value here; values of groups, CREATE TABLE m AS SELECT k, … GROUP BY k, are then joined: JOIN m USING (k).

-- a least text by sample and aggregate
-- set dp.mechanism = sample_aggregate
SELECT min(city) FROM people;
-- instead:
-- set dp.mechanism = auto
SELECT min(city) FROM people;
-- =>
-- 0A000 at 8 ('min(city) FR'): MIN("people"."city") is not supported by dp.mechanism = sample_aggregate
-- HINT: Use AVG, VARIANCE, STDDEV, COVAR, CORR, REGR, MIN, MAX or COUNT(DISTINCT x); or SET dp.mechanism = auto.

-- an order inside
SELECT sum(age ORDER BY age) FROM people;
-- instead:
SELECT sum(age) FROM people;
-- =>
-- 0A000 at 8 ('sum(age ORDE'): ORDER BY inside an aggregate is not supported over private tables
-- HINT: Leave it out: the result does not depend on the order.

-- the most frequent pair of values
SELECT mode() WITHIN GROUP (ORDER BY sex, smoker) FROM people;
-- instead:
SELECT sex, smoker, count(*) FROM people GROUP BY sex, smoker ORDER BY 3 DESC LIMIT 1;
-- =>
-- 0A000 at 8 ('mode() WITHI'): a mode of several columns is not supported
-- HINT: Group by all of them, and count.

-- a correlation with text
SELECT corr(age, city) FROM people;
-- instead:
SELECT corr(age, CASE WHEN city = 'Delft' THEN 1 ELSE 0 END) FROM people;
-- =>
-- 0A000 at 8 ('corr(age, ci'): CORR of these arguments is not supported over private tables
-- HINT: Use COUNT, SUM, AVG, VARIANCE, STDDEV, CORR or REGR_SLOPE of numbers, MIN, MAX or PERCENTILE_CONT of numbers and dates, BOOL_AND or BOOL_OR of conditions, with FILTER if need be.

-- a correlation with a date
SELECT corr(age, joined) FROM people;
-- instead:
SELECT corr(age, joined - DATE '2020-01-01') FROM people;
-- =>
-- 0A000 at 8 ('corr(age, jo'): CORR of these arguments is not supported over private tables
-- HINT: Use COUNT, SUM, AVG, VARIANCE, STDDEV, CORR or REGR_SLOPE of numbers, MIN, MAX or PERCENTILE_CONT of numbers and dates, BOOL_AND or BOOL_OR of conditions, with FILTER if need be.

-- a decision by a number
SELECT bool_or(age) FROM people;
-- instead:
SELECT bool_or(age > 70) FROM people;
-- =>
-- 0A000 at 16 ('age) FROM pe'): a condition must be boolean, not integer
-- HINT: Compare it with something.

-- a sum of text
SELECT sum(city) FROM people;
-- instead:
SELECT count(city) FROM people;
-- =>
-- 0A000 at 8 ('sum(city) FR'): SUM of these arguments is not supported over private tables
-- HINT: Use COUNT, SUM, AVG, VARIANCE, STDDEV, CORR or REGR_SLOPE of numbers, MIN, MAX or PERCENTILE_CONT of numbers and dates, BOOL_AND or BOOL_OR of conditions, with FILTER if need be.

-- distinct values of floating point
SELECT count(DISTINCT income) FROM people;
-- instead:
SELECT count(DISTINCT round(income)::bigint) FROM people;
-- =>
-- 0A000 at 8 ('count(DISTIN'): COUNT(DISTINCT …) of double precision values is not supported
-- HINT: Count one column of whole numbers, text or dates; round floating point first: round(x)::bigint.

-- distinct values of several columns
SELECT count(DISTINCT sex, city) FROM people;
-- instead:
SELECT count(DISTINCT sex || '/' || city) FROM people;
-- =>
-- 0A000 at 8 ('count(DISTIN'): COUNT(DISTINCT …) of several columns is not supported
-- HINT: Count one column of whole numbers, text or dates; round floating point first: round(x)::bigint.

-- a spread within a person
SELECT avg(x) FROM (SELECT person_id, stddev(cost) AS x FROM visits GROUP BY person_id) t;
-- instead:
SELECT avg(x) FROM (SELECT person_id, max(cost) - min(cost) AS x FROM visits GROUP BY person_id) t;
-- =>
-- 0A000 at 39 ('stddev(cost)'): STDDEV of these arguments is not supported within the rows of one unit
-- HINT: Use COUNT, COUNT(DISTINCT x), SUM, AVG, MIN, MAX, BOOL_AND or BOOL_OR, with FILTER if need be.

-- a list within a person
SELECT count(*) FROM (SELECT person_id, array_agg(dept) AS x FROM visits GROUP BY person_id) t;
-- instead:
SELECT count(*) FROM (SELECT person_id, count(DISTINCT dept) AS x FROM visits GROUP BY person_id) t;
-- =>
-- 0A000 at 41 ('array_agg(de'): ARRAY_AGG of these arguments is not supported within the rows of one unit
-- HINT: Use COUNT, COUNT(DISTINCT x), SUM, AVG, MIN, MAX, BOOL_AND or BOOL_OR, with FILTER if need be.

-- distinct values of floating point within a person
SELECT count(*) FROM (SELECT person_id, count(DISTINCT cost) AS x FROM visits GROUP BY person_id) t WHERE x > 3;
-- instead:
SELECT count(*) FROM (SELECT person_id, count(DISTINCT round(cost)::bigint) AS x FROM visits GROUP BY person_id) t WHERE x > 3;
-- =>
-- 0A000 at 41 ('count(DISTIN'): COUNT of these arguments is not supported within the rows of one unit
-- HINT: Use COUNT, COUNT(DISTINCT x), SUM, AVG, MIN, MAX, BOOL_AND or BOOL_OR, with FILTER if need be.

-- the operator @
SELECT sum(@age) FROM people;
-- instead:
SELECT sum(abs(age)) FROM people;
-- =>
-- 0A000: the operator @ is not supported over private tables
-- HINT: Write abs(x).

-- a correlation of each pair of values once
SELECT count(*), corr (DISTINCT age, income) FROM people;
-- instead:
SELECT count(*), corr (age, income) FROM people;
-- =>
-- 0A000 at 18 ('corr (DISTIN'): CORR(DISTINCT …) is not supported over private tables
-- HINT: Leave DISTINCT out: CORR(x, y).

-- a least text of declared groups, read by the engine
SELECT count(*) FROM people p WHERE p.city > (SELECT min(q.city) FROM people q WHERE q.sex = p.sex);
-- instead:
SELECT count(*) FROM people p JOIN visits v USING (person_id) JOIN mine m ON m.dept = v.dept WHERE p.city > m.dept;
-- =>
-- 0A000 at 54 ('min(q.city) '): MIN of texts cannot be read together with private rows
-- HINT: Ask for it in a statement of its own, and write its value here; values of groups, CREATE TABLE m AS SELECT k, … GROUP BY k, are then joined: JOIN m USING (k).
