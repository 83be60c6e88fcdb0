"""Text: functions of it, and other values written as text. Patterns are in `patterns`.

growth          how much longer functions may make a text
texts           case, trimming, length, search, replacement
letters         ascii, chr, translate, reverse, initcap
substrings      substring, left, right, split_part
concatenation   ||, concat, concat_ws, repeat, lpad and rpad

Checked by: tests/test_expressions.py, tests/test_expressions_in_postgres.py.
"""
