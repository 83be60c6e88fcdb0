"""Syntax trees, the same for every subject: pieces of SQL for the engine, and the analyst's nodes in errors.

build      small pieces of trees, and notes to the engine's renderer
position   where in the analyst's text an expression stands
refusals   what is wrong, where, and what to write instead

Checked by: tests/test_expressions.py, tests/test_expressions_in_postgres.py.
"""
