"""A private Bind: looked up, planned, charged, run, and bound to the relay's own statement in the client's place.

ask        what is asked: a SELECT, its columns and parameters           (known for a statement bound before)
look up    settings, which relations its names mean, parameter values    one round trip, one more for own tables
                                                                         (none where what was said must still hold)
work out   recursive queries: their columns, and how many rows           two round trips, where there are any
plan       pure
prepare    the post statement, whose types must be the client's          (known for a text seen before)
rehearse   what is done with the rows, over no rows                      for DECLARE, COPY, CREATE TABLE AS, EXPLAIN
read       own tables that a release is told                             one round trip, where there are any
answer     the charge, and then the data
bind       the post statement under the client's portal, with arrays behind the client's parameters

Checked by: tests/test_relay.py, tests/attacks/test_budget_killed.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, assert_never

from dpproxy.catalog.zones import zone_of
from dpproxy.errors import DPProxyError, InsufficientPrivilege, NotPrivate
from dpproxy.observer import ANSWERED, StatementKind
from dpproxy.plan.private_plan import OwnTable
from dpproxy.plan.settings import Settings
from dpproxy.rewrite.question import Parameter, Question
from dpproxy.rewrite.settings import NAMES as SETTING_NAMES
from dpproxy.rows import Column
from dpproxy.session.allowed_statements import reserved
from dpproxy.session.bound_statement import BoundStatement, read_bound_statement
from dpproxy.session.dry_run import check_free
from dpproxy.session.expected_replies import Reply, Swapped
from dpproxy.session.front_facts import FrontFacts
from dpproxy.session.front_lookup import (
    NEEDED,
    SEARCH_PATH,
    SETTINGS,
    TYPES,
    ZONE,
    before_catalog,
    found,
    lookup,
)
from dpproxy.session.kept_lookup import changes_nothing, is_kept, keep, kept
from dpproxy.session.own_statements import ask
from dpproxy.session.own_tables import count_tables, counted_tables, describe_tables, described_tables
from dpproxy.session.prerequisites import load
from dpproxy.session.recursions import with_recursions
from dpproxy.session.row_destinations import swap_used
from dpproxy.session.session_context import SessionContext
from dpproxy.session.session_state import PreparedStatement
from dpproxy.session.swapped_statement import SwappedStatement, Untranslatable, bind_swap, swap_explained, swap_plain
from dpproxy.session.type_names import type_name
from dpproxy.session.verdicts import (
    Copies,
    Creates,
    Declares,
    Explains,
    Inserts,
    Plain,
    Private,
    Statement,
    Unsupported,
    Wrapped,
)
from dpproxy.wire import Bind, ProtocolViolation

MOST_CHARACTERS: Final = 1 << 16


class WrongFormats(DPProxyError, sqlstate="08P01"):
    """A Bind whose format codes do not fit its statement."""


class TooLong(DPProxyError, sqlstate="54000"):
    """A private statement's text is longer than is kept in memory for each plan."""


@dataclass(frozen=True, slots=True)
class Meant:
    """What the names of a statement mean, as written: tables of the policy, and those of the analyst's own."""

    tables: Mapping[str, str]
    own: Mapping[str, OwnTable]


async def bind_private(
    session: SessionContext, prepared: PreparedStatement, bind: Bind, plain: Reply, swapped: Swapped, shift: int = 0
) -> bool:
    """Bind a statement that may be private. Whether its portal is swapped: if not, the client's own Bind was sent,
    or an error was raised, or the front skips to Sync anyway.

    plain, swapped: what is expected of the client's own Bind, or of that in its place; shift: see
    `error_messages.shifted`.
    """
    with session.backend.statement():
        return await _bind(session, prepared, bind, plain, swapped, shift)


