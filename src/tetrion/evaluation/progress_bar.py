"""Progress bars for the command line, Python and notebooks, and the text about progress."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Any

from tetrion.engine.compile_notice import describe_time_left, display_compilation, is_notebook
from tetrion.evaluation.number_format import format_count, format_duration, format_speed
from tetrion.progress import Observer, Progress
from tetrion.text_cleaning import clean_lines

_PROGRESS_BAR_WIDTH = 16  # characters, so that the line fits into 80
_MIN_BAR_TERMINAL_WIDTH = 72  # characters; narrower terminals show the text without the bar
_displays: list[None] = []  # that occupy the terminal


def is_bar_wanted(progress: bool | None) -> bool:
    """Return whether to show a bar: unless that is given, in notebooks and where standard error is a terminal.

    Inside another display, there is none.
    """
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    return not _displays and (is_notebook() or is_terminal if progress is None else progress)


@contextmanager
def occupy_display() -> Iterator[None]:
    """Show no bars inside this context, which has a display of its own."""
    _displays.append(None)
    try:
        yield
    finally:
        _displays.pop()


@contextmanager
def show_progress(task: str = "", *, progress: bool | None = None) -> Iterator[Observer[Progress]]:
    """Provide an observer that shows progress as a bar with a text, if `is_bar_wanted`.

    `task` is shown until progress is reported. While the engine is compiled, the time left for that is shown.
    """
    if not is_bar_wanted(progress):
        yield lambda progress: None
        return
    with occupy_display(), (make_notebook_bar if is_notebook() else make_terminal_bar)(task) as show:
        yield show


@contextmanager
def observe_progress(
    task: str, progress: bool | None, on_progress: Callable[[Any], object] | None
) -> Iterator[Callable[[Any], object] | None]:
    """Provide an observer for `on_progress` and a bar, or None if neither is wanted.

    By default there is no bar if the caller observes the progress.
    """
    if not is_bar_wanted(False if on_progress and progress is None else progress):
        yield on_progress
        return
    with show_progress(task, progress=progress) as show:

        def observe(current: Progress) -> None:
            show(current)
            if on_progress:
                on_progress(current)

        yield observe


@contextmanager
def make_terminal_bar(task: str) -> Iterator[Observer[Progress]]:
    """Show a bar in the last line of the terminal, and remove it at the end; elsewhere, print one line at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress as RichProgress, ProgressColumn, Task, TextColumn
    from rich.table import Column
    from rich.text import Text

    class StatusColumn(ProgressColumn):
        """The compilation that is under way, or else the text about the progress."""

        def render(self, task: Task) -> Text:
            return Text(describe_compilation() or task.fields["status"])

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        *([BarColumn(_PROGRESS_BAR_WIDTH)] if console.width >= _MIN_BAR_TERMINAL_WIDTH else []),
        StatusColumn(table_column=Column(ratio=1, no_wrap=True)),
    )
    with RichProgress(*columns, console=console, transient=console.is_terminal, expand=True) as bar:
        bar_task = bar.add_task(clean_lines(task), total=None, status="")

        def update(progress: Progress) -> None:
            bar.update(
                bar_task,
                description=clean_lines(progress.task),
                total=progress.planned or None,
                completed=progress.done,
                status=clean_lines("  ".join(describe_progress(progress))),
            )

        with display_compilation(bar.refresh):
            yield update


@contextmanager
def make_notebook_bar(task: str) -> Iterator[Observer[Progress]]:
    """Show a bar below the cell of a notebook, and remove it at the end.

    It is HTML: the bars of rich would need ipywidgets there.
    """
    notebook = import_module("IPython.display")
    latest = Progress(task=task)

    def render() -> Any:
        return notebook.HTML(render_html_bar(latest, describe_compilation() or "  ".join(describe_progress(latest))))

    def update(progress: Progress) -> None:
        nonlocal latest
        latest = progress
        handle.update(render())

    handle = notebook.display(render(), display_id=True)
    try:
        with display_compilation(lambda: handle.update(render())):
            yield update
    finally:
        handle.update(notebook.HTML(""))


def describe_compilation() -> str:
    """Return what is shown in a bar while the engine is compiled; an empty text at other times."""
    time_left = describe_time_left()
    return f"Compiling, first use only: {time_left}" if time_left else ""


def render_html_bar(progress: Progress, status: str) -> str:
    """Return a bar with a text as HTML."""
    share = f' value="{progress.done / progress.planned:.4f}"' if progress.planned and progress.done else ""
    return f"<div>{escape(clean_lines(progress.task))} <progress{share}></progress> {escape(clean_lines(status))}</div>"


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
