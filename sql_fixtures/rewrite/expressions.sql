-- integers are held as bigint
i4 + 1;
-- =>
CAST("t"."i4" AS BIGINT) + CAST(1 AS BIGINT);
-- integer; held as bigint; nullable; [1, 121]; proved [-2.14748e+09, 2.14748e+09]; step 1

-- their product too, where it has room
i4 * i2;
-- =>
CAST("t"."i4" AS BIGINT) * CAST("t"."i2" AS BIGINT);
-- integer; held as bigint; nullable; [-600, 10800]; proved [-7.03687e+13, 7.03687e+13]; step 1

-- bigints need more room than a bigint
i8 * i8;
-- =>
CAST("t"."i8" AS DECIMAL(19, 0)) * CAST("t"."i8" AS DECIMAL(19, 0));
-- bigint; held as numeric(38,0); nullable; proved [-8.50706e+37, 8.50706e+37]; step 1

-- three of them only fit a double
i8 * i8 * i8;
-- =>
CAST(CAST("t"."i8" AS DECIMAL(19, 0)) * CAST("t"."i8" AS DECIMAL(19, 0)) AS DOUBLE) * CAST("t"."i8" AS DOUBLE);
CAST(CAST("t"."i8" AS DECIMAL(19, 0)) * CAST("t"."i8" AS DECIMAL(19, 0)) AS DOUBLE PRECISION) * CAST("t"."i8" AS DOUBLE PRECISION);
-- bigint; held as double precision; nullable; proved [-7.84638e+56, 7.84638e+56]; step 1

-- the least bigint has no negative
-i8;
-- =>
-CAST("t"."i8" AS DECIMAL(19, 0));
-- bigint; held as numeric(19,0); nullable; proved [-9.22337e+18, 9.22337e+18]; step 1

-- decimals keep their digits
n * (1 - rate);
-- =>
CAST("t"."n" AS DECIMAL(19, 2)) * CAST(CAST(1 AS DECIMAL(5, 4)) - CAST("t"."rate" AS DECIMAL(5, 4)) AS DECIMAL(5, 4));
-- numeric; held as numeric(24,6); nullable; [-1000, 100000]; proved [-1.9999e+13, 1.9999e+13]; step 0.000001

-- constants are folded exactly
n >= 0.06 + 0.01;
-- =>
"t"."n" >= 0.07;
-- boolean; nullable; one of False, True

-- literals beyond bigint
i8 < 99999999999999999999;
-- =>
"t"."i8" < 99999999999999999999;
-- boolean; nullable; one of False, True

-- floating point meets numbers as doubles
x * 0.1 + i4;
-- =>
("t"."x" * CAST('0.1' AS DOUBLE)) + CAST("t"."i4" AS DOUBLE);
("t"."x" * CAST('0.1' AS DOUBLE PRECISION)) + CAST("t"."i4" AS DOUBLE PRECISION);
-- double precision; nullable; [0, 50120]

-- reals stay real among themselves
r * r;
-- =>
"t"."r" * "t"."r";
-- real; nullable; [-10000, 10000]

-- whole quotients are cut towards zero, by 0 is NULL
i8 / i4;
-- =>
NULLIF("t"."i8", CAST(-9223372036854775808 AS BIGINT)) // NULLIF(CAST("t"."i4" AS BIGINT), 0);
DIV(NULLIF("t"."i8", CAST(-9223372036854775808 AS BIGINT)), NULLIF(CAST("t"."i4" AS BIGINT), 0));
-- bigint; nullable; proved [-9.22337e+18, 9.22337e+18]; step 1

-- a divisor that cannot be 0
i4 / 12;
-- =>
CAST("t"."i4" AS BIGINT) // CAST(12 AS BIGINT);
DIV(CAST("t"."i4" AS BIGINT), CAST(12 AS BIGINT));
-- integer; held as bigint; nullable; [0, 10]; proved [-1.78957e+08, 1.78957e+08]; step 1

-- numeric quotients are doubles
n / i4;
-- =>
CAST("t"."n" AS DOUBLE) / NULLIF(CAST("t"."i4" AS DOUBLE), 0);
CAST("t"."n" AS DOUBLE PRECISION) / NULLIF(CAST("t"."i4" AS DOUBLE PRECISION), 0);
-- numeric; held as double precision; nullable

