"""The figures as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from rich.console import RenderableType
from rich.table import Table

from coverage.judged import Judged


def report(name: str, found: Sequence[Judged], listed: bool) -> Iterator[RenderableType]:
    """What is answered, why the rest is not, and, if asked for, which those are."""
    private = [each for each in found if each.runs and each.private]
    asked = [each for each in private if each.aggregate and not each.single]
    refused = [each for each in asked if each.refused]
    runs = [each for each in found if each.runs]
    table = Table(
        "statements", "run on Postgres", "private", "of single units", "aggregates", "answered", "share", title=name
    )
    single = sum(each.single for each in private)
    numbers = (len(found), len(runs), len(private), single, len(asked), len(asked) - len(refused))
    table.add_row(*map(str, numbers), f"{numbers[-1] / max(1, len(asked)):.0%}")
    yield table
    times = sorted(each.seconds for each in runs)
    if times:
        told = (median(times), times[int(0.95 * (len(times) - 1))], times[-1])
        yield "EXPLAIN took {:.0f} ms at the median, {:.0f} at 95 %, {:.0f} at worst".format(*(1e3 * t for t in told))
    reasons = Table("questions", "SQLSTATE", "refused for")
    for (state, reason), count in Counter(each.refused for each in refused if each.refused).most_common():
        reasons.add_row(str(count), state, reason)
    yield reasons
    others = Counter(each.refused[0] for each in runs if each.refused and each.refused[0] == "XX000")
    yield f"internal errors: {sum(others.values())}"
    if listed:
        yield from (f"{each.question.name}: {each.refused[1]}" for each in refused if each.refused)
