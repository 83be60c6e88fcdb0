"""date_part gives double precision and EXTRACT numeric: the parser reads both as one, the front tells them apart."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from dpproxy.catalog.types import DOUBLE
from dpproxy.rows import Column


def retype(tree: exp.Query, columns: Sequence[Column]) -> exp.Query:
    """The same tree, with a cast around each output column that holds EXTRACT and is double precision in `columns`."""
    if isinstance(tree, exp.Select) and len(tree.expressions) == len(columns):
        for item, column in zip(tree.expressions, columns, strict=True):
            value = item.unalias()
            if column.type == DOUBLE.name and value.find(exp.Extract) is not None:
                value.replace(exp.Cast(this=value.copy(), to=exp.DataType.build(DOUBLE.name, dialect="postgres")))
    return tree
