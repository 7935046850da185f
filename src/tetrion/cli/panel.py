"""What `tetrion train` shows while it trains: a live panel on a terminal, a plain line a generation elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tetrion.engine.play import Games
from tetrion.evaluation.words import clock, figure, in_words, speed
from tetrion.training.judging import Result
from tetrion.training.learner import Learner
from tetrion.training.trainer import Spectator

REFRESHES = 8  # a second
CURVE = "▁▂▃▄▅▆▇█"
WIDTH_OF_CURVE, WIDTH_OF_BAR = 48, 20
MOST_WEIGHTS = 12  # that are shown; a candidate may have dozens
MOST_LINES = 100  # where there is no terminal
LATELY = 10  # generations, from which the time that is left is guessed


def curve(values: list[float], width: int = WIDTH_OF_CURVE) -> str:
    """Numbers over time as a line of little bars, from 0 up."""
    known = [value for value in values if value == value][-10_000:]
    if not known or max(known) <= 0:
        return ""
    step = max(1.0, len(known) / width)
    picked = [known[min(len(known) - 1, int((place + 1) * step) - 1)] for place in range(min(width, len(known)))]
    return "".join(CURVE[min(len(CURVE) - 1, int(max(0.0, value) / max(known) * len(CURVE)))] for value in picked)


class Display(Spectator):
    """What is known of a run that goes on, in words; shows a plain line for every generation."""

    began = False

    def begins(self, learner: Learner, workers: str) -> None:
        """Training begins, or goes on."""
        self.learner, self.workers, self.began = learner, workers, True
        self.start = self.moment = time.perf_counter()
        self.times: list[float] = []
        self.pieces, self.playing, self.stage = 0, 0, "Playing"

    def plays(self, games: Games) -> None:
        """Note how many pieces are placed."""
        self.playing = int(games["pieces"].sum())

    def learned(self, learner: Learner) -> None:
        """Note a generation."""
        now = time.perf_counter()
        self.times, self.moment = [*self.times, now - self.moment][-LATELY:], now
        self.pieces, self.playing = self.pieces + int(self.column("pieces")[-1]), 0
        self.show()

    def judges(self) -> None:
        """Note that the end has come."""
        self.stage = "Judging the best on held-out games"

    def show(self) -> None:
        """Print a line, but not thousands of them."""
        if len(self.learner.rows) % -(-self.learner.planned // MOST_LINES) == 0 or self.learner.done():
            click.echo(", ".join(self.facts()))

    def column(self, name: str) -> list[float]:
        """A figure of every generation so far."""
        place = self.learner.columns.index(name)
        return [row[place] for row in self.learner.rows]

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return max(time.perf_counter() - self.start, 1e-9)

    @property
    def left(self) -> float | None:
        """How many seconds may be left."""
        steps = self.learner.planned - len(self.learner.rows)
        return steps * sum(self.times) / len(self.times) if self.times else None

    def facts(self) -> list[str]:
        """The last generation in words."""
        step, last = self.learner.figures[0], len(self.learner.rows)
        words = [f"{step} {last:,} of {self.learner.planned:,}"]
        if "mean" in self.learner.figures:
            best, mean, q1, q3 = (figure(self.column(name)[-1]) for name in ("max", "mean", "q1", "q3"))
            words += [f"best {best}", f"mean {mean}", f"quartiles {q1} to {q3}"]
        else:
            words += [f"{figure(self.column(name)[-1], 0)} {name}" for name in ("lines", "pieces")]
        judged = self.column("judged")[-1]
        words += [] if judged != judged else [f"judged {figure(judged)}"]
        return [*words, speed(self.pieces / self.seconds), f"{clock(self.left or 0)} left"]


class Panel(Display):
    """The same as a panel that stays in its place."""

    def __init__(self, live: Live) -> None:
        self.live = live

    def begins(self, learner: Learner, workers: str) -> None:
        """Show the panel."""
        super().begins(learner, workers)
        self.live.start()
        self.show()

    def plays(self, games: Games) -> None:
        """Show how far the games are."""
        super().plays(games)
        self.show()

    def judges(self) -> None:
        """Show that the end has come."""
        super().judges()
        self.show()

    def finishes(self, learner: Learner, result: Result) -> None:
        """Leave the last state of the panel behind."""
        self.stage = ""
        self.show()

    def show(self) -> None:
        """Bring the panel up to date."""
        self.live.update(self.panel())

    def panel(self) -> RenderableType:
        """All that is known."""
        recipe, learner = self.learner.recipe, self.learner
        title = Text.assemble((recipe.name, "bold"), (f"  seed {recipe.seed}  {recipe.rules}  {self.workers}", "dim"))
        known = [Text(""), self.figures(), Text(""), self.weights()] if learner.rows else []
        return Group(title, *known, Text(""), self.state_line())

    def figures(self) -> RenderableType:
        """How fit the last generation was, and how that came about."""
        table = Table.grid(padding=(0, 2))
        words = self.learner.judge.words
        step = f"{self.learner.figures[0].capitalize()} {len(self.learner.rows):,} of {self.learner.planned:,}"
        rows = [(step, "", "")]
        if "mean" in self.learner.figures:
            rows += [(f"Best, {words}", "max", "green"), ("Mean", "mean", "cyan")]
        else:
            rows += [("Lines of the episode", "lines", "cyan")]
        rows += [("Judged on other games", "judged", "magenta")]
        for name, column, colour in rows:
            values = self.column(column) if column else []
            known = [value for value in values if value == value]
            shown = figure(known[-1]) if known else ("–" if column else "")
            table.add_row(Text(name, "bold" if not column else "dim"), Text(shown, "bold"), Text(curve(values), colour))
        if "q1" in self.learner.figures:
            quartiles = f"{figure(self.column('q1')[-1])} to {figure(self.column('q3')[-1])}"
            table.add_row(Text("Quartiles", "dim"), Text(quartiles, "bold"))
        return table

    def weights(self) -> RenderableType:
        """The favourite's numbers, the largest as the longest bars."""
        favourite = self.learner.parameters(self.learner.favourites[-1])
        most = max(map(abs, favourite)) or 1.0
        table = Table.grid(padding=(0, 2))
        table.add_column()
        table.add_column(justify="right")
        shown = list(zip(self.learner.names, favourite, strict=True))[:MOST_WEIGHTS]
        for name, number in shown:
            bar = "█" * max(1, round(abs(number) / most * WIDTH_OF_BAR))
            colour = "green" if number >= 0 else "red"
            table.add_row(Text(in_words(name), "dim"), Text(figure(number, 2)), Text(bar, colour))
        if more := len(favourite) - len(shown):
            table.add_row(Text(f"and {more} more", "dim"))
        return table

    def state_line(self) -> RenderableType:
        """How fast it is and how long it takes."""
        parts = [self.stage, speed((self.pieces + self.playing) / self.seconds), f"{clock(self.seconds)} so far"]
        if self.left and self.stage:
            parts.append(f"{clock(self.left)} left")
        return Text("  ".join(filter(None, parts)), "dim")


@contextmanager
def shown_training() -> Iterator[Display]:
    """Whoever shows training on this terminal, or prints lines where there is none."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Display()
        return
    live = Live(console=console, refresh_per_second=REFRESHES)
    try:
        yield Panel(live)
    finally:
        live.stop()
