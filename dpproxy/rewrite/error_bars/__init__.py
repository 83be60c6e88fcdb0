"""`dp.low(x)` and its like, beside what is released: taken out of the statement for the front, values in their place.

    origins     what a column of the statement for the front is made of
    simulated   an expression over replicates, aggregates and windows too: arrays of what it may be
    placed      each call replaced, by a column of the released rows or by the ends of its replicates
    columns     `SET dp.error_columns`: the ends of each noisy column behind it

Nothing here is read by the engine, and nothing of it changes what is released or what that costs.
Checked by: tests/test_fixtures.py (rewrite/error_bars.sql, refuse/error_bars.sql), tests/test_error_bars.py.
"""
