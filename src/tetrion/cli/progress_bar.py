"""The progress bar that commands show on a terminal, and the text about progress."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress as RichProgress, TextColumn
from rich.table import Column

from tetrion.cli.console_output import CleanConsole
from tetrion.evaluation.number_format import format_count, format_duration, format_speed
from tetrion.progress import Observer, Progress

_PROGRESS_BAR_WIDTH = 16  # characters, so that the line fits into 80
_MIN_BAR_TERMINAL_WIDTH = 72  # characters; narrower terminals show the text without the bar


@contextmanager
def show_progress(task: str = "") -> Iterator[Observer[Progress]]:
    """Provide an observer that shows progress as a bar with a text; it is hidden where there is no terminal.

    `task` is shown until progress is reported.
    """
    console = CleanConsole(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        *([BarColumn(_PROGRESS_BAR_WIDTH)] if console.width >= _MIN_BAR_TERMINAL_WIDTH else []),
        TextColumn("{task.fields[status]}", markup=False, table_column=Column(ratio=1, no_wrap=True)),
    )
    is_hidden = not console.is_terminal
    with RichProgress(*columns, console=console, transient=True, expand=True, disable=is_hidden) as bar:
        bar_task = bar.add_task(task, total=None, status="")

        def update(progress: Progress) -> None:
            bar.update(
                bar_task,
                description=progress.task,
                total=progress.planned or None,
                completed=progress.done,
                status="  ".join(describe_progress(progress)),
            )

        yield update


def describe_progress(progress: Progress) -> list[str]:
    """Return what is done, the speed, the remaining time and the details, as far as they are known."""
    parts = [f"{progress.done:,} of {format_count(progress.planned, progress.unit)}"] if progress.planned else []
    if progress.pieces:
        parts.append(format_speed(progress.pieces / max(progress.seconds, 1e-9)))
    if progress.seconds_left:
        parts.append(f"{format_duration(progress.seconds_left)} left")
    elif progress.pieces and not progress.done:
        parts.append(f"no {progress.unit} has ended yet")
    return [*parts, *progress.details]
