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
((("t"."x" + CAST('5.340177260417283e-307' AS DOUBLE PRECISION)) - CAST('5.340177260417283e-307' AS DOUBLE PRECISION)) * CAST('0.1' AS DOUBLE PRECISION)) + CAST("t"."i4" AS DOUBLE PRECISION);
-- double precision; nullable; [0, 50120]

-- reals stay real among themselves
r * r;
-- =>
"t"."r" * "t"."r";
CAST(((FLOAT8SMALLER(FLOAT8LARGER(NULLIF(FLOAT8SMALLER(FLOAT8LARGER(NULLIF(CAST("t"."r" AS DOUBLE PRECISION), CAST('NaN' AS DOUBLE PRECISION)), CAST('-6.703903964971299e+153' AS DOUBLE PRECISION)), CAST('6.703903964971299e+153' AS DOUBLE PRECISION)) * FLOAT8SMALLER(FLOAT8LARGER(NULLIF(CAST("t"."r" AS DOUBLE PRECISION), CAST('NaN' AS DOUBLE PRECISION)), CAST('-6.703903964971299e+153' AS DOUBLE PRECISION)), CAST('6.703903964971299e+153' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)), CAST('-3.4028234663852886e+38' AS DOUBLE PRECISION)), CAST('3.4028234663852886e+38' AS DOUBLE PRECISION)) + CAST('9.466330862652142e-30' AS DOUBLE PRECISION)) - CAST('9.466330862652142e-30' AS DOUBLE PRECISION)) AS REAL);
-- real; nullable; [-10000, 10000]

-- whole quotients are cut towards zero, by 0 is NULL
i8 / i4;
-- =>
NULLIF("t"."i8", CAST(-9223372036854775808 AS BIGINT)) // NULLIF(CAST("t"."i4" AS BIGINT), 0);
NULLIF("t"."i8", CAST(-9223372036854775808 AS BIGINT)) / NULLIF(CAST("t"."i4" AS BIGINT), 0);
-- bigint; nullable; proved [-9.22337e+18, 9.22337e+18]; step 1

-- a divisor that cannot be 0
i4 / 12;
-- =>
CAST("t"."i4" AS BIGINT) // CAST(12 AS BIGINT);
CAST("t"."i4" AS BIGINT) / CAST(12 AS BIGINT);
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
CAST("t"."n" % CAST(0.25 AS DECIMAL(15, 2)) AS DECIMAL(15, 2));
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
ROUND("t"."x");
-- double precision; nullable; [0, 500000]; step 1

-- round to places of a numeric made of a double
round(x::numeric, 2);
-- =>
ROUND("t"."x", 2);
CAST(ROUND(CAST(CAST(FLOAT8SMALLER(FLOAT8LARGER(NULLIF("t"."x", CAST('NaN' AS DOUBLE PRECISION)), CAST('-4.784065733063811e+198' AS DOUBLE PRECISION)), CAST('4.784065733063811e+198' AS DOUBLE PRECISION)) AS TEXT) AS DECIMAL), 2) AS DOUBLE PRECISION);
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
POWER(FLOAT8SMALLER(FLOAT8LARGER(NULLIF(CASE WHEN "t"."x" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('Infinity' AS DOUBLE PRECISION) THEN "t"."x" END, CAST('NaN' AS DOUBLE PRECISION)), CAST('-8.98846567431158e+307' AS DOUBLE PRECISION)), CAST('8.98846567431158e+307' AS DOUBLE PRECISION)), CAST('0.5' AS DOUBLE PRECISION));
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
CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ILIKE '%x';
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
CASE WHEN "t"."x" BETWEEN CAST('1.0' AS DOUBLE PRECISION) AND CAST('10.0' AS DOUBLE PRECISION) THEN CAST('100.0' AS DOUBLE PRECISION) / NULLIF(FLOAT8SMALLER(FLOAT8LARGER(NULLIF((("t"."x" + CAST('1.924001625608614e-290' AS DOUBLE PRECISION)) - CAST('1.924001625608614e-290' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)), CAST('-8.98846567431158e+307' AS DOUBLE PRECISION)), CAST('8.98846567431158e+307' AS DOUBLE PRECISION)), 0) END;
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
LOWER(CASE WHEN OCTET_LENGTH("t"."sex") <= 200000 THEN "t"."sex" END);
-- text; nullable; one of f, m

-- text of a finite set
sex || '/' || code;
-- =>
("t"."sex" || '/') || CAST("t"."code" AS TEXT);
(CASE WHEN OCTET_LENGTH("t"."sex") <= 200000 THEN "t"."sex" END || '/') || CAST("t"."code" AS TEXT);
-- text; nullable; one of F/1, F/2, F/3, M/1, M/2, M/3

-- concat skips NULLs
concat(v, '-', i4);
-- =>
CONCAT("t"."v", '-', CAST("t"."i4" AS TEXT));
CONCAT(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END, '-', CAST("t"."i4" AS TEXT));
-- text

-- trim letters
trim(both 'x' from v);
-- =>
TRIM("t"."v", 'x');
TRIM('x' FROM CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END);
-- text; nullable

-- trim spaces only
ltrim(v);
-- =>
LTRIM("t"."v", ' ');
TRIM(LEADING ' ' FROM CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END);
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
LEFT("t"."v", 2) || RIGHT(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END, -1);
-- text; nullable

-- length
length(v);
-- =>
LENGTH("t"."v");
CAST(LENGTH("t"."v") AS BIGINT);
-- integer; held as bigint; nullable; proved [0, 4.29497e+09]; step 1

-- position
position('a' in v);
-- =>
STRPOS("t"."v", 'a');
CAST(POSITION('a' IN "t"."v") AS BIGINT);
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
REPLACE(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END, 'ab', 'c');
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
CAST(((CASE WHEN "t"."y" BETWEEN CAST('-3.4028234663852886e+38' AS DOUBLE PRECISION) AND CAST('3.4028234663852886e+38' AS DOUBLE PRECISION) THEN "t"."y" END + CAST('9.466330862652142e-30' AS DOUBLE PRECISION)) - CAST('9.466330862652142e-30' AS DOUBLE PRECISION)) AS REAL);
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
CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END - CAST('2020-01-01' AS DATE) AS BIGINT);
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
-- timestamp without time zone; nullable; [1.58052e+15, 1.89605e+15]; proved [-6.21334e+16, 2.53405e+17]

-- an interval of several units
ts - INTERVAL '1 year 2 days 3 hours';
-- =>
CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END + INTERVAL '-12' MONTH + INTERVAL '-2' DAY + INTERVAL '-10800000000' MICROSECOND;
CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END + INTERVAL '-12 MONTH' + INTERVAL '-2 DAY' + (INTERVAL '-3 HOUR');
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
CAST(EXTRACT(YEAR FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END) AS BIGINT);
-- numeric; held as bigint; nullable; [2020, 2029]; proved [1, 9999]; one of 2020, 2021, 2022, 2023, 2024, 2025, 2026, 2027, 2028, 2029; step 1

-- month, a finite set
extract(month FROM d);
-- =>
EXTRACT(MONTH FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END);
CAST(EXTRACT(MONTH FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END) AS BIGINT);
-- numeric; held as bigint; nullable; [1, 12]; proved [1, 12]; one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12; step 1

-- day of week by date_part
date_part('dow', ts);
-- =>
EXTRACT(DAYOFWEEK FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END);
CAST(EXTRACT(DOW FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) AS BIGINT);
-- numeric; held as bigint; nullable; [0, 6]; proved [0, 6]; one of 0, 1, 2, 3, 4, 5, 6; step 1

-- seconds have a fraction
extract(second FROM ts);
-- =>
CAST(EXTRACT(MICROSECOND FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) AS DECIMAL(8, 0)) * CAST(0.000001 AS DECIMAL(6, 6));
CAST(CAST(EXTRACT(MICROSECONDS FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) AS BIGINT) AS DECIMAL(8, 0)) * CAST(0.000001 AS DECIMAL(6, 6));
-- numeric; held as numeric(14,6); nullable; [0, 60]; proved [0, 60]; step 0.000001

-- month begins
date_trunc('month', d);
-- =>
DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP));
-- timestamp with time zone; held as timestamp without time zone; nullable; [1.57784e+15, 1.89078e+15]; proved [-6.21356e+16, 2.534e+17]; one of 2020-01-01 00:00:00, 2020-02-01 00:00:00, … 2029-12-01 00:00:00 (120)

-- an hour of a timestamp
date_trunc('hour', ts);
-- =>
DATE_TRUNC('HOUR', CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END);
-- timestamp without time zone; nullable; proved [-6.21356e+16, 2.53402e+17]

-- a bin of a moment
date_bin('15 minutes', ts, TIMESTAMP '2024-01-01');
-- =>
CAST(CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END + (INTERVAL '1' MICROSECOND) * (0 - (((DATE_DIFF('MICROSECOND', CAST('2024-01-01 00:00:00' AS TIMESTAMP), CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) % 900000000) + 900000000) % 900000000)) AS TIMESTAMP);
CAST(CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END + (INTERVAL '1 MICROSECOND') * (0 - (((CAST(EXTRACT(EPOCH FROM (CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END - CAST('2024-01-01 00:00:00' AS TIMESTAMP))) * 1000000 AS BIGINT) % 900000000) + 900000000) % 900000000)) AS TIMESTAMP);
-- timestamp without time zone; nullable; proved [-6.21356e+16, 2.53402e+17]

-- a bin of a bounded day, as a timestamp, by an origin as text
date_bin(INTERVAL '90 days 12 hours', d::timestamp, '2020-02-03');
-- =>
CAST(CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) + (INTERVAL '1' DAY) * ((0 - (((DATE_DIFF('MICROSECOND', CAST('2020-02-03 00:00:00' AS TIMESTAMP), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) % 7819200000000) + 7819200000000) % 7819200000000)) // 86400000000) + (INTERVAL '1' SECOND) * (((0 - (((DATE_DIFF('MICROSECOND', CAST('2020-02-03 00:00:00' AS TIMESTAMP), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) % 7819200000000) + 7819200000000) % 7819200000000)) % 86400000000) // 1000000) + (INTERVAL '1' MICROSECOND) * ((0 - (((DATE_DIFF('MICROSECOND', CAST('2020-02-03 00:00:00' AS TIMESTAMP), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) % 7819200000000) + 7819200000000) % 7819200000000)) % 1000000) AS TIMESTAMP);
CAST(CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) + (INTERVAL '1 DAY') * ((0 - (((CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - CAST('2020-02-03 00:00:00' AS TIMESTAMP))) * 1000000 AS BIGINT) % 7819200000000) + 7819200000000) % 7819200000000)) / 86400000000) + (INTERVAL '1 SECOND') * (((0 - (((CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - CAST('2020-02-03 00:00:00' AS TIMESTAMP))) * 1000000 AS BIGINT) % 7819200000000) + 7819200000000) % 7819200000000)) % 86400000000) / 1000000) + (INTERVAL '1 MICROSECOND') * ((0 - (((CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - CAST('2020-02-03 00:00:00' AS TIMESTAMP))) * 1000000 AS BIGINT) % 7819200000000) + 7819200000000) % 7819200000000)) % 1000000) AS TIMESTAMP);
-- timestamp without time zone; nullable; [1.57287e+15, 1.88564e+15]; proved [-6.21434e+16, 2.53402e+17]; one of 2019-11-04 12:00:00, 2020-02-03 00:00:00, … 2029-10-02 12:00:00 (41)

