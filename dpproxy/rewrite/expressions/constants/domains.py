"""The finite sets of values that functions of finite sets take, and constants folded at plan time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

from dpproxy.catalog.types import SqlType
from dpproxy.rewrite.expressions.constants.literals import constant, is_constant, value_of
from dpproxy.rewrite.expressions.facts.fact import Typed
from dpproxy.rewrite.expressions.facts.known import distinct
from dpproxy.rows import Value

LARGEST = 10_000
LONGEST = 1_000
Fold = Callable[..., Value]


def image(fold: Fold, *operands: Typed) -> tuple[Value, ...] | None:
    """The values that a strict function takes on its operands' domains; None where one is unknown or they are too many.

    `fold` gives None for NULL, and raises LookupError where it cannot say what the engines give.
    """
    domains = [operand.fact.domain for operand in operands]
    known = [domain for domain in domains if domain is not None]
    if len(known) < len(domains) or math.prod(map(len, known)) > LARGEST:
        return None
    try:
        return distinct([_short(fold(*values)) for values in itertools.product(*known)])
    except (LookupError, ArithmeticError):
        return None


def _short(value: Value) -> Value:
    """The value, if it is no text that grows out of proportion. Raises LookupError."""
    if isinstance(value, str) and len(value) > LONGEST:
        raise LookupError(len(value))
    return value


def union(operands: Sequence[Typed]) -> tuple[Value, ...] | None:
    """The values that any of the operands takes; None where one is unknown or they are too many."""
    domains = [operand.fact.domain for operand in operands]
    known = [domain for domain in domains if domain is not None]
    if len(known) < len(domains) or sum(map(len, known)) > LARGEST:
        return None
    return distinct([value for domain in known for value in domain])


def folded(fold: Fold, type_: SqlType, *operands: Typed) -> Typed | None:
    """The constant that a strict function of constants is; None where they are not all constants."""
    if not all(is_constant(operand) for operand in operands):
        return None
    values = [value_of(operand) for operand in operands]
    try:
        return constant(None if None in values else _short(fold(*values)), type_)
    except (LookupError, ArithmeticError):
        return None