-- remainder
i4 % 7;
-- =>
CAST("t"."i4" AS BIGINT) % CAST(7 AS BIGINT);
-- integer; held as bigint; nullable; [0, 6]; proved [-6, 6]; step 1

-- the sign of a remainder of decimals
mod(n, 0.25);
-- =>
"t"."n" % CAST(0.25 AS DECIMAL(15, 2));
-- numeric; held as numeric(15,2); nullable; [-0.24, 0.24]; proved [-0.24, 0.24]; step 0.01

-- a mean of two columns
(i4 + i2) / 2.0;
-- =>
CAST(CAST("t"."i4" AS BIGINT) + CAST("t"."i2" AS BIGINT) AS DOUBLE) / CAST('2.0' AS DOUBLE);
CAST(CAST("t"."i4" AS BIGINT) + CAST("t"."i2" AS BIGINT) AS DOUBLE PRECISION) / CAST('2.0' AS DOUBLE PRECISION);
-- numeric; held as double precision; nullable; [-2.5, 105]; proved [-1.07376e+09, 1.07376e+09]

-- abs has more room than its argument
abs(i8);
-- =>
ABS(CAST("t"."i8" AS DECIMAL(19, 0)));
-- bigint; held as numeric(19,0); nullable; proved [0, 9.22337e+18]; step 1

-- round a numeric
round(n, 1);
-- =>
ROUND(CAST("t"."n" AS DECIMAL(16, 2)), 1);
-- numeric; held as numeric(16,1); nullable; [-1000, 100000]; proved [-1e+13, 1e+13]; step 0.1

-- round a double, halves to even
round(x);
-- =>
CASE WHEN ABS("t"."x") < CAST('2251799813685248.0' AS DOUBLE) THEN ("t"."x" + CAST('6755399441055744.0' AS DOUBLE)) - CAST('6755399441055744.0' AS DOUBLE) ELSE "t"."x" END;
CASE WHEN ABS("t"."x") < CAST('2251799813685248.0' AS DOUBLE PRECISION) THEN ("t"."x" + CAST('6755399441055744.0' AS DOUBLE PRECISION)) - CAST('6755399441055744.0' AS DOUBLE PRECISION) ELSE "t"."x" END;
-- double precision; nullable; [0, 500000]; step 1

-- round to places of a numeric made of a double
round(x::numeric, 2);
-- =>
ROUND("t"."x", 2);
-- numeric; held as double precision; nullable; [0, 500000]; step 0.01

-- floor of an integer is a double precision
floor(i4);
-- =>
CAST("t"."i4" AS DOUBLE);
CAST("t"."i4" AS DOUBLE PRECISION);
-- double precision; nullable; [0, 120]; proved [-2.14748e+09, 2.14748e+09]; step 1

-- ceil of a numeric
ceil(n);
-- =>
CEIL(CAST("t"."n" AS DECIMAL(16, 2)));
-- numeric; held as numeric(16,0); nullable; [-1000, 100000]; proved [-1e+13, 1e+13]; step 1

-- trunc with places
trunc(rate, 2);
-- =>
TRUNC("t"."rate", 2);
-- numeric; held as numeric(4,2); nullable; [0, 0.1]; proved [-0.99, 0.99]; step 0.01

-- sign
sign(x);
-- =>
CAST(SIGN("t"."x") AS DOUBLE);
CAST(SIGN("t"."x") AS DOUBLE PRECISION);
-- double precision; nullable; [-1, 1]; proved [-1, 1]; one of -1.0, 0.0, 1.0; step 1

-- a square
power(i4, 2);
-- =>
POWER(CAST("t"."i4" AS DOUBLE), CAST('2.0' AS DOUBLE));
POWER(CAST("t"."i4" AS DOUBLE PRECISION), CAST('2.0' AS DOUBLE PRECISION));
-- double precision; nullable; [0, 14400]; proved [0, 4.61169e+18]

