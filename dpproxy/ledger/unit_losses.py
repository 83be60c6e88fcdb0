"""What units have lost in total: over all analysts, periods and policies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from psycopg import AsyncConnection

from dpproxy.accounting.conversion import epsilon_of_rho
from dpproxy.accounting.loss import ZERO, Accounting, Loss

_CHARGES: Final = "SELECT units, count(*), sum(main), sum(delta) FROM dp_ledger.charges GROUP BY units"
# An analyst's account may have had more than its charges when the chain began.
_CARRIED: Final = "SELECT coalesce(sum(main), 0), coalesce(sum(delta), 0) FROM dp_ledger.carried WHERE kind = 'analyst'"


@dataclass(frozen=True, slots=True)
class UnitLoss:
    """What one class of units has lost. loss: the sum of all costs. epsilon, delta: what it amounts to together.

    charges: how many statements may have read its rows.
    """

    unit: str
    charges: int
    loss: Loss
    epsilon: Decimal
    delta: Decimal


async def report(
    connection: AsyncConnection[Any], accounting: Accounting, units: Iterable[str], held_back: Decimal
) -> tuple[UnitLoss, ...]:
    """The losses of these classes of units, and of those that charges name.

    Claim: everything that was ever answered is, for one unit of the class, (epsilon, delta)-differentially private.
    Because: basic composition of (ε, δ), or of ρ and δ, over all charges that may have read its rows, those included
    that name no units; under zCDP ρ is shown as an ε at the δ `held_back`, which is added. Checked by:
    tests/test_ledger_chain.py::test_the_report_adds_up.
    """
    rows = await (await connection.execute(_CHARGES.encode())).fetchall()
    [carried] = await (await connection.execute(_CARRIED.encode())).fetchall()
    named = {unit for row in rows for unit in row[0] or ()}
    return tuple(_of(accounting, unit, rows, Loss(*carried), held_back) for unit in sorted({*units, *named}))


def _of(accounting: Accounting, unit: str, rows: Iterable[Any], carried: Loss, held_back: Decimal) -> UnitLoss:
    mine = [row for row in rows if row[0] is None or unit in row[0]]
    loss = sum((Loss(main, delta) for _, _, main, delta in mine), ZERO) + carried
    charges = sum(row[1] for row in mine)
    match accounting:
        case Accounting.PURE:
            return UnitLoss(unit, charges, loss, loss.main, loss.delta)
        case Accounting.ZCDP:
            return UnitLoss(unit, charges, loss, epsilon_of_rho(loss.main, held_back), loss.delta + held_back)
