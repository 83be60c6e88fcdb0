"""What `dpproxy check --data` finds out by looking at rows: for the owner's eyes, and nobody else's.

asked     a text in the engine's words
keys      is what the policy claims to be unique so?
tables    one query a table: rows of a unit, rows of nobody, values that the policy does not expect
values    which of a column's values no row has, and which others rows have
findings  what that means for the policy, and what to write

What it tells is not private, and nothing that serves analysts calls it.

Checked by: tests/test_check_data.py.
"""