-- a bin of a constant
date_bin('1 hour', TIMESTAMP '2024-03-01 10:59', '2024-01-01');
-- =>
CAST('2024-03-01 10:00:00' AS TIMESTAMP);
-- timestamp without time zone; [1.70929e+15, 1.70929e+15]; proved [1.70929e+15, 1.70929e+15]; one of 2024-03-01 10:00:00

-- refused: a bin of months
date_bin('1 month', ts, TIMESTAMP '2024-01-01');
-- =>
-- 0A000 at 1 ("date_bin('1 "): the stride of date_bin() must be a constant above 0, without months
-- HINT: Write a constant, as in date_bin('15 minutes', x, TIMESTAMP '2024-01-01'); date_trunc('month', x) has months.

-- refused: a bin of no length
date_bin('0 days', ts, TIMESTAMP '2024-01-01');
-- =>
-- 0A000 at 1 ("date_bin('0 "): the stride of date_bin() must be a constant above 0, without months
-- HINT: Write a constant, as in date_bin('15 minutes', x, TIMESTAMP '2024-01-01'); date_trunc('month', x) has months.

-- refused: a bin of a day
date_bin('7 days', d, '2024-01-01');
-- =>
-- 0A000 at 1 ("date_bin('7 "): date_bin() of a date is not supported over private tables
-- HINT: Cast it: date_bin('7 days', CAST(x AS timestamp), TIMESTAMP '2024-01-01').

-- refused: bins from a row's own moment on
date_bin('7 days', ts, ts);
-- =>
-- 0A000 at 1 ("date_bin('7 "): the constant is no plain value of type timestamp without time zone
-- HINT: Write a timestamp as 'YYYY-MM-DD HH:MM:SS', in the years 0001 to 9999.

-- the end of all times
coalesce(d, 'infinity') >= current_date;
-- =>
COALESCE("t"."d", CAST('infinity' AS DATE)) >= CAST('2024-05-17' AS DATE);
-- boolean; one of False, True

-- the end of all times as a moment, compared
ts BETWEEN '-infinity'::timestamp AND 'Infinity';
-- =>
"t"."ts" BETWEEN CAST('-infinity' AS TIMESTAMP) AND CAST('infinity' AS TIMESTAMP);
-- boolean; nullable; one of False, True

-- a field of what may be the end of all times
extract(year FROM coalesce(d, 'infinity'::date));
-- =>
EXTRACT(YEAR FROM CASE WHEN COALESCE("t"."d", CAST('infinity' AS DATE)) BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN COALESCE("t"."d", CAST('infinity' AS DATE)) END);
CAST(EXTRACT(YEAR FROM CASE WHEN COALESCE("t"."d", CAST('infinity' AS DATE)) BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN COALESCE("t"."d", CAST('infinity' AS DATE)) END) AS BIGINT);
-- numeric; held as bigint; [1, 9999]; proved [1, 9999]; step 1

-- a parameter-like name in quotes
"i4" + 0;
-- =>
CAST("t"."i4" AS BIGINT) + CAST(0 AS BIGINT);
-- integer; held as bigint; nullable; [0, 120]; proved [-2.14748e+09, 2.14748e+09]; step 1

-- refused: a function that is not in the table
tan(x);
-- =>
-- 0A000 at 1 ('tan(x);'): function tan() is not supported over private tables
-- HINT: Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.

-- refused: a function of nobody
frobnicate(i4);
-- =>
-- 0A000 at 1 ('frobnicate(i'): function frobnicate() is not supported over private tables
-- HINT: Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.

-- refused: text of floating point
x::text;
-- =>
-- 0A000 at 1 ('x::text;'): a cast from double precision to text is not supported over private tables
-- HINT: Casts between numbers, date and timestamp, of text to numbers, boolean and dates, of most types to text are supported.

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

