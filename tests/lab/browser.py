"""A headless browser controlled through its debugging pipe: loads pages, clicks, presses keys, reads results."""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

BROWSER_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER_PATH = next(filter(None, map(shutil.which, BROWSER_NAMES)), None)
TIMEOUT_SECONDS = 30.0  # per reply
needs_browser = pytest.mark.skipif(
    BROWSER_PATH is None or os.name == "nt", reason="Chromium is not installed: `apt-get install chromium`"
)
KEY_CODES = {" ": 32, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "Tab": 9}


class Browser:
    """One page in a browser; `errors` collects the errors and warnings of its console."""

    def __init__(self, folder: Path, program: str) -> None:
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        self.errors: list[str] = []
        self._replies: dict[int, Any] = {}
        self._number = 0
        self._buffer = b""
        self._loaded = False

        def move_pipe_ends() -> None:  # the browser expects file descriptors 3 and 4
            from fcntl import F_DUPFD, fcntl

            read_end, write_end = (fcntl(end, F_DUPFD, 10) for end in (to_browser, from_browser))
            os.dup2(read_end, 3)
            os.dup2(write_end, 4)

        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        command = [program, *options, f"--user-data-dir={folder}", "--remote-debugging-pipe", "about:blank"]
        self._process = subprocess.Popen(
            command,
            preexec_fn=move_pipe_ends,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._session = ""
        target = next(t for t in self("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self._session = self("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self(f"{domain}.enable")

    def __call__(self, method: str, **parameters: Any) -> Any:
        """Call a method of the debugging protocol and return its result."""
        self._number += 1
        number, message = self._number, {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while number not in self._replies:
            self._read_messages()
        reply = self._replies.pop(number)
        assert "error" not in reply, reply
        return reply["result"]

    def _read_messages(self) -> None:
        ready, _, _ = select.select([self._read], [], [], TIMEOUT_SECONDS)
        assert ready, "the browser does not reply"
        part = os.read(self._read, 1 << 20)
        assert part, "the browser has exited"
        *texts, self._buffer = (self._buffer + part).split(b"\0")
        for text in texts:
            message = json.loads(text)
            if "id" in message:
                self._replies[message["id"]] = message
            else:
                self._handle_event(message["method"], message["params"])

    def _handle_event(self, event: str, data: dict[str, Any]) -> None:
        if event == "Page.loadEventFired":
            self._loaded = True
        elif event == "Runtime.exceptionThrown":
            self.errors.append(data["exceptionDetails"]["exception"].get("description", "an exception"))
        elif event == "Runtime.consoleAPICalled" and data["type"] in ("error", "warning", "assert"):
            self.errors.append(str(data["args"]))
        elif event == "Log.entryAdded" and data["entry"]["level"] in ("error", "warning"):
            self.errors.append(data["entry"]["text"])
        elif event == "Network.requestWillBeSent" and not data["request"]["url"].startswith(("file:", "data:")):
            self.errors.append(f"requests {data['request']['url']}")

    def open_page(self, page: Path, width: int = 1280, height: int = 800, *, reduced_motion: bool = False) -> None:
        """Load a page in a window of the given size in pixels."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self("Emulation.setDeviceMetricsOverride", **size)
        motion = {"name": "prefers-reduced-motion", "value": "reduce" if reduced_motion else "no-preference"}
        self("Emulation.setEmulatedMedia", features=[motion])
        self._loaded = False
        self("Page.navigate", url=page.as_uri())
        while not self._loaded:
            self._read_messages()

    def evaluate(self, script: str) -> Any:
        """Return the value of a script's last expression."""
        reply = self("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in reply, reply
        return reply["result"].get("value")

    def wait_until(self, script: str) -> None:
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + TIMEOUT_SECONDS
        while not self.evaluate(script):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.02)

    def press_key(self, key: str) -> None:
        """Press and release a key."""
        text = {"text": key} if len(key) == 1 else {}
        key_data = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": KEY_CODES[key]}
        self("Input.dispatchKeyEvent", type="keyDown", **key_data, **text)
        self("Input.dispatchKeyEvent", type="keyUp", **key_data)

    def click(self, selector: str, share: float = 0.5) -> None:
        """Click an element at a share of its width, by default in the middle."""
        box = self.evaluate(
            f"(() => {{ const box = document.querySelector({selector!r}).getBoundingClientRect();"
            f" return [box.x + box.width * {share}, box.y + box.height / 2]; }})()"
        )
        position = {"x": box[0], "y": box[1], "button": "left", "clickCount": 1}
        self("Input.dispatchMouseEvent", type="mousePressed", **position)
        self("Input.dispatchMouseEvent", type="mouseReleased", **position)

    def take_screenshot(self) -> bytes:
        """Return a PNG of the window."""
        return base64.b64decode(self("Page.captureScreenshot", format="png")["data"])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._write)
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)
