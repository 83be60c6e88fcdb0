"""`dpproxy serve`: the proxy, until it is told to stop."""

from __future__ import annotations

import typer

from dpproxy.cli.console import ConfigFile, loaded, say
from dpproxy.cli.interrupts import run, until_stopped
from dpproxy.config import Config
from dpproxy.server import Proxy


def serve(config: ConfigFile) -> None:
    """Serve a configuration until SIGINT or SIGTERM."""
    run(_serve(loaded(config)))


async def _serve(config: Config) -> None:
    proxy = await Proxy.start(config)
    try:
        typer.echo(f"listening on {config.server.host}:{proxy.port}")
        await until_stopped()
        say("stopping")
    finally:
        await proxy.stop()