-- the same as an operator
i4 ^ 2;
-- =>
POWER(CAST("t"."i4" AS DOUBLE), CAST('2.0' AS DOUBLE));
POWER(CAST("t"."i4" AS DOUBLE PRECISION), CAST('2.0' AS DOUBLE PRECISION));
-- double precision; nullable; [0, 14400]; proved [0, 4.61169e+18]

-- a root by its exponent
power(x, 0.5);
-- =>
POWER(CASE WHEN "t"."x" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('Infinity' AS DOUBLE) THEN "t"."x" END, CAST('0.5' AS DOUBLE));
POWER(CASE WHEN "t"."x" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('Infinity' AS DOUBLE PRECISION) THEN "t"."x" END, CAST('0.5' AS DOUBLE PRECISION));
-- double precision; nullable; [0, 707.107]

-- a negative power
power(i4, -1);
-- =>
POWER(NULLIF(CAST("t"."i4" AS DOUBLE), CAST('0.0' AS DOUBLE)), CAST('-1.0' AS DOUBLE));
POWER(NULLIF(CAST("t"."i4" AS DOUBLE PRECISION), CAST('0.0' AS DOUBLE PRECISION)), CAST('-1.0' AS DOUBLE PRECISION));
-- double precision; nullable

-- square root of what may be negative
sqrt(y);
-- =>
SQRT(CASE WHEN "t"."y" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('Infinity' AS DOUBLE) THEN "t"."y" END);
SQRT(CASE WHEN "t"."y" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('Infinity' AS DOUBLE PRECISION) THEN "t"."y" END);
-- double precision; nullable

-- square root of what cannot
sqrt(abs(i4));
-- =>
SQRT(CAST(ABS(CAST("t"."i4" AS BIGINT)) AS DOUBLE));
SQRT(CAST(ABS(CAST("t"."i4" AS BIGINT)) AS DOUBLE PRECISION));
-- double precision; nullable; [0, 10.9545]; proved [0, 46341]

-- logarithm
ln(sure);
-- =>
LN(CASE WHEN CAST("t"."sure" AS DOUBLE) BETWEEN CAST('5e-324' AS DOUBLE) AND CAST('Infinity' AS DOUBLE) THEN CAST("t"."sure" AS DOUBLE) END);
LN(CASE WHEN CAST("t"."sure" AS DOUBLE PRECISION) BETWEEN CAST('5e-324' AS DOUBLE PRECISION) AND CAST('Infinity' AS DOUBLE PRECISION) THEN CAST("t"."sure" AS DOUBLE PRECISION) END);
-- double precision; [0, 2.19722]

-- exponential
exp(rate);
-- =>
EXP(CAST("t"."rate" AS DOUBLE));
EXP(CAST("t"."rate" AS DOUBLE PRECISION));
-- numeric; held as double precision; nullable; [1, 1.10517]; proved [0.367916, 2.71801]

-- comparison of a date with text
d >= '2024-01-01';
-- =>
"t"."d" >= CAST('2024-01-01' AS DATE);
-- boolean; nullable; one of False, True

-- comparison of a date with a timestamp
d < TIMESTAMP '2024-01-01 12:00:00';
-- =>
CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) < CAST('2024-01-01 12:00:00' AS TIMESTAMP);
-- boolean; nullable; one of False, True

-- comparison of decimals of too many digits
wide = huge;
-- =>
CAST("t"."wide" AS DOUBLE) = CAST("t"."huge" AS DOUBLE);
CAST("t"."wide" AS DOUBLE PRECISION) = CAST("t"."huge" AS DOUBLE PRECISION);
-- boolean; nullable; one of False, True

-- comparison of a real with a numeric
r > 0.5;
-- =>
CAST("t"."r" AS DOUBLE) > CAST('0.5' AS DOUBLE);
CAST("t"."r" AS DOUBLE PRECISION) > CAST('0.5' AS DOUBLE PRECISION);
-- boolean; nullable; one of False, True

-- a whole column and a decimal
i4 > 0.5;
-- =>
"t"."i4" > 0.5;
-- boolean; nullable; one of False, True

-- between
n BETWEEN 10 AND i4;
-- =>
"t"."n" BETWEEN 10 AND "t"."i4";
-- boolean; nullable; one of False, True

