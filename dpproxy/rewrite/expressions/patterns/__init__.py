"""Patterns: LIKE, SIMILAR TO and regular expressions, each constant and understood alike by every engine.

regexes         regular expressions as trees, and the text that Postgres and RE2 read alike
regex_reading   Postgres's regular expressions, read
regex_extents   how far a match reaches, in Postgres and in RE2
similar         SIMILAR TO as a regular expression
matches         ~ ~* !~ !~*, regexp_like, SIMILAR TO, regexp_replace
like            LIKE and ILIKE

Checked by: tests/test_expressions.py, tests/test_expressions_in_postgres.py.
"""
