"""The stand-alone program: it is built and then run without a Python environment."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from time import perf_counter, sleep
from typing import NamedTuple

import numpy as np
import pytest

from tests.cli.command_runner import PROGRAM as INSTALLED_PROGRAM
from tetrion.training.versions import compute_code_hash

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the archive and the display are those of Unix"),
]
REPOSITORY = Path(__file__).parents[2]
COMPILING = "Compiling this part of the engine"
MIN_COLOURED_PIXELS = 10_000  # several pieces on the board of the menu
QUICK_TRAINING = (
    "--set",
    "population=6",
    "--set",
    "generations=2",
    "--set",
    "validation.final_games=5",
    "--set",
    "tournament=3",
)


class Bundle(NamedTuple):
    """The program, its archive, and a home folder to run it in."""

    program: Path
    archive: Path
    home: Path

    def run(self, *arguments: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
        """Run a command in a folder, with only HOME in the environment."""
        return run_program(self.program, self.home, *arguments, folder=folder)


def run_program(
    program: Path, home: Path, *arguments: str, folder: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        [str(program), *arguments], env={"HOME": str(home)}, cwd=folder or home, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """Build the program once for all tests of this module."""
    pytest.importorskip("PyInstaller", reason="PyInstaller is not installed; `make slow` installs it")
    folder = tmp_path_factory.mktemp("bundle")
    build = [sys.executable, str(REPOSITORY / "packaging" / "build.py"), str(folder / "dist")]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (archive,) = (folder / "dist").glob("tetrion-*.tar.gz")
    (folder / "home").mkdir()
    yield Bundle(folder / "dist" / "tetrion" / "tetrion", archive, folder / "home")
    shutil.rmtree(folder)


def measure_shortest_time(*arguments: str, bundle: Bundle, folder: Path) -> float:
    """Return the shortest of three run times of a command in seconds."""
    times = []
    for _ in range(3):
        start = perf_counter()
        done = bundle.run(*arguments, folder=folder)
        times.append(perf_counter() - start)
        assert COMPILING not in done.stderr
    return min(times)


def test_engine_is_compiled_once_wherever_the_program_is(bundle: Bundle, tmp_path: Path) -> None:
    bench = ("bench", "gavrilov", "--games", "2", "--pieces", "200")
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    first = bundle.run(*bench, "--json", "first.json", folder=tmp_path / "one")
    assert COMPILING in first.stderr
    assert measure_shortest_time(*bench, bundle=bundle, folder=tmp_path / "other") < 3.0
    with tarfile.open(bundle.archive) as archive:
        archive.extractall(tmp_path / "other", filter="tar")
    unpacked = tmp_path / "other" / "tetrion" / "tetrion"
    second = run_program(unpacked, bundle.home, *bench, "--json", "second.json", folder=tmp_path / "one")
    assert COMPILING not in second.stderr
    results = [
        json.loads((tmp_path / "one" / name).read_text(encoding="utf-8")) for name in ("first.json", "second.json")
    ]
    expected = collect_lines(run_installed(*bench, folder=tmp_path))
    assert collect_lines(results[0]) == collect_lines(results[1]) == expected


def run_installed(*arguments: str, folder: Path) -> object:
    """Return the JSON result of a command of the installed Tetrion."""
    subprocess.run(
        [*INSTALLED_PROGRAM, *arguments, "--json", "installed.json"], cwd=folder, check=True, capture_output=True
    )
    result: object = json.loads((folder / "installed.json").read_text(encoding="utf-8"))
    return result


def collect_lines(result: object) -> list[object]:
    """Return all numbers of lines in a JSON result."""
    if isinstance(result, dict):
        direct = [result["lines"]] if "lines" in result else []
        return direct + [line for value in result.values() for line in collect_lines(value)]
    return [line for value in result for line in collect_lines(value)] if isinstance(result, list) else []


def test_user_agents_can_play(bundle: Bundle, tmp_path: Path) -> None:
    agent = f"{REPOSITORY / 'examples' / 'python_agent.py'}:Careful"
    bench = ("bench", agent, "--games", "1", "--pieces", "50")
    bundle.run(*bench, "--json", "played.json", folder=tmp_path)
    played = json.loads((tmp_path / "played.json").read_text(encoding="utf-8"))
    assert collect_lines(played) == collect_lines(run_installed(*bench, folder=tmp_path))
    (tmp_path / "imports.py").write_text(
        "import logging.handlers, sqlite3, statistics, xml.etree.ElementTree\n"
        "class ManyImports:\n"
        "    def choose(self, position):\n"
        "        return position.placements()[hash('tetrion') % 2]\n",
        encoding="utf-8",
    )
    bundle.run("bench", "imports.py:ManyImports", "--games", "1", "--pieces", "5", folder=tmp_path)
    bundle.run(
        "bench", str(REPOSITORY / "examples" / "custom_feature.json"), "--allow-code", "--games", "1", "--pieces", "50"
    )


def test_training_and_reports_work(bundle: Bundle, tmp_path: Path) -> None:
    bundle.run("train", "gavrilov", "--out", "run", "--seed", "3", *QUICK_TRAINING, folder=tmp_path)
    bundle.run("report", "run", folder=tmp_path)
    bundle.run("plot", "run", folder=tmp_path)
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "<style>" in page
    assert "<svg" in page
    assert list((tmp_path / "run" / "plots").glob("*.png"))
    meta = json.loads((tmp_path / "run" / "meta.json").read_text(encoding="utf-8"))
    assert compute_code_hash() in json.dumps(meta), "the program contains other code"
    bundle.run("train", "cma-dt", "--out", "other", "--set", "population=6", "--set", "generations=1", folder=tmp_path)


def test_lists_equal_those_of_the_installed_program(bundle: Bundle) -> None:
    for kind in ("agents", "features", "recipes", "rules"):
        expected = subprocess.run([*INSTALLED_PROGRAM, "list", kind], capture_output=True, text=True)
        listed = bundle.run("list", kind).stdout.replace(str(bundle.program), "tetrion")  # in commands to be copied
        assert listed.split() == expected.stdout.split()
    assert not list(bundle.program.parent.rglob("direct_url.json")), "the program contains the path of its sources"


@contextmanager
def start_virtual_display() -> Iterator[str]:
    """Start a virtual display and yield its name."""
    for program in ("Xvfb", "xdotool"):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed, so there is no virtual display")
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-noreset"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    try:
        os.close(writing)
        with os.fdopen(reading) as file:
            yield f":{file.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


def run_xdotool(display: str, *arguments: str) -> str:
    done = subprocess.run(["xdotool", *arguments], env={"DISPLAY": display}, capture_output=True, text=True)
    return done.stdout.strip()


def count_coloured_pixels(display: str) -> int:
    """Return the number of coloured pixels in the part of the screen where the board of the menu is."""
    ffmpeg: str = import_module("imageio_ffmpeg").get_ffmpeg_exe()
    grab = ["-f", "x11grab", "-video_size", "1280x800", "-i", display, "-frames:v", "1"]
    output = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    done = subprocess.run([ffmpeg, "-loglevel", "error", *grab, *output], capture_output=True, check=True)
    pixels = np.frombuffer(done.stdout, np.uint8).reshape(800, 1280, 3)[:, 860:1180].astype(int)
    return int((pixels.max(axis=2) - pixels.min(axis=2) > 60).sum())


def open_and_quit(bundle: Bundle, display: str, folder: Path) -> tuple[float, str]:
    """Start the program without arguments, wait until its menu shows some pieces, and choose Quit.

    Return the seconds until the window appeared, and the text printed to stderr.
    """
    environment = {"HOME": str(bundle.home), "DISPLAY": display}
    window = ("search", "--onlyvisible", "--name", "^Tetrion$")
    start = perf_counter()
    process = subprocess.Popen([bundle.program], env=environment, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        wait_for(process, lambda: run_xdotool(display, *window) != "")
        seconds = perf_counter() - start
        wait_for(process, lambda: count_coloured_pixels(display) > MIN_COLOURED_PIXELS)
        end = perf_counter() + 60
        while process.poll() is None and perf_counter() < end:
            run_xdotool(display, *window, "windowfocus", "key", "7")  # repeated because a busy machine may lose it
            sleep(1)
        printed = process.communicate(timeout=1)[1]
        assert process.returncode == 0, printed
        return seconds, printed
    finally:
        process.kill()


def wait_for(process: "subprocess.Popen[str]", condition: Callable[[], bool]) -> None:
    end = perf_counter() + 600
    while not condition():
        assert process.poll() is None, "the program has ended"
        assert perf_counter() < end
        sleep(0.02)


def test_program_without_arguments_opens_the_window(bundle: Bundle, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with start_virtual_display() as display:
        _, printed = open_and_quit(bundle, display, tmp_path)
        assert "Traceback" not in printed
        later_runs = [open_and_quit(bundle, display, tmp_path / "other") for _ in range(3)]
    assert [printed for _, printed in later_runs] == ["", "", ""]
    assert min(seconds for seconds, _ in later_runs) < 3.0