-- a pattern that a row makes
v LIKE sex || '%';
-- =>
CASE WHEN LENGTH("t"."sex" || '%') <= 100 AND STRPOS("t"."sex" || '%', '\') = 0 THEN "t"."v" LIKE LEFT("t"."sex" || '%', 100) ESCAPE '' END;
CASE WHEN CAST(LENGTH(CASE WHEN OCTET_LENGTH("t"."sex") <= 200000 THEN "t"."sex" END || '%') AS BIGINT) <= 100 AND CAST(POSITION('\' IN CASE WHEN OCTET_LENGTH("t"."sex") <= 200000 THEN "t"."sex" END || '%') AS BIGINT) = 0 THEN "t"."v" LIKE LEFT(CASE WHEN OCTET_LENGTH("t"."sex") <= 200000 THEN "t"."sex" END || '%', 100) ESCAPE '' END;
-- boolean; nullable; one of False, True

-- a column as a pattern, denied
sex NOT ILIKE v;
-- =>
CASE WHEN LENGTH("t"."v") <= 100 AND STRPOS("t"."v", '\') = 0 THEN NOT ("t"."sex" ILIKE LEFT("t"."v", 100) ESCAPE '') END;
CASE WHEN CAST(LENGTH("t"."v") AS BIGINT) <= 100 AND CAST(POSITION('\' IN "t"."v") AS BIGINT) = 0 THEN NOT (CASE WHEN OCTET_LENGTH("t"."sex") <= 200000 THEN "t"."sex" END ILIKE LEFT("t"."v", 100) ESCAPE '') END;
-- boolean; nullable; one of False, True

-- a pattern that a row makes, without an escape
v LIKE concat('%', sex) ESCAPE '';
-- =>
CASE WHEN LENGTH(CONCAT('%', "t"."sex")) <= 100 THEN "t"."v" LIKE LEFT(CONCAT('%', "t"."sex"), 100) ESCAPE '' END;
CASE WHEN CAST(LENGTH(CONCAT('%', CASE WHEN OCTET_LENGTH("t"."sex") <= 200000 THEN "t"."sex" END)) AS BIGINT) <= 100 THEN "t"."v" LIKE LEFT(CONCAT('%', CASE WHEN OCTET_LENGTH("t"."sex") <= 200000 THEN "t"."sex" END), 100) ESCAPE '' END;
-- boolean; nullable; one of False, True

-- refused: an escape in a pattern that is not constant
v LIKE '\_' || sex;
-- =>
-- 0A000 at 1 ("v LIKE '\\_' "): an escape in a pattern that is no constant is not supported over private tables
-- HINT: Look for the letters themselves: strpos(x, y) > 0, starts_with(x, y), or a constant pattern.

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
-- HINT: Put in something that is not longer, or make the text at most 20 times as long, once.

-- refused: a subquery in IN
i4 IN (SELECT 1);
-- =>
-- 0A000 at 1 ('i4 IN (SELEC'): IN is not supported over private tables
-- HINT: Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.

-- refused: an interval as a value
ts - ts;
-- =>
-- 0A000 at 1 ('ts - ts;'): an interval by itself is not supported over private tables
-- HINT: Use EXTRACT(epoch FROM …) or EXTRACT(day FROM …) of it, or compare it with an interval constant.

-- refused: an interval that is no constant
d + INTERVAL '1 fortnight';
-- =>
-- 0A000: the interval is not understood
-- HINT: Write numbers and units, as in INTERVAL '1 month 2 days'.

-- refused: a time of a date
extract(hour FROM d);
-- =>
-- 0A000 at 19 ('d);'): unit "hour" not supported for type date
-- HINT: Only a timestamp has a time: CAST it first.

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

-- refused: the clock that goes on
d < clock_timestamp();
-- =>
-- 0A000 at 5 ('clock_timest'): function clock_timestamp() is not supported over private tables
-- HINT: Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.

-- refused: a column that is not there
i4 + nobody;
-- =>
-- 42703 at 6 ('nobody;'): column "nobody" does not exist
-- HINT: None

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
CASE WHEN "t"."d" < CAST('2024-02-29' AS DATE) THEN CAST(EXTRACT(YEAR FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END) AS BIGINT) END;
-- numeric; held as bigint; nullable; [2020, 2024]; proved [1, 9999]; one of 2020, 2021, 2022, 2023, 2024; step 1

-- a function that is in the finite set only
initcap(sex || ' x');
-- =>
CASE WHEN "t"."sex" || ' x' = 'F x' THEN 'F X' WHEN "t"."sex" || ' x' = 'M x' THEN 'M X' END;
CASE WHEN CASE WHEN OCTET_LENGTH("t"."sex") <= 200000 THEN "t"."sex" END || ' x' = 'F x' THEN 'F X' WHEN CASE WHEN OCTET_LENGTH("t"."sex") <= 200000 THEN "t"."sex" END || ' x' = 'M x' THEN 'M X' END;
-- text; nullable; one of F X, M X

-- parts whose place a row decides
substring(v from strpos(v, '-') + 1);
-- =>
SUBSTRING("t"."v", CAST(CASE WHEN (STRPOS("t"."v", '-') + CAST(1 AS BIGINT)) BETWEEN 1 AND 2147483647 THEN STRPOS("t"."v", '-') + CAST(1 AS BIGINT) END AS INT));
SUBSTRING("t"."v" FROM CAST(CASE WHEN (CAST(POSITION('-' IN "t"."v") AS BIGINT) + CAST(1 AS BIGINT)) BETWEEN 1 AND 2147483647 THEN CAST(POSITION('-' IN "t"."v") AS BIGINT) + CAST(1 AS BIGINT) END AS INT));
-- text; nullable

-- a start before the first letter takes from the length
substring(v, i2, 3);
-- =>
SUBSTRING("t"."v", CAST(CASE WHEN CAST("t"."i2" AS BIGINT) < 1 THEN 1 ELSE CAST("t"."i2" AS BIGINT) END AS INT), CAST(CASE WHEN CAST("t"."i2" AS BIGINT) >= 1 THEN CAST(3 AS BIGINT) WHEN (CAST("t"."i2" AS BIGINT) + CAST(3 AS BIGINT)) > 1 THEN (CAST("t"."i2" AS BIGINT) + CAST(3 AS BIGINT)) - 1 WHEN (CAST("t"."i2" AS BIGINT) + CAST(3 AS BIGINT)) <= 1 THEN 0 END AS INT));
SUBSTRING("t"."v" FROM CAST(CASE WHEN CAST("t"."i2" AS BIGINT) < 1 THEN 1 ELSE CAST("t"."i2" AS BIGINT) END AS INT) FOR CAST(CASE WHEN CAST("t"."i2" AS BIGINT) >= 1 THEN CAST(3 AS BIGINT) WHEN (CAST("t"."i2" AS BIGINT) + CAST(3 AS BIGINT)) > 1 THEN (CAST("t"."i2" AS BIGINT) + CAST(3 AS BIGINT)) - 1 WHEN (CAST("t"."i2" AS BIGINT) + CAST(3 AS BIGINT)) <= 1 THEN 0 END AS INT));
-- text; nullable

-- left of so many letters as a row says
left(v, code);
-- =>
LEFT("t"."v", CASE WHEN "t"."code" BETWEEN -2147483647 AND 2147483647 THEN "t"."code" END);
-- text; nullable

-- a field
split_part(v, '-', 2);
-- =>
SPLIT_PART("t"."v", '-', 2);
-- text; nullable

-- a field from the end
split_part(v, ', ', -1);
-- =>
SPLIT_PART("t"."v", ', ', -1);
REVERSE(SPLIT_PART(REVERSE("t"."v"), REVERSE(', '), 1));
-- text; nullable

-- no delimiter splits nothing
split_part(v, '', 1);
-- =>
"t"."v";
-- text; nullable

-- concat with a separator skips NULLs
concat_ws('-', sex, ok);
-- =>
CONCAT_WS('-', "t"."sex", CASE WHEN "t"."ok" THEN 't' WHEN NOT "t"."ok" THEN 'f' END);
CONCAT_WS('-', CASE WHEN OCTET_LENGTH("t"."sex") <= 200000 THEN "t"."sex" END, CASE WHEN "t"."ok" THEN 't' WHEN NOT "t"."ok" THEN 'f' END);
-- text; one of F-f, F-t, F, M-f, M-t, M, f, t, 

-- after || a boolean is a word, in concat a letter
sex || '/' || ok;
-- =>
("t"."sex" || '/') || CAST("t"."ok" AS TEXT);
(CASE WHEN OCTET_LENGTH("t"."sex") <= 200000 THEN "t"."sex" END || '/') || CAST("t"."ok" AS TEXT);
-- text; nullable; one of F/false, F/true, M/false, M/true

-- repeated a few times
repeat(v, 3);
-- =>
REPEAT("t"."v", 3);
REPEAT(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END, 3);
-- text; nullable

-- padded, and cut
lpad(v, 5, 'xy');
-- =>
LPAD("t"."v", 5, 'xy');
LPAD(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END, 5, 'xy');
-- text; nullable

-- padded by nothing is cut only
rpad(v, 5, '');
-- =>
LEFT("t"."v", 5);
-- text; nullable

-- letters for letters
translate(v, 'abc', 'xy');
-- =>
TRANSLATE("t"."v", 'abc', 'xy');
TRANSLATE(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END, 'abc', 'xy');
-- text; nullable

-- backwards
reverse(sex);
-- =>
REVERSE("t"."sex");
REVERSE(CASE WHEN OCTET_LENGTH("t"."sex") <= 200000 THEN "t"."sex" END);
-- text; nullable; one of F, M

-- the code point of a letter
ascii(v);
-- =>
CAST(ASCII("t"."v") AS INT);
-- integer; nullable; [0, 1.11411e+06]; proved [0, 1.11411e+06]; step 1

-- the letter of a code point
chr(i4);
-- =>
CHR(CAST(CASE WHEN "t"."i4" BETWEEN 1 AND 55295 OR "t"."i4" BETWEEN 57344 AND 1114111 THEN "t"."i4" END AS INT));
-- text; nullable

-- a regular expression, as both engines read it
v ~ '^\s*\d{2,3}(,|;)x?$';
-- =>
REGEXP_MATCHES("t"."v", '^[\t-\r ]*[0-9]{2,3}(?:,|;)x?$');
CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '^[\t-\r ]*[0-9]{2,3}(?:,|;)x?$';
-- boolean; nullable; one of False, True

-- without regard to case
v !~* 'a.c';
-- =>
NOT (REGEXP_MATCHES("t"."v", '(?s)[Aa].[Cc]'));
NOT (CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '(?s)[Aa].[Cc]');
-- boolean; nullable; one of False, True

-- a function of the same
regexp_like(v, '^[[:alpha:]_]+$', 'i');
-- =>
REGEXP_MATCHES("t"."v", '^[A-Z_a-z]+$');
CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '^[A-Z_a-z]+$';
-- boolean; nullable; one of False, True

-- similar to
v NOT SIMILAR TO '%(b|d)_#%' ESCAPE '#';
-- =>
NOT (REGEXP_MATCHES("t"."v", '(?s)^.*(?:b|d).%$'));
NOT (CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '(?s)^.*(?:b|d).%$');
-- boolean; nullable; one of False, True

-- all matches replaced
regexp_replace(v, '[^0-9]+', '', 'g');
-- =>
REGEXP_REPLACE("t"."v", '([^0-9]+)', '', 'g');
REGEXP_REPLACE(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END, '([^0-9]+)', '', 'g');
-- text; nullable

-- groups in the replacement, where engines fill them alike
regexp_replace(v, '^(\w+), (\w+)$', '\2 \1');
-- =>
REGEXP_REPLACE("t"."v", '(^([0-9A-Z_a-z]+), ([0-9A-Z_a-z]+)$)', '\3 \2');
REGEXP_REPLACE(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END, '(^([0-9A-Z_a-z]+), ([0-9A-Z_a-z]+)$)', '\3 \2');
-- text; nullable

-- any of an array is membership
i4 = ANY (ARRAY[1, 2, 3]);
-- =>
"t"."i4" IN (1, 2, 3);
-- boolean; nullable; one of False, True

-- none of an array, with NULL in it
i4 <> ALL ('{1,2,NULL}'::int[]);
-- =>
NOT ("t"."i4" IN (1, 2, NULL));
-- boolean; nullable; one of False, True

-- any of nothing
i4 = ANY ('{}');
-- =>
FALSE;
-- boolean; one of False

-- another comparison with all
i4 > ALL (ARRAY[1, i2]);
-- =>
("t"."i4" > 1) AND ("t"."i4" > "t"."i2");
-- boolean; nullable; one of False, True

-- any of several patterns
v LIKE ANY ('{a%,%b}');
-- =>
("t"."v" LIKE 'a%') OR ("t"."v" LIKE '%b');
-- boolean; nullable; one of False, True

-- row values
(sex, code) IN (('F', 1), ('M', 2));
-- =>
(("t"."sex" = 'F') AND ("t"."code" = 1)) OR (("t"."sex" = 'M') AND ("t"."code" = 2));
-- boolean; nullable; one of False, True

-- symmetric between
i4 BETWEEN SYMMETRIC 30 AND 10;
-- =>
("t"."i4" BETWEEN 30 AND 10) OR ("t"."i4" BETWEEN 10 AND 30);
-- boolean; nullable; one of False, True

-- unknown
ok IS NOT UNKNOWN;
-- =>
NOT "t"."ok" IS NULL;
-- boolean; one of False, True

-- a cube root
cbrt(i4);
-- =>
CBRT(CAST("t"."i4" AS DOUBLE));
CBRT(CAST("t"."i4" AS DOUBLE PRECISION));
-- double precision; nullable; [0, 4.93242]; proved [-1290.16, 1290.16]

-- a digest
md5(v) || md5(sex);
-- =>
MD5("t"."v") || MD5("t"."sex");
-- text; nullable

-- a sine of what may be infinite, and of what is not
sin(x) + sin(i4);
-- =>
SIN(CASE WHEN "t"."x" BETWEEN CAST('-1.7976931348623157e+308' AS DOUBLE) AND CAST('1.7976931348623157e+308' AS DOUBLE) THEN "t"."x" END) + SIN(CAST("t"."i4" AS DOUBLE));
SIN(CASE WHEN "t"."x" BETWEEN CAST('-1.7976931348623157e+308' AS DOUBLE PRECISION) AND CAST('1.7976931348623157e+308' AS DOUBLE PRECISION) THEN "t"."x" END) + SIN(CAST("t"."i4" AS DOUBLE PRECISION));
-- double precision; nullable; [-2, 2]; proved [-2, 2]

-- a cosine of what may be infinite
cos(radians(y));
-- =>
COS(CASE WHEN ("t"."y" * CAST('0.017453292519943295' AS DOUBLE)) BETWEEN CAST('-1.7976931348623157e+308' AS DOUBLE) AND CAST('1.7976931348623157e+308' AS DOUBLE) THEN "t"."y" * CAST('0.017453292519943295' AS DOUBLE) END);
COS(CASE WHEN ((("t"."y" + CAST('2.1360709041669133e-306' AS DOUBLE PRECISION)) - CAST('2.1360709041669133e-306' AS DOUBLE PRECISION)) * CAST('0.017453292519943295' AS DOUBLE PRECISION)) BETWEEN CAST('-1.7976931348623157e+308' AS DOUBLE PRECISION) AND CAST('1.7976931348623157e+308' AS DOUBLE PRECISION) THEN (("t"."y" + CAST('2.1360709041669133e-306' AS DOUBLE PRECISION)) - CAST('2.1360709041669133e-306' AS DOUBLE PRECISION)) * CAST('0.017453292519943295' AS DOUBLE PRECISION) END);
-- double precision; nullable; [-1, 1]; proved [-1, 1]

-- an angle from two lengths, one of which may be NaN
atan2(y, i4);
-- =>
ATAN2("t"."y", CAST("t"."i4" AS DOUBLE));
ATAN2("t"."y", CAST("t"."i4" AS DOUBLE PRECISION));
-- double precision; nullable; [-3.14159, 3.14159]

-- a logarithm to a base
log(2, i4);
-- =>
LN(CASE WHEN CAST("t"."i4" AS DOUBLE) BETWEEN CAST('5e-324' AS DOUBLE) AND CAST('Infinity' AS DOUBLE) THEN CAST("t"."i4" AS DOUBLE) END) / CAST('0.6931471805599453' AS DOUBLE);
LN(CASE WHEN CAST("t"."i4" AS DOUBLE PRECISION) BETWEEN CAST('5e-324' AS DOUBLE PRECISION) AND CAST('Infinity' AS DOUBLE PRECISION) THEN CAST("t"."i4" AS DOUBLE PRECISION) END) / CAST('0.6931471805599453' AS DOUBLE PRECISION);
-- numeric; held as double precision; nullable

-- log10 of an integer is a double precision
log10(sure);
-- =>
LOG(CASE WHEN CAST("t"."sure" AS DOUBLE) BETWEEN CAST('5e-324' AS DOUBLE) AND CAST('Infinity' AS DOUBLE) THEN CAST("t"."sure" AS DOUBLE) END);
LOG(CASE WHEN CAST("t"."sure" AS DOUBLE PRECISION) BETWEEN CAST('5e-324' AS DOUBLE PRECISION) AND CAST('Infinity' AS DOUBLE PRECISION) THEN CAST("t"."sure" AS DOUBLE PRECISION) END);
-- double precision; [0, 0.954243]

-- degrees and radians
degrees(radians(i4));
-- =>
(CAST("t"."i4" AS DOUBLE) * CAST('0.017453292519943295' AS DOUBLE)) / CAST('0.017453292519943295' AS DOUBLE);
(CAST("t"."i4" AS DOUBLE PRECISION) * CAST('0.017453292519943295' AS DOUBLE PRECISION)) / CAST('0.017453292519943295' AS DOUBLE PRECISION);
-- double precision; nullable; [0, 120]; proved [-2.14748e+09, 2.14748e+09]

-- pi is a constant
pi() * 2;
-- =>
CAST('3.141592653589793' AS DOUBLE) * CAST('2.0' AS DOUBLE);
CAST('3.141592653589793' AS DOUBLE PRECISION) * CAST('2.0' AS DOUBLE PRECISION);
-- double precision; [6.28319, 6.28319]; proved [6.28319, 6.28319]

-- a whole quotient is a numeric
div(n, 0.3);
-- =>
CAST("t"."n" * CAST(100 AS DECIMAL(3, 0)) AS BIGINT) // CAST(30 AS BIGINT);
CAST("t"."n" * CAST(100 AS DECIMAL(3, 0)) AS BIGINT) / CAST(30 AS BIGINT);
-- numeric; held as bigint; nullable; [-3333, 333333]; proved [-3.33333e+13, 3.33333e+13]; step 1

-- buckets of doubles, as Postgres computes them
width_bucket(x, 0, 500000, 5);
-- =>
CASE WHEN "t"."x" < CAST('0.0' AS DOUBLE) THEN 0 WHEN "t"."x" < CAST('500000.0' AS DOUBLE) THEN CAST(LEAST(FLOOR(CAST('5.0' AS DOUBLE) * (CASE WHEN "t"."x" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('500000.0' AS DOUBLE) THEN "t"."x" END / CAST('500000.0' AS DOUBLE))), CAST('4.0' AS DOUBLE)) AS INT) + 1 WHEN "t"."x" <= CAST('Infinity' AS DOUBLE) THEN 6 END;
CASE WHEN "t"."x" < CAST('0.0' AS DOUBLE PRECISION) THEN 0 WHEN "t"."x" < CAST('500000.0' AS DOUBLE PRECISION) THEN CAST(LEAST(FLOOR(CAST('5.0' AS DOUBLE PRECISION) * (((CASE WHEN "t"."x" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('500000.0' AS DOUBLE PRECISION) THEN "t"."x" END + CAST('1.7498692846935354e-302' AS DOUBLE PRECISION)) - CAST('1.7498692846935354e-302' AS DOUBLE PRECISION)) / CAST('500000.0' AS DOUBLE PRECISION))), CAST('4.0' AS DOUBLE PRECISION)) AS INT) + 1 WHEN "t"."x" <= CAST('Infinity' AS DOUBLE PRECISION) THEN 6 END;
-- integer; nullable; [0, 6]; proved [0, 6]; one of 0, 1, 2, 3, 4, 5, 6; step 1

-- buckets of numerics are exact
width_bucket(n, 100.5, 0, 3);
-- =>
CASE WHEN "t"."n" <= 0 THEN 4 WHEN "t"."n" <= 100.5 THEN CAST(FLOOR((ROUND((CAST('100.5' AS DOUBLE) - CASE WHEN CAST("t"."n" AS DOUBLE) BETWEEN CAST('0.0' AS DOUBLE) AND CAST('100.5' AS DOUBLE) THEN CAST("t"."n" AS DOUBLE) END) * CAST('100.0' AS DOUBLE)) * CAST('3.0' AS DOUBLE)) / CAST('10050.0' AS DOUBLE)) AS INT) + 1 WHEN "t"."n" > 100.5 THEN 0 END;
CASE WHEN "t"."n" <= 0 THEN 4 WHEN "t"."n" <= 100.5 THEN CAST(FLOOR((ROUND((CAST('100.5' AS DOUBLE PRECISION) - CASE WHEN CAST("t"."n" AS DOUBLE PRECISION) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('100.5' AS DOUBLE PRECISION) THEN CAST("t"."n" AS DOUBLE PRECISION) END) * CAST('100.0' AS DOUBLE PRECISION)) * CAST('3.0' AS DOUBLE PRECISION)) / CAST('10050.0' AS DOUBLE PRECISION)) AS INT) + 1 WHEN "t"."n" > 100.5 THEN 0 END;
-- integer; nullable; [0, 4]; proved [0, 4]; one of 0, 1, 2, 3, 4; step 1

-- buckets between thresholds
width_bucket(d, ARRAY['2020-06-01', '2024-01-01']::date[]);
-- =>
CASE WHEN "t"."d" < CAST('2020-06-01' AS DATE) THEN 0 WHEN "t"."d" < CAST('2024-01-01' AS DATE) THEN 1 WHEN "t"."d" >= CAST('2024-01-01' AS DATE) THEN 2 END;
-- integer; nullable; [0, 2]; proved [0, 2]; one of 0, 1, 2; step 1

-- text as an integer, NULL where it is none
v::int;
-- =>
CAST(CASE WHEN CAST(CASE WHEN REGEXP_MATCHES("t"."v", '^[\t-\r ]*[\+\-]?0*[0-9]{1,38}[\t-\r ]*$') THEN "t"."v" END AS DECIMAL(38, 0)) BETWEEN CAST(-2147483648 AS DECIMAL(38, 0)) AND CAST(2147483647 AS DECIMAL(38, 0)) THEN CAST(CASE WHEN REGEXP_MATCHES("t"."v", '^[\t-\r ]*[\+\-]?0*[0-9]{1,38}[\t-\r ]*$') THEN "t"."v" END AS DECIMAL(38, 0)) END AS BIGINT);
CAST(CASE WHEN CAST(CASE WHEN CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '^[\t-\r ]*[\+\-]?0*[0-9]{1,38}[\t-\r ]*$' THEN "t"."v" END AS DECIMAL(38, 0)) BETWEEN CAST(-2147483648 AS DECIMAL(38, 0)) AND CAST(2147483647 AS DECIMAL(38, 0)) THEN CAST(CASE WHEN CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '^[\t-\r ]*[\+\-]?0*[0-9]{1,38}[\t-\r ]*$' THEN "t"."v" END AS DECIMAL(38, 0)) END AS BIGINT);
-- integer; held as bigint; nullable; proved [-2.14748e+09, 2.14748e+09]; step 1

-- text as a numeric
v::numeric(10,2);
-- =>
CAST(CASE WHEN CAST(CASE WHEN REGEXP_MATCHES("t"."v", '^[\t-\r ]*[\+\-]?(?:0*[0-9]{1,35}(?:\.[0-9]{0,100})?|\.[0-9]{1,100})[\t-\r ]*$') THEN "t"."v" END AS DECIMAL(38, 2)) BETWEEN CAST(-99999999.99 AS DECIMAL(38, 2)) AND CAST(99999999.99 AS DECIMAL(38, 2)) THEN CAST(CASE WHEN REGEXP_MATCHES("t"."v", '^[\t-\r ]*[\+\-]?(?:0*[0-9]{1,35}(?:\.[0-9]{0,100})?|\.[0-9]{1,100})[\t-\r ]*$') THEN "t"."v" END AS DECIMAL(38, 2)) END AS DECIMAL(10, 2));
CAST(CASE WHEN CAST(CASE WHEN CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '^[\t-\r ]*[\+\-]?(?:0*[0-9]{1,35}(?:\.[0-9]{0,100})?|\.[0-9]{1,100})[\t-\r ]*$' THEN "t"."v" END AS DECIMAL(38, 2)) BETWEEN CAST(-99999999.99 AS DECIMAL(38, 2)) AND CAST(99999999.99 AS DECIMAL(38, 2)) THEN CAST(CASE WHEN CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '^[\t-\r ]*[\+\-]?(?:0*[0-9]{1,35}(?:\.[0-9]{0,100})?|\.[0-9]{1,100})[\t-\r ]*$' THEN "t"."v" END AS DECIMAL(38, 2)) END AS DECIMAL(10, 2));
-- numeric(10,2); nullable; proved [-1e+08, 1e+08]; step 0.01

-- text as a double precision
v::float8;
-- =>
CAST(CASE WHEN REGEXP_MATCHES("t"."v", '^[\t-\r ]*[\+\-]?(?:[0-9]{1,100}(?:\.[0-9]{0,100})?|\.[0-9]{1,100})(?:[Ee][\+\-]?[0-9]{1,2})?[\t-\r ]*$') THEN "t"."v" END AS DOUBLE);
CAST(CASE WHEN CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '^[\t-\r ]*[\+\-]?(?:[0-9]{1,100}(?:\.[0-9]{0,100})?|\.[0-9]{1,100})(?:[Ee][\+\-]?[0-9]{1,2})?[\t-\r ]*$' THEN "t"."v" END AS DOUBLE PRECISION);
-- double precision; nullable; proved [-1e+200, 1e+200]

-- text of a finite set as a boolean
CASE sex WHEN 'F' THEN 'yes' WHEN 'M' THEN 'off' ELSE '?' END::boolean;
-- =>
CASE WHEN REGEXP_MATCHES(CASE WHEN "t"."sex" = 'F' THEN 'yes' WHEN "t"."sex" = 'M' THEN 'off' ELSE '?' END, '^[\t-\r ]*(?:[Tt]|[Tt][Rr]|[Tt][Rr][Uu]|[Tt][Rr][Uu][Ee]|[Yy]|[Yy][Ee]|[Yy][Ee][Ss]|[Oo][Nn]|1)[\t-\r ]*$') THEN TRUE WHEN REGEXP_MATCHES(CASE WHEN "t"."sex" = 'F' THEN 'yes' WHEN "t"."sex" = 'M' THEN 'off' ELSE '?' END, '^[\t-\r ]*(?:[Ff]|[Ff][Aa]|[Ff][Aa][Ll]|[Ff][Aa][Ll][Ss]|[Ff][Aa][Ll][Ss][Ee]|[Nn]|[Nn][Oo]|[Oo][Ff]|[Oo][Ff][Ff]|0)[\t-\r ]*$') THEN FALSE END;
CASE WHEN CASE WHEN "t"."sex" = 'F' THEN 'yes' WHEN "t"."sex" = 'M' THEN 'off' ELSE '?' END ~ '^[\t-\r ]*(?:[Tt]|[Tt][Rr]|[Tt][Rr][Uu]|[Tt][Rr][Uu][Ee]|[Yy]|[Yy][Ee]|[Yy][Ee][Ss]|[Oo][Nn]|1)[\t-\r ]*$' THEN TRUE WHEN CASE WHEN "t"."sex" = 'F' THEN 'yes' WHEN "t"."sex" = 'M' THEN 'off' ELSE '?' END ~ '^[\t-\r ]*(?:[Ff]|[Ff][Aa]|[Ff][Aa][Ll]|[Ff][Aa][Ll][Ss]|[Ff][Aa][Ll][Ss][Ee]|[Nn]|[Nn][Oo]|[Oo][Ff]|[Oo][Ff][Ff]|0)[\t-\r ]*$' THEN FALSE END;
-- boolean; nullable; one of True, False

-- a condition on an expression holds for it where it is written again
CASE WHEN substring(v from 1 for 2) IN ('13', '31') THEN substring(v, 1, 2) || '!' END;
-- =>
CASE WHEN SUBSTRING("t"."v", 1, 2) IN ('13', '31') THEN SUBSTRING("t"."v", 1, 2) || '!' END;
CASE WHEN SUBSTRING("t"."v" FROM 1 FOR 2) IN ('13', '31') THEN SUBSTRING("t"."v" FROM 1 FOR 2) || '!' END;
-- text; nullable; one of 13!, 31!

-- one of several pairs
CASE WHEN (sex = 'F' AND v = 'a') OR (sex = 'M' AND v = 'b') THEN v END;
-- =>
CASE WHEN (("t"."sex" = 'F') AND ("t"."v" = 'a')) OR (("t"."sex" = 'M') AND ("t"."v" = 'b')) THEN "t"."v" END;
-- text; nullable; one of a, b

-- what failed before leaves values out
CASE code WHEN 1 THEN 0 ELSE code END;
-- =>
CASE WHEN "t"."code" = 1 THEN 0 ELSE "t"."code" END;
-- integer; nullable; [0, 3]; proved [-2.14748e+09, 2.14748e+09]; one of 0, 2, 3; step 1

-- a pattern without wildcards is a value
CASE WHEN v LIKE 'abc' THEN upper(v) END;
-- =>
CASE WHEN "t"."v" LIKE 'abc' THEN UPPER("t"."v") END;
CASE WHEN "t"."v" LIKE 'abc' THEN UPPER(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END) END;
-- text; nullable; one of ABC

-- columns narrow each other
CASE WHEN i8 BETWEEN 0 AND i4 THEN i8 END;
-- =>
CASE WHEN "t"."i8" BETWEEN 0 AND "t"."i4" THEN "t"."i8" END;
-- bigint; nullable; [0, 120]; proved [-9.22337e+18, 9.22337e+18]; step 1

-- initcap of any text
initcap(v);
-- =>
REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REGEXP_REPLACE(LOWER("t"."v"), '(^|[^\p{L}\p{N}])([a-z])', '\1Z\2', 'g'), 'Za', 'A'), 'Zb', 'B'), 'Zc', 'C'), 'Zd', 'D'), 'Ze', 'E'), 'Zf', 'F'), 'Zg', 'G'), 'Zh', 'H'), 'Zi', 'I'), 'Zj', 'J'), 'Zk', 'K'), 'Zl', 'L'), 'Zm', 'M'), 'Zn', 'N'), 'Zo', 'O'), 'Zp', 'P'), 'Zq', 'Q'), 'Zr', 'R'), 'Zs', 'S'), 'Zt', 'T'), 'Zu', 'U'), 'Zv', 'V'), 'Zw', 'W'), 'Zx', 'X'), 'Zy', 'Y'), 'Zz', 'Z');
INITCAP(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END);
-- text; nullable

