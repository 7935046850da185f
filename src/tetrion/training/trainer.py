"""Training from a recipe into a run's folder, and going on with one that was stopped."""

import tomllib
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from tetrion.engine.play import Games, Setting
from tetrion.engine.randomisers import checked_seed
from tetrion.errors import RecipeError, RunError, TetrionError
from tetrion.evaluation.clusters import workers_for
from tetrion.evaluation.workers import Workers
from tetrion.files import PART
from tetrion.training.checkpoint import BEFORE, CHECKPOINT, take_up_checkpoint
from tetrion.training.evolution import Evolution
from tetrion.training.fitness import Match, Team
from tetrion.training.judging import Result
from tetrion.training.keeping import Keeper, locked, resuming
from tetrion.training.learner import Learner
from tetrion.training.optimisers.protocol import Numbers
from tetrion.training.q_training import QTraining
from tetrion.training.recipe import Q_LEARNING, Recipe, StopSettings
from tetrion.training.run import CONFIG, META, METRICS, POPULATION, Run, is_run
from tetrion.training.text_files import check_weights, import_text
from tetrion.training.versions import differences


class Spectator:
    """Whoever watches training; each of these is called when it is time, and does nothing by itself."""

    def begins(self, learner: Learner, workers: str) -> None:
        """Training begins, or goes on."""

    def plays(self, games: Games) -> None:
        """Games go on; called several times a second."""

    def learned(self, learner: Learner) -> None:
        """A generation or episode has ended and is kept."""

    def judges(self) -> None:
        """The end has come: finalists play."""

    def finishes(self, learner: Learner, result: Result) -> None:
        """All is done and kept."""


def train(
    recipe: Recipe | str | Path,
    out: str | Path,
    *,
    seed: int | None = None,
    changes: Sequence[str] = (),
    first: str | Path | None = None,
    workers: Workers | Executor | int | None = None,
    device: str = "cpu",
    spectator: Spectator | None = None,
) -> Run:
    """Train by a recipe, or by the name or file of one, into a new folder; `changes` are as in `population=20`.

    `first` is a folder of Gavrilov's text files whose last population the first generation is. Ctrl-C, a killed process
    or a full disk lose no finished generation: `resume` goes on, and ends as if nothing had happened. `workers` are a
    number of threads (one a core if nothing is said), or a cluster or executor as for `evaluate`; with the `device`
    "cuda" the GPU plays. Whoever plays, it is the same run to the bit. A `spectator` is told of everything.
    """
    with players_of(workers, device) as players:
        folder = begin(recipe, out, seed=seed, changes=changes, first=first, workers=players)
        return resume(folder, workers=players, spectator=spectator)


def begin(
    recipe: Recipe | str | Path,
    out: str | Path,
    *,
    seed: int | None = None,
    changes: Sequence[str] = (),
    first: str | Path | None = None,
    workers: Workers | None = None,
) -> Path:
    """Make the folder of a run, ready to be resumed before its first generation, if `workers` can play it."""
    recipe = recipe if isinstance(recipe, Recipe) else Recipe.load(recipe, changes)
    recipe = recipe if seed is None else recipe.with_(seed=checked_seed(seed))
    learner = new_learner(recipe, population_of(recipe, first))
    if workers:
        workers.check(first_setting(learner))
    folder = Path(out)
    check_new(folder)
    Keeper(folder, learner, {} if first is None else {"first_population": str(first)}).begin()
    return folder