-- membership with NULL
sex IN ('F', NULL);
-- =>
"t"."sex" IN ('F', NULL);
-- boolean; nullable; one of False, True

-- not in
i4 NOT IN (1, 2, 3);
-- =>
NOT ("t"."i4" IN (1, 2, 3));
-- boolean; nullable; one of False, True

-- distinct
sex IS DISTINCT FROM v;
-- =>
"t"."sex" IS DISTINCT FROM "t"."v";
-- boolean; one of False, True

-- tests
i4 IS NOT NULL AND (ok IS TRUE OR ok IS NOT FALSE);
-- =>
(NOT "t"."i4" IS NULL) AND (("t"."ok" IS TRUE) OR (NOT ("t"."ok" IS FALSE)));
-- boolean; one of False, True

-- boolean columns are conditions
NOT ok OR i4 > 3;
-- =>
(NOT "t"."ok") OR ("t"."i4" > 3);
-- boolean; nullable; one of False, True

-- like, with Postgres's backslash
v LIKE 'a\%_%';
-- =>
"t"."v" LIKE 'a!%_%' ESCAPE '!';
-- boolean; nullable; one of False, True

-- like, with another escape
v NOT LIKE 'a!_%' ESCAPE '!';
-- =>
NOT ("t"."v" LIKE 'a!_%' ESCAPE '!');
-- boolean; nullable; one of False, True

-- ilike
v ILIKE '%x';
-- =>
"t"."v" ILIKE '%x';
-- boolean; nullable; one of False, True

-- simple case, a finite set of values
CASE sex WHEN 'F' THEN 'woman' ELSE 'man' END;
-- =>
CASE WHEN "t"."sex" = 'F' THEN 'woman' ELSE 'man' END;
-- text; one of woman, man

-- searched case without ELSE
CASE WHEN i4 < 18 THEN 'child' WHEN i4 < 65 THEN 'adult' END;
-- =>
CASE WHEN "t"."i4" < 18 THEN 'child' WHEN "t"."i4" < 65 THEN 'adult' END;
-- text; nullable; one of child, adult

-- case narrows, also by what failed before
CASE WHEN y > 100 THEN 100 WHEN y < 0 THEN 0 ELSE y END;
-- =>
CASE WHEN "t"."y" > CAST('100.0' AS DOUBLE) THEN CAST('100.0' AS DOUBLE) WHEN "t"."y" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) ELSE "t"."y" END;
CASE WHEN "t"."y" > CAST('100.0' AS DOUBLE PRECISION) THEN CAST('100.0' AS DOUBLE PRECISION) WHEN "t"."y" < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "t"."y" END;
-- double precision; nullable; [0, 100]

-- case narrows what is believed, never what is proved
CASE WHEN x BETWEEN 1 AND 10 THEN 100 / x END;
-- =>
CASE WHEN "t"."x" BETWEEN CAST('1.0' AS DOUBLE) AND CAST('10.0' AS DOUBLE) THEN CAST('100.0' AS DOUBLE) / NULLIF("t"."x", 0) END;
CASE WHEN "t"."x" BETWEEN CAST('1.0' AS DOUBLE PRECISION) AND CAST('10.0' AS DOUBLE PRECISION) THEN CAST('100.0' AS DOUBLE PRECISION) / NULLIF("t"."x", 0) END;
-- double precision; nullable; [10, 100]

-- a clamp by least and greatest
least(greatest(y, 0), 1e5);
-- =>
LEAST(GREATEST("t"."y", CAST('0.0' AS DOUBLE)), CAST('100000.0' AS DOUBLE));
LEAST(GREATEST("t"."y", CAST('0.0' AS DOUBLE PRECISION)), CAST('100000.0' AS DOUBLE PRECISION));
-- double precision; [0, 100000]; proved [0, 100000]

-- a clamp around a column of integers
greatest(least(i8, 100), -100);
-- =>
GREATEST(LEAST("t"."i8", 100), -100);
-- bigint; [-100, 100]; proved [-100, 100]; step 1

-- least of what may be NULL
least(i4, i2);
-- =>
LEAST("t"."i4", "t"."i2");
-- integer; nullable; [-5, 120]; proved [-2.14748e+09, 2.14748e+09]; step 1

