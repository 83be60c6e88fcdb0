"""`SET dp.error_columns = on`: behind each noisy column of the answer the ends of its intervals.

For tools that cannot be taught to ask.
Checked by: tests/clients/test_error_bars_over_wire.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import Family, parse_type
from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.error_bars import Bar
from dpproxy.plan.settings import Settings
from dpproxy.rewrite.error_bars.origins import Origins
from dpproxy.rewrite.error_bars.placed import place_error_bars
from dpproxy.rewrite.releases.draft import ReleaseDraft
from dpproxy.rows import Column

_NUMBERS: Final = (Family.INTEGER, Family.NUMERIC, Family.FLOAT)
_BOTH: Final = (Bar.LOW, Bar.HIGH)


def add_columns(
    tree: exp.Query, drafts: Sequence[ReleaseDraft], settings: Settings, columns: Sequence[Column]
) -> tuple[exp.Query, tuple[int, ...]]:
    """The tree with two columns more behind each that has intervals, and the places of those; as it is, where nobody
    set that. columns: of the answer, with their types.

    What tells which rows are alike (DISTINCT, UNION) stays as it is.
    """
    if not settings.error_columns or not isinstance(tree, exp.Select) or tree.args.get("distinct") is not None:
        return tree, ()
    items = list(tree.expressions)
    if len(items) != len(columns):
        return tree, ()
    chosen = tuple(
        place
        for place, item in enumerate(items)
        if _is_number(columns[place]) and _has_bars(tree, place, item, drafts, settings.confidence)
    )
    made = tree.copy()
    added = {place: _ends(items[place], place) for place in chosen}
    all_ = [each for place, item in enumerate(made.expressions) for each in (item, *added.get(place, ()))]
    made.set("expressions", all_)
    return made, chosen


def _ends(item: exp.Expr, place: int) -> list[exp.Expr]:
    """Their names are not the ones that are told: no column that is spoken of is called so."""
    return [exp.Alias(this=_call(item, bar), alias=exp.to_identifier(f"dpproxy_{bar.value}_{place}")) for bar in _BOTH]


def _call(item: exp.Expr, bar: Bar) -> exp.Expr:
    return exp.Anonymous(this=f"dp.{bar.value}", expressions=[item.unalias().copy()])


def _is_number(column: Column) -> bool:
    try:
        return parse_type(column.type).family in _NUMBERS
    except ValueError:
        return False


def _has_bars(
    tree: exp.Select, place: int, item: exp.Expr, drafts: Sequence[ReleaseDraft], confidence: Decimal
) -> bool:
    """Whether it is noisy, and there are rules for all that it is made of."""
    if not Origins.of(tree, drafts).is_noisy(item):
        return False
    tried = tree.copy()
    written = tried.expressions[place].unalias()
    if any(isinstance(node, exp.Anonymous) and node.name.startswith("dp.") for node in written.walk()):
        return False
    tried.append("expressions", _call(tried.expressions[place], Bar.LOW))
    try:
        place_error_bars(tried, drafts, confidence)
    except FeatureNotSupported:
        return False
    return True
