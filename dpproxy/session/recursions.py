"""Recursive queries over public tables: the front says their columns and how many rows they have, before the plan.

Checked by: tests/clients/test_recursion.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dpproxy.errors import InternalFault
from dpproxy.plan.private_plan import OwnTable
from dpproxy.rewrite.question import Question
from dpproxy.rewrite.reading.recursion import RECURSION, RecursiveQuery, may_be_recursive, written_place
from dpproxy.rows import Column
from dpproxy.session.bound_statement import BoundStatement
from dpproxy.session.error_messages import error_bytes
from dpproxy.session.gate import examine
from dpproxy.session.own_statements import ask, forget_own, prepare_own
from dpproxy.session.own_tables import Given, count_tables, counted_queries
from dpproxy.session.prerequisites import load
from dpproxy.session.session_context import SessionContext
from dpproxy.session.type_names import type_name


async def with_recursions(session: SessionContext, asked: BoundStatement, question: Question) -> Question | None:
    """The question, which tells of its recursive queries, too. None where the front refused, and the client has seen
    it. Raises DPProxyError."""
    if not may_be_recursive(question.sql):
        return question
    queries = await session.backend.recursive_queries(question)
    if not queries:
        return question
    found = await _counted(session, asked, queries)
    return None if found is None else replace(question, own={**question.own, **found})


async def _counted(
    session: SessionContext, asked: BoundStatement, queries: tuple[RecursiveQuery, ...]
) -> Mapping[str, OwnTable] | None:
    tables = []
    for query in queries:
        await load(session, tuple(name for each in examine(query.sql, session.backend.names) for name in each.public))
        columns = await _columns(session, asked, query)
        if columns is None:
            return None
        tables.append(OwnTable(RECURSION, query.name, columns, query=query.sql))
    row = await ask(session.pipeline, session.state, count_tables(tables, given(asked)))
    if row is None:
        return None
    return {written_place(table.name): table for table in counted_queries(row, tables)}


async def _columns(session: SessionContext, asked: BoundStatement, query: RecursiveQuery) -> tuple[Column, ...] | None:
    """As the front has them now: tables of the analyst's own may have changed."""
    types = asked.typed.parameters
    forget_own(session.pipeline, session.state, query.sql, types)
    fault = error_bytes(InternalFault(), session.pipeline.codec)
    found = await prepare_own(session.pipeline, session.state, query.sql, types, fault)
    if found is None:
        return None
    names = session.backend.types
    return tuple(
        Column(each.name, type_name(names, each.type_oid, each.type_modifier)) for each in found[1].fields or ()
    )


def given(asked: BoundStatement) -> Given:
    """The client's parameters."""
    return Given(asked.typed.parameters, asked.bind.parameter_formats, asked.bind.parameters)
