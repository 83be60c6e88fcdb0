"""Units dealt into blocks: the one form in which the number of a row's block may be written."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.held import Held, Kind
from dpproxy.rewrite.checker.relations import BlocksOf, ColumnFact
from dpproxy.rewrite.checker.syntax import bare, integer

_DIGITS = 18
_PRIME = 2**31 - 1
_TYPE = exp.DataType.Type
_KEYS = frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT, Kind.DATE, Kind.TEXT, Kind.UUID})


@dataclass(frozen=True, slots=True)
class Dealt:
    """How many blocks there are, and what units are dealt by."""

    blocks: int
    key: exp.Expr


def dealt(item: exp.Expr) -> Dealt | None:
    """What is read of `CAST(TRANSLATE(LEFT(MD5(CAST(key AS TEXT)), 18), 'abcdef', '012345') AS BIGINT) % prime % n`;
    None where the item is no remainder.

    Claim: it is a function of the key alone, from 0 to n − 1, and no key makes it raise, if its kind is one of those
    that `block_fact` admits. Because: MD5 is written with 0 to 9 and a to f; so 18 digits are left, which are a number
    below 10^18; both divisors are above 0. Checked by: tests/test_sample_aggregate.py.
    Raises CheckFault for any other remainder.
    """
    if type(item) is not exp.Mod:
        return None
    mixed, blocks = bare(item.this), integer(item.expression)
    require(type(mixed) is exp.Mod and integer(mixed.expression) == _PRIME, "blocks that are dealt in another way")
    if blocks is None or not 1 <= blocks < _PRIME:
        raise CheckFault("no number of blocks")
    digits = _inside(bare(mixed.this), _TYPE.BIGINT)
    left = digits.this
    written = type(digits) is exp.Translate and [_text(digits.args.get(name)) for name in ("from_", "to")]
    require(written == ["abcdef", "012345"], "digits that are translated in another way")
    require(type(left) is exp.Left and integer(left.expression) == _DIGITS, "a number of other digits")
    require(type(left.this) is exp.MD5, "blocks without a hash")
    return Dealt(blocks, _inside(left.this.this, _TYPE.TEXT))


def block_fact(key: ColumnFact) -> ColumnFact:
    """What is known of the number of a block, if `key` is the unit's: no expression may read it, and all rows of a
    block agree on it.

    Because: equal keys have equal texts. Raises CheckFault for a key of a kind in which they may not.
    """
    held = key.held
    require(held is not None and held.kind in _KEYS, "equal keys could have different texts")
    return ColumnFact(None, hidden=True, key=True, steady=True, held=Held(Kind.BIGINT, 0, _PRIME))


def in_block(column: ColumnFact) -> ColumnFact:
    """A column of the rows of units, of rows of blocks: it is no key, and they need not agree on it."""
    return ColumnFact(column.family, held=column.held)


def _inside(node: object, type_: object) -> exp.Expr:
    """What is cast to a plain type."""
    if type(node) is not exp.Cast or node.to.this is not type_ or node.to.expressions:
        raise CheckFault("blocks that are cast to another type")
    inner: exp.Expr = node.this
    return inner


def _text(node: object) -> str | None:
    return node.name if type(node) is exp.Literal and node.is_string else None


def unit_of(unit: str, blocks: int | None) -> str | BlocksOf:
    """Whose rows a release is of: a unit's, or a block's."""
    return unit if blocks is None else BlocksOf(unit, blocks)