def resume(
    folder: str | Path,
    *,
    workers: Workers | Executor | int | None = None,
    device: str = "cpu",
    other_versions: bool = False,
    spectator: Spectator | None = None,
) -> Run:
    """Go on with a run, with whatever `workers` or on whatever `device`; one that has finished is left as it is.

    With other versions of code or libraries than it was begun with it might end otherwise, which is an error unless
    `other_versions` allows it. Raise `generations` in its config.toml, and a finished run goes on.
    """
    run = Run(folder)
    if not other_versions and (changed := differences(run.meta.get("versions"))):
        raise RunError(
            f"{folder} was made with other versions: {'; '.join(changed)}. With others it may end otherwise. Install "
            "those, or give --other-versions to go on all the same."
        )
    with locked(run.folder), players_of(workers, device) as players:
        learner = new_learner(run.recipe)
        restore(learner, run)
        if run.finished and learner.done():
            return run
        players.prepare(first_setting(learner))  # compiled or loaded before the clock starts
        keeper = Keeper(run.folder, learner, run.meta, players.words)
        keeper.take_up()
        return carry_on(learner, keeper, players, spectator or Spectator())


def carry_on(learner: Learner, keeper: Keeper, workers: Workers, spectator: Spectator) -> Run:
    """Learn until the end, keep everything, and judge."""
    team = Team(workers, spectator.plays)
    try:
        spectator.begins(learner, workers.words)
        while not learner.done():
            keeper.keep(learner.step(team))
            spectator.learned(learner)
        spectator.judges()
        result = learner.finish(team)
        keeper.finish(result)
    except (KeyboardInterrupt, TetrionError):
        with suppress(RunError):  # the disk may be full
            keeper.stop()
        raise
    spectator.finishes(learner, result)
    return Run(keeper.folder)


def players_of(workers: Workers | Executor | int | None, device: str) -> AbstractContextManager[Workers]:
    """Workers or an executor that somebody lends, threads of our own, or the GPU."""
    if isinstance(workers, Workers | Executor):
        return workers_for(workers, None, device)
    return workers_for(None, workers, device)


def first_setting(learner: Learner) -> Setting:
    """What a learner's first agent, all of whose numbers are 0, plays by."""
    agent = learner.agent(np.zeros(len(learner.names)), learner.recipe.name)
    return Match([agent], learner.rules, 1).setting


def new_learner(recipe: Recipe, first: Numbers | None = None) -> Learner:
    """Whoever learns by a recipe."""
    return QTraining(recipe) if recipe.learner == Q_LEARNING else Evolution(recipe, first)


def check_new(folder: Path) -> None:
    """Make sure that a new run can be made in a folder."""
    if is_run(folder):
        raise RunError(f"{folder} is a run already. Go on with it: {resuming(folder)} – or give another --out.")
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder} is a file. Give another place to --out.")
    ours = (POPULATION, METRICS, META, CHECKPOINT, BEFORE)  # what a run that was killed at once leaves behind
    if folder.is_dir() and any(path.name not in ours and path.suffix != PART for path in folder.iterdir()):
        raise RunError(f"{folder} is not empty and not a run. Give another place to --out.")


def population_of(recipe: Recipe, folder: str | Path | None) -> Numbers | None:
    """The population to begin with, if there is one."""
    if folder is None:
        return None
    if recipe.learner != "genetic":
        raise RecipeError(f"A genetic algorithm begins with a population; {recipe.name} learns by {recipe.learner}.")
    check_weights(recipe)
    return import_text(Path(folder), recipe.design().names)


def restore(learner: Learner, run: Run) -> None:
    """Bring a learner to where a run was."""
    state = take_up_checkpoint(run.folder)
    made_by = bytes(state.pop("recipe", np.zeros(0, np.uint8))).decode(errors="replace")
    if without_stop(made_by) != replace(run.recipe, stop=StopSettings()):
        raise RunError(
            f"{run.folder / CONFIG} is not what the run was made with; only [stop] may change. Put it back as it was, "
            "or train anew with it: give the file to `tetrion train` and another --out."
        )
    try:
        learner.restore(state)
    except (TetrionError, KeyError, ValueError, TypeError, IndexError) as problem:
        raise RunError(f"{run.folder}: the checkpoint does not fit the recipe ({problem}).") from None


def without_stop(recipe: str) -> Recipe | None:
    """A recipe but for when training stops, which may be changed to go on longer; None if it cannot be read."""
    try:
        return replace(Recipe.read(tomllib.loads(recipe), ""), stop=StopSettings())
    except ValueError:
        return None
