"""The texts of a plan that may have a value of its question in them, and the same plan with others in their places.

Checked by: tests/test_plans_alike.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dpproxy.plan.private_plan import Bounded, FromPublic, Key, Plan, Release


def texts_of_releases(plan: Plan) -> list[str]:
    """What releases have: their SQL and that of their keys, and what they are called."""
    return [text for release in plan.releases for text in _of_release(release)]


def texts_of_post(plan: Plan) -> list[str]:
    """The front's statements."""
    return [plan.post.sql, plan.post.before or ""]


def with_texts(plan: Plan, releases: Iterator[str], post: Iterator[str]) -> Plan:
    """The plan with texts as these functions give them, in their order."""
    made = tuple(_with_release(release, releases) for release in plan.releases)
    told = replace(plan.post, sql=next(post), before=next(post) or None)
    return replace(plan, releases=made, post=told)


def _of_release(release: Release) -> Iterator[str]:
    bounded = release.bounded
    yield from (bounded.sql, bounded.plain or "")
    for key in bounded.keys:
        yield from (key.label, key.domain.sql if isinstance(key.domain, FromPublic) else "")
    yield from (measure.label for measure in bounded.measures)
    yield from (output.label for output in release.outputs)


def _with_release(release: Release, texts: Iterator[str]) -> Release:
    bounded = _with_bounded(release.bounded, texts)
    return replace(
        release, bounded=bounded, outputs=tuple(replace(each, label=next(texts)) for each in release.outputs)
    )


def _with_bounded(bounded: Bounded, texts: Iterator[str]) -> Bounded:
    sql, plain = next(texts), next(texts) or None
    keys = tuple(_with_key(key, texts) for key in bounded.keys)
    measures = tuple(replace(each, label=next(texts)) for each in bounded.measures)
    return replace(bounded, sql=sql, plain=plain, keys=keys, measures=measures)


def _with_key(key: Key, texts: Iterator[str]) -> Key:
    label, sql = next(texts), next(texts)
    domain = replace(key.domain, sql=sql) if isinstance(key.domain, FromPublic) else key.domain
    return replace(key, label=label, domain=domain)
