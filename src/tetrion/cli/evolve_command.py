"""`tetrion evolve`: watch a training run in the window."""

from pathlib import Path
from typing import Any

import click

from tetrion.agents.agent_loading import looks_like_path
from tetrion.agents.run_folders import describe_missing_run, find_run_folders, is_run_folder
from tetrion.cli.train_command import choose_run_folders
from tetrion.engine.randomisers import validate_seed
from tetrion.errors import RunError, TetrionError, UnknownNameError
from tetrion.text_cleaning import join_command
from tetrion.training.recipe import RECIPE_SUFFIX, RECIPES, Recipe
from tetrion.training.run import Run
from tetrion.training.trainer import check_new_folder


@click.command()
@click.argument("recipe_or_run", metavar="RECIPE|RUN")
@click.option("--out", metavar="DIR", help="Folder of the run (default: runs/RECIPE-SEED, with a number if it exists).")
@click.option("--seed", type=int, metavar="N", help="Seed of the run (default: the recipe's seed, or 0).")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change a setting: genetic.population=20.")
def command(recipe_or_run: str, out: str | None, seed: int | None, changes: tuple[str, ...]) -> None:
    """Train with RECIPE and watch the population, or open RUN, the folder of a run.

    Training in the window gives the same run as tetrion train. The window can be closed at any time: finished
    generations are saved, and both commands can resume the run. Opening a folder does not change it; an unfinished run
    can be resumed in the window.
    """
    path = Path(recipe_or_run)
    if path.is_dir():
        given_options = {"--out": out, "--seed": seed, "--set": changes}
        if invalid := [option for option, value in given_options.items() if value]:
            raise TetrionError(f"{path} is an existing run and cannot be changed; omit {', '.join(invalid)}.")
        options: dict[str, Any] = {"run": str(validate_run(path))}
    else:
        if recipe_or_run not in RECIPES and path.suffix.lower() != RECIPE_SUFFIX:
            if looks_like_path(recipe_or_run):
                raise RunError(describe_missing_run(path))
            listing = "`tetrion list recipes` lists all. Give a .toml file for your own recipe, or the folder of a run."
            raise UnknownNameError("recipe or run", recipe_or_run, RECIPES, listing=listing)
        recipe = Recipe.load(recipe_or_run, changes)
        recipe = recipe if seed is None else recipe.replace(seed=validate_seed(seed))
        options = {
            "recipe": recipe_or_run,
            "seed": seed,
            "changes": changes,
            "out": str(validate_new_folder(recipe, out)),
        }
    from tetrion.app.launcher import open_window

    open_window("evolution", **options)


def validate_run(folder: Path) -> Path:
    """Return the folder if it holds a single, readable run; raise RunError otherwise."""
    if not is_run_folder(find_run_folders(folder)[0]):
        raise RunError(f"{folder} is not a run: it has no config.toml. `tetrion train` creates runs.")
    run = Run(folder)  # raises RunError for a folder of several seeds
    _ = run.recipe, run.metrics  # raises RunError if the files are damaged
    return folder


def validate_new_folder(recipe: Recipe, out: str | None) -> Path:
    """Return the folder of a new run; raise RunError if a run cannot be created there."""
    folder = choose_run_folders([recipe], out, has_seeds=False)[0]
    if is_run_folder(folder):
        open_command = join_command("tetrion", "evolve", str(folder))
        raise RunError(f"{folder} is already a run. Open it with {open_command}, or give another --out.")
    check_new_folder(folder)
    return folder