-- coalesce
coalesce(x, 0);
-- =>
COALESCE("t"."x", CAST('0.0' AS DOUBLE));
COALESCE("t"."x", CAST('0.0' AS DOUBLE PRECISION));
-- double precision; [0, 500000]

-- coalesce of integers and numerics
coalesce(i4, n, 0);
-- =>
COALESCE(CAST("t"."i4" AS DECIMAL(15, 2)), "t"."n", CAST(0 AS DECIMAL(15, 2)));
-- numeric; held as numeric(15,2); [-1000, 100000]; proved [-1e+13, 1e+13]; step 0.01

-- nullif
nullif(code, 2);
-- =>
CAST(NULLIF("t"."code", 2) AS INT);
-- integer; nullable; [1, 3]; proved [-2.14748e+09, 2.14748e+09]; one of 1, 3; step 1

-- case-folding a finite set
lower(sex);
-- =>
LOWER("t"."sex");
-- text; nullable; one of f, m

-- text of a finite set
sex || '/' || code;
-- =>
("t"."sex" || '/') || CAST("t"."code" AS TEXT);
-- text; nullable; one of F/1, F/2, F/3, M/1, M/2, M/3

-- concat skips NULLs
concat(v, '-', i4);
-- =>
CONCAT("t"."v", '-', CAST("t"."i4" AS TEXT));
-- text

-- trim letters
trim(both 'x' from v);
-- =>
TRIM("t"."v", 'x');
TRIM('x' FROM "t"."v");
-- text; nullable

-- trim spaces only
ltrim(v);
-- =>
LTRIM("t"."v", ' ');
TRIM(LEADING ' ' FROM "t"."v");
-- text; nullable

-- substring from before the start
substring(v from -1 for 4);
-- =>
SUBSTRING("t"."v", 1, 2);
SUBSTRING("t"."v" FROM 1 FOR 2);
-- text; nullable

-- left and right
left(v, 2) || right(v, -1);
-- =>
LEFT("t"."v", 2) || RIGHT("t"."v", -1);
-- text; nullable

-- length
length(v);
-- =>
LENGTH("t"."v");
-- integer; held as bigint; nullable; proved [0, 4.29497e+09]; step 1

-- position
position('a' in v);
-- =>
STRPOS("t"."v", 'a');
POSITION('a' IN "t"."v");
-- integer; held as bigint; nullable; proved [0, 4.29497e+09]; step 1

-- prefix
starts_with(v, 'a');
-- =>
STARTS_WITH("t"."v", 'a');
-- boolean; nullable; one of False, True

-- replace
replace(v, 'ab', 'c');
-- =>
REPLACE("t"."v", 'ab', 'c');
-- text; nullable

-- cast to a smaller integer
i8::int;
-- =>
CASE WHEN "t"."i8" BETWEEN -2147483648 AND 2147483647 THEN "t"."i8" END;
-- integer; held as bigint; nullable; proved [-2.14748e+09, 2.14748e+09]; step 1

-- cast of a double to an integer
y::bigint;
-- =>
CAST(CASE WHEN "t"."y" BETWEEN CAST('-9.223372036854768e+18' AS DOUBLE) AND CAST('9.223372036854767e+18' AS DOUBLE) THEN "t"."y" END AS BIGINT);
CAST(CASE WHEN "t"."y" BETWEEN CAST('-9.223372036854768e+18' AS DOUBLE PRECISION) AND CAST('9.223372036854767e+18' AS DOUBLE PRECISION) THEN "t"."y" END AS BIGINT);
-- bigint; nullable; proved [-9.22337e+18, 9.22337e+18]; step 1

-- cast of a numeric to an integer
n::int;
-- =>
CAST(CASE WHEN "t"."n" BETWEEN CAST(-2147483648.49 AS DECIMAL(15, 2)) AND CAST(2147483647.49 AS DECIMAL(15, 2)) THEN "t"."n" END AS BIGINT);
-- integer; held as bigint; nullable; [-1000, 100000]; proved [-2.14748e+09, 2.14748e+09]; step 1

