"""Chromium without a window, by its own protocol: a tab that goes somewhere, is looked at, and is typed into."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM = next(filter(None, (os.environ.get("CHROMIUM"), *map(shutil.which, _NAMES))), None)
_PATIENCE = 60.0
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--hide-scrollbars",
)
_QUIET = ("--disable-extensions", "--disable-background-networking", "--disable-sync", "--disable-component-update")
_CODES = {"Tab": 9, "Enter": 13}


def axe() -> Path | None:
    """axe-core, which finds what people with other eyes and hands cannot use; npm has it."""
    modules = [Path(each) for each in os.environ.get("NODE_PATH", "").split(os.pathsep) if each]
    return next((found for each in modules if (found := each / "axe-core" / "axe.min.js").exists()), None)


@dataclass
class Tab:
    """One tab. complaints: errors of scripts, and what the page's policy forbade; requested: addresses."""

    socket: aiohttp.ClientWebSocketResponse
    complaints: list[str] = field(default_factory=list)
    requested: list[str] = field(default_factory=list)
    dialogs: int = 0
    _numbers: count[int] = field(default_factory=lambda: count(1))
    _waiting: dict[int, asyncio.Future[Any]] = field(default_factory=dict)
    _loaded: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self) -> None:
        async for message in self.socket:
            told = json.loads(message.data)
            if "id" in told:
                self._waiting.pop(told["id"]).set_result(told)
            else:
                self._happened(told["method"], told["params"])

    def _happened(self, what: str, about: dict[str, Any]) -> None:
        match what:
            case "Page.loadEventFired":
                self._loaded.set()
            case "Page.javascriptDialogOpening":
                self.dialogs += 1
            case "Network.requestWillBeSent":
                self.requested.append(about["request"]["url"])
            case "Runtime.exceptionThrown":
                self.complaints.append(str(about["exceptionDetails"]))
            case "Log.entryAdded" if about["entry"]["level"] == "error":
                self.complaints.append(about["entry"]["text"])

    async def do(self, method: str, **parameters: Any) -> Any:
        number = next(self._numbers)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        await self.socket.send_json({"id": number, "method": method, "params": parameters})
        told = await asyncio.wait_for(answer, _PATIENCE)
        assert "error" not in told, told
        return told["result"]

    async def go(self, address: str) -> None:
        await self.loading(self.do("Page.navigate", url=address))

    async def loading(self, work: Any) -> None:
        """Do something, and wait until the page that comes of it is there."""
        self._loaded.clear()
        await work
        await asyncio.wait_for(self._loaded.wait(), _PATIENCE)

    async def evaluate(self, script: str) -> Any:
        told = await self.do("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    async def until(self, script: str) -> None:
        async with asyncio.timeout(_PATIENCE):
            while not await self.evaluate(script):
                await asyncio.sleep(0.02)

    async def size(self, width: int, height: int, dark: bool, scale: float = 1) -> None:
        phone = width < 600
        await self.do(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=phone
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.do("Emulation.setEmulatedMedia", features=[scheme])

    async def press(self, key: str, control: bool = False) -> None:
        rest = {"key": key, "code": key, "windowsVirtualKeyCode": _CODES[key], "modifiers": 2 if control else 0}
        text = {"text": "\r"} if key == "Enter" else {}
        await self.do("Input.dispatchKeyEvent", type="keyDown", **rest, **text)
        await self.do("Input.dispatchKeyEvent", type="keyUp", **rest)

    async def write(self, text: str) -> None:
        await self.do("Input.insertText", text=text)

    async def picture(self, path: Path, height: int) -> None:
        """The page down to that height."""
        size = (await self.do("Page.getLayoutMetrics"))["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(height, size["height"]), "scale": 1}
        told = await self.do("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(told["data"]))


@asynccontextmanager
async def browser() -> AsyncIterator[Tab]:
    """A tab of a new Chromium, which has no cookies and is gone afterwards."""
    assert CHROMIUM is not None
    with TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
        words = [CHROMIUM, *_FLAGS, *_QUIET, f"--user-data-dir={profile}", "--remote-debugging-port=0", "about:blank"]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            async with (
                aiohttp.ClientSession() as client,
                client.ws_connect(await _tab_of(Path(profile), client), max_msg_size=0) as socket,
            ):
                tab = Tab(socket)
                listening = asyncio.get_running_loop().create_task(tab.listen())
                for domain in ("Page", "Runtime", "Network", "Log"):
                    await tab.do(f"{domain}.enable")
                yield tab
                listening.cancel()
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()


async def _tab_of(profile: Path, client: aiohttp.ClientSession) -> str:
    told = profile / "DevToolsActivePort"
    async with asyncio.timeout(_PATIENCE):
        while not told.exists() or "\n" not in told.read_text():
            await asyncio.sleep(0.05)
        async with client.get(f"http://127.0.0.1:{told.read_text().splitlines()[0]}/json/list") as answer:
            tabs = await answer.json(content_type=None)
    return str(next(each["webSocketDebuggerUrl"] for each in tabs if each["type"] == "page"))
