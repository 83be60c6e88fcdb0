"""What all sessions of one analyst share: the policy as they have it, and the plans made lately.

Checked by: tests/attacks/test_plan_cache.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from dpproxy.answering.resources import AnalystAccount, Resources
from dpproxy.answering.stored import StoredReleases
from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.config.sections import OWN_BYTES
from dpproxy.front.schema import FrontCatalog
from dpproxy.session.kept_plans import KeptPlans
from dpproxy.session.verdicts import GateNames


class PublicTableLoader(Protocol):
    """Copies public tables into the front."""

    async def ensure(self, names: Iterable[str], /) -> None:
        """See to it that those of these tables that are public hold their rows."""
        ...


@dataclass(frozen=True, slots=True)
class AnalystContext:
    """What all sessions of one analyst share. `catalog` is the whole policy, `plans` those made lately.

    public: the policy's name of each public table, by its name as written. loaded: those known to hold their rows.
    previews: whether a statement that would return rows of units is answered with none, instead of refused.
    stored: the stored releases, if any are kept. own_bytes: what the tables of the analyst's own may take.
    """

    resources: Resources
    account: AnalystAccount
    catalog: Catalog
    front: FrontCatalog
    publics: PublicTableLoader
    names: GateNames
    public: Mapping[str, str]
    loaded: set[str]
    previews: bool = False
    stored: StoredReleases | None = None
    own_bytes: int = OWN_BYTES
    plans: KeptPlans = field(default_factory=KeptPlans)


def analyst_context(
    resources: Resources,
    account: AnalystAccount,
    catalog: Catalog,
    front: FrontCatalog,
    publics: PublicTableLoader,
    loaded: set[str],
    previews: bool,
    stored: StoredReleases | None = None,
    own_bytes: int = OWN_BYTES,
) -> AnalystContext:
    """The context of an analyst. `catalog`: the whole policy; the account has the part that they may use."""
    private = [f"dp.{view}" for view in VIEWS] + [each.name for each in catalog.tables.values() if not each.public]
    public = {written: each.name for each in catalog.tables.values() if each.public for written in _written(each.name)}
    names = GateNames(
        frozenset(written for name in private for written in _written(name)),
        frozenset(public),
        account.ref.analyst,
        front.closed,
        front.printing,
        account.terms,
    )
    return AnalystContext(
        resources, account, catalog, front, publics, names, public, loaded, previews, stored, own_bytes
    )


def _written(name: str) -> tuple[str, str]:
    """How a table of the policy may be written: its own name, and with its schema."""
    schema, _, relation = name.rpartition(".")
    return relation, f"{schema or 'public'}.{relation}"
