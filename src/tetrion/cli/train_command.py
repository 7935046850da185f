"""`tetrion train`: train an agent and save the run in a folder."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from tetrion.agents.run_folders import SEED_FOLDER_PREFIX, find_free_folder, find_run_folders, is_run_folder
from tetrion.cli.console_output import continue_without_output, echo, print_notice
from tetrion.cli.exit_codes import EXIT_STOPPED
from tetrion.cli.program_name import name_program
from tetrion.cli.report_command import command as report_command
from tetrion.cli.shared_options import device_option, workers_option
from tetrion.cli.training_panel import show_training
from tetrion.cli.training_results import print_seed_comparison, print_training_result
from tetrion.engine.randomisers import validate_seed
from tetrion.errors import RunError, TetrionError
from tetrion.evaluation import Workers, connect_cluster, open_gpu, start_threads
from tetrion.training.checkpoint import count_saved_steps, list_end_settings
from tetrion.training.folder_locks import FolderLocks
from tetrion.training.recipe import Recipe
from tetrion.training.run import META_FILE, REPORT_FILE, Run
from tetrion.training.run_writer import describe_saved_steps, format_resume_command
from tetrion.training.trainer import create_locked_runs, resume_runs

_RUNS_FOLDER = "runs"
_MAX_SEEDS = 1000


@click.command()
@click.argument("recipe", required=False)
@click.option("--out", metavar="DIR", help="Folder of the run (default: runs/RECIPE-SEED, with a number if it exists).")
@click.option("--seed", type=int, metavar="N", help="Seed of the run (default: the recipe's seed, or 0).")
@click.option(
    "--seeds",
    type=click.IntRange(1, _MAX_SEEDS),
    metavar="N",
    help="Train N runs with the seeds 0 to N − 1 in parallel, and compare them.",
)
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a setting: genetic.population=20. With --resume only the end of the run: stop.generations=60.",
)
@workers_option
@click.option(
    "--cluster", "cluster_address", metavar="ADDRESS", help="Play the games on a Dask cluster: tcp://host:8786."
)
@device_option
@click.option(
    "--resume", "resumed_folder", metavar="DIR", help="Resume a stopped run, or train a finished run longer with --set."
)
@click.option("--allow-other-versions", is_flag=True, help="Resume although the code or libraries have changed.")
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
    resumed_folder: str | None,
    allow_other_versions: bool,
) -> None:
    """Train an agent with RECIPE: a name (see tetrion list recipes) or a TOML file.

    Every generation is saved when it ends. Ctrl-C stops; a run continued with --resume has the same result as one that
    was not stopped. --resume with --set stop.generations=60 trains a run longer, with the same result as one that was
    started with 60 generations; stop.total_pieces and stop.patience can change too, and q-learning.episodes and
    q-learning.total_pieces of Q-learning. Other commands accept the folder of a run as an agent: tetrion bench
    runs/gavrilov-0 --rules gavrilov.
    """
    if (recipe is None) == (resumed_folder is None):
        raise TetrionError(
            "Give either a recipe (`tetrion list recipes` lists all), or --resume with the folder of a run."
        )
    new_run_options = {"--out": out, "--seed": seed, "--seeds": seeds}
    invalid = [option for option, value in new_run_options.items() if value is not None]
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
        base_recipe = base_recipe if seed is None else base_recipe.replace(seed=validate_seed(seed))
        recipes = [base_recipe] if seeds is None else [base_recipe.replace(seed=number) for number in range(seeds)]
        folders = choose_run_folders(recipes, out, has_seeds=seeds is not None)
        if seeds is not None and is_run_folder(folders[0].parent):
            raise TetrionError(f"{folders[0].parent} is already a single run. Give another --out for --seeds.")
    with ExitStack() as stack:
        game_workers = stack.enter_context(make_workers(workers, cluster_address, device))
        locks = None
        if recipe is not None:
            new_runs = dict(zip(folders, recipes, strict=True))
            locks = stack.enter_context(create_locked_runs(new_runs, workers=game_workers))
        runs = train_to_end(
            folders,
            game_workers,
            allow_other_versions=allow_other_versions,
            changes=changes if recipe is None else (),
            locks=locks,
        )
    with continue_without_output("The result is saved in the folder of the run"):
        for run in runs:
            print_training_result(run)
        if len(runs) > 1:
            print_seed_comparison(runs)
    if resumed_folder is not None:
        update_report(Path(resumed_folder), runs)


def update_report(folder: Path, runs: Sequence[Run]) -> None:
    """Write the report of a resumed run again if the run has one that is older than its last generation."""
    report = folder / REPORT_FILE
    if report.exists() and any(report.stat().st_mtime < (run.folder / META_FILE).stat().st_mtime for run in runs):
        echo("\nWriting the report again:")
        click.get_current_context().invoke(report_command, run=str(folder), out=None)


def make_workers(workers: int | None, cluster_address: str | None, device: str) -> Workers:
    """Return the workers that play the games: threads, a cluster, or the GPU."""
    if device != "cpu":
        return open_gpu()
    return start_threads(workers) if cluster_address is None else connect_cluster(cluster_address)


def choose_run_folders(recipes: Sequence[Recipe], out: str | None, *, has_seeds: bool) -> list[Path]:
    """Return the folder of each run, by default one that does not exist yet; with `has_seeds`, in one folder."""
    name = f"{recipes[0].folder_name}-{'seeds' if has_seeds else recipes[0].seed}"
    parent = Path(out) if out else find_free_folder(Path(_RUNS_FOLDER), name)
    return [parent / f"{SEED_FOLDER_PREFIX}{recipe.seed}" for recipe in recipes] if has_seeds else [parent]


def train_to_end(
    folders: Sequence[Path],
    workers: Workers,
    *,
    allow_other_versions: bool,
    changes: Sequence[str] = (),
    locks: FolderLocks | None = None,
) -> list[Run]:
    """Train runs to their end, which `changes` may change; after Ctrl-C, print the command that resumes them.

    `locks` are those of new runs; without them, the folders are locked here.
    """
    runs = [Run(folder) for folder in folders]
    earlier_meta = [run.meta for run in runs]
    step_name = runs[0].step_name
    resume_command = format_resume_command(folders[0])
    try:
        with show_training() as on_progress:
            runs = resume_runs(
                folders,
                changes=changes,
                executor=workers,
                allow_other_versions=allow_other_versions,
                on_progress=on_progress,
                locks=locks,
            )
    except KeyboardInterrupt:
        if lost := find_lost_folder(folders):
            print_notice(f"Stopped. {lost} was moved, deleted or damaged during training.")
        else:
            count = sum(count_saved_steps(folder) or 0 for folder in folders)
            print_notice(f"Stopped. {describe_saved_steps(count, step_name)}. Resume with:", resume_command)
        raise SystemExit(EXIT_STOPPED) from None
    except TetrionError as error:
        if not isinstance(error, RunError) and not find_lost_folder(folders):
            print_notice(f"Finished {step_name}s are saved. Resume with:", resume_command)
        raise
    for run, meta in zip(runs, earlier_meta, strict=True):
        if run.meta == meta:
            echo(name_program(f"The run {run.folder} is already finished.{describe_longer_training(run)}"))
    return runs


def find_lost_folder(folders: Sequence[Path]) -> Path | None:
    """Return the first folder from which training can no longer be resumed, or None."""
    return next((folder for folder in folders if count_saved_steps(folder) is None), None)


def describe_longer_training(run: Run) -> str:
    """Return a sentence with the command that trains a finished run longer; empty if its length cannot change."""
    if not (names := list_end_settings(run.recipe)):
        return ""
    command = f"{format_resume_command(run.folder)} --set {names[0]}={2 * run.recipe.planned_steps}"
    return f" To train longer: {command}"
