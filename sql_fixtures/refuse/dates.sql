-- an average age
SELECT avg(age(current_date, joined)) FROM people;
-- instead:
SELECT avg(extract(year FROM age(current_date, joined))) FROM people;
-- =>
-- 0A000 at 12 ('age(current_'): an interval by itself is not supported over private tables
-- HINT: Use EXTRACT(epoch FROM …) or EXTRACT(day FROM …) of it, or compare it with an interval constant.

-- the time of a date
SELECT count(*) FROM people WHERE extract(hour FROM joined) = 0;
-- instead:
SELECT count(*) FROM people WHERE extract(hour FROM joined::timestamp) = 0;
-- =>
-- 0A000 at 35 ('extract(hour'): unit "hour" not supported for type date
-- HINT: Only a timestamp has a time: CAST it first.

-- a time zone that is known nowhere
SELECT count(*) FROM people WHERE joined AT TIME ZONE 'Mars/Olympus' > '2024-01-01';
-- instead:
SELECT count(*) FROM people WHERE joined AT TIME ZONE 'Europe/Amsterdam' > '2024-01-01';
-- =>
-- 0A000 at 35 ('joined AT TI'): the time zone "Mars/Olympus" is none that is known here
-- HINT: Say the zone: x AT TIME ZONE 'Europe/Amsterdam'; or SET TIME ZONE 'UTC'.

-- an interval of text and a column
SELECT count(*) FROM people WHERE joined + city::interval > '2024-01-01';
-- instead:
SELECT count(*) FROM people WHERE joined + age * INTERVAL '1 day' > '2024-01-01';
-- =>
-- 0A000 at 44 ('city::interv'): a cast from text to interval is not supported over private tables
-- HINT: Multiply a constant interval: x * INTERVAL '1 day'.

-- an interval in words
SELECT count(*) FROM people WHERE joined > current_date - INTERVAL '1 fortnight';
-- instead:
SELECT count(*) FROM people WHERE joined > current_date - INTERVAL '2 weeks';
-- =>
-- 0A000: the interval is not understood
-- HINT: Write numbers and units, as in INTERVAL '1 month 2 days'.

-- an interval that the parser would cut
SELECT count(*) FROM people WHERE joined > now() - INTERVAL '1 day 02:00';
-- instead:
SELECT count(*) FROM people WHERE joined > now() - INTERVAL '1 day 2 hours';
-- =>
-- 0A000 at 61 ("'1 day 02:00"): the interval '1 day 02:00' is not understood
-- HINT: Write a sign before and a unit behind each number: INTERVAL '-1 day -2 hours'.

-- a fraction of a month for each row
SELECT count(*) FROM people WHERE joined + income / 10000 * INTERVAL '1 month' > '2024-01-01';
-- instead:
SELECT count(*) FROM people WHERE joined + CAST(income / 10000 AS integer) * INTERVAL '1 month' > '2024-01-01';
-- =>
-- 0A000 at 44 ('income / 100'): this product of an interval and a number is not supported over private tables
-- HINT: Multiply whole numbers and a constant: CAST(x AS integer) * INTERVAL '1 day'.

-- half of the time between
SELECT count(*) FROM people WHERE (now() - joined) / 2 > INTERVAL '1 year';
-- instead:
SELECT count(*) FROM people WHERE extract(epoch FROM now() - joined) / 2 > 31557600;
-- =>
-- 0A000 at 36 ('now() - join'): this division of an interval is not supported over private tables
-- HINT: Divide its length: EXTRACT(epoch FROM a - b) / 86400 are days.

-- a century to group by
SELECT date_trunc('century', joined) AS c, count(*) FROM people GROUP BY c;
-- instead:
SELECT extract(century FROM joined) AS c, count(*) FROM people GROUP BY c;
-- =>
-- 0A000 at 8 ("date_trunc('"): function date_trunc() is not supported over private tables
-- HINT: Units are year, quarter, month, week, day, hour, minute, second, milliseconds, of a date or timestamp.

-- names of months in the session's language
SELECT to_char(joined, 'TMMonth') AS m, count(*) FROM people GROUP BY m;
-- instead:
SELECT to_char(joined, 'FMMonth') AS m, count(*) FROM people GROUP BY m;
-- =>
-- 0A000 at 8 ('to_char(join'): the modifiers TM, TH and SP are not supported over private tables
-- HINT: Leave them out.

-- a pattern that there is not
SELECT to_char(joined, 'J') AS j, count(*) FROM people GROUP BY j;
-- instead:
SELECT to_char(joined, 'DDD') AS j, count(*) FROM people GROUP BY j;
-- =>
-- 0A000 at 8 ('to_char(join'): the pattern "J" is not supported over private tables
-- HINT: Patterns are YYYY, YYY, YY, Y, IYYY, IYY, IY, I, Q, MM, WW, W, IW, DDD, DD, D, ID, HH24, HH12, HH, MI, SS, MS, US, MONTH, MON, DAY, DY, AM, PM, A.M., P.M.; put words into "…".

