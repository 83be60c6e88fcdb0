"""The work of a plan: that of its releases together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from dpproxy.catalog.policy import Catalog
from dpproxy.plan.private_plan import UNCAPPED, OwnTable, Release
from dpproxy.plan.work import Work
from dpproxy.rewrite.checker.nodes import parsed
from dpproxy.rewrite.checker.pairs import seen_by
from dpproxy.rewrite.work.counted import WorkContext, reading_once, size
from dpproxy.rewrite.work.queries import read_query
from dpproxy.rewrite.work.strangers import joins_strangers, work_of_strangers
from dpproxy.rewrite.work.weights import FLOOR, OPERATION, RELEASED

_LONG = 2_000  # characters of a text: in a shorter one too little is written twice to look for it
_COUNTED: Final = re.compile(r"\b(?:LIMIT|OFFSET|PRECEDING|FOLLOWING|ROW_NUMBER|VALUES)\b", re.IGNORECASE)


def unit_work(releases: Sequence[Release], tables: Sequence[OwnTable], catalog: Catalog, dialect: str) -> Work:
    """What one unit can change in the work of the engine.

    Claim: with at most `max_unit_rows` rows in each table, adding or removing a unit changes the rows that pass through
    all relational operators by no more than `operations`, and no private row is multiplied by more than `fanout`.
    Because: each form of a query is counted from the counts of its parts (`read_query`), each row of the unit in each
    operator, and public parts in full, since an engine leaves them out where it has met no private row.
    Where rows belong to two units by a table that names both, or to two kinds of unit, it is so of either. Where two of
    one kind meet that no table names together, it is all of the work: see `strangers`.
    Not counted: what an engine reads of other units' rows because of one row of this one (`scans`), memory that it
    takes in large steps, and how long a text is.
    Checked by: tests/test_work.py.
    Raises CheckFault for a text whose work is not known.
    """
    much = len(releases) > 1 or any(len(each.bounded.question) > _LONG for each in releases)
    query = reading_once(read_query) if much else read_query
    found = []
    for at, release in enumerate(releases):
        around = WorkContext(catalog, tuple(releases[:at]), tuple(tables), dialect, query)
        strangers = joins_strangers(release.bounded, around)
        found.append(work_of_strangers(release, around) if strangers else _of_units(release, around))
    widest = max((each.widest for each in found), key=size, default=())
    return Work(
        max((each.rows for each in found), default=0),
        sum(each.operations for each in found),
        widest,
        sum(each.scans for each in found),
        sum(each.whole for each in found),
        next((each.word for each in found if each.word), ""),
    )


def reads_constants(releases: Sequence[Release]) -> bool:
    """Whether the work of releases may hang on the constants in their texts.

    Claim: where it does not, texts that differ in constants of one class alone have the same work. Because: what is
    counted are nodes and columns; of a constant its type alone, which its class decides, but for numbers behind LIMIT
    and OFFSET, in frames of windows, what a row number is compared with, and rows of VALUES, which are told apart: in a
    text without these words there are none. Nodes that are the same in one text are so in the other, where each
    value is put in at all of its places.
    Checked by: tests/test_work.py::test_without_limits_and_frames_constants_change_no_work.
    """
    return any(_COUNTED.search(each.bounded.question) for each in releases)


def _of_units(release: Release, context: WorkContext) -> Work:
    """Of one unit; or, where rows belong to two units each, what is enough for the one and for the other: what is of
    the other kind alone stays where it is when a unit leaves, and all of it may be met."""
    pair = release.bounded.pair
    if pair is None:
        return _release(release, context)
    seen = [replace(context, catalog=seen_by(context.catalog, pair, turn), query=read_query) for turn in (0, 1)]
    return _larger([_release(release, each) for each in seen])


def _larger(found: Sequence[Work]) -> Work:
    """What is enough for each."""
    if len(found) == 1:
        return found[0]
    return Work(
        max(each.rows for each in found),
        max(each.operations for each in found),
        max((each.widest for each in found), key=size),
        max(each.scans for each in found),
        max(each.whole for each in found),
    )


def _release(release: Release, context: WorkContext) -> Work:
    bounded = release.bounded
    counted = read_query(parsed(bounded.question, context.dialect), {}, context)
    keys = counted.most if bounded.groups == UNCAPPED else bounded.groups
    told = counted.most if bounded.is_histogram else keys * len(bounded.measures)
    nodes = counted.work + told * RELEASED + FLOOR
    whole = -(-max(counted.whole, nodes) // OPERATION)
    return Work(counted.most, -(-nodes // OPERATION), counted.widest, max(0, counted.scans - 1), whole)
