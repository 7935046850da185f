"""Tests of training with a GPU: runs are bit-identical, and can be started and resumed on either device."""

from pathlib import Path

import pytest

from tests.simulator import fake_gpu, run_on_simulator
from tests.training.small_recipes import make_small_recipe, read_run_files
from tetrion.errors import TetrionError
from tetrion.training.run import Run
from tetrion.training.trainer import create_run, resume, train

CHANGES = (
    "generations=2",
    "games.max_pieces=[8,12]",
    "validation.max_pieces=9",
    "validation.games=1",
    "validation.final_games=3",
    "population=4",
    "games.count=1",
)
PROGRAM = """
import sys
from tetrion.training.trainer import resume, train

play.MAX_SHARED_GAMES = 0


def stop(progress):
    if progress.done:
        raise KeyboardInterrupt


recipe, stopped_run, created_run = sys.argv[1:]
try:
    train(recipe, stopped_run, device="cuda", on_progress=stop)
except KeyboardInterrupt:
    print("stopped")
resume(created_run, device="cuda")
"""


@pytest.mark.slow
def test_runs_are_bit_identical_if_the_device_changes(tmp_path: Path) -> None:
    recipe = make_small_recipe("genetic", *CHANGES)
    config = tmp_path / "small.toml"
    config.write_text(recipe.to_toml(), encoding="utf-8")
    train(recipe, tmp_path / "cpu", workers=1)
    create_run(recipe, tmp_path / "created")
    assert run_on_simulator(PROGRAM, str(config), str(tmp_path / "stopped"), str(tmp_path / "created")) == "stopped\n"
    assert Run(tmp_path / "stopped").generation_count == 1
    resume(tmp_path / "stopped", workers=1)
    assert read_run_files(tmp_path / "stopped") == read_run_files(tmp_path / "cpu")
    assert read_run_files(tmp_path / "created") == read_run_files(tmp_path / "cpu")


def test_unsupported_settings_raise_error_before_a_run_is_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gpu(monkeypatch, gpu=True)
    with pytest.raises(TetrionError, match=r"Use the CPU"):
        train("medico-tuned", tmp_path / "run", device="cuda")
    assert not (tmp_path / "run").exists()
