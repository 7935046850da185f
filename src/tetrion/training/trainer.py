"""Training from a recipe into a run's folder, and going on with one that was stopped."""

import tomllib
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from tetrion.atomic_files import PART_SUFFIX
from tetrion.engine.batch_play import EngineSettings, GameRecords
from tetrion.engine.randomisers import validate_seed
from tetrion.errors import RecipeError, RunError, TetrionError
from tetrion.evaluation.dask_cluster import open_workers
from tetrion.evaluation.workers import Workers
from tetrion.training.checkpoint import CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE, load_checkpoint
from tetrion.training.evolutionary_learner import EvolutionaryLearner
from tetrion.training.fitness import CandidateGames, TrainingWorkers
from tetrion.training.gavrilov_text_files import check_weights_design, import_text
from tetrion.training.learner import Learner
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.q_learner import QLearner
from tetrion.training.recipe import Q_LEARNING_NAME, Recipe, StopSettings
from tetrion.training.run import CONFIG_FILE, META_FILE, METRICS_FILE, POPULATION_FOLDER, Run, is_run_folder
from tetrion.training.run_writer import RunWriter, format_resume_command, lock_folder
from tetrion.training.validation import TrainingResult
from tetrion.training.versions import describe_differences


class TrainingObserver:
    """Whoever watches training; each of these is called when it is time, and does nothing by itself."""

    def on_begin(self, learner: Learner, workers: str) -> None:
        """Training begins, or goes on."""

    def on_games(self, games: GameRecords) -> None:
        """Games go on; called several times a second."""

    def on_step(self, learner: Learner) -> None:
        """A generation or episode has ended and is kept."""

    def on_finals(self) -> None:
        """The end has come: finalists play."""

    def on_finish(self, learner: Learner, result: TrainingResult) -> None:
        """All is done and kept."""


def train(
    recipe: Recipe | str | Path,
    out: str | Path,
    *,
    seed: int | None = None,
    changes: Sequence[str] = (),
    first_population: str | Path | None = None,
    workers: Workers | Executor | int | None = None,
    device: str = "cpu",
    observer: TrainingObserver | None = None,
) -> Run:
    """Train by a recipe, or by the name or file of one, into a new folder; `changes` are as in `population=20`.

    `first` is a folder of Gavrilov's text files whose last population the first generation is. Ctrl-C, a killed process
    or a full disk lose no finished generation: `resume` goes on, and ends as if nothing had happened. `workers` are a
    number of threads (one a core if nothing is said), or a cluster or executor as for `evaluate`; with the `device`
    "cuda" the GPU plays. Whoever plays, it is the same run to the bit. A `spectator` is told of everything.
    """
    with open_training_workers(workers, device) as players:
        folder = create_run(recipe, out, seed=seed, changes=changes, first_population=first_population, workers=players)
        return resume(folder, workers=players, observer=observer)


def create_run(
    recipe: Recipe | str | Path,
    out: str | Path,
    *,
    seed: int | None = None,
    changes: Sequence[str] = (),
    first_population: str | Path | None = None,
    workers: Workers | None = None,
) -> Path:
    """Make the folder of a run, ready to be resumed before its first generation, if `workers` can play it."""
    recipe = recipe if isinstance(recipe, Recipe) else Recipe.load(recipe, changes)
    recipe = recipe if seed is None else recipe.with_(seed=validate_seed(seed))
    learner = make_learner(recipe, load_first_population(recipe, first_population))
    if workers:
        workers.check_settings(make_first_engine_settings(learner))
    folder = Path(out)
    check_new_folder(folder)
    RunWriter(
        folder, learner, {} if first_population is None else {"first_population": str(first_population)}
    ).create_folder()
    return folder


def resume(
    folder: str | Path,
    *,
    workers: Workers | Executor | int | None = None,
    device: str = "cpu",
    allow_other_versions: bool = False,
    observer: TrainingObserver | None = None,
) -> Run:
    """Go on with a run, with whatever `workers` or on whatever `device`; one that has finished is left as it is.

    With other versions of code or libraries than it was begun with it might end otherwise, which is an error unless
    `other_versions` allows it. Raise `generations` in its config.toml, and a finished run goes on.
    """
    run = Run(folder)
    if not allow_other_versions and (changed := describe_differences(run.meta.get("versions"))):
        raise RunError(
            f"{folder} was made with other versions: {'; '.join(changed)}. With others it may end otherwise. Install "
            "those, or give --other-versions to go on all the same."
        )
    with lock_folder(run.folder), open_training_workers(workers, device) as players:
        learner = make_learner(run.recipe)
        restore_learner(learner, run)
        if run.is_finished and learner.is_done():
            return run
        players.prepare(make_first_engine_settings(learner))  # compiled or loaded before the clock starts
        keeper = RunWriter(run.folder, learner, run.meta, players.description)
        keeper.prepare_resume()
        return run_training(learner, keeper, players, observer or TrainingObserver())


