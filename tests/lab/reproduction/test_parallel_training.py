"""Seeds trained at the same time: the same runs as one after the other, and gone on with when all were stopped."""

from pathlib import Path

import pytest

from tetrion.errors import TetrionError
from tetrion.evaluation import start_threads
from tetrion.lab.reproduction.parallel_training import train_seeds
from tetrion.lab.reproduction.reproduction_observer import ReproductionObserver
from tetrion.training.run import CONFIG_FILE, METRICS_FILE, RESULT_FILE, Run

SMALL = (
    "population=6",
    "tournament=3",
    "games.max_pieces=[60]",
    "validation.games=2",
    "validation.max_pieces=200",
    "final=5",
)
EPISODES = ("episodes=2", "q-learning.max_pieces=20", "validation.every=0", "validation.max_pieces=100", "final=5")


class RecordingObserver(ReproductionObserver):
    """Keeps what it is told, and stops all at some generation."""

    def __init__(self, stops: int | None = None) -> None:
        self.seeds = set[tuple[int, int]]()
        self.steps = [0]
        self.stop_at_step = stops

    def on_seed_begin(self, seed: int, of: int) -> None:
        self.seeds.add((seed, of))

    def on_step(self, generations: int) -> None:
        self.steps.append(generations)
        if self.stop_at_step is not None and generations >= self.stop_at_step:
            raise KeyboardInterrupt


def read_run_files(runs: list[Run]) -> list[bytes]:
    return [(run.folder / name).read_bytes() for run in runs for name in (CONFIG_FILE, METRICS_FILE, RESULT_FILE)]


def train_two_seeds(
    home: Path, workers: int, recipe: str, changes: tuple[str, ...], watcher: ReproductionObserver | None = None
) -> list[Run]:
    with start_threads(workers) as team:
        return train_seeds(recipe, home, [4, 5], changes, team, watcher or ReproductionObserver())


@pytest.mark.parametrize(("recipe", "changes"), [("gavrilov", (*SMALL, "generations=3")), ("tetrais-q", EPISODES)])
def test_seeds_side_by_side_come_to_what_they_come_to_alone(
    tmp_path: Path, recipe: str, changes: tuple[str, ...]
) -> None:
    alone = train_two_seeds(tmp_path / "alone", 1, recipe, changes)
    together = train_two_seeds(tmp_path / "together", 2, recipe, changes)
    assert read_run_files(together) == read_run_files(alone)
    assert [run.recipe.seed for run in together] == [4, 5]
    assert len(set(read_run_files(together))) == 6


def test_all_stop_together_and_go_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    changes = (*SMALL, "generations=40")
    with pytest.raises(KeyboardInterrupt):
        train_two_seeds(tmp_path / "stopped", 2, "gavrilov", changes, RecordingObserver(stops=1))
    left = [Run(folder) for folder in sorted((tmp_path / "stopped").iterdir())]
    assert len(left) == 2
    assert not any(run.is_finished for run in left)
    watcher = RecordingObserver()
    runs = train_two_seeds(tmp_path / "stopped", 2, "gavrilov", changes, watcher)
    assert read_run_files(runs) == read_run_files(train_two_seeds(tmp_path / "whole", 2, "gavrilov", changes))
    assert watcher.steps[1] >= 1  # it was not begun anew
    assert watcher.seeds <= {(0, 2), (1, 2)}


def test_an_error_of_one_is_told(tmp_path: Path) -> None:
    (tmp_path / "seed-5").mkdir(parents=True)
    (tmp_path / "seed-5" / CONFIG_FILE).write_text("format = 7\n", encoding="utf-8")
    with pytest.raises(TetrionError, match="format"):
        train_two_seeds(tmp_path, 2, "gavrilov", (*SMALL, "generations=3"))


def test_a_run_by_another_recipe_is_trained_anew(tmp_path: Path) -> None:
    short, longer = (train_two_seeds(tmp_path, 2, "gavrilov", (*SMALL, f"generations={number}")) for number in (2, 3))
    assert [run.generation_count for run in longer] == [3, 3]
    assert read_run_files(longer) == read_run_files(
        train_two_seeds(tmp_path / "whole", 2, "gavrilov", (*SMALL, "generations=3"))
    )
    assert short[0].folder == longer[0].folder
