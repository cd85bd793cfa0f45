"""Headless Chromium, driven through its DevTools protocol over a pair of pipes.

`HANDOFF_BROWSER` names the program where it is not on the path. Where there is none, a test that
needs it is skipped and says why; with `HANDOFF_REQUIRE_BROWSER=1` it fails instead.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
ANSWER_SECONDS = 60
_SPARE_HANDLES = 10  # above those that the pipes are moved to


class Page:
    """A tab, with all that it requested and complained about."""

    def __init__(self, process: subprocess.Popen[bytes], reading: int, writing: int) -> None:
        self._process, self._reading, self._writing = process, reading, writing
        self._number, self._rest, self._session = 0, b"", ""
        self.requested: list[str] = []
        self.complaints: list[str] = []
        self._happened: set[str] = set()

    def open(self) -> None:
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        found = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        wanted = self._number
        message = {"id": wanted, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == wanted:
                assert "error" not in answer, (method, answer)
                result: dict[str, Any] = answer["result"]
                return result

    def goto(self, url: str) -> float:
        """Load a page; return how many seconds that took."""
        self._happened.discard("Page.loadEventFired")
        self.requested.clear()
        self.complaints.clear()
        before = time.monotonic()
        self.send("Page.navigate", url=url)
        while "Page.loadEventFired" not in self._happened:
            self._receive()
        return time.monotonic() - before

    def run(self, code: str) -> Any:
        """The value of an expression; a promise is waited for."""
        done = self.send("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def until(self, code: str, seconds: float = 20) -> Any:
        """Wait for an expression to be true, and return its value."""
        end = time.monotonic() + seconds
        while not (value := self.run(code)):
            assert time.monotonic() < end, f"never true: {code}"
            time.sleep(0.05)
        return value

    def press(self, key: str) -> None:
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text: str) -> None:
        self.send("Input.insertText", text=text)

    def click(self, selector: str) -> None:
        """A real click of the mouse in the middle of an element."""
        where = self.run(
            f"(() => {{ const el = document.querySelector({json.dumps(selector)});"
            "el.scrollIntoView({block: 'center', inline: 'center'});"
            "const r = el.getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send(
                "Input.dispatchMouseEvent",
                type=kind, x=where[0], y=where[1], button="left", clickCount=1,
            )  # fmt: skip

    def size(self, width: int, height: int, *, phone: bool = False) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=2 if phone else 1, mobile=phone,
        )  # fmt: skip

    def prefer(self, scheme: str, media: str = "") -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", features=features, media=media)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    def pdf(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.send("Page.printToPDF")["data"]))

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._reading], [], [], ANSWER_SECONDS)
            assert ready, "the browser does not answer"
            read = os.read(self._reading, 1 << 20)
            assert read, f"the browser has ended with {self._process.wait()}"
            self._rest += read
        message, _, self._rest = self._rest.partition(b"\0")
        value: dict[str, Any] = json.loads(message)
        self._note(value.get("method", ""), value.get("params", {}))
        return value

    def _note(self, event: str, told: dict[str, Any]) -> None:
        self._happened.add(event)
        if event == "Network.requestWillBeSent":
            self.requested.append(told["request"]["url"])
        elif event == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.complaints.append(told["entry"]["text"])
        elif event == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(told["args"]))
        elif event == "Runtime.exceptionThrown":
            self.complaints.append(str(told["exceptionDetails"]))


def program() -> str:
    """The browser of this machine; skips the test where there is none."""
    named = os.environ.get("HANDOFF_BROWSER")
    found = named or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        said = f"there is no browser here: none of {', '.join(NAMES)} is on the path"
        if os.environ.get("HANDOFF_REQUIRE_BROWSER") == "1":
            pytest.fail(said)
        pytest.skip(f"{said} (`apt-get install chromium`, or set HANDOFF_BROWSER)")
    return found


@contextlib.contextmanager
def started(profile: Path) -> Iterator[Page]:
    command = [
        program(),
        "--headless=new",
        "--no-sandbox",  # as root there is none
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--hide-scrollbars",
        "--remote-debugging-pipe",
        f"--user-data-dir={profile}",
    ]
    inner, outer = os.pipe(), os.pipe()
    reads, writes = (
        fcntl.fcntl(handle, fcntl.F_DUPFD, _SPARE_HANDLES) for handle in (inner[0], outer[1])
    )

    def places() -> None:  # the protocol is spoken on handles 3 and 4
        os.dup2(reads, 3)
        os.dup2(writes, 4)

    process = subprocess.Popen(
        command,
        preexec_fn=places,
        pass_fds=(3, 4),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(profile)},
    )
    for handle in (inner[0], outer[1], reads, writes):
        os.close(handle)
    page = Page(process, outer[0], inner[1])
    try:
        page.open()
        yield page
    finally:
        os.close(inner[1])  # it ends by itself when nobody can speak to it any more
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(outer[0])
