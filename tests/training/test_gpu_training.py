"""Training whose games a GPU plays: the same run to the bit, begun and gone on with on either device."""

from pathlib import Path

import pytest

from simulator import fake_gpu, run_on_simulator
from tetrion.errors import TetrionError
from tetrion.training.run import Run
from tetrion.training.trainer import create_run, resume, train
from training.small_recipes import files_of, small

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
from tetrion.training.trainer import TrainingObserver, resume, train

cuda.MAX_GAMES_PER_TEAM = 0


class Leaves(TrainingObserver):
    def learned(self, learner):
        raise KeyboardInterrupt


recipe, begun, gone_on = sys.argv[1:]
try:
    train(recipe, begun, device="cuda", spectator=Leaves())
except KeyboardInterrupt:
    print("stopped")
resume(gone_on, device="cuda")
"""


def test_the_same_run_to_the_bit_begun_on_either_device_and_gone_on_with_on_the_other(tmp_path: Path) -> None:
    recipe, config = small("genetic", *CHANGES), tmp_path / "small.toml"
    config.write_text(recipe.to_toml(), encoding="utf-8")
    train(recipe, tmp_path / "here", workers=1)
    create_run(recipe, tmp_path / "gone on")
    assert run_on_simulator(PROGRAM, str(config), str(tmp_path / "begun"), str(tmp_path / "gone on")) == "stopped\n"
    assert Run(tmp_path / "begun").generation_count == 1
    resume(tmp_path / "begun", workers=1)
    assert files_of(tmp_path / "begun") == files_of(tmp_path / "here")
    assert files_of(tmp_path / "gone on") == files_of(tmp_path / "here")


@pytest.mark.parametrize(
    ("recipe", "changes"), [("hindi-lookahead", ["agent.depth=3", "rules=hindi:preview=2"]), ("medico-tuned", [])]
)
def test_what_no_gpu_plays_is_told_before_anything_is_made(
    tmp_path: Path, recipe: str, changes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gpu(monkeypatch, gpu=True)
    with pytest.raises(TetrionError, match=r"Use the CPU"):
        train(recipe, tmp_path / "run", changes=changes, device="cuda")
    assert not (tmp_path / "run").exists()
