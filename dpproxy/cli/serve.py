"""`dpproxy serve`: the proxy, until it is told to stop."""

from __future__ import annotations

from dpproxy.cli.console import ConfigFile, loaded
from dpproxy.cli.interrupts import run
from dpproxy.server.logs import log_to_stderr
from dpproxy.server.serving import serve as serve_until_stopped


def serve(config: ConfigFile) -> None:
    """Serve a configuration until SIGINT or SIGTERM."""
    policy = loaded(config)
    log_to_stderr(policy.server.log)
    run(serve_until_stopped(policy))
