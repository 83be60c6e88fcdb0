"""What the client sees of the front's errors and notices, by the message that they answer.

What they say of the analyst's own text is the analyst's. Of what the relay sends beside it and in its place they would
tell how the proxy works, so there only what an ordinary statement tells too is left of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never

from dpproxy.errors import DPProxyError
from dpproxy.front.backstop import is_backstop_error, is_policy_error
from dpproxy.session.error_messages import (
    BACKSTOP,
    IN_FAILED_TRANSACTION,
    ROW_SECURITY,
    after_release,
    error_bytes,
    front_fields,
    notice_without_places,
    shifted,
    with_hint,
    without_places,
)
from dpproxy.session.expected_replies import (
    Described,
    Forwarded,
    Hidden,
    OwnMessage,
    Refused,
    Reply,
    SimpleQuery,
    Swapped,
    Synced,
)
from dpproxy.session.known_elsewhere import written_instead

# NOTICE and WARNING are about the statement. DEBUG, LOG and INFO are the server's own working, which no statement that
# the gate passes is answered with.
_ABOUT_THE_STATEMENT: Final = frozenset({"NOTICE", "WARNING"})
_LAST_WORDS: Final = frozenset({"FATAL", "PANIC"})
# Classes of errors that no text has in it: connection, state of the transaction, rollback, resources, state of other
# sessions, an operator's or a user's intervention, system.
_FROM_OUTSIDE: Final = frozenset({"08", "25", "40", "53", "55", "57", "58"})


def shown_notice(head: Reply | None, raw: bytes, codec: str) -> bytes:
    """What the client sees of a NoticeResponse that came while `head` was to be answered.

    Claim: no setting of a session makes the front's trees, plans, statistics or traces pass to the client.
    Because: Postgres prints them at LOG and below, and what comes there, or to a message of the relay's own, is dropped
    whatever was set, by whichever way. Checked by: tests/attacks/test_front_settings.py.
    """
    fields = front_fields(raw, codec)
    if fields.get("V", fields.get("S")) not in _ABOUT_THE_STATEMENT:
        return b""
    match head:
        case Forwarded() | Hidden() | SimpleQuery() | Synced() | None:
            return raw
        case Swapped():
            return notice_without_places(fields, codec)
        case OwnMessage() | Refused() | Described():
            return b""
        case _:
            assert_never(head)


def shown_error(head: Reply | None, fields: Mapping[str, str], raw: bytes, codec: str) -> bytes:
    """What the client sees of an ErrorResponse to `head`.

    Claim: an internal error is told only where the front refused a text of the proxy's own, and a charge that was made
    is told before any error. Because: `is_about_the_text` is false for what ends a statement whatever its text, and
    what was charged for is `owed` by each message that is sent between the charge and the answer.
    Checked by: tests/test_canceled.py.
    """
    if is_backstop_error(fields.get("C", ""), fields.get("M", "")):
        return _in_place(BACKSTOP, fields, codec)
    if is_policy_error(fields.get("C", ""), fields.get("M", "")):
        return _in_place(ROW_SECURITY, fields, codec)
    if (instead := written_instead(fields)) is not None:
        fields, raw = with_hint(fields, instead, codec)
    match head:
        case Refused(error=error):
            return raw if fields.get("C") == IN_FAILED_TRANSACTION or _is_last(fields) else error
        case OwnMessage(fault=bytes(fault), owed=owed) if is_about_the_text(fields):
            return owed + fault
        case Swapped(notice=notice, owed=owed, stored=stored):
            told = after_release(fields) if stored and is_about_the_text(fields) else fields
            return owed + notice + without_places(told, codec)
        case OwnMessage(owed=owed):
            return owed + without_places(fields, codec)
        case Described():
            return without_places(fields, codec)
        case Hidden(shift=shift) | Forwarded(shift=shift):
            return shifted(fields, shift, codec) if shift else raw
        case SimpleQuery() | Synced() | None:
            return raw
        case _:
            assert_never(head)


def is_about_the_text(fields: Mapping[str, str]) -> bool:
    """Whether an error says that the front refused a statement for what stands in it."""
    return fields.get("C", "")[:2] not in _FROM_OUTSIDE and not _is_last(fields)


def ends_session(fields: Mapping[str, str]) -> bool:
    """Whether an error is the last that the front says."""
    return fields.get("V") in _LAST_WORDS


def _is_last(fields: Mapping[str, str]) -> bool:
    """Of a session that somebody else ends; `exit_on_error` makes every error the last, and changes no text."""
    return ends_session(fields) and fields.get("C", "")[:2] in _FROM_OUTSIDE


def _in_place(fault: DPProxyError, fields: Mapping[str, str], codec: str) -> bytes:
    return error_bytes(fault, codec, severity=fields.get("V", "ERROR"))
