"""The walk over an expression: one rule per kind of node, and no other way down."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from dpproxy.interruption import check_wanted
from dpproxy.rewrite.expressions.facts.fact import Fact, Scope, Typed, is_unread
from dpproxy.rewrite.expressions.facts.known import told
from dpproxy.rewrite.expressions.trees.refusals import refused, unsupported

DEEPEST = 120
UNREAD_HINT = "Count them, or test them: count(x), x IS NULL."
_LOOKING = (exp.Is, exp.Paren)
_ENDS = frozenset({exp.Column, exp.Literal, exp.Null, exp.Boolean})
"""Into these nobody walks; they are what expressions end in."""
Rule = Callable[[exp.Expression, "Walk"], Typed]
Narrowing = Callable[[Sequence[exp.Expression], "Walk"], Scope]


@dataclass(frozen=True, slots=True)
class Entry:
    """The rule for a kind of node, and the arguments that it understands; others must be unset."""

    rule: Rule
    arguments: frozenset[str]


def _is_understood(node: exp.Expression, arguments: frozenset[str]) -> bool:
    """Whether no other argument is set."""
    return node.args.keys() <= arguments or not any(node.args[name] for name in node.args.keys() - arguments)


@dataclass(frozen=True, slots=True)
class Walk:
    """Applies the rules of a table to an expression whose columns mean what `scope` says.

    looks: whether who asks wants no more of a value than to carry it on, or to know whether it is there.
    facts: what is known of expressions that conditions were asked about, by the scope that was asked, which is kept
    beside it. A condition is asked several times, and what is nested in it as often again each time.
    """

    scope: Scope
    rules: Mapping[type[exp.Expression], Entry]
    narrowing: Narrowing
    depth: int = 0
    looks: bool = True
    facts: dict[tuple[int, bool, exp.Expression], tuple[Scope, Fact]] = field(default_factory=dict, compare=False)

    def __call__(self, node: exp.Expression) -> Typed:
        """The total form of `node`. Raises FeatureNotSupported where there is no rule for it as it stands, and
        InterruptedError where nobody waits for it."""
        check_wanted()
        if self.depth > DEEPEST:
            raise refused(node, "the expression is nested too deeply", "Split it into columns of a derived table.")
        entry = self.rules.get(type(node))
        if entry is None or not _is_understood(node, entry.arguments):
            raise unsupported(node)
        inside = self if type(node) in _ENDS else self._inside(node)
        typed = told(node, entry.rule(node, inside), self.scope)
        if not self.looks and is_unread(typed.fact):
            raise refused(node, f"{typed.fact.type} values are not read over private tables", UNREAD_HINT)
        return typed

    def _inside(self, node: exp.Expression) -> Walk:
        return Walk(self.scope, self.rules, self.narrowing, self.depth + 1, type(node) in _LOOKING, self.facts)

    def fact(self, node: exp.Expression) -> Fact:
        """What is known of the value of `node`, worked out once for each scope."""
        key = id(self.scope), self.looks, node
        if key not in self.facts:
            self.facts[key] = self.scope, self(node).fact
        return self.facts[key][1]

    def looking(self) -> Walk:
        """The same walk where no more is wanted of a value than to know whether it is there."""
        return Walk(self.scope, self.rules, self.narrowing, self.depth, True, self.facts)

    def within(self, scope: Scope) -> Walk:
        """The same walk where columns mean what another scope says."""
        return Walk(scope, self.rules, self.narrowing, self.depth, self.looks, self.facts)

    def under(self, conditions: Sequence[exp.Expression]) -> Walk:
        """The same walk for rows where all `conditions` are true."""
        return self.within(self.narrowing(conditions, self)) if conditions else self
