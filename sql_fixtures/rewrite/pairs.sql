-- a join of two kinds of unit
SELECT count(*) FROM people p JOIN customer c ON p.person_id = c.custkey;
-- =>
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT u, v, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."person_id" AS u, s1."custkey" AS v FROM "people" AS s0 JOIN "customer" AS s1 ON s0."person_id" = s1."custkey" WHERE s0."person_id" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit person and customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: person, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- sums and averages by public keys
SELECT p.sex, sum(c.acctbal), avg(p.age) FROM people p JOIN customer c ON p.person_id = c.custkey WHERE p.age > 20 GROUP BY p.sex;
-- =>
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0, m1, m2 FROM (SELECT * FROM (SELECT u, v, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -35184372088832), 35184372088832) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), -105226698752), 107374182400) AS m1, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m2 FROM (SELECT s0."person_id" AS u, s1."custkey" AS v, s0."sex" AS k0, CAST(CASE WHEN (CAST(s1."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE)) > 1000000 THEN 1000000 WHEN (CAST(s1."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE)) < (-100000) THEN -100000 ELSE (CAST(s1."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE)) END AS BIGINT) AS m0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 21 THEN 21 ELSE s0."age" END - 70 AS BIGINT) AS m1 FROM "people" AS s0 JOIN "customer" AS s1 ON s0."person_id" = s1."custkey" WHERE s0."person_id" IS NOT NULL AND s1."custkey" IS NOT NULL AND s0."age" > 20) AS r GROUP BY u, v, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c LIMIT 16777217;
-- unit person and customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: person, customer
-- scaled down to a clip of the L2 norm
-- k0: values 'F', 'M'
-- m0: SUM -35184372088832..35184372088832 step 0.01
-- m1: CENTRED -105226698752..107374182400 step 1
-- m2: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0.k0 AS "sex", dpproxy_0.o0 AS "sum", dpproxy_0.o1 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[]), CAST($3 AS DECIMAL[])) AS r("k0", "o0", "o1")) AS "dpproxy_0"

-- keys of a public table
SELECT n.nation, count(*) FROM people p JOIN customer c ON p.person_id = c.custkey JOIN nation n USING (nationkey) GROUP BY n.nation;
-- =>
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT * FROM (SELECT u, v, k0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."person_id" AS u, s1."custkey" AS v, s2."nation" AS k0 FROM "people" AS s0 JOIN "customer" AS s1 ON s0."person_id" = s1."custkey" JOIN "nation" AS s2 ON s1."nationkey" = s2."nationkey" WHERE s0."person_id" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c LIMIT 16777217;
-- unit person and customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: person, customer
-- scaled down to a clip of the L2 norm
-- k0: column 0 of SELECT DISTINCT s2."nation" AS d0 FROM "nation" AS s2
-- m0: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0.k0 AS "nation", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- a scalar that was released before
SELECT count(*) FILTER (WHERE p.age > (SELECT avg(age) FROM people)) FROM people p JOIN customer c ON p.person_id = c.custkey;
-- =>
SELECT CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0, COUNT(*) AS m1 FROM (SELECT s0."person_id" AS u, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END - 60 AS BIGINT) AS m0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) AS r;
-- unit person: 1 rows, 1 keys (NO_KEYS)
-- m0: CENTRED -60..60 step 1
-- m1: ROWS 0..1 step 1
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT u, v, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 2147483648) AS m0 FROM (SELECT s0."person_id" AS u, s1."custkey" AS v, CASE WHEN CAST(s0."age" AS DOUBLE) > (SELECT t."c0" FROM (SELECT q1_s0."o0" AS c0 FROM (SELECT UNNEST(CAST($r0c0 AS DOUBLE[])) AS o0) AS q1_s0) AS t) THEN 1 END AS m0 FROM "people" AS s0 JOIN "customer" AS s1 ON s0."person_id" = s1."custkey" WHERE s0."person_id" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit person and customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: person, customer
-- scaled down to a clip of the L2 norm
-- m0: VALUES 0..2147483648 step 1
-- inputs: r0c0
-- post: SELECT dpproxy_1.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_1"

-- what is public beside them, or none
SELECT n.nation, count(*) FROM people p JOIN customer c ON p.person_id = c.custkey LEFT JOIN nation n ON n.nationkey = c.nationkey GROUP BY n.nation;
-- =>
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT * FROM (SELECT u, v, k0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."person_id" AS u, s1."custkey" AS v, s2."nation" AS k0 FROM "people" AS s0 JOIN "customer" AS s1 ON s0."person_id" = s1."custkey" LEFT JOIN "nation" AS s2 ON s2."nationkey" = s1."nationkey" WHERE s0."person_id" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c LIMIT 16777217;
-- unit person and customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: person, customer
-- scaled down to a clip of the L2 norm
-- k0: column 0 of SELECT DISTINCT s2."nation" AS d0 FROM "nation" AS s2 or NULL
-- m0: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0.k0 AS "nation", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_0"

-- subqueries over public tables
SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM nation n WHERE n.nationkey = p.age)) FROM people p JOIN customer c ON p.person_id = c.custkey WHERE c.nationkey NOT IN (SELECT nationkey FROM nation WHERE nation = 'FRANCE');
-- =>
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT u, v, LEAST(GREATEST(COALESCE(SUM(m0), 0), 0), 2147483648) AS m0 FROM (SELECT s0."person_id" AS u, s1."custkey" AS v, CASE WHEN EXISTS(SELECT 1 FROM "nation" AS q1_s0 WHERE q1_s0."nationkey" = s0."age") THEN 1 END AS m0 FROM "people" AS s0 JOIN "customer" AS s1 ON s0."person_id" = s1."custkey" WHERE s0."person_id" IS NOT NULL AND s1."custkey" IS NOT NULL AND NOT EXISTS(SELECT 1 FROM "nation" AS q1_s0 WHERE q1_s0."nation" = 'FRANCE' AND s1."nationkey" = q1_s0."nationkey")) AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit person and customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: person, customer
-- scaled down to a clip of the L2 norm
-- m0: VALUES 0..2147483648 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- a derived table beside rows of another unit
SELECT count(*) FROM people p JOIN (SELECT custkey FROM customer WHERE acctbal > 0) o ON p.person_id = o.custkey;
-- =>
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT u, v, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."person_id" AS u, s1."custkey" AS v FROM "people" AS s0 CROSS JOIN "customer" AS s1 WHERE s0."person_id" IS NOT NULL AND s1."custkey" IS NOT NULL AND s1."acctbal" > 0 AND s0."person_id" = s1."custkey") AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit person and customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: person, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- rows of two units in a derived table, whose expressions are keys, conditions and what is added
SELECT t.s, t.one, sum(t.x * 2), count(*) FROM (SELECT p.sex AS s, 1 AS one, p.age - 20 AS x FROM people p, customer c WHERE p.person_id = c.custkey AND p.age > 10) t WHERE t.x > 5 OR t.s = 'F' GROUP BY t.s, t.one ORDER BY t.s;
-- =>
SELECT k0, k1, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0, m1 FROM (SELECT * FROM (SELECT u, v, k0, k1, LEAST(GREATEST(COALESCE(SUM(m0), 0), -38654705664), 429496729600) AS m0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m1 FROM (SELECT s0."person_id" AS u, s1."custkey" AS v, s0."sex" AS k0, 1 AS k1, CAST(CASE WHEN ((CAST(s0."age" AS BIGINT) - CAST(20 AS BIGINT)) * CAST(2 AS BIGINT)) > 200 THEN 200 WHEN ((CAST(s0."age" AS BIGINT) - CAST(20 AS BIGINT)) * CAST(2 AS BIGINT)) < (-18) THEN -18 ELSE (CAST(s0."age" AS BIGINT) - CAST(20 AS BIGINT)) * CAST(2 AS BIGINT) END AS BIGINT) AS m0 FROM "people" AS s0 CROSS JOIN "customer" AS s1 WHERE s0."person_id" IS NOT NULL AND s1."custkey" IS NOT NULL AND (((CAST(s0."age" AS BIGINT) - CAST(20 AS BIGINT)) > 5) OR (s0."sex" = 'F')) AND s0."person_id" = s1."custkey" AND s0."age" > 10) AS r GROUP BY u, v, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') AND k1 IN (1) END) AS c LIMIT 16777217;
-- unit person and customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: person, customer
-- scaled down to a clip of the L2 norm
-- k0: values 'F', 'M'
-- k1: values 1
-- m0: SUM -38654705664..429496729600 step 1
-- m1: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0.k0 AS "s", dpproxy_0.k1 AS "one", dpproxy_0.o0 AS "sum", dpproxy_0.o1 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS INT[]), CAST($3 AS BIGINT[]), CAST($4 AS BIGINT[])) AS r("k0", "k1", "o0", "o1")) AS "dpproxy_0" ORDER BY "s"

