-- UNION, INTERSECT and EXCEPT of relations of one unit.

-- rows: union all
({visits}) UNION ALL ({ages})
-- ! UNION ALL => UNION ALL BY NAME :: list
-- ! ({ages}) => (SELECT s0."age" AS u, s0."city" AS k0 FROM "people" AS s0 WHERE s0."age" IS NOT NULL) :: not a unit key
-- ! ({ages}) => (SELECT s0."custkey" AS u, s0."segment" AS k0 FROM "customer" AS s0 WHERE s0."custkey" IS NOT NULL) :: two units
-- ! ({ages}) => (SELECT s0."nationkey" AS u, s0."nation" AS k0 FROM "nation" AS s0) :: first item is not a unit key
-- ! ({ages}) => (SELECT s0."person_id" AS u, s0."city" AS k0, s0."age" AS k1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) :: different columns
-- ! ({ages}) => (SELECT s0."city" AS k0, s0."person_id" AS u FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) :: not a unit key
-- ! ({ages}) => (SELECT s0."person_id" AS w, s0."city" AS k0 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL) :: not called u
-- ! ({ages}) => ({ages}) ORDER BY 1 :: order
-- ! ({ages}) => ({ages}) LIMIT 5 :: limit
-- ! ({ages}) => ({ages}) UNION ALL ({visits}) :: without parentheses
-- ! ({ages}) => ({ages} LIMIT 5) :: a limit clause
-- ! IS NOT NULL) UNION => OR TRUE) UNION :: without a unit

-- rows: union
{visits} UNION {ages}

-- rows: intersect
({visits}) INTERSECT ({ages})

-- rows: except all
({visits}) EXCEPT ALL ({ages})

-- single: except, the left of one row
({ages}) EXCEPT ({visits})
-- ! EXCEPT => UNION :: not proved: one row per unit
-- ! EXCEPT => UNION ALL :: not proved: one row per unit

-- single: intersect all, the left of one row
({ages}) INTERSECT ALL ({visits})

-- rows: three of them
(({visits}) UNION ({ages})) EXCEPT ({visits})
-- ! ) EXCEPT ({visits}) => ) EXCEPT (SELECT s0."custkey" AS u, s0."segment" AS k0 FROM "customer" AS s0 WHERE s0."custkey" IS NOT NULL) :: two units

-- rows: a level over one
SELECT s0."u" AS u, s0."c0" AS k0 FROM (({v}) UNION ALL ({v})) AS s0 WHERE s0."u" IS NOT NULL
-- ! WHERE s0."u" IS NOT NULL =>   :: without a unit
-- ! SELECT s0."u" AS u => SELECT s0."c1" AS u :: not a unit key

-- steady: the key of both sides
SELECT s0."u" AS u, s1."age" AS k0 FROM ((SELECT s0."person_id" AS u, s0."person_id" AS c0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL)
UNION (SELECT s0."person_id" AS u, s0."person_id" AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL)) AS s0
JOIN "people" AS s1 ON s1."person_id" = s0."c0" WHERE s0."u" IS NOT NULL
-- ! s0."person_id" AS c1 => s0."age" AS c1 :: s1 could be of another unit
-- ! s0."person_id" AS c0 => s0."visit_id" AS c0 :: s1 could be of another unit
-- ! JOIN "people" AS s1 ON s1."person_id" = s0."c0" => JOIN "people" AS s1 ON s1."person_id" = s0."c1" :: s1 could be of another unit
-- ! s0."person_id" AS c1 => CAST(s0."person_id" AS DOUBLE PRECISION) AS c1 :: s1 could be of another unit

-- steady: the key of the left side
SELECT s0."u" AS u, s1."age" AS k0 FROM ((SELECT s0."person_id" AS u, s0."person_id" AS c0 FROM "visits" AS s0 WHERE s0."person_id" IS NOT NULL)
EXCEPT (SELECT s0."person_id" AS u, s0."age" AS c1 FROM "people" AS s0 WHERE s0."person_id" IS NOT NULL)) AS s0
JOIN "people" AS s1 ON s1."person_id" = s0."c0" WHERE s0."u" IS NOT NULL
-- ! EXCEPT ( => UNION ALL ( :: s1 could be of another unit
