"""SQL -> Plan: the passes in order. Pure; the same question gives the same plan, text for text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from dpproxy.accounting.account import Terms
from dpproxy.catalog.policy import Catalog
from dpproxy.engines.dialects import dialect_of
from dpproxy.errors import DPProxyError, KeysOfPairs, NotPrivate, RowPerUnit, SubqueryBesidePairs
from dpproxy.plan.losses import sample_losses
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.settings import Mechanism
from dpproxy.rewrite.allocate import allocate, norm_in_samples, norm_of
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.multiplying import joined_on, place
from dpproxy.rewrite.nearest import grouped_by, inner_questions, nearest, without_subqueries
from dpproxy.rewrite.question import Question
from dpproxy.rewrite.reading.admit import admit
from dpproxy.rewrite.reading.anti_joins import anti_joins
from dpproxy.rewrite.reading.clock import CLOCKS, clock
from dpproxy.rewrite.reading.constants import ConstantRelation, set_apart
from dpproxy.rewrite.reading.ctes import without_unread
from dpproxy.rewrite.reading.days_counted import days_counted
from dpproxy.rewrite.reading.keyed_tables import one_row_for_each_key
from dpproxy.rewrite.reading.lateral_unions import rows_of_aggregates
from dpproxy.rewrite.reading.lateral_values import rows_of_columns
from dpproxy.rewrite.reading.listed_series import MAKERS, rows_of_listed_series
from dpproxy.rewrite.reading.own_tables import own_tables, unreadable
from dpproxy.rewrite.reading.parse import kinds_of, parse_statement
from dpproxy.rewrite.reading.recursion import RecursiveQuery, check_worked_out, set_recursion_apart
from dpproxy.rewrite.reading.resolve import resolve
from dpproxy.rewrite.reading.settled_columns import group_by_settled
from dpproxy.rewrite.reading.text_arrays import text_arrays
from dpproxy.rewrite.reading.text_parts import rows_of_text_parts
from dpproxy.rewrite.reading.unread_windows import without_unread_windows
from dpproxy.rewrite.reading.whole_rows import fields_of_rows
from dpproxy.rewrite.releases.draft import ReleaseDraft
from dpproxy.rewrite.releases.hierarchies import apart
from dpproxy.rewrite.retelling import may_filter
from dpproxy.rewrite.statement.absent_rows import strangers_absent
from dpproxy.rewrite.statement.adjacent_rows import adjacent_rows_windowed
from dpproxy.rewrite.statement.branches import branches_aggregated
from dpproxy.rewrite.statement.derived_correlation import correlated_derived_tables
from dpproxy.rewrite.statement.empty import is_empty, without_rows
from dpproxy.rewrite.statement.first_rows import first_rows_joined
from dpproxy.rewrite.statement.inlined import inlined
from dpproxy.rewrite.statement.keys_chosen import keys_chosen
from dpproxy.rewrite.statement.lateral_scalars import laterals_as_scalars
from dpproxy.rewrite.statement.met_exists import strangers_exist
from dpproxy.rewrite.statement.met_never import strangers_never_met
from dpproxy.rewrite.statement.met_once import strangers_met_once
from dpproxy.rewrite.statement.met_surely import strangers_surely_met
from dpproxy.rewrite.statement.row_totals import totals_by_row
from dpproxy.rewrite.statement.semi_joins import semi_joined
from dpproxy.rewrite.statement.strangers_apart import strangers_apart
from dpproxy.rewrite.statement.strangers_counted import strangers_counted
from dpproxy.rewrite.statement.track import track
from dpproxy.rewrite.swap import swap
from dpproxy.rewrite.work import check_cap, unit_work

_NEAREST: Final = "The nearest question is answered"
_NEAR: Final = (RowPerUnit, KeysOfPairs, SubqueryBesidePairs)


def plan_statement(question: Question, catalog: Catalog, terms: Terms, dialect: str) -> Plan:
    """The plan of one statement for an analyst whose tables `catalog` holds and whose account has `terms`.

    Claim: the plan and its cost are a function of the arguments, none of which was read from private data.
    Because: every pass is pure. Checked by: tests/test_source.py (the core imports no IO), tests/test_fixtures.py and
    tests/test_pure_passes.py (each leaves the tree that it is given as it was).
    Raises a DPProxyError with position and hint for what cannot be answered; UnknownEngine for an engine without a
    dialect, and CheckFault for one of which the checker knows no facts.
    """
    dialect_of(dialect)
    catalog = catalog.in_zone(question.zone)
    written = parse_statement(question.sql)
    tree, constants, recursions = _read(written, question, catalog)
    tables = own_tables(tree, question.own)
    hidden = unreadable(tree, question.own) if tables else {}
    context = PlanningContext(
        catalog,
        question.settings,
        question.parameters,
        dialect,
        norm_of(question.settings, terms),
        norm_in_samples(question.settings, terms),
        constants,
        tables=tables,
        unreadable=hidden,
        accounting=terms.accounting,
        columns=question.columns,
        recursions=recursions,
        zone=question.zone,
        sizes=dict(question.sizes),
    )
    try:
        tree, context, front, drafts = _tracked(tree, context)
    except _NEAR as fault:
        _tell_nearest(fault, question, catalog, terms, dialect)
        raise
    post = swap(front, drafts, context)
    settings = question.settings
    made = allocate(drafts, settings, terms, catalog.constant_time, question.time_part)
    work = unit_work(made.releases, tables, catalog, dialect)
    check_cap(work, catalog, lambda product: place(tree, product, context), lambda name: joined_on(tree, name, context))
    return Plan(
        made.releases,
        post,
        made.cost,
        settings.epsilon,
        frozenset(context.read),
        tables,
        work,
        fresh=settings.fresh,
        time=made.time,
        hierarchies=apart(each for draft in drafts for each in draft.hierarchies),
        nonnegative=settings.nonnegative,
        may_filter=may_filter(question, written) and settings.mechanism is not Mechanism.SAMPLE_AGGREGATE,
        samples=sample_losses(made.releases, terms.accounting),
        time_part=question.time_part,
    )


def _tracked(
    tree: exp.Query, context: PlanningContext
) -> tuple[exp.Query, PlanningContext, exp.Query, Sequence[ReleaseDraft]]:
    """The tree that is answered, and what it came to; where rows of two units would have to choose keys, rows of one
    side choose them. Raises what `track` does of the first."""
    asked = without_rows(tree, context.catalog) if is_empty(tree, context) else tree
    try:
        return (tree, context, *track(asked, context))
    except KeysOfPairs:
        chosen = keys_chosen(asked, context.catalog)
        if chosen is asked:
            raise
        again = replace(context, read=set(), alone=[], queries={})
        try:
            return (chosen, again, *track(chosen, again))
        except DPProxyError:
            pass
        raise


def _tell_nearest(fault: NotPrivate, question: Question, catalog: Catalog, terms: Terms, dialect: str) -> None:
    """Put the nearest question that is answered, if there is one, into the hint: of itself, or of its nearest one."""
    for asked in _nearest(fault, question.sql, catalog):
        try:
            plan_statement(replace(question, sql=asked, columns=()), catalog, terms, dialect)
        except _NEAR as further:
            if (further.hint or "").startswith(_NEAREST):
                fault.hint = further.hint
                return
        except DPProxyError:
            pass
        else:
            fault.hint = f"{_NEAREST}: {asked}"
            return


def _nearest(fault: NotPrivate, sql: str, catalog: Catalog) -> list[str]:
    """Texts of which the first that is answered may be the nearest."""
    match fault:
        case RowPerUnit():
            found = [nearest(sql, fault.shared)]
        case KeysOfPairs():
            found = [grouped_by(sql, fault.shared), *inner_questions(sql)]
        case _:
            private = {name.rpartition(".")[2] for name, table in catalog.tables.items() if table.units}
            found = [without_subqueries(sql, private)]
    return [text for text in found if text is not None]


def recursive_queries(question: Question, catalog: Catalog) -> tuple[RecursiveQuery, ...]:
    """What of a statement the front has to work out before a plan is made: `Question.own` must tell of each.

    Raises what `plan_statement` would.
    """
    written = parse_statement(question.sql)
    return _set_apart(written, kinds_of(written), question, catalog)[1]


def _set_apart(
    written: exp.Query, kinds: frozenset[type[exp.Expr]], question: Question, catalog: Catalog
) -> tuple[exp.Query, tuple[RecursiveQuery, ...]]:
    tree = fields_of_rows(written) if exp.Dot in kinds else written
    tree = tree if kinds.isdisjoint((exp.StringToArray, exp.Anonymous)) else rows_of_text_parts(tree)
    tree = text_arrays(tree) if exp.StringToArray in kinds else tree
    tree = tree if kinds.isdisjoint(MAKERS) else days_counted(rows_of_listed_series(tree), catalog)
    tree = admit(rows_of_columns(rows_of_aggregates(tree)) if exp.Lateral in kinds else tree, question.sql)
    tree = without_unread(tree) if exp.With in kinds else tree
    return set_recursion_apart(tree, catalog, question.names, question.own)


def _read(
    written: exp.Query, question: Question, catalog: Catalog
) -> tuple[exp.Query, tuple[ConstantRelation, ...], tuple[RecursiveQuery, ...]]:
    """The analyst's text as a tree whose every name is bound, and the constants and recursive queries in it."""
    kinds = kinds_of(written)
    tree, recursions = _set_apart(written, kinds, question, catalog)
    for each in recursions:
        check_worked_out(each, question.own)
    tree = tree if kinds.isdisjoint(CLOCKS) else clock(tree, question.now, question.zone)
    tree, constants = set_apart(tree)
    resolved = resolve(tree, question.sql, catalog, question.names, question.own)
    return _simpler(resolved, catalog), constants, recursions


