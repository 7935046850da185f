"""The window on a real display, if only a virtual one: it opens, it is seen, and it closes when it is told to."""

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

PATIENCE = 60  # seconds
OPEN_MENU = "from tetrion.app.launcher import open_window; open_window()"


class Display:
    """A virtual display whose picture lies in a file."""

    def __init__(self, folder: Path) -> None:
        reading, writing = os.pipe()
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-fbdir", str(folder)]
        self.process = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as told:
            self.name = f":{told.readline().strip()}"
        self.file = folder / "Xvfb_screen0"

    def colours(self) -> set[tuple[int, int, int]]:
        """Every colour that is seen."""
        content = self.file.read_bytes()
        header, colours = struct.unpack(">I", content[:4])[0], struct.unpack(">I", content[76:80])[0]
        pixels = content[header + 12 * colours :]
        return {(pixels[at + 2], pixels[at + 1], pixels[at]) for at in range(0, len(pixels) - 3, 4)}

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)


@pytest.fixture
def display(tmp_path: Path) -> Iterator[Display]:
    if not shutil.which("Xvfb"):
        pytest.skip("Xvfb is not installed")
    made = Display(tmp_path)
    yield made
    made.close()


def environment(**changes: str) -> dict[str, str]:
    without = ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY")
    return {name: value for name, value in os.environ.items() if name not in without} | changes


@contextmanager
def opened(display: Display, **changes: str) -> Iterator[subprocess.Popen[str]]:
    """A window whose menu is seen."""
    command, seen = [sys.executable, "-c", OPEN_MENU], environment(DISPLAY=display.name, **changes)
    program = subprocess.Popen(command, env=seen, stderr=subprocess.PIPE, text=True)
    try:
        wanted, end = {hex_to_rgb(BACKGROUND), hex_to_rgb(ACCENT)}, time.monotonic() + PATIENCE
        while not wanted <= display.colours():
            assert program.poll() is None, program.communicate()[1]
            assert time.monotonic() < end
            time.sleep(0.1)
        yield program
    finally:
        program.kill()
        program.communicate()


def test_the_menu_is_seen_and_ends_when_it_is_told_to(display: Display) -> None:
    with opened(display) as program:
        program.send_signal(signal.SIGTERM)
        assert program.wait(PATIENCE) == 0


def test_it_ends_at_once_while_the_engine_is_being_prepared(display: Display, tmp_path: Path) -> None:
    with opened(display, TETRION_CACHE_DIR=str(tmp_path / "cache")) as program:
        time.sleep(1)  # compiling has begun
        program.send_signal(signal.SIGTERM)
        assert program.wait(10) == 0


def told_without(**changes: str) -> str:
    """What a person is told whose display is as given."""
    command = [sys.executable, "-c", OPEN_MENU]
    done = subprocess.run(
        command, env=environment(**changes), capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode
    return done.stderr


def test_without_a_display_it_is_told_what_works() -> None:
    told = told_without()
    assert "--text" in told
    assert "record" in told


def test_a_display_that_does_not_answer_is_told() -> None:
    assert "There is no display" in told_without(DISPLAY=":999")
