"""How many files the process may have open: each session is two sockets.

Checked by: tests/test_open_files.py.
"""

from __future__ import annotations

import logging
import resource
from typing import Final

_log: Final = logging.getLogger(__name__)
_OWN: Final = 200  # the engine's files, the ledger's connections, libraries


def make_room(sessions: int, knocking: int) -> bool:
    """Ask for as many as so many sessions and connections that are not logged in take; whether there are as many.

    What a process is given is often 1,024, and what it may ask for is more.
    """
    needed = 2 * sessions + knocking + _OWN
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return True
    most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    if most < needed:
        _log.warning("server.max_connections: is %d, which takes %d open files; %d are allowed", sessions, needed, most)
    return most == needed