def _simpler(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree in other words. Most trees have no node of the kinds that a pass is for: looking for its own
    through all of a tree is most of what a pass costs."""
    kinds = kinds_of(tree)
    if exp.Window in kinds:
        tree = without_unread_windows(tree)
    if exp.Lateral in kinds:
        tree = laterals_as_scalars(tree, catalog)
    if exp.Subquery in kinds:
        tree = correlated_derived_tables(tree)
    if not kinds.isdisjoint((exp.Group, exp.Subquery)):
        tree = group_by_settled(tree, catalog)
    if not kinds.isdisjoint((exp.Subquery, exp.CTE)):
        tree = inlined(tree, catalog)
    if exp.Subquery in kinds and not kinds.isdisjoint((exp.Limit, exp.Fetch)):
        tree = first_rows_joined(adjacent_rows_windowed(tree, catalog), catalog)
    if exp.Exists in kinds:
        tree = strangers_exist(tree, catalog)
        kinds |= {exp.Join}
    if exp.Join in kinds:
        tree = strangers_never_met(strangers_surely_met(tree, catalog), catalog)
        tree = strangers_absent(strangers_met_once(tree, catalog), catalog)
        kinds |= {exp.Exists}
    if not kinds.isdisjoint((exp.Join, exp.Subquery, exp.Exists, exp.In)):
        tree = strangers_counted(tree, catalog)
    if exp.Join in kinds:
        tree = strangers_apart(tree, catalog)
        tree = semi_joined(tree, catalog)
        tree = branches_aggregated(totals_by_row(tree, catalog), catalog)
        tree = one_row_for_each_key(anti_joins(tree, catalog), catalog)
    return tree
