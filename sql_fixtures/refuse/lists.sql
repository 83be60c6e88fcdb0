-- the text of each row
SELECT string_agg(city, ',') FROM people;
-- instead:
SELECT string_agg(DISTINCT city, ',') FROM people;
-- =>
-- DP002 at 19 ("city, ',') F"): STRING_AGG would tell the value of each row
-- HINT: Which values there are can be told: STRING_AGG(DISTINCT people.city, ',').

-- in another order than their own
SELECT sex, string_agg(city, ', ' ORDER BY age DESC) FROM people GROUP BY sex;
-- instead:
SELECT sex, string_agg(DISTINCT city, ', ' ORDER BY city) FROM people GROUP BY sex;
-- =>
-- DP002 at 24 ("city, ', ' O"): STRING_AGG would tell the value of each row
-- HINT: Which values there are can be told: STRING_AGG(DISTINCT people.city, ', ' ORDER BY people.city).

-- the number of each row, of some rows
SELECT array_agg(age) FILTER (WHERE smoker) FROM people;
-- instead:
SELECT array_agg(DISTINCT age) FILTER (WHERE smoker) FROM people;
-- =>
-- DP002 at 8 ('array_agg(ag'): ARRAY_AGG would tell the value of each row
-- HINT: Which values there are can be told: ARRAY_AGG(DISTINCT people.age).

-- as JSON
SELECT json_agg(city ORDER BY city) FROM people;
-- instead:
SELECT json_agg(DISTINCT city ORDER BY city) FROM people;
-- =>
-- DP002 at 17 ('city ORDER B'): JSON_AGG would tell the value of each row
-- HINT: Which values there are can be told: JSON_AGG(DISTINCT people.city ORDER BY people.city).

-- as binary JSON
SELECT jsonb_agg(city) FROM people;
-- instead:
SELECT jsonb_agg(DISTINCT city) FROM people;
-- =>
-- DP002 at 8 ('jsonb_agg(ci'): JSONB_AGG would tell the value of each row
-- HINT: Which values there are can be told: JSONB_AGG(DISTINCT people.city).

-- of single units
SELECT dept, array_agg(DISTINCT person_id) FROM visits GROUP BY dept;
-- instead:
SELECT dept, count(*) FROM visits GROUP BY dept;
-- =>
-- DP002 at 33 ('person_id) F'): a list of "person_id" would name single persons
-- HINT: List a column that many share, or count: COUNT(*).

-- with a delimiter that is no key
SELECT string_agg(DISTINCT city, sex) FROM people;
-- instead:
SELECT sex, string_agg(DISTINCT city, sex) FROM people GROUP BY sex;
-- =>
-- DP002 at 34 ('sex) FROM pe'): column "sex" is neither aggregated nor one of the keys
-- HINT: Add "sex" to GROUP BY, or aggregate it.

-- with a subquery for a delimiter
SELECT string_agg(DISTINCT city, (SELECT min(building) FROM departments)) FROM people;
-- instead:
SELECT string_agg(DISTINCT city, ', ') FROM people;
-- =>
-- 0A000 at 28 ('city, (SELEC'): a subquery beside the values of STRING_AGG is not supported over private tables
-- HINT: Write the delimiter itself: STRING_AGG(DISTINCT x, ', ').

-- read by the engine
SELECT count(*) FROM people p JOIN (SELECT smoker, string_agg(DISTINCT city, ',') AS l FROM people GROUP BY smoker) q ON q.smoker = p.smoker WHERE q.l LIKE '%Delft%';
-- instead:
SELECT count(*) FROM people p JOIN (SELECT DISTINCT smoker, city FROM people) q ON q.smoker = p.smoker WHERE q.city = 'Delft';
-- =>
-- 0A000 at 78 ("',') AS l FR"): STRING_AGG cannot be read together with private rows
-- HINT: Leave it out there, or join the values themselves: (SELECT DISTINCT x FROM …) AS v.

-- of rows
SELECT array_agg(DISTINCT (sex, city)) FROM people;
-- instead:
SELECT array_agg(DISTINCT sex || ', ' || city) FROM people;
-- =>
-- 0A000 at 28 ('sex, city)) '): a row value is not supported over private tables
-- HINT: Write its values one by one, x < 1 OR (x = 1 AND y < 2); pairs are counted as groups: SELECT COUNT(*) FROM (SELECT DISTINCT x, y FROM t) AS s.

