"""How long statements take to plan and to check, in time of the processor, which others change little."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

import psycopg
from worlds import NOW, names_of

from coverage.corpus import Question as Written
from dpproxy.accounting.account import Terms
from dpproxy.answering.garbage import collect_after_plan, collect_seldom
from dpproxy.catalog.policy import Catalog
from dpproxy.errors import DPProxyError
from dpproxy.plan.private_plan import OwnTable
from dpproxy.rewrite import Question, plan_statement, read_settings, recursive_queries
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.reading.recursion import RECURSION, may_be_recursive, written_place
from dpproxy.rows import Column
from dpproxy.server.large_pages import use_large_pages

ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Taken:
    """Milliseconds for one statement, the least of some rounds. refused: why there is no plan."""

    question: Written
    milliseconds: float
    refused: str | None


def taken(
    asked: Iterable[Written], catalog: Catalog, dialect: str, terms: Terms, owner: psycopg.Connection[object]
) -> Iterator[Taken]:
    """One after the other, the least of their rounds: an earlier one has searched the noise, and found formats and
    types. Garbage is collected as the server does it, after each."""
    collect_seldom()
    use_large_pages()
    settings = read_settings({"epsilon": "1"}, terms)
    for each in asked:
        question = Question(each.sql, (), (), settings, names_of(catalog), NOW, {})
        rounds = [_once(question, catalog, dialect, terms, owner) for _ in range(ROUNDS)]
        yield Taken(each, 1e3 * min(seconds for seconds, _ in rounds), rounds[0][1])


def _once(
    question: Question, catalog: Catalog, dialect: str, terms: Terms, owner: psycopg.Connection[object]
) -> tuple[float, str | None]:
    begin, refused = time.process_time(), None
    try:
        asked = replace(question, own=_worked_out(question, catalog, owner))
        made = plan_statement(asked, catalog, terms, dialect)
        check_plan(made, catalog, dialect, terms.accounting)
    except DPProxyError as fault:
        refused = f"{fault.sqlstate} {fault.message}"
    seconds = time.process_time() - begin
    collect_after_plan()
    return seconds, refused


def _worked_out(question: Question, catalog: Catalog, owner: psycopg.Connection[object]) -> Mapping[str, OwnTable]:
    found = recursive_queries(question, catalog) if may_be_recursive(question.sql) else ()
    return {
        written_place(each.name): OwnTable(RECURSION, each.name, _columns(each.sql, owner), query=each.sql)
        for each in found
    }


def _columns(query: str, owner: psycopg.Connection[object]) -> tuple[Column, ...]:
    cursor = owner.execute(f"SELECT * FROM ({query}) AS t LIMIT 0".encode())
    found = []
    for each in cursor.description or ():
        kind = owner.execute("SELECT format_type(%s, NULL)", (each.type_code,)).fetchone()
        found.append(Column(each.name, str(kind[0]) if isinstance(kind, tuple) else "text"))
    return tuple(found)


def spread(name: str, found: Sequence[Taken]) -> Iterator[str]:
    """The median, what 95 % are within, and the slowest by name."""
    times = sorted(each.milliseconds for each in found)
    told = (median(times), times[int(0.95 * (len(times) - 1))], times[-1])
    yield f"{name}: plan and check took {told[0]:.0f} ms at the median, {told[1]:.0f} at 95 %, {told[2]:.0f} at worst"
    for each in sorted(found, key=lambda each: -each.milliseconds)[:5]:
        yield f"  {each.milliseconds:.0f} ms: {each.question.name} {each.refused or ''}"
