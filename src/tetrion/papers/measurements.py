"""Kinds of measurements: games, splitting, training runs and custom calculations."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tetrion.agents import Agent, WeightedAgent
from tetrion.agents.agent_files import agent_to_json
from tetrion.agents.run_folders import SEED_FOLDER_PREFIX, is_run_folder
from tetrion.data_files import refuse_link
from tetrion.engine.records import GameColumn
from tetrion.evaluation import Evaluation, SplittingEvaluation, evaluate, evaluate_by_splitting
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.workers import Workers
from tetrion.progress import Observer, Progress
from tetrion.training.recipe import Recipe
from tetrion.training.run import Run
from tetrion.training.run_writer import describe_differences
from tetrion.training.trainer import create_run, resume_runs

QUICK_REPLICATES = 16  # of splitting
_SAMPLE_SIZE = 1000  # games whose single results are saved, for plots of the distribution
_GAME_METRICS: tuple[GameColumn, ...] = ("lines", "score", "pieces")


@dataclass
class MeasurementContext:
    """The settings of all measurements of a reproduction: folder, seed, budget, workers and observer of progress."""

    folder: Path
    seed: int
    is_quick: bool
    workers: Workers
    on_progress: Observer[Progress] = lambda progress: None

    def play(
        self, agent: Agent | str, rules: str | None = None, games: int = 100, max_pieces: int | None = None
    ) -> Evaluation:
        """Evaluate an agent, by default under its own rules."""
        return evaluate(
            agent, rules, games, self.seed, max_pieces=max_pieces, executor=self.workers, on_progress=self.on_progress
        )

    def split(self, agent: Agent | str, rules: str, precision: float) -> SplittingEvaluation:
        """Estimate the mean length of the games of an agent by multilevel splitting."""
        return evaluate_by_splitting(
            agent,
            rules,
            self.seed,
            precision=precision,
            replicates=QUICK_REPLICATES if self.is_quick else None,
            executor=self.workers,
            on_progress=self.on_progress,
        )

    def train(self, recipe: str | Path, name: str, seed: int, changes: Sequence[str] = ()) -> Run:
        """Train with one seed: resume an unfinished run, or load a finished one."""
        return self.train_seeds(recipe, name, [seed], changes)[0]

    def train_seeds(
        self, recipe: str | Path, name: str, seeds: Sequence[int], changes: Sequence[str] = ()
    ) -> list[Run]:
        """Train with several seeds in parallel; each run is the same as if trained alone."""
        loaded = Recipe.load(recipe, changes)
        runs_folder = self.folder.parent / "runs"
        folders = {runs_folder / name / f"{SEED_FOLDER_PREFIX}{seed}": loaded.replace(seed=seed) for seed in seeds}
        for folder in (runs_folder, runs_folder / name, *folders):  # `has_finished_run` deletes folders
            refuse_link(folder)
        unfinished = [folder for folder, seed_recipe in folders.items() if not has_finished_run(folder, seed_recipe)]
        resume_runs(unfinished, executor=self.workers, on_progress=self.on_progress)
        return [Run(folder) for folder in folders]


def has_finished_run(folder: Path, recipe: Recipe) -> bool:
    """Return whether a folder has a finished run of a recipe; create the run if there is none that can be resumed."""
    if is_run_folder(folder) and (run := Run(folder)).recipe == recipe:
        if run.is_finished:
            return True
        if not describe_differences(run.meta.get("versions")):
            return False
    shutil.rmtree(folder, ignore_errors=True)  # another recipe or other versions would give another result
    create_run(recipe, folder)
    return False


class Measurement(Protocol):
    """A measurement that is saved under its name; it is repeated if its settings have changed."""

    @property
    def name(self) -> str:
        """Name of the measurement and of its file."""

    def get_settings(self, is_quick: bool) -> dict[str, Any]:
        """Return everything that the result depends on, except the seed."""

    def measure(self, context: MeasurementContext) -> dict[str, Any]:
        """Measure, and return the result as JSON values."""


@dataclass(frozen=True)
class GameMeasurement:
    """Games of an agent, with fewer games in a quick reproduction."""

    name: str
    agent: str | WeightedAgent
    games: int
    quick_games: int
    rules: str | None = None  # default: the agent's rules
    max_pieces: int | None = None
    quick_max_pieces: int | None = None  # default: max_pieces

    def get_limits(self, is_quick: bool) -> tuple[int, int | None]:
        """Return the number of games and the piece limit of a game."""
        return (
            (self.quick_games, self.quick_max_pieces or self.max_pieces) if is_quick else (self.games, self.max_pieces)
        )

    def get_settings(self, is_quick: bool) -> dict[str, Any]:
        """Return agent, rules, number of games and piece limit."""
        games, pieces = self.get_limits(is_quick)
        agent = self.agent if isinstance(self.agent, str) else agent_to_json(self.agent)
        return {"agent": agent, "rules": self.rules, "games": games, "pieces": pieces}

    def measure(self, context: MeasurementContext) -> dict[str, Any]:
        """Play the games and return their summary."""
        return summarise_games(self.play(context)) | {"cap": self.get_limits(context.is_quick)[1]}

    def play(self, context: MeasurementContext) -> Evaluation:
        """Play the games."""
        games, pieces = self.get_limits(context.is_quick)
        return context.play(self.agent, self.rules, games, pieces)


def summarise_games(result: Evaluation) -> dict[str, Any]:
    """Return the summary of an evaluation that is saved."""
    summary = {key: value for key, value in result.to_json().items() if key not in _EXCLUDED_KEYS}
    for name in _GAME_METRICS:
        values = result.per_game[name]
        summary[name] |= {
            "deviation": float(values.std()),
            "played": float(values.mean()),
            "played_ci95": compute_mean_interval(values),
        }
    summary["sample"] = {name: result.per_game[name][:_SAMPLE_SIZE].tolist() for name in _GAME_METRICS}
    summary["time"] = {"seconds": result.seconds, "pieces_per_second": result.pieces_per_second}
    return summary


_EXCLUDED_KEYS = ("pieces_per_second", "difference_to_first", "rules_version", "seed")


@dataclass(frozen=True)
class SplittingMeasurement:
    """The mean lines of an agent by multilevel splitting, with a wider interval in a quick reproduction."""

    name: str
    agent: str
    rules: str
    precision: float
    quick_precision: float

    def get_precision(self, is_quick: bool) -> float:
        """Return half the width of the interval, relative to the mean."""
        return self.quick_precision if is_quick else self.precision

    def get_settings(self, is_quick: bool) -> dict[str, Any]:
        """Return agent, rules and precision, and the number of replicates if it is not the usual one."""
        replicates = {"replicates": QUICK_REPLICATES} if is_quick else {}
        return {"agent": self.agent, "rules": self.rules, "precision": self.get_precision(is_quick), **replicates}

    def measure(self, context: MeasurementContext) -> dict[str, Any]:
        """Estimate the mean length of the games."""
        result = context.split(self.agent, self.rules, self.get_precision(context.is_quick))
        summary = {key: value for key, value in result.to_json().items() if key not in _EXCLUDED_KEYS}
        return summary | {"time": {"seconds": result.seconds}}


@dataclass(frozen=True)
class TrainingMeasurement:
    """A recipe trained with several seeds; `quick_changes` are applied after `changes`."""

    name: str
    recipe: str
    seed_count: int
    quick_seed_count: int = 1
    changes: Sequence[str] = ()
    quick_changes: Sequence[str] = ()

    def get_plan(self, is_quick: bool) -> tuple[int, tuple[str, ...]]:
        """Return the number of seeds and the changes to the recipe."""
        return (
            (self.quick_seed_count, (*self.changes, *self.quick_changes))
            if is_quick
            else (self.seed_count, (*self.changes,))
        )

    def get_settings(self, is_quick: bool) -> dict[str, Any]:
        """Return the recipe, its changes and the number of seeds."""
        seeds, changes = self.get_plan(is_quick)
        return {"recipe": self.recipe, "changes": list(changes), "seeds": seeds}

    def train(self, context: MeasurementContext) -> list[Run]:
        """Train with all seeds in parallel, starting with the seed of the reproduction; finished runs are loaded."""
        seeds, changes = self.get_plan(context.is_quick)
        return context.train_seeds(self.recipe, self.name, range(context.seed, context.seed + seeds), changes)

    def measure(self, context: MeasurementContext) -> dict[str, Any]:
        """Train with all seeds and return the summaries of the runs."""
        runs = self.train(context)
        return {
            "runs": [summarise_run(run) for run in runs],
            "time": {"seconds": [run.meta.get("seconds", 0.0) for run in runs]},
        }


def summarise_run(run: Run) -> dict[str, Any]:
    """Return the summary of a run that is saved: metrics, parameter names and result."""
    return {
        "recipe": run.recipe.name,
        "rules": run.recipe.rules,
        "fitness": run.recipe.games.fitness,
        "seed": run.recipe.seed,
        "names": list(run.parameter_names),
        "metrics": {name: column.tolist() for name, column in run.metrics.items()},
        "result": run.result,
    }


@dataclass(frozen=True)
class CustomMeasurement:
    """A calculation by a function; a saved result is discarded if `version` or the budget changes.

    The function returns JSON values; what depends on the machine is stored under the key "time".
    """

    name: str
    function: Callable[[MeasurementContext], Mapping[str, Any]]
    version: int = 1

    def get_settings(self, is_quick: bool) -> dict[str, Any]:
        """Return version and budget."""
        return {"version": self.version, "quick": is_quick}

    def measure(self, context: MeasurementContext) -> dict[str, Any]:
        """Call the function."""
        return dict(self.function(context))
