"""The stand-alone program: built, and then run as on a machine that knows nothing of Python."""

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

from cli.command_runner import PROGRAM as INSTALLED
from tetrion.training.versions import compute_code_hash

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the archive and the display are those of Unix"),
]
REPOSITORY = Path(__file__).parents[2]
PREPARING = "Compiling the engine for this machine"
SEVERAL_PIECES = 10_000  # pixels of colour on the menu's board
QUICK = (
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
    """The program, its archive, and the home of a person who runs it."""

    program: Path
    archive: Path
    home: Path

    def run(self, *arguments: str, here: Path | None = None) -> "subprocess.CompletedProcess[str]":
        """Run a command in a folder, with nothing in the environment but a home."""
        return run(self.program, self.home, *arguments, here=here)


def run(program: Path, home: Path, *arguments: str, here: Path | None = None) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        [str(program), *arguments], env={"HOME": str(home)}, cwd=here or home, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """The program, built once for all tests of this file."""
    pytest.importorskip("PyInstaller", reason="PyInstaller is not installed; `make slow` installs it")
    folder = tmp_path_factory.mktemp("bundle")
    build = [sys.executable, str(REPOSITORY / "packaging" / "build.py"), str(folder / "dist")]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (archive,) = (folder / "dist").glob("tetrion-*.tar.gz")
    (folder / "home").mkdir()
    yield Bundle(folder / "dist" / "tetrion" / "tetrion", archive, folder / "home")
    shutil.rmtree(folder)


def quickest(*arguments: str, bundle: Bundle, here: Path) -> float:
    """The least of three times that a command takes, in seconds."""
    times = []
    for _ in range(3):
        begun = perf_counter()
        done = bundle.run(*arguments, here=here)
        times.append(perf_counter() - begun)
        assert PREPARING not in done.stderr
    return min(times)


def test_the_engine_is_compiled_once_wherever_the_program_lies_and_is_called(bundle: Bundle, tmp_path: Path) -> None:
    bench = ("bench", "gavrilov", "--games", "2", "--pieces", "200")
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    first = bundle.run(*bench, "--json", "first.json", here=tmp_path / "one")
    assert PREPARING in first.stderr
    assert quickest(*bench, bundle=bundle, here=tmp_path / "other") < 3.0
    with tarfile.open(bundle.archive) as archive:
        archive.extractall(tmp_path / "other", filter="tar")
    unpacked = tmp_path / "other" / "tetrion" / "tetrion"
    again = run(unpacked, bundle.home, *bench, "--json", "again.json", here=tmp_path / "one")
    assert PREPARING not in again.stderr
    played = [
        json.loads((tmp_path / "one" / name).read_text(encoding="utf-8")) for name in ("first.json", "again.json")
    ]
    assert lines_of(played[0]) == lines_of(played[1]) == lines_of(installed(*bench, here=tmp_path))


def installed(*arguments: str, here: Path) -> object:
    """What the installed Tetrion writes for the same bench."""
    subprocess.run([*INSTALLED, *arguments, "--json", "installed.json"], cwd=here, check=True, capture_output=True)
    written: object = json.loads((here / "installed.json").read_text(encoding="utf-8"))
    return written


def lines_of(written: object) -> list[object]:
    """Every number of lines in the JSON of a bench."""
    if isinstance(written, dict):
        own = [written["lines"]] if "lines" in written else []
        return own + [line for value in written.values() for line in lines_of(value)]
    return [line for value in written for line in lines_of(value)] if isinstance(written, list) else []


def test_a_persons_own_agents_play_in_it(bundle: Bundle, tmp_path: Path) -> None:
    agent = f"{REPOSITORY / 'examples' / 'own_agent.py'}:Careful"
    bench = ("bench", agent, "--games", "1", "--pieces", "50")
    bundle.run(*bench, "--json", "played.json", here=tmp_path)
    played = json.loads((tmp_path / "played.json").read_text(encoding="utf-8"))
    assert lines_of(played) == lines_of(installed(*bench, here=tmp_path))
    (tmp_path / "wide.py").write_text(
        "import logging.handlers, sqlite3, statistics, xml.etree.ElementTree\n"
        "class Wide:\n"
        "    def choose(self, position):\n"
        "        return position.placements()[hash('tetrion') % 2]\n",
        encoding="utf-8",
    )
    bundle.run("bench", "wide.py:Wide", "--games", "1", "--pieces", "5", here=tmp_path)
    bundle.run("bench", str(REPOSITORY / "examples" / "own_feature.json"), "--games", "1", "--pieces", "50")


def test_it_trains_and_reports(bundle: Bundle, tmp_path: Path) -> None:
    bundle.run("train", "gavrilov", "--out", "run", "--seed", "3", *QUICK, here=tmp_path)
    bundle.run("report", "run", here=tmp_path)
    bundle.run("plot", "run", here=tmp_path)
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "<style>" in page
    assert "<svg" in page
    assert list((tmp_path / "run" / "plots").glob("*.png"))
    made_with = json.loads((tmp_path / "run" / "meta.json").read_text(encoding="utf-8"))
    assert compute_code_hash() in json.dumps(made_with), "the same code as that which built it"
    bundle.run("train", "cma-dt", "--out", "other", "--set", "population=6", "--set", "generations=1", here=tmp_path)


def test_it_lists_what_there_is(bundle: Bundle) -> None:
    for what in ("agents", "features", "recipes", "rules"):
        here = subprocess.run([*INSTALLED, "list", what], capture_output=True, text=True)
        assert bundle.run("list", what).stdout.split() == here.stdout.split()
    assert not list(bundle.program.parent.rglob("direct_url.json")), "nothing tells where it was built"


@contextmanager
def virtual_display() -> Iterator[str]:
    """The name of a display that nobody sees."""
    for program in ("Xvfb", "xdotool"):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed, so there is no display to try the window on")
    told, tells = os.pipe()
    command = ["Xvfb", "-displayfd", str(tells), "-screen", "0", "1280x800x24", "-noreset"]
    server = subprocess.Popen(command, pass_fds=[tells], stderr=subprocess.DEVNULL)
    try:
        os.close(tells)
        with os.fdopen(told) as number:
            yield f":{number.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


def xdotool(display: str, *arguments: str) -> str:
    done = subprocess.run(["xdotool", *arguments], env={"DISPLAY": display}, capture_output=True, text=True)
    return done.stdout.strip()


def colour_on(display: str) -> int:
    """How many pixels have colour in the right part of the screen, where the menu's board is."""
    ffmpeg: str = import_module("imageio_ffmpeg").get_ffmpeg_exe()
    wanted = ["-f", "x11grab", "-video_size", "1280x800", "-i", display, "-frames:v", "1"]
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    grabbed = subprocess.run([ffmpeg, "-loglevel", "error", *wanted, *raw], capture_output=True, check=True)
    right = np.frombuffer(grabbed.stdout, np.uint8).reshape(800, 1280, 3)[:, 860:1180].astype(int)
    return int((right.max(axis=2) - right.min(axis=2) > 60).sum())


def opened(bundle: Bundle, display: str, here: Path) -> tuple[float, str]:
    """Start the program without arguments, let its menu play some pieces, and choose Quit.

    Gives back how many seconds the window took to be there, and what was printed.
    """
    environment = {"HOME": str(bundle.home), "DISPLAY": display}
    window = ("search", "--onlyvisible", "--name", "^Tetrion$")
    begun = perf_counter()
    process = subprocess.Popen([bundle.program], env=environment, cwd=here, stderr=subprocess.PIPE, text=True)
    try:
        wait_for(process, lambda: xdotool(display, *window) != "")
        taken = perf_counter() - begun
        wait_for(process, lambda: colour_on(display) > SEVERAL_PIECES)
        end = perf_counter() + 60
        while process.poll() is None and perf_counter() < end:
            xdotool(display, *window, "windowfocus", "key", "7")  # again if a busy machine has lost it
            sleep(1)
        printed = process.communicate(timeout=1)[1]
        assert process.returncode == 0, printed
        return taken, printed
    finally:
        process.kill()


def wait_for(process: "subprocess.Popen[str]", true: Callable[[], bool]) -> None:
    end = perf_counter() + 600
    while not true():
        assert process.poll() is None, "it ended by itself"
        assert perf_counter() < end
        sleep(0.02)


def test_without_arguments_the_window_opens(bundle: Bundle, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with virtual_display() as display:
        _, printed = opened(bundle, display, tmp_path)
        assert "Traceback" not in printed
        later = [opened(bundle, display, tmp_path / "other") for _ in range(3)]
    assert [printed for _, printed in later] == ["", "", ""]
    assert min(taken for taken, _ in later) < 3.0
