"""The window on a virtual display: it opens, draws and closes; without a display there is an error message."""

import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tetrion.drawing.palette import ACCENT, BACKGROUND, hex_to_rgb

TIMEOUT_SECONDS = 60
OPEN_MENU = "from tetrion.app.launcher import open_window; open_window()"
PRINT_PLACEMENT = """
from tetrion.app import launcher
from tetrion.app.window import Window
advance = Window.advance
def advance_and_print(self, events, seconds):
    advance(self, events, seconds)
    if self.frame_count == 20:
        print(*self.native_window.position, *self.native_window.size)
        self.close()
Window.advance = advance_and_print
launcher.open_window()
"""


class Display:
    """A virtual display that writes its frame buffer to a file."""

    def __init__(self, folder: Path, size: str = "1280x800") -> None:
        reading, writing = os.pipe()
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{size}x24", "-fbdir", str(folder)]
        self.process = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as file:
            self.name = f":{file.readline().strip()}"
        self.file = folder / "Xvfb_screen0"

    def read_colours(self) -> set[tuple[int, int, int]]:
        """Return all colours on the display."""
        content = self.file.read_bytes()
        header_size = struct.unpack(">I", content[:4])[0]
        colour_count = struct.unpack(">I", content[76:80])[0]
        pixels = content[header_size + 12 * colour_count :]
        return {(pixels[i + 2], pixels[i + 1], pixels[i]) for i in range(0, len(pixels) - 3, 4)}

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(TIMEOUT_SECONDS)


@pytest.fixture
def display(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Display]:
    """A virtual display, by default of 1280×800 pixels."""
    if not shutil.which("Xvfb"):
        pytest.skip("Xvfb is not installed")
    virtual_display = Display(tmp_path, getattr(request, "param", "1280x800"))
    yield virtual_display
    virtual_display.close()


def make_environment(**changes: str) -> dict[str, str]:
    removed = ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY")
    return {name: value for name, value in os.environ.items() if name not in removed} | changes


@contextmanager
def open_menu(display: Display, **changes: str) -> Iterator[subprocess.Popen[str]]:
    """Start the program and wait until its menu is drawn."""
    command = [sys.executable, "-c", OPEN_MENU]
    environment = make_environment(DISPLAY=display.name, **changes)
    program = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        expected = {hex_to_rgb(BACKGROUND), hex_to_rgb(ACCENT)}
        end = time.monotonic() + TIMEOUT_SECONDS
        while not expected <= display.read_colours():
            assert program.poll() is None, program.communicate()[1]
            assert time.monotonic() < end
            time.sleep(0.1)
        yield program
    finally:
        program.kill()
        program.communicate()


def test_menu_is_drawn_and_ends_on_a_signal(display: Display) -> None:
    with open_menu(display) as program:
        program.send_signal(signal.SIGTERM)
        assert program.wait(TIMEOUT_SECONDS) == 0


def test_program_ends_at_once_while_the_engine_is_compiled(display: Display, tmp_path: Path) -> None:
    with open_menu(display, TETRION_CACHE_DIR=str(tmp_path / "cache")) as program:
        time.sleep(1)  # compilation has started
        program.send_signal(signal.SIGTERM)
        assert program.wait(10) == 0


def get_display_error(**changes: str) -> str:
    """Return the error message of a program without a usable display."""
    command = [sys.executable, "-c", OPEN_MENU]
    environment = make_environment(**changes)
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS
    )
    assert done.returncode
    return done.stderr


def test_error_without_a_display_names_alternatives() -> None:
    error = get_display_error()
    assert "--text" in error
    assert "record" in error


def test_display_that_does_not_respond_is_an_error() -> None:
    assert "There is no display" in get_display_error(DISPLAY=":999")


def read_placement(display: Display) -> list[int]:
    """Start the program and return the position and the size of its window."""
    command = [sys.executable, "-c", PRINT_PLACEMENT]
    environment = make_environment(DISPLAY=display.name)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=True)
    return [int(number) for number in done.stdout.splitlines()[-1].split()]


@pytest.mark.parametrize(
    ("display", "expected_size"),
    [("1280x720", [1272, 680]), ("1366x768", [1280, 728]), ("1920x1080", [1280, 800])],
    indirect=["display"],
)
def test_window_fits_the_display_at_every_start(display: Display, expected_size: list[int]) -> None:
    for _ in range(2):
        left, top, *size = read_placement(display)
        assert size == expected_size
        assert left >= 0
        assert top >= 24, "there is no space for the title bar"
