"""Training from a recipe into the folder of a run, and resuming a stopped run."""

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
from tetrion.evaluation.worker_selection import open_workers
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
    """Callbacks during training; all of them do nothing by default."""

    def on_begin(self, learner: Learner, workers: str) -> None:
        """Handle the start of training, also of a resumed run; `workers` describes the workers."""

    def on_games(self, games: GameRecords) -> None:
        """Handle the progress of games; called several times per second."""

    def on_step(self, learner: Learner) -> None:
        """Handle the end of a generation or episode, which has been saved."""

    def on_finals(self) -> None:
        """Handle the end of the last generation, before the finalists play."""

    def on_finish(self, learner: Learner, result: TrainingResult) -> None:
        """Handle the end of the run, whose result has been saved."""


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
    """Train with a recipe, given as an object, a name or a TOML file, and write the run into the new folder `out`.

    `changes` are settings such as `population=20`. `first_population` is a folder of Gavrilov's text files; its last
    population becomes the first generation. `workers` is a number of threads (default: one per core), or a cluster or
    executor as for `evaluate`; with `device="cuda"` the GPU plays the games. The run is bit-identical in all cases.

    Ctrl-C, a killed process or a full disk lose no finished generation: `resume` continues, with the same result as an
    uninterrupted run. The `observer` receives callbacks during training.
    """
    with open_training_workers(workers, device) as opened_workers:
        folder = create_run(
            recipe, out, seed=seed, changes=changes, first_population=first_population, workers=opened_workers
        )
        return resume(folder, workers=opened_workers, observer=observer)


def create_run(
    recipe: Recipe | str | Path,
    out: str | Path,
    *,
    seed: int | None = None,
    changes: Sequence[str] = (),
    first_population: str | Path | None = None,
    workers: Workers | None = None,
) -> Path:
    """Create the folder of a new run, which `resume` then trains from its first generation; return its path.

    Nothing is created if `workers` cannot play the games of the recipe.
    """
    recipe = recipe if isinstance(recipe, Recipe) else Recipe.load(recipe, changes)
    recipe = recipe if seed is None else recipe.with_(seed=validate_seed(seed))
    learner = make_learner(recipe, load_first_population(recipe, first_population))
    if workers:
        workers.check_settings(make_first_engine_settings(learner))
    folder = Path(out)
    check_new_folder(folder)
    meta = {} if first_population is None else {"first_population": str(first_population)}
    RunWriter(folder, learner, meta).create_folder()
    return folder


def resume(
    folder: str | Path,
    *,
    workers: Workers | Executor | int | None = None,
    device: str = "cpu",
    allow_other_versions: bool = False,
    observer: TrainingObserver | None = None,
) -> Run:
    """Resume a run with any number of workers on any device; a finished run is left unchanged.

    Other versions of the code or the libraries may change the result, so they raise RunError unless
    `allow_other_versions` is true. To continue a finished run, raise `generations` in its config.toml.
    """
    run = Run(folder)
    if not allow_other_versions and (differences := describe_differences(run.meta.get("versions"))):
        raise RunError(
            f"{folder} was trained with other versions: {'; '.join(differences)}. Other versions may change the "
            "result. Install the earlier versions, or pass --allow-other-versions to resume anyway."
        )
    with lock_folder(run.folder), open_training_workers(workers, device) as opened_workers:
        learner = make_learner(run.recipe)
        restore_learner(learner, run)
        if run.is_finished and learner.is_done():
            return run
        opened_workers.prepare(make_first_engine_settings(learner))  # compile before the time is measured
        writer = RunWriter(run.folder, learner, run.meta, opened_workers.description)
        writer.prepare_resume()
        return run_training(learner, writer, opened_workers, observer or TrainingObserver())


def run_training(learner: Learner, writer: RunWriter, workers: Workers, observer: TrainingObserver) -> Run:
    """Train until the learner is done, saving each step, then select and save the result."""
    training_workers = TrainingWorkers(workers, observer.on_games)
    try:
        observer.on_begin(learner, workers.description)
        while not learner.is_done():
            writer.write_generation(learner.step(training_workers))
            observer.on_step(learner)
        observer.on_finals()
        result = learner.select_result(training_workers)
        writer.write_result(result)
    except (KeyboardInterrupt, TetrionError):
        with suppress(RunError):  # the disk may be full
            writer.mark_stopped()
        raise
    observer.on_finish(learner, result)
    return Run(writer.folder)


def open_training_workers(workers: Workers | Executor | int | None, device: str) -> AbstractContextManager[Workers]:
    """Open the given workers or executor, a number of threads, or the GPU."""
    if isinstance(workers, Workers | Executor):
        return open_workers(workers, None, device)
    return open_workers(None, workers, device)


def make_first_engine_settings(learner: Learner) -> EngineSettings:
    """Return engine settings for the agent of an all-zero candidate, used to check and compile before training."""
    agent = learner.make_agent(np.zeros(len(learner.parameter_names)), learner.recipe.name)
    return CandidateGames([agent], learner.rules, 1).settings


def make_learner(recipe: Recipe, first_population: NumpyArray | None = None) -> Learner:
    """Return the learner of a recipe."""
    return QLearner(recipe) if recipe.learner == Q_LEARNING_NAME else EvolutionaryLearner(recipe, first_population)


def check_new_folder(folder: Path) -> None:
    """Raise RunError if a new run cannot be created in a folder."""
    if is_run_folder(folder):
        raise RunError(
            f"{folder} is a run already. Resume it with `{format_resume_command(folder)}`, or choose another --out."
        )
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder} is a file. Choose another folder for --out.")
    # A process that is killed while it creates a run may leave these files.
    run_files = (POPULATION_FOLDER, METRICS_FILE, META_FILE, CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE)
    if folder.is_dir() and any(path.name not in run_files and path.suffix != PART_SUFFIX for path in folder.iterdir()):
        raise RunError(f"{folder} is not empty and not a run. Choose another folder for --out.")


def load_first_population(recipe: Recipe, folder: str | Path | None) -> NumpyArray | None:
    """Return the first population from a folder of text files; None if no folder is given."""
    if folder is None:
        return None
    if recipe.learner != "genetic":
        raise RecipeError(
            f"--import-text requires a genetic algorithm; {recipe.name} uses the learner {recipe.learner}."
        )
    check_weights_design(recipe)
    return import_text(Path(folder), recipe.make_design().parameter_names)


def restore_learner(learner: Learner, run: Run) -> None:
    """Restore a learner from the last checkpoint of a run."""
    state = load_checkpoint(run.folder)
    saved_recipe = bytes(state.pop("recipe", np.zeros(0, np.uint8))).decode(errors="replace")
    if parse_without_stop(saved_recipe) != replace(run.recipe, stop=StopSettings()):
        raise RunError(
            f"{run.folder / CONFIG_FILE} differs from the recipe of the run; only [stop] may change. Undo the changes, "
            "or start a new run: pass the file to `tetrion train` with another --out."
        )
    try:
        learner.restore(state)
    except (TetrionError, KeyError, ValueError, TypeError, IndexError) as error:
        raise RunError(f"{run.folder}: the checkpoint does not match the recipe ({error}).") from None


def parse_without_stop(recipe: str) -> Recipe | None:
    """Return a recipe with default [stop] settings, the only ones that may change; None if it cannot be read."""
    try:
        return replace(Recipe.from_mapping(tomllib.loads(recipe), ""), stop=StopSettings())
    except ValueError:
        return None
