"""Constants: what is the same in every row, and what follows from finitely many of them.

literals    numbers, text, NULL, booleans, and text that stands for a value of another type
arrays      ARRAY[…], '{…}' and parameters, as their elements
arguments   arguments that have to be constant
domains     functions of finite sets of values, and constants folded at plan time

Checked by: tests/test_expressions.py, tests/test_expressions_in_postgres.py.
"""
