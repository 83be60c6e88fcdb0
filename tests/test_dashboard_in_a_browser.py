"""The budget page in Chromium: on a phone and on a desk, in light and dark, by keyboard alone."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
import pytest_asyncio
from browser import CHROMIUM, Tab, axe, browser
from pages import BOBS, OWNERS, PageServed, page_policy, page_served

from dpproxy.dashboard.passwords import Tries
from dpproxy.ledger import AccountRef

pytestmark = pytest.mark.long

SIZES = {"phone": (390, 844), "desk": (1280, 800)}
HOSTILE = 'SELECT count(*) AS "<script>alert(1)</script><img src=x onerror=alert(2)>" FROM people'
LONG = f"SELECT count(*) FROM people WHERE city IN ({', '.join(repr('x' * 60 + str(n)) for n in range(20))})"
STATEMENTS = (
    "SELECT sex, count(*), avg(age) FROM people GROUP BY sex",
    "SELECT dept, sum(cost) FROM visits GROUP BY dept",
    "SELECT city, smoker, sex, count(*) FROM people GROUP BY city, smoker, sex",
    HOSTILE,
    LONG,
)
# All that a person can act on and that is there to be seen, in the order of the document.
REACHED = """[...document.querySelectorAll(
    'a[href], button, input:not([type=hidden]), textarea, summary, [tabindex="0"]'
)].filter((each) => each.checkVisibility())"""


@dataclass(frozen=True)
class Opened:
    """A page that is served, and a tab on it."""

    served: PageServed
    tab: Tab

    async def go(self, path: str) -> None:
        await self.tab.go(self.served.origin + path)

    async def enter(self, form: int, *fields: str) -> None:
        """Sign in by keyboard."""
        await self.tab.do("Network.clearBrowserCookies")
        await self.go("/sign-in")
        await self.tab.evaluate(f"document.forms[{form}].querySelector('input').focus()")
        for each in fields:
            await self.tab.write(each)
            await self.tab.press("Tab")
        await self.tab.loading(self.tab.press("Enter"))

    async def explain(self, statement: str) -> None:
        await self.go("/account")
        await self.tab.evaluate("document.getElementById('statement').select()")
        await self.tab.write(statement)
        await self.tab.loading(self.tab.press("Enter", control=True))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Opened]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tries, "wait", lambda *_: 0.0)
        for pages in ("owner_pages", "analyst_pages"):
            patch.setattr(f"dpproxy.dashboard.{pages}._LATEST", 4)
        async with page_served(page_policy(tmp_path_factory.mktemp("seen") / "world")) as served, browser() as tab:
            await served.ask("alice", *STATEMENTS)
            await served.ask("bob", "SELECT count(*) FROM people")
            ledger = served.proxy.services.permanent.resources.ledger
            await ledger.stop_analyst("bob", "a test")
            alice = AccountRef("alice")
            assert await ledger.grant(alice, await ledger.standing(alice), Decimal(2), Decimal(0))
            yield Opened(served, tab)


async def views(opened: Opened) -> AsyncIterator[str]:
    """Each page as it may look, one after the other."""
    await opened.go("/sign-in")
    yield "sign-in"
    await opened.enter(1, OWNERS)
    await opened.tab.evaluate("document.querySelector('[data-from]').scrollIntoView({behavior: 'instant'})")
    await opened.tab.until("document.querySelector('[data-from]').textContent.includes('±')")
    yield "the owner"
    await opened.go("/owner/statements/3")
    yield "the owner's view of a statement"
    await opened.enter(0, "alice", "")
    yield "an account"
    await opened.tab.evaluate("document.querySelector('[rel=next]').focus()")
    await opened.tab.loading(opened.tab.press("Enter"))
    assert "statement 1<" in await opened.tab.evaluate("document.getElementById('history').parentElement.innerHTML")
    yield "older statements"
    await opened.explain(STATEMENTS[0])
    assert await opened.tab.evaluate("document.querySelector('.plan').textContent.includes('expected (95 %)')")
    yield "an explanation"
    await opened.explain(LONG.replace("city", "cty"))
    assert await opened.tab.evaluate("document.querySelector('mark').textContent") == "cty"
    yield "an error"
    for number in (1, 4, 5):
        await opened.go(f"/account/statements/{number}")
        yield f"statement {number}"
    await opened.enter(0, "bob", BOBS)
    yield "an account that is stopped"


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
async def test_each_page_is_usable(opened: Opened, size: str, dark: bool) -> None:
    """Nothing is wider than the screen, all can be reached by keyboard and is seen to be, axe finds nothing, no script
    fails, nothing that the page's policy forbids is tried, and nothing is fetched from elsewhere."""
    tab = opened.tab
    await tab.size(*SIZES[size], dark)
    async for name in views(opened):
        paper = await tab.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, paper[4:-1].split(","))) < 384) is dark, name
        assert await tab.evaluate(TOO_WIDE) <= 0, name
        assert await tab.evaluate(TOO_SMALL) == [], name
        await reached_by_keyboard(tab, name)
        assert await found_by_axe(tab) == [], name
    assert [each for each in tab.complaints if "status of 4" not in each] == []
    assert tab.dialogs == 0
    assert {each for each in tab.requested if not each.startswith((opened.served.origin, "about:", "data:"))} == set()


TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
TOO_SMALL = """[...document.querySelectorAll('main *, header *')].filter((each) =>
    each.checkVisibility() && [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) &&
    parseFloat(getComputedStyle(each).fontSize) < 12).map((each) => each.outerHTML)"""


async def reached_by_keyboard(tab: Tab, name: str) -> None:
    """Tab goes to each in the order of the document, and shows where it is."""
    await tab.press("Tab")  # where it goes first, the address may say: a place in the page
    await tab.until("document.activeElement !== document.body")
    expected = await tab.evaluate(f"window.all = {REACHED}, window.all[0].focus(), window.all.length")
    seen = []
    for number in range(expected):
        if number:
            await tab.press("Tab")
        seen.append(
            await tab.evaluate(
                """(() => { const here = document.activeElement, style = getComputedStyle(here);
                const box = here.getBoundingClientRect();
                return [window.all.indexOf(here), style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
                    box.width > 0 && box.height > 0 && box.right <= innerWidth + 1 && box.left >= -1] })()"""
            )
        )
    assert seen == [[number, True, True] for number in range(expected)], name


async def found_by_axe(tab: Tab) -> list[Any]:
    """What axe-core has against the page by WCAG 2.2 AA, contrast among it; nothing where it is not on the machine."""
    path = axe()
    if path is None:
        return []
    await tab.evaluate(path.read_text() + "; 0")
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found: list[Any] = await tab.evaluate(
        f"axe.run(document, {{runOnly: {json.dumps(tags)}}}).then((told) => told.violations.map("
        "(each) => [each.id, each.nodes.map((node) => node.html + ' ' + node.failureSummary)]))"
    )
    return found


@pytest.mark.asyncio(loop_scope="module")
async def test_what_is_looked_for_is_found(opened: Opened) -> None:
    """A text that is too faint, one that is too wide, one that is too small, and a script that is not the page's."""
    await opened.tab.size(*SIZES["phone"], False)
    await opened.go("/sign-in")
    planted = (
        "const one = document.querySelector('h1').style; one.color = '#bbb', one.width = '500px', one.fontSize = '9px'"
    )
    await opened.tab.evaluate(planted)
    assert await opened.tab.evaluate(TOO_WIDE) > 0
    assert len(await opened.tab.evaluate(TOO_SMALL)) == 1
    assert axe() is None or "color-contrast" in {name for name, _ in await found_by_axe(opened.tab)}
    before = len(opened.tab.complaints)
    await opened.tab.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: '1'}))")
    assert "Content Security Policy" in opened.tab.complaints[before]
    del opened.tab.complaints[before:]


@pytest.mark.asyncio(loop_scope="module")
async def test_by_keyboard_alone(opened: Opened) -> None:
    """The owner signs in, lets an analyst go on, and signs out."""
    tab = opened.tab
    await tab.size(*SIZES["desk"], False)
    await opened.enter(1, OWNERS)
    assert "bob is stopped" in await tab.evaluate("document.querySelector('.alarms').textContent")
    await tab.evaluate("document.querySelector('.alarms button').focus()")
    await tab.loading(tab.press("Enter"))
    assert await tab.evaluate("document.querySelector('.alarms')") is None
    assert await opened.served.proxy.services.permanent.resources.ledger.alarms() == {}
    await tab.evaluate("document.querySelector('header button').focus()")
    await tab.loading(tab.press("Enter"))
    assert await tab.evaluate("document.forms.length") == 2
    await opened.go("/owner")
    assert (await tab.evaluate("location.pathname")) == "/sign-in"


@pytest.mark.asyncio(loop_scope="module")
async def test_the_page_works_without_scripts(opened: Opened) -> None:
    tab = opened.tab
    await tab.do("Emulation.setScriptExecutionDisabled", value=True)
    try:
        await opened.enter(0, "alice", "")
        shown = (await tab.do("Runtime.evaluate", expression="document.body.textContent", returnByValue=True))["result"]
        assert "Your account" in shown["value"] and "see there" in shown["value"]
    finally:
        await tab.do("Emulation.setScriptExecutionDisabled", value=False)