-- days of the week
SELECT count(*) FROM people WHERE joined > to_date('Wed 31 Jan 2024', 'Dy DD Mon YYYY');
-- instead:
SELECT count(*) FROM people WHERE joined > to_date('31 Jan 2024', 'DD Mon YYYY');
-- =>
-- 0A000 at 44 ("to_date('Wed"): "Dy" is not supported in to_date() over private tables
-- HINT: Write a template such as 'YYYY-MM-DD', 'DD.MM.YYYY' or 'Mon DD, YYYY', with year, month and day once each.

-- a time that goes on
SELECT count(*) FROM people WHERE joined < clock_timestamp();
-- instead:
SELECT count(*) FROM people WHERE joined < now();
-- =>
-- 0A000 at 44 ('clock_timest'): function clock_timestamp() is not supported in a statement over private tables
-- HINT: Write now(), the time at which the transaction began.

-- a zone of its own beside the session's
SELECT count(*) FROM visits WHERE date_trunc('day', day) >= '2024-01-01T00:00:00Z';
-- instead:
SELECT count(*) FROM visits WHERE date_trunc('day', day) >= '2024-01-01T00:00:00';
-- =>
-- 0A000 at 35 ("date_trunc('"): the constant is no plain value of type timestamp with time zone
-- HINT: Write a timestamp as 'YYYY-MM-DD HH:MM:SS', in the years 0001 to 9999.

-- a time in the form of another template
SELECT count(*) FROM visits WHERE day >= to_timestamp('2024-01-01 10', 'YYYY-MM-DD');
-- instead:
SELECT count(*) FROM visits WHERE day >= to_timestamp('2024-01-01', 'YYYY-MM-DD');
-- =>
-- 0A000 at 42 ('to_timestamp'): the constant does not have the form of its template
-- HINT: Write it exactly as YYYY-MM-DD.

-- a template of times that is not understood
SELECT count(*) FROM visits WHERE day >= to_timestamp('10:30, 01 Jan 2024', 'HH24:MI, DD Mon YYYY');
-- instead:
SELECT count(*) FROM visits WHERE day >= to_timestamp('01 January 2024, 10:30', 'DD Month YYYY, HH24:MI');
-- =>
-- 0A000 at 42 ('to_timestamp'): the template of to_timestamp() is not supported over private tables
-- HINT: Write a template such as 'YYYY-MM-DD HH24:MI:SS.US' or 'DD Mon YYYY', or less of the time from the right.

-- to_timestamp of rows
SELECT count(*) FROM visits WHERE to_timestamp(to_char(day, 'YYYY-MM-DD'), 'YYYY-MM-DD') < now();
-- instead:
SELECT count(*) FROM visits WHERE CAST(to_char(day, 'YYYY-MM-DD') AS timestamp) < now();
-- =>
-- 0A000 at 35 ('to_timestamp'): to_timestamp() needs constants over private tables
-- HINT: CAST the text to timestamp, or write to_date(x, 'DD Mon YYYY'), which may have names of months.

-- a length of time in which months are, as a key
SELECT age(current_date, joined), count(*) FROM people GROUP BY 1;
-- instead:
SELECT extract(year FROM age(current_date, joined)), count(*) FROM people GROUP BY 1;
-- =>
-- 0A000 at 8 ('age(current_'): an interval by itself is not supported over private tables
-- HINT: Use EXTRACT(epoch FROM …) or EXTRACT(day FROM …) of it, or compare it with an interval constant.

-- a list of lengths of time
SELECT array_agg(DISTINCT joined - TIMESTAMP '2020-01-01') FROM people;
-- instead:
SELECT array_agg(DISTINCT extract(day FROM joined - TIMESTAMP '2020-01-01')) FROM people;
-- =>
-- 0A000 at 27 ('joined - TIM'): an interval by itself is not supported over private tables
-- HINT: Use EXTRACT(epoch FROM …) or EXTRACT(day FROM …) of it, or compare it with an interval constant.

-- a length of time per person
SELECT avg(x) FROM (SELECT person_id, max(CAST(day AS timestamp) - TIMESTAMP '2020-01-01') AS x FROM visits GROUP BY person_id) t;
-- instead:
SELECT avg(x) FROM (SELECT person_id, max(extract(epoch FROM CAST(day AS timestamp) - TIMESTAMP '2020-01-01')) AS x FROM visits GROUP BY person_id) t;
-- =>
-- 0A000 at 48 ('day AS times'): an interval by itself is not supported over private tables
-- HINT: Use EXTRACT(epoch FROM …) or EXTRACT(day FROM …) of it, or compare it with an interval constant.

-- an average length of time, read by the engine
SELECT count(*) FROM people WHERE joined - TIMESTAMP '2020-01-01' > (SELECT avg(joined - TIMESTAMP '2020-01-01') FROM people);
-- instead:
SELECT count(*) FROM people WHERE extract(epoch FROM joined - TIMESTAMP '2020-01-01') > (SELECT avg(extract(epoch FROM joined - TIMESTAMP '2020-01-01')) FROM people);
-- =>
-- 0A000: an interval by itself is not supported over private tables
-- HINT: Use EXTRACT(epoch FROM …) or EXTRACT(day FROM …) of it, or compare it with an interval constant.
