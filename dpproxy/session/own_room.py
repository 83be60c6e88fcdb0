"""How large the tables of an analyst's own may be: looked at before a statement that may make them larger.

It is asked in the client's own session, so that what its transaction wrote counts. One statement may go beyond, and up
to `MOST_UNSEEN` small ones may follow each other unseen: it is for the room on the front's disk, not for privacy. What
another session of the analyst's is making or dropping is not waited for, and does not count until that has ended.

Checked by: tests/test_own_data.py.
"""

from __future__ import annotations

from typing import Final

from dpproxy.errors import DPProxyError
from dpproxy.session.own_statements import Lookup, ask
from dpproxy.session.session_context import SessionContext

MOST_UNSEEN: Final = 32
_TAKEN: Final = Lookup("""
SELECT pg_catalog.sum(pg_catalog.pg_total_relation_size(c.oid::pg_catalog.regclass))::pg_catalog.text
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
WHERE n.nspname OPERATOR(pg_catalog.=) current_user AND c.relkind::pg_catalog.text OPERATOR(pg_catalog.=) ANY ('{r,m}')
AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_locks AS l WHERE l.relation OPERATOR(pg_catalog.=) c.oid AND l.granted
    AND l.mode OPERATOR(pg_catalog.=) 'AccessExclusiveLock'
    AND l.pid OPERATOR(pg_catalog.<>) pg_catalog.pg_backend_pid())
""")


class NoRoom(DPProxyError, sqlstate="53400"):
    """The tables of one's own are as large as they may be."""


def no_room(most: int) -> NoRoom:
    """The refusal where they may take `most` bytes."""
    return NoRoom(
        f"your own tables may take {_size(most)} together, and that is used up",
        hint="DROP TABLE or TRUNCATE what you no longer need; what DELETE and UPDATE leave behind is given back later. "
        "The owner can raise own_bytes.",
    )


async def check_room(session: SessionContext, *, always: bool = False) -> int | None:
    """How many bytes more the analyst's own tables may take; None where it was not asked, or the front refused and
    the client has seen it. always: not only for one of many statements. Raises NoRoom."""
    state, most = session.state, session.backend.own_bytes
    if state.unseen and not always:
        state.unseen -= 1
        return None
    row = await ask(session.pipeline, state, _TAKEN)
    if row is None:
        return None
    left = most - int(row[0] or b"0")
    if left <= 0:
        raise no_room(most)
    state.unseen = MOST_UNSEEN
    return left


def _size(most: int) -> str:
    return f"{most / 2**20:.6g} MB" if most >= 2**20 else f"{most} bytes"
