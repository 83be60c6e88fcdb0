"""What a statement would cost, and its errors: asked in a session of the analyst's, as EXPLAIN, which is free.

Checked by: tests/test_dashboard.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from dpproxy.dashboard.inner_sessions import NotBegun, inner_session
from dpproxy.plan.private_plan import Plan
from dpproxy.server.proxy import Proxy
from dpproxy.session.analyst_context import AnalystContext
from dpproxy.wire import Bind, Execute, Parse, Sync

# With options given here the statement can bring none: after them ANALYZE, which would run it, is a syntax error.
IN_SHORT: Final = "EXPLAIN (FORMAT TEXT) "
IN_DETAIL: Final = "EXPLAIN (VERBOSE, FORMAT TEXT) "
_EXPLAIN: Final = re.compile(r"\s*explain\b", re.IGNORECASE)
_WORD: Final = re.compile(r"\w+|.")
_WITHOUT: Final = "Write the statement alone: this page puts EXPLAIN before it."
_HINTS: Final = {
    "bind message supplies 0 parameters": "Write values in place of $1, $2 …",
    "cannot insert multiple commands": "Explain one statement at a time.",
}
"""Of errors that Postgres has no hint for, and that are of this way of asking."""
MOST_CHARACTERS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Explanation:
    """EXPLAIN's lines. planned: what was planned, by which policy; None where the front explained it itself."""

    lines: tuple[str, ...]
    planned: tuple[AnalystContext, Plan] | None


@dataclass(frozen=True, slots=True)
class StatementFault:
    """An error as a session shows it. position: of a character of the text, from 1."""

    sqlstate: str
    message: str
    detail: str = ""
    hint: str = ""
    position: int | None = None

    def marked(self, text: str) -> tuple[str, str, str] | None:
        """The line that the position is in: before the word there, the word, and what comes behind it."""
        if self.position is None or not 1 <= self.position <= len(text) + 1:
            return None
        at = self.position - 1
        begin = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        there = text[at : len(text) if end < 0 else end]
        word = _WORD.match(there)
        length = 0 if word is None else word.end()
        return text[begin:at], there[:length] or " ", there[length:]


async def explained(
    proxy: Proxy, analyst: str, text: str, settings: dict[str, str], words: str = IN_SHORT
) -> Explanation | StatementFault:
    """What a session of the analyst's says to EXPLAIN of this text, which begins with these `dp.*` settings.

    words: what is put before the text, `IN_SHORT` or `IN_DETAIL`.

    Claim: nothing is charged, nothing is run, and nothing is read but the policy, the ledger and what the front holds.
    Because: one message carries one statement, which is an EXPLAIN without ANALYZE whatever the text is; the session
    answers it as it answers any analyst. Checked by: tests/test_dashboard.py::test_nothing_in_the_box_runs.
    """
    if "\0" in text or len(text) > MOST_CHARACTERS:
        return StatementFault("42601", f"a statement has at most {MOST_CHARACTERS} characters, and no NUL among them")
    if not text.strip():
        return StatementFault("42601", "there is no statement")
    if _EXPLAIN.match(text):
        return StatementFault("42601", "the statement begins with EXPLAIN", hint=_WITHOUT, position=1)
    try:
        async with inner_session(proxy, analyst, settings) as session:
            parse = Parse("", words + text, ())
            heard = await session.ask(parse, Bind("", "", (), (), ()), Execute("", 0), Sync())
            client = session.login.session
            planned = None if client is None else client.backend.explained
    except NotBegun as refusal:
        return _fault(refusal.fields, 0)
    except TimeoutError:
        return StatementFault("57014", "the proxy is busy", hint="Try again later.")
    return Explanation(heard.rows, planned) if heard.error is None else _fault(heard.error, len(words))


def _fault(fields: dict[str, str], before: int) -> StatementFault:
    """before: how many characters stand before the text."""
    at = int(fields.get("P", "0")) - before
    sqlstate, message, detail, hint = (fields.get(each, "") for each in "CMDH")
    hint = hint or next((said for part, said in _HINTS.items() if part in message), "")
    return StatementFault(sqlstate, message, detail, hint, None if at < 1 else at)
