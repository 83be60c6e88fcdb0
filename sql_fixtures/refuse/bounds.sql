-- a sum that no double holds
SELECT corr(price * 1e300::float8, quantity * 1e300::float8) FROM lineitem;
-- instead:
SELECT corr(price, quantity) FROM lineitem;
-- =>
-- DP003: CORR("lineitem"."price" * CAST(1e300 AS DOUBLE PRECISION), "lineitem"."quantity" * CAST(1e300 AS DOUBLE PRECISION)) adds up values too large or too small for double precision
-- HINT: Multiply them so that they are nearer to 1, and the answer back again.
