"""Which setting a call of set_config() sets: a constant, a parameter, or what nobody can tell before it runs.

Checked by: tests/attacks/test_front_settings.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from dpproxy.session.postgres_parser import Tree

# Casts to these leave a text as it is, where they have no length.
_TEXTS: Final = frozenset({"text", "varchar"})


@dataclass(frozen=True, slots=True)
class ConstantName:
    """A name that is written out, in lower case."""

    name: str


@dataclass(frozen=True, slots=True)
class ParameterName:
    """The value of a parameter."""

    number: int


@dataclass(frozen=True, slots=True)
class ComputedName:
    """Anything else, of a call at a byte offset."""

    location: int


Setting = ConstantName | ParameterName | ComputedName


def setting(call: Tree) -> Setting | None:
    """The setting that a function call sets; None where it calls another function, or set_config() of nothing."""
    match call:
        case {"funcname": [*_, {"String": {"sval": "set_config"}}], "args": [first, *others]}:
            named = [each for each in (first, *others) if each.get("NamedArgExpr", {}).get("name") == "setting_name"]
            return _setting((named or [first])[0], call.get("location", 0))
        case {"funcname": [*_, {"String": {"sval": str()}}]}:
            return None
        case _:
            return ComputedName(call.get("location", 0))


def _setting(argument: Tree, location: int) -> Setting:
    match argument:
        case {"A_Const": {"sval": {"sval": str(name)}}}:
            return ConstantName(name.lower())
        case {"A_Const": _}:
            return ConstantName("")
        case {"ParamRef": {"number": int(number)}}:
            return ParameterName(number)
        case {"NamedArgExpr": {"arg": inner}} | {"CollateClause": {"arg": inner}}:
            return _setting(inner, location)
        case {"TypeCast": {"arg": inner, "typeName": to}} if _is_text(to):
            return _setting(inner, location)
        case _:
            return ComputedName(location)


def _is_text(to: Mapping[str, object]) -> bool:
    match to:
        case {"names": [*_, {"String": {"sval": str(name)}}]}:
            return name in _TEXTS and "typmods" not in to and "arrayBounds" not in to
        case _:
            return False
