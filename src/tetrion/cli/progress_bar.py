"""The line on the terminal that tells how far an agent's games are."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from tetrion.evaluation.agent_evaluation import EvaluationObserver as Report
from tetrion.evaluation.agent_evaluation import EvaluationProgress
from tetrion.evaluation.number_format import format_duration, format_percent, format_speed

PROGRESS_BAR_WIDTH = 16  # columns, so that the line fits into 80


def make_progress_bar() -> Progress:
    """A description, a bar and words; nothing is shown where there is no terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(PROGRESS_BAR_WIDTH),
        TextColumn("{task.fields[words]}"),
    )
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def show_progress(name: str, goal: float | None) -> Iterator[Report]:
    """What to tell of an agent's games."""
    with make_progress_bar() as bar:
        task = bar.add_task(name, total=None, words="")

        def update(standing: EvaluationProgress) -> None:
            bar.update(
                task, total=standing.games_planned, completed=standing.games_done, words=format_progress(standing, goal)
            )

        yield update


def format_progress(standing: EvaluationProgress, goal: float | None) -> str:
    """How far, how exact, how fast, how long."""
    parts = [f"{standing.games_done:,} of {standing.games_planned:,} games"]
    if goal is not None:
        reached = "–" if standing.precision is None else format_percent(standing.precision)
        parts = [f"{standing.games_done:,} games", f"± {reached}, goal {format_percent(goal)}"]
    parts.append(format_speed(standing.pieces / max(standing.seconds, 1e-9)))
    if standing.games_done:
        left = standing.seconds * (standing.games_planned - standing.games_done) / standing.games_done
        parts.append(f"{format_duration(left)} left")
    return "  ".join(parts)
