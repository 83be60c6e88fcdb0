"""Privacy loss as values: addition, comparison and conversions, always rounded against the spender. Pure.

Checked by: tests/test_accounting.py.
"""
