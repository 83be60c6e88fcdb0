"""Public tables are copied into the front before a statement reads them."""

from __future__ import annotations

from dpproxy.errors import DPProxyError
from dpproxy.session.lookup import isolation
from dpproxy.session.own import ask
from dpproxy.session.room import Session


class NotYetVisible(DPProxyError, sqlstate="40001"):
    """A public table was copied into the front after the transaction took its snapshot, and would look empty."""


async def load(session: Session, written: tuple[str, ...]) -> None:
    """Public tables are copied into the front at first use."""
    if written and session.desk.needs_loading(written):
        await session.desk.load(written)
        level = await ask(session.line, session.memory, isolation())
        if level is not None and level[0] in (b"repeatable read", b"serializable"):
            raise NotYetVisible(
                f"the rows of {', '.join(written)} were loaded after this transaction began", hint="Run it again."
            )
