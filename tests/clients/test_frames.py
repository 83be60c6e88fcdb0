"""`dpproxy.pandas`: the types of a frame, what it knows of itself, and what a plot shows of it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas
import pytest
from matplotlib import pyplot
from matplotlib.container import BarContainer, ErrorbarContainer

from dpproxy.client import AnswerColumn, PricedAnswer
from dpproxy.pandas import bars, lines, plot, read_sql
from dpproxy.pandas.frames import framed

from .served import Served

pytestmark = pytest.mark.long

KINDS = {
    "whole": (20, [1, None], "Int64"),
    "short": (21, [1, 2], "Int64"),
    "real": (701, [1.5, None], "float64"),
    "decimal": (1700, [Decimal("1.25"), None], "float64"),
    "flag": (16, [True, None], "boolean"),
    "day": (1082, [date(1600, 1, 1), None], "datetime64[us]"),
    "at": (1114, [datetime(2300, 1, 1, 12), None], "datetime64[us]"),
    "moment": (1184, [datetime(2026, 1, 1, tzinfo=UTC), None], "datetime64[us, UTC]"),
}


def answer(**columns: tuple[int, list[Any]]) -> PricedAnswer:
    named = tuple(AnswerColumn(name, kind) for name, (kind, _) in columns.items())
    return PricedAnswer(named, [*zip(*(values for _, values in columns.values()), strict=True)], (), "95 %")


@pytest.mark.parametrize("rows", [2, 0])
def test_types_are_postgres_s_whatever_the_values(rows: int) -> None:
    frame = framed(answer(**{name: (kind, values[:rows]) for name, (kind, values, _) in KINDS.items()}))
    assert {name: str(kind) for name, kind in frame.dtypes.items()} == {
        name: kind for name, (*_, kind) in KINDS.items()
    }
    assert len(frame) == rows
    assert rows == 0 or frame.loc[0, "day"] == pandas.Timestamp("1600-01-01")


def test_texts_and_names_that_are_there_twice() -> None:
    named = (AnswerColumn("x", 25), AnswerColumn("x", 20))
    frame = framed(PricedAnswer(named, [("a", 1), (None, 2)], (), "95 %"))
    assert list(frame.columns) == ["x", "x"]
    assert frame.iloc[0, 0] == "a" and pandas.isna(frame.iloc[1, 0])
    with pytest.raises(ValueError, match="there are several columns 'x'"):
        plot(frame)


def test_a_frame_of_an_answer(world: Served, capsys: pytest.CaptureFixture[str]) -> None:
    text = "SELECT sex, count(*) AS people, round(avg(age), 1) AS age FROM people GROUP BY sex ORDER BY sex"
    frame = read_sql(text, world.conninfo("erna"), epsilon=10, fresh=True)
    printed = capsys.readouterr().out
    assert printed.startswith("dpproxy: charged epsilon 10, delta 0; remaining epsilon")
    assert list(frame.columns) == ["sex", "people", "people_low", "people_high", "age", "age_low", "age_high"]
    assert frame.attrs["charge"]["epsilon"] == 10
    assert frame.attrs["intervals"] == {"people": ["people_low", "people_high"], "age": ["age_low", "age_high"]}
    assert frame.attrs["notices"] == printed.splitlines()
    assert str(frame["people"].dtype) == "Int64" and str(frame["age"].dtype) == "float64"
    assert (frame["people_low"] <= frame["people"]).all() and (frame["people"] <= frame["people_high"]).all()
    pyplot.close(plot(frame).figure)


def test_parameters_and_what_is_free(world: Served, capsys: pytest.CaptureFixture[str]) -> None:
    frame = read_sql("SELECT dept FROM departments WHERE dept <> %(other)s", world.conninfo("erna"), {"other": "x"})
    assert frame.attrs["charge"] is None and len(frame) > 0
    assert capsys.readouterr().out == ""
    with pytest.raises(ValueError, match="no column"):
        plot(frame)


def by_month() -> pandas.DataFrame:
    """Two series of three months, the last of whose ends are away from the number, as a clip makes them."""
    months = [date(2026, month, 1) for month in (1, 2, 3)] * 2
    return framed(
        answer(
            sex=(25, ["F"] * 3 + ["M"] * 3),
            month=(1082, months),
            n=(20, [10, 20, 30, 5, 6, 7]),
            n_low=(701, [8.0, 18, 28, 4, 5, 9]),
            n_high=(701, [12.0, 22, 32, 6, None, 11]),
        )
    )


def ends(ax: Any) -> list[tuple[float, float]]:
    """What the error bars reach from and to: none where there is no end."""
    found = [each for each in ax.containers if isinstance(each, ErrorbarContainer)]
    bars_ = [points for each in found for points in each.lines[2][0].get_segments() if len(points)]
    return [(low, high) for (_, low), (_, high) in bars_]


EXPECTED = [(4, 6), (8, 12), (9, 11), (18, 22), (28, 32)]


def test_dates_make_lines_with_the_ends_as_told() -> None:
    ax = plot(by_month())
    assert np.allclose(sorted(ends(ax)), EXPECTED)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["F", "M"]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="right")) == ("month", "n", "with 95 % intervals")
    assert not [each for each in ax.containers if isinstance(each, BarContainer)]
    pyplot.close(ax.figure)


def test_texts_make_bars_beside_one_another() -> None:
    ax = bars(by_month(), x="sex")
    assert [text.get_text() for text in ax.get_xticklabels()] == ["F", "M"]
    assert len([each for each in ax.containers if isinstance(each, BarContainer)]) == 3
    assert np.allclose(sorted(ends(ax)), EXPECTED)
    pyplot.close(ax.figure)


def test_one_row_is_one_bar_and_an_axis_may_be_given() -> None:
    frame = framed(answer(n=(20, [5]), n_low=(701, [4.0]), n_high=(701, [6.0])))
    figure, given = pyplot.subplots()
    assert plot(frame, ax=given) is given
    assert [text.get_text() for text in given.get_xticklabels()] == ["n"]
    with pytest.raises(ValueError, match="drawn by bars"):
        lines(frame)
    with pytest.raises(ValueError, match="no column 'm'"):
        plot(frame, "m")
    pyplot.close(figure)


def test_a_part_of_a_frame_is_drawn_and_keys_may_be_missing() -> None:
    frame = by_month()
    ax = plot(frame[frame["sex"] == "F"].drop(columns="month"))
    assert len(ax.get_xticklabels()) == 1
    pyplot.close(ax.figure)
    one = framed(answer(k=(25, ["a", None]), n=(20, [5, 6]), n_low=(701, [4.0, 5]), n_high=(701, [6.0, 7])))
    ax = plot(one)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["a", "NULL"]
    pyplot.close(ax.figure)
