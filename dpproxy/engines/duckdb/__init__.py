"""DuckDB: one file, held read-only.

dialect   how trees become its texts; pure
driver    the engine; request_thread, parsed_texts: how a request runs; memory: what requests share; file_digest: what
          names the rows
schema    what a file holds

Checked by: tests/test_engine_duckdb.py, tests/test_expressions.py, tests/test_start.py.
"""
