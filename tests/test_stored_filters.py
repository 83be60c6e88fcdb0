"""Which rows a filter needs of a stored release; and that a plan made to be told again is never paid for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_answer import table
from test_retelling import question
from test_stored import FIRST, FakeStore, ask, planned, world

from dpproxy.answering.answer import NoLongerStored
from dpproxy.rewrite.retelling import Retelling
from dpproxy.rows import Column, Rows
from dpproxy.session.stored_filters import has_all

RELEASED = Rows(
    (Column("k0", "text"), Column("k1", "boolean"), Column("a0", "bigint")),
    (("Delft", True, 3), ("Delft", False, 4), ("Gouda", True, 5), (None, True, 6)),
)


@pytest.mark.parametrize(
    ("wanted", "there"),
    [
        ({}, True),
        ({0: {"Delft"}}, True),
        ({0: {"Delft", "Gouda"}}, True),
        ({0: {"Leiden"}}, False),
        ({0: {"Delft", "Leiden"}}, False),
        ({0: {"Delft"}, 1: {"t", "f"}}, True),
        ({0: {"Gouda"}, 1: {"t", "f"}}, False),
        ({1: {"t"}}, True),
    ],
)
def test_a_row_of_each_value_has_to_be_there(wanted: dict[int, set[str]], there: bool) -> None:
    asked = Retelling(question("SELECT 1"), "", {place: frozenset(values) for place, values in wanted.items()})
    assert has_all(asked, RELEASED) is there


async def test_what_is_to_be_told_again_is_not_paid() -> None:
    at, store = world(first=table((5,))), FakeStore()
    again = replace(planned(FIRST), again=3)
    with pytest.raises(NoLongerStored):
        await ask(at, store, again)
    assert not at.costs
    assert not store.claimed
    await ask(at, store, planned(FIRST))
    assert (await ask(at, store, again)).receipt is None
