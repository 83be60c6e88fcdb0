"""The neutral tree, in which two readings of one text are compared.

What differs in writing alone is one here, and nothing else: parentheses are gone, for the tree says what they said; a
chain of AND is one node with all its parts, in order, and so is one of OR; a sign before a number constant is part of
it; what is denied has its NOT outside; a CASE with an operand compares it, and one without ELSE has ELSE NULL; the
order and the frame of a window are there in full; CROSS JOIN and a comma are one; what GROUP BY names twice is there
once, as DuckDB's parser has it. All else is as it is read: which operator is above which, and in which order the
operands of others than AND and OR are put together, is what is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

Word = TypeVar("Word")


class Unread(AssertionError):
    """A node, or an argument of one, that a reader does not know."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node: its kind, the word that tells it from others of its kind, and its parts by name."""

    kind: str
    word: str = ""
    parts: tuple[tuple[str, Node], ...] = ()

    def __str__(self) -> str:
        inner = ", ".join(f"{name}: {part}" for name, part in self.parts)
        return f"{self.kind} {self.word!r}" + (f" ({inner})" if inner else "")


@dataclass(frozen=True, slots=True)
class Difference:
    """The first node that two trees do not share: the way to it from the root, and what stands there in each."""

    path: str
    proved: str
    read: str

    def __str__(self) -> str:
        return f"at {self.path}: proved is {self.proved}; the engine reads {self.read}"


class Fields:
    """The arguments of one node of a parser's tree, each of which must be taken; what says nothing is left out."""

    def __init__(self, kind: str, values: Mapping[str, object], without: Sequence[str] = ()) -> None:
        self.kind = kind
        self._left = {name: value for name, value in values.items() if not _says_nothing(value) and name not in without}

    def take(self, name: str) -> object:
        """The argument, or None. It is not asked for again."""
        return self._left.pop(name, None)

    def each(self, name: str) -> list[object]:
        """The argument as a list; none for None."""
        found = self.take(name)
        return list(found) if isinstance(found, list) else [] if found is None else [found]

    def only(self, name: str, *allowed: object) -> None:
        """Raises Unread where the argument is something else."""
        found = self.take(name)
        if found is not None and found not in allowed:
            raise Unread(f"{self.kind} with {name} {found!r}")

    def done(self) -> None:
        """Raises Unread where an argument was not taken."""
        if self._left:
            raise Unread(f"{self.kind} with {', '.join(sorted(self._left))}")


def _says_nothing(value: object) -> bool:
    return value is None or value is False or (isinstance(value, (str, list)) and not value)


def known(table: Mapping[str, Word], word: object, what: str) -> Word:
    """What a table says of a word. Raises Unread for one that it has not."""
    if word not in table:
        raise Unread(f"{word} as {what}")
    return table[str(word)]


def made(kind: str, word: str = "", **parts: Node | Sequence[Node] | None) -> Node:
    """A node; the parts of a list are numbered, and None is no part."""
    found: list[tuple[str, Node]] = []
    for name, part in parts.items():
        if isinstance(part, Node):
            found.append((name, part))
        elif part is not None:
            found += [(f"{name} {number}", each) for number, each in enumerate(part, start=1)]
    return Node(kind, word, tuple(found))


# Names of one function: position(b IN a) is read as position(a, b), and that is strpos(a, b).
_ONE = {"position": "strpos", "pow": "power"}
# Functions whose first argument is the name of a field, in letters of any case.
_OF_FIELDS = frozenset({"extract", "date_part", "date_trunc", "date_diff"})
_FIELDS = {"microseconds": "microsecond", "milliseconds": "millisecond"}


def call(name: str, arguments: Sequence[Node], distinct: bool = False) -> Node:
    """A call of a function."""
    name = _ONE.get(name, name)
    if name in _OF_FIELDS and arguments and arguments[0].kind == "string":
        field = arguments[0].word.lower()
        arguments = [Node("string", _FIELDS.get(field, field)), *arguments[1:]]
    return made("function", f"{name} distinct" if distinct else name, argument=arguments)


def operator(word: str, *operands: Node) -> Node:
    """An operator over its operands; x ^ y is power(x, y)."""
    return call("power", operands) if word in ("^", "**") else made("operator", word, operand=operands)


def chain(word: str, operands: Sequence[Node]) -> Node:
    """AND or OR of all operands, and of theirs where they are chains of the same."""
    flat: list[Node] = []
    for each in operands:
        flat += [part for _, part in each.parts] if (each.kind, each.word) == ("chain", word) else [each]
    return made("chain", word, part=flat)


def denied(node: Node, really: bool = True) -> Node:
    """NOT of the node; the node itself where it is not really denied. What is not 'not distinct' is distinct."""
    if really and (node.kind, node.word) == ("operator", "is not distinct from"):
        return Node(node.kind, "is distinct from", node.parts)
    return operator("not", node) if really else node


def number(text: str) -> Node:
    """A number constant: a whole number by its value, another as it is written."""
    bare, sign = text.lstrip("-"), text.startswith("-")
    bare = bare.replace("_", "").lower()
    bare = str(int(bare)) if bare.isdecimal() else f"0{bare}" if bare.startswith(".") else bare
    return Node("number", f"-{bare}" if sign and bare != "0" else bare)


def negative(node: Node) -> Node:
    """Unary minus, which a number constant takes in."""
    if node.kind != "number":
        return operator("-", node)
    return number(node.word[1:] if node.word.startswith("-") else f"-{node.word}")


def case(operand: Node | None, whens: Sequence[tuple[Node, Node]], default: Node | None) -> Node:
    """CASE: a condition and a value in turn, and what it is else."""
    tests = [when if operand is None else operator("=", operand, when) for when, _ in whens]
    branches = [made("when", test=test, then=then) for test, (_, then) in zip(tests, whens, strict=True)]
    return made("case", when=branches, default=default or NULL)


NULL = Node("null")


def grouping(nodes: Sequence[Node]) -> list[Node]:
    """GROUP BY: rows that are alike in what is named twice are so in what is named once. Grouping sets are not left
    out: twice the same ones are all pairs of them."""
    return [
        each
        for place, each in enumerate(nodes)
        if each.kind == "grouping sets" or not any(_groups_by(other, each) for other in nodes[:place])
    ]


def _groups_by(node: Node, named: Node) -> bool:
    """Whether a part of GROUP BY is what is named, or sets each of which has it."""
    if node.kind != "grouping sets":
        return node == named
    return all(named in [part for _, part in each.parts] for _, each in node.parts)


def kinds(node: Node) -> Iterator[str]:
    """Kind and word of each node that is no name and no constant."""
    if node.kind in ("operator", "function", "chain", "join", "set operation", "cast", "bound"):
        yield f"{node.kind} {node.word}"
    for _, part in node.parts:
        yield from kinds(part)


def first_difference(proved: Node, read: Node, path: str = "") -> Difference | None:
    """The first node, from the root and from the left, that is not the same in both; None where all are."""
    path = f"{path}{proved.kind}"
    if (proved.kind, proved.word) != (read.kind, read.word):
        return Difference(path, str(proved), str(read))
    names, others = [name for name, _ in proved.parts], [name for name, _ in read.parts]
    for (name, part), (other, its) in zip(proved.parts, read.parts, strict=False):
        if name != other:
            break
        if found := first_difference(part, its, f"{path}.{name} > "):
            return found
    return (
        None if names == others else Difference(path, f"one with {', '.join(names)}", f"one with {', '.join(others)}")
    )
