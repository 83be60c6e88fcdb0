"""What is known of values: types, bounds, finite sets of values, presence.

fact     of one expression: what is believed, and what is proved
ranges   interval arithmetic, exact or rounded outwards
known    what conditions say, of columns and of other expressions

Checked by: tests/test_expressions.py, tests/test_expressions_in_postgres.py.
"""
