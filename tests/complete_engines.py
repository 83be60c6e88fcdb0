"""The engines that have all functions, every mechanism and an audit. Spark has few of them yet: see tests/spark."""

from __future__ import annotations

from dpproxy.engines.dialects import folders

COMPLETE = sorted(folders() - {"spark"})
