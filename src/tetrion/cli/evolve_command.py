"""`tetrion evolve`: training to be watched in the window."""

import shlex
from pathlib import Path
from typing import Any

import click

from tetrion.cli.train_command import choose_run_folders
from tetrion.engine.randomisers import validate_seed
from tetrion.errors import RunError, TetrionError, UnknownNameError
from tetrion.training.recipe import RECIPE_SUFFIX, Recipe, list_recipes
from tetrion.training.run import Run, find_run_folders, is_run_folder
from tetrion.training.trainer import check_new_folder


@click.command()
@click.argument("recipe_or_run", metavar="RECIPE|RUN")
@click.option("--out", metavar="DIR", help="The run's folder; runs/RECIPE-SEED if not given.")
@click.option("--seed", type=int, help="Same seed, same run to the bit; 0, or the recipe's own, if not given.")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change the recipe: genetic.population=20.")
def command(recipe_or_run: str, out: str | None, seed: int | None, changes: tuple[str, ...]) -> None:
    """Watch a population learn: train by RECIPE, or look at RUN, the folder of a run.

    A run that is trained here is the same to the bit as by tetrion train. Close the window when you like: finished
    generations are kept, and both commands go on with the run. A folder is only looked at, whether somebody trains in
    it or it has finished; an unfinished one can be gone on with from the screen.
    """
    path = Path(recipe_or_run)
    if path.is_dir():
        if unfit := [option for option, given in (("--out", out), ("--seed", seed), ("--set", changes)) if given]:
            raise TetrionError(f"{path} is looked at as it is; leave out {', '.join(unfit)}.")
        options: dict[str, Any] = {"run": str(validate_run(path))}
    else:
        if recipe_or_run not in list_recipes() and path.suffix.lower() != RECIPE_SUFFIX:
            listing = "`tetrion list recipes` shows all; a recipe of yours ends in .toml, a run is its folder."
            raise UnknownNameError("recipe or run", recipe_or_run, list_recipes(), listing=listing)
        recipe = Recipe.load(recipe_or_run, changes)
        recipe = recipe if seed is None else recipe.with_(seed=validate_seed(seed))
        options = {
            "recipe": recipe_or_run,
            "seed": seed,
            "changes": changes,
            "out": str(validate_new_folder(recipe, out)),
        }
    from tetrion.app.launcher import open_window

    open_window("evolution", **options)


def validate_run(folder: Path) -> Path:
    """A single run that can be read."""
    folders = find_run_folders(folder)
    if not is_run_folder(folders[0]):
        raise RunError(f"{folder} is not a run: it has no config.toml. `tetrion train` makes runs.")
    if folders[0] != folder:
        raise RunError(f"{folder} has the runs of {len(folders)} seeds. Give one of them, such as {folders[0]}.")
    _ = Run(folder).recipe, Run(folder).metrics
    return folder


def validate_new_folder(recipe: Recipe, out: str | None) -> Path:
    """Where a new run goes, if it can be made there."""
    folder = choose_run_folders([recipe], out, False)[0]
    if is_run_folder(folder):
        there = shlex.join(["tetrion", "evolve", str(folder)])
        raise RunError(f"{folder} is a run already. Open it: {there} – or give another --seed or --out.")
    check_new_folder(folder)
    return folder
