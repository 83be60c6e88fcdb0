"""The questions to a Postgres's catalog. They need no privilege on any table, and hold from 13 to the newest."""

from __future__ import annotations

# The schema whose tables go by their names alone.
DEFAULT = "SELECT coalesce(current_schema(), 'public') AS name"

_OURS = """n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"""

RELATIONS = f"""
SELECT c.oid, n.nspname, c.relname, c.relkind::text AS kind, c.relispartition AS partition,
  c.relrowsecurity AS row_security, obj_description(c.oid, 'pg_class') AS comment,
  c.relkind = 'r' AND EXISTS (SELECT 1 FROM pg_inherits AS i WHERE i.inhparent = c.oid) AS inherited,
  EXISTS (SELECT 1 FROM pg_inherits AS i WHERE i.inhrelid = c.oid) AND NOT c.relispartition AS inherits
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relpersistence <> 't' AND {_OURS}
ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C" """

COLUMNS = """
SELECT a.attrelid AS relation, a.attnum AS number, a.attname AS name, a.atttypid AS type_oid,
  format_type(a.atttypid, a.atttypmod) AS type, a.attgenerated::text AS generated,
  a.attnotnull AND NOT EXISTS (
    SELECT 1 FROM pg_constraint AS k WHERE k.conrelid = a.attrelid AND k.contype = 'n' AND NOT k.convalidated
    AND a.attnum = ANY(k.conkey)) AS required,
  col_description(a.attrelid, a.attnum) AS comment, coalesce(NOT l.collisdeterministic, false) AS loose
FROM pg_attribute AS a LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
WHERE a.attrelid = ANY(%s) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attrelid, a.attnum"""

DOMAINS = """
SELECT t.oid, t.typbasetype AS base, format_type(t.typbasetype, t.typtypmod) AS type, t.typnotnull AS required,
  array(SELECT pg_get_expr(c.conbin, 0) FROM pg_constraint AS c
        WHERE c.contypid = t.oid AND c.contype = 'c' ORDER BY c.conname COLLATE "C") AS checks
FROM pg_type AS t WHERE t.typtype = 'd' """

LABELS = """
SELECT enumtypid AS type_oid, array_agg(enumlabel::text ORDER BY enumsortorder) AS labels FROM pg_enum GROUP BY 1"""

# Enforced at once, over all rows and on plain columns.
KEYS = """
SELECT indrelid AS relation, (indkey::int2[])[0:indnkeyatts - 1] AS numbers, indisprimary AS is_primary
FROM pg_index WHERE indrelid = ANY(%s) AND indisunique AND indimmediate AND indisvalid AND NOT indisexclusion
AND indpred IS NULL AND indexprs IS NULL"""

# Without those that a foreign key to a partitioned table has for each of the partitions.
CONSTRAINTS = """
SELECT conrelid AS relation, contype::text AS kind, conkey AS numbers, confrelid AS target, confkey AS targets,
  pg_get_expr(conbin, conrelid) AS condition
FROM pg_constraint WHERE conrelid = ANY(%s) AND contype IN ('c', 'f') AND conparentid = 0
ORDER BY conrelid, conname COLLATE "C" """
