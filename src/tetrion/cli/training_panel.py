"""What `tetrion train` shows while it trains: a live panel on a terminal, a plain line a generation elsewhere."""

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

_REFRESHES_PER_SECOND = 8  # a second
_SPARKLINE_BLOCKS = "▁▂▃▄▅▆▇█"
_SPARKLINE_WIDTH, _WEIGHT_BAR_WIDTH = 48, 20
_MAX_WEIGHTS = 12  # that are shown; a candidate may have dozens
_MAX_LOG_LINES = 100  # where there is no terminal
_RECENT_GENERATIONS = 10  # generations, from which the time that is left is guessed


def format_sparkline(values: list[float], width: int = _SPARKLINE_WIDTH) -> str:
    """Numbers over time as a line of little bars, from 0 up."""
    known = [value for value in values if value == value][-10_000:]
    if not known or max(known) <= 0:
        return ""
    step = max(1.0, len(known) / width)
    picked = [known[min(len(known) - 1, int((place + 1) * step) - 1)] for place in range(min(width, len(known)))]
    return "".join(
        _SPARKLINE_BLOCKS[min(len(_SPARKLINE_BLOCKS) - 1, int(max(0.0, value) / max(known) * len(_SPARKLINE_BLOCKS)))]
        for value in picked
    )