-- cast to numeric with digits
x::numeric(10,2);
-- =>
CAST(CASE WHEN "t"."x" BETWEEN CAST('-99999999.99489999' AS DOUBLE) AND CAST('99999999.99489999' AS DOUBLE) THEN "t"."x" END AS DECIMAL(10, 2));
CAST(CASE WHEN "t"."x" BETWEEN CAST('-99999999.99489999' AS DOUBLE PRECISION) AND CAST('99999999.99489999' AS DOUBLE PRECISION) THEN "t"."x" END AS DECIMAL(10, 2));
-- numeric(10,2); nullable; [0, 500000]; proved [-1e+08, 1e+08]; step 0.01

-- cast to double
n::double precision;
-- =>
CAST("t"."n" AS DOUBLE);
CAST("t"."n" AS DOUBLE PRECISION);
-- double precision; nullable; [-1000, 100000]; proved [-1e+13, 1e+13]; step 0.01

-- cast to real
y::real;
-- =>
CAST(CASE WHEN "t"."y" BETWEEN CAST('-3.4028234663852886e+38' AS DOUBLE) AND CAST('3.4028234663852886e+38' AS DOUBLE) THEN "t"."y" END AS REAL);
CAST(CASE WHEN "t"."y" BETWEEN CAST('-3.4028234663852886e+38' AS DOUBLE PRECISION) AND CAST('3.4028234663852886e+38' AS DOUBLE PRECISION) THEN "t"."y" END AS REAL);
-- real; nullable

-- cast to text
i4::text;
-- =>
CAST("t"."i4" AS TEXT);
-- text; nullable

-- cast to varchar
v::varchar(3);
-- =>
LEFT("t"."v", 3);
-- character varying(3); nullable

-- cast of a boolean
ok::int;
-- =>
CAST("t"."ok" AS INT);
-- integer; nullable; [0, 1]; proved [0, 1]; one of 0, 1; step 1

-- cast of a date
d::timestamp;
-- =>
CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP);
-- timestamp without time zone; nullable; [1.57784e+15, 1.89337e+15]; proved [-6.21356e+16, 2.53402e+17]

-- cast of a timestamp
ts::date;
-- =>
CAST(CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END AS DATE);
-- date; nullable; proved [-719162, 2.9329e+06]

-- constants of all types
CASE WHEN DATE '2020-02-29' < TIMESTAMP '2020-02-29 01:00:00' THEN 1.50::numeric(3,1) ELSE '2'::int END;
-- =>
CASE WHEN CAST('2020-02-29 00:00:00' AS TIMESTAMP) < CAST('2020-02-29 01:00:00' AS TIMESTAMP) THEN CAST(1.5 AS DECIMAL(11, 1)) ELSE CAST(2 AS DECIMAL(11, 1)) END;
-- numeric; held as numeric(11,1); [1.5, 2]; proved [1.5, 2]; one of 1.5, 2; step 0.1

-- days later
d + 30;
-- =>
CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END + CAST(30 AS INT);
-- date; nullable; [18292, 21944]; proved [-719132, 2.93293e+06]

-- days between
d - DATE '2020-01-01';
-- =>
CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END - CAST('2020-01-01' AS DATE);
-- integer; held as bigint; nullable; [0, 3652]; proved [-737424, 2.91463e+06]; step 1

-- a column of days
d - i4;
-- =>
CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END - CAST(CASE WHEN "t"."i4" BETWEEN -1700000 AND 1700000 THEN "t"."i4" END AS INT);
-- date; nullable; [18142, 21914]; proved [-2.41916e+06, 4.6329e+06]

-- a month later, a timestamp
d + INTERVAL '1 month';
-- =>
CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) + INTERVAL '1' MONTH;
CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) + INTERVAL '1 MONTH';
-- timestamp without time zone; nullable; [1.58003e+15, 1.89643e+15]; proved [-6.21334e+16, 2.53405e+17]

-- an interval of several units
ts - INTERVAL '1 year 2 days 3 hours';
-- =>
CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END + INTERVAL '-12' MONTH + INTERVAL '-2' DAY + INTERVAL '-10800000000' MICROSECOND;
CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END + INTERVAL '-12 MONTH' + INTERVAL '-2 DAY' + INTERVAL '-10800000000 MICROSECOND';
-- timestamp without time zone; nullable; proved [-6.21678e+16, 2.53371e+17]

