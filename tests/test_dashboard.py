"""The budget page by HTTP: who is let in, who sees what, what a form may do, and that hostile text stays text."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import aiohttp
import asyncpg
import psycopg
import pytest
import pytest_asyncio
from pages import BOBS, OWNERS, PageServed, Tags, page_policy, page_served
from proxies import nothing_left, start, write_policy
from test_server import hold

from dpproxy.catalog.policy import Catalog
from dpproxy.cli.verifier import verifier
from dpproxy.config import load
from dpproxy.dashboard import dashboard_port, passwords
from dpproxy.dashboard.explanations import MOST_CHARACTERS, StatementFault
from dpproxy.dashboard.passwords import MOST_TRIES, WINDOW, Passwords, Tries
from dpproxy.dashboard.port import ROUTES
from dpproxy.dashboard.visitors import IDLE, Analyst, Owner, Visitors
from dpproxy.errors import ConfigFault, LedgerUnavailable
from dpproxy.ledger.ledger import Ledger
from dpproxy.server.scram import Verifier, proves
from dpproxy.server.services import account

pytestmark = pytest.mark.asyncio(loop_scope="module")
GROUPED = "SELECT sex, count(*) FROM people GROUP BY sex"
OF_BOB = "SELECT count(*) FROM people WHERE age > 41"
HOSTILE = """<script>alert(1)</script><img src=x onerror=alert(2)>"'`</textarea></title>{{ 7 * 7 }}&lt;"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[PageServed]:
    async with page_served(page_policy(tmp_path_factory.mktemp("page") / "world")) as running:
        await running.ask("alice", GROUPED)
        await running.ask("bob", OF_BOB)
        await running.ask("alice", f'SELECT count(*) AS "{HOSTILE.replace(chr(34), "")[:50]}" FROM people')
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def changed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[PageServed]:
    """One whose accounts and policy tests change."""
    changes = {"[privacy]\n": "[privacy]\nmax_failures = 1\n"}
    async with page_served(page_policy(tmp_path_factory.mktemp("changed") / "world", changes)) as running:
        yield running


@asynccontextmanager
async def another(served: PageServed, **server: str | None) -> AsyncIterator[PageServed]:
    """Another page of the same proxy, with other keys of [server]."""
    config = served.proxy.services.config
    other = config.model_copy(update={"server": config.server.model_copy(update=server)})
    async with dashboard_port(served.proxy, other) as port:
        assert port is not None
        yield PageServed(served.proxy, port)


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def unhurried(served: PageServed, monkeypatch: pytest.MonkeyPatch) -> None:
    """All tests come from one address; only some of them are about that."""
    monkeypatch.setattr(Tries, "wait", lambda *_: 0.0)


# ── the port ──


async def test_without_a_port_there_is_no_page(tmp_path: Path) -> None:
    """And its libraries are not loaded."""
    config = write_policy(tmp_path / "world", {})
    async with dashboard_port(None, config) as port:  # type: ignore[arg-type]
        assert port is None
    program = "import sys, dpproxy.cli.serve; sys.exit(bool({'aiohttp', 'jinja2'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


