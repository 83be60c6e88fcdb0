"""Fuzzing guided by coverage, for some seconds together; see tests/fuzz. --seed picks another series."""

from __future__ import annotations

import importlib
import struct
from dataclasses import replace
from typing import Any

import fuzz.planner
import pytest
from fuzz.found import FOUND
from fuzz.run import NAMES, run
from lanes import seed, sized

from dpproxy import wire
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite import plan_statement
from dpproxy.session.relay import Relay

pytestmark = pytest.mark.long

SECONDS = sized(5.0, 5.0, 1800.0)
SEED = seed()
SHARES = {"wire": 0.2, "session": 0.2, "planner": 0.6}


@pytest.mark.parametrize("name", NAMES)
def test_what_was_found_is_mended(name: str) -> None:
    target = importlib.import_module(f"fuzz.{name}").target()
    for data, what in FOUND[name].items():
        try:
            target.try_(data)
        except Exception as fault:
            raise AssertionError(f"{what}: {data!r}") from fault


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_found(name: str) -> None:
    ran = run(name, SECONDS * SHARES[name], SEED)
    print(f"\n{name}: {ran.executions} inputs, {ran.coverage} edges, {ran.features} features")
    assert ran.finding is None, ran.finding
    assert ran.coverage > 50


def _torn(frame: wire.Frame, codec: str = "utf-8") -> object:
    raise struct.error("a decoder that forgets to ask how much is left")


def _silent(relay: Relay, data: bytes) -> bytes:
    return b""


def _unclipped(*asked: Any) -> Plan:
    made = plan_statement(*asked)
    first = made.releases[0]
    sql = first.bounded.sql.replace("LEAST(", "COALESCE(").replace("CASE WHEN", "CASE WHEN TRUE OR")
    return replace(made, releases=(replace(first, bounded=replace(first.bounded, sql=sql)), *made.releases[1:]))


PLANTED: dict[str, tuple[object, str, object, bytes]] = {
    "wire": (wire, "decode_frontend", _torn, b"\0\0\x05\0\0\0\x09\0\3\0\0\0S\0\0\0\4"),
    "session": (Relay, "front_data", _silent, b"\0\xff\0S\0\0\0\4"),
    "planner": (fuzz.planner, "plan_statement", _unclipped, b"SELECT sum(cost) FROM visits"),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_target_is_not_blind(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, what, planted, data = PLANTED[name]
    target = importlib.import_module(f"fuzz.{name}").target()
    target.try_(data)
    monkeypatch.setattr(where, what, planted)
    with pytest.raises((AssertionError, struct.error)):
        target.try_(data)
