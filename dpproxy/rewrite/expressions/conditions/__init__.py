"""Conditions: what they say of the values in their rows, and choices between values by them.

written_conditions   the parts of a condition, and what holds where it fails
narrowing            what WHERE and CASE say of columns and other expressions
unmet                conditions that no row meets, if the policy is right
conditional          CASE, COALESCE, NULLIF
extremes             GREATEST and LEAST

Checked by: tests/test_expressions.py, tests/test_expressions_in_postgres.py.
"""
