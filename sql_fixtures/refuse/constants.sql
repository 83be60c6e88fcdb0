-- too many rows
SELECT g, count(*) FROM people JOIN generate_series(1, 1001) g ON age = g GROUP BY g;
-- instead:
SELECT g, count(*) FROM people JOIN generate_series(1, 1000) g ON age = g GROUP BY g;
-- =>
-- 0A000 at 37 ('generate_ser'): more than 1,000 rows of constants cannot be joined with private tables
-- HINT: Make fewer rows; or keep the private answer in a table of your own, and join there.

-- a series of columns
SELECT count(*) FROM people p, generate_series(1, p.age) g;
-- instead:
SELECT count(*) FROM people p, generate_series(1, 120) g WHERE g <= p.age;
-- =>
-- 0A000 at 32 ('generate_ser'): generate_series() of columns or subqueries cannot be combined with private tables
-- HINT: Write constants in it, as far as it may go, and its ends as a condition: FROM …, generate_series(1, 1000) AS g WHERE g BETWEEN 1 AND p.age.

-- columns as rows, in a subquery
SELECT avg((SELECT max(v.x) FROM (VALUES (p.age), (p.age + 1)) v(x))) FROM people p;
-- instead:
SELECT avg(greatest(p.age, p.age + 1)) FROM people p;
-- =>
-- 0A000 at 43 ('p.age), (p.a'): VALUES of columns or subqueries cannot be combined with private tables
-- HINT: Write LATERAL (VALUES (p.a), (p.b)) AS x(v) behind the columns' table; GREATEST(a, b), CASE; or constants.

-- a list of private rows
SELECT count(*) FROM people, (VALUES ((SELECT max(age) FROM people))) v(x) WHERE age = x;
-- instead:
SELECT count(*) FROM people, (VALUES (18)) v(x) WHERE age = x;
-- =>
-- 0A000 at 47 ('max(age) FRO'): VALUES of columns or subqueries cannot be combined with private tables
-- HINT: Write LATERAL (VALUES (p.a), (p.b)) AS x(v) behind the columns' table; GREATEST(a, b), CASE; or constants.

-- a value that is no constant
SELECT count(*) FROM visits, (VALUES (clock_timestamp())) v(x) WHERE day > x;
-- instead:
SELECT count(*) FROM visits, (VALUES (now())) v(x) WHERE day > x;
-- =>
-- 0A000 at 39 ('clock_timest'): function clock_timestamp() is not supported in a statement over private tables
-- HINT: Write now(), the time at which the transaction began.

-- a series in the list of items
SELECT generate_series(1, 3), count(*) FROM people;
-- instead:
SELECT g, t.n FROM generate_series(1, 3) AS g, (SELECT count(*) AS n FROM people) t;
-- =>
-- 0A000 at 8 ('generate_ser'): generate_series() is not supported here in a statement over private tables
-- HINT: Put it into FROM by itself: FROM generate_series(1, 10) AS g.

-- an array in the list of items
SELECT count(*) FROM people WHERE age IN (SELECT unnest(ARRAY[20, 30]) WHERE city = 'Delft');
-- instead:
SELECT count(*) FROM people WHERE age IN (SELECT x FROM unnest(ARRAY[20, 30]) AS t(x) WHERE city = 'Delft');
-- =>
-- 0A000 at 50 ('unnest(ARRAY'): unnest() is not supported in a statement over private tables
-- HINT: Put it into FROM: SELECT x FROM unnest(ARRAY[1, 2]) AS t(x).

-- WITH ORDINALITY
SELECT n, count(*) FROM people JOIN unnest(ARRAY['F', 'M']) WITH ORDINALITY AS t(s, n) ON s = sex GROUP BY n;
-- instead:
SELECT n, count(*) FROM people JOIN (VALUES ('F', 1), ('M', 2)) AS t(s, n) ON s = sex GROUP BY n;
-- =>
-- 0A000 at 50 ("'F', 'M']) W"): WITH ORDINALITY is not supported in a statement over private tables
-- HINT: Write the numbers in VALUES: (VALUES ('a', 1), ('b', 2)) AS t(x, n).

-- ROWS FROM
SELECT g, count(*) FROM people JOIN ROWS FROM (generate_series(1, 20)) AS g ON age = g GROUP BY g;
-- instead:
SELECT g, count(*) FROM people JOIN generate_series(1, 20) AS g ON age = g GROUP BY g;
-- =>
-- 0A000 at 48 ('generate_ser'): generate_series() is not supported here in a statement over private tables
-- HINT: Put it into FROM by itself: FROM generate_series(1, 10) AS g.

-- arrays without names of their own
SELECT count(*) FROM people, unnest(ARRAY[1, 2], ARRAY[3, 4]) AS t WHERE age > 40;
-- instead:
SELECT count(*) FROM people, unnest(ARRAY[1, 2], ARRAY[3, 4]) AS t(a, b) WHERE age > 40;
-- =>
-- 0A000 at 43 ('1, 2], ARRAY'): the columns of unnest() need names that differ
-- HINT: Name each: unnest(…, …) AS t(a, b).

-- a series that stands
SELECT count(*) FROM people, generate_series(1, 3, 0) g;
-- instead:
SELECT count(*) FROM people, generate_series(1, 3, 1) g;
-- =>
-- 0A000 at 30 ('generate_ser'): the step of generate_series() is zero
-- HINT: Use a step that moves: generate_series(1, 10, 2).

