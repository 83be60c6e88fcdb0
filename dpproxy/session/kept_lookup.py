"""What the front said of a session's settings and names, as long as it would say so again: a private statement that
comes as often as it likes asks once.

Claim: what is kept is what the front would say. Because: a session's settings change by what it executes, and at the
end of a transaction. It is kept of a statement that came while the session was in none, and is told again to one that
does; since then nothing that may execute anything was sent to the front (`FrontPipeline.executed`), but post statements
of SELECTs that call no set_config(). What names mean is changed by others, too: so it is kept where all names are the
policy's tables, and where `public`, in which analysts make nothing, is first in search_path. Before it are temporary
tables alone, which the session itself would have made, and pg_catalog, as long as it is not named. Where the proxy has
made its tables anew, their OIDs are another mapping. The session's own timers are off, since they would run from now on
and not while a pipeline is open.
Checked by: tests/test_kept_lookup.py.
"""

from __future__ import annotations

from typing import Final

from dpproxy.session.bound_statement import BoundStatement
from dpproxy.session.front_facts import FrontFacts, KeptLookup
from dpproxy.session.front_lookup import IDLE_TIMEOUT, SEARCH_PATH, asks_time, timeouts
from dpproxy.session.session_context import SessionContext
from dpproxy.session.verdicts import Executes, Plain, Statement

_IDLE: Final = ord("I")


def changes_nothing(statement: Statement, asked: BoundStatement) -> bool:
    """Whether nothing that is done for a statement changes what the front would say."""
    return not statement.sets and not isinstance(statement.effect, Executes) and isinstance(asked.form, Plain)


def is_kept(session: SessionContext, statement: Statement, asked: BoundStatement) -> bool:
    """Whether what is looked up for a statement that is bound now is kept, and may be what was kept."""
    is_same_each_time = not asked.typed.parameters and not asks_time(asked.sql)
    return is_same_each_time and changes_nothing(statement, asked) and rests(session)


def rests(session: SessionContext) -> bool:
    """Whether the session is in no transaction, and nothing is under way that might begin one."""
    replies = session.pipeline.replies
    return not (replies.pending or replies.unsynced or replies.skipping) and replies.status == _IDLE


def kept(session: SessionContext, settings: tuple[str, ...], relations: tuple[str, ...]) -> FrontFacts | None:
    """What is kept of them, where it still holds."""
    found = session.state.looked
    if found is None or found.executed != session.pipeline.executed or found.oids is not session.backend.oids:
        return None
    return found.facts if (found.settings, found.relations) == (settings, relations) else None


def keep(
    session: SessionContext,
    settings: tuple[str, ...],
    relations: tuple[str, ...],
    asked: BoundStatement,
    facts: FrontFacts,
) -> None:
    """Keep what was said, where nobody but the session can change it."""
    if _is_lasting(session, asked, facts):
        session.state.looked = KeptLookup(settings, relations, session.pipeline.executed, session.backend.oids, facts)


def _is_lasting(session: SessionContext, asked: BoundStatement, facts: FrontFacts) -> bool:
    path = [each.strip() for each in (facts.settings[SEARCH_PATH] or "").split(",")]
    return (
        path[0] in ("public", '"public"')
        and not any("pg_catalog" in each for each in path)
        and not timeouts(facts.settings)
        and facts.settings[IDLE_TIMEOUT] in (None, "0")
        and all(facts.oids[name] in session.backend.oids for name in asked.names)
    )