async def _bind(
    session: SessionContext, prepared: PreparedStatement, bind: Bind, plain: Reply, swapped: Swapped, shift: int
) -> bool:
    kind = _kind(prepared)
    if bind.portal and not reserved(bind.portal):
        check_free(session, bind.portal, shift)
    try:
        asked = await read_bound_statement(session, prepared, bind)
        asked = None if asked is None else replace(asked, told=prepared.told)
        looked = None if asked is None else await _look_up(session, prepared.statement, asked)
        meant = None if asked is None or looked is None else await _meant(session, asked, looked)
        if asked is None or looked is None or meant is None:
            return False
        if not any(map(session.backend.is_private, meant.tables.values())) or _is_there(looked, asked):
            await load(session, prepared.statement.public)
            session.pipeline.say(bind, plain)
            return False
        swap = await _swap(session, asked, looked, meant)
        if swap is not None:
            bind_swap(session, swap, bind, swapped)
            session.pipeline.observer.ended(kind, ANSWERED)
        return swap is not None
    except DPProxyError as fault:
        session.pipeline.refuse(fault, shift, kind)
        return False
    except ProtocolViolation:  # raised before the charge: `bind_swap` has its own
        session.pipeline.refuse(
            Untranslatable("a name has a character that the client encoding does not have"), shift, kind
        )
        return False


def _kind(prepared: PreparedStatement) -> StatementKind:
    match prepared.statement.verdict:
        case Private(form=Wrapped(use=Explains())):
            return StatementKind.EXPLAIN
        case _:
            return StatementKind.PRIVATE


async def _look_up(session: SessionContext, statement: Statement, asked: BoundStatement) -> FrontFacts | None:
    names = [f"dp.{name}" for name in sorted({*SETTING_NAMES, *session.state.settings})]
    settings = (*SETTINGS, *names)
    relations = tuple(dict.fromkeys((*asked.names, *_made(asked), *TYPES)))
    keeps = is_kept(session, statement, asked)
    if keeps and (known := kept(session, settings, relations)) is not None:
        return known
    if not changes_nothing(statement, asked):
        session.state.looked = None
    query = lookup(settings, relations, asked.typed.parameters, asked.bind, asked.sql)
    row = await ask(session.pipeline, session.state, query)
    if row is None:
        return None
    session.pipeline.learn_encoding(row[0])
    facts = found(settings, relations, asked.typed.parameters, row, session.pipeline.codec)
    if keeps:
        keep(session, settings, relations, asked, facts)
    return facts


def _made(asked: BoundStatement) -> tuple[str, ...]:
    """The table that IF NOT EXISTS asks for."""
    match asked.form:
        case Wrapped(use=Creates(unless_there=True) as use):
            return (use.written,)
        case _:
            return ()


def _is_there(looked: FrontFacts, asked: BoundStatement) -> bool:
    """Whether there is nothing to be made: the front says so and does nothing."""
    return any(looked.oids[table] is not None for table in _made(asked))


async def _meant(session: SessionContext, asked: BoundStatement, looked: FrontFacts) -> Meant | None:
    """None where the front refused, and the client has seen it."""
    backend = session.backend
    known = {name: oid for name in asked.names if (oid := looked.oids[name]) is not None}
    tables = {name: backend.oids[oid] for name, oid in known.items() if oid in backend.oids}
    others = {name: oid for name, oid in known.items() if oid not in backend.oids}
    if not others or not any(map(backend.is_private, tables.values())):
        return Meant(tables, {})
    row = await ask(session.pipeline, session.state, describe_tables(sorted(set(others.values()))))
    if row is None:
        return None
    found = await _counted(session, described_tables(row, backend.types))
    if found is None:
        return None
    return Meant(tables, {name: found[oid] for name, oid in others.items() if oid in found})


async def _counted(session: SessionContext, found: Mapping[int, OwnTable]) -> Mapping[int, OwnTable] | None:
    """The tables, each with how many rows it has; None where the front refused, and the client has seen it."""
    if not found:
        return found
    tables = tuple(found.values())
    row = await ask(session.pipeline, session.state, count_tables(tables))
    return None if row is None else dict(zip(found, counted_tables(row, tables), strict=True))


