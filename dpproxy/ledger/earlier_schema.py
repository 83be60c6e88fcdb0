"""A ledger of before 0.5.0, which was in schema `dp` beside what analysts use: moved, and kept from coming back.

The tables stay the ones that they are, with their rows, numbers, indexes and sequences; another schema has them. So the
chain is as it was. A proxy of an older version that still runs finds no function any more, and answers nothing; one
that starts finds no ledger in `dp`, and would make a new one there, with nothing spent. `BARRED` keeps it from that.

Checked by: tests/test_earlier_ledger.py.
"""

from __future__ import annotations

from typing import Final

# Whoever owns a schema made for them may be allowed no other.
SCHEMA: Final = """
DO $$ BEGIN
    IF to_regnamespace('dp_ledger') IS NULL THEN
        CREATE SCHEMA dp_ledger;
        REVOKE ALL ON SCHEMA dp_ledger FROM PUBLIC;
    END IF;
END $$;
"""

# Somebody else may have a schema and a table of these names.
HOLDS_ONE: Final = """SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'accounting'
    WHERE n.nspname = 'dp' AND c.relname = 'ledger' AND c.relkind = 'r'"""

# In the order in which charges lock them, so that those under way are waited for and none waits for this in a circle.
# Versions before lack some of them.
_TABLES: Final = (
    "periods", "resets", "accounts", "ledger", "adoptions", "policies", "carried", "charges", "grants", "alarms",
    "releases", "acceptances", "head", "entries",
)  # fmt: skip
MOVE: Final = "\n".join(f"ALTER TABLE IF EXISTS dp.{name} SET SCHEMA dp_ledger;" for name in _TABLES)

# An older version looks for a relation of this name, takes the ledger for made, and fails at reading it. A type of
# columns is a relation, though no table: lists of tables do not have it. Where this role may make no relation in `dp`,
# its older version could make no ledger there.
BARRED: Final = """
DO $$ BEGIN
    IF to_regnamespace('dp') IS NULL AND has_database_privilege(current_database(), 'CREATE') THEN
        CREATE SCHEMA dp;
    END IF;
    IF has_schema_privilege(to_regnamespace('dp'), 'CREATE') AND NOT EXISTS (
        SELECT FROM pg_class WHERE relnamespace = to_regnamespace('dp') AND relname = 'ledger')
    THEN
        CREATE TYPE dp.ledger AS ();
        REVOKE ALL ON TYPE dp.ledger FROM PUBLIC;
        COMMENT ON TYPE dp.ledger IS
            'The ledger is in schema dp_ledger. This keeps versions of before 0.5.0 from making another one here.';
    END IF;
END $$;
"""
