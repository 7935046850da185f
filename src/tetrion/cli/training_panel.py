"""The progress of `tetrion train`: a live panel on a terminal, elsewhere one line per generation."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tetrion.engine.batch_play import GameRecords
from tetrion.evaluation.number_format import format_duration, format_name, format_number, format_speed
from tetrion.training.learner import Learner
from tetrion.training.trainer import TrainingObserver
from tetrion.training.validation import TrainingResult

_REFRESHES_PER_SECOND = 8
_SPARKLINE_BLOCKS = "▁▂▃▄▅▆▇█"
_SPARKLINE_WIDTH = 48  # characters
_MAX_SPARKLINE_VALUES = 10_000  # the most recent ones
_WEIGHT_BAR_WIDTH = 20  # characters
_MAX_WEIGHTS = 12  # shown in the panel
_MAX_LOG_LINES = 100  # per run, where there is no terminal
_RECENT_GENERATIONS = 10  # used to estimate the remaining time


def format_sparkline(values: list[float], width: int = _SPARKLINE_WIDTH) -> str:
    """Return values over time as a line of block characters of at most `width` characters, scaled from 0; skip NaN."""
    numbers = [value for value in values if not math.isnan(value)][-_MAX_SPARKLINE_VALUES:]
    if not numbers or max(numbers) <= 0:
        return ""
    step = max(1.0, len(numbers) / width)
    sampled = [numbers[min(len(numbers) - 1, int((i + 1) * step) - 1)] for i in range(min(width, len(numbers)))]
    block_count = len(_SPARKLINE_BLOCKS)
    return "".join(
        _SPARKLINE_BLOCKS[min(block_count - 1, int(max(0.0, value) / max(numbers) * block_count))] for value in sampled
    )


class TrainingLog(TrainingObserver):
    """The progress of a run as text: one line per generation, at most `_MAX_LOG_LINES` lines."""

    has_begun = False

    def on_begin(self, learner: Learner, workers: str) -> None:
        """Reset the counters when training begins or resumes."""
        self.learner = learner
        self.workers = workers
        self.has_begun = True
        self.start_time = self.last_generation_time = time.perf_counter()
        self.generation_seconds: list[float] = []
        self.pieces = 0
        self.pieces_in_progress = 0
        self.stage = "Playing"

    def on_games(self, games: GameRecords) -> None:
        """Count the pieces placed in the current generation."""
        self.pieces_in_progress = int(games["pieces"].sum())

    def on_step(self, learner: Learner) -> None:
        """Record a finished generation and show it."""
        now = time.perf_counter()
        self.generation_seconds = [*self.generation_seconds, now - self.last_generation_time][-_RECENT_GENERATIONS:]
        self.last_generation_time = now
        self.pieces += int(self.get_column("pieces")[-1])
        self.pieces_in_progress = 0
        self.refresh()

    def on_finals(self) -> None:
        """Record that the final evaluation begins."""
        self.stage = "Playing the final games"

    def refresh(self) -> None:
        """Print a line for the last generation, or only for some generations if there are many."""
        steps_per_line = -(-self.learner.max_steps // _MAX_LOG_LINES)
        if len(self.learner.metric_rows) % steps_per_line == 0 or self.learner.is_done():
            click.echo(", ".join(self.describe_generation()))

    def get_column(self, name: str) -> list[float]:
        """Return a metric of all generations so far."""
        column = self.learner.columns.index(name)
        return [row[column] for row in self.learner.metric_rows]

    @property
    def elapsed_seconds(self) -> float:
        """Seconds since training began or resumed."""
        return max(time.perf_counter() - self.start_time, 1e-9)

    @property
    def remaining_seconds(self) -> float | None:
        """Estimated seconds until the last generation, or None before the first one has ended."""
        steps = self.learner.max_steps - len(self.learner.metric_rows)
        return steps * sum(self.generation_seconds) / len(self.generation_seconds) if self.generation_seconds else None

    def describe_generation(self) -> list[str]:
        """Return the parts of the line about the last generation."""
        step_name = self.learner.metric_names[0]
        parts = [f"{step_name} {len(self.learner.metric_rows):,} of {self.learner.max_steps:,}"]
        if "mean" in self.learner.metric_names:
            best, mean, q1, q3 = (format_number(self.get_column(name)[-1]) for name in ("max", "mean", "q1", "q3"))
            parts += [f"best {best}", f"mean {mean}", f"quartiles {q1} to {q3}"]
        else:
            parts += [f"{format_number(self.get_column(name)[-1], 0)} {name}" for name in ("lines", "pieces")]
        validation = self.get_column("validation")[-1]
        parts += [] if math.isnan(validation) else [f"validation {format_number(validation)}"]
        return [
            *parts,
            format_speed(self.pieces / self.elapsed_seconds),
            f"{format_duration(self.remaining_seconds or 0)} left",
        ]


class TrainingPanel(TrainingLog):
    """The progress of a run as a live panel."""

    def __init__(self, live: Live) -> None:
        self.live = live

    def on_begin(self, learner: Learner, workers: str) -> None:
        """Show the panel."""
        super().on_begin(learner, workers)
        self.live.start()
        self.refresh()

    def on_games(self, games: GameRecords) -> None:
        """Count the pieces and refresh the panel."""
        super().on_games(games)
        self.refresh()

    def on_finals(self) -> None:
        """Show that the final evaluation begins."""
        super().on_finals()
        self.refresh()

    def on_finish(self, learner: Learner, result: TrainingResult) -> None:
        """Show the final state, which stays on the terminal."""
        self.stage = ""
        self.refresh()

    def refresh(self) -> None:
        """Update the panel."""
        self.live.update(self.render())

    def render(self) -> RenderableType:
        """Return the panel: title, fitness, weights and status."""
        recipe = self.learner.recipe
        title = Text.assemble((recipe.name, "bold"), (f"  seed {recipe.seed}  {recipe.rules}  {self.workers}", "dim"))
        has_generations = bool(self.learner.metric_rows)
        details = [Text(""), self.render_fitness(), Text(""), self.render_weights()] if has_generations else []
        return Group(title, *details, Text(""), self.render_status())

    def render_fitness(self) -> RenderableType:
        """Return a table with the fitness of the last generation and sparklines of all generations."""
        table = Table.grid(padding=(0, 2))
        fitness = self.learner.validator.fitness_description
        step_name = self.learner.metric_names[0].capitalize()
        rows = [(f"{step_name} {len(self.learner.metric_rows):,} of {self.learner.max_steps:,}", "", "")]
        if "mean" in self.learner.metric_names:
            rows += [(f"Best, {fitness}", "max", "green"), ("Mean", "mean", "cyan")]
        else:
            rows += [("Lines in the episode", "lines", "cyan")]
        rows += [("Validation games", "validation", "magenta")]
        for name, column, colour in rows:
            values = self.get_column(column) if column else []
            numbers = [value for value in values if not math.isnan(value)]
            last = format_number(numbers[-1]) if numbers else ("–" if column else "")
            heading = Text(name, "dim" if column else "bold")
            table.add_row(heading, Text(last, "bold"), Text(format_sparkline(values), colour))
        if "q1" in self.learner.metric_names:
            quartiles = f"{format_number(self.get_column('q1')[-1])} to {format_number(self.get_column('q3')[-1])}"
            table.add_row(Text("Quartiles", "dim"), Text(quartiles, "bold"))
        return table

    def render_weights(self) -> RenderableType:
        """Return a table with the weights of the incumbent and bars of their magnitude."""
        weights = self.learner.compute_parameters(self.learner.incumbents[-1])
        max_magnitude = max(map(abs, weights)) or 1.0
        table = Table.grid(padding=(0, 2))
        table.add_column()
        table.add_column(justify="right")
        shown = list(zip(self.learner.parameter_names, weights, strict=True))[:_MAX_WEIGHTS]
        for name, weight in shown:
            bar = "█" * max(1, round(abs(weight) / max_magnitude * _WEIGHT_BAR_WIDTH))
            colour = "green" if weight >= 0 else "red"
            table.add_row(Text(format_name(name), "dim"), Text(format_number(weight, 2)), Text(bar, colour))
        if hidden_count := len(weights) - len(shown):
            table.add_row(Text(f"and {hidden_count} more", "dim"))
        return table

    def render_status(self) -> RenderableType:
        """Return the stage, the speed, and the elapsed and remaining time."""
        parts = [
            self.stage,
            format_speed((self.pieces + self.pieces_in_progress) / self.elapsed_seconds),
            f"{format_duration(self.elapsed_seconds)} elapsed",
        ]
        if self.remaining_seconds and self.stage:
            parts.append(f"{format_duration(self.remaining_seconds)} left")
        return Text("  ".join(filter(None, parts)), "dim")


@contextmanager
def show_training() -> Iterator[TrainingLog]:
    """Provide the observer that shows training: a panel on a terminal, a log elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield TrainingLog()
        return
    live = Live(console=console, refresh_per_second=_REFRESHES_PER_SECOND)
    try:
        yield TrainingPanel(live)
    finally:
        live.stop()
