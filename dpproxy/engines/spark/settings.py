"""What a session of Spark's says of itself: what texts mean, and which values they have.

Claim: a text means what the dialect and the checker take it for, whatever the server's defaults are. Because: all of
these are set when a session begins, and asked again before each request; one that differs ends the session, unused.
Checked by: tests/spark/test_spark_driver.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

SETTINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        # What has no room raises, and so do a division by 0 and a cast of what is no such value.
        "spark.sql.ansi.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
        # How a text is read.
        "spark.sql.caseSensitive": "true",
        "spark.sql.parser.escapedStringLiterals": "false",
        "spark.sql.parser.quotedRegexColumnNames": "false",
        "spark.sql.ansi.doubleQuotedIdentifiers": "false",
        "spark.sql.ansi.enforceReservedKeywords": "false",
        "spark.sql.ansi.relationPrecedence": "false",
        "spark.sql.legacy.setopsPrecedence.enabled": "false",
        "spark.sql.variable.substitute": "false",
        # What values are.
        # Numerics keep their places, and raise where they have no room; nothing is rounded to make some.
        "spark.sql.decimalOperations.allowPrecisionLoss": "false",
        "spark.sql.legacy.decimal.retainFractionDigitsOnTruncate": "true",
        "spark.sql.legacy.allowNegativeScaleOfDecimal": "false",
        "spark.sql.legacy.literal.pickMinimumPrecision": "true",
        "spark.sql.legacy.exponentLiteralAsDecimal.enabled": "false",
        "spark.sql.legacy.inSubqueryNullability": "false",
        "spark.sql.legacy.nullInEmptyListBehavior": "false",
        # A file that cannot be read is a failure, never fewer rows.
        "spark.sql.files.ignoreCorruptFiles": "false",
        "spark.sql.files.ignoreMissingFiles": "false",
        "spark.sql.parquet.mergeSchema": "false",
        # Old days are as they are written, and raise for none.
        "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
        "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    }
)
MARK: Final = "dpproxy.session"
"""A setting that no server has by itself: a session that was lost, and began anew under its name, has not this one."""
