"""The progress of `tetrion train`: a live panel on a terminal, elsewhere one line per generation."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import cycle

from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tetrion.cli.console_output import CleanConsole, continue_without_output, echo
from tetrion.cli.progress_bar import describe_progress
from tetrion.evaluation.number_format import format_duration, format_name, format_number
from tetrion.progress import Observer, Progress
from tetrion.training.learner import VALIDATION_COLUMN, Learner
from tetrion.training.training_progress import TrainingProgress

_REFRESHES_PER_SECOND = 8
_SPARKLINE_BLOCKS = "▁▂▃▄▅▆▇█"
_SPARKLINE_WIDTH = 48  # characters
_MAX_SPARKLINE_STEPS = 10_000  # the most recent ones
_CURVE_COLOURS = ("green", "cyan", "magenta")
_WEIGHT_BAR_WIDTH = 20  # characters
_MAX_WEIGHTS = 12  # shown in the panel
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

    def update(progress: Progress) -> None:
        nonlocal next_update
        with suppress(OSError):  # the terminal may be closed while training continues
            live.start()  # has no effect once it is started
            if time.monotonic() >= next_update or progress.done == progress.planned:  # a step may take milliseconds
                next_update = time.monotonic() + 1 / _REFRESHES_PER_SECOND
                live.update(render_progress(progress))

    try:
        yield update
    finally:
        with suppress(OSError):
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


def render_progress(progress: Progress) -> RenderableType:
    """Return the panel: title and status, and for a single run its metrics and weights."""
    if isinstance(progress, TrainingProgress):
        learner = progress.learner
        recipe = learner.recipe
        origin = f"  seed {recipe.seed}  {recipe.rules}  {progress.workers}"
        tables = [render_metrics(learner), Text(""), render_weights(learner), Text("")] if learner.metric_rows else []
        parts = [Text.assemble((recipe.name, "bold"), (origin, "dim")), Text(""), *tables]
        status = [progress.task, *describe_progress(replace(progress, details=()))]
    else:
        parts = [Text(progress.task, "bold")]
        status = describe_progress(progress)
    return Group(*parts, Text("  ".join([*status, f"{format_duration(progress.seconds)} elapsed"]), "dim"))


def render_metrics(learner: Learner) -> RenderableType:
    """Return a table with the metrics of the last generation and sparklines of all generations."""
    table = Table.grid(padding=(0, 2))
    rows = {**learner.curves, "Validation games": VALIDATION_COLUMN}
    for (title, column), colour in zip(rows.items(), cycle(_CURVE_COLOURS), strict=False):
        values = learner.get_column(column, _MAX_SPARKLINE_STEPS)
        numbers = [value for value in values if not math.isnan(value)]
        last = format_number(numbers[-1]) if numbers else "–"
        table.add_row(Text(title, "dim"), Text(last, "bold"), Text(format_sparkline(values), colour))
    if {"q1", "q3"} <= set(learner.metric_names):
        quartiles = (format_number(learner.get_column(name, 1)[-1]) for name in ("q1", "q3"))
        table.add_row(Text("Quartiles", "dim"), Text(" to ".join(quartiles), "bold"))
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
