"""Statements that a policy itself suggests: one for each way in which answers are bounded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from dpproxy.audit.asking import Statements
from dpproxy.catalog.types import Family
from dpproxy.config.column_values import SUMMED
from dpproxy.config.sections import Config
from dpproxy.config.table_sections import ColumnSection, TableSection

_COUNTS = 2


def suggested(config: Config, analyst: str) -> list[Statements]:
    """Of tables of one unit: counts, and where the policy has columns for it a sum, a mean, public keys, private keys,
    and a number of different values, each over the table that is furthest from its unit."""
    allowed = config.tables_of(analyst)
    tables = {name: table for name, table in config.tables.items() if name in allowed and table.unit is not None}
    texts = [f"SELECT count(*) FROM {_table(name)}" for name in list(tables)[:_COUNTS]]
    order = sorted(tables, key=lambda name: -len(tables[name].link))
    texts += _over(tables, order, _measured, "SELECT sum({column}) FROM {table}")
    texts += _over(tables, order[::-1], _measured, "SELECT avg({column}) FROM {table}")
    texts += _over(tables, order, _listed, "SELECT {column}, count(*) FROM {table} GROUP BY 1")
    texts += _over(tables, order, _free, "SELECT {column}, count(*) FROM {table} GROUP BY 1")
    texts += _over(tables, order, _free, "SELECT count(DISTINCT {column}) FROM {table}")
    return [(text,) for text in dict.fromkeys(texts)]


def _over(
    tables: dict[str, TableSection], order: list[str], fits: Callable[[ColumnSection], bool], text: str
) -> Iterator[str]:
    """The text for the first column that fits, if there is one."""
    for name in order:
        table = tables[name]
        for column, each in table.columns.items():
            if fits(each) and not each.hidden and column not in (*table.link, *table.primary_key):
                yield text.format(column=_quoted(column), table=_table(name))
                return


def _measured(column: ColumnSection) -> bool:
    return column.bounds is not None and column.type.family in SUMMED


def _listed(column: ColumnSection) -> bool:
    return column.values is not None


def _free(column: ColumnSection) -> bool:
    return column.values is None and column.type.family is Family.TEXT


def _table(name: str) -> str:
    return ".".join(map(_quoted, name.split(".", 1)))


def _quoted(name: str) -> str:
    return name if re.fullmatch("[a-z_][a-z0-9_]*", name) else '"' + name.replace('"', '""') + '"'
