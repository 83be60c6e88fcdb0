"""What is more work than one private row may make."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import NotPrivate
from dpproxy.plan.private_plan import Factor, Work

MOST_OPERATIONS = 10**12


def check_cap(work: Work, catalog: Catalog, place: Callable[[Sequence[Factor]], int | None]) -> None:
    """Raises NotPrivate for a statement whose time could tell who is in the data.

    place: the position in the analyst's text of what multiplies, or of what is multiplied where nothing public does.

    Claim: whether it does is a function of the text and the policy. Because: that is what the work was counted from.
    Checked by: tests/test_work.py.
    """
    if work.fanout > catalog.max_fanout:
        raise NotPrivate(
            f"one private row could meet {work.fanout:,} public rows ({_told(work.widest)}), "
            f"{catalog.max_fanout:,} are the most",
            hint=_hint(work.widest, catalog),
            position=place(work.widest),
        )
    if work.operations > MOST_OPERATIONS:
        raise NotPrivate(
            f"the rows of one unit could take more than {MOST_OPERATIONS:,} row operations",
            hint="Aggregate the rows of each unit first, in a derived table grouped by the unit's key.",
            position=place(()),
        )


def _told(product: tuple[Factor, ...]) -> str:
    return " × ".join(f"{factor.name}: {factor.rows:,}" for factor in product)


def _hint(product: tuple[Factor, ...], catalog: Catalog) -> str:
    """What to write instead, by what multiplies."""
    tables = [factor.name for factor in product if factor.name in catalog.tables]
    if tables:
        first = f"Join {tables[0]} ON its primary key (the owner declares it as primary_key), or aggregate it first"
    else:
        first = "Use fewer rows of constants, or aggregate before they are joined"
    return f"{first}; the owner may raise max_fanout in [privacy]."
