"""What a tree reads: relations, minus common table expressions in scope, and the clauses that the gate asks for.

Checked by: tests/test_gate.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dpproxy.session.postgres_parser import Tree
from dpproxy.session.set_config_calls import ComputedName, ConstantName, ParameterName, SettingCall, setting_call


@dataclass(frozen=True, slots=True)
class WrittenRelation:
    """A relation as written, identifiers folded; `only` is FROM ONLY, `location` a byte offset into the text."""

    schema: str
    name: str
    only: bool
    location: int

    @property
    def written(self) -> str:
        """`people` or `public.people`; an identifier with a dot inside in quotes, so that it is none of these."""
        return ".".join(f'"{part}"' if "." in part else part for part in (self.schema, self.name) if part)


def split_written(written: str) -> tuple[str, ...]:
    """The identifiers of a written name. Those with a dot inside are not told apart: see `rewrite.resolve`."""
    return tuple(written.split(".", 1))


@dataclass(frozen=True, slots=True)
class StatementReads:
    """Relations in the order of the walk, the node classes and clauses that occur anywhere, the settings of calls of
    set_config(), the parameters by their byte offset, and the names of functions."""

    relations: tuple[WrittenRelation, ...]
    kinds: frozenset[str]
    settings: frozenset[SettingCall] = frozenset()
    parameters: Mapping[int, int] = field(default_factory=dict)
    functions: frozenset[str] = frozenset()

    @property
    def constants(self) -> frozenset[str]:
        """The settings that set_config() is called for with a constant name."""
        return frozenset(each.setting.name for each in self.settings if isinstance(each.setting, ConstantName))

    @property
    def setters(self) -> frozenset[int]:
        """The numbers of the parameters that name settings."""
        return frozenset(each.setting.number for each in self.settings if isinstance(each.setting, ParameterName))

    @property
    def computed(self) -> int | None:
        """The byte offset of the first call of set_config() with another name; of the first parameter that names one
        and stands elsewhere, too: there it may get a type whose text is another one than its value."""
        calls = [each.setting.location for each in self.settings if isinstance(each.setting, ComputedName)]
        numbers = list(self.parameters.values())
        typed = [at for at, number in self.parameters.items() if number in self.setters and numbers.count(number) > 1]
        return min([*calls, *typed], default=None)


def relation(tree: Tree) -> WrittenRelation:
    """The relation of a RangeVar."""
    return WrittenRelation(
        tree.get("schemaname", ""), tree["relname"], not tree.get("inh", False), tree.get("location", 0)
    )


def read(tree: Tree) -> StatementReads:
    """Everything under `tree`, without recursion: texts may be nested as deep as the parser lets them."""
    relations: list[WrittenRelation] = []
    kinds: set[str] = set()
    settings: set[SettingCall] = set()
    functions: set[str] = set()
    parameters: dict[int, int] = {}
    stack: list[tuple[Any, frozenset[str]]] = [(tree, frozenset())]
    push = stack.append
    while stack:
        node, hidden = stack.pop()
        if type(node) is not dict:
            _push(node, hidden, push)
            continue
        kinds.update(node)
        if "relname" in node and "relpersistence" in node:
            relations += _unless_hidden(relation(node), hidden)
        if "funcname" in node:
            settings.update(found for found in (setting_call(node),) if found is not None)
            functions.add(node["funcname"][-1]["String"]["sval"])
        if "ParamRef" in node:
            parameters[node["ParamRef"].get("location", 0)] = node["ParamRef"].get("number", 0)
        if "withClause" in node:
            stack.extend(_children(node, hidden))
            continue
        _push(node.values(), hidden, push)
    found = tuple(reversed(relations))
    return StatementReads(found, frozenset(kinds), frozenset(settings), parameters, frozenset(functions))


def _push(parts: Iterable[Any], hidden: frozenset[str], push: Callable[[tuple[Any, frozenset[str]]], None]) -> None:
    for part in parts:
        if type(part) is dict or type(part) is list:
            push((part, hidden))


def _unless_hidden(found: WrittenRelation, hidden: frozenset[str]) -> list[WrittenRelation]:
    return [] if not found.schema and found.name in hidden else [found]


def _children(node: Tree, hidden: frozenset[str]) -> list[tuple[Any, frozenset[str]]]:
    """The parts of a node with the CTE names that each sees: a CTE sees those before it, or all if recursive."""
    clause = node.get("withClause")
    if not isinstance(clause, dict):
        return [(part, hidden) for part in node.values() if isinstance(part, dict | list)]
    parts: list[tuple[Any, frozenset[str]]] = []
    names = [each["CommonTableExpr"]["ctename"] for each in clause.get("ctes", ())]
    everything = hidden.union(names)
    for index, each in enumerate(clause.get("ctes", ())):
        parts.append((each, everything if clause.get("recursive") else hidden.union(names[:index])))
    rest = (part for key, part in node.items() if key != "withClause")
    return [*parts, *((part, everything) for part in rest if isinstance(part, dict | list))]
