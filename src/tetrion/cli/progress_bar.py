"""The progress bar that commands show on a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from tetrion.evaluation.agent_evaluation import EvaluationObserver, EvaluationProgress
from tetrion.evaluation.number_format import format_duration, format_percent, format_speed

_PROGRESS_BAR_WIDTH = 16  # characters, so that the line fits into 80


def make_progress_bar() -> Progress:
    """Return a progress bar with a description and a field `status`; it is hidden where there is no terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(_PROGRESS_BAR_WIDTH),
        TextColumn("{task.fields[status]}"),
    )
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def show_progress(agent: str, target: float | None) -> Iterator[EvaluationObserver]:
    """Show the progress of an agent's games; provide the function to call with it."""
    with make_progress_bar() as bar:
        task = bar.add_task(agent, total=None, status="")

        def update(progress: EvaluationProgress) -> None:
            bar.update(
                task,
                total=progress.games_planned,
                completed=progress.games_done,
                status=format_progress(progress, target),
            )

        yield update


def format_progress(progress: EvaluationProgress, target: float | None) -> str:
    """Return the games played, the precision if `target` is given, the speed and the remaining time."""
    parts = [f"{progress.games_done:,} of {progress.games_planned:,} games"]
    if target is not None:
        reached = "–" if progress.precision is None else format_percent(progress.precision)
        parts = [f"{progress.games_done:,} games", f"± {reached}, target {format_percent(target)}"]
    parts.append(format_speed(progress.pieces / max(progress.seconds, 1e-9)))
    if progress.games_done:
        remaining = progress.seconds * (progress.games_planned - progress.games_done) / progress.games_done
        parts.append(f"{format_duration(remaining)} left")
    return "  ".join(parts)