async def test_without_its_libraries_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = page_policy(tmp_path / "world")
    for name in [each for each in sys.modules if each.startswith("dpproxy.dashboard.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    with pytest.raises(ConfigFault) as caught:
        async with dashboard_port(None, config):  # type: ignore[arg-type]
            pass
    assert "aiohttp, which is not installed" in str(caught.value.detail)
    assert "pip install 'dpproxy[page]'" in str(caught.value.hint)


async def test_a_port_that_is_taken(served: PageServed, tmp_path: Path) -> None:
    config = page_policy(tmp_path / "world", {"dashboard_port = 0": f"dashboard_port = {served.port}"})
    with pytest.raises(ConfigFault, match="the dashboard_port"):
        async with dashboard_port(served.proxy, config):
            pass


@pytest.mark.long
async def test_it_is_served_and_stops_with_the_proxy(tmp_path: Path) -> None:
    """By the command, within its event loop; a browser that keeps a connection open does not keep it from stopping."""
    config = page_policy(tmp_path / "world")
    with nothing_left(config):
        proxy = await asyncio.to_thread(start, config)
        try:
            port = int(re.findall(r"budget page host=127.0.0.1 port=(\d+)", proxy.log.read_text())[0])
            async with aiohttp.ClientSession() as client, client.get(f"http://127.0.0.1:{port}/sign-in") as answer:
                assert answer.status == 200
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(b"GET /sign-in HTTP/1.1\r\n")
                assert await asyncio.to_thread(proxy.stop) == 0
                assert await reader.read() == b""
                writer.close()
        finally:
            proxy.kill()
    assert "Traceback" not in proxy.log.read_text()


# ── signing in ──


async def test_the_owner_and_analysts_sign_in_and_out(served: PageServed) -> None:
    async with served.visit() as visit:
        assert (await visit.get("/owner", follow=False)).headers["Location"] == "/sign-in"
        assert (await visit.get("/account", follow=False)).headers["Location"] == "/sign-in"
        await visit.owner()
        home = await visit.get("/")
        assert "Latest statements" in home.text
        assert (await visit.get("/account")).status == 404
        assert (await visit.post("/sign-out", {"token": home.token})).text.count("<form") == 2
        assert (await visit.get("/owner", follow=False)).status == 303
        await visit.analyst("bob", BOBS)
        assert (await visit.get("/owner")).status == 404
        assert "bob" in (await visit.get("/")).plain


@pytest.mark.parametrize(
    ("name", "password"), [("bob", "wrong"), ("bob", ""), ("nobody", BOBS), ("", ""), ("bob", "a\u0007b"), ("'--", "x")]
)
async def test_a_name_that_does_not_exist_is_refused_alike(
    served: PageServed, monkeypatch: pytest.MonkeyPatch, name: str, password: str
) -> None:
    """With the same words, after the same work: a verifier of as many iterations is tried."""
    tried: list[int] = []

    def counted(text: str, known: Verifier) -> bool:
        tried.append(known.iterations)
        return proves(text, known)

    monkeypatch.setattr(passwords, "proves", counted)
    async with served.visit() as visit:
        shown = await visit.post("/sign-in", {"name": name, "password": password})
    assert (shown.status, "This name and password do not fit." in shown.plain) == (401, True)
    assert tried == [4096] and "Set-Cookie" not in shown.headers


async def test_passwords() -> None:
    checked = Passwords()
    assert await checked.of_owner("päss", verifier("päss"))
    assert not await checked.of_owner("pass", verifier("päss"))
    assert not await checked.of_analyst("x", "y", {})


async def test_the_owner_without_a_password_has_no_door(served: PageServed) -> None:
    async with another(served, dashboard_password=None) as running, running.visit() as visit:
        assert (await visit.get("/sign-in")).text.count("<form") == 1
        assert (await visit.post("/sign-in/owner", {"password": ""})).status == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 303),
        ({"X-Forwarded-For": "203.0.113.9"}, 401),
        ({"Forwarded": "for=203.0.113.9"}, 401),
        ({"Via": "x"}, 401),
    ],
)
async def test_trust_is_for_this_machine_alone(served: PageServed, headers: dict[str, str], status: int) -> None:
    """What a proxy of another protocol passes on may come from anywhere."""
    async with served.visit() as visit:
        assert (await visit.post("/sign-in", {"name": "alice"}, headers, follow=False)).status == status


