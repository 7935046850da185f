"""Training seeds in parallel: the runs equal those trained alone, and can be resumed."""

from pathlib import Path

import pytest

from tetrion.errors import TetrionError
from tetrion.evaluation import start_threads
from tetrion.lab.reproduction.parallel_training import train_seeds
from tetrion.lab.reproduction.reproduction_observer import ReproductionObserver
from tetrion.training.run import CONFIG_FILE, METRICS_FILE, RESULT_FILE, Run

SHORT_TRAINING = (
    "population=6",
    "tournament=3",
    "games.max_pieces=[60]",
    "validation.games=2",
    "validation.max_pieces=200",
    "final=5",
)
SHORT_Q_LEARNING = (
    "episodes=2",
    "q-learning.max_pieces=20",
    "validation.every=0",
    "validation.max_pieces=100",
    "final=5",
)


class RecordingObserver(ReproductionObserver):
    """Records the calls, and interrupts at a given step."""

    def __init__(self, stop_at_step: int | None = None) -> None:
        self.seeds = set[tuple[int, int]]()
        self.steps = [0]
        self.stop_at_step = stop_at_step

    def on_seed_begin(self, number: int, total: int) -> None:
        self.seeds.add((number, total))

    def on_step(self, step_count: int) -> None:
        self.steps.append(step_count)
        if self.stop_at_step is not None and step_count >= self.stop_at_step:
            raise KeyboardInterrupt


def read_run_files(runs: list[Run]) -> list[bytes]:
    return [(run.folder / name).read_bytes() for run in runs for name in (CONFIG_FILE, METRICS_FILE, RESULT_FILE)]


def train_two_seeds(
    folder: Path, workers: int, recipe: str, changes: tuple[str, ...], observer: ReproductionObserver | None = None
) -> list[Run]:
    with start_threads(workers) as threads:
        return train_seeds(
            recipe, folder, [4, 5], changes, workers=threads, observer=observer or ReproductionObserver()
        )


@pytest.mark.parametrize(
    ("recipe", "changes"), [("gavrilov", (*SHORT_TRAINING, "generations=3")), ("tetrais-q", SHORT_Q_LEARNING)]
)
def test_parallel_runs_equal_runs_trained_alone(tmp_path: Path, recipe: str, changes: tuple[str, ...]) -> None:
    alone = train_two_seeds(tmp_path / "alone", 1, recipe, changes)
    together = train_two_seeds(tmp_path / "together", 2, recipe, changes)
    assert read_run_files(together) == read_run_files(alone)
    assert [run.recipe.seed for run in together] == [4, 5]
    assert len(set(read_run_files(together))) == 6


def test_interrupted_runs_are_resumed_with_the_same_result(tmp_path: Path) -> None:
    changes = (*SHORT_TRAINING, "generations=40")
    with pytest.raises(KeyboardInterrupt):
        train_two_seeds(tmp_path / "stopped", 2, "gavrilov", changes, RecordingObserver(stop_at_step=1))
    unfinished = [Run(folder) for folder in sorted((tmp_path / "stopped").iterdir())]
    assert len(unfinished) == 2
    assert not any(run.is_finished for run in unfinished)
    observer = RecordingObserver()
    runs = train_two_seeds(tmp_path / "stopped", 2, "gavrilov", changes, observer)
    assert read_run_files(runs) == read_run_files(train_two_seeds(tmp_path / "whole", 2, "gavrilov", changes))
    assert observer.steps[1] >= 1  # it was resumed, not restarted
    assert observer.seeds <= {(0, 2), (1, 2)}


def test_error_of_one_run_is_raised(tmp_path: Path) -> None:
    (tmp_path / "seed-5").mkdir(parents=True)
    (tmp_path / "seed-5" / CONFIG_FILE).write_text("format = 7\n", encoding="utf-8")
    with pytest.raises(TetrionError, match="format"):
        train_two_seeds(tmp_path, 2, "gavrilov", (*SHORT_TRAINING, "generations=3"))


def test_run_of_another_recipe_is_replaced(tmp_path: Path) -> None:
    short, longer = (
        train_two_seeds(tmp_path, 2, "gavrilov", (*SHORT_TRAINING, f"generations={generations}"))
        for generations in (2, 3)
    )
    assert [run.generation_count for run in longer] == [3, 3]
    assert read_run_files(longer) == read_run_files(
        train_two_seeds(tmp_path / "whole", 2, "gavrilov", (*SHORT_TRAINING, "generations=3"))
    )
    assert short[0].folder == longer[0].folder
