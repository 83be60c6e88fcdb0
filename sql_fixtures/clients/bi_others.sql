-- DBeaver: the rows of a table
SELECT * FROM public.people LIMIT 200 OFFSET 0;
-- refused DP002

-- DBeaver: the rows of a table, by its alias
SELECT x.* FROM public.people x;
-- refused DP002

-- DBeaver: the number of rows of a table
SELECT COUNT(*) FROM public.people;
-- answered

-- DBeaver: the number of rows of a table, in the row count of its data tab
SELECT COUNT(*) FROM public.people x WHERE x.age > 30;
-- answered

-- DBeaver: the number of rows of a result
SELECT COUNT(*) FROM (
SELECT sex, count(*) AS n FROM people GROUP BY sex
) dbvrcnt;
-- answered

-- DBeaver: the number of private rows
SELECT COUNT(*) FROM (
SELECT * FROM people WHERE age > 30
) dbvrcnt;
-- answered

-- DBeaver: the grouping panel
SELECT sex, COUNT(*) FROM (
SELECT * FROM public.people
) as dbvrgrp
GROUP BY sex
ORDER BY 2 DESC;
-- answered

-- DBeaver: the values of a filter
SELECT DISTINCT sex FROM public.people ORDER BY sex LIMIT 200;
-- answered

-- DBeaver: the values of a filter, with their numbers
SELECT sex, count(*) FROM public.people GROUP BY sex ORDER BY 1 LIMIT 200;
-- answered

-- DataGrip: the rows of a table
SELECT t.*
FROM public.people t
LIMIT 501;
-- refused DP002

-- DataGrip: the number of rows
SELECT COUNT(*) FROM (SELECT t.* FROM public.people t) AS q;
-- answered

-- pgAdmin: the rows of a table
SELECT * FROM public.people
ORDER BY person_id ASC LIMIT 100;
-- refused DP002

-- pgAdmin: the number of rows
SELECT COUNT(*) FROM public.people;
-- answered

-- Looker: an explore
SELECT
    people.sex  AS "people.sex",
    COUNT(*) AS "people.count",
    COALESCE(SUM(people.income ), 0) AS "people.total_income"
FROM public.people  AS people
WHERE ((( people.age  ) >= 30))
GROUP BY
    1
ORDER BY
    2 DESC
FETCH NEXT 500 ROWS ONLY;
-- answered

-- Looker: by month
SELECT
    (TO_CHAR(DATE_TRUNC('month', visits.day ), 'YYYY-MM')) AS "visits.day_month",
    COUNT(*) AS "visits.count"
FROM public.visits  AS visits
WHERE ((( visits.day ) >= ((DATE '2024-01-01')) AND ( visits.day ) < ((DATE '2025-01-01'))))
GROUP BY
    (DATE_TRUNC('month', visits.day ))
ORDER BY
    1 DESC
FETCH NEXT 500 ROWS ONLY;
-- answered

-- Looker: by date
SELECT
    (DATE(visits.day )) AS "visits.day_date",
    COUNT(*) AS "visits.count"
FROM public.visits  AS visits
WHERE ((( visits.day ) >= ((DATE '2024-01-01')) AND ( visits.day ) < ((DATE '2024-07-01'))))
GROUP BY
    1
ORDER BY
    1 DESC
LIMIT 500;
-- answered, common keys

-- Looker: a symmetric aggregate, as a distinct count
SELECT
    people.sex  AS "people.sex",
    COUNT(DISTINCT people.person_id ) AS "people.count"
FROM public.visits  AS visits
LEFT JOIN public.people  AS people ON visits.person_id = people.person_id
GROUP BY
    1
ORDER BY
    2 DESC
LIMIT 500;
-- answered

-- Looker: the values of a filter
SELECT DISTINCT people.sex  AS "people.sex"
FROM public.people  AS people
ORDER BY 1
LIMIT 1000;
-- answered

-- Looker: a yes/no dimension
SELECT
    CASE WHEN people.age >= 65  THEN 'Yes' ELSE 'No' END AS "people.is_old",
    COUNT(*) AS "people.count"
FROM public.people  AS people
GROUP BY
    1