-- refused: field zero
split_part(v, '-', 0);
-- =>
-- 0A000 at 1 ('split_part(v'): field position must not be zero
-- HINT: Count fields from 1, or from -1 backwards.

-- refused: text repeated too often
repeat(v, 1000);
-- =>
-- 0A000 at 1 ('repeat(v, 10'): repeat() would make the text too long
-- HINT: Put in something that is not longer, or make the text at most 20 times as long, once.

-- refused: text repeated twice
repeat(replace(v, 'a', 'bb'), 2);
-- =>
-- 0A000 at 1 ('repeat(repla'): repeat() would make the text too long
-- HINT: Put in something that is not longer, or make the text at most 20 times as long, once.

-- refused: a long padding
lpad(v, 100000);
-- =>
-- 0A000 at 1 ('lpad(v, 1000'): the padded text would be too long
-- HINT: Pad to 1000 letters at most.

-- refused: a delimiter of the row's
split_part(v, sex, 1);
-- =>
-- 0A000 at 1 ('split_part(v'): split_part() needs constant text here
-- HINT: Write the text as a constant or parameter.

-- refused: looking around
v ~ 'a(?=b)';
-- =>
-- 0A000 at 1 ("v ~ 'a(?=b)'"): (?= is not supported in a pattern over private tables
-- HINT: Write two conditions: x ~ 'a' AND x !~ 'b', or LIKE.

-- refused: a back reference
v ~ '(a)\1';
-- =>
-- 0A000 at 1 ("v ~ '(a)\\1';"): \1 is not supported in a pattern over private tables
-- HINT: Patterns may hold letters, ., [sets], \d \w \s, ^ $, ( ), | and repetitions; or use LIKE with % and _, starts_with, split_part.

-- refused: word boundaries
v ~ '\mabc';
-- =>
-- 0A000 at 1 ("v ~ '\\mabc';"): \m is not supported in a pattern over private tables
-- HINT: Write '(^|\W)word(\W|$)' for whole words.

-- refused: a pattern of the row's
v ~ sex;
-- =>
-- 0A000 at 1 ('v ~ sex;'): the pattern must be a constant of at most 1000 letters
-- HINT: Write it as a text or a parameter; strpos(x, y) > 0 and starts_with(x, y) take columns.

-- refused: a match that engines find differently
regexp_replace(v, 'a|ab', 'x');
-- =>
-- 0A000 at 1 ('regexp_repla'): engines do not agree on which part of a text this pattern would replace
-- HINT: Write '[^-]*-' instead of '.*?-', 'a+' instead of 'a*', 'abc|ab' instead of 'ab|abc'; or use replace(x, 'a', 'b').

-- refused: a match of nothing, everywhere
regexp_replace(v, 'a*', 'x', 'g');
-- =>
-- 0A000 at 1 ('regexp_repla'): replacing every empty match is not supported over private tables
-- HINT: Write '[^-]*-' instead of '.*?-', 'a+' instead of 'a*', 'abc|ab' instead of 'ab|abc'; or use replace(x, 'a', 'b').

-- refused: another flag
regexp_replace(v, 'a', 'x', 'n');
-- =>
-- 0A000 at 1 ('regexp_repla'): the flags 'n' are not supported over private tables
-- HINT: Flags are g, i, c, s.

-- what a pattern takes: its first group
substring(v from '@(.*)$');
-- =>
CASE WHEN REGEXP_MATCHES("t"."v", '(?s)@.*$') THEN SUBSTRING(REGEXP_REPLACE("t"."v", '(?s)(@(.*)$)', '\2'), CAST(LENGTH(REGEXP_REPLACE("t"."v", '(?s)(@(.*)$)', '.')) AS INT)) END;
CASE WHEN CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '(?s)@.*$' THEN SUBSTRING(REGEXP_REPLACE(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END, '(?s)(@(.*)$)', '\2') FROM CAST(CAST(LENGTH(REGEXP_REPLACE(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END, '(?s)(@(.*)$)', '.')) AS BIGINT) AS INT)) END;
-- text; nullable

-- all of it, where it has no group
substring(v from 'a.c');
-- =>
CASE WHEN REGEXP_MATCHES("t"."v", '(?s)a.c') THEN SUBSTRING(REGEXP_REPLACE("t"."v", '(?s)((a.c).*)', '\2'), CAST(LENGTH(REGEXP_REPLACE("t"."v", '(?s)((a.c).*)', '.')) AS INT)) END;
CASE WHEN CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '(?s)a.c' THEN SUBSTRING(REGEXP_REPLACE(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END, '(?s)((a.c).*)', '\2') FROM CAST(CAST(LENGTH(REGEXP_REPLACE(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END, '(?s)((a.c).*)', '.')) AS BIGINT) AS INT)) END;
-- text; nullable

-- from the start of the text
substring(lower(v) from '^([a-z]+)-');
-- =>
CASE WHEN REGEXP_MATCHES(LOWER("t"."v"), '^[a-z]+\-') THEN REGEXP_REPLACE(LOWER("t"."v"), '(?s)(^([a-z]+)\-.*)', '\2') END;
CASE WHEN LOWER(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END) ~ '^[a-z]+\-' THEN REGEXP_REPLACE(LOWER(CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END), '(?s)(^([a-z]+)\-.*)', '\2') END;
-- text; nullable

-- of NULL
substring(NULL from 'a');
-- =>
NULL;
-- text; nullable; one of 

-- refused: a pattern that takes a part or none
substring(v from 'a(b)?');
-- =>
-- 0A000 at 11 ("v from 'a(b)"): engines do not agree on which part of a text this pattern would replace
-- HINT: Write '[^-]*-' instead of '.*?-', 'a+' instead of 'a*', 'abc|ab' instead of 'ab|abc'; or use replace(x, 'a', 'b').

-- refused: a pattern that may take nothing, anywhere
substring(v from 'a*');
-- =>
-- 0A000 at 11 ("v from 'a*')"): the part of a pattern that may match nothing is not supported
-- HINT: Let it match a letter at least: '[0-9]+' instead of '[0-9]*'; or write what it begins with, as '^a*'.

-- refused: a pattern of SQL's own
substring(v from '%#"a#"%' for '#');
-- =>
-- 0A000 at 11 ('v from \'%#"a'): substring() with FOR behind a pattern is not supported over private tables
-- HINT: Write a regular expression, which needs no FOR: substring(x from '@(.*)$').

-- refused: an array of the row's
i4 = ANY (v);
-- =>
-- 0A000 at 11 ('v);'): this is no constant array
-- HINT: Write ARRAY[1, 2], '{1,2}' or a parameter of an array type, of one dimension.

-- refused: buckets of the row's
width_bucket(x, 0, i4, 5);
-- =>
-- 0A000 at 1 ('width_bucket'): the buckets must be constant
-- HINT: Write width_bucket(x, 0, 100, 10): two ends that differ, and 1 to 1000 buckets, all of them constants.

-- refused: buckets without width
width_bucket(x, 5, 5, 5);
-- =>
-- 0A000 at 1 ('width_bucket'): the buckets must be constant
-- HINT: Write width_bucket(x, 0, 100, 10): two ends that differ, and 1 to 1000 buckets, all of them constants.

-- refused: a base of the row's
log(i4, x);
-- =>
-- 0A000 at 1 ('log(i4, x);'): the base of a logarithm must be a positive constant other than 1
-- HINT: Write log(2, x) or ln(x) / ln(2).

-- refused: div of doubles
div(x, 2);
-- =>
-- 0A000 at 5 ('x, 2);'): div() needs numbers of known digits
-- HINT: Cast both sides to bigint or to numeric(p,s) of up to 38 digits.

-- refused: absolute value by operator
@ i4;
-- =>
-- 0A000: a parameter is not supported over private tables
-- HINT: Write abs(x) instead of @ x.

-- refused: bits
i4 & 1;
-- =>
-- 0A000 at 1 ('i4 & 1;'): the operator & is not supported over private tables
-- HINT: Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.

-- refused: a cast to a date
v::date;
-- =>
CAST(CASE WHEN REGEXP_MATCHES("t"."v", '^(((([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))|((([0-9]{2}(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26])00))-02-29))([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?)?)$') THEN LEFT("t"."v", 10) END AS DATE);
CAST(CASE WHEN CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '^(((([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))|((([0-9]{2}(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26])00))-02-29))([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?)?)$' THEN LEFT("t"."v", 10) END AS DATE);
-- date; nullable; proved [-719162, 2.9329e+06]

-- each unit of time later, a column of them
d + i4 * INTERVAL '1 month';
-- =>
CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) + (INTERVAL '1' MONTH) * CASE WHEN "t"."i4" BETWEEN -54000 AND 54000 THEN "t"."i4" END;
CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) + (INTERVAL '1 MONTH') * CASE WHEN "t"."i4" BETWEEN -54000 AND 54000 THEN "t"."i4" END;
-- timestamp without time zone; nullable; [1.57784e+15, 2.2089e+15]; proved [-2.04142e+17, 3.95409e+17]

