"""Folders, files and options whose names are not UTF-8 or control the terminal."""

import os
import shutil
import sys
from pathlib import Path
from unittest.mock import patch
from xml.etree import ElementTree

import pytest

from tests.cli.command_runner import CommandResult, tetrion, tetrion_here
from tests.hostile_texts import find_forbidden_characters
from tests.lab.small_runs import SMALL_RUN_CHANGES
from tetrion.cli.record_command import is_replay_file
from tetrion.cli.train_command import choose_run_folders
from tetrion.training.recipe import Recipe

SAMPLES = Path(__file__).parents[1] / "samples"
HOSTILE_NAME = os.fsdecode(b"\xff\xfe\x1b]0;title\x07 $x$ <p>")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a hostile name."""
    folder = tmp_path / HOSTILE_NAME
    try:
        folder.mkdir()
    except OSError:
        if sys.platform == "linux":
            raise
        pytest.skip("this system has no such folders")
    return folder


@pytest.fixture
def run_folder(folder: Path) -> Path:
    shutil.copytree(SAMPLES / "runs/finished", folder / "run\x1b[2J\udcff")
    return folder / "run\x1b[2J\udcff"


def run_cleanly(*arguments: str | Path, expect: int = 0) -> CommandResult:
    """Run a command in this process, and check that its output has no control characters and is valid UTF-8."""
    result = tetrion_here(*map(str, arguments), expect=expect)
    assert find_forbidden_characters(result.stdout + result.stderr) == []
    (result.stdout + result.stderr).encode()
    return result


@pytest.mark.parametrize(
    "arguments",
    [
        ["NAME"],
        ["--NAME"],
        ["bench", "NAME.py:Mine"],
        ["bench", "du:NAME=1"],
        ["bench", "du", "--games", "NAME"],
        ["bench", "du", "--rules", "NAME"],
        ["bench", "du", "--csv", "NAME/NAME"],
        ["explain", "du", "--piece", "T", "--board", "NAME"],
        ["list", "agents", "NAME"],
        ["record", "du", "--out", "NAME/a.mp4"],
        ["report", "NAME"],
        ["reproduce", "NAME"],
        ["review", "NAME"],
        ["train", "NAME.toml"],
        ["train", "gavrilov", "--set", "NAME=1"],
        ["train", "--resume", "NAME"],
    ],
    ids=" ".join,
)
def test_errors_about_hostile_arguments(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run_cleanly(*(argument.replace("NAME", HOSTILE_NAME) for argument in arguments), expect=2)
    assert "Error: " in result.stderr


def test_run_in_a_hostile_folder(run_folder: Path) -> None:
    out = run_folder / HOSTILE_NAME
    with patch("tetrion.lab.video.render_gif", return_value=b"GIF89a"):
        page, *_ = run_cleanly("report", run_folder).stdout.splitlines()
    assert page.endswith("report.html")
    html = (run_folder / "report.html").read_bytes().decode()
    assert find_forbidden_characters(html) == []
    assert "<p>/" not in html
    run_cleanly("plot", run_folder, "--only", "weights", "--format", "svg", "--out", out)
    ElementTree.fromstring((out / "weights.svg").read_bytes())
    files: list[str | Path] = ["--csv", out / "games.csv", "--json", out / "games.json", "--plot", out / "games.pdf"]
    run_cleanly("bench", run_folder, "--games", "2", "--pieces", "20", *files)
    (out / "games.csv").read_bytes().decode()
    assert json_has_only_text(out / "games.json")
    assert (out / "games.pdf").stat().st_size
    run_cleanly("watch", run_folder, "--text", "--pieces", "3")
    run_cleanly("explain", run_folder, "--piece", "T", "--json", out / "placements.json")
    assert json_has_only_text(out / "placements.json")
    run_cleanly("record", run_folder, "--pieces", "1", "--size", "240x240", "--out", out / "game.mp4")
    assert (out / "game.mp4").stat().st_size
    run_cleanly("train", "--resume", run_folder, expect=2)  # it was trained by another version


def json_has_only_text(file: Path) -> bool:
    """Return whether a JSON file is ASCII without escaped surrogates or control characters."""
    return not any(escaped in file.read_bytes().decode("ascii") for escaped in ("\\ud8", "\\udc", "\\u001b"))


def test_saved_game_in_a_hostile_folder(folder: Path) -> None:
    replay = folder / f"{HOSTILE_NAME}.json"
    shutil.copy(next((SAMPLES / "replays").glob("*.json")), replay)
    run_cleanly("replay", replay, "--html", folder / "page.html")
    assert find_forbidden_characters((folder / "page.html").read_bytes().decode()) == []
    run_cleanly("review", replay, "--worst", "1", "--json", folder / "review.json")
    assert json_has_only_text(folder / "review.json")


def test_training_into_a_hostile_folder(folder: Path) -> None:
    changes = [part for change in (*SMALL_RUN_CHANGES, "generations=1") for part in ("--set", change)]
    out = run_cleanly("train", "gavrilov", "--seeds", "2", "--out", folder / "runs", *changes).stdout
    assert "tetrion report" in out
    with patch("tetrion.lab.video.render_gif", return_value=b"GIF89a"):
        run_cleanly("report", folder / "runs", "--out", folder.parent / "seeds.html")
    page = (folder.parent / "seeds.html").read_bytes().decode()
    assert 'href="%FF%FE%1B%5D0%3Btitle%07%20%24x%24%20%3Cp%3E/runs/seed-0/report.html"' in page


def test_default_folder_of_a_run_is_below_the_folder_of_runs() -> None:
    """The name of a recipe is a text of its author, and must not choose the place of a folder."""
    names = {"My recipe 2.0": "My recipe 2.0-3", "../../elsewhere": "elsewhere-3", "..": "run-3"}
    for name, expected in (names | {"C:\\elsewhere": "C-elsewhere-3", "a\x00\ud800b": "a-b-3"}).items():
        recipe = Recipe.load("gavrilov", seed=3).replace(name=name)
        assert choose_run_folders([recipe], None, has_seeds=False) == [Path("runs") / expected]


def test_output_of_a_process_is_valid_text(folder: Path) -> None:
    assert "�" in tetrion("plot", str(folder), expect=2).stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_links_that_lead_to_themselves_are_not_written(tmp_path: Path) -> None:
    (tmp_path / "loop.json").symlink_to(tmp_path / "other")
    (tmp_path / "other").symlink_to(tmp_path / "loop.json")
    result = run_cleanly("perft", "IO", "--depth", "1", "--json", tmp_path / "loop.json", expect=2)
    assert "Give another file to --json." in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_symlink()) == ["loop.json", "other"]


def test_pipes_are_not_read(tmp_path: Path) -> None:
    """A pipe without a writer would block the command."""
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    assert not is_replay_file(str(pipe))
    message = run_cleanly("explain", "du", "--piece", "T", "--board", pipe, expect=2).stderr
    assert "it is not a regular file" in message