class TrainingLog(TrainingObserver):
    """What is known of a run that goes on, in words; shows a plain line for every generation."""

    has_begun = False

    def on_begin(self, learner: Learner, workers: str) -> None:
        """Training begins, or goes on."""
        self.learner = learner
        self.workers = workers
        self.has_begun = True
        self.start_time = self.last_generation_time = time.perf_counter()
        self.generation_seconds: list[float] = []
        self.pieces = 0
        self.pieces_in_progress = 0
        self.stage = "Playing"

    def on_games(self, games: GameRecords) -> None:
        """Note how many pieces are placed."""
        self.pieces_in_progress = int(games["pieces"].sum())

    def on_step(self, learner: Learner) -> None:
        """Note a generation."""
        now = time.perf_counter()
        self.generation_seconds = [*self.generation_seconds, now - self.last_generation_time][-_RECENT_GENERATIONS:]
        self.last_generation_time = now
        self.pieces = self.pieces + int(self.get_column("pieces")[-1])
        self.pieces_in_progress = 0
        self.refresh()

    def on_finals(self) -> None:
        """Note that the end has come."""
        self.stage = "Judging the best on held-out games"

    def refresh(self) -> None:
        """Print a line, but not thousands of them."""
        if len(self.learner.metric_rows) % -(-self.learner.max_steps // _MAX_LOG_LINES) == 0 or self.learner.is_done():
            click.echo(", ".join(self.describe_generation()))

    def get_column(self, name: str) -> list[float]:
        """A figure of every generation so far."""
        place = self.learner.columns.index(name)
        return [row[place] for row in self.learner.metric_rows]

    @property
    def elapsed_seconds(self) -> float:
        """How long it has taken."""
        return max(time.perf_counter() - self.start_time, 1e-9)

    @property
    def remaining_seconds(self) -> float | None:
        """How many seconds may be left."""
        steps = self.learner.max_steps - len(self.learner.metric_rows)
        return steps * sum(self.generation_seconds) / len(self.generation_seconds) if self.generation_seconds else None

    def describe_generation(self) -> list[str]:
        """The last generation in words."""
        step, last = self.learner.metric_names[0], len(self.learner.metric_rows)
        words = [f"{step} {last:,} of {self.learner.max_steps:,}"]
        if "mean" in self.learner.metric_names:
            best, mean, q1, q3 = (format_number(self.get_column(name)[-1]) for name in ("max", "mean", "q1", "q3"))
            words += [f"best {best}", f"mean {mean}", f"quartiles {q1} to {q3}"]
        else:
            words += [f"{format_number(self.get_column(name)[-1], 0)} {name}" for name in ("lines", "pieces")]
        judged = self.get_column("validation")[-1]
        words += [] if judged != judged else [f"judged {format_number(judged)}"]
        return [
            *words,
            format_speed(self.pieces / self.elapsed_seconds),
            f"{format_duration(self.remaining_seconds or 0)} left",
        ]


class TrainingPanel(TrainingLog):
    """The same as a panel that stays in its place."""

    def __init__(self, live: Live) -> None:
        self.live = live

    def on_begin(self, learner: Learner, workers: str) -> None:
        """Show the panel."""
        super().on_begin(learner, workers)
        self.live.start()
        self.refresh()

    def on_games(self, games: GameRecords) -> None:
        """Show how far the games are."""
        super().on_games(games)
        self.refresh()

    def on_finals(self) -> None:
        """Show that the end has come."""
        super().on_finals()
        self.refresh()

    def on_finish(self, learner: Learner, result: TrainingResult) -> None:
        """Leave the last state of the panel behind."""
        self.stage = ""
        self.refresh()

    def refresh(self) -> None:
        """Bring the panel up to date."""
        self.live.update(self.render())

    def render(self) -> RenderableType:
        """All that is known."""
        recipe, learner = self.learner.recipe, self.learner
        title = Text.assemble((recipe.name, "bold"), (f"  seed {recipe.seed}  {recipe.rules}  {self.workers}", "dim"))
        known = [Text(""), self.render_fitness(), Text(""), self.render_weights()] if learner.metric_rows else []
        return Group(title, *known, Text(""), self.render_status())

    def render_fitness(self) -> RenderableType:
        """How fit the last generation was, and how that came about."""
        table = Table.grid(padding=(0, 2))
        words = self.learner.validator.fitness_description
        step = f"{self.learner.metric_names[0].capitalize()} {len(self.learner.metric_rows):,} of {self.learner.max_steps:,}"
        rows = [(step, "", "")]
        if "mean" in self.learner.metric_names:
            rows += [(f"Best, {words}", "max", "green"), ("Mean", "mean", "cyan")]
        else:
            rows += [("Lines of the episode", "lines", "cyan")]
        rows += [("Validation games", "validation", "magenta")]
        for name, column, colour in rows:
            values = self.get_column(column) if column else []
            known = [value for value in values if value == value]
            shown = format_number(known[-1]) if known else ("–" if column else "")
            table.add_row(
                Text(name, "bold" if not column else "dim"), Text(shown, "bold"), Text(format_sparkline(values), colour)
            )
        if "q1" in self.learner.metric_names:
            quartiles = f"{format_number(self.get_column('q1')[-1])} to {format_number(self.get_column('q3')[-1])}"
            table.add_row(Text("Quartiles", "dim"), Text(quartiles, "bold"))
        return table

    def render_weights(self) -> RenderableType:
        """The favourite's numbers, the largest as the longest bars."""
        favourite = self.learner.compute_parameters(self.learner.incumbents[-1])
        most = max(map(abs, favourite)) or 1.0
        table = Table.grid(padding=(0, 2))
        table.add_column()
        table.add_column(justify="right")
        shown = list(zip(self.learner.parameter_names, favourite, strict=True))[:_MAX_WEIGHTS]
        for name, number in shown:
            bar = "█" * max(1, round(abs(number) / most * _WEIGHT_BAR_WIDTH))
            colour = "green" if number >= 0 else "red"
            table.add_row(Text(format_name(name), "dim"), Text(format_number(number, 2)), Text(bar, colour))
        if more := len(favourite) - len(shown):
            table.add_row(Text(f"and {more} more", "dim"))
        return table

    def render_status(self) -> RenderableType:
        """How fast it is and how long it takes."""
        parts = [
            self.stage,
            format_speed((self.pieces + self.pieces_in_progress) / self.elapsed_seconds),
            f"{format_duration(self.elapsed_seconds)} so far",
        ]
        if self.remaining_seconds and self.stage:
            parts.append(f"{format_duration(self.remaining_seconds)} left")
        return Text("  ".join(filter(None, parts)), "dim")


@contextmanager
def show_training() -> Iterator[TrainingLog]:
    """Whoever shows training on this terminal, or prints lines where there is none."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield TrainingLog()
        return
    live = Live(console=console, refresh_per_second=_REFRESHES_PER_SECOND)
    try:
        yield TrainingPanel(live)
    finally:
        live.stop()
