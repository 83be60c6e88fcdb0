"""FROM: tables, derived tables and joins of up to four, with what can be named afterwards and whose rows they are.

Text between « and » is for the judge alone: plain Postgres keeps the rows of a join that belong to no unit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from neighbours.dice import Dice
from neighbours.words import Column, Scope, condition, named

PERSON, CUSTOMER, PUBLIC = "person", "customer", "public"


@dataclass(frozen=True, slots=True)
class Source:
    """What stands in FROM. order: columns by which its rows are told apart, as far as they differ.

    unit: the unit's key as it can be named, "" where there is none (public rows, and lineitem, whose `link` leads on).
    where: conditions that belong into WHERE; keep: those that only the judge needs.
    """

    text: str
    owner: str
    columns: Scope
    unit: str = ""
    link: str = ""
    order: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    table: str = ""
    comma: bool = False  # a comma binds looser than JOIN, so that only commas can follow


_COLUMNS = {
    "people": "age:i! sex:t? income:f! city:t smoker:b? joined:d!",
    "visits": "visit_id:i day:d! cost:f! dept:t",
    "departments": "dept:t? building:t? beds:i?",
    "customer": "segment:t? nationkey:i acctbal:n!",
    "nation": "nationkey:i? nation:t?",
    "orders": "orderkey:i orderdate:d! priority:t?",
    "lineitem": "linenumber:i! quantity:n! price:n! discount:n! flag:t? shipdate:d!",
}
_UNIT = {"people": "person_id", "visits": "person_id", "customer": "custkey", "orders": "custkey"}
_LINK = {"orders": "orderkey", "lineitem": "orderkey"}
_ORDER = {
    "people": ["person_id"],
    "visits": ["visit_id"],
    "departments": ["dept"],
    "customer": ["custkey"],
    "nation": ["nationkey"],
    "orders": ["orderkey"],
    "lineitem": ["orderkey", "linenumber"],
}
_OF = {PERSON: ["people", "visits"], CUSTOMER: ["orders", "customer"], PUBLIC: ["departments", "nation"]}
TABLES = {PERSON: ["visits", "people"], CUSTOMER: ["orders", "lineitem", "customer"]}
Derive = Callable[[str, int], Source]


class Names:
    """Aliases: the first letter of a table, with a number where it was used before."""

    def __init__(self) -> None:
        """None was used."""
        self._used: dict[str, int] = {}

    def new(self, word: str) -> str:
        """p, p2, p3 …"""
        self._used[word] = self._used.get(word, 0) + 1
        return word if self._used[word] == 1 else f"{word}{self._used[word]}"


def table(names: Names, name: str) -> Source:
    """A table of the policy under an alias of its own."""
    alias = names.new(name[0])
    owner = next((owner for owner, tables in _OF.items() if name in tables), CUSTOMER)
    columns = []
    for word in _COLUMNS[name].split():
        column, _, kind = word.partition(":")
        few = "?" in kind or owner == PUBLIC
        columns.append(Column(f"{alias}.{column}", kind[0], bounded="!" in kind, few=few))
    return Source(
        f"{name} {alias}",
        owner,
        tuple(columns),
        f"{alias}.{_UNIT[name]}" if name in _UNIT else "",
        f"{alias}.{_LINK[name]}" if name in _LINK else "",
        tuple(f"{alias}.{each}" for each in _ORDER[name]),
        table=name,
    )


def joined(dice: Dice, names: Names, owner: str, depth: int, derive: Derive) -> Source:
    """One source, or up to four joined."""
    found = start(dice, names, owner, depth, derive)
    for _ in range(dice.one([0, 0, 1, 1, 1, 2, 2, 3])):
        found = _with_public(dice, names, found) if dice.rarely(5) else _with_private(dice, names, found, depth, derive)
    return found


def start(dice: Dice, names: Names, owner: str, depth: int, derive: Derive) -> Source:
    """A table or, below the greatest depth, perhaps a derived one."""
    if depth > 0 and dice.rarely(4):
        return derive(owner, depth - 1)
    return table(names, dice.one(TABLES[owner]))


def private_only(dice: Dice, names: Names, owner: str) -> Source:
    """A table that carries the unit's key."""
    return table(names, dice.one(_OF[owner]))


def _with_private(dice: Dice, names: Names, left: Source, depth: int, derive: Derive) -> Source:
    """A join with another relation of the unit, by its key or along a link."""
    if not left.unit or (left.link and dice.rarely(4)):
        return _along_a_link(dice, names, left)
    right = start(dice, names, left.owner, depth, derive)
    if not right.unit:
        return _along_a_link(dice, names, left) if left.link else _with_public(dice, names, left)
    tie = f"{left.unit} = {right.unit}" if not dice.rarely(5) else f"{right.unit} = {left.unit}"
    tie = _wrong_tie(dice, left, right, tie)
    if left.table and right.table and dice.rarely(3):
        return _by_name(dice, left, right)
    return _join(dice, left, right, tie, keyed=True)


def _along_a_link(dice: Dice, names: Names, left: Source) -> Source:
    right = table(names, "orders" if left.table == "lineitem" or not left.unit else "lineitem")
    if left.table and dice.rarely(3):
        return _by_name(dice, left, right)
    return _join(dice, left, right, f"{left.link} = {right.link}", keyed=bool(right.unit))


