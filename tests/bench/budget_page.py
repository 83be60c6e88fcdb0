"""The pictures of docs/operations.md: the budget page, of the demo's city, in Chromium.

The statements are asked for the pictures; on which days, is made up: a month of them is spread over the last one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
from browser import CHROMIUM, Tab, browser
from pages import OWNERS, PageServed, page_served

from dpproxy.cli.demo_data import make_world, write_policy
from dpproxy.cli.verifier import verifier
from dpproxy.config import Config, load

_MONTH = (
    *(f"SELECT count(*) FROM people WHERE age >= {age}" for age in range(20, 95, 5)),
    "SELECT sex, smoker, count(*), avg(age) FROM people GROUP BY sex, smoker",
    "SELECT avg(income) FROM people WHERE age BETWEEN 30 AND 40",
    "SELECT date_trunc('year', day) AS year, count(*) FROM visits GROUP BY year",
    "SELECT dept, count(*), sum(cost) FROM visits GROUP BY dept",
)
_ANALYSTS = "".join(
    f"\n[analysts.{name}]\ntrust = true\nepsilon = {epsilon}\ndelta = 1e-6\n"
    for name, epsilon in {"dora": "4.0", "carol": "2.0"}.items()
)
_SPREAD = """UPDATE dp_ledger.charges c SET at = c.at - make_interval(days => (26 * (m.last - c.id) / m.last)::integer)
    FROM (SELECT analyst, max(id) AS last FROM dp_ledger.charges GROUP BY analyst) AS m WHERE m.analyst = c.analyst"""


def draw(directory: Path) -> list[str]:
    """Draw all of them into the directory; a line for each, or why there are none."""
    if CHROMIUM is None:
        return ["no Chromium on this machine"]
    return asyncio.run(_drawn(directory))


async def _drawn(directory: Path) -> list[str]:
    with TemporaryDirectory(prefix="dpproxy-page-") as name:
        config = _policy(Path(name))
        async with page_served(config) as served, browser() as tab:
            await served.ask("alice", *_MONTH)
            await served.ask("dora", *_MONTH[3:9])
            await served.ask("carol", *_MONTH[-4:-2])
            await _spread(served)
            return [line async for line in _pictures(served, tab, directory)]


def _policy(directory: Path) -> Config:
    make_world(directory)
    path = write_policy(directory, 0)
    text = path.read_text().replace(
        "[server]\n", f'[server]\ndashboard_port = 0\ndashboard_password = "{verifier(OWNERS)}"\n'
    )
    path.write_text(text + _ANALYSTS)
    return load(path, {})


async def _spread(served: PageServed) -> None:
    owner = await psycopg.AsyncConnection.connect(served.proxy.services.address.conninfo(), autocommit=True)
    async with owner:
        await owner.execute(_SPREAD)


async def _pictures(served: PageServed, tab: Tab, directory: Path) -> AsyncIterator[str]:
    await tab.size(1100, 700, dark=False)
    await _enter(served, tab, 1, OWNERS)
    await tab.evaluate("document.querySelectorAll('[data-from]').forEach((each) => each.scrollIntoView())")
    await tab.until("[...document.querySelectorAll('[data-from]')].at(5).textContent.includes('±')")
    yield await _picture(tab, directory / "page_owner.png", 900)
    about = "[...document.querySelectorAll('tbody tr')].find((each) => each.textContent.includes('date_trunc'))"
    await tab.loading(tab.evaluate(f"{about}.querySelector('a').click()"))
    yield await _picture(tab, directory / "page_statement.png", 900)
    await tab.size(390, 844, dark=True, scale=1.5)
    await _enter(served, tab, 0, "alice", "")
    await tab.evaluate("document.getElementById('statement').focus()")
    await tab.write("SELECT district, avg(income)\nFROM people GROUP BY district")
    await tab.loading(tab.press("Enter", control=True))
    yield await _picture(tab, directory / "page_phone.png", 1150)


async def _enter(served: PageServed, tab: Tab, form: int, *fields: str) -> None:
    await tab.do("Network.clearBrowserCookies")
    await tab.go(f"{served.origin}/sign-in")
    await tab.evaluate(f"document.forms[{form}].querySelector('input').focus()")
    for each in fields:
        await tab.write(each)
        await tab.press("Tab")
    await tab.loading(tab.press("Enter"))


async def _picture(tab: Tab, path: Path, height: int) -> str:
    await tab.picture(path, height)
    return f"{path.name}: drawn"
