"""The private plan: data only. `rewrite` makes it; `release`, `post_arrays`, the checker and the session read it.

Checked by: tests/test_explain.py, tests/test_neighbours.py.
"""
