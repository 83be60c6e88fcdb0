"""Typed expressions over what a FROM offers, as text that Postgres takes and never raises an error for.

Kinds: i(nteger), n(umeric), f(loat), t(ext), d(ate), b(oolean); a is a number whose last digits engines may differ in,
which is compared with uneven constants and added up, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from neighbours.dice import Dice


@dataclass(frozen=True, slots=True)
class Column:
    """A column that can be named. bounded: a sum of it needs no clip; few: it has declared or public values."""

    text: str
    kind: str
    bounded: bool = False
    few: bool = False


Scope = tuple[Column, ...]

_CONSTANTS = {
    "i": ["1", "2", "3", "7", "20", "40", "-3", "0"],
    "n": ["0.05", "25", "2.50", "3000", "-1.5"],
    "f": ["100", "0.5", "250", "20000", "-1.25"],
    "t": ["'F'", "'cardio'", "'A'", "'1-URGENT'", "'BUILDING'", "'Delft'", "''"],
    "d": ["DATE '2024-03-01'", "DATE '1995-05-31'", "DATE '2022-02-28'", "DATE '2024-02-29'"],
    "b": ["TRUE", "TRUE", "FALSE"],
}
FIELDS = ["year", "month", "quarter", "dow", "day", "doy", "week", "isodow"]
_SPANS = ["1 month", "7 days", "1 year"]
_PATTERNS = ["'%'", "'c%'", "'%o'", "'_'", "'%e%'"]
_COMPARED = ["=", "<>", "<", "<=", ">", ">="]
_LETTERS = ["'a'", "'o'"]
_UNITS = ["year", "quarter", "month"]


def named(scope: Scope, kinds: str) -> list[Column]:
    """The columns of these kinds."""
    return [column for column in scope if column.kind in kinds]


def expression(dice: Dice, kind: str, scope: Scope, depth: int) -> str:
    """An expression of that kind; at depth 0 a column or a constant."""
    columns = [column.text for column in named(scope, kind)]
    if depth <= 0 or not dice.rarely(6):
        return dice.one(columns * 5 + _CONSTANTS[kind]) if columns else dice.one(_CONSTANTS[kind])
    form = dice.one(_FORMS[kind])
    return form(lambda of: expression(dice, of, scope, depth - 1), dice.one)


def condition(dice: Dice, scope: Scope, depth: int) -> str:
    """A boolean expression that compares columns, where there are any."""
    if (means := named(scope, "a")) and dice.rarely(4):
        return f"({dice.one(means).text} {dice.one(['>', '<='])} {dice.one(['10.37', '0.63', '101.7'])})"
    kinds = sorted({column.kind for column in scope} & set("infdtb")) or ["i"]
    column = dice.one(named(scope, kinds[dice.below(len(kinds))]) or [Column("1", "i")])
    kind = column.kind

    named_already = False

    def part(of: str) -> str:
        nonlocal named_already
        if named_already and not dice.rarely(3):
            return dice.one(_CONSTANTS[of])
        named_already = True
        return column.text if of == kind and not dice.rarely(3) else expression(dice, of, scope, depth - 1)

    return dice.one(_TESTS[kind])(part, dice.one) if dice.rarely(8) else f"({column.text} IS NOT NULL)"


Part = Callable[[str], str]
One = Callable[[Sequence[str]], str]
Form = Callable[[Part, One], str]
_OPTIONAL = ["", " ELSE NULL"]
_FORMS: dict[str, list[Form]] = {
    "i": [
        lambda part, one: f"({part('i')} {one(['+', '-'])} {part('i')})",
        lambda part, one: f"({part('i')} * {one(['2', '3', '-1', '10'])})",
        lambda part, one: f"({part('i')} {one(['/', '%'])} {one(['2', '7', '10'])})",
        lambda part, one: f"CASE WHEN {part('b')} THEN {part('i')} ELSE {part('i')} END",
        lambda part, one: f"CASE WHEN {part('b')} THEN 1{one([' ELSE 0', ''])} END",
        lambda part, one: f"COALESCE({part('i')}, {part('i')})",
        lambda part, one: f"NULLIF({part('i')}, {one(['0', '1', '20'])})",
        lambda part, one: f"{one(['LEAST', 'GREATEST'])}({part('i')}, {part('i')})",
        lambda part, one: f"EXTRACT({one(FIELDS)} FROM {part('d')})::int",
        lambda part, one: f"date_part('{one(FIELDS)}', {part('d')})::integer",
        lambda part, one: f"{one(['abs', '-', '+'])}({part('i')})",
        lambda part, one: f"{one(['length', 'char_length'])}({part('t')})",
        lambda part, one: f"strpos({part('t')}, {one(_LETTERS)})",
        lambda part, one: f"position('e' in {part('t')})",
        lambda part, one: f"({part('d')} - {part('d')})",
        lambda part, one: f"({part('b')})::int",
        lambda part, one: f"CAST({part('i')} AS {one(['integer', 'bigint'])})",
    ],
    "n": [
        lambda part, one: f"({part('n')} {one(['+', '-', '*'])} {part('n')})",
        lambda part, one: f"({part('n')} * (1 - {part('n')}))",
        lambda part, one: f"({part('n')} / {one(['2', '4', '0.5'])})",
        lambda part, one: f"CASE WHEN {part('b')} THEN {part('n')} ELSE 0 END",
        lambda part, one: f"COALESCE({part('n')}, 0)",
        lambda part, one: f"{part('i')}::numeric",
        lambda part, one: f"round({part('n')}, {one(['0', '1', '2'])})",
        lambda part, one: f"{one(['floor', 'ceil', 'abs', 'trunc'])}({part('n')})",
        lambda part, one: f"LEAST(GREATEST({part('n')}, 0), 100)",
    ],
    "f": [
        lambda part, one: f"({part('f')} {one(['+', '-'])} {part('f')})",
        lambda part, one: f"({part('f')} * {one(['2', '0.5', '-1'])})",
        lambda part, one: f"({part('f')} / {one(['2', '4'])})",
        lambda part, one: f"CASE WHEN {part('b')} THEN {part('f')} ELSE 0 END",
        lambda part, one: f"COALESCE({part('f')}, 0)",
        lambda part, one: f"{part('i')}::double precision",
        lambda part, one: f"LEAST(GREATEST({part('f')}, 0), 100)",
        lambda part, one: f"{one(['floor', 'ceil', 'abs'])}({part('f')})",
        lambda part, one: f"power({part('f')}, 2)",
    ],
    "t": [
        lambda part, one: f"CASE WHEN {part('b')} THEN {part('t')} ELSE 'x' END",
        lambda part, one: f"CASE WHEN {part('b')} THEN 'yes' ELSE 'no' END",
        lambda part, one: f"COALESCE({part('t')}, 'none')",
        lambda part, one: f"{one(['lower', 'upper', 'trim'])}({part('t')})",
        lambda part, one: f"substring({part('t')}, 1, 2)",
        lambda part, one: f"{one(['left', 'right'])}({part('t')}, 1)",
        lambda part, one: f"({part('t')} || '/' || {part('t')})",
        lambda part, one: f"concat({part('t')}, '-', {part('t')})",
        lambda part, one: f"replace({part('t')}, 'a', 'b')",
        lambda part, one: f"split_part({part('t')}, 'e', 1)",
        lambda part, one: f"CAST({part('i')} AS text)",
    ],
    "d": [
        lambda part, one: f"date_trunc('{one(_UNITS)}', {part('d')})::date",
        lambda part, one: f"({part('d')} {one(['+', '-'])} {one(['1', '7', '30'])})",
        lambda part, one: f"({part('d')} + INTERVAL '{one(_SPANS)}')::date",
        lambda part, one: f"CASE WHEN {part('b')} THEN {part('d')} END",
        lambda part, one: f"COALESCE({part('d')}, {part('d')})",
    ],
    "b": [
        lambda part, one: f"({part('i')} {one(_COMPARED)} {part('i')})",
        lambda part, one: f"({part('n')} {one(_COMPARED)} {part('n')})",
        lambda part, one: f"({part('t')} {one(_COMPARED[:2])} {part('t')})",
        lambda part, one: f"({part('d')} {one(_COMPARED)} {part('d')})",
        lambda part, one: f"({part('b')} {one(['AND', 'OR'])} {part('b')})",
        lambda part, one: f"(NOT {part('b')})",
        lambda part, one: f"({part('t')} {one(['IS', 'IS NOT'])} NULL)",
    ],
}
_TESTS: dict[str, list[Form]] = {
    "i": [
        lambda part, one: f"({part('i')} {one(_COMPARED)} {part('i')})",
        lambda part, one: f"({part('i')} {one(['', 'NOT '])}BETWEEN {one(['0', '1', '18'])} AND {one(['40', '30'])})",
        lambda part, one: f"({part('i')} {one(['IN', 'NOT IN'])} (1, 2, {one(['20', 'NULL', '3'])}))",
        lambda part, one: f"({part('i')} IS {one(['', '', 'NOT '])}DISTINCT FROM {one(['1', '20', 'NULL'])})",
    ],
    "n": [
        lambda part, one: f"({part('n')} {one(_COMPARED)} {part('n')})",
        lambda part, one: f"({part('n')} BETWEEN 0.05 AND {one(['0.07', '25', '5000'])})",
    ],
    "f": [
        lambda part, one: f"({part('f')} {one(_COMPARED)} {part('f')})",
        lambda part, one: f"({part('f')} BETWEEN 10 AND {one(['100', '30000'])})",
        lambda part, one: f"({part('f')} IS {one(['', 'NOT '])}NULL)",
    ],
    "t": [
        lambda part, one: f"({part('t')} {one(['=', '<>'])} {part('t')})",
        lambda part, one: f"({part('t')} IN ('F', 'cardio', 'A', '1-URGENT', 'BUILDING'))",
        lambda part, one: f"({part('t')} {one(['', 'NOT '])}{one(['LIKE', 'ILIKE'])} {one(_PATTERNS)})",
        lambda part, one: f"({part('t')} ~ '^[A-Zc]')",
        lambda part, one: f"({part('t')} IS {one(['', 'NOT '])}NULL)",
    ],
    "d": [
        lambda part, one: f"({part('d')} {one(_COMPARED)} {part('d')})",
        lambda part, one: f"({part('d')} >= {one(['DATE', 'date'])} '1995-01-01' - INTERVAL '{one(_SPANS)}')",
        lambda part, one: f"(EXTRACT({one(FIELDS)} FROM {part('d')}) {one(_COMPARED[1:])} {one(['6', '1', '1995'])})",
    ],
    "b": [
        lambda part, one: part("b"),
        lambda part, one: f"(NOT {part('b')})",
        lambda part, one: f"({part('b')} IS {one(['', 'NOT '])}{one(['TRUE', 'FALSE'])})",
        lambda part, one: f"({part('b')} {one(['AND', 'OR'])} {part('b')})",
    ],
}
