"""`tetrion train`: agents that learn, into a folder that is never lost."""

from collections.abc import Sequence
from pathlib import Path

import click

from tetrion.cli.training_panel import TrainingLog, show_training
from tetrion.cli.training_results import print_seed_comparison, print_training_result
from tetrion.engine.randomisers import validate_seed
from tetrion.errors import RunError, TetrionError
from tetrion.evaluation import Workers, connect_cluster, open_gpu, start_threads
from tetrion.evaluation.gpu import DEVICES
from tetrion.training.recipe import Recipe
from tetrion.training.run import SEED_FOLDER_PREFIX, Run, find_run_folders, is_run_folder
from tetrion.training.run_writer import format_resume_command
from tetrion.training.trainer import check_new_folder, create_run, resume

_DEVICE_HELP = "What plays: cuda is an NVIDIA GPU. It is the same run to the bit."
_EXIT_STOPPED = 130  # exit code: ended by Ctrl-C
_RUNS_FOLDER = "runs"  # where runs go if nobody says otherwise
_MAX_SEEDS = 1000


@click.command()
@click.argument("recipe", required=False)
@click.option("--out", metavar="DIR", help="The run's folder; runs/RECIPE-SEED if not given.")
@click.option("--seed", type=int, help="Same seed, same run to the bit; 0, or the recipe's own, if not given.")
@click.option("--seeds", type=click.IntRange(1, _MAX_SEEDS), help="Train with so many seeds and compare them.")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change the recipe: genetic.population=20.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Threads; all cores if not given.")
@click.option("--cluster", "address", metavar="ADDRESS", help="Play on a Dask cluster: tcp://host:8786.")
@click.option("--device", type=click.Choice(DEVICES), default="cpu", show_default=True, help=_DEVICE_HELP)
@click.option("--import-text", metavar="DIR", help="Begin with the last population_generation_N.txt of a folder.")
@click.option("--resume", "resumed", metavar="DIR", help="Go on with a run that was stopped.")
@click.option("--other-versions", is_flag=True, help="Resume although code or libraries have changed.")
def command(
    recipe: str | None,
    out: str | None,
    seed: int | None,
    seeds: int | None,
    changes: tuple[str, ...],
    workers: int | None,
    address: str | None,
    device: str,
    import_text: str | None,
    resumed: str | None,
    other_versions: bool,
) -> None:
    """Train an agent by RECIPE: a name (tetrion list recipes) or a TOML file.

    Every generation is kept when it ends. Ctrl-C stops; --resume goes on, and ends as if nothing had happened. The
    run's folder is an agent for every other command: tetrion bench runs/gavrilov-0 --rules gavrilov.
    """
    if (recipe is None) == (resumed is None):
        raise TetrionError("Give a recipe to train by, or --resume with the folder of a run; `tetrion list recipes`.")
    given = {"--out": out, "--seed": seed, "--seeds": seeds, "--set": changes, "--import-text": import_text}
    if resumed is not None and (unfit := [option for option, value in given.items() if value not in (None, ())]):
        raise TetrionError(f"--resume goes on as the run was begun; leave out {', '.join(unfit)}.")
    if seed is not None and seeds is not None:
        raise TetrionError("--seeds N trains with the seeds 0 to N − 1; leave out --seed.")
    if other_versions and resumed is None:
        raise TetrionError("--other-versions belongs to --resume.")
    if workers is not None and address is not None:
        raise TetrionError("--workers are threads of this machine, --cluster has its own; give one of them.")
    if device != "cpu" and (workers is not None or address is not None):
        raise TetrionError(f"--device {device} plays all games itself; leave out --workers and --cluster.")
    if recipe is None:
        folders = find_run_folders(Path(str(resumed)))
    else:
        chosen = Recipe.load(recipe, changes)
        chosen = chosen if seed is None else chosen.with_(seed=validate_seed(seed))
        wanted = [chosen] if seeds is None else [chosen.with_(seed=number) for number in range(seeds)]
        folders = choose_run_folders(wanted, out, seeds is not None)
        if seeds is not None and is_run_folder(folders[0].parent):
            raise TetrionError(f"{folders[0].parent} is a run of its own. Give another --out to the seeds.")
        for folder in folders:
            check_new_folder(folder)
    with make_workers(workers, address, device) as team:
        if recipe is not None:
            for part, folder in zip(wanted, folders, strict=True):
                create_run(part, folder, first_population=import_text, workers=team)
        runs = [train_to_end(folder, team, other_versions) for folder in folders]
    if len(runs) > 1:
        print_seed_comparison(runs)


def make_workers(workers: int | None, address: str | None, device: str) -> Workers:
    """Whoever plays the games: threads, a cluster, or the GPU."""
    if device != "cpu":
        return open_gpu()
    return start_threads(workers) if address is None else connect_cluster(address)


def choose_run_folders(recipes: Sequence[Recipe], out: str | None, several: bool) -> list[Path]:
    """A folder for each of the runs."""
    first = recipes[0]
    parent = Path(out) if out else Path(_RUNS_FOLDER) / f"{first.name}-{'seeds' if several else first.seed}"
    return [parent / f"{SEED_FOLDER_PREFIX}{recipe.seed}" for recipe in recipes] if several else [parent]


def train_to_end(folder: Path, team: Workers, other_versions: bool) -> Run:
    """A run trained to its end; Ctrl-C says how to go on."""
    display = TrainingLog()
    try:
        with show_training() as display:
            run = resume(folder, workers=team, allow_other_versions=other_versions, observer=display)
    except KeyboardInterrupt:
        kept = Run(folder).generation_count
        click.echo(f"Stopped; {kept:,} finished are kept. Go on with: {format_resume_command(folder)}", err=True)
        raise SystemExit(_EXIT_STOPPED) from None
    except TetrionError as mistake:
        if display.has_begun and not isinstance(mistake, RunError):
            click.echo(f"Finished generations are kept. Go on with: {format_resume_command(folder)}", err=True)
        raise
    if not display.has_begun:
        longer = " To go on longer, raise generations under [stop] in its config.toml." if run.has_population else ""
        click.echo(f"{folder} has finished.{longer}")
    print_training_result(run)
    return run
