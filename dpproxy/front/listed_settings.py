"""The proxy's settings among those that Postgres lists: `\\dconfig dp.*` has them with their values and meanings.

To Postgres they are names that nobody declared, which it keeps out of `pg_settings`. So the view has them besides; what
is set stays what SET and SHOW say: its UPDATE, which Postgres lets everybody do, is nobody's.

Checked by: tests/clients/test_catalog.py.
"""

from __future__ import annotations

from typing import Final

from psycopg import sql

from dpproxy.plan.session_settings import MEANINGS

_OWN: Final = sql.SQL(", ").join(
    sql.SQL("({}, {})").format(sql.Literal(f"dp.{name}"), sql.Literal(meaning)) for name, meaning in MEANINGS.items()
)
WITH_THE_PROXYS_OWN: Final = sql.SQL("""
CREATE OR REPLACE VIEW pg_catalog.pg_settings AS
SELECT name, setting, unit, category, short_desc, extra_desc, context, vartype, source, min_val, max_val, enumvals,
    boot_val, reset_val, sourcefile, sourceline, pending_restart
FROM pg_catalog.pg_show_all_settings()
UNION ALL
SELECT own.name, coalesce(pg_catalog.current_setting(own.name, true), ''), NULL, 'Differential privacy', own.meaning,
    NULL, 'user', 'string', 'session', NULL, NULL, NULL, '', '', NULL, NULL, false
FROM (VALUES {}) AS own(name, meaning);
REVOKE UPDATE ON pg_catalog.pg_settings FROM PUBLIC
""").format(_OWN)
