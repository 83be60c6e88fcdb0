"""Truth: what compares values and what connects conditions.

quantified    ANY, ALL, row values and BETWEEN SYMMETRIC, spelled out
comparison    = <> < <= > >=, BETWEEN, IN, IS [NOT] DISTINCT FROM
connectives   AND, OR, NOT, and IS [NOT] NULL, TRUE, FALSE

Checked by: tests/test_expressions.py, tests/test_expressions_in_postgres.py.
"""