-- an interval is made of numbers
d + make_interval(days => code, hours => 12);
-- =>
CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) + (INTERVAL '1' DAY) * CASE WHEN "t"."code" BETWEEN -1642500 AND 1642500 THEN "t"."code" END + (INTERVAL '1' SECOND) * ((((CAST("t"."code" AS BIGINT) * 0) + 43200000000) % 86400000000) // 1000000) + (INTERVAL '1' MICROSECOND) * (((CAST("t"."code" AS BIGINT) * 0) + 43200000000) % 1000000);
CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) + (INTERVAL '1 DAY') * CASE WHEN "t"."code" BETWEEN -1642500 AND 1642500 THEN "t"."code" END + (INTERVAL '1 SECOND') * ((((CAST("t"."code" AS BIGINT) * 0) + 43200000000) % 86400000000) / 1000000) + (INTERVAL '1 MICROSECOND') * (((CAST("t"."code" AS BIGINT) * 0) + 43200000000) % 1000000);
-- timestamp without time zone; nullable; [1.57797e+15, 1.89367e+15]; proved [-2.04048e+17, 3.95314e+17]

-- constants are multiplied as in Postgres
d < DATE '2024-01-31' + INTERVAL '1 month' * 1.5;
-- =>
"t"."d" < CAST('2024-03-15' AS DATE);
-- boolean; nullable; one of False, True

