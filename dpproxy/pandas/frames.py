"""An answer as a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC
from typing import Any, Final

import numpy as np
import pandas

from dpproxy.client import PricedAnswer, ask
from dpproxy.client.asking import Parameters, Setting
from dpproxy.client.connecting import Source

_WHOLE: Final = frozenset({20, 21, 23})
_REAL: Final = frozenset({700, 701, 1700})
_BOOLEAN, _DATE, _TIMESTAMP, _MOMENT = 16, 1082, 1114, 1184
_TIME: Final = "datetime64[us]"  # pandas' own default has no year 1600, and none of 2300


def read_sql(sql: str, connection: Source, params: Parameters = None, **settings: Setting) -> pandas.DataFrame:
    """The answer to a statement, as `ask` has it; its notices are printed.

    Behind each noisy column `x` are `x_low` and `x_high`, the ends of its interval. Whole numbers come as Int64, other
    numbers as float64, booleans as boolean, dates and timestamps as datetime64. `attrs` has `charge` (a dict, None for
    what was free), `notices`, `confidence` and `intervals`.
    Raises StatementError where it is refused or fails, psycopg.OperationalError where there is no connection.
    """
    answer = ask(sql, connection, params, **settings)
    for notice in answer.notices:
        print(notice)
    return framed(answer)


def framed(answer: PricedAnswer) -> pandas.DataFrame:
    """The frame of an answer."""
    by_column = zip(*answer.rows, strict=True) if answer.rows else [()] * len(answer.columns)
    typed = {
        place: _typed(values, column.type)
        for place, (values, column) in enumerate(zip(by_column, answer.columns, strict=True))
    }
    frame = pandas.DataFrame(typed)
    frame.columns = pandas.Index([column.name for column in answer.columns])
    frame.attrs = {
        "charge": None if answer.charge is None else asdict(answer.charge),
        "notices": list(answer.notices),
        "confidence": answer.confidence,
        "intervals": {name: list(ends) for name, ends in answer.intervals.items()},
    }
    return frame


def _typed(values: Sequence[Any], type_: int) -> Any:
    """One column. The type is Postgres's, never a guess from the values: an empty answer has the same."""
    if type_ in _WHOLE:
        return pandas.array(list(values), dtype="Int64")
    if type_ in _REAL:
        return np.array([np.nan if each is None else float(each) for each in values], dtype="float64")
    if type_ == _BOOLEAN:
        return pandas.array(list(values), dtype="boolean")
    if type_ in (_DATE, _TIMESTAMP):
        return pandas.Series(np.array(list(values), dtype=_TIME))
    if type_ == _MOMENT:
        plain = [None if each is None else each.astimezone(UTC).replace(tzinfo=None) for each in values]
        return pandas.Series(np.array(plain, dtype=_TIME)).dt.tz_localize("UTC")
    return pandas.Series(list(values), dtype=None if len(values) else "object")