-- a derived table in a query of WITH that is read once, and a public table that an outer join may leave out
WITH t AS (SELECT * FROM (SELECT p.age, c.nationkey FROM people p JOIN customer c ON p.person_id = c.custkey) q WHERE q.age > 30) SELECT n.nation, avg(t.age) FROM t LEFT JOIN nation n ON n.nationkey = t.nationkey GROUP BY n.nation;
-- =>
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0, m1 FROM (SELECT * FROM (SELECT u, v, k0, LEAST(GREATEST(COALESCE(SUM(m0), 0), -94489280512), 96636764160) AS m0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m1 FROM (SELECT s0."person_id" AS u, s1."custkey" AS v, s2."nation" AS k0, CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 31 THEN 31 ELSE s0."age" END - 75 AS BIGINT) AS m0 FROM "people" AS s0 JOIN "customer" AS s1 ON s0."person_id" = s1."custkey" LEFT JOIN "nation" AS s2 ON s2."nationkey" = s1."nationkey" WHERE s0."person_id" IS NOT NULL AND s1."custkey" IS NOT NULL AND s0."age" > 30) AS r GROUP BY u, v, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN STRPOS(k0, CHR(0)) = 0 OR k0 IS NULL END) AS c LIMIT 16777217;
-- unit person and customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: person, customer
-- scaled down to a clip of the L2 norm
-- k0: column 0 of SELECT DISTINCT s2."nation" AS d0 FROM "nation" AS s2 or NULL
-- m0: CENTRED -94489280512..96636764160 step 1
-- m1: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0.k0 AS "nation", dpproxy_0.o0 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS DECIMAL[])) AS r("k0", "o0")) AS "dpproxy_0"

