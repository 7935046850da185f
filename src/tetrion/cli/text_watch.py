"""An agent watched in a terminal; where there is none, its game is played to the end and only that is shown."""

import time

import click
from rich.console import Console
from rich.live import Live

from tetrion.agents import AnyAgent
from tetrion.board import EMPTY
from tetrion.cli.courses import Course
from tetrion.cli.keyboard import Read, keyboard, there_are_keys
from tetrion.cli.watch import FASTEST, SLOWEST
from tetrion.cli.watch_panel import State, panel
from tetrion.engine.pieces import WIDTH
from tetrion.engine.play import UNLIMITED
from tetrion.engine.rules import Rules
from tetrion.evaluation.words import counted, figure

STOPPED = 130  # exit code: ended by Ctrl-C
FRAME = 1 / 30  # seconds between two pictures
LATE = 1.0  # seconds: what could not be kept up with is given up
ABOVE = 1  # empty rows over what is printed


class Watching:
    """A game that goes on by the clock and by keys."""

    def __init__(self, course: Course, speed: float) -> None:
        self.course, self.speed, self.paused, self.quit = course, speed, False, False
        self.due = 1.0  # moves that it is time for; the first is made at once
        self.moves, self.seconds = 0, 0.0

    def press(self, key: str) -> None:
        """Do what a key asks for."""
        if key == " ":
            self.paused = not self.paused
        elif key in "nN":
            self.paused = True
            self.course.move()
        elif key in "+=":
            self.speed = min(2 * self.speed, FASTEST)
        elif key in "-−_":
            self.speed = max(self.speed / 2, SLOWEST)
        elif key in "rR":
            self.course, self.due, self.moves, self.seconds = self.course.again(), 1.0, 0, 0.0
        elif key in "qQ":
            self.quit = True

    def advance(self, seconds: float) -> None:
        """Let time pass and make the moves that it is time for, as many as can be made until the next picture."""
        if self.paused or self.course.ended:
            return
        self.seconds += seconds
        self.due = min(self.due + seconds * self.speed, LATE * self.speed + 1)
        end = time.monotonic() + FRAME
        while self.due >= 1 and self.course.move():
            self.due, self.moves = self.due - 1, self.moves + 1
            if time.monotonic() > end:
                break

    @property
    def state(self) -> State:
        """How it is watched."""
        reached = self.moves / self.seconds if self.seconds >= 1 else None
        return State(self.paused, self.speed, reached, there_are_keys())


def watch_text(agent: AnyAgent, rules: Rules, seed: int, speed: float, most_pieces: int = UNLIMITED) -> None:
    """Watch an agent here: with keys on a terminal, else to the end or until it has so many pieces."""
    console = Console()
    watching = Watching(Course(agent, rules, seed, most_pieces), speed)
    try:
        if console.is_terminal:
            with keyboard() as read:
                show(watching, console, read)
        else:
            while watching.course.move():
                pass
        stopped = False
    except KeyboardInterrupt:
        stopped = True
    finally:
        watching.course.close()
    print_end(watching.course)
    if stopped:
        raise SystemExit(STOPPED)


def show(watching: Watching, console: Console, read: Read) -> None:
    """Show a game until somebody quits, or until its end where nobody can press a key."""
    with Live(console=console, screen=True, auto_refresh=False) as live:
        moment, shown = time.monotonic(), None
        while not watching.quit and (there_are_keys() or not watching.course.ended):
            now = time.monotonic()
            watching.advance(now - moment)
            moment = now
            if (seen := (watching.course.view, watching.state, console.size)) != shown:
                live.update(panel(watching.course, watching.state, console), refresh=True)
                shown = seen
            for key in read(FRAME):
                watching.press(key)


def print_end(course: Course) -> None:
    """How the game stands, as plain text."""
    view, position = course.view, course.view.position
    visible = list(view.stack.rows[: view.stack.height])
    rows = [*visible, *[EMPTY * WIDTH] * min(ABOVE, view.stack.height - len(visible))]
    click.echo("\n".join(reversed(rows)))
    points = f", {figure(position.score / position.lines, 0)} a line" if position.lines else ""
    over = ", game over" if view.over else ""
    click.echo(
        f"{course.agent.name} under {course.rules}, seed {course.seed}: {counted(position.pieces, 'piece')}, "
        f"{counted(position.lines, 'line')}, {counted(position.score, 'point')}{points}{over}"
    )
