"""EXTRACT and date_part: the parser reads both as one, but the first is numeric and the second double precision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import Token, TokenType, exp

from dpproxy.rewrite.expressions.trees.position import note, position

_NAMES = ("extract", "date_part")


@dataclass(frozen=True, slots=True)
class _Call:
    """A call in the text: its name, where that begins and ends, and where its parenthesis closes."""

    name: str
    start: int
    end: int
    close: int


def tell_extracts(tree: exp.Query, tokens: Sequence[Token]) -> exp.Query:
    """A copy of the tree, each EXTRACT with the place of its name, and in a cast if the name is date_part.

    Which call a node is follows from the calls around what stands inside of it: they nest as the nodes do.
    """
    calls = list(_calls(tokens))
    if not calls:
        return tree
    made = tree.copy()
    for node in list(made.find_all(exp.Extract)):
        place, depth = (position(node) or 0) - 1, _depth(node)
        around = [call for call in calls if call.start < place < call.close]
        if depth < len(around):
            _tell(node, around[depth])
    return made


def _tell(node: exp.Extract, call: _Call) -> None:
    note(node, {"start": call.start, "end": call.end})
    if call.name == "date_part":
        cast = exp.Cast(to=exp.DataType.build("double precision", dialect="postgres"))
        node.replace(cast)
        cast.set("this", node)


def _depth(node: exp.Expr) -> int:
    """How many EXTRACTs are around it."""
    around = node.find_ancestor(exp.Extract)
    return 0 if around is None else 1 + _depth(around)


def _calls(tokens: Sequence[Token]) -> Iterator[_Call]:
    """The calls in order of where they begin, so that an outer one comes before those inside of it."""
    for index, token in enumerate(tokens[:-1]):
        if token.text.lower() in _NAMES and tokens[index + 1].token_type is TokenType.L_PAREN:
            yield _Call(token.text.lower(), token.start, token.end, _close(tokens, index + 1))


def _close(tokens: Sequence[Token], opened: int) -> int:
    """Where the parenthesis closes that opens at a token."""
    depth = 0
    for token in tokens[opened:]:
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if not depth:
            return token.start
    return tokens[-1].end
