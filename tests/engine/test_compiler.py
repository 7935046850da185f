"""The compile cache: found again by the next process, and left behind by an edit anywhere in the engine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tetrion.engine import compiler
from tetrion.engine.compiler import compile_entry_with_memory
from tetrion.engine.scalar_or_simd import Array

SOURCE = Path(compiler.__file__).parents[1]
PROGRAM = """
from tetrion.engine.compiler import _MIN_ANNOUNCED_SECONDS, report_compilation
from tetrion.engine.batch_play import make_games, place_piece, EngineSettings
from tetrion.engine.rules import Rules

game, setting = make_games(1, 3), EngineSettings.from_agents([({"holes": -1.0}, True)], Rules.preset("standard"))
game["known"], game["board"][0, 4:] = 1, 1
compiled = []
place_piece.seconds = _MIN_ANNOUNCED_SECONDS
with report_compilation(compiled.append):
    place_piece(game, setting, 0, 0, 0)
hits = sum(place_piece.dispatcher.stats.cache_hits.values())
print("hits", hits, "compiled", len(compiled), "board", *game["board"][0])
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package, copied to where it can be edited."""
    shutil.copytree(SOURCE, tmp_path / "tetrion", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def run(folder: Path) -> tuple[str, str]:
    """What a new process prints, on its standard output and beside it."""
    environment = os.environ | {"PYTHONPATH": str(folder), "TETRION_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip(), done.stderr


def test_second_process_loads_and_an_edit_compiles_anew(copy: Path) -> None:
    first, announced = run(copy)
    assert "Preparing a part of the engine, once after installing." in announced
    assert first.startswith("hits 0")
    assert first.endswith("board" + 10 * " 0")  # the row that the piece completes is removed
    second, silent = run(copy)
    assert silent == ""
    assert second.startswith("hits 1 compiled 0 ")
    assert second.partition("board")[2] == first.partition("board")[2]

    for kept in (copy / "cache").rglob("*.nbc"):
        kept.write_bytes(kept.read_bytes()[:1000])
    mended, announced = run(copy)
    assert "Preparing a part of the engine" in announced
    assert mended.partition("board")[2] == first.partition("board")[2]

    board = copy / "tetrion" / "engine" / "board.py"
    text = board.read_text(encoding="utf-8")
    edited = text.replace("return (column & low) | ((column >> 1) & ~low)", "return column")
    assert edited != text
    board.write_text(edited, encoding="utf-8")
    third, announced = run(copy)
    assert "Preparing a part of the engine" in announced
    assert third.startswith("hits 0")
    assert third.partition("board")[2] != first.partition("board")[2]


def test_a_cache_that_cannot_be_written_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("TETRION_CACHE_DIR", str(blocked))
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setenv("HOME", str(blocked))
    monkeypatch.setenv("LOCALAPPDATA", str(blocked))
    folder = compiler.get_cache_folder.__wrapped__()
    assert folder.is_dir()
    assert blocked not in folder.parents


@compile_entry_with_memory(np.dtype([("numbers", np.int64, 1000)]), seconds=1)
def last_number(memory: Array, size: int) -> int:
    """Take the record, then memory of the same size, which would be the record's if that were free."""
    record = memory[0]
    other = np.ones(size, np.int64)
    return int(record.numbers[500] + other[0])


def test_memory_lasts_as_long_as_the_call() -> None:
    assert [last_number(1000) for _ in range(3)] == [1, 1, 1]