-- the time between, compared
ts - d > INTERVAL '36 hours';
-- =>
DATE_DIFF('MICROSECOND', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP), CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) > 129600000000;
CAST(EXTRACT(EPOCH FROM (CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END - CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP))) * 1000000 AS BIGINT) > 129600000000;
-- boolean; nullable; one of False, True

-- the time between in seconds
extract(epoch FROM ts - TIMESTAMP '2020-01-01');
-- =>
CAST(DATE_DIFF('MICROSECOND', CAST('2020-01-01 00:00:00' AS TIMESTAMP), CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) AS DECIMAL(19, 0)) * CAST(0.000001 AS DECIMAL(6, 6));
CAST(CAST(EXTRACT(EPOCH FROM (CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END - CAST('2020-01-01 00:00:00' AS TIMESTAMP))) * 1000000 AS BIGINT) AS DECIMAL(19, 0)) * CAST(0.000001 AS DECIMAL(6, 6));
-- numeric; held as numeric(25,6); nullable; proved [-6.37134e+10, 2.51824e+11]; step 0.000001

-- the time between in days
extract(day FROM ts - d);
-- =>
DATE_DIFF('MICROSECOND', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP), CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) // 86400000000;
CAST(EXTRACT(EPOCH FROM (CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END - CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP))) * 1000000 AS BIGINT) / 86400000000;
-- numeric; held as bigint; nullable; proved [-3.65206e+06, 3.65206e+06]; step 1

-- an age in years
extract(year FROM age(DATE '2024-02-29', d));
-- =>
((777309 - ((((EXTRACT(YEAR FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END) * 12) + EXTRACT(MONTH FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END)) * 32) + EXTRACT(DAY FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END))) // 32) // 12;
((777309 - ((((CAST(EXTRACT(YEAR FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END) AS BIGINT) * 12) + CAST(EXTRACT(MONTH FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END) AS BIGINT)) * 32) + CAST(EXTRACT(DAY FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END) AS BIGINT))) / 32) / 12;
-- numeric; held as bigint; nullable; [-5, 4]; proved [-7975, 2023]; step 1

-- an age compared
age(TIMESTAMP '2024-02-29', d) >= INTERVAL '18 years';
-- =>
(((((67159411200000000 - ((((EXTRACT(YEAR FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) * 12) + EXTRACT(MONTH FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP))) * 2764800000000) + DATE_DIFF('MICROSECOND', DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) // 2764800000000) * 2592000000000) + ((CASE WHEN (67159411200000000 - ((((EXTRACT(YEAR FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) * 12) + EXTRACT(MONTH FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP))) * 2764800000000) + DATE_DIFF('MICROSECOND', DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) > 0 AND (2419200000000 - DATE_DIFF('MICROSECOND', DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP))) < 0 THEN (2419200000000 - DATE_DIFF('MICROSECOND', DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP))) + (EXTRACT(DAY FROM DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) + INTERVAL '1' MONTH + INTERVAL '-1' DAY) * 86400000000) WHEN (67159411200000000 - ((((EXTRACT(YEAR FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) * 12) + EXTRACT(MONTH FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP))) * 2764800000000) + DATE_DIFF('MICROSECOND', DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) < 0 AND (2419200000000 - DATE_DIFF('MICROSECOND', DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP))) > 0 THEN (2419200000000 - DATE_DIFF('MICROSECOND', DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP))) - (EXTRACT(DAY FROM DATE_TRUNC('MONTH', CAST('2024-02-29 00:00:00' AS TIMESTAMP)) + INTERVAL '1' MONTH + INTERVAL '-1' DAY) * 86400000000) ELSE 2419200000000 - DATE_DIFF('MICROSECOND', DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) END // 86400000000) * 86400000000)) + (CASE WHEN (67159411200000000 - ((((EXTRACT(YEAR FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) * 12) + EXTRACT(MONTH FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP))) * 2764800000000) + DATE_DIFF('MICROSECOND', DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) > 0 AND (2419200000000 - DATE_DIFF('MICROSECOND', DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP))) < 0 THEN (2419200000000 - DATE_DIFF('MICROSECOND', DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP))) + (EXTRACT(DAY FROM DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) + INTERVAL '1' MONTH + INTERVAL '-1' DAY) * 86400000000) WHEN (67159411200000000 - ((((EXTRACT(YEAR FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) * 12) + EXTRACT(MONTH FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP))) * 2764800000000) + DATE_DIFF('MICROSECOND', DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) < 0 AND (2419200000000 - DATE_DIFF('MICROSECOND', DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP))) > 0 THEN (2419200000000 - DATE_DIFF('MICROSECOND', DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP))) - (EXTRACT(DAY FROM DATE_TRUNC('MONTH', CAST('2024-02-29 00:00:00' AS TIMESTAMP)) + INTERVAL '1' MONTH + INTERVAL '-1' DAY) * 86400000000) ELSE 2419200000000 - DATE_DIFF('MICROSECOND', DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)), CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) END % 86400000000)) >= 559872000000000;
(((((67159411200000000 - ((((CAST(EXTRACT(YEAR FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) AS BIGINT) * 12) + CAST(EXTRACT(MONTH FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) AS BIGINT)) * 2764800000000) + CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) * 1000000 AS BIGINT))) / 2764800000000) * 2592000000000) + ((CASE WHEN (67159411200000000 - ((((CAST(EXTRACT(YEAR FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) AS BIGINT) * 12) + CAST(EXTRACT(MONTH FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) AS BIGINT)) * 2764800000000) + CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) * 1000000 AS BIGINT))) > 0 AND (2419200000000 - CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) * 1000000 AS BIGINT)) < 0 THEN (2419200000000 - CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) * 1000000 AS BIGINT)) + (CAST(EXTRACT(DAY FROM DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) + INTERVAL '1 MONTH' + INTERVAL '-1 DAY') AS BIGINT) * 86400000000) WHEN (67159411200000000 - ((((CAST(EXTRACT(YEAR FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) AS BIGINT) * 12) + CAST(EXTRACT(MONTH FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) AS BIGINT)) * 2764800000000) + CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) * 1000000 AS BIGINT))) < 0 AND (2419200000000 - CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) * 1000000 AS BIGINT)) > 0 THEN (2419200000000 - CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) * 1000000 AS BIGINT)) - (CAST(EXTRACT(DAY FROM DATE_TRUNC('MONTH', CAST('2024-02-29 00:00:00' AS TIMESTAMP)) + INTERVAL '1 MONTH' + INTERVAL '-1 DAY') AS BIGINT) * 86400000000) ELSE 2419200000000 - CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) * 1000000 AS BIGINT) END / 86400000000) * 86400000000)) + (CASE WHEN (67159411200000000 - ((((CAST(EXTRACT(YEAR FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) AS BIGINT) * 12) + CAST(EXTRACT(MONTH FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) AS BIGINT)) * 2764800000000) + CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) * 1000000 AS BIGINT))) > 0 AND (2419200000000 - CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) * 1000000 AS BIGINT)) < 0 THEN (2419200000000 - CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) * 1000000 AS BIGINT)) + (CAST(EXTRACT(DAY FROM DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) + INTERVAL '1 MONTH' + INTERVAL '-1 DAY') AS BIGINT) * 86400000000) WHEN (67159411200000000 - ((((CAST(EXTRACT(YEAR FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) AS BIGINT) * 12) + CAST(EXTRACT(MONTH FROM CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) AS BIGINT)) * 2764800000000) + CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) * 1000000 AS BIGINT))) < 0 AND (2419200000000 - CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) * 1000000 AS BIGINT)) > 0 THEN (2419200000000 - CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) * 1000000 AS BIGINT)) - (CAST(EXTRACT(DAY FROM DATE_TRUNC('MONTH', CAST('2024-02-29 00:00:00' AS TIMESTAMP)) + INTERVAL '1 MONTH' + INTERVAL '-1 DAY') AS BIGINT) * 86400000000) ELSE 2419200000000 - CAST(EXTRACT(EPOCH FROM (CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) - DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)))) * 1000000 AS BIGINT) END % 86400000000)) >= 559872000000000;
-- boolean; nullable; one of False, True

