"""What a configuration says that is allowed, and weakens what it promises: `dpproxy check` warns of it. Pure.

Checked by: tests/test_doubts.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from ipaddress import ip_address
from typing import Final

from dpproxy.config.sections import Config

_LARGE_DELTA: Final = Decimal("0.001")
_NEAR_ONE: Final = Decimal("0.5")
_EVERY_TABLES: Final = frozenset({"id", "key", "name", "code", "no", "number"})


def doubts(config: Config) -> Iterator[str]:
    """A line for each, with the key that it is about. No data is needed for it."""
    yield from _deltas(config)
    yield from _strangers(config)
    yield from _public_tables(config)
    yield from _others_named(config)
    if len(config.analysts) > 1 and config.budgets.everyone is None:
        yield (
            f"budgets.everyone: there is none, so {len(config.analysts)} analysts who put their answers together have"
            " the sum of their budgets; a cap on it is [budgets.everyone] with epsilon and delta"
        )


def deltas(config: Config) -> Mapping[str, Decimal]:
    """The δ of each account, by its section."""
    held = {f"analysts.{name}": each.delta for name, each in config.analysts.items()}
    if config.budgets.everyone is not None:
        held["budgets.everyone"] = config.budgets.everyone.delta
    return held


def beyond_one_of(key: str, delta: Decimal, units: int, said: str) -> str:
    """That a δ is 1/n or more: to tell all of one unit's rows, drawn at random, is within it. said: what n is."""
    return (
        f"{key}.delta: {delta} is not below 1 / {units:,} ({said}): it would allow that all rows of one of them are"
        f" told; write delta = {_far_below(units)}"
    )


def _far_below(units: int) -> str:
    """A power of ten, a tenth of 1/n or less: it tells how many digits n has, and no more."""
    return f"1e-{len(str(units)) + 1}"


def _deltas(config: Config) -> Iterator[str]:
    given = max(_given_sizes(config), default=None)
    for key, delta in deltas(config).items():
        if delta >= _NEAR_ONE:
            yield f"{key}.delta: {delta} is near 1, so that nothing is promised; write one such as 1e-6"
        elif given is not None and delta * given[0] >= 1:
            yield beyond_one_of(key, delta, given[0], f"tables.{given[1]}.max_rows")
        elif delta >= _LARGE_DELTA:
            yield (
                f"{key}.delta: {delta} is the chance that anything at all is told of somebody; it should be far below"
                " 1 / the number of units"
            )


def _given_sizes(config: Config) -> Iterator[tuple[int, str]]:
    """How many units there may be, by the policy: rows of a table that has one for each; and that table."""
    for unit in config.units.values():
        table = config.tables[unit.table]
        if "max_rows" in table.model_fields_set and table.primary_key == (unit.key,):
            yield table.max_rows, unit.table


def _public_tables(config: Config) -> Iterator[str]:
    """Those that may be about somebody."""
    keys = set(_keys(config))
    for name, table in config.tables.items():
        if not table.public:
            continue
        for column in table.columns:
            if column.lower() in keys:
                called = f"tables.{name}.public: its column {column} is called like one that says whose a row is"
                yield f"{called}; if it does, everybody may read who is there"


def _others_named(config: Config) -> Iterator[str]:
    """Columns in sight that may name another unit than the one whose row it is."""
    keys = set(_keys(config))
    for name, table in config.tables.items():
        own = {
            *(column for column, _ in table.links),
            *(unit.key for unit in config.units.values() if unit.table == name),
        }
        whose = table.unit or "unit"
        for column, section in table.columns.items():
            alike = column.lower() in keys or any(column.lower().endswith(f"_{key}") for key in keys)
            if alike and not table.public and not section.hidden and column not in own:
                said = f"tables.{name}.columns.{column}: by its name it may say another {whose} than the row's own"
                yield f"{said}, whom nothing protects there; hidden = true, if so"


def _keys(config: Config) -> Iterator[str]:
    """How columns are called that hold a unit's key, in lower case; but for names that each table has."""
    ends = {f"{unit.table}.{unit.key}" for unit in config.units.values()}
    links = (column for table in config.tables.values() for column, end in table.links if end in ends)
    for column in (*(unit.key for unit in config.units.values()), *links):
        if column.lower() not in _EVERY_TABLES:
            yield column.lower()


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
