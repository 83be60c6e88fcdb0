"""Released rows as constants of the analyst's own statement. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import assert_never
from uuid import UUID

from dpproxy.error_bars import ToldRows, all_bars, replicated_texts
from dpproxy.plan.error_bars import BarColumn, Replicates
from dpproxy.plan.private_plan import Input, Post, ViewColumn
from dpproxy.plan.told_columns import ReleasedColumn, values_of
from dpproxy.rows import Rows, Value

Array = tuple[str | None, ...]


def arrays(post: Post, told: ToldRows, views: Mapping[str, Rows]) -> tuple[Array, ...]:
    """The values of each input, in order, as Postgres reads them in text; rows of one release stay side by side.

    views: by name, without the schema. Raises KeyError for a view that is not there.
    """
    known = all_bars(told, (each for each in post.inputs if isinstance(each, BarColumn)))
    return tuple(tuple(map(text, _column(each, told, known, views))) for each in post.inputs)


def _column(
    each: Input, told: ToldRows, known: Mapping[BarColumn, tuple[float | None, ...]], views: Mapping[str, Rows]
) -> tuple[Value, ...]:
    match each:
        case ReleasedColumn(release, column, part):
            return values_of(told.rows[release], part, told.rows[release].column(column))
        case BarColumn():
            return values_of(told.rows[each.release], each.part, known[each])
        case Replicates():
            return values_of(told.rows[each.release], each.part, replicated_texts(told, each))
        case ViewColumn(view, column):
            rows = views[view]
            return rows.column([each.name for each in rows.columns].index(column))
        case _:
            assert_never(each)


def text(value: Value) -> str | None:
    """A value as Postgres's input functions take it under any settings of the session; None is NULL."""
    match value:
        case None:
            return None
        case bool():
            return "t" if value else "f"
        case datetime():
            return value.isoformat(sep=" ")
        case date() | time():
            return value.isoformat()
        case float():
            return repr(value)
        case int() | Decimal() | UUID() | str():
            return str(value)
        case _:
            assert_never(value)
