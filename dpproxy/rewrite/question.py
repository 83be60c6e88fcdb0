"""What is asked: all that a plan may depend on besides the policy. Nothing here comes from the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction

from dpproxy.catalog.zones import UTC
from dpproxy.plan.private_plan import OwnTable
from dpproxy.plan.settings import Settings
from dpproxy.rows import Column


@dataclass(frozen=True, slots=True)
class Parameter:
    """The value of $n as the front decoded it: its Postgres type, and its text form (None for NULL)."""

    type: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Question:
    """One statement at one Bind.

    columns: the front's row description of the analyst's own text.
    names: relation names as written in the text -> table of the policy, or `dp.…` for a table of the proxy's own.
    now: the transaction's time in the session's time zone, where the text asks for the time; midnight where it asks for
    the day alone, so that the question is the same all day.
    zone: the session's time zone, as `catalog.zones` calls it.
    own: relation names as written in the text -> table or view of the analyst's own in the front, with all its columns.
    sizes: how many keys the texts of public tables give that a plan without this has, where they are too many.
    time_part: what the noise of its time has of the price, where that is not what it mostly has.
    """

    sql: str
    parameters: tuple[Parameter, ...]
    columns: tuple[Column, ...]
    settings: Settings
    names: Mapping[str, str]
    now: datetime | None = None
    own: Mapping[str, OwnTable] = field(default_factory=dict)
    zone: str = UTC
    sizes: tuple[tuple[str, int], ...] = ()
    time_part: Fraction | None = None
