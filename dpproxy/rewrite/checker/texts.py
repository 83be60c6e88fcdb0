"""The texts beside the bounded one: where public keys come from, and the statement for the front."""

from __future__ import annotations

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

from dpproxy.catalog.model import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.plan.model import FromPublic, Input, Key, Plan, Release, ReleasedColumn, ViewColumn
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.level import visible
from dpproxy.rewrite.checker.nodes import filtered, only, parsed
from dpproxy.rewrite.checker.relations import scanned


def check_domain(key: Key, catalog: Catalog, dialect: str) -> None:
    """Claim: if nothing is raised, the key's values do not depend on any private row.

    Because: they are private keys, or written in the plan, or those of one public table.
    Checked by: tests/test_checker.py.
    """
    if not isinstance(key.domain, FromPublic):
        return
    select = parsed(key.domain.sql, dialect)
    only(select, "expressions", "distinct", "from_", "where")
    from_ = select.args.get("from_")
    node = from_.this if from_ is not None else None
    if type(node) is not exp.Table or not node.alias:
        raise CheckFault("public keys are not of one table")
    table = catalog.table(node.db or None, node.name)
    if table is None or not table.public:
        raise CheckFault(f"public keys of {node.name}, which is not public")
    items = select.expressions
    require(select.args.get("distinct") and len(items) == 1, "public keys are not one distinct column")
    require(type(items[0]) is exp.Alias and items[0].alias == "k", "public keys have another name")
    sources = {node.alias: scanned(table, catalog)}
    for expression in (items[0].this, *filtered(select)):
        visible(expression, sources)


def check_post(plan: Plan, catalog: Catalog) -> None:
    """Claim: if nothing is raised, the statement for the front reads no private table, and its arrays are released.

    Because: every table in it is looked up, and every input is a column of a release of the plan or of a dp table.
    Checked by: tests/test_checker.py.
    """
    post = plan.post
    require(len(post.inputs) == len(post.input_types), "inputs without a type")
    for input_ in post.inputs:
        _check_input(input_, plan.releases)
    try:
        trees = parse(post.sql, read="postgres")
    except (SqlglotError, RecursionError) as fault:
        raise CheckFault(f"the post statement does not parse: {type(fault).__name__}") from None
    require(len(trees) == 1 and isinstance(trees[0], exp.Query), "the post statement is not one query")
    for tree in trees:
        for table in tree.find_all(exp.Table) if tree is not None else ():
            known = catalog.table(table.db or None, table.name)
            require(known is None or known.public or _is_cte(table), f"the post statement reads {table.name}")


def _is_cte(table: exp.Table) -> bool:
    node: exp.Expr | None = None if table.db else table
    while node is not None:
        with_ = node.args.get("with_")
        if with_ is not None and any(cte.alias == table.name for cte in with_.expressions):
            return True
        node = node.parent
    return False


def _check_input(input_: Input, releases: tuple[Release, ...]) -> None:
    match input_:
        case ReleasedColumn(release, column):
            require(0 <= release < len(releases), "an input of no release")
            width = len(releases[release].bounded.keys) + len(releases[release].outputs)
            require(0 <= column < width, "an input of no column")
        case ViewColumn(view, column):
            require(any(c.name == column for c in VIEWS.get(view, ())), "an input of no dp table")
