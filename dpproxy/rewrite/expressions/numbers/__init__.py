"""Numbers: operators and functions, and the whole steps in which a measure adds them up.

arithmetic       + - * and the sign
division         / % and div: NULL for a divisor of 0
rounding         abs, round, floor, ceil and trunc
floating_point   sign, power, roots, logarithms, exp and angles
real             functions of doubles that data alone describes
buckets          width_bucket
functions        the rows of all of them
grid             from values to whole numbers of grid steps

Checked by: tests/test_expressions.py, tests/test_expressions_in_postgres.py.
"""