-- a constant interval is folded
d >= DATE '2020-01-31' + INTERVAL '1 month';
-- =>
"t"."d" >= CAST('2020-02-29' AS DATE);
-- boolean; nullable; one of False, True

-- year, within the column's bounds
extract(year FROM d);
-- =>
EXTRACT(YEAR FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END);
-- numeric; held as bigint; nullable; [2020, 2029]; proved [1, 9999]; step 1

-- month, a finite set
extract(month FROM d);
-- =>
EXTRACT(MONTH FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END);
-- numeric; held as bigint; nullable; [1, 12]; proved [1, 12]; one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12; step 1

-- day of week by date_part
date_part('dow', ts);
-- =>
EXTRACT(DAYOFWEEK FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END);
EXTRACT(DOW FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END);
-- numeric; held as bigint; nullable; [0, 6]; proved [0, 6]; one of 0, 1, 2, 3, 4, 5, 6; step 1

-- seconds have a fraction
extract(second FROM ts);
-- =>
CAST(EXTRACT(MICROSECOND FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) AS DECIMAL(8, 0)) * CAST(0.000001 AS DECIMAL(6, 6));
CAST(EXTRACT(MICROSECONDS FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) AS DECIMAL(8, 0)) * CAST(0.000001 AS DECIMAL(6, 6));
-- numeric; held as numeric(14,6); nullable; [0, 60]; proved [0, 60]; step 0.000001

-- month begins
date_trunc('month', d);
-- =>
DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP));
-- timestamp with time zone; held as timestamp without time zone; nullable; [1.57784e+15, 1.89078e+15]; proved [-6.21356e+16, 2.534e+17]

-- an hour of a timestamp
date_trunc('hour', ts);
-- =>
DATE_TRUNC('HOUR', CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END);
-- timestamp without time zone; nullable; proved [-6.21356e+16, 2.53402e+17]

-- a parameter-like name in quotes
"i4" + 0;
-- =>
CAST("t"."i4" AS BIGINT) + CAST(0 AS BIGINT);
-- integer; held as bigint; nullable; [0, 120]; proved [-2.14748e+09, 2.14748e+09]; step 1

-- refused: a function that is not in the table
md5(v);
-- =>
-- 0A000 at 1 ('md5(v);'): function md5() is not supported over private tables
-- HINT: Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.

-- refused: a function of nobody
frobnicate(i4);
-- =>
-- 0A000 at 1 ('frobnicate(i'): function frobnicate() is not supported over private tables
-- HINT: Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.

-- refused: regular expressions
v ~ 'a+';
-- =>
-- 0A000 at 1 ("v ~ 'a+';"): the operator ~ is not supported over private tables
-- HINT: Use LIKE with a constant pattern, substring or starts_with.

-- refused: text to anything
v::int;
-- =>
-- 0A000 at 1 ('v::int;'): a cast from text to integer is not supported over private tables
-- HINT: Casts between numbers, between date and timestamp, and of most types to text are supported.

-- refused: text of floating point
x::text;
-- =>
-- 0A000 at 1 ('x::text;'): a cast from double precision to text is not supported over private tables
-- HINT: Casts between numbers, between date and timestamp, and of most types to text are supported.

-- refused: unlike things
v = i4;
-- =>
-- 0A000 at 1 ('v = i4;'): the operator = is not supported between text and integer over private tables
-- HINT: Compare or combine values of one kind; CAST numbers explicitly.

-- refused: arithmetic on text
v + 1;
-- =>
-- 0A000 at 1 ('v + 1;'): the operator + is not supported between text and integer over private tables
-- HINT: Compare or combine values of one kind; CAST numbers explicitly.

-- refused: a pattern that is not constant
v LIKE sex;
-- =>
-- 0A000 at 1 ('v LIKE sex;'): the pattern of LIKE must be a constant
-- HINT: Use a constant pattern with % and _, and an ESCAPE of one letter.

