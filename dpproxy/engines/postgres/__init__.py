"""Postgres, and whatever speaks as it does.

dialect      how trees become its texts; pure
driver       the engine; pool, transaction, settings, inputs: its connections, and what is sent on them
schema, role what a database holds, and what may be read of it

Checked by: tests/test_engine_postgres.py, tests/test_expressions_in_postgres.py.
"""
