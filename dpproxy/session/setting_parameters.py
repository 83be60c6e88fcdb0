"""Settings whose names are parameters: they are looked at when their values are bound.

Settings that print are refused by their names, so there has to be a name to be read. What has none is refused.

Checked by: tests/attacks/test_front_settings.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dpproxy.errors import DPProxyError
from dpproxy.session.allowed_statements import computed, printing
from dpproxy.session.session_state import PreparedStatement, SessionState
from dpproxy.session.set_settings import bound_fault
from dpproxy.session.verdicts import GateNames, Statement

# What a parameter may be declared as: nothing, text, varchar. Others, as regclass, are other texts than their values.
_TEXTS: Final = frozenset({0, 25, 1043})
# No blanks, quotes or backslashes, and no longer than a name.
_PLAIN: Final = re.compile(rb"[A-Za-z0-9_.$\x80-\xff]{1,63}")


def executing_fault(statement: Statement, state: SessionState) -> DPProxyError | None:
    """The refusal of EXECUTE by SQL of what names a setting by a parameter: its arguments are expressions."""
    executed = state.executed(statement)
    return computed() if executed is not None and executed.setters else None


def binding_fault(
    prepared: PreparedStatement, parameters: Sequence[bytes | None], names: GateNames
) -> DPProxyError | None:
    """The refusal of values that name a setting that prints, or no setting in plain letters.

    Claim: what the server takes for the name is the value. Because: the parameter stands nowhere else in the statement
    (`StatementReads.computed`) and is declared as a text or not at all: its type is text, varchar, or what set_config()
    takes.
    """
    places = sorted(number - 1 for number in prepared.statement.setters)
    if any(place < len(prepared.types) and prepared.types[place] not in _TEXTS for place in places):
        return computed()
    values = [parameters[place] for place in places if place < len(parameters)]
    fault = next((fault for value in values if value is not None and (fault := _fault(value, names))), None)
    types = [*prepared.types, *[0] * len(parameters)]
    texts = [value if type_ in _TEXTS else None for value, type_ in zip(parameters, types, strict=False)]
    return fault or bound_fault(prepared.statement.assigned, texts, names.terms)


def _fault(value: bytes, names: GateNames) -> DPProxyError | None:
    if not _PLAIN.fullmatch(value):
        return computed()
    name = value.decode("ascii", "replace").lower()
    return printing(name) if name in names.printing else None
