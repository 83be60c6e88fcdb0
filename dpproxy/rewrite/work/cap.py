"""What is more work than one private row may make."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dpproxy.catalog.policy import Catalog, Table
from dpproxy.errors import NotPrivate
from dpproxy.plan.work import Factor, Work

MOST_OPERATIONS = 10**12


def check_cap(
    work: Work,
    catalog: Catalog,
    place: Callable[[Sequence[Factor]], int | None],
    joined_on: Callable[[str], tuple[str, ...]],
) -> None:
    """Raises NotPrivate for a statement whose time could tell who is in the data.

    place: the position in the analyst's text of what multiplies, or of what is multiplied where nothing public does.
    joined_on: the columns of a table that the text compares with those of others.

    Claim: whether it does is a function of the text and the policy. Because: that is what the work was counted from.
    Checked by: tests/test_work.py.
    """
    if work.fanout > catalog.max_fanout:
        raise NotPrivate(
            f"one private row could meet {work.fanout:,} {_whose(work.widest, catalog)} ({_told(work.widest)}), "
            f"{catalog.max_fanout:,} are the most",
            hint=_hint(work.widest, catalog, joined_on),
            position=place(work.widest),
        )
    if work.operations > MOST_OPERATIONS:
        raise NotPrivate(
            f"the rows of one unit could take more than {MOST_OPERATIONS:,} row operations",
            hint="Aggregate the rows of each unit first, in a derived table grouped by the unit's key.",
            position=place(()),
        )


def _whose(product: tuple[Factor, ...], catalog: Catalog) -> str:
    """Where a row belongs to two units, those that one of the two meets may be private, of the other."""
    tables = [catalog.tables[factor.name] for factor in product if factor.name in catalog.tables]
    return "public rows" if all(table.public for table in tables) else "rows of others"


def _told(product: tuple[Factor, ...]) -> str:
    return " × ".join(f"{factor.name}: {factor.rows:,}" for factor in product)


def _hint(product: tuple[Factor, ...], catalog: Catalog, joined_on: Callable[[str], tuple[str, ...]]) -> str:
    """What to write instead, by what multiplies."""
    tables = [catalog.tables[factor.name] for factor in product if factor.name in catalog.tables]
    if tables:
        first = f"{_join(tables[0], joined_on(tables[0].name))}, or aggregate it first"
    else:
        first = "Use fewer rows of constants, or aggregate before they are joined"
    return f"{first}; the owner may raise max_fanout in [privacy]."


def _join(table: Table, columns: tuple[str, ...]) -> str:
    """How the table would multiply nothing: joined by a key of its own, if it has one."""
    grouped = table.public and bool(table.primary_key) and not set(table.primary_key) <= set(columns)
    if table.unique or grouped:
        keys = " or ".join(f"({', '.join(key)})" for key in sorted(table.unique or {table.primary_key}))
        return f"Join {table.name} ON its primary key {keys}"
    if table.primary_key:
        key = ", ".join(table.primary_key)
        return f"Nothing keeps the primary key ({key}) of {table.name} unique, which the owner sees at `dpproxy check`"
    if columns:
        key = ", ".join(f'"{column}"' for column in columns)
        return (
            f"If they are unique, the owner declares primary_key = [{key}] for {table.name}, which multiplies nothing"
        )
    return f"Join {table.name} ON a key, which the owner declares as its primary_key"