-- grouping sets are releases of their own
SELECT p.sex, n.nation, count(*), grouping(p.sex, n.nation) FROM people p JOIN customer c ON p.person_id = c.custkey JOIN nation n USING (nationkey) GROUP BY ROLLUP (p.sex, n.nation);
-- =>
SELECT k0, k1, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT * FROM (SELECT u, v, k0, k1, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."person_id" AS u, s1."custkey" AS v, s0."sex" AS k0, s2."nation" AS k1 FROM "people" AS s0 JOIN "customer" AS s1 ON s0."person_id" = s1."custkey" JOIN "nation" AS s2 ON s1."nationkey" = s2."nationkey" WHERE s0."person_id" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') AND (STRPOS(k1, CHR(0)) = 0 OR k1 IS NULL) END) AS c LIMIT 16777217;
-- unit person and customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: person, customer
-- scaled down to a clip of the L2 norm
-- k0: values 'F', 'M'
-- k1: column 0 of SELECT DISTINCT s2."nation" AS d0 FROM "nation" AS s2
-- m0: ROWS 0..2147483648 step 1
SELECT k0, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT * FROM (SELECT u, v, k0, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."person_id" AS u, s1."custkey" AS v, s0."sex" AS k0 FROM "people" AS s0 JOIN "customer" AS s1 ON s0."person_id" = s1."custkey" JOIN "nation" AS s2 ON s1."nationkey" = s2."nationkey" WHERE s0."person_id" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, k0) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('F', 'M') END) AS c LIMIT 16777217;
-- unit person and customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: person, customer
-- scaled down to a clip of the L2 norm
-- k0: values 'F', 'M'
-- m0: ROWS 0..2147483648 step 1
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT u, v, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."person_id" AS u, s1."custkey" AS v FROM "people" AS s0 JOIN "customer" AS s1 ON s0."person_id" = s1."custkey" JOIN "nation" AS s2 ON s1."nationkey" = s2."nationkey" WHERE s0."person_id" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit person and customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: person, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0_sets.k0 AS "sex", dpproxy_0_sets.k1 AS "nation", dpproxy_0_sets.a0 AS "count", dpproxy_0_sets.a1 AS "grouping" FROM (SELECT dpproxy_0.k0 AS k0, dpproxy_0.k1 AS k1, dpproxy_0.o0 AS a0, 0 AS a1 FROM (SELECT * FROM UNNEST(CAST($2 AS TEXT[]), CAST($3 AS TEXT[]), CAST($4 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0" UNION ALL SELECT dpproxy_1.k0 AS k0, CAST(NULL AS TEXT) AS k1, dpproxy_1.o0 AS a0, 1 AS a1 FROM (SELECT * FROM UNNEST(CAST($5 AS TEXT[]), CAST($6 AS BIGINT[])) AS r("k0", "o0")) AS "dpproxy_1" UNION ALL SELECT CAST(NULL AS TEXT) AS k0, CAST(NULL AS TEXT) AS k1, dpproxy_2.o0 AS a0, 3 AS a1 FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_2") AS dpproxy_0_sets

-- two units of one kind that a key puts together
SELECT count(*), avg(c.acctbal) FROM lineitem l JOIN customer c ON c.custkey = l.linenumber WHERE l.flag = 'A';
-- =>
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0, m1 FROM (SELECT u, v, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), -35184372088832), 35184372088832) AS m1 FROM (SELECT h0."custkey" AS u, s1."custkey" AS v, CAST(CASE WHEN (CAST(s1."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE)) > 1000000 THEN 1000000 WHEN (CAST(s1."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE)) < (-100000) THEN -100000 ELSE (CAST(s1."acctbal" AS DOUBLE) * CAST('100.0' AS DOUBLE)) END - 450000 AS BIGINT) AS m1 FROM "lineitem" AS s0 JOIN "customer" AS s1 ON s1."custkey" = s0."linenumber" JOIN "orders" AS h0 ON s0."orderkey" = h0."orderkey" WHERE h0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL AND s0."flag" = 'A') AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
-- m1: CENTRED -35184372088832..35184372088832 step 0.01
-- post: SELECT dpproxy_0.o0 AS "count", dpproxy_0.o1 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS DECIMAL[])) AS r("o0", "o1")) AS "dpproxy_0"