async def _swap(
    session: SessionContext, asked: BoundStatement, looked: FrontFacts, meant: Meant
) -> SwappedStatement | None:
    """Raises DPProxyError; None where the front refused, and the client has seen it."""
    if isinstance(asked.form, Unsupported):
        raise asked.form.error.with_traceback(None)
    _check(session, asked, looked, meant)
    try:
        question = await with_recursions(session, asked, _question(session, asked, looked, meant))
        return None if question is None else await _swapped(session, asked, question, looked)
    except DPProxyError as fault:
        if asked.start is None:
            fault.position = None
        elif fault.position is not None:
            fault.position += asked.start
        raise


async def _swapped(
    session: SessionContext, asked: BoundStatement, question: Question, looked: FrontFacts
) -> SwappedStatement | None:
    match asked.form:
        case Plain():
            return await swap_plain(session, asked, question, looked)
        case Wrapped() as form:
            return await _wrapped(session, asked, form, question, looked)
        case Unsupported(error):
            raise error.with_traceback(None)
        case _:
            assert_never(asked.form)


async def _wrapped(
    session: SessionContext, asked: BoundStatement, form: Wrapped, question: Question, looked: FrontFacts
) -> SwappedStatement | None:
    match form.use:
        case Explains() as use:
            return await swap_explained(session, asked, form, use, question)
        case Declares() | Copies() | Creates() | Inserts() as use:
            return await swap_used(session, asked, form, use, question, looked)
        case _:
            assert_never(form.use)


def _check(session: SessionContext, asked: BoundStatement, looked: FrontFacts, meant: Meant) -> None:
    """All that can be refused before a plan is made."""
    denied = session.backend.denied(meant.tables.values())
    if denied is not None:
        raise InsufficientPrivilege(
            f"permission denied for table {denied}", hint="Ask the owner, or see dp.tables for what you may use."
        )
    _check_settings(session, looked)
    if len(asked.sql) > MOST_CHARACTERS:
        raise TooLong(f"a private statement has at most {MOST_CHARACTERS} characters", hint="Write it shorter.")
    columns, formats = _columns(asked), asked.bind.result_formats
    if len(formats) not in (0, 1, columns) or not {0, 1}.issuperset(formats):
        raise WrongFormats(f"bind message has {len(formats)} result formats but query has {columns} columns")


def _check_settings(session: SessionContext, looked: FrontFacts) -> None:
    """Of those that change how the front reads what it is sent."""
    if any(looked.settings[name] != value for name, value in NEEDED.items()):
        raise NotPrivate(
            f"private statements need {' and '.join(f'{name} {value}' for name, value in NEEDED.items())}",
            hint=" ".join(f"RESET {name};" for name in NEEDED),
        )
    first = before_catalog(looked.settings[SEARCH_PATH] or "")
    shadow = next((name for name in TYPES if looked.oids[name] is not None), None)
    if shadow is not None and not {session.backend.names.schema, "$user"}.isdisjoint(first):
        raise NotPrivate(
            f'your table "{shadow}" stands for the type of that name: search_path has your schema before pg_catalog',
            hint="RESET search_path, or leave pg_catalog out of it: then it comes first.",
        )


def _columns(asked: BoundStatement) -> int:
    """How many the client is told of."""
    match asked.form:
        case Wrapped(use=Explains()):
            return 1
        case Wrapped():
            return 0
        case _:
            return len(asked.typed.fields or ())


def _question(session: SessionContext, asked: BoundStatement, looked: FrontFacts, meant: Meant) -> Question:
    types, backend = session.backend.types, session.backend
    raw = {name.removeprefix("dp."): value for name, value in looked.settings.items() if name.startswith("dp.")}
    parameters = zip(asked.typed.parameters, looked.values, strict=True)
    return Question(
        asked.sql,
        tuple(Parameter(type_name(types, oid, -1), value) for oid, value in parameters),
        tuple(
            Column(each.name, type_name(types, each.type_oid, each.type_modifier)) for each in asked.typed.fields or ()
        ),
        _settings(backend.settings(raw), asked),
        meant.tables,
        looked.now,
        meant.own,
        zone_of(looked.settings[ZONE]),
    )


def _settings(settings: Settings, asked: BoundStatement) -> Settings:
    """Columns are added where the client is told of them with the rows, and nowhere else."""
    return settings if isinstance(asked.form, Plain) and not asked.told else replace(settings, error_columns=False)
