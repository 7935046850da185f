"""The stand-alone program: it is built and then run without a Python environment."""

import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, sleep
from typing import NamedTuple

import pytest

from tests.app.test_display import Display, display as display  # a fixture
from tests.cli.command_runner import PROGRAM as INSTALLED_PROGRAM
from tetrion.training.versions import compute_code_hash

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the archive and the display are those of Unix"),
]
REPOSITORY = Path(__file__).parents[2]
COMPILING = "Compiling this part of the engine"


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


def test_engine_is_compiled_once_wherever_the_program_is(bundle: Bundle, tmp_path: Path) -> None:
    bench = ("bench", "gavrilov", "--games", "2", "--pieces", "200", "--json")
    assert COMPILING in bundle.run(*bench, "first.json", folder=tmp_path).stderr
    (tmp_path / "other").mkdir()
    with tarfile.open(bundle.archive) as archive:
        archive.extractall(tmp_path / "other", filter="tar")
    start = perf_counter()
    unpacked = bundle._replace(program=tmp_path / "other" / "tetrion" / "tetrion")
    assert COMPILING not in unpacked.run(*bench, "second.json", folder=tmp_path).stderr
    assert perf_counter() - start < 10.0
    subprocess.run([*INSTALLED_PROGRAM, *bench, "installed.json"], cwd=tmp_path, check=True, capture_output=True)
    results = [json.loads((tmp_path / f"{name}.json").read_text()) for name in ("first", "second", "installed")]
    first, second, expected = ([entry["lines"] for entry in result] for result in results)
    assert first == second == expected


def test_user_agents_can_play(bundle: Bundle, tmp_path: Path) -> None:
    agent = f"{REPOSITORY / 'examples' / 'python_agent.py'}:Careful"
    bundle.run("bench", agent, "--games", "1", "--pieces", "50")
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


def test_training_and_reports_work(bundle: Bundle, tmp_path: Path) -> None:
    changes = ("population=6", "generations=2", "validation.final_games=5", "tournament=3")
    arguments = [argument for change in changes for argument in ("--set", change)]
    bundle.run("train", "gavrilov", "--out", "run", "--seed", "3", *arguments, folder=tmp_path)
    bundle.run("report", "run", folder=tmp_path)
    bundle.run("plot", "run", folder=tmp_path)
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert all(element in page for element in ("<style>", "<svg"))
    assert list((tmp_path / "run" / "plots").glob("*.png"))
    assert compute_code_hash() in (tmp_path / "run" / "meta.json").read_text(), "the program contains other code"
    bundle.run("train", "cma-dt", "--out", "other", "--set", "population=6", "--set", "generations=1", folder=tmp_path)


def test_lists_equal_those_of_the_installed_program(bundle: Bundle) -> None:
    for kind in ("agents", "features", "recipes", "rules"):
        expected = subprocess.run([*INSTALLED_PROGRAM, "list", kind], capture_output=True, text=True)
        listed = bundle.run("list", kind).stdout.replace(str(bundle.program), "tetrion")  # in commands to be copied
        assert listed.split() == expected.stdout.split()
    assert not list(bundle.program.parent.rglob("direct_url.json")), "the program contains the path of its sources"


def has_pieces(display: Display) -> bool:
    """Return whether several pieces are on the board of the menu."""
    pixels = display.read_pixels()[:, 860:1180].astype(int)
    return int((pixels.max(axis=2) - pixels.min(axis=2) > 60).sum()) > 10_000


def open_and_quit(bundle: Bundle, display: Display, folder: Path) -> str:
    """Start the program, wait until its menu shows some pieces, choose Quit, and return the text in stderr."""
    environment = {"HOME": str(bundle.home), "DISPLAY": display.name}
    press_quit = ["xdotool", "search", "--onlyvisible", "--name", "^Tetrion$", "windowfocus", "key", "8"]
    process = subprocess.Popen([bundle.program], env=environment, cwd=folder, stderr=subprocess.PIPE, text=True)
    end = perf_counter() + 600
    try:
        while process.poll() is None:
            assert perf_counter() < end
            if has_pieces(display):
                subprocess.run(press_quit, env={"DISPLAY": display.name})  # repeated because a busy machine may lose it
            sleep(0.5)
        printed = process.communicate(timeout=1)[1]
        assert process.returncode == 0, printed
        return printed
    finally:
        process.kill()


def test_program_without_arguments_opens_the_window(bundle: Bundle, display: Display, tmp_path: Path) -> None:
    if not shutil.which("xdotool"):
        pytest.skip("xdotool is not installed")
    assert "Traceback" not in open_and_quit(bundle, display, tmp_path)
    assert open_and_quit(bundle, display, bundle.home) == "", "the second start does not compile"
