"""What makes one row slow, or leaves a trace of it: functions that sleep, have effects or never say the same twice, and
functions whose work is as large as a private value. Each stands for a condition, in every place that takes one.
"""

from __future__ import annotations

from typing import Final

# Zelda, and nobody else, makes the engine come to it.
FOR_ZELDA: Final = "CASE WHEN p.person_id = 1000 THEN {evil} ELSE false END"

PLACES: Final = {
    "where": "SELECT count(*) FROM people p WHERE {evil}",
    "filter": "SELECT count(*) FILTER (WHERE {evil}) FROM people p",
    "measure": "SELECT sum(CASE WHEN {evil} THEN 1 ELSE 0 END) FROM people p",
    "key": "SELECT {evil} AS k, count(*) FROM people p GROUP BY 1",
    "on": "SELECT count(*) FROM people p JOIN visits v ON v.person_id = p.person_id AND {evil}",
    "left join": "SELECT count(*) FROM people p LEFT JOIN visits v ON v.person_id = p.person_id AND {evil}",
    "public join": "SELECT count(*) FROM people p JOIN departments d ON {evil}",
    "having": "SELECT sex, count(*) FROM people p GROUP BY sex HAVING bool_or({evil})",
    "order by": "SELECT sex, count(*) FROM people p GROUP BY sex ORDER BY bool_or({evil})",
    "order of rows": "SELECT count(*) FROM (SELECT 1 AS one FROM people p ORDER BY {evil} LIMIT 500) s",
    "derived": "SELECT count(*) FROM (SELECT {evil} AS x FROM people p) s WHERE x",
    "cte": "WITH s AS (SELECT {evil} AS x FROM people p) SELECT count(*) FROM s WHERE x",
    "exists": "SELECT count(*) FROM people q WHERE EXISTS (SELECT 1 FROM people p WHERE p.person_id = q.person_id AND {evil})",
    "scalar": "SELECT (SELECT count(*) FROM people p WHERE {evil}) AS n",
    "lateral": "SELECT count(*) FROM people p, LATERAL (SELECT {evil} AS x) s WHERE x",
    "partition": "SELECT sum(n) FROM (SELECT count(*) OVER (PARTITION BY {evil}) AS n FROM people p) s",
    "window order": "SELECT count(*) FROM (SELECT rank() OVER (ORDER BY {evil}) AS n FROM people p) s WHERE n = 1",
    "per person": "SELECT count(*) FROM (SELECT p.person_id FROM people p GROUP BY p.person_id HAVING bool_or({evil})) s",
    "union": "SELECT count(*) FROM (SELECT p.person_id FROM people p WHERE {evil} UNION ALL SELECT person_id FROM people) s",
    "distinct on": "SELECT count(*) FROM (SELECT DISTINCT {evil} AS x FROM people p) s",
    "recursion": "WITH RECURSIVE s AS (SELECT {evil} AS x FROM people p UNION SELECT x FROM s) SELECT count(*) FROM s",
}
