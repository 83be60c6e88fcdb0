"""All nodes of a tree. Planning looks at them often: most of a look is what it takes to go from one to the next.

Checked by: tests/test_nodes.py (each text of the fixtures, beside sqlglot's own walk).
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

_WORDS: Final = frozenset({exp.Identifier, exp.Literal})
_NO_NODES: Final = frozenset({str, bool, type(None)})


def nodes_of(tree: exp.Expr) -> list[exp.Expr]:
    """A node and all below it, level by level, as sqlglot's `walk` has them, in a third of its time: names and
    constants, which are most of them, hold no other, and are not looked into."""
    found = [tree]
    for node in found:
        if type(node) in _WORDS and type(node.args.get("this")) is str:
            continue
        for value in node.args.values():
            kind = type(value)
            if kind is list:
                found += [each for each in value if isinstance(each, exp.Expr)]
            elif kind not in _NO_NODES and isinstance(value, exp.Expr):
                found.append(value)
    return found
