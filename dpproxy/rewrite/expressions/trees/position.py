"""Where in the analyst's text an expression stands, and the notes that a tree's nodes carry of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Self, TypeVar

from sqlglot import exp

from dpproxy.rewrite.expressions.trees.nodes import nodes_of

_Tree = TypeVar("_Tree", bound=exp.Expr)
SESSION_ZONE: Final = "session's zone"
_UNREAD: Final = ("line", "col", "dot_parts")  # the parser's, which no pass asks for


class Notes(dict[str, object]):
    """What is noted of a node. They never change, so the copies of a tree share them: `note` gives a node others.

    What sqlglot notes of types while it writes a text is for nobody, and falls away.
    """

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __setitem__(self, name: str, value: object) -> None:
        pass


def noted(tree: _Tree) -> _Tree:
    """The same tree with `Notes` of what passes read: passes copy trees often, and notes were most of a copy's time."""
    for node in nodes_of(tree):
        keep_notes(node)
    return tree


def keep_notes(node: exp.Expr) -> None:
    """Of what is noted of one node, what passes read."""
    if node._meta is not None and type(node._meta) is not Notes:
        node._meta = Notes({name: value for name, value in node._meta.items() if name not in _UNREAD}) or None


def unplaced(tree: _Tree) -> _Tree:
    """The same tree without notes: a place in another text is none in the analyst's."""
    for node in nodes_of(tree):
        node._meta = None
    return tree


def session_zone(node: exp.Expr) -> str:
    """The session's time zone, as it was noted of this node; "" where nobody has."""
    return str(node.meta_get(SESSION_ZONE) or "")


def note(node: exp.Expr, more: Mapping[str, object]) -> None:
    """Note something more of this node."""
    node._meta = Notes({**(node._meta or {}), **more})


def position(node: exp.Expr) -> int | None:
    """The 1-based character position at which `node` starts, as far as the parser noted it; None if nowhere."""
    starts = [at for part in nodes_of(node) if (at := part.meta_get("start")) is not None and not _is_alias(part)]
    return min(starts) + 1 if starts else None


def at_first_column(node: exp.Expr) -> int | None:
    """Where its first column stands, or itself, if it has none."""
    return position(next(iter(node.find_all(exp.Column)), node))


def start(query: exp.Expr) -> int | None:
    """Where a query's first item stands in the text; of one that selects nothing, where its first name does."""
    select = query.find(exp.Select)
    first = select.expressions[0] if select is not None and select.expressions else query
    return position(first)


def _is_alias(part: exp.Expr) -> bool:
    """Whether it is the table of a column that was written without: that stands where the alias was defined."""
    column = part.parent
    if not isinstance(column, exp.Column) or part is not column.args.get("table"):
        return False
    start = column.this.meta_get("start")
    return start is not None and part.meta_get("end") != start - 2
