"""The budget page for tests: a world with a proxy and its page, and a visitor without a browser."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import aiohttp
import asyncpg
from clusters import with_front
from proxies import write_policy

from dpproxy.cli.verifier import verifier
from dpproxy.config import Config
from dpproxy.dashboard import dashboard_port
from dpproxy.server.proxy import Proxy

OWNERS, BOBS = "the owner's own", "bob's own"
SECRET = re.compile(r'name="token" value="([^"]+)"')


def page_policy(directory: Path, changes: Mapping[str, str] | None = None, server: str = "") -> Config:
    """The small world: alice needs no password, bob does; releases are stored, and the page is on a free port."""
    own = f'dashboard_port = 0\ndashboard_password = "{verifier(OWNERS)}"\n{server}'
    known = {
        "[server]\n": f"[server]\n{own}",
        "stored_bytes = 0": "stored_bytes = 1000000",
        "[analysts.bob]\ntrust = true": f'[analysts.bob]\npassword = "{verifier(BOBS)}"',
        "epsilon = 1.0\ndelta = 1e-6": "epsilon = 5.0\ndelta = 1e-6",
        "[analysts.alice]\n": "[analysts.carol]\ntrust = true\nepsilon = 1.0\ndelta = 1e-6\n\n[analysts.alice]\n",
    }
    return write_policy(directory, {**known, **(changes or {})})


@dataclass(frozen=True)
class PageServed:
    """A proxy and the port of its page."""

    proxy: Proxy
    port: int

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def visit(self) -> AsyncIterator[Visit]:
        """Somebody who has not signed in."""
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
            yield Visit(client, self.origin)

    async def ask(self, user: str, *statements: str) -> list[list[asyncpg.Record]]:
        """The answers of a session."""
        password = {"bob": BOBS}.get(user)
        session = await asyncpg.connect(
            host="127.0.0.1", port=self.proxy.port, user=user, password=password, database="demo", ssl=False
        )
        try:
            return [await session.fetch(each) for each in statements]
        finally:
            await session.close()


@asynccontextmanager
async def page_served(config: Config) -> AsyncIterator[PageServed]:
    """For the length of a block."""
    async with Proxy(with_front(config)) as proxy, dashboard_port(proxy, config) as port:
        assert port is not None
        yield PageServed(proxy, port)


@dataclass(frozen=True)
class Shown:
    """An answer of the page."""

    status: int
    text: str
    headers: Mapping[str, str]

    @property
    def plain(self) -> str:
        """What a person reads of it."""
        return html.unescape(re.sub(r"<[^>]*>", "", self.text))

    @property
    def token(self) -> str:
        found = SECRET.search(self.text)
        assert found is not None, self.text
        return found[1]


@dataclass
class Visit:
    """A visitor; keeps cookies."""

    client: aiohttp.ClientSession
    origin: str

    async def get(self, path: str, headers: Mapping[str, str] | None = None, follow: bool = True) -> Shown:
        async with self.client.get(self.origin + path, headers=headers, allow_redirects=follow) as answer:
            return Shown(answer.status, await answer.text(), answer.headers)

    async def post(
        self, path: str, fields: Mapping[str, str], headers: Mapping[str, str] | None = None, follow: bool = True
    ) -> Shown:
        async with self.client.post(self.origin + path, data=fields, headers=headers, allow_redirects=follow) as answer:
            return Shown(answer.status, await answer.text(), answer.headers)

    async def owner(self) -> Visit:
        shown = await self.post("/sign-in/owner", {"password": OWNERS})
        assert shown.status == 200 and "Accounts" in shown.text, shown.text
        return self

    async def analyst(self, name: str, password: str = "") -> Visit:
        shown = await self.post("/sign-in", {"name": name, "password": password})
        assert shown.status == 200 and "Your account" in shown.text, shown.text
        return self

    async def explain(self, statement: str, epsilon: str = "", **more: str) -> Shown:
        token = (await self.get("/account")).token
        return await self.post("/account", {"token": token, "statement": statement, "epsilon": epsilon, **more})


@dataclass
class Tags(HTMLParser):
    """What a page is made of, for who looks for what should not be there."""

    text: str
    names: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
