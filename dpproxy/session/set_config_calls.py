"""Which setting a call of set_config() sets, and to what: a constant, a parameter, or what nobody can tell before.

Checked by: tests/attacks/test_front_settings.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class SettingCall:
    """value: the text that is written, the number of the parameter that it is; None: anything else."""

    setting: Setting
    value: str | int | None = None

    @property
    def parameters(self) -> frozenset[int]:
        """Those that name, or are, what is set."""
        named = {self.setting.number} if isinstance(self.setting, ParameterName) else set()
        return frozenset(named | ({self.value} if isinstance(self.value, int) else set()))


def setting_call(call: Tree) -> SettingCall | None:
    """What a function call sets; None where it calls another function, or set_config() of nothing."""
    match call:
        case {"funcname": [*_, {"String": {"sval": "set_config"}}], "args": [_, *_] as arguments}:
            name = _argument(arguments, 0, "setting_name") or arguments[0]
            return SettingCall(_setting(name, call.get("location", 0)), _value(_argument(arguments, 1, "new_value")))
        case {"funcname": [*_, {"String": {"sval": str()}}]}:
            return None
        case _:
            return SettingCall(ComputedName(call.get("location", 0)))


def _argument(arguments: Sequence[Tree], place: int, name: str) -> Tree | None:
    """The argument of that name, or in that place where it has none."""
    named = [each for each in arguments if each.get("NamedArgExpr", {}).get("name") == name]
    there = [each for each in arguments[place : place + 1] if "NamedArgExpr" not in each]
    return next(iter([*named, *there]), None)


def _value(argument: Tree | None) -> str | int | None:
    match argument:
        case {"A_Const": {"sval": {**text}}}:
            return str(text.get("sval", ""))
        case {"ParamRef": {"number": int(number)}}:
            return number
        case {"NamedArgExpr": {"arg": inner}} | {"CollateClause": {"arg": inner}}:
            return _value(inner)
        case {"TypeCast": {"arg": inner, "typeName": to}} if _is_text(to):
            return _value(inner)
        case _:
            return None


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
