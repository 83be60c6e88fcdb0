"""The figures of a suite, and each failure with its reason, as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from suites.reasons import Share, Verdict
from suites.sources import Suite


def lines(suite: Suite, verdict: Verdict) -> Iterator[str]:
    """What is printed."""
    needing = verdict.collected - verdict.serverless
    yield f"{suite.name} {suite.version}: {verdict.collected} tests; {verdict.serverless} pass without a server"
    yield f"  of the other {needing}, on a Postgres of the front's binaries with"
    yield f"    the rights of an analyst's role: {_figures(verdict.granted)}"
    yield f"    the same, read-only:             {_figures(verdict.read_only)}"
    for reason, failures in sorted(verdict.explained.items(), key=lambda each: -len(each[1])):
        yield f"  {len(failures)} fail: {reason.why}"
        yield from (f"      {each}" for each in _together(failures))
    for test, said in verdict.unexplained.items():
        yield f"  without a reason: {test}"
        yield from (f"      {line}" for line in said.splitlines()[:6])
    for reason in verdict.idle:
        yield f"  no test fails any more because: {reason.why} ({', '.join(reason.tests)})"


def _figures(share: Share) -> str:
    passed = 100 * len(share.proxy) / max(len(share.ceiling), 1)
    return f"{len(share.ceiling)} pass, {len(share.proxy)} of them through the proxy ({passed:.1f} %)"


def _together(tests: Iterable[str]) -> Iterator[str]:
    """Tests that differ in their parameters only in one line, with their number."""
    for name, count in Counter(each.partition("[")[0] for each in tests).items():
        yield name if count == 1 else f"{name} ({count})"
