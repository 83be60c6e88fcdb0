"""A row of the rewriter's table of functions: all that is known of one function or operator that analysts may write.

The checker has a table of its own (`rewrite.checker.functions`), of what stands in bounded SQL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from dpproxy.rewrite.expressions.walk import Entry, Rule


@dataclass(frozen=True, slots=True)
class PlainNode:
    """A node that raises in no engine for what the rule leaves, and makes no text longer than those it is made of."""


@dataclass(frozen=True, slots=True)
class Short:
    """The same, and the text that it makes has some letters, whatever it is made of."""


@dataclass(frozen=True, slots=True)
class CopyingNode:
    """A node that copies the texts in these arguments: an engine may have to hold them to a length."""

    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sized:
    """A double: NULL, 0, or at least 2**least and at most 2**most in size if no argument is NaN."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Own:
    """A node of which each engine has a form of its own, in its own file, or none."""


Form = PlainNode | Short | CopyingNode | Sized | Own


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function or an operator.

    kind: the parser's node, exp.Anonymous where it has none. names: as analysts write it, the usual one first.
    signatures: "arguments → result", as Postgres has them. rule: its total form, and what is known of its value.
    arguments: of the node, which the rule understands; any other is refused. makes: the nodes that the rule puts into
    bounded SQL, and what an engine has to know of each. examples: over the tables of the tests. note: for analysts.
    """

    kind: type[exp.Expression]
    names: tuple[str, ...]
    signatures: tuple[str, ...]
    rule: Rule
    arguments: str
    makes: Mapping[type[exp.Expression], Form] = field(default_factory=dict)
    examples: tuple[str, ...]
    note: str = ""

    @property
    def entry(self) -> Entry:
        """What the walk has to know of it."""
        return Entry(self.rule, frozenset(self.arguments.split()))
