"""The operator's log: a line for each event, as text or JSON, with no data and no literal of any SQL in it.

Claim: no value out of a table, a statement or an error's text gets into the log, at any level, tracebacks included.
Because: every line is made here. What dpproxy says itself are fixed words, names of the policy, codes and numbers; an
exception among them is told by its kind and code alone, with its own words only if its class is one whose words are
fixed (`_FIXED_WORDS`); a traceback is places without lines of text, locals or messages; and of the lines of libraries,
which may quote anything, only who wrote them and where is kept.
Checked by: tests/test_operation.py::test_nothing_secret_is_logged.
"""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import re
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from types import TracebackType
from typing import Final, Literal, TextIO

from dpproxy.errors import ConfigFault, DPProxyError, FrontUnavailable, LedgerUnavailable
from dpproxy.observer import ANSWERED

Form = Literal["text", "json"]
Field = str | int | float | bool | None
_FIXED_WORDS: Final = (ConfigFault, FrontUnavailable, LedgerUnavailable)
_OURS: Final = "dpproxy"
_FIELDS: Final = "dpproxy_fields"
_MOST_PLACES: Final = 12
STATEMENT: Final = "statement"
"""The event that a statement has ended."""
_BARE: Final = re.compile(r'[^ "=]+').fullmatch
_log: Final = logging.getLogger(__name__)


def event(log: logging.Logger, level: int, name: str, **given: Field) -> None:
    """A line of the log. Fields that are None are left out."""
    if log.isEnabledFor(level):
        # Where it was written is in no line of dpproxy's own, and takes as long to find as the line takes to write.
        log.handle(log.makeRecord(log.name, level, "", 0, name, (), None, extra=fields(**given)))


def fields(**given: Field) -> dict[str, dict[str, Field]]:
    """The same for a line that is logged in the ordinary way: its `extra`."""
    return {_FIELDS: {key: value for key, value in given.items() if value is not None}}


def log_to_stderr(form: Form) -> None:
    """From now on all lines of all loggers go to stderr in this form, and so does what Python itself would print."""
    handler = LineWriter(sys.stderr)
    handler.setFormatter(FORMATTERS[form]())
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    logging.raiseExceptions = False  # a line that cannot be formatted would be printed with all its arguments
    logging.captureWarnings(True)
    sys.unraisablehook = _unraisable
    sys.excepthook = _uncaught


class LineWriter(logging.StreamHandler[TextIO]):
    """Writes statements' lines of one turn of the event loop together, at its end: there may be hundreds a second.

    All else, and what comes from elsewhere, is written at once, behind what waits. Whoever is told of a statement's
    answer is told in a later turn than that in which its line was made.
    Checked by: tests/test_log_lines.py.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Called by `logging`, in which nothing else is under way then."""
        try:
            self._lines.append(self.format(record) + self.terminator)
            loop = asyncio._get_running_loop()  # None elsewhere; an exception would take longer than the line
            if loop is None or record.msg != STATEMENT:
                self.flush()
            elif len(self._lines) == 1:
                loop.call_soon(self.flush)
        except Exception:  # noqa: BLE001 (as all handlers do: what is logged is nobody's failure)
            self.handleError(record)

    def flush(self) -> None:
        """Write what waits."""
        self.acquire()
        try:
            lines, self._lines = self._lines, []
            if lines:
                self.stream.write("".join(lines))
            super().flush()
        finally:
            self.release()


def told(fault: BaseException) -> str:
    """An exception without words that may hold values: its class, its code, and its message where that is fixed."""
    name = type(fault).__name__
    match fault:
        case DPProxyError() if isinstance(fault, _FIXED_WORDS):
            return f"{name}: {fault.message}"
        case DPProxyError():
            return f"{name} {fault.sqlstate}"
        case OSError(errno=int(number)) if number in errno.errorcode:
            return f"{name} {errno.errorcode[number]}"
        case _:
            sqlstate = getattr(fault, "sqlstate", None)
            known = isinstance(sqlstate, str) and len(sqlstate) == 5 and sqlstate.isalnum() and sqlstate != ANSWERED
            return f"{name} {sqlstate}" if known else name


def traced(fault: BaseException) -> str:
    """The exception, those that led to it, and the places that each passed, innermost last."""
    return " < ".join(f"{told(each)} at {_places(each.__traceback__)}" for each in _chain(fault))


def _chain(fault: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    each: BaseException | None = fault
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        yield each
        each = each.__cause__ or each.__context__


def _places(tb: TracebackType | None) -> str:
    frames = [f"{PurePath(frame.f_code.co_filename).name}:{line}" for frame, line in traceback.walk_tb(tb)]
    return "/".join(frames[-_MOST_PLACES:]) or "no place"


def _unraisable(raised: sys.UnraisableHookArgs) -> None:
    fault = raised.exc_value
    event(_log, logging.ERROR, "unraisable exception", error=None if fault is None else traced(fault))


def _uncaught(_: type[BaseException], fault: BaseException, __: TracebackType | None) -> None:
    event(_log, logging.CRITICAL, "uncaught exception", error=traced(fault))


class _Formatter(logging.Formatter):
    """Takes a record apart into its fields; how they are written is the subclasses'."""

    def fields(self, record: logging.LogRecord) -> dict[str, Field]:
        """Time (UTC), level, event, then what belongs to it."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        stamp = f"{at}.{int(record.created % 1 * 1000):03}Z"
        found: dict[str, Field] = {"time": stamp, "level": record.levelname.lower(), "event": _said(record)}
        found |= getattr(record, _FIELDS, {})
        if record.exc_info and record.exc_info[1] is not None:
            found["error"] = traced(record.exc_info[1])
        return found


class JsonFormatter(_Formatter):
    """A line is one object of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return json.dumps(self.fields(record), default=_plain)


class TextFormatter(_Formatter):
    """Time, level and event, then key=value; a value that has spaces in it, or is no one line, is quoted."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        found = self.fields(record)
        head = [str(found.pop("time")), str(found.pop("level")), _line(str(found.pop("event")))]
        return " ".join([*head, *(f"{key}={_word(value)}" for key, value in found.items())])


FORMATTERS: Final[Mapping[Form, type[_Formatter]]] = {"text": TextFormatter, "json": JsonFormatter}


def _said(record: logging.LogRecord) -> str:
    """The words of dpproxy's own; of a library's line only whose it is, and where it was written."""
    if record.name != _OURS and not record.name.startswith(f"{_OURS}."):
        return f"a line of {record.name} at {record.filename}:{record.lineno}"
    arguments = record.args if isinstance(record.args, tuple) else ()
    plain = tuple(told(each) if isinstance(each, BaseException) else each for each in arguments)
    return str(record.msg) % plain if plain else str(record.msg)


def _plain(value: object) -> str:
    return told(value) if isinstance(value, BaseException) else str(value)


def _line(text: str) -> str:
    return text if text.isprintable() else json.dumps(text)


def _word(value: Field) -> str:
    text = str(value) if isinstance(value, int | float) else _plain(value)
    return text if _BARE(text) and text.isprintable() else json.dumps(text)
