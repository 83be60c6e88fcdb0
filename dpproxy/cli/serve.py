"""`dpproxy serve`: the proxy, until it is told to stop."""

from __future__ import annotations

from dpproxy.cli.policy_file import ConfigFile, loaded
from dpproxy.cli.signals import run
from dpproxy.dashboard import dashboard_port
from dpproxy.server.lifecycle import serve as serve_until_stopped
from dpproxy.server.logs import log_to_stderr


def serve(config: ConfigFile) -> None:
    """Serve a configuration until SIGINT or SIGTERM."""
    policy = loaded(config)
    log_to_stderr(policy.server.log)
    run(serve_until_stopped(policy, beside=lambda proxy: dashboard_port(proxy, policy)))
