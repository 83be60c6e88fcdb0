"""Rows of two units of one kind that a key puts together, asked by a client: one price, the numbers of the rows, and
what EXPLAIN says of the work."""

from __future__ import annotations

import psycopg
import pytest

from .served import Served, spent

pytestmark = pytest.mark.long

ASKED = "SELECT count(*), sum(c.acctbal) FROM lineitem l JOIN customer c ON c.custkey = l.linenumber"


def test_they_are_the_rows(world: Served) -> None:
    with world.connect("erna") as connection:
        connection.execute("SET dp.epsilon = 100000")
        before = spent(connection)[2]
        told = connection.execute(ASKED).fetchone() or ()
        assert spent(connection)[2] == before + 1
        assert abs(told[0] - 1969) < 5 and told[1] < 0
        lines = [line for (line,) in connection.execute(f"EXPLAIN (VERBOSE) {ASKED}").fetchall()]
        assert any("held to a clip by a maximum flow" in line for line in lines)
        with pytest.raises(psycopg.Error, match="two customers together"):
            connection.execute(ASKED.replace("c.custkey =", "c.nationkey ="))