-- a table that refers to itself
SELECT a.priority, b.priority, count(*) FROM orders a JOIN orders b ON b.orderkey = a.custkey GROUP BY 1, 2;
-- =>
SELECT k0, k1, CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT * FROM (SELECT u, v, k0, k1, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."custkey" AS u, s1."custkey" AS v, s0."priority" AS k0, s1."priority" AS k1 FROM "orders" AS s0 JOIN "orders" AS s1 ON s1."orderkey" = s0."custkey" WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL) AS r GROUP BY u, v, k0, k1) AS q WHERE CASE WHEN m0 & 0 = 0 THEN k0 IN ('1-URGENT', '5-LOW') AND k1 IN ('1-URGENT', '5-LOW') END) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- k0: values '1-URGENT', '5-LOW'
-- k1: values '1-URGENT', '5-LOW'
-- m0: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0.k0 AS "_column_0", dpproxy_0.k1 AS "_column_1", dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS r("k0", "k1", "o0")) AS "dpproxy_0"

-- a query of WITH over rows of two units that is read twice
WITH t AS (SELECT p.age, p.person_id FROM people p JOIN customer c ON p.person_id = c.custkey) SELECT count(*) FROM t JOIN t u ON t.person_id = u.person_id;
-- =>
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0 FROM (SELECT u, v, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0 FROM (SELECT s0."person_id" AS u, s1."custkey" AS v FROM "people" AS s0 JOIN "customer" AS s1 ON s0."person_id" = s1."custkey" CROSS JOIN "people" AS s2 JOIN "customer" AS s3 ON s2."person_id" = s3."custkey" WHERE s0."person_id" IS NOT NULL AND s1."custkey" IS NOT NULL AND s0."person_id" = s2."person_id") AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit person and customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: person, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
-- post: SELECT dpproxy_0.o0 AS "count" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[])) AS r("o0")) AS "dpproxy_0"

-- queries of WITH of one unit's rows each, which a key puts together
WITH urgent AS (SELECT orderkey, custkey, orderdate FROM orders WHERE priority = '1-URGENT'), low AS (SELECT orderkey, orderdate FROM orders WHERE priority = '5-LOW') SELECT count(*), avg(l.orderdate - u.orderdate) FROM urgent u JOIN low l ON l.orderkey = u.custkey;
-- =>
SELECT CAST(HASH(u) % 9223372036854775807 AS BIGINT) AS i, CAST(HASH(v) % 9223372036854775807 AS BIGINT) AS j, m0, m1 FROM (SELECT u, v, LEAST(GREATEST(COUNT(*), 0), 2147483648) AS m0, LEAST(GREATEST(COALESCE(SUM(m1), 0), -5488968204288), 5488968204288) AS m1 FROM (SELECT t.u AS u, t.x1 AS v, CAST(CASE WHEN t.g0 > 2556 THEN 2556 WHEN t.g0 < (-2556) THEN -2556 ELSE t.g0 END AS BIGINT) AS m1 FROM (SELECT s0."custkey" AS u, s1."custkey" AS x1, CAST(CASE WHEN s1."orderdate" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s1."orderdate" END - CASE WHEN s0."orderdate" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN s0."orderdate" END AS BIGINT) AS g0 FROM "orders" AS s0 CROSS JOIN "orders" AS s1 WHERE s0."custkey" IS NOT NULL AND s1."custkey" IS NOT NULL AND s0."priority" = '1-URGENT' AND s1."priority" = '5-LOW' AND s1."orderkey" = s0."custkey") AS t WHERE t.u IS NOT NULL) AS r GROUP BY u, v) AS c LIMIT 16777217;
-- unit customer: 2147483648 rows, 2147483648 keys (NORM_CLIPPED)
-- of pairs: customer, customer
-- scaled down to a clip of the L2 norm
-- m0: ROWS 0..2147483648 step 1
-- m1: CENTRED -5488968204288..5488968204288 step 1
-- post: SELECT dpproxy_0.o0 AS "count", dpproxy_0.o1 AS "avg" FROM (SELECT * FROM UNNEST(CAST($1 AS BIGINT[]), CAST($2 AS DECIMAL[])) AS r("o0", "o1")) AS "dpproxy_0"
