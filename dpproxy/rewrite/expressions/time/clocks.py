"""now(), current_date and their like: constants, fixed for the transaction.

The pass `clock` has noted on each of them the transaction's time in the session's time zone. now() is a timestamp with
time zone; beside dates and timestamps it stands for that local time, as those are read in the session's zone too.
"""

from __future__ import annotations

from datetime import datetime

from sqlglot import exp

from dpproxy.catalog.types import DATE, TIMESTAMP, TIMESTAMPTZ
from dpproxy.rewrite.expressions.constants.literals import constant
from dpproxy.rewrite.expressions.facts.fact import Typed
from dpproxy.rewrite.expressions.trees.refusals import refused
from dpproxy.rewrite.expressions.walk import Walk

NOW = "now"


def today(node: exp.Expression, walk: Walk) -> Typed:
    """current_date: the day in the session's zone."""
    return constant(_now(node).date(), DATE)


def now(node: exp.Expression, walk: Walk) -> Typed:
    """now(), current_timestamp, transaction_timestamp()."""
    return constant(_now(node), TIMESTAMPTZ)


def local(node: exp.Expression, walk: Walk) -> Typed:
    """localtimestamp."""
    return constant(_now(node), TIMESTAMP)


def _now(node: exp.Expression) -> datetime:
    found = node.meta_get(NOW)
    if not isinstance(found, datetime):
        raise refused(node, "the time is not known here", "Write it as a constant.")
    return found