-- a series of decimals
SELECT count(*) FROM people, generate_series(1.5, 3) g;
-- instead:
SELECT count(*) FROM people, (SELECT g / 10.0 AS g FROM generate_series(15, 30, 10) g) t;
-- =>
-- 0A000 at 30 ('generate_ser'): generate_series() over private tables is of whole numbers, dates or timestamps
-- HINT: Cast the ends: generate_series(1, 10), generate_series('2024-01-01'::date, '2024-12-01', '1 month').

-- dates in steps of hours
SELECT count(*) FROM visits JOIN generate_series('2024-01-01'::date, '2024-01-02', '1 hour') h ON day = h;
-- instead:
SELECT count(*) FROM visits JOIN generate_series('2024-01-01'::timestamp, '2024-01-02', '1 hour') h ON day = h;
-- =>
-- 0A000 at 34 ('generate_ser'): a series of dates in steps of hours depends on the time zone
-- HINT: Make it one of timestamps: generate_series('2024-01-01'::timestamp, '2024-01-02', '1 hour').

-- a step that is not understood
SELECT count(*) FROM visits JOIN generate_series('2024-01-01'::date, '2024-06-02', '1 fortnight') h ON day = h;
-- instead:
SELECT count(*) FROM visits JOIN generate_series('2024-01-01'::date, '2024-06-02', '1 month 15 days'::interval) h ON day = h;
-- =>
-- 0A000 at 34 ('generate_ser'): the step of the series is no constant interval
-- HINT: Write it so: generate_series('2024-01-01'::date, '2024-12-01', '1 month'); '1 month 15 days'::interval.

-- digits with a line between them, of which the parser would make a name
SELECT count(*), 1_000 FROM people;
-- instead:
SELECT count(*), 1000 FROM people;
-- =>
-- 0A000 at 18 ('1_000 FROM p'): 1_000 is not understood in a statement over private tables
-- HINT: Write numbers in digits alone, blanks between operators, and other names between double quotes.

-- a constant that its type does not hold
SELECT count(*) FROM people WHERE age < 3000000000::integer;
-- instead:
SELECT count(*) FROM people WHERE age < 3000000000::bigint;
-- =>
-- 22003 at 41 ('3000000000::'): integer out of range
-- HINT: Use a smaller number, or a wider type.

-- a series of a column, in steps
SELECT g.n, count(*) FROM people p CROSS JOIN LATERAL generate_series(0, p.age, 10) AS g(n) GROUP BY g.n;
-- instead:
SELECT g.n, count(*) FROM people p CROSS JOIN generate_series(0, 999, 10) AS g(n) WHERE g.n BETWEEN 0 AND p.age GROUP BY g.n;
-- =>
-- 0A000 at 55 ('generate_ser'): generate_series() of columns or subqueries cannot be combined with private tables
-- HINT: Write constants in it, as far as it may go, and its ends as a condition: FROM …, generate_series(0, 999, 10) AS g WHERE g BETWEEN 0 AND p.age.

-- a series of dates from a column on
SELECT h, count(*) FROM visits v, generate_series(v.day, v.day + INTERVAL '3 days', '1 day') AS h GROUP BY h;
-- instead:
SELECT h, count(*) FROM visits v, generate_series('2024-01-01'::date, '2024-12-31', '1 day') AS h WHERE h BETWEEN v.day AND v.day + INTERVAL '3 days' GROUP BY h;
-- =>
-- 0A000 at 35 ('generate_ser'): generate_series() of columns or subqueries cannot be combined with private tables
-- HINT: Write constants in it, as far as it may go, and its ends as a condition: FROM …, generate_series('2024-01-01'::date, '2024-12-31', INTERVAL '1 DAY') AS g WHERE g BETWEEN v.day AND v.day + INTERVAL '3 DAYS'.

-- a series of a column in the list of items
SELECT sum(g) FROM (SELECT person_id, generate_series(1, age) AS g FROM people) t;
-- instead:
SELECT sum(g) FROM (SELECT p.person_id, g FROM people p, generate_series(1, 1000) AS g WHERE g BETWEEN 1 AND p.age) t;
-- =>
-- 0A000 at 39 ('generate_ser'): generate_series() of columns or subqueries cannot be combined with private tables
-- HINT: Write constants in it, as far as it may go, and its ends as a condition: FROM …, generate_series(1, 1000) AS g WHERE g BETWEEN 1 AND age.

-- a series of a public column, beside private rows
SELECT g, count(*) FROM visits v JOIN departments d USING (dept), generate_series(1, d.beds) g GROUP BY g;
-- instead:
SELECT g, count(*) FROM visits v JOIN departments d USING (dept), generate_series(1, 1000) g WHERE g BETWEEN 1 AND d.beds GROUP BY g;
-- =>
-- 0A000 at 67 ('generate_ser'): generate_series() of columns or subqueries cannot be combined with private tables
-- HINT: Write constants in it, as far as it may go, and its ends as a condition: FROM …, generate_series(1, 1000) AS g WHERE g BETWEEN 1 AND d.beds.

-- a divisor that is written as 0
SELECT sex, count(*) / 0 FROM people GROUP BY sex;
-- instead:
SELECT sex, count(*) / 2 FROM people GROUP BY sex;
-- =>
-- 22012 at 24 ('0 FROM peopl'): division by zero
-- HINT: The divisor is written as 0.
