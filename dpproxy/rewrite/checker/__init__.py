"""The independent checker: the final texts of a plan are read again, and must prove the guarantee by themselves.

It knows nothing of how a plan was made, and imports nothing that makes one.

    nodes      the allow-list: exact classes, exact arguments
    relations  tables of the policy, what ties two of them to one unit
    level      the SELECT that reads tables: its unit key, its columns, one row per unit or not
    limits     the limit step, or the proof of the reason that there is none
    families   the type of an expression, where its nodes prove it
    clip       the range of what a row adds
    shape      total over limit over contributions over rows
    texts      domains of public keys, and the statement for the front
    price      sensitivities, and losses against the cost
"""

from __future__ import annotations

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.model import Catalog
from dpproxy.plan.model import Plan
from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.price import check_price, check_release
from dpproxy.rewrite.checker.shape import check_bounded
from dpproxy.rewrite.checker.texts import check_domain, check_post

__all__ = ["CheckFault", "check_plan"]


def check_plan(plan: Plan, catalog: Catalog, dialect: str, accounting: Accounting) -> None:
    """Claim: if nothing is raised, running `plan` is differentially private at the price of `plan.cost`, as far as the
    engine does not fail. That it fails for no row is the claim of `rewrite.expressions`.

    Because: of each release the text proves how far one unit moves its result (`check_bounded`), its mechanisms are
    made for that (`check_release`) and lose no more than the cost together (`check_price`); the rest of the plan reads
    nothing private (`check_domain`, `check_post`).
    Checked by: tests/test_checker.py, where every mutation of an accepted plan is refused.
    Raises CheckFault, with a reason for the operator.
    """
    for release in plan.releases:
        check_release(release)
        check_bounded(release.bounded, catalog, dialect)
        for key in release.bounded.keys:
            check_domain(key, catalog, dialect)
    check_price(plan, accounting)
    check_post(plan, catalog)
