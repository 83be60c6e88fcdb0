"""What a query is told, as Spark takes it: an array is one text of JSON, whose elements the query's own cast reads.

So no value is a part of a query's text, and no type is guessed from values.

Checked by: tests/spark/test_spark_inputs.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal

from dpproxy.engines import EngineQuery
from dpproxy.rows import Value


def told(query: EngineQuery) -> Mapping[str, str]:
    """The text of each parameter of the query."""
    return {**{name: _listed(values) for name, values in query.inputs.items()}, **query.secrets}


def _listed(values: tuple[Value, ...]) -> str:
    return json.dumps([None if value is None else _element(value) for value in values])


def _element(value: Value) -> str:
    """As a cast of a text reads it: Spark knows no letters of True and False but these, and Sail no decimals with an
    exponent, as which Python writes those with many places."""
    match value:
        case bool():
            return str(value).lower()
        case Decimal():
            return f"{value:f}"
        case _:
            return str(value)
