"""The columns that `SET dp.error_columns = on` adds to an answer, as the client is told of them.

Checked by: tests/clients/test_error_bars_over_wire.py.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from dpproxy.plan.error_bars import Bar
from dpproxy.wire import ResultField

_DOUBLE: Final = 701
_BYTES: Final = 8
_BOTH: Final = (Bar.LOW, Bar.HIGH)


def with_bars(fields: Sequence[ResultField], places: Collection[int]) -> tuple[ResultField, ...]:
    """The columns of the client's own text, with two more behind those at some places."""
    return tuple(
        each for place, field in enumerate(fields) for each in (field, *(_ends(field) if place in places else ()))
    )


def _ends(field: ResultField) -> list[ResultField]:
    return [ResultField(f"{field.name}_{bar.value}", 0, 0, _DOUBLE, _BYTES, -1, field.format) for bar in _BOTH]


def formats_with_bars(formats: Sequence[int], places: Collection[int]) -> tuple[int, ...]:
    """The formats that a Bind asks for: those of what is added are those of the column before."""
    if len(formats) <= 1:
        return tuple(formats)
    return tuple(each for place, format_ in enumerate(formats) for each in [format_] * (3 if place in places else 1))