def _wrong_tie(dice: Dice, left: Source, right: Source, tie: str) -> str:
    """Once in a while a condition that ties nothing, or not always: such a statement is refused, or harmless."""
    if not dice.rarely(1, 40):
        return tie
    ours, theirs = named(left.columns, "i") or [Column("1", "i")], named(right.columns, "i") or [Column("1", "i")]
    return dice.one(
        [
            f"{dice.one(ours).text} = {dice.one(theirs).text}",
            f"({tie} OR {dice.one(ours).text} = 1)",
            f"{left.unit} <= {right.unit}",
            f"{left.unit}::double precision = {right.unit}::double precision",
            f"NOT {tie}",
            "TRUE",
        ]
    )


def _by_name(dice: Dice, left: Source, right: Source) -> Source:
    """USING or NATURAL, of two tables that share their key's name and no other."""
    key = "orderkey" if "lineitem" in (left.table, right.table) else left.unit.rpartition(".")[2]
    both = {column.text.partition(".")[2] for column in left.columns} & {
        column.text.partition(".")[2] for column in right.columns
    }
    if left.comma or left.table == right.table or key not in (right.unit.rpartition(".")[2], "orderkey"):
        return _join(dice, left, right, f"{left.unit or left.link} = {right.unit or right.link}", keyed=True)
    plain = dice.rarely(4) and not both - {key}
    text = f"{left.text} NATURAL JOIN {right.text}" if plain else f"{left.text} JOIN {right.text} USING ({key})"
    unit, link = left.unit or right.unit, ""
    return _both(left, right, text, unit, link)


def _both(left: Source, right: Source, text: str, unit: str, link: str) -> Source:
    return Source(
        text,
        left.owner,
        left.columns + right.columns,
        unit,
        link,
        left.order + right.order,
        left.where + right.where,
        left.keep + right.keep,
    )


def _join(dice: Dice, left: Source, right: Source, tie: str, keyed: bool) -> Source:
    """keyed: both sides show the unit's key, so that either may be missing."""
    extra = f" AND {condition(dice, left.columns + right.columns, 1)}" if dice.rarely(2) else ""
    kinds = ["JOIN", "JOIN", "JOIN", ",", "LEFT JOIN", "INNER JOIN"]
    if keyed and left.unit and right.unit:
        kinds += ["RIGHT JOIN", "LEFT JOIN", "FULL JOIN"]
    kind = dice.one(kinds)
    if kind == "LEFT JOIN" and not left.unit:
        kind = "JOIN"  # rows of lineitem without an order belong to nobody
    unit, link = left.unit or right.unit, left.link or right.link
    if kind == "," or left.comma:
        made = _both(left, right, f"{left.text}, {right.text}", unit, link)
        return replace(made, where=(*made.where, tie + extra), comma=True)
    if kind == "FULL JOIN":
        made = _both(left, right, f"{left.text} FULL JOIN {right.text} ON {tie}", "", "")
        unit = f"COALESCE({left.unit}, {right.unit})"
        return replace(made, unit=unit, keep=(f"{unit} IS NOT NULL",) if left.keep else ())
    text = f"{left.text} {kind} {right.text} ON {tie}{extra}"
    unit = right.unit if kind == "RIGHT JOIN" else unit
    link = right.link if kind == "RIGHT JOIN" else link
    made = _both(left, right, text, unit, link)
    return replace(made, keep=()) if kind == "RIGHT JOIN" else made


def _with_public(dice: Dice, names: Names, left: Source) -> Source:
    right = table(names, dice.one(_OF[PUBLIC]))
    tie = _public_tie(dice, left, right)
    equal = " = " in tie and " AND " not in tie
    match 6 if left.comma else dice.below(10):
        case 0 | 1 | 2:
            text = f"{left.text} JOIN {right.text} ON {tie}"
        case 3 | 4:
            text = f"{left.text} LEFT JOIN {right.text} ON {tie}"
        case 5:
            text = f"{left.text} CROSS JOIN {right.text}"
        case 6:
            made = _both(left, right, f"{left.text}, {right.text}", left.unit, left.link)
            return replace(made, where=(*made.where, tie), comma=True)
        case 7:
            text = f"{left.text} RIGHT JOIN {right.text} ON {tie}"
        case 8 if left.table:
            text = f"{right.text} LEFT JOIN {left.text} ON {tie}"
        case _:
            text = f"{left.text} {'FULL' if equal else 'LEFT'} JOIN {right.text} ON {tie}"
    made = _both(left, right, text, left.unit, left.link)
    missing = " RIGHT JOIN " in text or " FULL JOIN " in text or text.startswith(right.text)
    return replace(made, keep=(*made.keep, f"{left.unit or left.link} IS NOT NULL")) if missing else made


def _public_tie(dice: Dice, left: Source, right: Source) -> str:
    """An equality or a range between a private and a public column."""
    ours = [column for column in left.columns if column.kind in "it"]
    for column in [dice.one(ours)] if ours else []:
        theirs = named(right.columns, column.kind)
        if column.kind == "t":
            same = [each for each in theirs if each.text.rpartition(".")[2] == column.text.rpartition(".")[2]]
            return f"{column.text} = {dice.one(same or theirs).text}"
        return f"{column.text} {dice.one(['=', '=', '>', '<='])} {dice.one(theirs).text}"
    return condition(dice, right.columns, 0)


def tables_of(owner: str) -> Sequence[str]:
    """Tables that carry the unit's key."""
    return _OF[owner]
