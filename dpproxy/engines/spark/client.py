"""The client of Spark Connect, as it is imported here: it says nothing by itself.

Its warnings are of pandas, which is not used; its log has errors in the server's own words, which may hold values.

Checked by: tests/spark/test_spark_driver.py.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def _main_has_a_file() -> Iterator[None]:
    """Without one, as in a process that another program's interpreter is, the client takes itself for a test of its
    own, and ends the process."""
    main = sys.modules["__main__"]
    lacks = not hasattr(main, "__file__")
    if lacks:
        main.__file__ = ""
    try:
        yield
    finally:
        if lacks:
            del main.__file__


with warnings.catch_warnings(), _main_has_a_file():
    warnings.simplefilter("ignore")
    from pyspark.errors import PySparkException
    from pyspark.sql.connect import proto
    from pyspark.sql.connect.functions import lit
    from pyspark.sql.connect.plan import SQL
    from pyspark.sql.connect.session import SparkSession

__all__ = ["SQL", "PySparkException", "SparkSession", "lit", "proto"]

for _name in ("pyspark.sql.connect.logging", "SQLQueryContextLogger", "DataFrameQueryContextLogger"):
    logging.getLogger(_name).disabled = True
