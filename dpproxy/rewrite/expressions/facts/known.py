"""What conditions say of an expression: bounds, values, presence; and a scope that knows it of more than columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sqlglot import exp

from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Scope, Typed, exact
from dpproxy.rows import Value


@dataclass(frozen=True, slots=True)
class KnownValue:
    """What conditions say of one expression; None: nothing. present: it is not NULL. absent: it is NULL.

    values: all that it may be; without: some that it is not.
    """

    lower: Fraction | None = None
    upper: Fraction | None = None
    values: tuple[Value, ...] | None = None
    without: tuple[Value, ...] = ()
    present: bool = True
    absent: bool = False

    def met(self, other: KnownValue) -> KnownValue:
        """Both hold."""
        values = self.values if other.values is None else other.values
        if self.values is not None and other.values is not None:
            values = tuple(value for value in self.values if value in other.values)
        return KnownValue(
            _either(max, self.lower, other.lower),
            _either(min, self.upper, other.upper),
            values,
            distinct([*self.without, *other.without]),
            self.present or other.present,
            self.absent or other.absent,
        )

    def joined(self, other: KnownValue) -> KnownValue:
        """One of them holds; where the expression is NULL, its bounds and values are the other's."""
        if self.absent or other.absent:
            return replace(self if other.absent else other, present=self.present and other.present)
        values = None if self.values is None or other.values is None else distinct([*self.values, *other.values])
        return KnownValue(
            None if self.lower is None or other.lower is None else min(self.lower, other.lower),
            None if self.upper is None or other.upper is None else max(self.upper, other.upper),
            values,
            tuple(value for value in distinct([*self.without, *other.without]) if self._denies(value, other)),
            self.present and other.present,
        )

    def admits(self, value: Value) -> bool:
        """Whether the expression may be that value."""
        number = exact(value)
        if value in self.without or (self.values is not None and value not in self.values):
            return False
        below = number is not None and self.lower is not None and number < self.lower
        return not (below or (number is not None and self.upper is not None and number > self.upper))

    def excludes(self, fact: Fact) -> bool:
        """Whether nothing that is believed of the expression may be so: no value that it has, nor NULL."""
        if self.absent or (fact.nullable and not self.present):
            return False
        if fact.domain is not None:
            return fact.domain != () and not any(map(self.admits, fact.domain))
        if fact.interval is None:
            return False
        lower, upper = fact.interval.lower, fact.interval.upper
        numbers = [exact(value) for value in self.values or ()]
        apart = bool(numbers) and all(each is not None and not lower <= each <= upper for each in numbers)
        above, below = _either(max, lower, self.lower), _either(min, upper, self.upper)
        return apart or (above is not None and below is not None and above > below)

    @property
    def is_impossible(self) -> bool:
        """Whether no value is so, nor NULL: it is there and is not, or nothing is left of its values or bounds."""
        if self.absent:
            return self.present
        if self.values is not None:
            return not any(map(self.admits, self.values))
        return self.lower is not None and self.upper is not None and self.lower > self.upper

    def _denies(self, value: Value, other: KnownValue) -> bool:
        return not (self.admits(value) or other.admits(value))

    def told(self, typed: Typed) -> Typed:
        """The expression with what is believed of it now. What is proved stays."""
        fact = typed.fact
        domain = self.values if fact.domain is None else fact.domain
        if domain is not None:
            domain = tuple(value for value in domain if self.admits(value))
        nullable = fact.nullable and not self.present
        return Typed(typed.sql, replace(fact, interval=self._within(fact.interval), domain=domain, nullable=nullable))

    def _within(self, interval: Interval | None) -> Interval | None:
        lower = self.lower if interval is None else _either(max, interval.lower, self.lower)
        upper = self.upper if interval is None else _either(min, interval.upper, self.upper)
        return interval if lower is None or upper is None or lower > upper else Interval(lower, upper)


@dataclass(frozen=True, slots=True, eq=False)
class Narrowed(Mapping[tuple[str, str], Typed]):
    """A scope with what conditions say of expressions as they are written, `substring(phone, 1, 2)` for one."""

    columns: Scope
    written: Mapping[exp.Expression, KnownValue]

    def __getitem__(self, name: tuple[str, str]) -> Typed:
        return self.columns[name]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def written_in(scope: Scope) -> Mapping[exp.Expression, KnownValue]:
    """What a scope knows of expressions that are no columns."""
    return scope.written if type(scope) is Narrowed else {}


def told(node: exp.Expression, typed: Typed, scope: Scope) -> Typed:
    """The total form of `node` with what the scope knows of it as written."""
    written = written_in(scope)
    if not written or isinstance(node, exp.Column | exp.Paren | exp.Literal):
        return typed
    known = written.get(node)
    return typed if known is None else known.told(typed)


def distinct(values: Sequence[Value]) -> tuple[Value, ...]:
    """The values without NULL, each once, in order of first appearance; True and 1 are apart."""
    return tuple({(type(value), value): value for value in values if value is not None}.values())


def _either(
    choose: Callable[[Fraction, Fraction], Fraction], left: Fraction | None, right: Fraction | None
) -> Fraction | None:
    if left is None or right is None:
        return right if left is None else left
    return choose(left, right)
