"""DuckDB: one file, held read-only.

dialect   how trees become its texts; pure
driver    the engine; memory, file_digest: what it shares, and what names its rows
schema    what a file holds

Checked by: tests/test_engine_duckdb.py, tests/test_expressions.py, tests/test_start.py.
"""
