"""An agent watched in a terminal; where there is none, its game is played to the end and only that is shown."""

import time

import click
from rich.console import Console
from rich.live import Live

from tetrion.agents import AnyAgent
from tetrion.board import EMPTY_CELL
from tetrion.cli.keyboard import ReadKeys, has_keyboard, open_keyboard
from tetrion.cli.stepped_game import SteppedGame
from tetrion.cli.watch_command import MAX_WATCH_SPEED, MIN_WATCH_SPEED
from tetrion.cli.watch_panel import WatchStatus, render_watch_panel
from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.rules import Rules
from tetrion.evaluation.number_format import format_count, format_number

_EXIT_STOPPED = 130  # exit code: ended by Ctrl-C
_FRAME_SECONDS = 1 / 30  # seconds between two pictures
_MAX_CATCH_UP_SECONDS = 1.0  # seconds: what could not be kept up with is given up
_EMPTY_ROWS_ABOVE = 1  # empty rows over what is printed


class WatchSession:
    """A game that goes on by the clock and by keys."""

    def __init__(self, game: SteppedGame, speed: float) -> None:
        self.game = game
        self.speed = speed
        self.is_paused = False
        self.has_quit = False
        self.moves_due = 1.0  # moves that it is time for; the first is made at once
        self.moves_made = 0
        self.elapsed_seconds = 0.0

    def handle_key(self, key: str) -> None:
        """Do what a key asks for."""
        if key == " ":
            self.is_paused = not self.is_paused
        elif key in "nN":
            self.is_paused = True
            self.game.make_move()
        elif key in "+=":
            self.speed = min(2 * self.speed, MAX_WATCH_SPEED)
        elif key in "-−_":
            self.speed = max(self.speed / 2, MIN_WATCH_SPEED)
        elif key in "rR":
            self.game = self.game.restart()
            self.moves_due = 1.0
            self.moves_made = 0
            self.elapsed_seconds = 0.0
        elif key in "qQ":
            self.has_quit = True

    def advance(self, seconds: float) -> None:
        """Let time pass and make the moves that it is time for, as many as can be made until the next picture."""
        if self.is_paused or self.game.is_finished:
            return
        self.elapsed_seconds += seconds
        self.moves_due = min(self.moves_due + seconds * self.speed, _MAX_CATCH_UP_SECONDS * self.speed + 1)
        end = time.monotonic() + _FRAME_SECONDS
        while self.moves_due >= 1 and self.game.make_move():
            self.moves_due = self.moves_due - 1
            self.moves_made = self.moves_made + 1
            if time.monotonic() > end:
                break

    @property
    def status(self) -> WatchStatus:
        """How it is watched."""
        reached = self.moves_made / self.elapsed_seconds if self.elapsed_seconds >= 1 else None
        return WatchStatus(self.is_paused, self.speed, reached, has_keyboard())


def watch_in_terminal(agent: AnyAgent, rules: Rules, seed: int, speed: float, max_pieces: int = UNLIMITED) -> None:
    """Watch an agent here: with keys on a terminal, else to the end or until it has so many pieces."""
    console = Console()
    watching = WatchSession(SteppedGame(agent, rules, seed, max_pieces), speed)
    try:
        if console.is_terminal:
            with open_keyboard() as read:
                run_session(watching, console, read)
        else:
            while watching.game.make_move():
                pass
        stopped = False
    except KeyboardInterrupt:
        stopped = True
    finally:
        watching.game.close()
    print_final_state(watching.game)
    if stopped:
        raise SystemExit(_EXIT_STOPPED)


def run_session(session: WatchSession, console: Console, read_keys: ReadKeys) -> None:
    """Show a game until somebody quits, or until its end where nobody can press a key."""
    with Live(console=console, screen=True, auto_refresh=False) as live:
        moment, shown = time.monotonic(), None
        while not session.has_quit and (has_keyboard() or not session.game.is_finished):
            now = time.monotonic()
            session.advance(now - moment)
            moment = now
            if (seen := (session.game.state, session.status, console.size)) != shown:
                live.update(render_watch_panel(session.game, session.status, console), refresh=True)
                shown = seen
            for key in read_keys(_FRAME_SECONDS):
                session.handle_key(key)


def print_final_state(game: SteppedGame) -> None:
    """How the game stands, as plain text."""
    view, position = game.state, game.state.position
    visible = list(view.stack.rows[: view.stack.height])
    rows = [*visible, *[EMPTY_CELL * BOARD_WIDTH] * min(_EMPTY_ROWS_ABOVE, view.stack.height - len(visible))]
    click.echo("\n".join(reversed(rows)))
    points = f", {format_number(position.score / position.lines, 0)} a line" if position.lines else ""
    over = ", game over" if view.is_over else ""
    click.echo(
        f"{game.agent.name} under {game.rules}, seed {game.seed}: {format_count(position.pieces, 'piece')}, "
        f"{format_count(position.lines, 'line')}, {format_count(position.score, 'point')}{points}{over}"
    )
