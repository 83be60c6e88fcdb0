"""`dpproxy serve`: the proxy, until it is told to stop."""

from __future__ import annotations

from dpproxy.cli.console import ConfigFile, loaded, log_to_stderr
from dpproxy.cli.interrupts import run
from dpproxy.server.proxy import serve as serve_until_stopped


def serve(config: ConfigFile) -> None:
    """Serve a configuration until SIGINT or SIGTERM."""
    policy = loaded(config)
    log_to_stderr()
    run(serve_until_stopped(policy))
