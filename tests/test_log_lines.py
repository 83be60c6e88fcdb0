"""Lines of the log: statements' of one turn of the event loop are written together, in order, and none is lost."""

from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import Iterator
from threading import Thread

import pytest

from dpproxy.server.logs import FORMATTERS, STATEMENT, LineWriter, event


class Written(io.StringIO):
    """What was written, piece by piece."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []

    def write(self, text: str) -> int:
        self.pieces.append(text)
        return len(text)

    @property
    def events(self) -> list[list[str]]:
        return [
            [line.split(" ", 2)[2].removeprefix("statement n=") for line in piece.splitlines()] for piece in self.pieces
        ]


class Log:
    """A logger whose lines go to `written`."""

    def __init__(self) -> None:
        self.written = Written()
        self.handler = LineWriter(self.written)
        self.handler.setFormatter(FORMATTERS["text"]())
        self.logger = logging.getLogger("dpproxy.lines")
        self.logger.addHandler(self.handler)
        self.logger.propagate = False
        self.logger.setLevel(logging.INFO)

    def __call__(self, name: str) -> None:
        """A statement's line."""
        event(self.logger, logging.INFO, STATEMENT, n=name)


@pytest.fixture
def log() -> Iterator[Log]:
    made = Log()
    yield made
    made.logger.removeHandler(made.handler)


async def test_lines_of_one_turn_are_one_piece(log: Log) -> None:
    for name in "abc":
        log(name)
    assert not log.written.pieces
    await asyncio.sleep(0)
    log("d")
    await asyncio.sleep(0)
    assert log.written.events == [["a", "b", "c"], ["d"]]


@pytest.mark.parametrize("level", [logging.INFO, logging.ERROR])
async def test_all_else_is_written_at_once_behind_what_waits(log: Log, level: int) -> None:
    log("a")
    event(log.logger, level, "b")
    assert log.written.events == [["a", "b"]]
    log("c")
    await asyncio.sleep(0)
    assert log.written.events == [["a", "b"], ["c"]]


async def test_a_line_of_another_thread_is_written_at_once(log: Log) -> None:
    log("a")
    thread = Thread(target=log, args=("b",))
    thread.start()
    thread.join()
    assert log.written.events == [["a", "b"]]


def test_without_a_loop_each_is_written_at_once(log: Log) -> None:
    log("a")
    log("b")
    assert log.written.events == [["a"], ["b"]]


def test_what_waits_when_the_loop_ends_is_written_at_the_end(log: Log) -> None:
    async def last() -> None:
        log("a")

    loop = asyncio.new_event_loop()
    loop.run_until_complete(last())
    loop.close()
    log.handler.flush()  # as `logging.shutdown` does
    assert log.written.events == [["a"]]


def test_what_fails_is_nobodys_failure(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)
    monkeypatch.setattr(log.written, "write", lambda _: 1 / 0)
    log("a")
    monkeypatch.undo()
    log("b")
    assert log.written.events == [["b"]]


@pytest.mark.parametrize(
    ("value", "word"),
    [
        *(("plain", "plain"), ("two words", '"two words"'), ("a=b", '"a=b"'), ('say "x"', '"say \\"x\\""')),
        *(("", '""'), ("two\nlines", '"two\\nlines"'), (7, "7"), (1e-05, "1e-05"), (True, "True")),
    ],
)
def test_values_are_words_or_quoted(log: Log, value: str | float, word: str) -> None:
    event(log.logger, logging.INFO, "a", value=value)
    assert log.written.events == [[f"a value={word}"]]
