"""`tetrion train`: train an agent and save the run in a folder."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import click
from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tetrion.agents.run_folders import SEED_FOLDER_PREFIX, find_free_folder, find_run_folders, is_run_folder
from tetrion.cli import EXIT_STOPPED
from tetrion.cli.console_output import (
    CleanConsole,
    continue_without_output,
    echo,
    name_program,
    print_notice,
    print_table,
    print_wrapped,
)
from tetrion.cli.report_command import command as report_command
from tetrion.cli.shared_options import device_option, workers_option
from tetrion.engine.compiler import plan_compilation
from tetrion.engine.randomisers import validate_seed
from tetrion.errors import RunError, TetrionError
from tetrion.evaluation import Workers, connect_cluster, open_gpu, start_threads
from tetrion.evaluation.gpu import GpuWorkers
from tetrion.evaluation.number_format import format_duration, format_name, format_number, format_rough_duration
from tetrion.evaluation.progress_bar import describe_progress, occupy_display
from tetrion.lab.run_summary import (
    RESULT_UNITS,
    describe_best_in_training,
    describe_crowd,
    describe_held_out_games,
    describe_selection,
    format_held_out_mean,
    format_mean_over_seeds,
    format_training_time,
    get_held_out_mean,
    list_attack_rates,
)
from tetrion.progress import Observer, Progress
from tetrion.text_cleaning import join_command
from tetrion.training.checkpoint import count_saved_steps, list_end_settings
from tetrion.training.folder_locks import FolderLocks
from tetrion.training.learner import VALIDATION_COLUMN, Learner
from tetrion.training.recipe import Recipe
from tetrion.training.recipe_durations import estimate_seconds
from tetrion.training.run import META_FILE, REPORT_FILE, Run
from tetrion.training.run_writer import describe_saved_steps, format_resume_command
from tetrion.training.trainer import create_locked_runs, find_training_parts, resume_runs
from tetrion.training.training_progress import TrainingProgress

_RUNS_FOLDER = "runs"
_MAX_SEEDS = 1000
_LONG_SECONDS = 3600  # longer training is announced


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
        if device == "cpu" and cluster_address is None:
            warn_of_long_training(recipes, changes, workers)
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


def warn_of_long_training(recipes: Sequence[Recipe], changes: Sequence[str], workers: int | None) -> None:
    """Say how long training takes if that is more than an hour, and how to stop and resume it."""
    seconds = estimate_seconds(recipes[0].name, workers)
    if seconds and not changes and (total := seconds * len(recipes)) > _LONG_SECONDS:
        print_notice(
            f"Training with {recipes[0].name} takes about {format_rough_duration(total)} on this machine. Ctrl-C stops "
            "it; --resume continues. `tetrion list recipes` shows shorter ones."
        )


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
    if not isinstance(workers, GpuWorkers):
        plan_compilation(find_training_parts(runs[0].recipe))
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


_REFRESHES_PER_SECOND = 8
_SPARKLINE_BLOCKS = "▁▂▃▄▅▆▇█"
_SPARKLINE_WIDTH = 48  # characters
_MAX_SPARKLINE_STEPS = 10_000  # the most recent ones
_CURVE_COLOURS = ("green", "cyan", "magenta")
_WEIGHT_BAR_WIDTH = 20  # characters
_MAX_WEIGHTS = 12  # shown in the panel and in the result
_MAX_LOG_LINES = 100  # where there is no terminal
_FIRST_LINE_SECONDS = 10  # after which the speed is printed if no generation has ended


@contextmanager
def show_training() -> Iterator[Observer[Progress]]:
    """Provide the observer that shows training: a panel on a terminal, a log elsewhere.

    A log that can no longer be written, such as one on a full disk, does not end training.
    """
    console = CleanConsole(stderr=True)
    if not console.is_terminal:
        log = TrainingLog()

        def update_log(progress: Progress) -> None:
            with continue_without_output("Training continues without output"):
                log(progress)

        yield update_log
        return
    live = Live(console=console, refresh_per_second=_REFRESHES_PER_SECOND)
    next_update = 0.0
    latest: tuple[Progress, float] | None = None  # with its time

    def update(progress: Progress) -> None:
        nonlocal next_update, latest
        latest = progress, time.monotonic()
        with suppress(OSError):  # the terminal may be closed while training continues
            live.start()  # has no effect once it is started
            if time.monotonic() >= next_update or progress.done == progress.planned:  # a step may take milliseconds
                next_update = time.monotonic() + 1 / _REFRESHES_PER_SECOND
                live.update(render_progress(progress, console.width))

    try:
        with occupy_display():
            yield update
    finally:
        with suppress(OSError):
            if latest:  # the final games end after the last report
                progress, reported = latest
                seconds = progress.seconds + time.monotonic() - reported
                live.update(render_progress(replace(progress, seconds=seconds), console.width))
            live.stop()


class TrainingLog:
    """An observer that prints one line per generation, or only for some generations if there are many."""

    def __init__(self) -> None:
        self.has_printed = False
        self.printed_count = 0
        self.printed_details: tuple[str, ...] = ()

    def __call__(self, progress: Progress) -> None:
        """Print a line if a generation has ended, or if the first one takes long."""
        self.printed_count = min(self.printed_count, progress.done)  # another run may follow
        steps_per_line = max(1, -(-progress.planned // _MAX_LOG_LINES))
        is_due = progress.done // steps_per_line != self.printed_count // steps_per_line
        is_last = progress.done == progress.planned
        # The seeds of several runs finish after their last generations, with the final games.
        is_seeds = not isinstance(progress, TrainingProgress)
        has_finished = is_last and is_seeds and tuple(progress.details) != self.printed_details
        is_slow = not self.has_printed and progress.pieces > 0 and progress.seconds > _FIRST_LINE_SECONDS
        if (progress.done != self.printed_count and (is_due or is_last)) or has_finished or is_slow:
            self.has_printed = True
            self.printed_count = progress.done
            self.printed_details = tuple(progress.details)
            echo(", ".join(describe_progress(progress)))


def render_progress(progress: Progress, width: int = 80) -> RenderableType:
    """Return the panel for a terminal: title and status, and for a single run its metrics and weights."""
    if isinstance(progress, TrainingProgress):
        learner = progress.learner
        recipe = learner.recipe
        origin = f"  seed {recipe.seed}  {recipe.rules}  {progress.workers}"
        tables = (
            [render_metrics(learner, width), Text(""), render_weights(learner), Text("")] if learner.metric_rows else []
        )
        parts: list[RenderableType] = [Text.assemble((recipe.name, "bold"), (origin, "dim")), Text(""), *tables]
        status = [progress.task, *describe_progress(replace(progress, details=()))]
    else:
        parts = [Text(progress.task, "bold")]
        status = describe_progress(progress)
    return Group(*parts, Text("  ".join([*status, f"{format_duration(progress.seconds)} elapsed"]), "dim"))


def render_metrics(learner: Learner, width: int) -> RenderableType:
    """Return a table with the metrics of the last generation and sparklines of all generations."""
    rows = []
    for title, column in {**learner.curves, "Validation games": VALIDATION_COLUMN}.items():
        values = learner.get_column(column, _MAX_SPARKLINE_STEPS)
        numbers = [value for value in values if not math.isnan(value)]
        rows.append((title, format_number(numbers[-1]) if numbers else "–", values))
    if {"q1", "q3"} <= set(learner.metric_names):
        quartiles = (format_number(learner.get_column(name, 1)[-1]) for name in ("q1", "q3"))
        rows.append(("Quartiles", " to ".join(quartiles), []))
    text_width = sum(max(map(len, column)) for column in zip(*((title, last) for title, last, _ in rows), strict=True))
    sparkline_width = max(1, min(_SPARKLINE_WIDTH, width - text_width - 4))
    table = Table.grid(padding=(0, 2))
    for (title, last, values), colour in zip(rows, cycle(_CURVE_COLOURS), strict=False):
        sparkline = format_sparkline(values, sparkline_width)
        table.add_row(Text(title, "dim"), Text(last, "bold"), Text(sparkline, colour, no_wrap=True))
    return Group(Text(f"Fitness: {learner.validator.fitness_description}", "dim"), table)


def render_weights(learner: Learner) -> RenderableType:
    """Return a table with the weights of the incumbent and bars of their magnitude."""
    weights = learner.compute_parameters(learner.incumbents[-1])
    max_magnitude = max(map(abs, weights), default=0.0) or 1.0
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")
    shown = list(zip(learner.parameter_names, weights, strict=True))[:_MAX_WEIGHTS]
    for name, weight in shown:
        bar = "█" * max(1, round(abs(weight) / max_magnitude * _WEIGHT_BAR_WIDTH))
        colour = "green" if weight >= 0 else "red"
        table.add_row(Text(format_name(name), "dim"), Text(format_number(weight, 2)), Text(bar, colour))
    if hidden_count := len(weights) - len(shown):
        table.add_row(Text(f"and {hidden_count} more", "dim"))
    return table


def format_sparkline(values: list[float], width: int = _SPARKLINE_WIDTH) -> str:
    """Return values over time as a line of block characters of at most `width` characters, scaled from 0; skip NaN."""
    numbers = [value for value in values if not math.isnan(value)]
    if not numbers or max(numbers) <= 0:
        return ""
    step = max(1.0, len(numbers) / width)
    sampled = [numbers[min(len(numbers) - 1, int((i + 1) * step) - 1)] for i in range(min(width, len(numbers)))]
    block_count = len(_SPARKLINE_BLOCKS)
    return "".join(
        _SPARKLINE_BLOCKS[min(block_count - 1, int(max(0.0, value) / max(numbers) * block_count))] for value in sampled
    )


def print_training_result(run: Run) -> None:
    """Print the result of a finished run."""
    result = run.result
    if result is None:
        return
    echo()
    print_wrapped(result["note"])
    rows = [[unit, *format_summary(result, name)] for name, unit in RESULT_UNITS.items()]
    print_table(["held-out games", "mean", "median", "quartiles", "min", "max"], rows, right_aligned=True)
    echo()
    rates = ", ".join(f"{name} {rate}" for name, rate in list_attack_rates(result).items())
    weights = list(result["parameters"].items())
    more = f" and {len(weights) - _MAX_WEIGHTS} more" if len(weights) > _MAX_WEIGHTS else ""
    listed = ", ".join(f"{format_name(name)} {format_number(weight, 2)}" for name, weight in weights[:_MAX_WEIGHTS])
    reasons = f"{describe_selection(run, result)} {describe_best_in_training(run, result)}"
    paragraphs = [
        f"{rates.capitalize()}." if rates else "",
        f"Result on {describe_held_out_games(run, result)}",
        f"{reasons} Training took {format_training_time(run)}.",
        describe_crowd(result["crowd"]) if result["crowd"] else "",
        f"Weights of the best agent: {listed}{more}." if weights else "",
    ]
    for paragraph in filter(None, paragraphs):
        print_wrapped(paragraph)
    folder = join_command(str(run.folder))
    rules = join_command(run.recipe.rules)
    # not wrapped, so that they can be copied
    echo(name_program(f"\nMeasure the agent:  tetrion bench {folder} --rules {rules}"))
    echo(name_program(f"Write a report:     tetrion report {folder}"))


def format_summary(result: Mapping[str, Any], name: str) -> list[str]:
    """Return the table cells of a quantity: mean with interval, median, quartiles, minimum and maximum."""
    statistics = result["held_out"][name]
    quartiles = f"{format_number(statistics['q1'])}–{format_number(statistics['q3'])}"
    extremes = (format_number(statistics["min"], 0), format_number(statistics["max"], 0))
    return [format_held_out_mean(result, name), format_number(statistics["median"]), quartiles, *extremes]


def print_seed_comparison(runs: Sequence[Run]) -> None:
    """Print a table that compares the runs of several seeds."""
    finished = [(run, run.result) for run in runs if run.result]
    rows = [
        [
            f"seed {run.recipe.seed}",
            *(format_held_out_mean(result, name) for name in RESULT_UNITS),
            f"{run.generation_count:,}",
            format_training_time(run),
        ]
        for run, result in finished
    ]
    means = [
        format_mean_over_seeds([get_held_out_mean(result, name) for _, result in finished]) for name in RESULT_UNITS
    ]
    echo()
    rows.append([f"{len(finished)} seeds", *means, "", ""])
    units = [f"{unit} per game" for unit in RESULT_UNITS.values()]
    print_table(["", *units, f"{runs[0].step_name}s", "time"], rows, right_aligned=True)
    folder = join_command(str(runs[0].folder.parent))
    echo(name_program(f"\nWrite a report that compares them:  tetrion report {folder}"))
