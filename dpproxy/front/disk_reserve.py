"""Room on an embedded front's disk that analysts cannot take.

Postgres bounds a session's temporary files and nothing else: one CREATE TABLE AS fills a disk. Then charges fail, and a
server that cannot write its log ends and leaves behind what was half written. So while less than the reserve is free,
sessions of analysts that are writing end: what they wrote goes with their transaction. Reading goes on, and charging.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from pathlib import Path
from typing import Final

import psycopg
from psycopg import AsyncConnection

from dpproxy.front.front_address import FrontAddress

RESERVE: Final = 512 << 20  # bytes: what a fast disk takes while nobody looks, and the ledger for a good while
_EVERY: Final = 0.2  # seconds
_log: Final = logging.getLogger(__name__)

# Writing is who has a transaction's number, or temporary files, whose names have the process's.
_END_WRITERS: Final = r"""
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity JOIN dp_front.roles ON analyst = usename
WHERE backend_xid IS NOT NULL
OR pid IN (SELECT substring(name FROM '^pgsql_tmp(\d+)')::integer FROM pg_ls_tmpdir())
"""


def free(directory: Path) -> int:
    """Bytes that are free on the disk of a directory."""
    return shutil.disk_usage(directory).free


async def keep_reserve(address: FrontAddress, directory: Path) -> None:
    """Look after the reserve for ever. `address`: of the front in `directory`, as its owner."""
    while True:
        await asyncio.sleep(_EVERY)
        if free(directory) < RESERVE:
            await _end_writers(address)


async def _end_writers(address: FrontAddress) -> None:
    try:
        async with await AsyncConnection.connect(address.conninfo(), autocommit=True) as owner:
            row = await (await owner.execute(_END_WRITERS)).fetchone()
    except psycopg.Error:  # it is being started again, or has not all of its tables yet
        return
    if row is not None and row[0]:
        _log.error("the front's disk is almost full: sessions of analysts that were writing are ended (%d)", row[0])
