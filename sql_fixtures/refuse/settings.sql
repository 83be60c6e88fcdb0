-- epsilon above the most
-- set dp.epsilon = 1000
SELECT count(*) FROM people;
-- instead:
-- set dp.epsilon = 0.1
SELECT count(*) FROM people;
-- =>
-- DP004: dp.epsilon must be at least 1e-12 and at most 100, not 1000
-- HINT: Write SET dp.epsilon = 0.1.

-- epsilon that is no number
-- set dp.epsilon = much
SELECT count(*) FROM people;
-- instead:
-- set dp.epsilon = 0.1
SELECT count(*) FROM people;
-- =>
-- DP004: dp.epsilon must be a number, not 'much'
-- HINT: Write SET dp.epsilon = 0.1.

-- epsilon of zero
-- set dp.epsilon = 0
SELECT count(*) FROM people;
-- instead:
-- set dp.epsilon = 0.1
SELECT count(*) FROM people;
-- =>
-- DP004: dp.epsilon must be at least 1e-12 and at most 100, not 0
-- HINT: Write SET dp.epsilon = 0.1.

-- epsilon that is not a number at all
-- set dp.epsilon = NaN
SELECT count(*) FROM people;
-- instead:
-- set dp.epsilon = 0.1
SELECT count(*) FROM people;
-- =>
-- DP004: dp.epsilon must be a number, not 'NaN'
-- HINT: Write SET dp.epsilon = 0.1.

-- no delta for private keys
-- set dp.delta = 0
SELECT city, count(*) FROM people GROUP BY city;
-- instead:
-- set dp.delta = 0.000001
SELECT city, count(*) FROM people GROUP BY city;
-- =>
-- DP004: private keys need a delta, and dp.delta is 0 for this statement
-- HINT: SET dp.delta to a small number, group by columns with declared values, or ask the owner for a delta.

-- delta of one
-- set dp.delta = 1
SELECT city, count(*) FROM people GROUP BY city;
-- instead:
-- set dp.delta = 0.00001
SELECT city, count(*) FROM people GROUP BY city;
-- =>
-- DP004: dp.delta must be 0, or at least 1e-30 and below 1, not 1
-- HINT: The whole budget of this account holds delta 0.00001.

-- a mechanism that there is not
-- set dp.mechanism = magic
SELECT count(*) FROM people;
-- instead:
-- set dp.mechanism = auto
SELECT count(*) FROM people;
-- =>
-- DP004: dp.mechanism must be auto, laplace, gaussian or sample_aggregate, not 'magic'
-- HINT: Write SET dp.mechanism = auto.

-- an unknown setting
-- set dp.noise = off
SELECT count(*) FROM people;
-- instead:
-- set dp.fresh = on
SELECT count(*) FROM people;
-- =>
-- DP004: unknown setting "dp.noise"
-- HINT: The settings are dp.epsilon, dp.delta, dp.max_groups_per_unit, dp.max_rows_per_unit, dp.mechanism, dp.fresh, dp.nonnegative, dp.blocks, dp.weights, dp.confidence, dp.error_columns, dp.target_half_width.

-- no rows per unit
-- set dp.max_rows_per_unit = 0
SELECT count(*) FROM visits;
-- instead:
-- set dp.max_rows_per_unit = 8
SELECT count(*) FROM visits;
-- =>
-- DP004: dp.max_rows_per_unit must be an integer from 1 to 1000000, not '0'
-- HINT: Write SET dp.max_rows_per_unit = 8, or RESET dp.max_rows_per_unit for the policy's own.

-- a switch that is neither
-- set dp.fresh = maybe
SELECT count(*) FROM people;
-- instead:
-- set dp.fresh = off
SELECT count(*) FROM people;
-- =>
-- DP004: dp.fresh must be on or off, not 'maybe'
-- HINT: Write SET dp.fresh = off.

-- another switch that is neither
-- set dp.nonnegative = -1
SELECT count(*) FROM people;
-- instead:
-- set dp.nonnegative = on
SELECT count(*) FROM people;
-- =>
-- DP004: dp.nonnegative must be on or off, not '-1'
-- HINT: Write SET dp.nonnegative = off.

-- weights without a number
-- set dp.weights = visits
SELECT count(*) AS visits FROM visits;
-- instead:
-- set dp.weights = visits: 4, cost: 1
SELECT count(*) AS visits FROM visits;
-- =>
-- DP004: dp.weights must be columns of the answer with numbers: 'visits' is no name and number
-- HINT: Write SET dp.weights = 'visits: 4, cost: 1', or RESET dp.weights for an even split.

-- a weight of nothing
-- set dp.weights = visits: 0
SELECT count(*) AS visits FROM visits;
-- instead:
-- set dp.weights = visits: 4, cost: 1
SELECT count(*) AS visits FROM visits;
-- =>
-- DP004: dp.weights must be columns of the answer with numbers: a weight is above 0, and that of visits is not
-- HINT: Write SET dp.weights = 'visits: 4, cost: 1', or RESET dp.weights for an even split.

-- two weights of one column
-- set dp.weights = visits: 1, Visits: 2
SELECT count(*) AS visits FROM visits;
-- instead:
-- set dp.weights = visits: 4, cost: 1
SELECT count(*) AS visits FROM visits;
-- =>
-- DP004: dp.weights must be columns of the answer with numbers: visits has two weights
-- HINT: Write SET dp.weights = 'visits: 4, cost: 1', or RESET dp.weights for an even split.

-- weights that are not apart
-- set dp.weights = visits: 1 cost: 2
SELECT count(*) AS visits FROM visits;
-- instead:
-- set dp.weights = visits: 4, cost: 1
SELECT count(*) AS visits FROM visits;
-- =>
-- DP004: dp.weights must be columns of the answer with numbers: 'visits: 1 cost: 2' is no name and number
-- HINT: Write SET dp.weights = 'visits: 4, cost: 1', or RESET dp.weights for an even split.