-- seconds since 1970
extract(epoch FROM d);
-- =>
CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END - CAST('1970-01-01' AS DATE) AS BIGINT) * 86400;
-- numeric; held as bigint; nullable; [1.57784e+09, 1.89337e+09]; proved [-6.21356e+10, 2.53402e+11]; step 86400

-- the year of the ISO week
extract(isoyear FROM d);
-- =>
EXTRACT(ISOYEAR FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END);
CAST(EXTRACT(ISOYEAR FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END) AS BIGINT);
-- numeric; held as bigint; nullable; [2020, 2030]; proved [1, 9999]; one of 2020, 2021, 2022, 2023, 2024, 2025, 2026, 2027, 2028, 2029, 2030; step 1

-- milliseconds
extract(milliseconds FROM ts);
-- =>
CAST(EXTRACT(MICROSECOND FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) AS DECIMAL(8, 0)) * CAST(0.001 AS DECIMAL(3, 3));
CAST(CAST(EXTRACT(MICROSECONDS FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) AS BIGINT) AS DECIMAL(8, 0)) * CAST(0.001 AS DECIMAL(3, 3));
-- numeric; held as numeric(11,3); nullable; [0, 60000]; proved [0, 60000]; step 0.001

-- month begins, as dates
date_trunc('month', d)::date;
-- =>
CAST(DATE_TRUNC('MONTH', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) AS DATE);
-- date; nullable; [18262, 21884]; proved [-719162, 2.93287e+06]; one of 2020-01-01, 2020-02-01, … 2029-12-01 (120)

-- a month as text, a finite set
to_char(d, 'YYYY-MM');
-- =>
STRFTIME(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END, '%Y-%m');
TO_CHAR(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END, 'YYYY-MM');
-- text; nullable; one of 2020-01, 2020-02, … 2029-12 (120)

-- names of months and days, as wide as Postgres makes them
to_char(e, 'Dy, FMMonth');
-- =>
(CASE EXTRACT(DAYOFWEEK FROM CASE WHEN "t"."e" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."e" END) WHEN 0 THEN 'Sun' WHEN 1 THEN 'Mon' WHEN 2 THEN 'Tue' WHEN 3 THEN 'Wed' WHEN 4 THEN 'Thu' WHEN 5 THEN 'Fri' WHEN 6 THEN 'Sat' END || ', ') || CASE EXTRACT(MONTH FROM CASE WHEN "t"."e" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."e" END) WHEN 1 THEN 'January' WHEN 2 THEN 'February' WHEN 3 THEN 'March' WHEN 4 THEN 'April' WHEN 5 THEN 'May' WHEN 6 THEN 'June' WHEN 7 THEN 'July' WHEN 8 THEN 'August' WHEN 9 THEN 'September' WHEN 10 THEN 'October' WHEN 11 THEN 'November' WHEN 12 THEN 'December' END;
(CASE CAST(EXTRACT(DOW FROM CASE WHEN "t"."e" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."e" END) AS BIGINT) WHEN 0 THEN 'Sun' WHEN 1 THEN 'Mon' WHEN 2 THEN 'Tue' WHEN 3 THEN 'Wed' WHEN 4 THEN 'Thu' WHEN 5 THEN 'Fri' WHEN 6 THEN 'Sat' END || ', ') || CASE CAST(EXTRACT(MONTH FROM CASE WHEN "t"."e" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."e" END) AS BIGINT) WHEN 1 THEN 'January' WHEN 2 THEN 'February' WHEN 3 THEN 'March' WHEN 4 THEN 'April' WHEN 5 THEN 'May' WHEN 6 THEN 'June' WHEN 7 THEN 'July' WHEN 8 THEN 'August' WHEN 9 THEN 'September' WHEN 10 THEN 'October' WHEN 11 THEN 'November' WHEN 12 THEN 'December' END;
-- text; nullable; one of Mon, January, Tue, January, … Fri, December (84)

-- what no format of the engines has
to_char(ts, 'YYYY-"Q"Q HH12 AM');
-- =>
(((((STRFTIME(CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END, '%Y') || '-Q') || CAST(EXTRACT(QUARTER FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) AS TEXT)) || ' ') || LPAD(CAST(((EXTRACT(HOUR FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) + 11) % 12) + 1 AS TEXT), 2, '0')) || ' ') || CASE EXTRACT(HOUR FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) // 12 WHEN 0 THEN 'AM' WHEN 1 THEN 'PM' END;
(((((TO_CHAR(CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END, 'YYYY') || '-Q') || CAST(CAST(EXTRACT(QUARTER FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) AS BIGINT) AS TEXT)) || ' ') || LPAD(CAST(((CAST(EXTRACT(HOUR FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) AS BIGINT) + 11) % 12) + 1 AS TEXT), 2, '0')) || ' ') || CASE CAST(EXTRACT(HOUR FROM CASE WHEN "t"."ts" BETWEEN CAST('0001-01-01 00:00:00' AS TIMESTAMP) AND CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN "t"."ts" END) AS BIGINT) / 12 WHEN 0 THEN 'AM' WHEN 1 THEN 'PM' END;
-- text; nullable

-- a date of numbers
make_date(2024, code, i4);
-- =>
CAST(CAST('0001-01-01 00:00:00' AS TIMESTAMP) + (INTERVAL '1' MONTH) * ((24288 + CAST(CASE WHEN "t"."code" BETWEEN 1 AND 12 THEN "t"."code" END AS BIGINT)) - 13) AS DATE) + CAST(CAST(CASE WHEN CASE WHEN "t"."i4" BETWEEN 1 AND 31 THEN "t"."i4" END BETWEEN 1 AND EXTRACT(DAY FROM CAST('0001-01-01 00:00:00' AS TIMESTAMP) + (INTERVAL '1' MONTH) * (((24288 + CAST(CASE WHEN "t"."code" BETWEEN 1 AND 12 THEN "t"."code" END AS BIGINT)) - 13) + 1) + INTERVAL '-1' DAY) THEN CASE WHEN "t"."i4" BETWEEN 1 AND 31 THEN "t"."i4" END END AS BIGINT) - 1 AS INT);
CAST(CAST('0001-01-01 00:00:00' AS TIMESTAMP) + (INTERVAL '1 MONTH') * ((24288 + CAST(CASE WHEN "t"."code" BETWEEN 1 AND 12 THEN "t"."code" END AS BIGINT)) - 13) AS DATE) + CAST(CAST(CASE WHEN CASE WHEN "t"."i4" BETWEEN 1 AND 31 THEN "t"."i4" END BETWEEN 1 AND CAST(EXTRACT(DAY FROM CAST('0001-01-01 00:00:00' AS TIMESTAMP) + (INTERVAL '1 MONTH') * (((24288 + CAST(CASE WHEN "t"."code" BETWEEN 1 AND 12 THEN "t"."code" END AS BIGINT)) - 13) + 1) + INTERVAL '-1 DAY') AS BIGINT) THEN CASE WHEN "t"."i4" BETWEEN 1 AND 31 THEN "t"."i4" END END AS BIGINT) - 1 AS INT);
-- date; nullable; [19723, 19813]; proved [-719162, 2.9329e+06]

-- a date of text
v::date;
-- =>
CAST(CASE WHEN REGEXP_MATCHES("t"."v", '^(((([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))|((([0-9]{2}(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26])00))-02-29))([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?)?)$') THEN LEFT("t"."v", 10) END AS DATE);
CAST(CASE WHEN CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '^(((([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))|((([0-9]{2}(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26])00))-02-29))([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?)?)$' THEN LEFT("t"."v", 10) END AS DATE);
-- date; nullable; proved [-719162, 2.9329e+06]

-- a timestamp of text
v::timestamp;
-- =>
CAST(CASE WHEN REGEXP_MATCHES("t"."v", '^(((([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))|((([0-9]{2}(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26])00))-02-29))([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?)?)$') THEN "t"."v" END AS TIMESTAMP);
CAST(CASE WHEN CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '^(((([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))|((([0-9]{2}(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26])00))-02-29))([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?)?)$' THEN "t"."v" END AS TIMESTAMP);
-- timestamp without time zone; nullable; proved [-6.21356e+16, 2.53402e+17]

-- text in another order
to_date(v, 'DD.MM.YYYY');
-- =>
CAST(CASE WHEN REGEXP_MATCHES("t"."v", '^([0-9]{2}[.][0-9]{2}[.][0-9]{4})$') AND REGEXP_MATCHES(CONCAT(SUBSTRING("t"."v", 7, 4), '-', SUBSTRING("t"."v", 4, 2), '-', SUBSTRING("t"."v", 1, 2)), '^(((([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))|((([0-9]{2}(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26])00))-02-29)))$') THEN CONCAT(SUBSTRING("t"."v", 7, 4), '-', SUBSTRING("t"."v", 4, 2), '-', SUBSTRING("t"."v", 1, 2)) END AS DATE);
CAST(CASE WHEN CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '^([0-9]{2}[.][0-9]{2}[.][0-9]{4})$' AND CONCAT(SUBSTRING("t"."v" FROM 7 FOR 4), '-', SUBSTRING("t"."v" FROM 4 FOR 2), '-', SUBSTRING("t"."v" FROM 1 FOR 2)) ~ '^(((([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))|((([0-9]{2}(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26])00))-02-29)))$' THEN CONCAT(SUBSTRING("t"."v" FROM 7 FOR 4), '-', SUBSTRING("t"."v" FROM 4 FOR 2), '-', SUBSTRING("t"."v" FROM 1 FOR 2)) END AS DATE);
-- date; nullable; proved [-719162, 2.9329e+06]

