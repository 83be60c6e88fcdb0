"""Intervals of time: constants, differences, sums, and multiples. An interval is months, days and microseconds.

units             units of time by all their names, and how long each is
spans             constant intervals, and calendar arithmetic on Python's dates
written_spans     interval constants as they are written
whole_numbers     arithmetic on the whole numbers that intervals consist of
elapsed           days and microseconds between moments
durations         intervals of rows: differences, ages, and their sums
scaling           intervals times and divided by numbers, INTERVAL '…' and make_interval
duration_fields   EXTRACT of them

Checked by: tests/test_expressions.py, tests/test_expressions_in_postgres.py.
"""
