-- how sure a quantile is
SELECT dp.low(dp.median(age)) FROM people;
-- instead:
SELECT percentile_cont(ARRAY[0.45, 0.55]) WITHIN GROUP (ORDER BY age) FROM people;
-- =>
-- 0A000 at 11 ('low(dp.media'): how sure a quantile, a mode or a decision is cannot be told as an interval
-- HINT: EXPLAIN tells a quantile's error in rank: percentile_cont(ARRAY[0.45, 0.55]) has two ranks around it.

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