-- refused: a pattern that ends with its escape
v LIKE 'a\';
-- =>
-- 0A000 at 1 ("v LIKE 'a\\';"): LIKE pattern must not end with escape character
-- HINT: Use a constant pattern with % and _, and an ESCAPE of one letter.

-- refused: an exponent that is not constant
power(x, i4);
-- =>
-- 0A000 at 1 ('power(x, i4)'): the exponent must be a constant of at most 100
-- HINT: Write the exponent as a number.

-- refused: growing text twice
replace(replace(v, 'a', 'aa'), 'a', 'aa');
-- =>
-- 0A000 at 1 ('replace(repl'): replace() would make the text too long
-- HINT: Replace by something that is not longer.

-- refused: a subquery in IN
i4 IN (SELECT 1);
-- =>
-- 0A000 at 1 ('i4 IN (SELEC'): IN is not supported over private tables
-- HINT: Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.

-- refused: an interval as a value
ts - ts;
-- =>
-- 0A000 at 1 ('ts - ts;'): timestamp without time zone and timestamp without time zone cannot be combined over private tables
-- HINT: Use date - date, date + integer, or a constant interval; CAST timestamps to date before subtracting.

-- refused: an interval that is no constant
d + INTERVAL '1 fortnight';
-- =>
-- 0A000: the interval is not understood
-- HINT: Write whole numbers and units, as in INTERVAL '1 month 2 days'.

-- refused: a time of a date
extract(hour FROM d);
-- =>
-- 0A000 at 19 ('d);'): function extract() is not supported over private tables
-- HINT: Fields are year, quarter, month, week, day, doy, dow, isodow, hour, minute and second; those of the time need a timestamp.

-- refused: a date in other words
d > '1 May 2024';
-- =>
-- 0A000 at 1 ("d > '1 May 2"): the constant is no plain value of type date
-- HINT: Write a date as 'YYYY-MM-DD', in the years 0001 to 9999.

-- refused: remainder of doubles
x % 2;
-- =>
-- 0A000 at 1 ('x % 2;'): % needs numbers of known digits
-- HINT: Cast both sides to bigint or to numeric(p,s) of up to 38 digits.

-- refused: an aggregate
sum(i4) + 1;
-- =>
-- 0A000 at 1 ('sum(i4) + 1;'): the aggregate sum() inside of another expression's rows is not supported over private tables
-- HINT: Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.

-- refused: a window
row_number() OVER () + 1;
-- =>
-- 0A000 at 1 ('row_number()'): a window function is not supported over private tables
-- HINT: Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.

-- refused: random numbers
random();
-- =>
-- 0A000 at 1 ('random();'): function random() is not supported over private tables
-- HINT: Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.

-- refused: the clock
d < current_date;
-- =>
-- 0A000: current_date is not supported over private tables
-- HINT: Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.

-- refused: an array
i4 = ANY (ARRAY[1, 2]);
-- =>
-- 0A000 at 17 ('1, 2]);'): ANY is not supported over private tables
-- HINT: Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.

-- refused: a column that is not there
i4 + nobody;
-- =>
-- 42703 at 6 ('nobody;'): column "nobody" does not exist
-- HINT: None

-- refused: symmetric between
i4 BETWEEN SYMMETRIC 3 AND 1;
-- =>
-- 0A000 at 1 ('i4 BETWEEN S'): BETWEEN is not supported over private tables
-- HINT: Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.

-- refused: a condition that is none
CASE WHEN i4 THEN 1 END;
-- =>
-- 0A000 at 11 ('i4 THEN 1 EN'): a condition must be boolean, not integer
-- HINT: Compare it with something.

-- refused: a number of many digits
i4 > 1e400;
-- =>
-- 0A000 at 6 ('1e400;'): the number is too large or too small
-- HINT: Use a number of fewer digits.

-- a derived constant date narrows and compares as a date
CASE WHEN d < DATE '2024-01-31' + INTERVAL '1 month' THEN extract(year FROM d) END;
-- =>
CASE WHEN "t"."d" < CAST('2024-02-29' AS DATE) THEN EXTRACT(YEAR FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END) END;
-- numeric; held as bigint; nullable; [2020, 2024]; proved [1, 9999]; step 1
