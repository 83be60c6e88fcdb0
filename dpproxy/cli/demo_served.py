"""What `dpproxy demo` shows and serves: a city of made-up people in a directory, the tour, and how to go on."""

from __future__ import annotations

import shlex
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

from dpproxy.cli.commands import say
from dpproxy.cli.console import answers, messages, waiting
from dpproxy.cli.demo_data import make_world, write_policy
from dpproxy.cli.policy_file import loaded
from dpproxy.cli.signals import until_stopped
from dpproxy.cli.tour import Truths, show_tour, truths
from dpproxy.errors import ConfigFault
from dpproxy.front.binaries import find_binaries
from dpproxy.server.proxy import Proxy

_HOST, _DATABASE, _ANALYST = "127.0.0.1", "demo", "alice"


def city(directory: Path) -> Truths:
    """The city's people in `directory`, and the true answers to the tour's questions."""
    with _step("making a city of 60,000 people"):
        return truths(make_world(directory))


async def show(directory: Path, port: int, true: Truths, once: bool) -> None:
    """Serve the city on `port`, or another if that is taken: the tour, and then, unless `once`, whoever comes."""
    policy = write_policy(directory, _free(port))
    async with AsyncExitStack() as held:
        with _step("starting the front and the proxy"):
            proxy = await _served(policy, held)
        if port not in (0, proxy.port):
            say(f"port {port} is taken; this demo listens on {proxy.port}")
        conninfo = f"host={_HOST} port={proxy.port} dbname={_DATABASE} user={_ANALYST}"
        await show_tour(answers(), conninfo, true)
        if not once:
            _invite(policy, conninfo)
            await until_stopped()
            say("stopping")


async def _served(policy: Path, held: AsyncExitStack) -> Proxy:
    """A running proxy, on another port where somebody took ours in the meantime."""
    try:
        return await held.enter_async_context(Proxy(loaded(policy)))
    except ConfigFault as fault:
        if not isinstance(fault.__cause__, OSError):
            raise
    return await held.enter_async_context(Proxy(loaded(write_policy(policy.parent, 0))))


@contextmanager
def _step(text: str) -> Iterator[None]:
    """Says what is going on: a spinner on a terminal, else a line."""
    if not messages().is_terminal:
        say(f"{text} …")
    with waiting(text):
        yield


def _free(port: int) -> int:
    """`port`, or 0 where somebody else listens on it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, port))
        except OSError:
            return 0
    return port


def _invite(policy: Path, conninfo: str) -> None:
    show = answers()
    show.print()
    show.print(f"Now you: {_psql()} {shlex.quote(conninfo)}", soft_wrap=True)
    show.print(f"The policy is {policy}. Ctrl-C ends the demo and removes it.", soft_wrap=True)


def _psql() -> str:
    """How to call psql: the one that came with the front's binaries, since an older one does not know its catalog."""
    beside = find_binaries().psql
    return "psql" if beside is None else shlex.quote(str(beside))
