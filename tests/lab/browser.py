"""A real browser without a window, driven by its debugging pipe: loads pages, clicks, presses keys, reads back."""

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

BROWSER_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER_PATH = next(filter(None, map(shutil.which, BROWSER_NAMES)), None)
TIMEOUT_SECONDS = 30.0  # seconds for an answer
KEY_CODES = {" ": 32, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "Tab": 9}


class Browser:
    """One page in a browser; `errors` are what its console has complained of."""

    def __init__(self, folder: Path, program: str) -> None:
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        self.errors: list[str] = []
        self._answers: dict[int, Any] = {}
        self._number = 0
        self._rest = b""
        self._loaded = False

        def as_three_and_four() -> None:  # where the browser looks for its pipe
            from fcntl import F_DUPFD, fcntl

            one, two = (fcntl(end, F_DUPFD, 10) for end in (to_browser, from_browser))
            os.dup2(one, 3)
            os.dup2(two, 4)

        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        command = [program, *options, f"--user-data-dir={folder}", "--remote-debugging-pipe", "about:blank"]
        self._process = subprocess.Popen(
            command,
            preexec_fn=as_three_and_four,
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
        """Ask the browser for something and wait for its answer."""
        self._number += 1
        number, message = self._number, {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while number not in self._answers:
            self._read_messages()
        answer = self._answers.pop(number)
        assert "error" not in answer, answer
        return answer["result"]

    def _read_messages(self) -> None:
        ready, _, _ = select.select([self._read], [], [], TIMEOUT_SECONDS)
        assert ready, "the browser does not answer"
        part = os.read(self._read, 1 << 20)
        assert part, "the browser has ended"
        *whole, self._rest = (self._rest + part).split(b"\0")
        for text in whole:
            message = json.loads(text)
            if "id" in message:
                self._answers[message["id"]] = message
            else:
                self._handle_event(message["method"], message["params"])

    def _handle_event(self, event: str, told: dict[str, Any]) -> None:
        if event == "Page.loadEventFired":
            self._loaded = True
        elif event == "Runtime.exceptionThrown":
            self.errors.append(told["exceptionDetails"]["exception"].get("description", "an exception"))
        elif event == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.errors.append(str(told["args"]))
        elif event == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.errors.append(told["entry"]["text"])
        elif event == "Network.requestWillBeSent" and not told["request"]["url"].startswith(("file:", "data:")):
            self.errors.append(f"asks for {told['request']['url']}")

    def open_page(self, page: Path, width: int = 1280, height: int = 800, *, reduced_motion: bool = False) -> None:
        """Load a page in a window of a size, for a person who wants little motion or not."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self("Emulation.setDeviceMetricsOverride", **size)
        motion = {"name": "prefers-reduced-motion", "value": "reduce" if reduced_motion else "no-preference"}
        self("Emulation.setEmulatedMedia", features=[motion])
        self._loaded = False
        self("Page.navigate", url=page.as_uri())
        while not self._loaded:
            self._read_messages()

    def evaluate(self, script: str) -> Any:
        """The value of a script's last expression."""
        told = self("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def wait_until(self, script: str) -> None:
        """Wait for something to become true."""
        end = time.monotonic() + TIMEOUT_SECONDS
        while not self.evaluate(script):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.02)

    def press_key(self, key: str) -> None:
        """Press a key and let it go."""
        text = {"text": key} if len(key) == 1 else {}
        about = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": KEY_CODES[key]}
        self("Input.dispatchKeyEvent", type="keyDown", **about, **text)
        self("Input.dispatchKeyEvent", type="keyUp", **about)

    def click(self, selector: str, share: float = 0.5) -> None:
        """Click on an element, in its middle or so far from its left edge."""
        box = self.evaluate(
            f"(() => {{ const box = document.querySelector({selector!r}).getBoundingClientRect();"
            f" return [box.x + box.width * {share}, box.y + box.height / 2]; }})()"
        )
        where = {"x": box[0], "y": box[1], "button": "left", "clickCount": 1}
        self("Input.dispatchMouseEvent", type="mousePressed", **where)
        self("Input.dispatchMouseEvent", type="mouseReleased", **where)

    def take_screenshot(self) -> bytes:
        """A PNG of what is seen."""
        return base64.b64decode(self("Page.captureScreenshot", format="png")["data"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._write)
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)
