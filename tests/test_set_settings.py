"""`dp.*` settings where they are set: SET, set_config(), startup options (`session.set_settings`)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Accounting
from dpproxy.errors import DPProxyError, InvalidSettingValue, UndefinedSetting
from dpproxy.server.startup_settings import check_settings
from dpproxy.session.gate import examine
from dpproxy.session.set_settings import bound_fault
from dpproxy.session.verdicts import GateNames, Refuse
from dpproxy.wire import StartupMessage

TERMS = terms(Accounting.PURE, Decimal(5), Decimal("1e-6"))
NAMES = GateNames(frozenset({"people"}), frozenset(), "alice", terms=TERMS)
UNKNOWN, INVALID = UndefinedSetting, InvalidSettingValue


def fault(sql: str, names: GateNames = NAMES) -> DPProxyError | None:
    (statement,) = examine(sql, names)
    return statement.verdict.error if isinstance(statement.verdict, Refuse) else None


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("SET dp.epsilon = 0.5", None),
        ("SET dp.epsilon = 1", None),
        ("SET DP.Epsilon TO '0.5'", None),
        ("SET dp.epsilon = ''", None),
        ("SET dp.epsilon TO DEFAULT", None),
        ("SET LOCAL dp.fresh = on", None),
        ("SET dp.weights = 'a: 2, b: 1'", None),
        ("RESET dp.epsilon", None),
        ("RESET ALL", None),
        ("SHOW dp.anything", None),
        ("SET other.epsilon = -1", None),
        ("SET work_mem = '1MB'", None),
        ("SET dp.epsilon = 0", INVALID),
        ("SET dp.epsilon = -1", INVALID),
        ("SET dp.epsilon = 5.1", INVALID),
        ("SET dp.epsilon = much", INVALID),
        ("SET SESSION dp.delta = '1'", INVALID),
        ("SET LOCAL dp.fresh = perhaps", INVALID),
        ("SET dp.max_groups_per_unit = 1.5", INVALID),
        ("SET dp.mechanism = gaussian", INVALID),
        ("SET dp.weights = 'a'", INVALID),
        ("SET dp.epsilom = 0.5", UNKNOWN),
        ("SET dp.epsilom TO DEFAULT", UNKNOWN),
        ("RESET dp.noise", UNKNOWN),
        ("SELECT set_config('dp.epsilon', '0.5', false)", None),
        ("SELECT set_config('dp.epsilon', $1, false)", None),
        ("SELECT set_config('dp.epsilon', 'a' || 'b', false)", None),
        ("SELECT set_config('dp.epsilon', NULL, false)", None),
        ("SELECT pg_catalog.set_config('Dp.Epsilon', '9', true)", INVALID),
        ("SELECT set_config('dp.epsilon'::text, '9'::varchar, true)", INVALID),
        ("SELECT set_config(new_value => '9', is_local => true, setting_name => 'dp.epsilon')", INVALID),
        ("SELECT set_config('dp.epsilon', is_local => true, new_value => '9')", INVALID),
        ("SELECT set_config('dp.noise', $1, false)", UNKNOWN),
        ("SELECT set_config('dp.epsilon', '0.5', false), (SELECT set_config('dp.delta', '7', false))", INVALID),
        ("PREPARE p AS SELECT set_config('dp.epsilon', '9', false)", INVALID),
        ("SELECT set_config('dp.epsilon', '1', false), set_config('dp.epsilon', $1, false)", None),
        ("SELECT set_config('work_mem', '1MB', false), set_config('work_mem', $1, false)", None),
        ("SELECT set_config('dp.epsilon', $1, false), set_config('dp.epsilon', '9', false)", INVALID),
    ],
)
def test_what_is_written(sql: str, kind: type[DPProxyError] | None) -> None:
    assert type(fault(sql)) is (kind or type(None))
    assert fault(sql, GateNames(frozenset(), frozenset(), "alice")) is None


def test_the_nearest_name_is_told() -> None:
    found = fault("SET dp.epsilom = 1")
    assert found is not None
    assert found.message == 'unrecognized configuration parameter "dp.epsilom"'
    assert (found.hint or "").startswith("Perhaps you meant dp.epsilon. The settings are dp.epsilon, dp.delta,")
    assert "Perhaps" not in (getattr(fault("SET dp.xyzzy = 1"), "hint", "") or "")


@pytest.mark.parametrize(
    ("sql", "parameters", "kind"),
    [
        ("SELECT set_config('dp.epsilon', $1, false)", (b"0.5",), None),
        ("SELECT set_config('dp.epsilon', $1, false)", (None,), None),
        ("SELECT set_config('dp.epsilon', $1, false)", (b"9",), INVALID),
        ("SELECT set_config('dp.epsilon', $1, false)", (b"\xff",), INVALID),
        ("SELECT set_config('dp.epsilon', $2::text, $1)", (b"t", b"9"), INVALID),
        ("SELECT set_config($1, '9', false)", (b"dp.epsilon",), INVALID),
        ("SELECT set_config($1, $2, false)", (b"DP.noise", b"9"), UNKNOWN),
        ("SELECT set_config($1, $2, false)", (b"work_mem", b"9"), None),
        ("SELECT set_config($1, $2, false)", (b"dp.epsilon", b"0.5"), None),
        ("SELECT set_config($1, 'a' || 'b', false)", (b"dp.epsilon",), None),
    ],
)
def test_what_parameters_are_given(
    sql: str, parameters: tuple[bytes | None, ...], kind: type[DPProxyError] | None
) -> None:
    (statement,) = examine(sql, NAMES)
    assert not isinstance(statement.verdict, Refuse)
    assert type(bound_fault(statement.assigned, parameters, TERMS)) is (kind or type(None))


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"options": "-c dp.epsilon=0.5 --dp.fresh=on"}, None),
        ({"dp.epsilon": "0.5", "application_name": "x"}, None),
        ({"options": "-c dp.epsilon=50"}, INVALID),
        ({"options": "-cdp.epsilon=much"}, INVALID),
        ({"dp.epsilon": "NaN"}, INVALID),
        ({"options": "--dp.noise=off"}, UNKNOWN),
    ],
)
def test_what_a_startup_packet_sets(given: dict[str, str], kind: type[DPProxyError] | None) -> None:
    packet = StartupMessage(3, 0, (("user", "alice"), *given.items()))
    if kind is None:
        check_settings(packet, frozenset(), TERMS)
    else:
        with pytest.raises(kind):
            check_settings(packet, frozenset(), TERMS)
