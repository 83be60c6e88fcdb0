-- Superset: bar chart
SELECT sex AS sex, COUNT(*) AS count
FROM public.people GROUP BY sex ORDER BY count DESC
 LIMIT 1000;
-- answered

-- Superset: bar chart of an average
SELECT sex AS sex, AVG(income) AS "AVG(income)"
FROM public.people GROUP BY sex ORDER BY "AVG(income)" DESC
 LIMIT 1000;
-- answered

-- Superset: count of distinct values
SELECT dept AS dept, count(DISTINCT person_id) AS "COUNT_DISTINCT(person_id)"
FROM public.visits GROUP BY dept ORDER BY "COUNT_DISTINCT(person_id)" DESC
 LIMIT 1000;
-- answered

-- Superset: big number
SELECT sum(cost) AS "SUM(cost)"
FROM public.visits
 LIMIT 50000;
-- answered

-- Superset: time series by month
SELECT DATE_TRUNC('month', day) AS day, COUNT(*) AS count
FROM public.visits
WHERE day >= TO_DATE('2024-01-01', 'YYYY-MM-DD') AND day < TO_DATE('2025-01-01', 'YYYY-MM-DD') GROUP BY DATE_TRUNC('month', day) ORDER BY count DESC
 LIMIT 1000;
-- answered

-- Superset: time series by day
SELECT DATE_TRUNC('day', day) AS __timestamp, COUNT(*) AS count
FROM public.visits
WHERE day >= TO_DATE('2024-01-01', 'YYYY-MM-DD') AND day < TO_DATE('2024-07-01', 'YYYY-MM-DD') GROUP BY DATE_TRUNC('day', day)
 LIMIT 10000;
-- answered

-- Superset: time series by second, of a date
SELECT DATE_TRUNC('second', day) AS day, COUNT(*) AS count
FROM public.visits
WHERE day >= TO_DATE('2024-01-01', 'YYYY-MM-DD') AND day < TO_DATE('2024-07-01', 'YYYY-MM-DD') GROUP BY DATE_TRUNC('second', day) ORDER BY count DESC
 LIMIT 1000;
-- answered

-- Superset: time series of a timestamp by week, with its form of filter
SELECT DATE_TRUNC('week', moment) AS __timestamp, sum(cost) AS "SUM(cost)"
FROM (SELECT CAST(day AS timestamp) AS moment, cost, dept FROM visits
) AS virtual_table
WHERE moment >= TO_TIMESTAMP('2024-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') AND moment < TO_TIMESTAMP('2025-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') GROUP BY DATE_TRUNC('week', moment) ORDER BY "SUM(cost)" DESC
 LIMIT 10000;
-- answered

-- Superset: time series of a timestamp by five minutes
SELECT DATE_TRUNC('hour', moment) + INTERVAL '5 MINUTES' * FLOOR(EXTRACT(MINUTE FROM moment) / 5) AS __timestamp, COUNT(*) AS count
FROM (SELECT CAST(day AS timestamp) AS moment, cost, dept FROM visits WHERE day < DATE '2024-02-01'
) AS virtual_table GROUP BY DATE_TRUNC('hour', moment) + INTERVAL '5 MINUTES' * FLOOR(EXTRACT(MINUTE FROM moment) / 5)
 LIMIT 10000;
-- answered, common keys

-- Superset: time series with a limit of series
SELECT DATE_TRUNC('month', day) AS day, dept AS dept, sum(cost) AS "SUM(cost)"
FROM public.visits JOIN (SELECT dept AS dept__, sum(cost) AS mme_inner__
FROM public.visits GROUP BY dept ORDER BY sum(cost) DESC
 LIMIT 3) AS series_limit ON dept = dept__ GROUP BY DATE_TRUNC('month', day), dept ORDER BY "SUM(cost)" DESC
 LIMIT 1000;
-- answered, all public keys

-- Superset: table chart
SELECT sex AS sex, smoker AS smoker, COUNT(*) AS count, AVG(age) AS "AVG(age)"
FROM public.people GROUP BY sex, smoker ORDER BY count DESC
 LIMIT 1000;
-- answered, all public keys

-- Superset: number of rows of a table chart
SELECT COUNT(*) AS rowcount
FROM (SELECT sex AS sex, COUNT(*) AS count
FROM public.people GROUP BY sex
 LIMIT 1000) AS rowcount_qry;
-- answered

-- Superset: pivot table
SELECT city AS city, sex AS sex, COUNT(*) AS count, AVG(income) AS "AVG(income)"
FROM public.people GROUP BY city, sex ORDER BY count DESC
 LIMIT 10000;
-- answered

-- Superset: the values of a filter
SELECT city AS city
FROM public.people GROUP BY city ORDER BY city ASC
 LIMIT 1000;
-- answered

-- Superset: the values of a filter in the explore view
SELECT DISTINCT city AS column_values
FROM public.people
 LIMIT 10000;
-- answered

-- Superset: filters of many kinds
SELECT city AS city, COUNT(*) AS count
FROM public.people
WHERE sex IN ('F', 'M') AND age >= 30 AND city IS NOT NULL AND (city NOT IN ('Delft')) AND smoker IS true AND (age < 70) GROUP BY city
HAVING (COUNT(*) > 5)
 LIMIT 1000;
-- answered

-- Superset: a filter by ILIKE
SELECT COUNT(*) AS count
FROM public.people
WHERE city ILIKE '%ELF%'
 LIMIT 1000;
-- answered

-- Superset: a metric in SQL
SELECT sex AS sex, CAST(SUM(CASE WHEN smoker THEN 1 ELSE 0 END) AS DOUBLE PRECISION) / COUNT(*) AS share
FROM public.people GROUP BY sex
 LIMIT 1000;
-- answered

-- Superset: a column in SQL
SELECT CASE WHEN age >= 40 THEN 'old' ELSE 'young' END AS "group", COUNT(*) AS count
FROM public.people GROUP BY CASE WHEN age >= 40 THEN 'old' ELSE 'young' END
 LIMIT 1000;
-- answered

-- Superset: a chart of a virtual dataset
SELECT sex AS sex, sum(n) AS "SUM(n)"
FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex
) AS virtual_table GROUP BY sex
 LIMIT 1000;
-- answered

-- Superset: a chart of a virtual dataset of rows
SELECT sex AS sex, COUNT(*) AS count
FROM (SELECT * FROM people
) AS virtual_table GROUP BY sex ORDER BY count DESC
 LIMIT 1000;
-- answered

-- Superset: the columns of a virtual dataset of a release
SELECT
  sex,
  COUNT(*) AS n
FROM people
GROUP BY
  sex
LIMIT 1;
-- answered, some rows

-- Superset: the columns of a virtual dataset of rows
SELECT
  age,
  sex
FROM people
LIMIT 1;
-- refused DP002

-- Superset: preview
SELECT
  *
FROM public.people
LIMIT 101;
-- refused DP002

-- Superset: samples, histogram, drill to detail, raw table
SELECT age AS age, sex AS sex
FROM public.people
 LIMIT 1000;
-- refused DP002

-- Superset: number of raw rows
SELECT COUNT(*) AS rowcount
FROM (SELECT age AS age
FROM public.people
 LIMIT 1000) AS rowcount_qry;
-- refused DP002

-- Superset: the ends of a range filter
SELECT MIN(age) AS min, MAX(age) AS max
FROM public.people
 LIMIT 1000;
-- answered
