"""A new learner is one class that registers itself: it trains, resumes, and is plotted, reported and watched."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from matplotlib.text import Text

from tests.lab.small_runs import render_empty_images
from tests.training.small_recipes import read_run_files
from tetrion.agents import WeightedAgent
from tetrion.app.run_session import UNLIMITED_SPEED, FollowedRun, LiveTraining, PlaybackControl, SessionState
from tetrion.app.screens.evolution_screen import describe_recipe
from tetrion.lab.training_plots import DEFAULT_PLOT_SIZE, make_run_plots
from tetrion.lab.training_report import render_training_report
from tetrion.training import Learner, Recipe, TrainingProgress, register_learner, resume, train
from tetrion.training.fitness import CandidateGames, SeedPurpose, TrainingWorkers, derive_seed
from tetrion.training.learner import _learners
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.recipe_settings import float_setting
from tetrion.training.trainer import create_run

RECIPE = """
format = 1
name = "hill"
learner = "hill-climbing"
rules = "standard-10x10"
[hill-climbing]
step = 2
[stop]
generations = 6
[validation]
games = 2
final_games = 3
max_pieces = 40
"""


@dataclass(frozen=True)
class HillClimbingSettings:
    """Settings of [hill-climbing]."""

    step: float = float_setting(1.0, 0, 100, "standard deviation of a change")


class HillClimbingLearner(Learner):
    """Changes the weights at random, and keeps a change that clears more lines."""

    settings_type = HillClimbingSettings
    section_names = ("stop", "validation")
    step_name = "attempt"
    metric_names = ("pieces", "lines")
    integer_metrics = frozenset(metric_names)
    curves: ClassVar[Mapping[str, str]] = {"Lines": "lines"}

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.parameter_names = ("holes", "bumpiness", "lines")

    def make_agent(self, candidate: NumpyArray, name: str) -> WeightedAgent:
        weights = dict(zip(self.parameter_names, candidate.tolist(), strict=True))
        return WeightedAgent(name, weights, rules=self.recipe.rules)

    def step(self, workers: TrainingWorkers) -> None:
        number = len(self.metric_rows)
        best = self.incumbents[-1] if number else np.array([-1.0, 0.0, 0.0])
        seed = derive_seed(self.recipe.seed, SeedPurpose.OPTIMISER, number)
        tried = best + np.random.default_rng(seed).normal(0, self.recipe.settings.step, len(best))
        agents = [self.make_agent(candidate, "hill") for candidate in (best, tried)]
        games = CandidateGames(agents, self.rules, 40).play(np.arange(2), range(3), seed, workers)
        best_lines, tried_lines = (int(part["lines"].sum()) for part in games)
        incumbent = tried if tried_lines > best_lines else best
        self.record_step(
            (sum(int(part["pieces"].sum()) for part in games), max(best_lines, tried_lines)), incumbent, workers
        )


@pytest.fixture(autouse=True)
def registered_learner(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register the learner, and remove it after the test."""
    register_learner("hill-climbing")(HillClimbingLearner)
    yield
    del _learners["hill-climbing"]


@pytest.fixture
def recipe_file(tmp_path: Path) -> Path:
    path = tmp_path / "hill.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


def test_new_learner_trains_and_resumes(recipe_file: Path, tmp_path: Path) -> None:
    reports = list[TrainingProgress]()
    run = train(recipe_file, tmp_path / "run", workers=2, on_progress=reports.append)
    assert run.generation_count == run.recipe.planned_steps == 6
    assert list(run.metrics) == [
        "attempt",
        "pieces",
        "lines",
        "validation",
        *(f"incumbent {name}" for name in run.parameter_names),
    ]
    assert run.result
    assert run.result["origin"].startswith("attempt ")
    assert {report.done for report in reports} == set(range(7))
    assert {report.unit for report in reports} == {"attempt"}
    assert re.fullmatch(r"lines [\d.]+ validation [\d.]+", " ".join(reports[-1].details))

    def interrupt(progress: TrainingProgress) -> None:
        if progress.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(recipe_file, tmp_path / "stopped", workers=1, on_progress=interrupt)
    resume(tmp_path / "stopped", workers=1)
    assert read_run_files(tmp_path / "stopped") == read_run_files(tmp_path / "run")


def test_new_learner_is_plotted_reported_and_watched(recipe_file: Path, tmp_path: Path) -> None:
    run = train(recipe_file, tmp_path / "run", workers=1)
    assert [plot.name for plot in make_run_plots(run)] == ["lines", "weights", "held-out"]
    page = render_training_report(run, render_empty_images).decode()
    assert "Lines per attempt" in [
        text.get_text() for text in make_run_plots(run)[0].draw(DEFAULT_PLOT_SIZE).findobj(Text)
    ]
    for text in ("hill-climbing", "Attempts", "6 of 6"):
        assert text in page
    assert describe_recipe(run.recipe) == "One learner, games of any length, standard-10x10 rules."
    live = LiveTraining(create_run(recipe_file, tmp_path / "watched"), PlaybackControl(UNLIMITED_SPEED))
    live.thread.join(20)
    live.close()
    assert live.state is SessionState.FINISHED, live.message
    assert read_run_files(tmp_path / "watched") == read_run_files(run.folder)
    followed = FollowedRun(run.folder, PlaybackControl(UNLIMITED_SPEED))
    followed.replay_generation(2)
    assert followed.boards is not None
    followed.close()
