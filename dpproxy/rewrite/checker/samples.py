"""Samples of units: that no row of a unit counts whose coin does not let it in, and that a coin is of the unit alone.

The condition hangs on nothing but the column that holds the unit's key, and on how many coins let a unit in. So its
text is made here once more, from the engine's template, and what the engine is asked must be that, node by node.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import Template
from typing import Final

from sqlglot import exp

from dpproxy.plan.private_plan import Bounded
from dpproxy.rewrite.checker.fault import require
from dpproxy.rewrite.checker.nodes import parsed
from dpproxy.rewrite.checker.relations import Relation
from dpproxy.rewrite.checker.scope import CheckContext
from dpproxy.rewrite.checker.syntax import filtered

_COINS: Final = 2**64
_COIN: Final = Template("SELECT 1 AS x FROM x AS x WHERE $condition")


def coins(conditions: Iterable[exp.Expr], key: exp.Expr, context: CheckContext) -> Sequence[exp.Expr]:
    """Those of the conditions that say that the coin of the unit whose key is `key` lets it in.

    Claim: in a run of the statement it is a function of the unit's key, the same in all that reads its sample; over
    runs it is true with a probability of `sample.coins` in 2^64, for each unit by itself. Because: of a secret that is
    drawn for the run and the key's text, a digest of 64 hexadecimal digits comes before the sixteen of `sample.coins`
    if and only if its first sixteen do. Equal keys have one text (`tables.KEY_FAMILIES`).
    Checked by: tests/test_checker_samples.py, tests/test_samples.py::test_coins_are_fair.
    """
    if context.sample is None:
        return ()
    drawn = Template(context.engine.drawn).substitute(key=key.sql(context.engine.name))
    text = Template(context.engine.digest_below).substitute(text=drawn, digits=f"{context.sample.coins:016x}")
    (coin,) = filtered(parsed(_COIN.substitute(condition=text), context.engine.name))
    return [each for each in conditions if each == coin]


def check_sample(rows: Relation, bounded: Bounded) -> None:
    """Claim: if nothing is raised, the result of `bounded` is a function of the rows of the units whose coins let them
    in, where it has a sample.

    Because: `rows` are all private rows that it is made of. Checked by: tests/test_checker_samples.py.
    """
    if bounded.sample is None:
        return
    require(1 <= bounded.sample.coins < _COINS, "a sample of nobody, or of more than all")
    require(rows.sampled, "not proved: no row of a unit outside of the sample")
