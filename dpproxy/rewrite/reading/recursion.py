"""WITH RECURSIVE where nothing is recursive: the word lets a query of WITH read itself, and is often written anyway.

Checked by: tests/test_fixtures.py.
"""

from __future__ import annotations

from sqlglot import exp


def without_needless_recursion(query: exp.Query) -> exp.Query:
    """The query, in which a WITH whose queries read only those before them is an ordinary one."""
    if not any(map(_is_needless, query.find_all(exp.With))):
        return query
    made = query.copy()
    for with_ in filter(_is_needless, made.find_all(exp.With)):
        with_.set("recursive", None)
    return made


def _is_needless(with_: exp.With) -> bool:
    return bool(with_.args.get("recursive")) and not _reads_onward(with_)


def _reads_onward(with_: exp.With) -> bool:
    """Whether one reads itself, or one that comes after it; perhaps, where another has the same name within it."""
    names = [cte.alias for cte in with_.expressions]
    return any(
        not table.db and table.name in names[index:]
        for index, cte in enumerate(with_.expressions)
        for table in cte.this.find_all(exp.Table)
    )
