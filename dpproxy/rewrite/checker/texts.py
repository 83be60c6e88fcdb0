"""The texts beside the bounded one: where public keys come from, and the statement for the front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.views import VIEWS
from dpproxy.plan.error_bars import BarColumn, Replicates
from dpproxy.plan.private_plan import FromPublic, FromRelease, Input, Key, Literals, Plan, PrivateKeys, ViewColumn
from dpproxy.plan.told_columns import ReleasedColumn
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.front_texts import front_query
from dpproxy.rewrite.checker.nodes import asked
from dpproxy.rewrite.checker.public import read_public
from dpproxy.rewrite.checker.released import check_aligned, check_inputs, check_same_part, checked
from dpproxy.rewrite.checker.scope import NOTHING, CheckContext
from dpproxy.rewrite.checker.syntax import inside, only

# Schemas that stand for released rows and constants while a plan is made.
_OURS = "dpproxy "
_TOLD = (exp.Parameter, exp.Placeholder)


def check_domains(keys: Sequence[Key], context: CheckContext) -> None:
    """Claim: if nothing is raised, the values of the keys do not depend on any private row, but by earlier releases.

    Because: they are private keys, or written in the plan, or the rows of a public query, each of its columns that of
    one key, or the keys of an earlier release, all of them.
    Checked by: tests/test_checker_dag.py.
    """
    columns: dict[str, list[FromPublic]] = {}
    earlier: list[FromRelease] = []
    for key in keys:
        match key.domain:
            case PrivateKeys() | Literals():
                pass
            case FromPublic():
                columns.setdefault(key.domain.sql, []).append(key.domain)
            case FromRelease():
                earlier.append(key.domain)
            case _:
                assert_never(key.domain)
    for sql, domains in columns.items():
        _check_query(sql, domains, context)
    if earlier:
        _check_earlier(earlier, len(keys), context)


def _check_query(sql: str, domains: Sequence[FromPublic], context: CheckContext) -> None:
    """SELECT DISTINCT … AS d0, … AS d1 FROM …, public through and through."""
    select = asked(sql, context.engine.name)
    only(select, "expressions", "distinct", "from_", "joins", "where")
    for domain in domains:
        check_inputs(sql, domain.inputs, context)
    names = [item.alias for item in select.expressions]
    numbered = names == ["k"] or names == [f"d{index}" for index in range(len(names))]
    require(select.args.get("distinct") and numbered, "public keys are not distinct columns d0, d1 …")
    read_public(select, NOTHING, context)
    taken = {domain.column for domain in domains}
    apart = len(taken) == len(domains) and taken <= set(range(len(names)))
    require(apart, "two public keys of one column, or one of none")


def _check_earlier(domains: Sequence[FromRelease], width: int, context: CheckContext) -> None:
    """All keys, each another one of the same earlier release."""
    release = domains[0].release
    require(0 <= release < len(context.releases), "keys of no release before this one")
    known = range(len(context.releases[release].bounded.keys))
    require(all(domain.release == release for domain in domains) and len(domains) == width, "keys of several origins")
    require(sorted(domain.column for domain in domains) == list(known), "not the keys of an earlier release")


def check_post(plan: Plan, catalog: Catalog) -> None:
    """Claim: if nothing is raised, the statement for the front reads no private table, and its arrays are released;
    what the front is asked before the charge reads no private table either, and nothing released.

    Because: every table in them is looked up, and every input is a column of a release of the plan or of a dp table.
    Checked by: tests/test_checker_dag.py.
    """
    post = plan.post
    require(len(post.inputs) == len(post.input_types), "inputs without a type")
    for input_ in post.inputs:
        _check_input(input_, plan)
    _check_arrays(_front_nodes(post.sql, "the post statement", catalog), plan)
    if post.before is not None:
        before = _front_nodes(post.before, "what is asked before the charge", catalog)
        require(not any(isinstance(each, _TOLD) for each in before), "a parameter before the charge")


def _front_nodes(sql: str, what: str, catalog: Catalog) -> list[exp.Expr]:
    """The nodes of a text for the front. Raises CheckFault where it reads a private table."""
    nodes = inside(front_query(sql, what))
    for table in [each for each in nodes if isinstance(each, exp.Table)]:
        require(not table.db.startswith(_OURS), "a place that no arrays and no constants were put into")
        known = catalog.known(table.db or None, table.name)
        if known is not None and not known.public and not _is_cte(table):
            raise CheckFault(f"{what} reads {table.name}")
    return nodes


def _check_arrays(nodes: Sequence[exp.Expr], plan: Plan) -> None:
    """The arrays of one UNNEST stand side by side: of one dp table, or of releases with the same rows.

    They are the last parameters, in order, after those of the client.
    """
    inputs = plan.post.inputs
    before = max([_number(node) for node in nodes if isinstance(node, exp.Parameter)], default=0) - len(inputs)
    require(before >= 0 or not inputs, "an input that the post statement does not read")
    for unnest in [each for each in nodes if isinstance(each, exp.Unnest)]:
        numbers = [_number(node) - before for node in unnest.find_all(exp.Parameter)]
        _check_side_by_side([inputs[number - 1] for number in numbers if number >= 1], plan)


def _check_side_by_side(together: Sequence[Input], plan: Plan) -> None:
    of_releases = ReleasedColumn | BarColumn | Replicates
    releases = {input_.release for input_ in together if isinstance(input_, of_releases)}
    views = {input_.view for input_ in together if isinstance(input_, ViewColumn)}
    require(len(views) <= 1 and not (views and releases), "columns of several tables in one UNNEST")
    if releases:
        check_aligned(releases, plan.releases)
        check_same_part([input_.part for input_ in together if isinstance(input_, of_releases)])


def _number(parameter: exp.Expr) -> int:
    name = parameter.name
    require(name.isdecimal(), "a parameter without a number")
    return int(name)


def _is_cte(table: exp.Table) -> bool:
    node: exp.Expr | None = None if table.db else table
    while node is not None:
        with_ = node.args.get("with_")
        if with_ is not None and any(cte.alias == table.name for cte in with_.expressions):
            return True
        node = node.parent
    return False


def _check_input(input_: Input, plan: Plan) -> None:
    match input_:
        case ReleasedColumn():
            checked(input_, plan.releases)
        case BarColumn() | Replicates():
            # It is made of what that column's release told, and of the plan.
            checked(ReleasedColumn(input_.release, input_.column, input_.part), plan.releases)
        case ViewColumn(view, column):
            require(any(c.name == column for c in VIEWS.get(view, ())), "an input of no dp table")
        case _:
            assert_never(input_)
