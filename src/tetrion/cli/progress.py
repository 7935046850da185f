"""The line on the terminal that tells how far an agent's games are."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from tetrion.evaluation.games import Progress as Report
from tetrion.evaluation.games import Standing
from tetrion.evaluation.words import clock, percent, speed

BAR = 16  # columns, so that the line fits into 80


def a_line() -> Progress:
    """A description, a bar and words; nothing is shown where there is no terminal."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}", markup=False), BarColumn(BAR), TextColumn("{task.fields[words]}")
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def shown_progress(name: str, goal: float | None) -> Iterator[Report]:
    """What to tell of an agent's games."""
    with a_line() as bar:
        task = bar.add_task(name, total=None, words="")

        def update(standing: Standing) -> None:
            bar.update(task, total=standing.planned, completed=standing.done, words=words(standing, goal))

        yield update


def words(standing: Standing, goal: float | None) -> str:
    """How far, how exact, how fast, how long."""
    parts = [f"{standing.done:,} of {standing.planned:,} games"]
    if goal is not None:
        reached = "–" if standing.precision is None else percent(standing.precision)
        parts = [f"{standing.done:,} games", f"± {reached}, goal {percent(goal)}"]
    parts.append(speed(standing.pieces / max(standing.seconds, 1e-9)))
    if standing.done:
        left = standing.seconds * (standing.planned - standing.done) / standing.done
        parts.append(f"{clock(left)} left")
    return "  ".join(parts)
