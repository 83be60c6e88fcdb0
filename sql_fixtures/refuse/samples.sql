-- blocks of a table
SELECT count(*) FROM people TABLESAMPLE SYSTEM (10);
-- instead:
SELECT count(*) FROM people TABLESAMPLE BERNOULLI (10);
-- =>
-- 0A000 at 49 ('10)'): TABLESAMPLE SYSTEM is not supported over private tables
-- HINT: Write TABLESAMPLE BERNOULLI (10): each privacy unit is in the sample by itself, with all its rows or with none.

-- a method of nobody
SELECT count(*) FROM people TABLESAMPLE reservoir (10);
-- instead:
SELECT count(*) FROM people TABLESAMPLE BERNOULLI (10);
-- =>
-- 0A000 at 52 ('10)'): TABLESAMPLE RESERVOIR is not supported over private tables
-- HINT: Write TABLESAMPLE BERNOULLI (10): each privacy unit is in the sample by itself, with all its rows or with none.

-- a sample that can be known
SELECT count(*) FROM visits v TABLESAMPLE BERNOULLI (10) REPEATABLE (42);
-- instead:
SELECT count(*) FROM visits v TABLESAMPLE BERNOULLI (10);
-- =>
-- 0A000 at 70 ('42)'): REPEATABLE is not supported over private tables: a sample that can be known beforehand protects nobody
-- HINT: Leave it out. The same statement again is answered from its stored release, with the same sample.

-- nobody
SELECT count(*) FROM people TABLESAMPLE BERNOULLI (0);
-- instead:
SELECT count(*) FROM people TABLESAMPLE BERNOULLI (1);
-- =>
-- 2202H at 52 ('0)'): sample percentage must be above 0 and at most 100
-- HINT: Write TABLESAMPLE BERNOULLI (10) for about a tenth of the units.

-- more than all
SELECT count(*) FROM people TABLESAMPLE BERNOULLI (100.5);
-- instead:
SELECT count(*) FROM people TABLESAMPLE BERNOULLI (100);
-- =>
-- 2202H at 52 ('100.5)'): sample percentage must be above 0 and at most 100
-- HINT: Write TABLESAMPLE BERNOULLI (10) for about a tenth of the units.

-- a public table
SELECT count(*) FROM visits v JOIN departments d TABLESAMPLE BERNOULLI (10) ON v.dept = d.dept;
-- instead:
SELECT count(*) FROM visits v TABLESAMPLE BERNOULLI (10) JOIN departments d ON v.dept = d.dept;
-- =>
-- 0A000 at 36 ('departments '): in a statement over private tables TABLESAMPLE is for these alone
-- HINT: Keep a sample of the public table in a table of your own, and join that.

-- a public table in a subquery
SELECT count(*) FROM visits WHERE dept IN (SELECT dept FROM departments TABLESAMPLE SYSTEM (10));
-- instead:
SELECT count(*) FROM visits WHERE dept IN (SELECT dept FROM departments);
-- =>
-- 0A000 at 61 ('departments '): in a statement over private tables TABLESAMPLE is for these alone
-- HINT: Keep a sample of the public table in a table of your own, and join that.

-- an outer join that keeps those who are not in the sample
SELECT count(*) FROM people p LEFT JOIN visits v TABLESAMPLE BERNOULLI (10) ON v.person_id = p.person_id;
-- instead:
SELECT count(*) FROM people p TABLESAMPLE BERNOULLI (10) LEFT JOIN visits v ON v.person_id = p.person_id;
-- =>
-- DP002 at 41 ('visits v TAB'): the outer join would keep rows of "p" of units that are not in the sample
-- HINT: Write the same TABLESAMPLE after both tables.

-- the same the other way round
SELECT count(*) FROM people p TABLESAMPLE BERNOULLI (10) RIGHT JOIN visits v ON v.person_id = p.person_id;
-- instead:
SELECT count(*) FROM people p RIGHT JOIN visits v TABLESAMPLE BERNOULLI (10) ON v.person_id = p.person_id;
-- =>
-- DP002 at 22 ('people p TAB'): the outer join would keep rows of "v" of units that are not in the sample
-- HINT: Write the same TABLESAMPLE after both tables.

-- one side of a full join
SELECT count(*) FROM people p TABLESAMPLE BERNOULLI (10) FULL JOIN visits v ON v.person_id = p.person_id;
-- instead:
SELECT count(*) FROM people p TABLESAMPLE BERNOULLI (10) FULL JOIN visits v TABLESAMPLE BERNOULLI (10) ON v.person_id = p.person_id;
-- =>
-- DP002 at 22 ('people p TAB'): the outer join would keep rows of "v" of units that are not in the sample
-- HINT: Write the same TABLESAMPLE after both tables.

-- two samples
SELECT count(*) FROM people p TABLESAMPLE BERNOULLI (20) JOIN visits v TABLESAMPLE BERNOULLI (10) ON v.person_id = p.person_id;
-- instead:
SELECT count(*) FROM people p TABLESAMPLE BERNOULLI (10) JOIN visits v TABLESAMPLE BERNOULLI (10) ON v.person_id = p.person_id;
-- =>
-- DP002 at 63 ('visits v TAB'): samples of two sizes in one join
-- HINT: Write the same percentage after each table, or TABLESAMPLE after one of them alone.

-- in a subquery of an expression
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v TABLESAMPLE BERNOULLI (10) WHERE v.person_id = p.person_id);
-- instead:
SELECT count(*) FROM people p TABLESAMPLE BERNOULLI (10) WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id);
-- =>
-- DP002 at 59 ('visits v TAB'): TABLESAMPLE in a subquery of an expression over private rows is not supported
-- HINT: Write it after a table in FROM of the query itself: the whole unit is in the sample, or not.

-- one side of a set operation
SELECT count(*) FROM (SELECT person_id FROM people TABLESAMPLE BERNOULLI (10) UNION ALL SELECT person_id FROM visits) t;
-- instead:
SELECT count(*) FROM (SELECT person_id FROM people TABLESAMPLE BERNOULLI (10) UNION ALL SELECT person_id FROM visits TABLESAMPLE BERNOULLI (10)) t;
-- =>
-- DP002 at 30 ('person_id FR'): a set operation of rows of a sample and of others
-- HINT: Write the same TABLESAMPLE on both sides.
