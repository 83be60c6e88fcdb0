-- bytes beside bytes
SELECT count(*) FROM people WHERE raw = 'ab';
-- instead:
SELECT count(*) FROM people WHERE raw IS NOT NULL;
-- =>
-- 0A000 at 35 ("raw = 'ab'"): bytea values are not read over private tables
-- HINT: Count them, or test them: count(x), x IS NULL.

-- bytes as keys
SELECT raw, count(*) FROM people GROUP BY raw;
-- instead:
SELECT raw IS NULL, count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 43 ('raw'): bytea values are not read over private tables
-- HINT: Count them, or test them: count(x), x IS NULL.

-- how many different bytes
SELECT count(DISTINCT raw) FROM people;
-- instead:
SELECT count(raw) FROM people;
-- =>
-- 0A000 at 23 ('raw) FROM pe'): bytea values are not read over private tables
-- HINT: Count them, or test them: count(x), x IS NULL.

-- the length of an array
SELECT sum(cardinality(tags)) FROM people;
-- instead:
SELECT count(tags) FROM people;
-- =>
-- 0A000 at 12 ('cardinality('): function cardinality() is not supported over private tables
-- HINT: Use arithmetic, comparisons, CASE, COALESCE, LIKE, EXTRACT, date_trunc, casts of numbers, text functions.

-- an array in a choice
SELECT count(COALESCE(tags, '{}')) FROM people;
-- instead:
SELECT count(*) FROM people WHERE tags IS NOT NULL;
-- =>
-- 0A000 at 23 ("tags, '{}'))"): integer[] values are not read over private tables
-- HINT: Count them, or test them: count(x), x IS NULL.

-- how long an interval is
SELECT count(*) FROM people WHERE span > INTERVAL '1 day';
-- instead:
SELECT count(*) FROM people WHERE last - seen > INTERVAL '1 day';
-- =>
-- 0A000 at 35 ('span > INTER'): interval values are not read over private tables
-- HINT: Count them, or test them: count(x), x IS NULL.

-- an interval that is added up
SELECT sum(extract(epoch FROM span)) FROM people;
-- instead:
SELECT count(span) FROM people;
-- =>
-- 0A000 at 31 ('span)) FROM '): interval values are not read over private tables
-- HINT: Count them, or test them: count(x), x IS NULL.

-- a join by bytes
SELECT count(*) FROM people p JOIN moods m ON m.raw = p.raw;
-- instead:
SELECT count(*) FROM people p JOIN moods m ON m.ref = p.ref;
-- =>
-- 0A000 at 47 ('m.raw = p.ra'): bytea values are not read over private tables
-- HINT: Count them, or test them: count(x), x IS NULL.

-- windows by bytes
SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY id ORDER BY raw) AS r FROM people) p WHERE r = 1;
-- instead:
SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY id ORDER BY seen) AS r FROM people) p WHERE r = 1;
-- =>
-- 0A000: bytea values are not read over private tables
-- HINT: Count them, or test them: count(x), x IS NULL.

-- a moment as text
SELECT seen::text, count(*) FROM people GROUP BY 1;
-- instead:
SELECT to_char(seen, 'YYYY-MM-DD'), count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 8 ('seen::text, '): timestamp with time zone as text is not supported over private tables
-- HINT: Its text depends on the session: write to_char(x, 'YYYY-MM-DD HH24:MI:SS').

-- a zone that there is not
SELECT count(*) FROM people WHERE seen AT TIME ZONE 'Mars/Olympus' > '2024-01-01';
-- instead:
SELECT count(*) FROM people WHERE seen AT TIME ZONE 'Europe/Amsterdam' > '2024-01-01';
-- =>
-- 0A000 at 35 ('seen AT TIME'): the time zone "Mars/Olympus" is none that is known here
-- HINT: Say the zone: x AT TIME ZONE 'Europe/Amsterdam'; or SET TIME ZONE 'UTC'.

-- a zone of each row
SELECT count(*) FROM people WHERE seen AT TIME ZONE mood > '2024-01-01';
-- instead:
SELECT count(*) FROM people WHERE seen AT TIME ZONE 'UTC' > '2024-01-01';
-- =>
-- 0A000 at 35 ('seen AT TIME'): the time zone must be a constant
-- HINT: Write its name, as in x AT TIME ZONE 'Europe/Amsterdam'.

-- a time that is moved
SELECT gets_up + INTERVAL '1 hour', count(*) FROM people GROUP BY 1;
-- instead:
SELECT (extract(hour FROM gets_up) + 1) % 24, count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 8 ('gets_up + IN'): time without time zone and interval cannot be combined over private tables
-- HINT: Use date - date, timestamp - timestamp, time - time, date + integer, or an interval: x + INTERVAL '1 day'.

-- a time as text
SELECT gets_up::text, count(*) FROM people GROUP BY 1;
-- instead:
SELECT extract(hour FROM gets_up), count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 8 ('gets_up::tex'): a cast from time without time zone to text is not supported over private tables
-- HINT: Casts between numbers, date and timestamp, of text to numbers, boolean and dates, of most types to text are supported.

-- the end of a day
SELECT count(*) FROM people WHERE gets_up < '24:00';
-- instead:
SELECT count(*) FROM people WHERE gets_up <= '23:59:59.999999';
-- =>
-- 0A000 at 35 ("gets_up < '2"): the constant is no plain value of type time without time zone
-- HINT: Write a time as 'HH:MM:SS', before 24:00.

-- bytes of both sides of a union
SELECT count(*) FROM (SELECT id, raw FROM people UNION ALL SELECT id, raw FROM people) q;
-- instead:
SELECT count(*) FROM (SELECT id, raw IS NULL FROM people UNION ALL SELECT id, raw IS NULL FROM people) q;
-- =>
-- 0A000 at 30 ('id, raw FROM'): UNION is not supported between bytea over private tables
-- HINT: Leave such columns out, or test them: x IS NULL.

-- moments and timestamps in one column
SELECT count(*) FROM (SELECT id, seen FROM people UNION ALL SELECT id, began FROM people) q;
-- instead:
SELECT count(*) FROM (SELECT id, seen AT TIME ZONE 'UTC' FROM people UNION ALL SELECT id, began FROM people) q;
-- =>
-- 0A000 at 30 ('id, seen FRO'): UNION is not supported between timestamp with time zone and timestamp without time zone over private tables
-- HINT: Compare or combine values of one kind; CAST numbers explicitly.
