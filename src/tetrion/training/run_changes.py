"""Changes of a run that is resumed: only the settings that decide when training ends may change."""

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents.run_folders import CONFIG_FILE
from tetrion.data_files import parse_toml
from tetrion.errors import RunError, TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.training.checkpoint import (
    CHECKPOINT_FILE,
    CHECKPOINT_FILES,
    read_checkpoint_file,
    write_checkpoint_file,
)
from tetrion.training.history_files import restore_history
from tetrion.training.learner import Learner
from tetrion.training.optimisers.optimiser import StateArrays
from tetrion.training.recipe import Recipe, find_setting, get_sections
from tetrion.training.run import Run

RECIPE_ARRAY = "recipe"  # the recipe in a checkpoint, as the bytes of its TOML text
_OTHER_RECIPE = "has another recipe"


def change_end(run: Run, changes: Mapping[str, Any]) -> Recipe:
    """Return the recipe of a run with other settings of its end; raise RunError if another setting would change.

    The changed run must be the one that these settings give from the start, so they may not have ended it before its
    last finished step.
    """
    recipe = run.recipe
    try:
        names = [".".join(filter(None, find_setting(name, recipe.learner))) for name in changes]
        changed = recipe.change(changes)
    except TetrionError as error:
        raise RunError(f"{run.folder}: {error}") from None
    if refused := [name for name in names if name not in recipe.learner_type.end_settings]:
        end_settings = ", ".join(list_end_settings(recipe))
        raise RunError(
            f"Only these settings can change when a run is resumed: {end_settings}{'; and ' * bool(end_settings)}"
            f"`workers`, `executor` and `device`, which do not affect the result. Given {', '.join(refused)}. Start a "
            "new run for other settings."
        )
    if changed != recipe and (reason := recipe.learner_type.length_dependence):
        raise RunError(f"{run.folder} cannot become longer or shorter: {reason}. Start a new run instead.")
    check_end(restore_learner(run, changed).learner, run)
    return changed


def check_end(learner: Learner, run: Run) -> None:
    """Raise RunError if the settings of a learner would have ended its run before the last finished step."""
    replayed = learner.recipe.learner_type(learner.recipe)
    for row, incumbent in zip(learner.metric_rows[:-1], learner.incumbents, strict=False):
        replayed.add_step(row, incumbent)
        if replayed.has_reached_limit():
            finished = format_count(len(learner.metric_rows), f"finished {run.step_name}")
            raise RunError(
                f"{run.folder} has {finished} already; with these settings it would have ended after "
                f"{format_count(len(replayed.metric_rows), run.step_name)}. Choose a later end, or start a new run."
            )


class RestoredLearner(NamedTuple):
    """A learner in the state of a checkpoint, and whether this is the last checkpoint of the run."""

    learner: Learner
    is_from_last_checkpoint: bool


def restore_learner(run: Run, recipe: Recipe) -> RestoredLearner:
    """Return a learner with the last state of a run; `recipe` may differ from that of the run in the end of training.

    The previous checkpoint is used if the last one cannot be restored: resuming from it repeats the lost step exactly.
    """
    problems: list[str] = []
    for name in CHECKPOINT_FILES:
        try:
            return RestoredLearner(restore_checkpoint(run, recipe, name), name == CHECKPOINT_FILE)
        except RunError as error:
            problems.append(f"{name} {str(error).rstrip('.')}")
    if any(problem.endswith(_OTHER_RECIPE) for problem in problems):
        end_settings = ", ".join(list_end_settings(run.recipe))
        remedy = f"only {end_settings} may change. Undo the other changes" if end_settings else "undo the changes"
        raise RunError(
            f"{run.folder / CONFIG_FILE} differs from the recipe of the run; {remedy}, or start a new run with this "
            "file as its recipe."
        )
    raise RunError(
        f"{run.folder} cannot be resumed: {'; '.join(problems)}. Its finished {run.step_name}s are in metrics.csv and "
        "population/. To train again from the start, start a new run with its config.toml as the recipe."
    )


def restore_checkpoint(run: Run, recipe: Recipe, name: str) -> Learner:
    """Return a learner with the state of a checkpoint; raise RunError with the rest of a sentence if it is unusable."""
    state = read_checkpoint_file(run.folder / name)
    saved_recipe = read_recipe(state)
    if saved_recipe is None:
        raise RunError("is damaged")
    if reset_end_settings(saved_recipe) != reset_end_settings(run.recipe):
        raise RunError(_OTHER_RECIPE)
    learner = recipe.learner_type(recipe)
    try:
        state = restore_history(learner, run.folder, state)
        learner.restore({name: array for name, array in state.items() if name != RECIPE_ARRAY})
    except (ValueError, LookupError, TypeError, ArithmeticError) as error:
        raise RunError(f"cannot be restored ({str(error).rstrip('.')})") from None
    return learner


def encode_recipe(recipe: Recipe) -> StateArrays:
    """Return the array with which a checkpoint stores a recipe."""
    return {RECIPE_ARRAY: np.frombuffer(recipe.to_toml().encode(), np.uint8)}


def read_recipe(state: StateArrays) -> Recipe | None:
    """Return the recipe in a checkpoint, or None if it cannot be read."""
    try:
        return Recipe.from_mapping(parse_toml(state[RECIPE_ARRAY].tobytes()), "")
    except (KeyError, TetrionError):
        return None


def update_checkpoint_recipe(path: Path, recipe: Recipe) -> None:
    """Replace the recipe in a checkpoint file by one with another end; a missing or damaged file is left unchanged."""
    try:
        state = read_checkpoint_file(path)
    except RunError:
        return
    if read_recipe(state) != recipe:
        write_checkpoint_file(path, state | encode_recipe(recipe))


def list_end_settings(recipe: Recipe) -> list[str]:
    """Return the settings of a recipe that may change when its run is resumed; none if its steps depend on them."""
    if recipe.learner_type.length_dependence:
        return []
    sections = get_sections(recipe.learner)
    return [name for name in recipe.learner_type.end_settings if name.partition(".")[0] in sections]


def reset_end_settings(recipe: Recipe | None) -> Recipe | None:
    """Return a recipe with the default values of the settings that decide when training ends."""
    if recipe is None:
        return None
    for name in list_end_settings(recipe):
        section, _, key = name.rpartition(".")
        settings = recipe.get_section(section)
        default = next(setting.default for setting in fields(settings) if setting.name == key)
        attribute = "settings" if section == recipe.learner else section
        recipe = recipe.replace(**{attribute: replace(settings, **{key: default})})
    return recipe
