"""What has to be there before a message is looked at: the rows of public tables, and what a long text says.

Checked by: tests/test_relay.py.
"""

from __future__ import annotations

from contextlib import suppress

from dpproxy.errors import DPProxyError
from dpproxy.session.front_lookup import isolation
from dpproxy.session.own_statements import ask
from dpproxy.session.private_backend import PrivateBackend
from dpproxy.session.session_context import SessionContext
from dpproxy.wire import Frame, Parse, Query, UndecodableText, decode_frontend


class NotYetVisible(DPProxyError, sqlstate="40001"):
    """A public table was copied into the front after the transaction took its snapshot, and would look empty."""


async def load(session: SessionContext, written: tuple[str, ...]) -> None:
    """Public tables are copied into the front at first use."""
    if written and session.backend.needs_loading(written):
        await session.backend.load(written)
        level = await ask(session.pipeline, session.state, isolation())
        if level is not None and level[0] in (b"repeatable read", b"serializable"):
            raise NotYetVisible(
                f"the rows of {', '.join(written)} were loaded after this transaction began", hint="Run it again."
            )


async def look_through(backend: PrivateBackend, frame: Frame, codec: str) -> None:
    """The long text of a Query or Parse is examined apart from the event loop; its handler finds what was seen."""
    with suppress(UndecodableText):  # which the handler tells
        text = decode_frontend(frame, codec)
        assert isinstance(text, Query | Parse)
        await backend.look_through(text.sql)
