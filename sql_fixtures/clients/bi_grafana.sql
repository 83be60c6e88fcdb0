-- Grafana: $__timeGroup by five minutes, $__timeFilter
SELECT floor(extract(epoch from day)/300)*300 AS "time", count(*) AS "value" FROM visits WHERE day BETWEEN '2024-01-01T00:00:00Z' AND '2024-06-30T23:59:59Z' GROUP BY 1 ORDER BY 1;
-- answered, common keys

-- Grafana: $__timeGroupAlias by day, $__timeFilter of a timestamp
SELECT floor(extract(epoch from moment)/86400)*86400 AS "time", avg(cost) AS "cost" FROM (SELECT day::timestamp AS moment, cost FROM visits) v WHERE moment BETWEEN '2024-01-01T00:00:00Z' AND '2024-06-30T23:59:59.999Z' GROUP BY 1 ORDER BY 1;
-- answered, common keys

-- Grafana: several series
SELECT floor(extract(epoch from day)/604800)*604800 AS "time", dept AS metric, count(*) AS value FROM visits WHERE day BETWEEN '2024-01-01T00:00:00Z' AND '2024-06-30T23:59:59Z' GROUP BY 1,2 ORDER BY 1,2;
-- answered

-- Grafana: with its own truncation
SELECT date_trunc('month', day) AS "time", dept AS metric, sum(cost) AS value FROM visits WHERE day BETWEEN '2024-01-01T00:00:00Z' AND '2024-12-31T23:59:59Z' GROUP BY "time", metric ORDER BY "time";
-- answered

-- Grafana: date_bin
SELECT date_bin('7 days', day::timestamp, timestamp '2024-01-01') AS "time", count(*) FROM visits WHERE day BETWEEN '2024-01-01' AND '2024-06-30' GROUP BY 1 ORDER BY 1;
-- answered

-- Grafana: $__unixEpochFilter and $__unixEpochGroup
SELECT floor((extract(epoch from day))/86400)*86400 AS "time", count(*) AS value FROM visits WHERE extract(epoch from day) >= 1704067200 AND extract(epoch from day) <= 1719705600 GROUP BY 1 ORDER BY 1;
-- answered, common keys

-- Grafana: $__timeFrom() and $__timeTo()
SELECT count(*) FROM visits WHERE day > '2024-01-01T00:00:00Z' AND day <= '2024-06-30T23:59:59Z';
-- answered

-- Grafana: the query builder, table
SELECT COUNT(person_id), sex FROM people GROUP BY sex LIMIT 50;
-- answered

-- Grafana: the query builder, average with a filter
SELECT AVG(income) AS "income", city FROM people WHERE (sex = 'F' AND age > 30) GROUP BY city ORDER BY income DESC LIMIT 50;
-- answered

-- Grafana: the values of a variable
SELECT DISTINCT sex FROM people;
-- answered

-- Grafana: the values of a variable, two columns
SELECT dept AS __text, dept AS __value FROM departments ORDER BY 1;
-- answered

-- Grafana: rows
SELECT day AS "time", cost FROM visits WHERE day BETWEEN '2024-01-01T00:00:00Z' AND '2024-06-30T23:59:59Z' ORDER BY 1;
-- refused DP002
