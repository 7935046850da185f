"""Tests of the compile cache: the next process loads it, and an edit anywhere in the engine recompiles."""

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

game = make_games(1, 3)
setting = EngineSettings.from_agents([({"holes": -1.0}, True)], Rules.from_preset("standard"))
game["known"] = 1
game["board"][0, 4:] = 1
compiled = []
place_piece.compile_seconds = _MIN_ANNOUNCED_SECONDS
with report_compilation(compiled.append):
    place_piece(game, setting, (0, 0, 0))
hits = sum(place_piece.dispatcher.stats.cache_hits.values())
print("hits", hits, "compiled", len(compiled), "board", *game["board"][0])
"""


@pytest.fixture
def package_copy(tmp_path: Path) -> Path:
    """Copy the package to a folder in which it can be edited."""
    shutil.copytree(SOURCE, tmp_path / "tetrion", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def run_program(folder: Path) -> tuple[str, str]:
    """Run the program in a new process; return its standard output and standard error."""
    environment = os.environ | {"PYTHONPATH": str(folder), "TETRION_CACHE_DIR": str(folder / "cache")}
    completed = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, cwd=folder, capture_output=True, text=True, check=True
    )
    return completed.stdout.strip(), completed.stderr


def test_second_process_loads_the_cache_and_an_edit_recompiles(package_copy: Path) -> None:
    first, messages = run_program(package_copy)
    assert "Compiling the engine for this machine (about 5 s, first use only)." in messages
    assert first.startswith("hits 0")
    assert first.endswith("board" + 10 * " 0")  # the row that the piece completes is removed
    second, messages = run_program(package_copy)
    assert messages == ""
    assert second.startswith("hits 1 compiled 0 ")
    assert second.partition("board")[2] == first.partition("board")[2]

    for file in (package_copy / "cache").rglob("*.nbc"):
        file.write_bytes(file.read_bytes()[:1000])
    repaired, messages = run_program(package_copy)
    assert "Compiling the engine" in messages
    assert repaired.partition("board")[2] == first.partition("board")[2]

    source = package_copy / "tetrion" / "engine" / "bitboard.py"
    text = source.read_text(encoding="utf-8")
    edited = text.replace("return (column & low) | ((column >> 1) & ~low)", "return column")
    assert edited != text
    source.write_text(edited, encoding="utf-8")
    third, messages = run_program(package_copy)
    assert "Compiling the engine" in messages
    assert third.startswith("hits 0")
    assert third.partition("board")[2] != first.partition("board")[2]


def test_cache_folder_that_cannot_be_written_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
def read_after_allocation(memory: Array, size: int) -> int:
    """Allocate memory of the record's size before reading the record; it would reuse the record's memory if freed."""
    record = memory[0]
    other = np.ones(size, np.int64)
    return int(record.numbers[500] + other[0])


def test_scratch_memory_is_not_freed_during_the_call() -> None:
    assert [read_after_allocation(1000) for _ in range(3)] == [1, 1, 1]
