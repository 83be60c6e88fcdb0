"""Types: which one Postgres gives, and which of the engine's holds the values without raising.

promotion   the type of what combines several values
calendars   the years in which functions of dates and timestamps cannot raise
moments     timestamps with time zone, and what of them depends on a zone
carriers    bigint, numeric(p,s) or double precision: how the engine holds numbers, and compares values
operands    two numbers and an operator between them
limits      a number within limits, or NULL

Checked by: tests/test_expressions.py, tests/test_expressions_in_postgres.py.
"""
