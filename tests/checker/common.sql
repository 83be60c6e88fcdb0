-- Relations that others are over.

-- define: v
SELECT s0."person_id" AS u, s0."dept" AS c0, s0."visit_id" AS c1, s0."cost" AS c2, s0."day" AS c3
FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL

-- define: p
SELECT s0."person_id" AS u, s0."age" AS c0, s0."city" AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL

-- define: counts
SELECT u, c0, COUNT(*) AS a0, MAX(c3) AS a1 FROM ({v}) AS r GROUP BY u, c0

-- define: each
SELECT u, COUNT(*) AS a0, MIN(c0) AS a1 FROM ({v}) AS r GROUP BY u

-- define: ages
SELECT s0."person_id" AS u, s0."age" % 3 AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL

-- define: visits
SELECT s0."person_id" AS u, s0."visit_id" % 3 AS k0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL
