"""`tetrion train`: train an agent and save the run in a folder."""

from collections.abc import Sequence
from pathlib import Path

import click

from tetrion.cli.exit_codes import EXIT_STOPPED
from tetrion.cli.shared_options import device_option, workers_option
from tetrion.cli.training_panel import TrainingLog, show_training
from tetrion.cli.training_results import print_seed_comparison, print_training_result
from tetrion.engine.randomisers import validate_seed
from tetrion.errors import RunError, TetrionError
from tetrion.evaluation import Workers, connect_cluster, open_gpu, start_threads
from tetrion.training.recipe import Recipe
from tetrion.training.run import SEED_FOLDER_PREFIX, Run, find_run_folders, is_run_folder
from tetrion.training.run_writer import format_resume_command
from tetrion.training.trainer import check_new_folder, create_run, resume

_RUNS_FOLDER = "runs"
_MAX_SEEDS = 1000


@click.command()
@click.argument("recipe", required=False)
@click.option("--out", metavar="DIR", help="Folder of the run (default: runs/RECIPE-SEED).")
@click.option("--seed", type=int, metavar="N", help="Seed of the run (default: the recipe's seed, or 0).")
@click.option(
    "--seeds",
    type=click.IntRange(1, _MAX_SEEDS),
    metavar="N",
    help="Train N runs with the seeds 0 to N − 1 and compare them.",
)
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change a setting: genetic.population=20.")
@workers_option
@click.option(
    "--cluster", "cluster_address", metavar="ADDRESS", help="Play the games on a Dask cluster: tcp://host:8786."
)
@device_option
@click.option(
    "--import-text",
    metavar="DIR",
    help="Start from the last population_generation_N.txt in DIR (text format of Gavrilov's program).",
)
@click.option("--resume", "resumed_folder", metavar="DIR", help="Resume a stopped run.")
@click.option("--allow-other-versions", is_flag=True, help="Resume although the code or libraries have changed.")
@click.option("--other-versions", "former_allow_other_versions", is_flag=True, hidden=True)  # the option's former name
def command(
    *,
    recipe: str | None,
    out: str | None,
    seed: int | None,
    seeds: int | None,
    changes: tuple[str, ...],
    workers: int | None,
    cluster_address: str | None,
    device: str,
    import_text: str | None,
    resumed_folder: str | None,
    allow_other_versions: bool,
    former_allow_other_versions: bool,
) -> None:
    """Train an agent with RECIPE: a name (see tetrion list recipes) or a TOML file.

    Every generation is saved when it ends. Ctrl-C stops; a run continued with --resume has the same result as one that
    was not stopped. Other commands accept the folder of a run as an agent: tetrion bench runs/gavrilov-0 --rules
    gavrilov.
    """
    allow_other_versions = allow_other_versions or former_allow_other_versions
    if (recipe is None) == (resumed_folder is None):
        raise TetrionError(
            "Give either a recipe (`tetrion list recipes` lists all), or --resume with the folder of a run."
        )
    new_run_options = {"--out": out, "--seed": seed, "--seeds": seeds, "--set": changes, "--import-text": import_text}
    invalid = [option for option, value in new_run_options.items() if value not in (None, ())]
    if resumed_folder is not None and invalid:
        raise TetrionError(f"--resume continues a run with its own settings; omit {', '.join(invalid)}.")
    if seed is not None and seeds is not None:
        raise TetrionError("--seeds N trains with the seeds 0 to N − 1; omit --seed.")
    if allow_other_versions and resumed_folder is None:
        raise TetrionError("--allow-other-versions can only be used with --resume.")
    if workers is not None and cluster_address is not None:
        raise TetrionError("--workers sets threads of this machine, --cluster uses other machines; give only one.")
    if device != "cpu" and (workers is not None or cluster_address is not None):
        raise TetrionError(f"--device {device} uses neither threads nor a cluster; omit --workers and --cluster.")
    if recipe is None:
        folders = find_run_folders(Path(str(resumed_folder)))
    else:
        base_recipe = Recipe.load(recipe, changes)
        base_recipe = base_recipe if seed is None else base_recipe.with_(seed=validate_seed(seed))
        recipes = [base_recipe] if seeds is None else [base_recipe.with_(seed=number) for number in range(seeds)]
        folders = choose_run_folders(recipes, out, has_seeds=seeds is not None)
        if seeds is not None and is_run_folder(folders[0].parent):
            raise TetrionError(f"{folders[0].parent} is already a single run. Give another --out for --seeds.")
        for folder in folders:
            check_new_folder(folder)
    with make_workers(workers, cluster_address, device) as game_workers:
        if recipe is not None:
            for seed_recipe, folder in zip(recipes, folders, strict=True):
                create_run(seed_recipe, folder, first_population=import_text, workers=game_workers)
        runs = [train_to_end(folder, game_workers, allow_other_versions) for folder in folders]
    if len(runs) > 1:
        print_seed_comparison(runs)


def make_workers(workers: int | None, cluster_address: str | None, device: str) -> Workers:
    """Return the workers that play the games: threads, a cluster, or the GPU."""
    if device != "cpu":
        return open_gpu()
    return start_threads(workers) if cluster_address is None else connect_cluster(cluster_address)


def choose_run_folders(recipes: Sequence[Recipe], out: str | None, *, has_seeds: bool) -> list[Path]:
    """Return the folder of each run; with `has_seeds`, they are subfolders of one folder."""
    first = recipes[0]
    parent = Path(out) if out else Path(_RUNS_FOLDER) / f"{first.name}-{'seeds' if has_seeds else first.seed}"
    return [parent / f"{SEED_FOLDER_PREFIX}{recipe.seed}" for recipe in recipes] if has_seeds else [parent]


def train_to_end(folder: Path, workers: Workers, allow_other_versions: bool) -> Run:
    """Train a run to its end and print the result; after Ctrl-C, print the command that resumes it."""
    log = TrainingLog()
    try:
        with show_training() as log:
            run = resume(folder, workers=workers, allow_other_versions=allow_other_versions, observer=log)
    except KeyboardInterrupt:
        saved = f"{Run(folder).generation_count:,} finished generations are saved"
        click.echo(f"Stopped. {saved}. Resume with: {format_resume_command(folder)}", err=True)
        raise SystemExit(EXIT_STOPPED) from None
    except TetrionError as error:
        if log.has_begun and not isinstance(error, RunError):
            click.echo(f"Finished generations are saved. Resume with: {format_resume_command(folder)}", err=True)
        raise
    if not log.has_begun:
        hint = " To train longer, increase generations under [stop] in its config.toml." if run.has_population else ""
        click.echo(f"The run {folder} is already finished.{hint}")
    print_training_result(run)
    return run
