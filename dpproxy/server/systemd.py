"""What a service manager is told: systemd's protocol is a datagram to the socket that it names.

Checked by: tests/test_operation.py.
"""

from __future__ import annotations

import logging
import os
import socket
from typing import Final

from dpproxy.server.logs import event

READY: Final = "READY=1"
STOPPING: Final = "STOPPING=1"
_log: Final = logging.getLogger(__name__)


def notify(state: str) -> None:
    """Tell it, if there is one that wants to know."""
    name = os.environ.get("NOTIFY_SOCKET", "")
    if not name.startswith(("/", "@")):
        return
    address = "\0" + name[1:] if name.startswith("@") else name
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as manager:
            manager.connect(address)
            manager.sendall(state.encode())
    except OSError as fault:
        event(_log, logging.WARNING, "the service manager cannot be told", error=type(fault).__name__)
