"""Why an address cannot be listened on, and what to do about it.

Checked by: tests/test_cli.py.
"""

from __future__ import annotations

import errno
import os

from dpproxy.errors import ConfigFault


def cannot_listen(fault: OSError, host: str, port: int, key: str) -> ConfigFault:
    """What is told where `host` and `port`, which is `key` of [server], cannot be listened on."""
    return ConfigFault(f"cannot listen on {host}:{port}, the {key}: {_why(fault)}", hint=_remedy(fault, key))


def _why(fault: OSError) -> str:
    match fault.errno:
        case errno.EADDRINUSE:
            return "it is in use already"
        case errno.EADDRNOTAVAIL:
            return "this machine has no such address"
        case None:
            return str(fault)
        case number if number > 0:
            return os.strerror(number).lower()
        case _:
            return fault.strerror or str(fault)


def _remedy(fault: OSError, key: str) -> str:
    match fault.errno:
        case errno.EADDRINUSE:
            return f"Another proxy, or the demo, may hold it: stop that one, or set {key} in [server] to another."
        case errno.EACCES | errno.EPERM:
            return f"Ports below 1024 are the system's: set {key} in [server] to one above."
        case _:
            return f"Set {key.replace('port', 'host')} in [server] to an address of this machine."
