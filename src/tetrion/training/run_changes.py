"""Changes of a run that is resumed: only the settings that decide when training ends may change."""

import tomllib
import zipfile
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from tetrion.agents.run_folders import CONFIG_FILE
from tetrion.errors import RunError, TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.training.checkpoint import load_checkpoint, read_checkpoint_file, write_checkpoint_file
from tetrion.training.learner import Learner
from tetrion.training.optimisers.optimiser import StateArrays
from tetrion.training.recipe import Recipe, find_setting, get_sections
from tetrion.training.run import Run

RECIPE_ARRAY = "recipe"  # the recipe in a checkpoint, as the bytes of its TOML text


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
    end_settings = list_end_settings(recipe)
    if refused := [name for name in names if name not in end_settings]:
        raise RunError(
            f"Only these settings can change when a run is resumed: {', '.join(end_settings)}; and `workers`, "
            f"`executor` and `device`, which do not affect the result. Given {', '.join(refused)}. Start a new run for "
            "other settings."
        )
    if changed != recipe and (reason := recipe.learner_type.length_dependence):
        raise RunError(f"{run.folder} cannot become longer or shorter: {reason}. Start a new run instead.")
    learner = recipe.learner_type(changed)
    restore_learner(learner, run)
    check_end(learner, run)
    return changed


def check_end(learner: Learner, run: Run) -> None:
    """Raise RunError if the settings of a learner would have ended its run before the last finished step."""
    rows = learner.metric_rows
    for count in range(1, len(rows)):
        learner.metric_rows = rows[:count]
        if learner.is_done():
            finished = format_count(len(rows), f"finished {run.step_name}")
            raise RunError(
                f"{run.folder} has {finished} already; with these settings it would have ended after "
                f"{format_count(count, run.step_name)}. Choose a later end, or start a new run."
            )
    learner.metric_rows = rows


def restore_learner(learner: Learner, run: Run) -> None:
    """Restore a learner from the last checkpoint of a run."""
    state = load_checkpoint(run.folder, run.step_name)
    if reset_end_settings(read_recipe(state)) != reset_end_settings(run.recipe):
        end_settings = ", ".join(list_end_settings(run.recipe))
        raise RunError(
            f"{run.folder / CONFIG_FILE} differs from the recipe of the run; only {end_settings} may change. Undo the "
            "other changes, or start a new run with this file as its recipe."
        )
    try:
        learner.restore({name: array for name, array in state.items() if name != RECIPE_ARRAY})
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise RunError(f"{run.folder}: the checkpoint does not match the recipe ({error}).") from None


def encode_recipe(recipe: Recipe) -> StateArrays:
    """Return the array with which a checkpoint stores a recipe."""
    return {RECIPE_ARRAY: np.frombuffer(recipe.to_toml().encode(), np.uint8)}


def read_recipe(state: StateArrays) -> Recipe | None:
    """Return the recipe in a checkpoint, or None if it cannot be read."""
    text = bytes(state.get(RECIPE_ARRAY, np.zeros(0, np.uint8))).decode(errors="replace")
    try:
        return Recipe.from_mapping(tomllib.loads(text), "")
    except ValueError:
        return None


def update_checkpoint_recipe(path: Path, recipe: Recipe) -> None:
    """Replace the recipe in a checkpoint file by one with another end; a missing or damaged file is left unchanged."""
    try:
        state = read_checkpoint_file(path)
    except (FileNotFoundError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return
    if read_recipe(state) != recipe:
        write_checkpoint_file(path, state | encode_recipe(recipe))


def list_end_settings(recipe: Recipe) -> list[str]:
    """Return the settings of a recipe that may change when its run is resumed."""
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
        recipe = recipe.with_(**{attribute: replace(settings, **{key: default})})
    return recipe
