"""Which settings a startup packet sets: read as Postgres reads its command line."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Accounting
from dpproxy.errors import InsufficientPrivilege
from dpproxy.server.startup_settings import check_settings, settings_of
from dpproxy.wire import StartupMessage

TERMS = terms(Accounting.PURE, Decimal(5), Decimal("1e-6"))


def packet(options: str = "", **others: str) -> StartupMessage:
    given = {"user": "alice", "database": "demo", "options": options, **others}
    return StartupMessage(3, 0, tuple(given.items()))


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("", set()),
        ("-c dp.epsilon=1", {"epsilon"}),
        ("-cdp.epsilon=1 --dp.delta=0", {"epsilon", "delta"}),
        ("  -c\tDP.Epsilon=1\n--dp.max-rows-per-unit=3", {"epsilon", "max_rows_per_unit"}),
        (r"-c dp.eps\ilon=1 -c dp.delta=a\ -c\ dp.fresh=on", {"epsilon", "delta"}),
        ("-efc dp.epsilon=1", set()),  # f takes the rest of its word
        ("-eic dp.epsilon=1", {"epsilon"}),
        ("-ei-dp.epsilon=1", {"epsilon"}),
        ("-S 64 -c dp.epsilon=1", {"epsilon"}),
        ("-S -c dp.epsilon=1", set()),
        ("dp.epsilon=1", set()),
        ("-c", set()),
        ("- -", set()),
    ],
)
def test_the_options_are_read_as_postgres_reads_them(options: str, names: set[str]) -> None:
    assert settings_of(packet(options)) == names


def test_parameters_of_the_packet_are_settings_too() -> None:
    assert settings_of(packet("-c dp.delta=0", **{"dp.epsilon": "1", "DateStyle": "ISO"})) == {"delta", "epsilon"}


def test_the_operators_are_refused_by_either_way() -> None:
    operators = frozenset({"debug_print_plan", "log_duration"})
    for given in (packet(r"-c debug\_print_plan=on"), packet("--log-duration"), packet(Debug_Print_Plan="on")):
        with pytest.raises(InsufficientPrivilege, match="permission denied to set parameter"):
            check_settings(given, operators, TERMS)
    check_settings(packet("-c application_name=debug_print_plan", application_name="log_duration"), operators, TERMS)