-- a number and its unit, put together
d + (i4 || ' days')::interval;
-- =>
CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) + (INTERVAL '1' DAY) * CASE WHEN "t"."i4" BETWEEN -1642500 AND 1642500 THEN "t"."i4" END;
CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP) + (INTERVAL '1 DAY') * CASE WHEN "t"."i4" BETWEEN -1642500 AND 1642500 THEN "t"."i4" END;
-- timestamp without time zone; nullable; [1.57784e+15, 1.90374e+15]; proved [-2.04048e+17, 3.95314e+17]

-- text with names of months
to_date(v, 'DD Mon YYYY');
-- =>
CAST(CASE WHEN REGEXP_MATCHES("t"."v", '^([0-9]{2}[ ](?:[Jj][Aa][Nn]|[Ff][Ee][Bb]|[Mm][Aa][Rr]|[Aa][Pp][Rr]|[Mm][Aa][Yy]|[Jj][Uu][Nn]|[Jj][Uu][Ll]|[Aa][Uu][Gg]|[Ss][Ee][Pp]|[Oo][Cc][Tt]|[Nn][Oo][Vv]|[Dd][Ee][Cc])[ ][0-9]{4})$') AND REGEXP_MATCHES(CONCAT(SUBSTRING("t"."v", 8, 4), '-', CASE WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'jan' THEN '01' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'feb' THEN '02' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'mar' THEN '03' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'apr' THEN '04' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'may' THEN '05' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'jun' THEN '06' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'jul' THEN '07' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'aug' THEN '08' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'sep' THEN '09' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'oct' THEN '10' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'nov' THEN '11' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'dec' THEN '12' END, '-', SUBSTRING("t"."v", 1, 2)), '^(((([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))|((([0-9]{2}(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26])00))-02-29)))$') THEN CONCAT(SUBSTRING("t"."v", 8, 4), '-', CASE WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'jan' THEN '01' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'feb' THEN '02' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'mar' THEN '03' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'apr' THEN '04' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'may' THEN '05' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'jun' THEN '06' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'jul' THEN '07' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'aug' THEN '08' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'sep' THEN '09' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'oct' THEN '10' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'nov' THEN '11' WHEN LOWER(SUBSTRING("t"."v", 4, 3)) = 'dec' THEN '12' END, '-', SUBSTRING("t"."v", 1, 2)) END AS DATE);
CAST(CASE WHEN CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '^([0-9]{2}[ ](?:[Jj][Aa][Nn]|[Ff][Ee][Bb]|[Mm][Aa][Rr]|[Aa][Pp][Rr]|[Mm][Aa][Yy]|[Jj][Uu][Nn]|[Jj][Uu][Ll]|[Aa][Uu][Gg]|[Ss][Ee][Pp]|[Oo][Cc][Tt]|[Nn][Oo][Vv]|[Dd][Ee][Cc])[ ][0-9]{4})$' AND CONCAT(SUBSTRING("t"."v" FROM 8 FOR 4), '-', CASE WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'jan' THEN '01' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'feb' THEN '02' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'mar' THEN '03' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'apr' THEN '04' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'may' THEN '05' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'jun' THEN '06' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'jul' THEN '07' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'aug' THEN '08' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'sep' THEN '09' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'oct' THEN '10' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'nov' THEN '11' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'dec' THEN '12' END, '-', SUBSTRING("t"."v" FROM 1 FOR 2)) ~ '^(((([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))|((([0-9]{2}(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26])00))-02-29)))$' THEN CONCAT(SUBSTRING("t"."v" FROM 8 FOR 4), '-', CASE WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'jan' THEN '01' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'feb' THEN '02' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'mar' THEN '03' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'apr' THEN '04' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'may' THEN '05' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'jun' THEN '06' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'jul' THEN '07' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'aug' THEN '08' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'sep' THEN '09' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'oct' THEN '10' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'nov' THEN '11' WHEN LOWER(SUBSTRING("t"."v" FROM 4 FOR 3)) = 'dec' THEN '12' END, '-', SUBSTRING("t"."v" FROM 1 FOR 2)) END AS DATE);
-- date; nullable; proved [-719162, 2.9329e+06]

-- text with whole names of months, which are of any length
to_date(v, 'Month DD, YYYY');
-- =>
CAST(CASE WHEN REGEXP_MATCHES("t"."v", '^((?:[Jj][Aa][Nn][Uu][Aa][Rr][Yy]|[Ff][Ee][Bb][Rr][Uu][Aa][Rr][Yy]|[Mm][Aa][Rr][Cc][Hh]|[Aa][Pp][Rr][Ii][Ll]|[Mm][Aa][Yy]|[Jj][Uu][Nn][Ee]|[Jj][Uu][Ll][Yy]|[Aa][Uu][Gg][Uu][Ss][Tt]|[Ss][Ee][Pp][Tt][Ee][Mm][Bb][Ee][Rr]|[Oo][Cc][Tt][Oo][Bb][Ee][Rr]|[Nn][Oo][Vv][Ee][Mm][Bb][Ee][Rr]|[Dd][Ee][Cc][Ee][Mm][Bb][Ee][Rr])[ ][0-9]{2}[,][ ][0-9]{4})$') AND REGEXP_MATCHES(CONCAT(LEFT(RIGHT("t"."v", 4), 4), '-', CASE WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'jan' THEN '01' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'feb' THEN '02' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'mar' THEN '03' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'apr' THEN '04' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'may' THEN '05' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'jun' THEN '06' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'jul' THEN '07' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'aug' THEN '08' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'sep' THEN '09' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'oct' THEN '10' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'nov' THEN '11' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'dec' THEN '12' END, '-', LEFT(RIGHT("t"."v", 8), 2)), '^(((([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))|((([0-9]{2}(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26])00))-02-29)))$') THEN CONCAT(LEFT(RIGHT("t"."v", 4), 4), '-', CASE WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'jan' THEN '01' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'feb' THEN '02' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'mar' THEN '03' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'apr' THEN '04' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'may' THEN '05' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'jun' THEN '06' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'jul' THEN '07' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'aug' THEN '08' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'sep' THEN '09' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'oct' THEN '10' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'nov' THEN '11' WHEN LOWER(SUBSTRING("t"."v", 1, 3)) = 'dec' THEN '12' END, '-', LEFT(RIGHT("t"."v", 8), 2)) END AS DATE);
CAST(CASE WHEN CASE WHEN OCTET_LENGTH("t"."v") <= 200000 THEN "t"."v" END ~ '^((?:[Jj][Aa][Nn][Uu][Aa][Rr][Yy]|[Ff][Ee][Bb][Rr][Uu][Aa][Rr][Yy]|[Mm][Aa][Rr][Cc][Hh]|[Aa][Pp][Rr][Ii][Ll]|[Mm][Aa][Yy]|[Jj][Uu][Nn][Ee]|[Jj][Uu][Ll][Yy]|[Aa][Uu][Gg][Uu][Ss][Tt]|[Ss][Ee][Pp][Tt][Ee][Mm][Bb][Ee][Rr]|[Oo][Cc][Tt][Oo][Bb][Ee][Rr]|[Nn][Oo][Vv][Ee][Mm][Bb][Ee][Rr]|[Dd][Ee][Cc][Ee][Mm][Bb][Ee][Rr])[ ][0-9]{2}[,][ ][0-9]{4})$' AND CONCAT(LEFT(RIGHT("t"."v", 4), 4), '-', CASE WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'jan' THEN '01' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'feb' THEN '02' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'mar' THEN '03' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'apr' THEN '04' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'may' THEN '05' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'jun' THEN '06' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'jul' THEN '07' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'aug' THEN '08' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'sep' THEN '09' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'oct' THEN '10' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'nov' THEN '11' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'dec' THEN '12' END, '-', LEFT(RIGHT("t"."v", 8), 2)) ~ '^(((([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))|((([0-9]{2}(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26])00))-02-29)))$' THEN CONCAT(LEFT(RIGHT("t"."v", 4), 4), '-', CASE WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'jan' THEN '01' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'feb' THEN '02' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'mar' THEN '03' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'apr' THEN '04' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'may' THEN '05' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'jun' THEN '06' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'jul' THEN '07' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'aug' THEN '08' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'sep' THEN '09' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'oct' THEN '10' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'nov' THEN '11' WHEN LOWER(SUBSTRING("t"."v" FROM 1 FOR 3)) = 'dec' THEN '12' END, '-', LEFT(RIGHT("t"."v", 8), 2)) END AS DATE);
-- date; nullable; proved [-719162, 2.9329e+06]

-- the clock is a constant
d < current_date AND ts >= now() - INTERVAL '1 hour';
-- =>
("t"."d" < CAST('2024-05-17' AS DATE)) AND ("t"."ts" >= CAST('2024-05-17 09:30:00' AS TIMESTAMP));
-- boolean; nullable; one of False, True

-- functions of a date narrow it
CASE WHEN extract(year FROM d) = 2024 THEN date_trunc('quarter', d)::date END;
-- =>
CASE WHEN EXTRACT(YEAR FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END) = 2024 THEN CAST(DATE_TRUNC('QUARTER', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) AS DATE) END;
CASE WHEN CAST(EXTRACT(YEAR FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END) AS BIGINT) = 2024 THEN CAST(DATE_TRUNC('QUARTER', CAST(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END AS TIMESTAMP)) AS DATE) END;
-- date; nullable; [19723, 19997]; proved [-719162, 2.9328e+06]; one of 2024-01-01, 2024-04-01, 2024-07-01, 2024-10-01

-- so does text of it
CASE WHEN to_char(d, 'YYYY-MM') = '2024-02' THEN extract(day FROM d) END;
-- =>
CASE WHEN STRFTIME(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END, '%Y-%m') = '2024-02' THEN EXTRACT(DAY FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END) END;
CASE WHEN TO_CHAR(CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END, 'YYYY-MM') = '2024-02' THEN CAST(EXTRACT(DAY FROM CASE WHEN "t"."d" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN "t"."d" END) AS BIGINT) END;
-- numeric; held as bigint; nullable; [1, 29]; proved [1, 31]; one of 1, 2, … 29 (29); step 1

-- refused: a timestamp's time of a date
extract(minute FROM d);
-- =>
-- 0A000 at 21 ('d);'): unit "minute" not supported for type date
-- HINT: Only a timestamp has a time: CAST it first.

-- refused: intervals to choose from
coalesce(ts - d, INTERVAL '1 day') > INTERVAL '1 hour';
-- =>
-- 0A000 at 1 ('coalesce(ts '): COALESCE is not supported between interval over private tables
-- HINT: Use the interval's length: EXTRACT(epoch FROM …) is a number of seconds.

-- refused: a template that is not constant
to_char(d, v);
-- =>
-- 0A000 at 1 ('to_char(d, v'): the template of to_char() must be a constant
-- HINT: Write it as in to_char(x, 'YYYY-MM').
