"""The columns of public tables that list none in the policy, as they were when each was first served.

Checked by: tests/test_public_columns.py.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

from dpproxy.ledger.connection_pool import Row

Run = Callable[[str, LiteralString, Sequence[object]], Awaitable[list[Row]]]
"""Sends one statement to the ledger, by the name that it is timed by."""
Approved = Mapping[str, frozenset[str]]
"""By table, the columns that analysts may see."""

_APPROVED: Final = "SELECT t.name, t.columns FROM dp_ledger.approvals t WHERE t.name = ANY (%s)"
_APPROVE: Final = "SELECT dp_ledger.approve(%s, %s::text[], %s::text[])"


@dataclass(frozen=True, slots=True)
class ApprovedColumns:
    """Reads and writes through `run`; wait: for so many milliseconds for a lock. Raises LedgerUnavailable."""

    run: Run
    wait: int

    async def kept(self, tables: Collection[str]) -> Approved:
        """What is kept of these tables; nothing of one that was never served."""
        rows = await self.run("approved", _APPROVED, (sorted(tables),))
        return {str(name): frozenset(json.loads(columns)) for name, columns in rows}

    async def keep(self, seen: Mapping[str, Collection[str]]) -> Approved:
        """What is kept of these tables; where nothing was, what is `seen` now.

        Claim: for each table the result is the same for ever, for all proxies of one ledger, whatever is seen later.
        Because: a table has one row, which is never updated; who comes second finds it. Checked by:
        tests/test_public_columns.py.
        """
        missing = sorted(seen.keys() - (await self.kept(seen)).keys())
        if missing:
            columns = [json.dumps(sorted(seen[name])) for name in missing]
            await self.run("approve", _APPROVE, (self.wait, missing, columns))
        return await self.kept(seen)