ORDER BY
    1 DESC
LIMIT 500;
-- answered

-- Redash: a limit put behind the statement
SELECT city, count(*) AS n FROM people GROUP BY city LIMIT 1000;
-- answered

-- Redash: a parameter put into the text
SELECT count(*) FROM visits WHERE day BETWEEN '2024-01-01' AND '2024-06-30 23:59:59';
-- answered

-- Redash: the values of a parameter
SELECT DISTINCT dept AS value, dept AS name FROM visits ORDER BY 1;
-- answered

-- Hex: a chart cell over a SQL cell
SELECT "sex", COUNT(*) AS "count", AVG("income") AS "mean" FROM (SELECT * FROM people) AS "dataframe" GROUP BY "sex" ORDER BY "sex" LIMIT 5000;
-- answered

-- Hex: a chained SQL cell
WITH "dataframe_1" AS (SELECT p.sex, v.dept, v.cost FROM people p JOIN visits v ON p.person_id = v.person_id) SELECT sex, dept, sum(cost) AS cost FROM dataframe_1 GROUP BY 1, 2;
-- answered

-- Mode: the schema of a statement
WITH mode_query AS (SELECT sex, count(*) FROM people GROUP BY sex) SELECT * FROM mode_query LIMIT 0;
-- answered

-- Lightdash: an explore
WITH "people_cte" AS (SELECT "people".sex AS "people_sex", COUNT("people".person_id) AS "people_count" FROM "demo"."public"."people" AS "people" GROUP BY 1) SELECT * FROM "people_cte" ORDER BY "people_count" DESC LIMIT 500;
-- answered

-- Lightdash: an explore, before
SELECT
  "people".sex AS "people_sex",
  COUNT("people".person_id) AS "people_count"
FROM "public"."people" AS "people"
GROUP BY 1
ORDER BY "people_count" DESC
LIMIT 500;
-- answered

-- Cube: a measure by month
SELECT date_trunc('month', ("visits".day::timestamp)) "visits__day_month", count(*) "visits__count" FROM public.visits AS "visits" WHERE ("visits".day >= '2024-01-01T00:00:00.000Z'::date AND "visits".day <= '2024-12-31T23:59:59.999Z'::date) GROUP BY 1 ORDER BY 1 ASC LIMIT 10000;
-- answered

-- Evidence: column types of a statement
SELECT * FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex) AS subquery LIMIT 0;
-- answered

-- dbt: the columns of a model
select * from (
        select sex, count(*) as n from people group by sex
    ) as __dbt_sbq
    where false
    limit 0;
-- answered

-- dbt: a test for nulls
select count(*) as failures, count(*) != 0 as should_warn, count(*) != 0 as should_error
from (
select city from public.people where city is null
) dbt_internal_test;
-- answered

-- Qlik: the rows of a load
SELECT "age", "sex" FROM "public"."people";
-- refused DP002

-- Qlik: the fields of a table
SELECT * FROM "public"."visits" WHERE 1=0;
-- answered

-- Excel by ODBC: the rows of a table
SELECT "people"."age", "people"."sex" FROM "demo"."public"."people" "people";
-- refused DP002

-- Looker Studio: a chart
SELECT t0.sex, COUNT(1) AS t0_count FROM (SELECT * FROM public.people) AS t0 GROUP BY t0.sex ORDER BY t0_count DESC LIMIT 1001;
-- answered

-- QuickSight: a chart
SELECT "sex", COUNT(*) AS "count", AVG("income") AS "avg" FROM "public"."people" WHERE "age" >= 20 GROUP BY "sex" ORDER BY "count" DESC NULLS LAST, "sex" ASC NULLS LAST LIMIT 2500;
-- answered

-- QuickSight: by day
SELECT date_trunc('MONTH', "day") AS "day_tg", COUNT(*) AS "count" FROM "public"."visits" WHERE "day" >= to_timestamp('2024-01-01 00:00:00','YYYY-MM-DD HH24:MI:SS') GROUP BY date_trunc('MONTH', "day") ORDER BY date_trunc('MONTH', "day") DESC NULLS LAST LIMIT 2500;
-- answered, all public keys
