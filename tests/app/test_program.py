"""The program on a virtual display, without a display, and as a stand-alone program without a Python environment."""

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.cli.command_runner import PROGRAM as INSTALLED_PROGRAM
from tetrion.drawing.palette import ACCENT, BACKGROUND, hex_to_rgb
from tetrion.training.run_writer import compute_code_hash

TIMEOUT_SECONDS = 60
OPEN_MENU = "from tetrion.app.launcher import open_window; open_window()"


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


# The stand-alone program.

REPOSITORY = Path(__file__).parents[2]
COMPILING = "Compiling the engine"


class Bundle(NamedTuple):
    """The program, its archive, and a home folder to run it in."""

    program: Path
    archive: Path
    home: Path

    def run(self, *arguments: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
        """Run a command in a folder, with only HOME in the environment."""
        command = [str(self.program), *arguments]
        environment = {"HOME": str(self.home)}
        done = subprocess.run(command, env=environment, cwd=folder or self.home, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """The stand-alone program, which is built once."""
    if sys.platform == "win32":
        pytest.skip("the archive and the display are those of Unix")
    pytest.importorskip("PyInstaller", reason="PyInstaller is not installed; `make slow` installs it")
    folder = tmp_path_factory.mktemp("bundle")
    build = [sys.executable, str(REPOSITORY / "packaging" / "build.py"), str(folder / "dist")]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (archive,) = (folder / "dist").glob("tetrion-*.tar.gz")
    (folder / "home").mkdir()
    yield Bundle(folder / "dist" / "tetrion" / "tetrion", archive, folder / "home")
    shutil.rmtree(folder)


@pytest.mark.slow
def test_engine_is_compiled_once_wherever_the_program_is(bundle: Bundle, tmp_path: Path) -> None:
    bench = ("bench", "gavrilov", "--games", "2", "--pieces", "200", "--json")
    assert COMPILING in bundle.run(*bench, "first.json", folder=tmp_path).stderr
    (tmp_path / "other").mkdir()
    with tarfile.open(bundle.archive) as archive:
        archive.extractall(tmp_path / "other", filter="tar")
    start = time.monotonic()
    unpacked = bundle._replace(program=tmp_path / "other" / "tetrion" / "tetrion")
    assert COMPILING not in unpacked.run(*bench, "second.json", folder=tmp_path).stderr
    assert time.monotonic() - start < 10.0
    subprocess.run([*INSTALLED_PROGRAM, *bench, "installed.json"], cwd=tmp_path, check=True, capture_output=True)
    results = [json.loads((tmp_path / f"{name}.json").read_text()) for name in ("first", "second", "installed")]
    first, second, expected = ([entry["lines"] for entry in result] for result in results)
    assert first == second == expected


@pytest.mark.slow
def test_user_agents_can_play(bundle: Bundle, tmp_path: Path) -> None:
    code = """
import logging.handlers, sqlite3, statistics, xml.etree.ElementTree
class ManyImports:
    def choose(self, position):
        return position.placements()[hash('tetrion') % 2]
"""
    (tmp_path / "imports.py").write_text(code, encoding="utf-8")
    bundle.run("bench", "imports.py:ManyImports", "--games", "1", "--pieces", "5", folder=tmp_path)
    agent = str(REPOSITORY / "examples" / "custom_feature.json")
    bundle.run("bench", agent, "--allow-code", "--games", "1", "--pieces", "50")


@pytest.mark.slow
def test_training_and_reports_work(bundle: Bundle, tmp_path: Path) -> None:
    changes = ("population=6", "generations=2", "validation.final_games=5", "tournament_size=3")
    arguments = [argument for change in changes for argument in ("--set", change)]
    bundle.run("train", "gavrilov", "--out", "run", "--seed", "3", *arguments, folder=tmp_path)
    bundle.run("report", "run", folder=tmp_path)
    bundle.run("plot", "run", folder=tmp_path)
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert all(element in page for element in ("<style>", "<svg"))
    assert list((tmp_path / "run" / "plots").glob("*.png"))
    assert compute_code_hash() in (tmp_path / "run" / "meta.json").read_text(), "the program contains other code"
    bundle.run("train", "cma-dt", "--out", "other", "--set", "population=6", "--set", "generations=1", folder=tmp_path)


def has_pieces(display: Display) -> bool:
    """Return whether several pieces are on the board of the menu."""
    pixels = display.read_pixels()[:, 860:1180].astype(int)
    return int((pixels.max(axis=2) - pixels.min(axis=2) > 60).sum()) > 10_000


def open_and_quit(bundle: Bundle, display: Display, folder: Path) -> str:
    """Start the program, wait until its menu shows some pieces, choose Quit, and return the text in stderr."""
    environment = {"HOME": str(bundle.home), "DISPLAY": display.name}
    press_quit = ["xdotool", "search", "--onlyvisible", "--name", "^Tetrion$", "windowfocus", "key", "8"]
    process = subprocess.Popen([bundle.program], env=environment, cwd=folder, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 600
    try:
        while process.poll() is None:
            assert time.monotonic() < end
            if has_pieces(display):
                subprocess.run(press_quit, env={"DISPLAY": display.name})  # repeated because a busy machine may lose it
            time.sleep(0.5)
        printed = process.communicate(timeout=1)[1]
        assert process.returncode == 0, printed
        return printed
    finally:
        process.kill()


@pytest.mark.slow
def test_program_without_arguments_opens_the_window(bundle: Bundle, display: Display, tmp_path: Path) -> None:
    if not shutil.which("xdotool"):
        pytest.skip("xdotool is not installed")
    assert "Traceback" not in open_and_quit(bundle, display, tmp_path)
    assert open_and_quit(bundle, display, bundle.home) == "", "the second start does not compile"
