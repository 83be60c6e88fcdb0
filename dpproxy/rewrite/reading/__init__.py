"""From text to a tree whose every name is bound, before any question of privacy.

parse      text -> tree of one SELECT (dialect, extracts: where the parser would say something else)
text_parts rows that are a text's parts (text_arrays: what is asked of their array)
admit      only listed nodes
clock      now() and its like are told the time
constants  VALUES, generate_series and unnest of constants, set apart (series, constant_rows: their rows)
label      the names that Postgres gives to unnamed columns
resolve    every name bound to the policy (aliases: each alias once)

Checked by: tests/test_fixtures.py.
"""
