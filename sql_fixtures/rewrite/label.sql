-- functions are called as they were written
SELECT count(*), date_trunc('month', day), substr(dept, 1, 2), char_length(dept), extract(year FROM day) FROM visits;
-- =>
SELECT COUNT(*) AS "count", DATE_TRUNC('MONTH', day) AS "date_trunc", SUBSTRING(dept FROM 1 FOR 2) AS "substr", LENGTH(dept) AS "char_length", EXTRACT(YEAR FROM day) AS "extract" FROM visits;

-- trim is btrim
SELECT trim(city), ltrim(city), trim(leading FROM city) FROM people;
-- =>
SELECT TRIM(city) AS "btrim", LTRIM(city) AS "_column_1", LTRIM(city) AS "_column_2" FROM people;

-- a cast has its operand's name, or else the type's
SELECT age::text, (1 + 1)::bigint, sum(age)::numeric(10,2) FROM people;
-- =>
SELECT CAST(age AS TEXT) AS "age", CAST((1 + 1) AS BIGINT) AS "int8", CAST(SUM(age) AS DECIMAL(10, 2)) AS "sum" FROM people;

-- operators have none
SELECT age + 1, age > 3, -age, 'x' FROM people;
-- =>
SELECT age + 1 AS "_column_0", age > 3 AS "_column_1", -age AS "_column_2", 'x' AS "_column_3" FROM people;

-- case and coalesce
SELECT CASE WHEN age > 3 THEN 1 END, coalesce(city, 'none'), nullif(city, 'x') FROM people;
-- =>
SELECT CASE WHEN age > 3 THEN 1 END AS "case", COALESCE(city, 'none') AS "coalesce", NULLIF(city, 'x') AS "nullif" FROM people;

-- what occurs twice has no name to refer to
SELECT count(*), count(city) FROM people;
-- =>
SELECT COUNT(*) AS "_column_0", COUNT(city) AS "_column_1" FROM people;

-- a subquery has the name of its column
SELECT (SELECT count(*) FROM people), (SELECT avg(age) AS m FROM people);
-- =>
SELECT (SELECT COUNT(*) AS "count" FROM people) AS "count", (SELECT AVG(age) AS m FROM people) AS "m";
