"""The figures as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tpch.report import Found, Quality


def table(scales: Sequence[float], found: Sequence[Sequence[Found]]) -> str:
    """A line for each query, its figures at each scale side by side, times at the last; then why some are refused."""
    heads = [f"error at scale {scale:g} | with own limits" for scale in scales]
    columns = ["query", "releases, measures", *heads, "own limits", "planning", "engine", "plain"]
    lines = [_row(columns), "|---" * (_row(columns).count("|") - 1) + "|"]
    lines += [_row(_cells(title, row)) for title, row in zip(_titles(found[-1]), zip(*found, strict=True), strict=True)]
    refused = [f"- Q{each.query.number}: {each.refusal}" for each in found[-1] if each.refusal]
    return "\n".join([*lines, "", *refused])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _titles(found: Sequence[Found]) -> Iterator[str]:
    before = 0
    for each in found:
        yield f"Q{each.query.number}, nearest" if each.query.number == before else f"Q{each.query.number}"
        before = each.query.number


def _cells(title: str, row: Sequence[Found]) -> list[str]:
    last = row[-1]
    if last.refusal is not None:
        return [title, "refused", *["", ""] * len(row), "", "", "", ""]
    if last.planned is None:
        return [title, "public", *["exact, free", ""] * len(row), "", "", "", _time(last.plain)]
    planned = last.planned
    return [
        title,
        f"{planned.releases}, {planned.measures}",
        *(told(each) for found in row for each in (found.quality, found.limited)),
        ", ".join(str(limit) for limit in last.query.limits.values()),
        _time(planned.planning + planned.checking),
        _time(planned.engine),
        _time(last.plain),
    ]


def told(quality: Quality | None) -> str:
    """The error; behind it, where they are not the true answer's, the rows said and those beyond."""
    if quality is None:
        return ""
    rows = "" if (quality.said, quality.beyond) == (1, 0) else f" ({quality.said:.0%} + {quality.beyond:.0%} of rows)"
    return ("–" if quality.error is None else _percent(quality.error * 100)) + rows


def _percent(percent: float) -> str:
    return f"{percent:,.0f} %" if percent >= 99.5 else f"{percent:.2g} %"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms"
