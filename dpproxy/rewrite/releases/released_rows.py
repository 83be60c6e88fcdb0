"""Released rows, as the statement for the front reads them."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.rewrite.releases.draft import RELEASED

Replaced = dict[exp.Expr, exp.Expr]
"""What stands for the analyst's expressions there, by how they are written."""


def released_alias(index: int) -> str:
    """The alias under which a SELECT reads release `index`."""
    return f"dpproxy_{index}"


def released_rows(index: int) -> exp.Expr:
    """A release in FROM."""
    return exp.table_(str(index), db=RELEASED, quoted=True, alias=released_alias(index))


def released_column(alias: str, name: str) -> exp.Expr:
    """A column of released rows."""
    return exp.Column(this=exp.to_identifier(name), table=exp.to_identifier(alias))


def named(node: exp.Expr, name: str) -> exp.Expr:
    """An item of a SELECT."""
    return exp.Alias(this=node.copy(), alias=exp.to_identifier(name))