def run_training(learner: Learner, writer: RunWriter, workers: Workers, observer: TrainingObserver) -> Run:
    """Learn until the end, keep everything, and judge."""
    team = TrainingWorkers(workers, observer.on_games)
    try:
        observer.on_begin(learner, workers.description)
        while not learner.is_done():
            writer.write_generation(learner.step(team))
            observer.on_step(learner)
        observer.on_finals()
        result = learner.select_result(team)
        writer.write_result(result)
    except (KeyboardInterrupt, TetrionError):
        with suppress(RunError):  # the disk may be full
            writer.mark_stopped()
        raise
    observer.on_finish(learner, result)
    return Run(writer.folder)


def open_training_workers(workers: Workers | Executor | int | None, device: str) -> AbstractContextManager[Workers]:
    """Workers or an executor that somebody lends, threads of our own, or the GPU."""
    if isinstance(workers, Workers | Executor):
        return open_workers(workers, None, device)
    return open_workers(None, workers, device)


def make_first_engine_settings(learner: Learner) -> EngineSettings:
    """What a learner's first agent, all of whose numbers are 0, plays by."""
    agent = learner.make_agent(np.zeros(len(learner.parameter_names)), learner.recipe.name)
    return CandidateGames([agent], learner.rules, 1).setting


def make_learner(recipe: Recipe, first_population: NumpyArray | None = None) -> Learner:
    """Whoever learns by a recipe."""
    return QLearner(recipe) if recipe.learner == Q_LEARNING_NAME else EvolutionaryLearner(recipe, first_population)


def check_new_folder(folder: Path) -> None:
    """Make sure that a new run can be made in a folder."""
    if is_run_folder(folder):
        raise RunError(
            f"{folder} is a run already. Go on with it: {format_resume_command(folder)} – or give another --out."
        )
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder} is a file. Give another place to --out.")
    ours = (
        POPULATION_FOLDER,
        METRICS_FILE,
        META_FILE,
        CHECKPOINT_FILE,
        PREVIOUS_CHECKPOINT_FILE,
    )  # what a run that was killed at once leaves behind
    if folder.is_dir() and any(path.name not in ours and path.suffix != PART_SUFFIX for path in folder.iterdir()):
        raise RunError(f"{folder} is not empty and not a run. Give another place to --out.")


def load_first_population(recipe: Recipe, folder: str | Path | None) -> NumpyArray | None:
    """The population to begin with, if there is one."""
    if folder is None:
        return None
    if recipe.learner != "genetic":
        raise RecipeError(f"A genetic algorithm begins with a population; {recipe.name} learns by {recipe.learner}.")
    check_weights_design(recipe)
    return import_text(Path(folder), recipe.make_design().parameter_names)


def restore_learner(learner: Learner, run: Run) -> None:
    """Bring a learner to where a run was."""
    state = load_checkpoint(run.folder)
    made_by = bytes(state.pop("recipe", np.zeros(0, np.uint8))).decode(errors="replace")
    if parse_without_stop(made_by) != replace(run.recipe, stop=StopSettings()):
        raise RunError(
            f"{run.folder / CONFIG_FILE} is not what the run was made with; only [stop] may change. Put it back as it was, "
            "or train anew with it: give the file to `tetrion train` and another --out."
        )
    try:
        learner.restore(state)
    except (TetrionError, KeyError, ValueError, TypeError, IndexError) as problem:
        raise RunError(f"{run.folder}: the checkpoint does not fit the recipe ({problem}).") from None


def parse_without_stop(recipe: str) -> Recipe | None:
    """A recipe but for when training stops, which may be changed to go on longer; None if it cannot be read."""
    try:
        return replace(Recipe.from_mapping(tomllib.loads(recipe), ""), stop=StopSettings())
    except ValueError:
        return None