-- by sample and aggregate
-- set dp.mechanism = sample_aggregate
SELECT string_agg(DISTINCT city, ',') FROM people;
-- instead:
-- set dp.mechanism = auto
SELECT string_agg(DISTINCT city, ',') FROM people;
-- =>
-- 0A000 at 28 ("city, ',') F"): STRING_AGG(DISTINCT "people"."city", ',') is not supported by dp.mechanism = sample_aggregate
-- HINT: Use AVG, VARIANCE, STDDEV, COVAR, CORR, REGR, MIN, MAX or COUNT(DISTINCT x); or SET dp.mechanism = auto.

-- of each row's value, in which is who it is
SELECT sex, string_agg(city || ' ' || person_id, ', ') FROM people GROUP BY sex;
-- instead:
SELECT sex, string_agg(DISTINCT city, ', ') FROM people GROUP BY sex;
-- =>
-- DP002 at 39 ("person_id, '"): a list of "person_id" would name single persons
-- HINT: List a column that many share, or count: COUNT(*).

-- an object of rows
SELECT json_object_agg(city, age) FROM people;
-- instead:
SELECT json_object_agg(city, a) FROM (SELECT city, avg(age) AS a FROM people GROUP BY city) AS t WHERE city IS NOT NULL;
-- =>
-- 0A000 at 8 ('json_object_'): JSON_OBJECT_AGG of these arguments is not supported over private tables
-- HINT: Make it of released rows: SELECT JSON_OBJECT_AGG(k, n) FROM (SELECT k, COUNT(*) AS n FROM … GROUP BY k) AS t.

-- an object whose keys are values
SELECT json_build_object(city, n) FROM (SELECT city, count(*) AS n FROM people GROUP BY city) AS t;
-- instead:
SELECT json_object_agg(city, n) FROM (SELECT city, count(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city) AS t;
-- =>
-- 0A000 at 8 ('json_build_o'): json_build_object() with keys that are no constants is not supported over private tables
-- HINT: Write constants and values in turn, json_build_object('n', COUNT(*)); or json_object_agg(k, n).

-- an object whose keys are lists
SELECT json_object_agg(array[city], n) FROM (SELECT city, count(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city) AS t;
-- instead:
SELECT json_object_agg((array[city])::text, n) FROM (SELECT city, count(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city) AS t;
-- =>
-- 0A000 at 30 ('city], n) FR'): an object of JSON has a key for each text or number, and this may be a list, a row or JSON
-- HINT: Take a column that is none of these, or cast the key: json_object_agg((…)::text, n).

-- an object whose keys are lists that a derived table makes
SELECT jsonb_object_agg(k, n) FROM (SELECT sex, array_agg(DISTINCT city) AS k, count(*) AS n FROM people GROUP BY sex) AS t;
-- instead:
SELECT jsonb_object_agg(sex, n) FROM (SELECT sex, array_agg(DISTINCT city) AS k, count(*) AS n FROM people GROUP BY sex) AS t;
-- =>
-- 0A000 at 25 ('k, n) FROM ('): an object of JSON has a key for each text or number, and this may be a list, a row or JSON
-- HINT: Take a column that is none of these, or cast the key: json_object_agg((…)::text, n).

-- an object whose keys are lists by another name
SELECT json_object_agg(x, y) FROM (SELECT k AS x, n AS y FROM (SELECT sex, array_agg(DISTINCT city) AS k, count(*) AS n FROM people GROUP BY sex) AS t) AS s;
-- instead:
SELECT json_object_agg(x::text, y) FROM (SELECT k AS x, n AS y FROM (SELECT sex, array_agg(DISTINCT city) AS k, count(*) AS n FROM people GROUP BY sex) AS t) AS s;
-- =>
-- 0A000 at 24 ('x, y) FROM ('): an object of JSON has a key for each text or number, and this may be a list, a row or JSON
-- HINT: Take a column that is none of these, or cast the key: json_object_agg((…)::text, n).

-- an element of an array of each row
SELECT count(*) FROM people WHERE (ARRAY[age, 2])[1] = 30;
-- instead:
SELECT count(*) FROM people WHERE age = 30;
-- =>
-- 0A000 at 42 ('age, 2])[1] '): an element of an array is not supported over private tables
-- HINT: Write the value itself, or CASE; of released arrays an element is Postgres's own.

-- a format that lacks a value
SELECT format('%s: %s', sex) FROM people GROUP BY sex;
-- instead:
SELECT format('%s: %s', sex, count(*)) FROM people GROUP BY sex;
-- =>
-- 0A000 at 8 ("format('%s: "): format() is supported over private tables with a constant as template, and %s in it for each value
-- HINT: Write format('%s of %s', a, b), or a || ' of ' || b.
