"""`tetrion record`."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

from tests.cli.command_runner import PROGRAM, tetrion_here
from tetrion import Game, Replay
from tetrion.agents import load_weighted_agent
from tetrion.evaluation.number_format import format_size

SIZE = ("--size", "240x240")


def test_game_of_an_agent_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tetrion.cli.record_command._DEFAULT_PIECES", 2)
    file = tmp_path / "game.mp4"
    printed = tetrion_here("record", "du", "--out", str(file), *SIZE).stdout
    assert "The game was recorded up to piece 2. Use --pieces to record more." in printed
    assert f"{file}: 2 pieces, 0 lines, 0:0" in printed
    assert f"240×240, {format_size(file.stat().st_size)}; " in printed
    assert file.read_bytes()[4:8] == b"ftyp"
    assert [format_size(size) for size in (1, 850, 999_500, 123_456_789)] == ["1 byte", "850 bytes", "1.0 MB", "123 MB"]


def test_saved_game_is_recorded(tmp_path: Path) -> None:
    game, agent = Game("standard", 5), load_weighted_agent("du")
    for _ in range(3):
        game.place(agent.choose(game.position))
    Replay.from_game(game, "du").save(tmp_path / "game.json")
    arguments = ("record", str(tmp_path / "game.json"), "--out", str(tmp_path / "game.gif"), "--thinking", *SIZE)
    assert "3 pieces" in tetrion_here(*arguments).stdout
    assert Image.open(tmp_path / "game.gif").size == (240, 240)
    assert "Omit --seed" in tetrion_here(*arguments, "--seed", "3", expect=2).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("du", "--out", "game.avi"), "must end in .mp4 or .gif"),
        (("du", "--out", "game.mp4", "--size", "641x480"), "Use even numbers, for example 642×480."),
        (("du", "--out", "game.mp4", "--size", "10x10"), "from 240×240 to 3840×2160; given 10×10."),
        (("du", "--out", "game.gif", "--pieces", "9000"), "Use a .mp4 file for longer games."),
        (("du:depth=2", "--out", "game.mp4"), "Use standard:preview=1"),
    ],
)
def test_mistakes_are_explained_and_leave_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in tetrion_here("record", *arguments, expect=2).stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
@pytest.mark.parametrize("name", ["SIGINT", pytest.param("SIGHUP", marks=pytest.mark.slow)])
def test_signals_leave_no_incomplete_file(name: str, tmp_path: Path) -> None:
    number = getattr(signal, name)
    command = [*PROGRAM, "record", "du", "--out", str(tmp_path / "game.mp4"), "--pieces", "5000"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not any(part.stat().st_size for part in tmp_path.iterdir()):
        time.sleep(0.05)
    os.kill(process.pid, number)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert ("was not written" in stderr) == (number == signal.SIGINT)
    assert "Traceback" not in stderr
    assert not list(tmp_path.iterdir())
