"""The independent checker: the final texts of a plan are read again, and must prove the guarantee by themselves.

It knows nothing of how a plan was made, and imports nothing that makes one.

    nodes      the allow-list: exact classes, exact arguments; syntax: small readings of a tree
    relations  what is proved of rows; tables: those of the policy
    relation   a private relation is one of four forms:
    level        a SELECT that joins sources, rows: its FROM, JOIN and WHERE, fanout: its rows per unit
    grouped      aggregates of each unit's rows
    windowed     windows over each unit's rows
    setops       UNION, INTERSECT and EXCEPT
    sources    what may stand in FROM; public: queries over public tables; released: arrays as rows;
               constants: VALUES
    scope      what an expression sees; values: what it reads; subqueries: EXISTS (…) and (SELECT …) in it
    ties       what equalities prove: one unit, one row
    families   the type of an expression, where its nodes prove it
    engines    what each engine does with values: facts, asked wherever engines differ
    total      that it raises for no row: held, what is known of a value; columns, of the policy's; facts, what a CASE
               says of it; prover, what a rule is given; functions, their table, with the rules in total_logic,
               total_numbers, total_functions, total_texts, total_times, total_casts; floats, readings: what they lean
               on
    clip       the range of what a row adds
    limits     the limit step, or the proof of the reason that there is none
    shape      total over limit over contributions over rows; distinct, histograms: the same for counts of
               distinct values, and by bucket
    texts      domains of public keys, and the statement for the front
    samples    that no unit counts whose coin does not let it in
    price      losses against the cost; mechanisms: what each is made for and loses; losses: the formulas of noise, and
               of a sample

Checked by: tests/test_checker.py, tests/test_checker_dag.py, tests/test_checker_relations.py,
tests/test_checker_total.py.
"""

from __future__ import annotations

from dataclasses import replace

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite.checker.engines import facts_of
from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.nodes import forget_texts
from dpproxy.rewrite.checker.price import Lost, check_price, check_release
from dpproxy.rewrite.checker.relation import behind, context_of, reader_of
from dpproxy.rewrite.checker.released import check_tables
from dpproxy.rewrite.checker.shape import check_bounded
from dpproxy.rewrite.checker.texts import check_domains, check_post

__all__ = ["CheckFault", "check_plan"]


def check_plan(plan: Plan, catalog: Catalog, dialect: str, accounting: Accounting) -> None:
    """Claim: if nothing is raised, running `plan` is differentially private at the price of `plan.cost`.

    Because: of each release the text proves how far one unit moves its result (`check_bounded`), its mechanisms are
    made for that (`check_release`) and lose no more than the cost together, those of a sample that it proves
    (`samples`) by amplification (`check_price`); the rest of the plan reads
    nothing private (`check_domains`, `check_post`, `check_tables`), but what an earlier release let out. And no row
    makes the engine raise (`total.Total`): every expression of every SELECT, and of the steps over them, is proved by
    the types and ranges of its parts, and by the facts of the engine; one without a record is refused (`engines`).
    Whole numbers, decimals, dates and (where the engine's raises) floating point stay in range; what divides is not 0;
    a cast has room, or its text matched a pattern that is known here; what is compared is of one family; patterns,
    formats and zones are constants; a key is read as what it is declared.
    Trusted: that patterns compile (`expressions.regexes` reads each), that no text grows past 1 GB
    (`calculus.expanded_size`, `engines.postgres.dialect`), that dates of private keys are within Python's,
    memory, disk and time.
    Checked by: tests/test_checker.py, test_checker_dag.py, test_checker_relations.py, test_checker_total.py, and
    tests/attacks/test_checker_attacked.py: mutations of accepted plans, of which those that are taken do no harm.
    Raises CheckFault, with a reason for the operator.
    """
    engine = facts_of(dialect)
    check_tables(plan.tables, catalog)
    losses: list[Lost] = []
    first = context_of(catalog, plan.tables, engine, reader_of(plan.releases))
    for index, release in enumerate(plan.releases):
        context = behind(first, plan.releases[:index])
        losses.append(check_release(release, accounting))
        check_domains(release.bounded.keys, context)
        sample = release.bounded.sample
        check_bounded(release.bounded, context if sample is None else replace(context, sample=sample))
    check_price(plan, losses, accounting)
    check_post(plan, catalog)
    forget_texts()
