"""The client of Spark Connect, as it is imported here: it says nothing by itself.

Its warnings are of pandas, which is not used; its log has errors in the server's own words, which may hold values.

Checked by: tests/spark/test_spark_driver.py.
"""

from __future__ import annotations

import logging
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pyspark.errors import PySparkException
    from pyspark.sql.connect import proto
    from pyspark.sql.connect.plan import SQL
    from pyspark.sql.connect.session import SparkSession

__all__ = ["SQL", "PySparkException", "SparkSession", "proto"]

logging.getLogger("pyspark.sql.connect.logging").disabled = True
