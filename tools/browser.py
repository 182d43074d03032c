"""A browser that our pages are opened in: Chromium by its debugging protocol, over a pipe.

In: the path of a page. Out: what its console said, pictures, answers to expressions. Standard library only.
Source: the Chrome DevTools Protocol; `--remote-debugging-pipe` reads file descriptor 3 and writes 4, messages end in
a zero byte.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless_shell")
ANSWER_S = 60.0  # for one answer: a first start on a busy machine takes long
KEYS = {"Tab": 9, "Enter": 13, "End": 35, "Home": 36, "ArrowUp": 38, "ArrowDown": 40, "ArrowRight": 39}


class BrowserFailed(Exception):
    """The browser did not start, ended, or did not answer in time."""


def find() -> str | None:
    """The path of a Chromium, None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """A browser with one page. console: errors that the page's console has told, uncaught exceptions among them."""

    def __init__(self) -> None:
        """Start it. Raises BrowserFailed."""
        program = find()
        if program is None:
            raise BrowserFailed(f"no browser: install one of {', '.join(NAMES)}")
        self.folder = tempfile.mkdtemp(prefix="cass-browser-")
        self.console: list[str] = []
        self._events: list[dict[str, Any]] = []
        self._buffer, self._last = b"", 0
        from_us, self._write = os.pipe()
        self._read, to_us = os.pipe()
        command = [
            program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
            "--remote-debugging-pipe", f"--user-data-dir={self.folder}",
        ]  # fmt: skip
        shell = f'exec "$@" 3<&{from_us} 4>&{to_us}'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", shell, "bash", *command], pass_fds=(from_us, to_us), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(from_us)
        os.close(to_us)
        self._session = ""
        try:
            target = self._call("Target.createTarget", url="about:blank")["targetId"]
            self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log"):
                self._call(f"{domain}.enable")
        except BrowserFailed:
            self.close()
            raise

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the browser and remove what it kept."""
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        for end in (self._read, self._write):
            os.close(end)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _message(self, until: float) -> dict[str, Any]:
        """The next message. Raises BrowserFailed when none comes."""
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, until - time.monotonic()))
            part = os.read(self._read, 1 << 16) if ready else b""
            if not part:
                raise BrowserFailed("the browser ended" if ready else "the browser does not answer")
            self._buffer += part
        text, self._buffer = self._buffer.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        return message

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask, and wait for the answer; events on the way are noted. Raises BrowserFailed."""
        self._last += 1
        asked: dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._write, json.dumps(asked).encode() + b"\0")
        until = time.monotonic() + ANSWER_S
        while True:
            message = self._message(until)
            if message.get("id") == self._last:
                if "error" in message:
                    raise BrowserFailed(f"{method}: {message['error'].get('message')}")
                result: dict[str, Any] = message["result"]
                return result
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        method, told = message.get("method", ""), message.get("params", {})
        self._events.append({"method": method})
        if method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.console.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "assert"):
            self.console.append(" ".join(str(one.get("value", one.get("description"))) for one in told["args"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] == "error":
            self.console.append(f"{told['entry']['text']} {told['entry'].get('url', '')}".strip())

    def open(self, page: Path, width: int, height: int = 900, *, dark: bool = False) -> None:
        """Show a page in a window of that size; phones' widths as phones do. Raises BrowserFailed."""
        phone = width < 600
        self._call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        self._events.clear()
        self._call("Page.navigate", url=page.resolve().as_uri())
        until = time.monotonic() + ANSWER_S
        while {"method": "Page.loadEventFired"} not in self._events:
            self._note(self._message(until))

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page. Raises BrowserFailed when it throws."""
        told = self._call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in told:
            raise BrowserFailed(f"{expression}: {told['exceptionDetails']['text']}")
        return told["result"].get("value")

    def press(self, key: str) -> None:
        """A key of KEYS, down and up."""
        text = {"text": "\r"} if key == "Enter" else {}
        known = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key]}
        self._call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **known, **text)
        self._call("Input.dispatchKeyEvent", type="keyUp", **known)

    def write(self, text: str) -> None:
        """Type text into what has the focus."""
        self._call("Input.insertText", text=text)

    def picture(self, path: Path) -> None:
        """A PNG of the window."""
        path.write_bytes(base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"]))
