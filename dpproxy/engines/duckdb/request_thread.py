"""What the thread of a request does: its queries in one snapshot, and what is made between them.

All requests share one memory: a query that ran out of it beside others runs again, alone (`duckdb_memory`). Nothing of
its result was seen, and the file does not change, so it is the same query over the same rows.

Checked by: tests/test_engine_duckdb.py, tests/attacks/test_memory.py.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import duckdb
import numpy as np
from duckdb import DuckDBPyConnection

from dpproxy.engines import EngineQuery, Result, Work
from dpproxy.engines.duckdb.held_files import Sources
from dpproxy.engines.duckdb.memory import Memory
from dpproxy.engines.duckdb.opening import OpenedDatabase
from dpproxy.engines.duckdb.parsed_texts import ParsedTexts
from dpproxy.engines.duckdb.schema import postgres_type
from dpproxy.errors import EngineUnavailable
from dpproxy.interruption import wanted_while
from dpproxy.rows import Column, Rows, Value

_log: Final = logging.getLogger(__name__)
_BEGIN = "BEGIN TRANSACTION READ ONLY"


@dataclass(slots=True)
class RequestThread:
    """What the thread of a request works with. `stopped`: there is nobody left who waits for a result. begun: whether
    a transaction is open. clean: nothing of the request is left on the cursor."""

    cursor: DuckDBPyConnection
    database: OpenedDatabase
    texts: ParsedTexts
    stopped: bool = False
    begun: bool = False
    clean: bool = False

    def stop(self) -> None:
        self.stopped = True
        self.cursor.interrupt()


def check_sources(sources: Sources) -> None:
    """That the files of all tables are as they were found. Raises EngineUnavailable: no row has a part in it."""
    for table, files in sources.items():
        if not all(each.same for each in files):
            _log.warning("files of tables.%s.source are not as they were when they were listed: reload (SIGHUP)", table)
            raise EngineUnavailable from OSError(f"files of {table} were replaced or written to")


def snapshot(thread: RequestThread, work: Work[Result], memory: Memory) -> Result:
    """It ends with its work, or else with the cursor, which is closed once the thread has ended: nothing was written.

    That it cannot be ended by itself is nobody's failure: what was asked was answered.
    """
    check_sources(thread.database.sources)
    result = _worked(thread, work, memory)
    with suppress(duckdb.Error, RuntimeError):
        if thread.begun:
            thread.cursor.execute("ROLLBACK")
        thread.clean = True
    return result


def _begin(thread: RequestThread, memory: Memory) -> None:
    """Even this takes memory, and others may have all of it."""
    with memory.shared(lambda: thread.stopped), suppress(duckdb.OutOfMemoryException):
        thread.cursor.execute(_BEGIN)
        thread.begun = True
        return
    with memory.alone(lambda: thread.stopped):
        with suppress(duckdb.TransactionException):  # none has begun
            thread.cursor.execute("ROLLBACK")
        thread.cursor.execute(_BEGIN)
        thread.begun = True


def _worked(thread: RequestThread, work: Work[Result], memory: Memory) -> Result:
    """What comes of the work. A query that is the only one has a transaction of DuckDB's own, as long as it is itself:
    to begin and end one takes as long as a small query."""
    try:
        with wanted_while(lambda: not thread.stopped):
            query = next(work)
            if not query.only:
                _begin(thread, memory)
            while not thread.stopped:
                rows = _fitting(thread, query, memory)
                check_sources(thread.database.sources)
                query = work.send(rows)
                _check_begun(thread)
    except StopIteration as done:
        result: Result = done.value
        return result
    raise InterruptedError


def _check_begun(thread: RequestThread) -> None:
    if not thread.begun:
        raise ValueError("a query follows one that was said to be the only one")


def _fitting(thread: RequestThread, query: EngineQuery, memory: Memory) -> Rows:
    """The result of a query, beside others or, where there is too little memory for it and them, alone."""
    with memory.shared(lambda: thread.stopped):
        try:
            return _query(thread.cursor, query, thread.texts)
        except duckdb.OutOfMemoryException:
            if thread.begun:
                thread.cursor.execute("ROLLBACK")  # lets go of what it had, before anybody is alone
    with memory.alone(lambda: thread.stopped):
        if thread.begun:
            thread.cursor.execute(_BEGIN)
        return _query(thread.cursor, query, thread.texts)


def _query(cursor: DuckDBPyConnection, query: EngineQuery, texts: ParsedTexts) -> Rows:
    """The result of one query. Raises ValueError for anything else than exactly one."""
    statement = texts.query(cursor, query.sql)
    arrays = {name: _texts(values) for name, values in query.inputs.items()}
    cursor.execute(statement, {**arrays, **query.secrets})
    columns = tuple(Column(name, postgres_type(str(kind))) for name, kind, *_ in cursor.description or ())
    if not query.numbers:
        return Rows(columns, tuple(cursor.fetchall()))
    found = cursor.fetchnumpy()
    if any(isinstance(each, np.ma.MaskedArray) and each.mask.any() for each in found.values()):
        raise ValueError("a number is missing")
    return Rows(columns, (), np.array([found[column.name] for column in columns], dtype=np.int64))


def _texts(values: tuple[Value, ...]) -> list[str | None]:
    return [None if value is None else str(value) for value in values]
