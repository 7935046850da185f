"""Seeds trained at the same time: the same runs as one after the other, and gone on with when all were stopped."""

from pathlib import Path

import pytest

from tetrion.errors import TetrionError
from tetrion.evaluation import threads
from tetrion.lab.reproduction.side_by_side import train_seeds
from tetrion.lab.reproduction.watching import Watcher
from tetrion.training.run import CONFIG, METRICS, RESULT, Run

SMALL = ("population=6", "tournament=3", "games.pieces=[60]", "judge.games=2", "judge.pieces=200", "final=5")
EPISODES = ("episodes=2", "q-learning.pieces=20", "judge.every=0", "judge.pieces=100", "final=5")


class Told(Watcher):
    """Keeps what it is told, and stops all at some generation."""

    def __init__(self, stops: int | None = None) -> None:
        self.seeds, self.steps, self.stops = set[tuple[int, int]](), [0], stops

    def trains(self, seed: int, of: int) -> None:
        self.seeds.add((seed, of))

    def learns(self, generations: int) -> None:
        self.steps.append(generations)
        if self.stops is not None and generations >= self.stops:
            raise KeyboardInterrupt


def files_of(runs: list[Run]) -> list[bytes]:
    return [(run.folder / name).read_bytes() for run in runs for name in (CONFIG, METRICS, RESULT)]


def trained(
    home: Path, workers: int, recipe: str, changes: tuple[str, ...], watcher: Watcher | None = None
) -> list[Run]:
    with threads(workers) as team:
        return train_seeds(recipe, home, [4, 5], changes, team, watcher or Watcher())


@pytest.mark.parametrize(("recipe", "changes"), [("gavrilov", (*SMALL, "generations=3")), ("tetrais-q", EPISODES)])
def test_seeds_side_by_side_come_to_what_they_come_to_alone(
    tmp_path: Path, recipe: str, changes: tuple[str, ...]
) -> None:
    alone = trained(tmp_path / "alone", 1, recipe, changes)
    together = trained(tmp_path / "together", 2, recipe, changes)
    assert files_of(together) == files_of(alone)
    assert [run.recipe.seed for run in together] == [4, 5]
    assert len(set(files_of(together))) == 6


def test_all_stop_together_and_go_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    changes = (*SMALL, "generations=40")
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "stopped", 2, "gavrilov", changes, Told(stops=1))
    left = [Run(folder) for folder in sorted((tmp_path / "stopped").iterdir())]
    assert len(left) == 2
    assert not any(run.finished for run in left)
    watcher = Told()
    runs = trained(tmp_path / "stopped", 2, "gavrilov", changes, watcher)
    assert files_of(runs) == files_of(trained(tmp_path / "whole", 2, "gavrilov", changes))
    assert watcher.steps[1] >= 1  # it was not begun anew
    assert watcher.seeds <= {(0, 2), (1, 2)}


def test_an_error_of_one_is_told(tmp_path: Path) -> None:
    (tmp_path / "seed-5").mkdir(parents=True)
    (tmp_path / "seed-5" / CONFIG).write_text("format = 7\n", encoding="utf-8")
    with pytest.raises(TetrionError, match="format"):
        trained(tmp_path, 2, "gavrilov", (*SMALL, "generations=3"))


def test_a_run_by_another_recipe_is_trained_anew(tmp_path: Path) -> None:
    short, longer = (trained(tmp_path, 2, "gavrilov", (*SMALL, f"generations={number}")) for number in (2, 3))
    assert [run.generations for run in longer] == [3, 3]
    assert files_of(longer) == files_of(trained(tmp_path / "whole", 2, "gavrilov", (*SMALL, "generations=3")))
    assert short[0].folder == longer[0].folder
