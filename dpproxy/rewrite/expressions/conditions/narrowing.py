"""What conditions say of columns and other expressions: WHERE and CASE narrow what is believed of those they name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import INTERVAL, Family
from dpproxy.errors import DPProxyError
from dpproxy.rewrite.expressions.conditions.written_conditions import OPPOSITE, conjuncts, reads_rows
from dpproxy.rewrite.expressions.constants.literals import as_type, is_constant, value_of
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import Fact, Scope, Typed
from dpproxy.rewrite.expressions.facts.known import KnownValue, Narrowed, written_in
from dpproxy.rewrite.expressions.logic.quantified import spelled_out
from dpproxy.rewrite.expressions.patterns.like import plain_text
from dpproxy.rewrite.expressions.time.monotone import rising, solved
from dpproxy.rewrite.expressions.types.calendars import as_days
from dpproxy.rewrite.expressions.types.moments import alike
from dpproxy.rewrite.expressions.types.promotion import NUMBERS
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

Subject = tuple[str, str] | exp.Expression
Knowledge = Mapping[Subject, KnownValue]
_FLIPPED: dict[type[exp.Expression], type[exp.Expression]] = {
    exp.LT: exp.GT,
    exp.GT: exp.LT,
    exp.LTE: exp.GTE,
    exp.GTE: exp.LTE,
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
}
_ALONE = 2**53  # no other whole number becomes the same floating-point number as one below it
_DISCRETE = (Family.INTEGER, Family.TEXT, Family.BOOLEAN, Family.DATE, Family.UUID, Family.NUMERIC)


def narrow(conditions: Sequence[exp.Expression], walk: Walk) -> Scope:
    """The scope for rows where all conditions are true. What is proved stays as it was.

    Claim: what is believed of a column or expression there holds in each row where all conditions are true, if what is
    believed of columns in `walk.scope` does. Because: each rule says what its condition implies, met by all, joined by
    one of several. Checked by: tests/test_expressions.py, test_narrowed_beliefs_hold_for_the_rows_that_remain.
    """
    return RowsReached(walk).where(conditions).walked().scope


@dataclass(frozen=True, slots=True)
class RowsReached:
    """The rows where all of some conditions are true, each of which was read once: the branches of a CASE have them one
    after the other. related: those that another look may tell more of."""

    walk: Walk
    known: Knowledge = field(default_factory=dict)
    related: tuple[exp.Expression, ...] = ()

    def where(self, conditions: Sequence[exp.Expression]) -> RowsReached:
        """Those of them where these are true, too."""
        parts = [part for condition in conditions for part in conjuncts(condition)]
        known = _all_of([self.known, said_by(parts, self.walk)])
        return RowsReached(self.walk, known, (*self.related, *filter(_relates, parts)))

    def walked(self) -> Walk:
        """The walk for these rows."""
        first = _applied(self.known, self.walk.scope)
        again = said_by(self.related, self.walk.within(first))
        return self.walk.within(_applied(again, first) if self.related else first)


def _applied(known: Knowledge, scope: Scope) -> Scope:
    if not known:
        return scope
    columns, written = dict(scope), dict(written_in(scope))
    for subject, told in known.items():
        if isinstance(subject, tuple):
            columns[subject] = told.told(columns[subject])
        else:
            written[subject] = written[subject].met(told) if subject in written else told
    return Narrowed(columns, written) if written else columns


def _relates(condition: exp.Expression) -> bool:
    """Whether it compares what rows decide with what rows decide: another look may tell more then."""
    return type(condition) in _FLIPPED and reads_rows(condition.this) and reads_rows(condition.expression)


def said_by(conditions: Sequence[exp.Expression], walk: Walk) -> Knowledge:
    """What conditions say that are all true."""
    return _all_of([_of(part, walk) for condition in conditions for part in conjuncts(condition)])


def _all_of(told: Sequence[Knowledge]) -> Knowledge:
    met: dict[Subject, KnownValue] = {}
    for knowledge in told:
        for subject, known in knowledge.items():
            met[subject] = met[subject].met(known) if subject in met else known
    return met


def _of(condition: exp.Expression, walk: Walk) -> Knowledge:
    """What one condition says; nothing where it cannot be read, which is refused elsewhere."""
    rule = _RULES.get(type(condition))
    try:
        each = spelled_out(condition)
        if each is not None:
            return said_by([each], walk)
        return rule(condition, walk) if rule else {}
    except DPProxyError:
        return {}


def _of_comparison(node: exp.Expression, walk: Walk) -> Knowledge:
    left, right = _bare(node.this), _bare(node.expression)
    found: dict[Subject, KnownValue] = {}
    for kind, side, other in ((type(node), left, right), (_FLIPPED[type(node)], right, left)):
        subject = _subject(side, walk)
        if subject is not None and (isinstance(subject, tuple) or not reads_rows(other)):
            found |= _compared(subject, _KINDS[kind], side, other, walk)
        if subject is not None and (isinstance(subject, exp.Expression) or subject not in found):
            found |= _of_function(kind, side, other, walk)
    return found


def _compared(
    subject: Subject, says: Callable[[Fact, Fact], KnownValue], side: exp.Expression, other: exp.Expression, walk: Walk
) -> Knowledge:
    """What a comparison with `other` says of `side`, if both are of one kind."""
    fact = walk.fact(side)
    typed = None if fact.type == INTERVAL else _as_of(fact, other, walk)
    return {} if typed is None else {subject: says(fact, typed.fact)}


def _of_between(node: exp.Expression, walk: Walk) -> Knowledge:
    low, high = node.args["low"], node.args["high"]
    above = exp.GTE(this=node.this.copy(), expression=low.copy())
    below = exp.LTE(this=node.this.copy(), expression=high.copy())
    return said_by([above, below], walk)


def _of_membership(node: exp.Expression, walk: Walk) -> Knowledge:
    subject = _subject(_bare(node.this), walk)
    if subject is None or not node.expressions or any(map(reads_rows, node.expressions)):
        return {}
    fact = walk.fact(node.this)
    if fact.type == INTERVAL:
        return {}
    typed = [_as_of(fact, item, walk) for item in node.expressions]
    known = [_equal(fact, each.fact) for each in typed if each is not None and each.fact.domain != ()]
    return _of_functions(node, walk) | ({subject: _joined(known)} if None not in typed else {})


def _joined(options: Sequence[KnownValue]) -> KnownValue:
    known = options[0] if options else KnownValue()
    for option in options[1:]:
        known = known.joined(option)
    return known


def _of_function(
    kind: type[exp.Expression], side: exp.Expression, other: exp.Expression, walk: Walk
) -> dict[Subject, KnownValue]:
    """What a comparison of a function of one date or timestamp with a constant says of that column."""
    found = None if reads_rows(other) else rising(side, walk)
    ends = None if found is None else solved(kind, found, other, walk)
    return {} if found is None or ends is None else {found.column: KnownValue(ends.lower, ends.upper)}


def _of_functions(node: exp.Expression, walk: Walk) -> dict[Subject, KnownValue]:
    """What membership of such a function says of that column: it lies around all that is equal."""
    equals = [known for item in node.expressions for known in _of_function(exp.EQ, node.this, item, walk).items()]
    columns = {subject for subject, _ in equals}
    told = len(columns) == 1 and len(equals) == len(node.expressions)
    return {subject: _joined([known for _, known in equals]) for subject in columns} if told else {}


def _of_not(node: exp.Expression, walk: Walk) -> Knowledge:
    inner = _bare(node.this)
    inner = spelled_out(inner) or inner
    match inner:
        case exp.Not():
            return said_by([inner.this], walk)
        case exp.And() | exp.Or():
            kind = exp.Or if isinstance(inner, exp.And) else exp.And
            parts = [exp.Not(this=exp.Paren(this=part.copy())) for part in (inner.this, inner.expression)]
            return said_by([kind(this=parts[0], expression=parts[1])], walk)
        case exp.Is(expression=exp.Null()):
            return _of_presence(inner, walk, bool(inner.args.get("negate")))
        case exp.In():
            others = [exp.NEQ(this=inner.this.copy(), expression=item.copy()) for item in inner.expressions]
            return said_by(others, walk)
        case exp.Between():
            below = exp.LT(this=inner.this.copy(), expression=inner.args["low"].copy())
            above = exp.GT(this=inner.this.copy(), expression=inner.args["high"].copy())
            return said_by([exp.Or(this=below, expression=above)], walk)
        case exp.Column():
            return _of_truth(inner, walk, False)
    opposite = OPPOSITE.get(type(inner))
    if opposite is None:
        return {}
    return said_by([opposite(this=inner.this.copy(), expression=inner.expression.copy())], walk)


def _of_column(node: exp.Expression, walk: Walk) -> Knowledge:
    return _of_truth(node, walk, True)


def _of_is(node: exp.Expression, walk: Walk) -> Knowledge:
    negated = bool(node.args.get("negate"))
    if isinstance(node.expression, exp.Null):
        return _of_presence(node, walk, not negated)
    if negated:
        return {}
    return said_by([node.this if node.expression.this else exp.Not(this=exp.Paren(this=node.this.copy()))], walk)


def _of_presence(node: exp.Expression, walk: Walk, absent: bool) -> Knowledge:
    subject = _subject(_bare(node.this), walk)
    if subject is None or walk.looking().fact(node.this).type == INTERVAL:
        return {}
    return {subject: KnownValue(present=not absent, absent=absent)}


def _of_truth(node: exp.Expression, walk: Walk, value: bool) -> Knowledge:
    subject = _subject(node, walk)
    if subject is None or walk.fact(node).type.family is not Family.BOOLEAN:
        return {}
    return {subject: KnownValue(values=(value,))}


def _of_distinction(node: exp.Expression, walk: Walk) -> Knowledge:
    """IS NOT DISTINCT FROM a constant is = or IS NULL; IS DISTINCT FROM it is <> or IS NULL, or IS NOT NULL."""
    same = isinstance(node, exp.NullSafeEQ)
    sides = [side for side in (node.this, node.expression) if not reads_rows(side)]
    if len(sides) != 1:
        return {}
    subject = node.this if sides[0] is node.expression else node.expression
    absent = exp.Is(this=subject.copy(), expression=exp.Null())
    if is_constant(known := walk(sides[0])) and known.fact.domain == ():
        return said_by([absent if same else exp.Not(this=absent)], walk)
    compared = (exp.EQ if same else exp.NEQ)(this=subject.copy(), expression=sides[0].copy())
    return said_by([compared if same else exp.Or(this=compared, expression=absent)], walk)


def _of_like(node: exp.Expression, walk: Walk) -> Knowledge:
    """LIKE without a wildcard is =."""
    pattern = walk(node.expression)
    text = value_of(pattern) if is_constant(pattern) else None
    plain = plain_text(node, text, "\\") if isinstance(text, str) else None
    if plain is None:
        return {}
    kind = exp.NEQ if node.args.get("negate") else exp.EQ
    return said_by([kind(this=node.this.copy(), expression=exp.Literal.string(plain))], walk)


def _of_either(node: exp.Expression, walk: Walk) -> Knowledge:
    left, right = said_by([node.this], walk), said_by([node.expression], walk)
    return {subject: left[subject].joined(right[subject]) for subject in left if subject in right}


_RULES: dict[type[exp.Expression], Callable[[exp.Expression, Walk], Knowledge]] = {
    **dict.fromkeys(_FLIPPED, _of_comparison),
    exp.Between: _of_between,
    exp.In: _of_membership,
    exp.Not: _of_not,
    exp.Column: _of_column,
    exp.Is: _of_is,
    exp.Or: _of_either,
    exp.NullSafeEQ: _of_distinction,
    exp.NullSafeNEQ: _of_distinction,
    exp.Like: _of_like,
}


def _at_least(fact: Fact, other: Fact) -> KnownValue:
    number = other.interval.lower if other.interval else None
    return KnownValue(lower=Fraction(math.ceil(number)) if number is not None and _whole(fact) else number)


def _at_most(fact: Fact, other: Fact) -> KnownValue:
    number = other.interval.upper if other.interval else None
    return KnownValue(upper=Fraction(math.floor(number)) if number is not None and _whole(fact) else number)


def _above(fact: Fact, other: Fact) -> KnownValue:
    number = other.interval.lower if other.interval else None
    return (
        KnownValue(lower=math.floor(number) + Fraction(1))
        if number is not None and _whole(fact)
        else KnownValue(lower=number)
    )


def _below(fact: Fact, other: Fact) -> KnownValue:
    number = other.interval.upper if other.interval else None
    return (
        KnownValue(upper=math.ceil(number) - Fraction(1))
        if number is not None and _whole(fact)
        else KnownValue(upper=number)
    )


def _equal(fact: Fact, other: Fact) -> KnownValue:
    """Equality with one of the other's values; floating point has neighbours that print alike, and keeps its bounds.

    So do whole numbers and decimals beside it, of which many become the same.
    """
    ends = other.interval
    discrete = fact.type.family in _DISCRETE and fact.engine.family is not Family.FLOAT
    exactly = discrete and not any(isinstance(value, float) for value in other.domain or ())
    return KnownValue(
        ends.lower if ends else None, ends.upper if ends else None, (other.domain if exactly else None) or None
    )


def _unequal(fact: Fact, other: Fact) -> KnownValue:
    """Not the one value that the other has."""
    single = other.domain is not None and len(other.domain) == 1 and fact.type.family in _DISCRETE
    return KnownValue(without=other.domain or ()) if single else KnownValue()


_KINDS: dict[type[exp.Expression], Callable[[Fact, Fact], KnownValue]] = {
    exp.GTE: _at_least,
    exp.LTE: _at_most,
    exp.GT: _above,
    exp.LT: _below,
    exp.EQ: _equal,
    exp.NEQ: _unequal,
}


def _whole(fact: Fact) -> bool:
    return fact.type.family in (Family.INTEGER, Family.DATE)


def _bare(node: exp.Expression) -> exp.Expression:
    return _bare(node.this) if isinstance(node, exp.Paren) else node


def _subject(node: exp.Expression, walk: Walk) -> Subject | None:
    """A column of the scope, or another expression that reads columns."""
    if not isinstance(node, exp.Column):
        return node if reads_rows(node) else None
    name = (str(node.table), str(node.name))
    return name if name in walk.scope else None


def _as_of(fact: Fact, other: exp.Expression, walk: Walk) -> Typed | None:
    """What a subject is compared with, on its own scale and with values written as its own; None for other kinds."""
    typed = as_type(other, walk(other), fact.type)
    if fact.type.family is Family.MOMENT and is_constant(typed):
        (typed,) = alike(other, [Typed(exp.Null(), fact), typed])[1:]
    if fact.type.family is Family.DATE:
        (typed,) = as_days([typed])
    family, theirs = fact.type.family, typed.fact.type.family
    if typed.fact.domain != () and theirs is not family and not (theirs in NUMBERS and family in NUMBERS):
        return None
    known = typed.fact
    if Family.FLOAT in (fact.engine.family, known.engine.family):
        known = replace(known, interval=ranges.outward(known.interval))
    if known.domain is not None:
        known = replace(known, domain=tuple(_written_as(family, value) for value in known.domain))
    return Typed(typed.sql, known)


def _written_as(family: Family, value: Value) -> Value:
    """A whole or decimal constant as the subject's values are written."""
    if family is Family.NUMERIC and isinstance(value, int):
        return Decimal(value)
    if family is Family.INTEGER and isinstance(value, Decimal) and value == value.to_integral_value():
        return int(value)
    if family is Family.INTEGER and isinstance(value, float) and abs(value) < _ALONE and value.is_integer():
        return int(value)
    return value
