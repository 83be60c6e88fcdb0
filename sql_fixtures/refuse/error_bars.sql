-- how sure what is computed from a quantile of dates is
SELECT dp.low(extract(year FROM max(joined))) FROM people;
-- instead:
SELECT extract(year FROM max(joined)) FROM people;
-- =>
-- 0A000 at 15 ('extract(year'): how sure this is cannot be told
-- HINT: Ask for it of the numbers themselves, dp.low(count(*)), or of arithmetic, ROUND, CASE, COALESCE, NULLIF, comparisons, and sums over windows of these.

-- how sure a mode is
SELECT sex, dp.low(mode() WITHIN GROUP (ORDER BY age)) FROM people GROUP BY sex;
-- instead:
SELECT mode() WITHIN GROUP (ORDER BY sex) FROM people WHERE smoker;
-- =>
-- 0A000 at 16 ('low(mode() W'): how sure a mode, a decision or a quantile of dates is cannot be told as an interval
-- HINT: EXPLAIN says in words how often a mode or a decision is wrong, and how far off in rank a quantile is.

-- how sure a private value is
SELECT avg(dp.low(age)) FROM people;
-- instead:
SELECT avg(age), dp.low(avg(age)) FROM people;
-- =>
-- 0A000 at 15 ('low(age)) FR'): function dp.low() is not supported over private tables
-- HINT: Write it around what is released: dp.low(avg(x)) beside avg(x).

-- a confidence that is none
-- set dp.confidence = 95
SELECT dp.low(count(*)) FROM people;
-- instead:
-- set dp.confidence = 95 %
SELECT dp.low(count(*)) FROM people;
-- =>
-- DP004: dp.confidence must be at least 0.5 and at most 0.999, not 95
-- HINT: Write SET dp.confidence = 0.95.

-- an expression that has no rule
SELECT dp.low(length(count(*)::text)) FROM people;
-- instead:
SELECT dp.low(round(count(*) / 10.0)) FROM people;
-- =>
-- 0A000 at 15 ('length(count'): how sure this is cannot be told
-- HINT: Ask for it of the numbers themselves, dp.low(count(*)), or of arithmetic, ROUND, CASE, COALESCE, NULLIF, comparisons, and sums over windows of these.

-- an interval of an interval
SELECT dp.low(dp.high(count(*))) FROM people;
-- instead:
SELECT dp.low(count(*)) FROM people;
-- =>
-- 0A000 at 18 ('high(count(*'): how sure this is cannot be told
-- HINT: Ask for it of the numbers themselves, dp.low(count(*)), or of arithmetic, ROUND, CASE, COALESCE, NULLIF, comparisons, and sums over windows of these.

-- how sure the number of some released rows is
SELECT dp.low(count(*)) FROM (SELECT city, count(*) AS n FROM people GROUP BY city) AS t WHERE n > 2;
-- instead:
SELECT city, dp.low(count(*)) FROM people GROUP BY city HAVING count(*) > 2;
-- =>
-- 0A000 at 15 ('count(*)) FR'): how sure this is cannot be told
-- HINT: Ask for it of the numbers themselves, dp.low(count(*)), or of arithmetic, ROUND, CASE, COALESCE, NULLIF, comparisons, and sums over windows of these.

-- how sure a number is that rows are grouped by
SELECT n, dp.low(n) FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex) AS t GROUP BY n;
-- instead:
SELECT n, dp.low(n) FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex) AS t;
-- =>
-- 0A000 at 18 ('n) FROM (SEL'): how sure this is cannot be told
-- HINT: Ask for it of the numbers themselves, dp.low(count(*)), or of arithmetic, ROUND, CASE, COALESCE, NULLIF, comparisons, and sums over windows of these.

-- how sure a count of different numbers is
SELECT dp.low(sum(DISTINCT n)) FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex) AS t;
-- instead:
SELECT dp.low(sum(n)) FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex) AS t;
-- =>
-- 0A000 at 15 ('sum(DISTINCT'): how sure this is cannot be told
-- HINT: Ask for it of the numbers themselves, dp.low(count(*)), or of arithmetic, ROUND, CASE, COALESCE, NULLIF, comparisons, and sums over windows of these.

-- a confidence that is no number
-- set dp.confidence = much
SELECT dp.low(count(*)) FROM people;
-- instead:
-- set dp.confidence = 0.9
SELECT dp.low(count(*)) FROM people;
-- =>
-- DP004: dp.confidence must be a number, not 'much'
-- HINT: Write SET dp.confidence = 0.95.

-- of the least of released values
SELECT dp.low(min(city)) FROM people;
-- instead:
SELECT min(city) FROM people;
-- =>
-- 0A000 at 11 ('low(min(city'): how sure this is cannot be told
-- HINT: Ask for it of the numbers themselves, dp.low(count(*)), or of arithmetic, ROUND, CASE, COALESCE, NULLIF, comparisons, and sums over windows of these.

-- of a sum of different values, below another query
SELECT dp.half_width(t.s) FROM (SELECT sum(DISTINCT age) AS s FROM people) AS t;
-- instead:
SELECT dp.half_width(t.s) FROM (SELECT sum(age) AS s FROM people) AS t;
-- =>
-- 0A000 at 22 ('t.s) FROM (S'): how sure this is cannot be told
-- HINT: Ask for it of the numbers themselves, dp.low(count(*)), or of arithmetic, ROUND, CASE, COALESCE, NULLIF, comparisons, and sums over windows of these.
