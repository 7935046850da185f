"""The window on a virtual display: it opens, draws and closes; without a display there is an error message."""

import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tetrion.drawing.palette import ACCENT, BACKGROUND, hex_to_rgb

TIMEOUT_SECONDS = 60
OPEN_MENU = "from tetrion.app.launcher import open_window; open_window()"
PRINT_PLACEMENT = """
from tetrion.app.window import Window
advance = Window.advance
def advance_and_print(self, events, seconds):
    advance(self, events, seconds)
    if self.frame_count == 20:
        print(*self.native_window.position, *self.native_window.size)
        self.close()
Window.advance = advance_and_print
"""


class Display:
    """A virtual display of 1280×800 pixels that writes its frame buffer to a file."""

    def __init__(self, folder: Path) -> None:
        reading, writing = os.pipe()
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-fbdir", str(folder)]
        self.process = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as file:
            self.name = f":{file.readline().strip()}"
        self.file = folder / "Xvfb_screen0"

    def read_pixels(self) -> NDArray[np.uint8]:
        """Return the colours on the display by row and column."""
        content = self.file.read_bytes()
        header_size = struct.unpack(">I", content[:4])[0]
        colour_count = struct.unpack(">I", content[76:80])[0]
        pixels = np.frombuffer(content, np.uint8, offset=header_size + 12 * colour_count)
        return pixels[: 4 * 1280 * 800].reshape(800, 1280, 4)[:, :, 2::-1]

    def has_colour(self, colour: str) -> bool:
        return bool((self.read_pixels() == hex_to_rgb(colour)).all(axis=2).any())


@pytest.fixture
def display(tmp_path: Path) -> Iterator[Display]:
    if not shutil.which("Xvfb"):
        pytest.skip("Xvfb is not installed")
    virtual_display = Display(tmp_path)
    yield virtual_display
    virtual_display.process.terminate()
    virtual_display.process.wait(TIMEOUT_SECONDS)


def start_program(code: str = OPEN_MENU, **changes: str) -> subprocess.Popen[str]:
    """Start a program without the display of this environment, but with other changes of the environment."""
    removed = ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY")
    environment = {name: value for name, value in os.environ.items() if name not in removed} | changes
    command = [sys.executable, "-c", code]
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.parametrize("is_compiled", [True, False])
def test_menu_is_drawn_and_ends_on_a_signal(display: Display, tmp_path: Path, is_compiled: bool) -> None:
    changes = {} if is_compiled else {"TETRION_CACHE_DIR": str(tmp_path / "cache")}
    program = start_program(DISPLAY=display.name, **changes)
    try:
        end = time.monotonic() + TIMEOUT_SECONDS
        while not (display.has_colour(BACKGROUND) and display.has_colour(ACCENT)):
            assert program.poll() is None, program.communicate()[1]
            assert time.monotonic() < end
            time.sleep(0.1)
        time.sleep(1)  # compilation has started
        program.send_signal(signal.SIGTERM)
        assert program.wait(10) == 0
    finally:
        program.kill()
        program.communicate()


@pytest.mark.parametrize("changes", [{}, {"DISPLAY": ":999"}])
def test_missing_display_is_an_error_that_names_alternatives(changes: dict[str, str]) -> None:
    program = start_program(**changes)
    error = program.communicate(timeout=TIMEOUT_SECONDS)[1]
    assert program.returncode
    assert all(part in error for part in ("There is no display", "--text", "record"))


def test_window_fits_the_display_at_every_start(display: Display) -> None:
    for _ in range(2):
        program = start_program(PRINT_PLACEMENT + OPEN_MENU, DISPLAY=display.name)
        left, top, *size = (int(number) for number in program.communicate(timeout=TIMEOUT_SECONDS)[0].split()[-4:])
        assert size == [1272, 720]
        assert left >= 0
        assert top >= 24, "there is no space for the title bar"
