"""The policy as frozen data: tables, columns, domains, units and links. Pure.

Checked by: tests/test_schema_fit.py.
"""
