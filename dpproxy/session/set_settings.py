"""`dp.*` settings where they are set: a wrong name or value is refused there, as Postgres refuses its own.

What nobody can tell before it runs (a value that is computed) is told by the next private statement.

Checked by: tests/test_set_settings.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from dpproxy.accounting.account import Terms
from dpproxy.errors import DPProxyError
from dpproxy.rewrite.settings import setting_fault
from dpproxy.session.postgres_parser import Tree
from dpproxy.session.set_config_calls import ComputedName, ConstantName, ParameterName, SettingCall

PREFIX: Final = "dp."


def fault_of(name: str, value: str | None, terms: Terms | None) -> DPProxyError | None:
    """The refusal of a value (None: unknown yet) of a setting of any class; its name is in lower case."""
    if terms is None or not name.startswith(PREFIX):
        return None
    return setting_fault(name.removeprefix(PREFIX), value, terms)


def set_fault(body: Tree, terms: Terms | None) -> DPProxyError | None:
    """The refusal of SET, SET LOCAL or RESET."""
    return fault_of(body.get("name", "").lower(), _written(body.get("args", ())), terms)


def calls_fault(calls: Iterable[SettingCall], terms: Terms | None) -> DPProxyError | None:
    """The refusal of calls of set_config() with what is written out; in order of names, whatever that of the calls."""
    named = [(each.setting.name, each.value) for each in calls if isinstance(each.setting, ConstantName)]
    written = sorted(((name, value if isinstance(value, str) else None) for name, value in named), key=str)
    return next((fault for name, value in written if (fault := fault_of(name, value, terms)) is not None), None)


def bound_fault(
    calls: Iterable[SettingCall], parameters: Sequence[bytes | None], terms: Terms | None
) -> DPProxyError | None:
    """The refusal of calls of set_config() when their parameters have values; None stands for one that is no text."""
    for call in calls:
        match call.setting:
            case ConstantName(name):
                named: str | None = name
            case ParameterName(number):
                named = _text(number, parameters)
            case ComputedName():
                named = None
        value = _text(call.value, parameters) if isinstance(call.value, int) else call.value
        fault = None if named is None else fault_of(named.lower(), value, terms)
        if fault is not None:
            return fault
    return None


def _text(number: int, parameters: Sequence[bytes | None]) -> str | None:
    given = parameters[number - 1] if 0 < number <= len(parameters) else None
    return None if given is None else given.decode("utf-8", "replace")


def _written(arguments: Sequence[Tree]) -> str | None:
    """The one value that is written; of several, Postgres tells that there is to be one."""
    match arguments:
        case [{"A_Const": {"sval": {**text}}}]:
            return str(text.get("sval", ""))
        case [{"A_Const": {"ival": {**number}}}]:
            return str(number.get("ival", 0))
        case [{"A_Const": {"fval": {**number}}}]:
            return str(number.get("fval", ""))
        case _:
            return None