async def test_tries_are_counted(served: PageServed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    async with served.visit() as visit:
        for _ in range(MOST_TRIES):
            assert (await visit.post("/sign-in", {"name": "bob", "password": "x"})).status == 401
        late = await visit.post("/sign-in", {"name": "bob", "password": BOBS})
        assert late.status == 429 and 0 < int(late.headers["Retry-After"]) <= WINDOW
        assert (await visit.post("/sign-in/owner", {"password": OWNERS})).status == 429


async def test_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that fail, by address; whoever waits may try again, and others are not kept waiting."""
    monkeypatch.undo()
    now = [0.0]
    tries = Tries(lambda: now[0])
    for _ in range(MOST_TRIES):
        assert tries.wait("203.0.113.1") == 0
    assert tries.wait("203.0.113.1") == WINDOW
    assert tries.wait("203.0.113.2") == 0
    now[0] = WINDOW
    for _ in range(3 * MOST_TRIES):
        assert tries.wait("203.0.113.1") == 0
        tries.succeeded("203.0.113.1")
    for at in range(MOST_TRIES):
        assert tries.wait(f"2001:db8::{at}") == 0
    assert tries.wait("2001:db8::ffff") > 0
    assert tries.wait("2001:db8:0:1::1") == 0


async def test_visits_end() -> None:
    now = [0.0]
    visitors = Visitors(lambda: now[0])
    first, second = visitors.enter(Owner()), visitors.enter(Analyst("a", (True, None)))
    assert first != second and visitors.of("") is None and visitors.of(first[:-1]) is None
    found = visitors.of(first)
    assert found is not None and found.who == Owner()
    now[0] += IDLE + 1
    assert visitors.of(first) is None
    third = visitors.enter(Owner())
    for _ in range(100):
        now[0] += IDLE - 1
        if visitors.of(third) is None:
            break
    assert now[0] < 14 * 3600
    for _ in range(2000):
        visitors.enter(Owner())
    assert visitors.of(third) is None


async def test_another_password_ends_visits(changed: PageServed) -> None:
    config = changed.proxy.services.config
    async with changed.visit() as bobs, changed.visit() as alices:
        await bobs.analyst("bob", BOBS)
        await alices.analyst("alice")
        config.path.write_text(re.sub(r"(bob\]\npassword = ).*", rf'\1"{verifier("new")}"', config.path.read_text()))
        await changed.proxy.reload(load(config.path, {}))
        assert (await bobs.get("/account", follow=False)).status == 303
        assert (await alices.get("/account", follow=False)).status == 200


# ── requests ──


async def test_cookies_are_for_this_page_alone(served: PageServed) -> None:
    async with served.visit() as visit:
        cookie = (await visit.post("/sign-in", {"name": "alice"}, follow=False)).headers["Set-Cookie"]
    assert re.fullmatch(rf"dpproxy_{served.port}=[\w-]{{43}}; HttpOnly; Path=/; SameSite=Strict", cookie)


async def test_behind_a_proxy_with_tls(served: PageServed) -> None:
    """By its address alone; the cookie is for https, and nobody is taken for somebody on this machine."""
    address = "https://budgets.example.org"
    host = {"Host": "budgets.example.org", "Origin": address}
    async with another(served, dashboard_url=address) as running, running.visit() as visit:
        assert (await visit.get("/sign-in")).status == 421
        assert (await visit.post("/sign-in", {"name": "alice"}, host)).status == 401
        entered = await visit.post("/sign-in/owner", {"password": OWNERS}, host, follow=False)
        assert entered.headers["Set-Cookie"].startswith("__Host-dpproxy_")
        assert "Secure" in entered.headers["Set-Cookie"]


async def test_headers_of_each_answer(served: PageServed) -> None:
    async with served.visit() as visit:
        answers = [
            await visit.get(path, follow=False) for path in ("/", "/sign-in", "/static/page.css", "/no", "/owner")
        ]
        answers.append(await visit.post("/sign-out", {}, {"Origin": "https://example.org"}))
        answers.append(await (await visit.owner()).get("/owner"))
    assert [each.status for each in answers] == [303, 200, 200, 404, 303, 403, 200]
    for each in answers:
        policy = each.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; style-src 'self'; script-src 'self'") and "unsafe" not in policy
        assert each.headers["X-Content-Type-Options"] == "nosniff" and each.headers["Server"] == "dpproxy"
        assert each.headers["Cache-Control"] in ("no-store", "no-cache")


@pytest.mark.parametrize("path", [each.path for each in ROUTES if each.method == "POST"])
async def test_forms_of_other_pages_are_refused(served: PageServed, path: str) -> None:
    """Of other sites by what the browser says of them, and of any page that does not know the token."""
    async with served.visit() as visit, served.visit() as other:
        await (visit.analyst("alice") if path == "/account" else visit.owner())
        stolen = (await (await other.owner()).get("/owner")).token
        for headers in ({"Origin": "https://example.org"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
            assert (await visit.post(path, {"token": stolen}, headers)).status == 403
        if not path.startswith("/sign-in"):
            for token in ("", stolen):
                assert (
                    await visit.post(path, {"token": token, "analyst": "alice", "statement": "SELECT 1"})
                ).status == 403
        assert (await visit.get("/", follow=False)).headers["Location"] in ("/owner", "/account")


async def test_another_name_of_this_machine_is_refused(served: PageServed) -> None:
    """A site may have its name lead here, and its pages would be this page's own."""
    async with served.visit() as visit:
        for host in ("example.org", f"example.org:{served.port}", "127.0.0.1", "localhost:1"):
            assert (await visit.get("/sign-in", {"Host": host})).status == 421
        assert (await visit.get("/sign-in", {"Host": f"localhost:{served.port}"})).status == 200


async def test_what_is_too_large_or_odd(served: PageServed) -> None:
    async with served.visit() as visit:
        assert (await visit.post("/sign-in", {"name": "a" * 300_000})).status == 413
        for path in ("/static/../port.py", "/static/%2e%2e/port.py", "/owner/statements/0x1", "/account/statements/-1"):
            assert (await visit.get(path)).status == 404
        await visit.owner()
        assert (await visit.get("/owner/statements/999999999999999999")).status == 404
        assert (await visit.post("/owner", {})).status == 405


# ── who sees what ──


async def test_the_owner_sees_all(served: PageServed) -> None:
    session = await asyncpg.connect(host="127.0.0.1", port=served.proxy.port, user="alice", database="demo", ssl=False)
    async with served.visit() as visit:
        shown = (await (await visit.owner()).get("/owner")).plain
        await session.close()
        assert all(each in shown for each in ("alice", "bob", GROUPED, OF_BOB, "answered", "idle", "127.0.0.1"))
        assert re.search(r"statements left\s*about \d+ at ε 1", shown)
        found = await visit.get("/owner/statements/1")
        assert "Statement 1 of alice" in found.plain and "± 1.98" in found.plain


async def test_an_analyst_sees_nothing_of_another(served: PageServed) -> None:
    async with served.visit() as visit:
        await visit.analyst("bob", BOBS)
        seen = [await visit.get(path) for path in ("/account", "/account/statements/1", "/account/statements/1/error")]
        assert [each.status for each in seen] == [200, 200, 200]
        assert OF_BOB in seen[1].plain and "±" in seen[2].text
        for each in seen:
            assert "alice" not in each.text and "GROUP BY sex" not in each.plain
        for path in (
            "/account/statements/2",
            "/account/statements/3",
            "/owner",
            "/owner/statements/1",
            "/owner/statements/1/error",
        ):
            assert (await visit.get(path)).status == 404
        token = seen[0].token
        assert (await visit.post("/owner/clear", {"token": token, "analyst": "bob"})).status == 404
        # The charge is the second of all: neither its number nor that of another one may be told.
        assert "statement 1" in seen[0].plain and "statement 2" not in seen[0].plain


async def test_older_statements_are_a_page_further(served: PageServed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them once, newest first, for an analyst by their own numbers."""
    monkeypatch.setattr("dpproxy.dashboard.owner_pages._LATEST", 2)
    monkeypatch.setattr("dpproxy.dashboard.analyst_pages._LATEST", 1)
    async with served.visit() as visit, served.visit() as owners:
        for who, section, first in ((await visit.analyst("alice"), "/account", 2), (await owners.owner(), "/owner", 3)):
            place, seen = section, []
            while True:
                shown = await who.get(place)
                seen += [int(each) for each in re.findall(rf'href="{section}/statements/(\d+)"', shown.text)]
                assert ("The latest statements" in shown.plain) is (place != section)
                older = re.findall(rf'href="({section}\?before=\d+)#', shown.text)
                if not older:
                    break
                [place] = older
            assert seen == list(range(seen[0], 0, -1)) and seen[0] >= first
            assert "There are no older ones." in (await who.get(f"{section}?before=1")).plain
            for odd in ("x", "-1", "1 OR 1=1", "9" * 19, ""):
                assert (await who.get(f"{section}?before={odd}")).status == 404


async def test_a_grant_is_seen_in_the_chart(changed: PageServed) -> None:
    config, ledger = changed.proxy.services.config, changed.proxy.services.permanent.resources.ledger
    ref = account(config, Catalog(), "carol").ref
    async with changed.visit() as visit:
        await visit.analyst("carol")
        assert "was granted on" not in (await visit.get("/account")).plain
        assert await ledger.grant(ref, await ledger.standing(ref), Decimal("2.5"), Decimal(0))
        shown = await visit.get("/account")
        assert "ε 2.5 was granted on" in shown.plain and 'class="grant"' in shown.text


async def test_a_page_of_no_charges(changed: PageServed) -> None:
    async with changed.visit() as visit, changed.visit() as owners:
        await visit.analyst("carol")
        assert "No statement was paid for yet." in (await visit.get("/account")).text
        assert "Nobody is connected." in (await (await owners.owner()).get("/owner")).text


async def test_hostile_text_stays_text(served: PageServed) -> None:
    """Of statements, of errors about them, and of names that are not let in."""
    async with served.visit() as visit:
        pages = [await visit.post("/sign-in", {"name": HOSTILE, "password": HOSTILE})]
        await visit.analyst("alice")
        pages.append(await visit.explain(f"SELECT '{HOSTILE.replace(chr(39), '')}' AS x, nme FROM people"))
        pages.append(await visit.explain(HOSTILE, HOSTILE))
        pages += [await visit.get(path) for path in ("/account", "/account/statements/2")]
        async with served.visit() as owners:
            await owners.owner()
            pages += [await owners.get(path) for path in ("/owner", "/owner/statements/3")]
        error = await visit.get("/account/statements/2/error")
    assert error.headers["Content-Type"].startswith("text/plain")
    assert sum("<script>alert(1)</script>" in each.plain for each in pages) >= 5
    for each in pages:
        tags = Tags(each.text)
        assert "img" not in tags.names and tags.names.count("script") == 1
        assert ("script", "src", "/static/page.js") in tags.attributes
        assert not [name for _, name, _ in tags.attributes if name.startswith("on") or name == "style"]
        assert "49" not in re.findall(r"\{\{|49", each.plain.replace("{{ 7 * 7 }}", ""))


# ── what is told of statements ──


async def test_the_box_says_what_a_session_says(served: PageServed) -> None:
    [lines, more] = await served.ask("alice", f"EXPLAIN {GROUPED}", f"EXPLAIN (VERBOSE) {GROUPED}")
    async with served.visit() as visit:
        await visit.analyst("alice")
        shown = await visit.explain(GROUPED)
        half = await visit.explain(GROUPED, "0.5")
        detailed = await visit.explain(GROUPED, details="yes")
    assert "\n".join(row[0] for row in lines) in shown.plain
    assert "\n".join(row[0] for row in more) in detailed.plain
    assert "Cost: epsilon 0.5" in half.plain


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT nme FROM people",
        "SELECT\n  sum(x) FROM\n  people GROUP BY wrong",
        "SELECT * FROM people",
        "SELECT count(*) FROM visits WHERE random() < 0.5",
        "SELECT count(*) FROM missing",
        "SELEC 1",
        "UPDATE departments SET beds = 1",
    ],
)
async def test_errors_are_those_of_a_session(served: PageServed, statement: str) -> None:
    dsn = f"postgresql://alice@127.0.0.1:{served.proxy.port}/demo"
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as session:
        with pytest.raises(psycopg.Error) as caught:
            await session.execute(f"EXPLAIN {statement}".encode())
    told = caught.value.diag
    async with served.visit() as visit:
        await visit.analyst("alice")
        shown = await visit.explain(statement)
    expected = [told.sqlstate, told.message_primary, told.message_detail, told.message_hint]
    assert [each for each in expected if each and each not in shown.plain] == []
    if told.statement_position:
        at = int(told.statement_position) - len("EXPLAIN ")
        marked = re.search(r'<pre class="marked">(.*)<mark>(.*)</mark>', shown.text)
        assert marked is not None
        assert statement[at - 1 :].startswith(marked[2].strip()) and statement[: at - 1].endswith(marked[1])


async def test_where_an_error_is() -> None:
    text = "SELECT 1,\n  wrong + 2\nFROM x"
    assert StatementFault("", "", position=13).marked(text) == ("  ", "wrong", " + 2")
    assert StatementFault("", "", position=len(text) + 1).marked(text) == ("FROM x", " ", "")
    assert StatementFault("", "", position=len(text) + 2).marked(text) is None
    assert StatementFault("", "").marked(text) is None


@pytest.mark.parametrize(
    "statement",
    [
        "ANALYZE SELECT count(*) FROM people",
        "(ANALYZE) SELECT count(*) FROM people",
        "(ANALYZE, FORMAT JSON) DELETE FROM mine",
        "ANALYZE CREATE TABLE alice.theirs AS SELECT 1 AS one",
        "(ANALYZE) CREATE TABLE alice.theirs AS SELECT 1 AS one",
        "SELECT 1; SELECT count(*) FROM people",
        "SELECT 1; DELETE FROM mine",
        ") SELECT count(*) FROM people; --",
        "EXPLAIN ANALYZE DELETE FROM mine",
        "/* */ EXPLAIN ANALYZE DELETE FROM mine",
        "DELETE FROM mine",
        "CREATE TABLE theirs AS SELECT count(*) FROM people",
        "SELECT count(*) FROM people WHERE age = $1",
        "SET dp.epsilon = 7",
        "SELECT 1\0",
        "SELECT 1 --" + "x" * MOST_CHARACTERS,
        " ",
    ],
)
async def test_nothing_in_the_box_runs(served: PageServed, statement: str) -> None:
    dsn = f"postgresql://alice@127.0.0.1:{served.proxy.port}/demo"
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as session:
        await session.execute("CREATE TABLE IF NOT EXISTS alice.mine AS SELECT * FROM departments")
        before = await _state(session)
        async with served.visit() as visit:
            await visit.analyst("alice")
            shown = await visit.explain(statement)
        assert shown.status == 200 and ('class="fault"' in shown.text or 'class="plan"' in shown.text)
        assert await _state(session) == before


async def _state(session: psycopg.AsyncConnection[Any]) -> list[Any]:
    """What a statement that ran would have changed."""
    looks = ("SELECT count(*) FROM alice.mine", "SELECT count(*) FROM pg_class", "SELECT max(id) FROM dp.statements")
    return [await (await session.execute(look)).fetchone() for look in looks]


async def test_stored_answers_are_shown_with_their_error(served: PageServed) -> None:
    """The numbers of the answer, and the error that the session told; looking at them claims and charges nothing."""
    bars = GROUPED.replace("count(*)", "count(*), dp.half_width(count(*))")
    [answer, told] = await served.ask("alice", bars, "SELECT half_width FROM dp.last_statement")
    async with served.visit() as visit:
        await visit.analyst("alice")
        number = await _number_of(served, GROUPED)
        before = await served.ask("alice", "SELECT max(id) FROM dp.statements")
        shown = await visit.get(f"/account/statements/{number}")
        assert await served.ask("alice", "SELECT max(id) FROM dp.statements") == before
    assert f"± {told[0][0]:.3g}" in shown.plain
    for key, count, half in answer:
        assert re.search(rf"{key}\s*{count:,}\s*± {half:.3g}", shown.plain)
    pictures = re.findall(r'<svg class="bars".*?</svg>', shown.text)
    assert len(pictures) == len(answer) and all('class="error"' in each for each in pictures)


async def _number_of(served: PageServed, statement: str) -> int:
    [[row]] = await served.ask("alice", f"SELECT min(id) FROM dp.statements WHERE statement = '{statement}'")
    number: int = row[0]
    return number


async def test_a_statement_that_cannot_be_planned_again(served: PageServed) -> None:
    session = await asyncpg.connect(host="127.0.0.1", port=served.proxy.port, user="alice", database="demo", ssl=False)
    await session.fetch("SELECT count(*) FROM people WHERE age > $1", 30)
    number = await session.fetchval("SELECT max(id) FROM dp.statements")
    await session.close()
    async with served.visit() as visit:
        await visit.analyst("alice")
        assert "cannot be planned again" in (await visit.get(f"/account/statements/{number}")).plain
        assert (await visit.get(f"/account/statements/{number}/error")).text == "not known"


async def test_no_page_touches_the_data(served: PageServed) -> None:
    """With an engine that fails whatever it is asked, all pages are as they were."""
    hand = hold(served.proxy, "alice", broken=True)
    try:
        async with served.visit() as visit, served.visit() as owners:
            await visit.analyst("alice")
            await owners.owner()
            for path in ("/account", "/account/statements/1", "/account/statements/1/error"):
                assert (await visit.get(path)).status == 200
            assert "Cost: epsilon" in (await visit.explain("SELECT city, avg(income) FROM people GROUP BY city")).plain
            for path in ("/owner", "/owner/statements/1"):
                assert (await owners.get(path)).status == 200
        assert not hand.begun.is_set()
    finally:
        hold(served.proxy, "alice")


# ── alarms ──


async def test_alarms_are_cleared(changed: PageServed) -> None:
    ledger = changed.proxy.services.permanent.resources.ledger
    async with changed.visit() as visit, changed.visit() as alices:
        await ledger.stop_analyst("alice", "a test")
        await visit.owner()
        await alices.analyst("alice")
        assert "until the owner has looked" in (await alices.get("/account")).plain
        shown = await visit.get("/owner")
        assert "alice is stopped. Times so far: 1, of 1" in shown.plain
        cleared = await visit.post("/owner/clear", {"token": shown.token, "analyst": "alice"})
        assert "Alarms" not in cleared.plain and await ledger.alarms() == {}
        await ledger.stop_analyst("alice", "a test")
        shown = await visit.get("/owner")
        assert "Times so far: 2, of 1" in shown.plain and "Let alice go on" not in shown.plain
        await visit.post("/owner/clear", {"token": shown.token, "analyst": "alice"})
        assert await ledger.alarms() == {"alice": 2}


async def test_what_waits_to_be_adopted_is_told(changed: PageServed) -> None:
    """After a charge more budget is not in force by itself."""
    config = changed.proxy.services.config
    await changed.ask("carol", "SELECT count(*) FROM people")
    async with changed.visit() as visit:
        await visit.owner()
        assert "Not in force" not in (await visit.get("/owner")).plain
        more = config.path.read_text().replace(
            "[analysts.carol]\ntrust = true\nepsilon = 1.0", "[analysts.carol]\ntrust = true\nepsilon = 2.0"
        )
        config.path.write_text(more)
        await changed.proxy.reload(load(config.path, {}))
        shown = (await visit.get("/owner")).plain
        assert "Not in force" in shown and "carol could spend epsilon 2 (never resets)" in shown


async def test_without_the_ledger_it_says_so(changed: PageServed, monkeypatch: pytest.MonkeyPatch) -> None:
    async def gone(*_: object) -> bool:
        raise LedgerUnavailable("the ledger cannot be reached")

    async with changed.visit() as visit:
        await visit.analyst("carol")
        monkeypatch.setattr(Ledger, "stopped", gone)
        shown = await visit.get("/account")
    assert (shown.status, "the ledger cannot be reached" in shown.text) == (503, True)
