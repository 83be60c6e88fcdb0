"""What a configuration says that is allowed, and weakens what it promises: `dpproxy check` warns of it. Pure.

Checked by: tests/test_doubts.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from ipaddress import ip_address
from typing import Final

from dpproxy.config.sections import Config

_LARGE_DELTA: Final = Decimal("0.001")


def doubts(config: Config) -> Iterator[str]:
    """A line for each, with the key that it is about. No data is needed for it."""
    yield from _deltas(config)
    yield from _strangers(config)
    if len(config.analysts) > 1 and config.budgets.everyone is None:
        yield (
            f"budgets.everyone: there is none, so {len(config.analysts)} analysts who put their answers together have"
            " the sum of their budgets; a cap on it is [budgets.everyone] with epsilon and delta"
        )


def _deltas(config: Config) -> Iterator[str]:
    held = {f"analysts.{name}": each.delta for name, each in config.analysts.items()}
    if config.budgets.everyone is not None:
        held["budgets.everyone"] = config.budgets.everyone.delta
    for key, delta in held.items():
        if delta >= _LARGE_DELTA:
            yield (
                f"{key}.delta: {delta} is the chance that anything at all is told of somebody; it should be far below"
                " 1 / the number of units"
            )


def _strangers(config: Config) -> Iterator[str]:
    if config.server.require_tls or _is_local(config.server.host):
        return
    for name, each in config.analysts.items():
        if each.trust:
            yield (
                f"analysts.{name}.trust: whoever reaches {config.server.host} is let in as {name}, without a password"
                " and without TLS"
            )


def _is_local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
