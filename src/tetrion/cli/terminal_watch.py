"""`tetrion watch --text`: a game of an agent in the terminal; without a terminal, only the final board is printed."""

import time

from rich.console import Console
from rich.live import Live

from tetrion.agents import Agent
from tetrion.cli.console_output import CleanConsole, echo, print_notice
from tetrion.cli.exit_codes import EXIT_STOPPED
from tetrion.cli.keyboard import ReadKeys, has_keyboard, open_keyboard
from tetrion.cli.watch_command import MAX_WATCH_SPEED, MIN_WATCH_SPEED
from tetrion.cli.watch_panel import WatchStatus, find_layout, render_size_message
from tetrion.cli.watched_game import WatchedGame
from tetrion.engine.batch_play import UNLIMITED
from tetrion.evaluation.number_format import format_count
from tetrion.game import Game
from tetrion.interrupts import report_stop

_FRAME_SECONDS = 1 / 30
_MAX_CATCH_UP_SECONDS = 1.0  # a longer delay is not caught up
_EMPTY_ROWS_ABOVE = 1  # printed above the stack
_ENDLESS_NOTICE = (
    "The output is not a terminal: the game is played to its end, then the final board is printed. --pieces N stops it "
    "after N pieces."
)


class WatchSession:
    """A game that advances with time and is controlled by keys; `speed` is in moves per second."""

    def __init__(self, game: WatchedGame, speed: float, *, is_paused: bool = False) -> None:
        self.game = game
        self.speed = speed
        self.is_paused = is_paused
        self.has_quit = False
        self.moves_due = 1.0  # moves to make now; the first one immediately
        self.moves_made = 0
        self.elapsed_seconds = 0.0

    def handle_key(self, key: str) -> None:
        """Handle a key: space, N, +, −, R or Q; ignore others."""
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
        """Let `seconds` pass and make the moves that are due, as many as possible before the next frame."""
        if self.is_paused or self.game.is_finished:
            return
        self.elapsed_seconds += seconds
        self.moves_due = min(self.moves_due + seconds * self.speed, _MAX_CATCH_UP_SECONDS * self.speed + 1)
        deadline = time.monotonic() + _FRAME_SECONDS
        while self.moves_due >= 1 and self.game.make_move():
            self.moves_due -= 1
            self.moves_made += 1
            if time.monotonic() > deadline:
                break

    @property
    def status(self) -> WatchStatus:
        """Pause state, speed and keyboard, for the panel."""
        measured_speed = self.moves_made / self.elapsed_seconds if self.elapsed_seconds >= 1 else None
        return WatchStatus(self.is_paused, self.speed, measured_speed, has_keyboard())


def watch_in_terminal(
    agent: Agent, game: Game, speed: float, *, max_pieces: int = UNLIMITED, is_paused: bool = False
) -> None:
    """Show a game of an agent, controlled by keys; without a terminal, play it to its end or to `max_pieces` pieces.

    With `is_paused`, the game begins paused if there is a keyboard to continue it.
    """
    console = CleanConsole()
    session = WatchSession(WatchedGame(agent, game, max_pieces), speed, is_paused=is_paused and has_keyboard())
    try:
        if console.is_terminal:
            with open_keyboard() as read_keys:
                run_session(session, console, read_keys)
        else:
            if max_pieces == UNLIMITED:
                print_notice(_ENDLESS_NOTICE)
            while session.game.make_move():
                pass
        stopped = False
    except KeyboardInterrupt:
        stopped = True
    finally:
        session.game.close()
    if stopped:
        report_stop()
    print_final_state(session.game)
    if stopped:
        raise SystemExit(EXIT_STOPPED)


def run_session(session: WatchSession, console: Console, read_keys: ReadKeys) -> None:
    """Show a game until Q is pressed; without a keyboard, until the game ends.

    While the terminal is too small, the game waits.
    """
    with Live(console=console, screen=True, auto_refresh=False) as live:
        last_time = time.monotonic()
        last_shown = None
        layout = find_layout(session.game, session.status, console)
        while not session.has_quit and (has_keyboard() or not session.game.is_finished):
            now = time.monotonic()
            if layout:
                session.advance(now - last_time)
            last_time = now
            if (shown := (session.game.state, session.status, console.size)) != last_shown:
                layout = find_layout(session.game, session.status, console)
                panel = layout.panel if layout else render_size_message(session.game, session.status, console)
                live.update(panel, refresh=True)
                last_shown = shown
            for key in read_keys(_FRAME_SECONDS):
                session.handle_key(key)


def print_final_state(game: WatchedGame) -> None:
    """Print the final board and the result as plain text."""
    stack = game.state.stack
    position = game.state.position
    echo(stack.to_text(min(len(stack.rows) + _EMPTY_ROWS_ABOVE, stack.height)))
    average = round(position.score / position.lines) if position.lines else None
    points = "" if average is None else f" ({format_count(average, 'point')} per line)"
    attack = f", attack {game.state.attack:,}" if game.rules.attack != "none" else ""
    over = ", game over" if game.state.is_over else ""
    echo(
        f"{game.agent.name}, rules {game.rules}, seed {game.seed}: {format_count(position.pieces, 'piece')}, "
        f"{format_count(position.lines, 'line')}, {format_count(position.score, 'point')}{points}{attack}{over}"
    )
