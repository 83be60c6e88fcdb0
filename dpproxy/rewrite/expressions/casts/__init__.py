"""Casts: NULL for a value that has no room in the new type, or that is no text of it.

from_text   text read as numbers and booleans; as dates and timestamps, see `time.date_reading`
casts       CAST between all types

Checked by: tests/test_expressions.py, tests/test_expressions_in_postgres.py.
"""
