"""`tetrion watch --text`: a game of an agent in the terminal; without a terminal, only the final board is printed."""

import io
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import NamedTuple

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from tetrion.agents import Agent
from tetrion.agents.stepped_game import DecisionEvent, EndEvent, PieceEvent, PlacementEvent, step_game
from tetrion.board import EMPTY_CELL, UNKNOWN_CELL, Cell, Placement
from tetrion.cli import EXIT_STOPPED
from tetrion.cli.console_output import CleanConsole, echo, print_notice, print_wrapped
from tetrion.cli.keyboard import has_keyboard, open_keyboard, read_keys
from tetrion.cli.watch_command import MAX_WATCH_SPEED, MIN_WATCH_SPEED
from tetrion.drawing.palette import (
    ACCENT,
    BOARD_BACKGROUND,
    NEGATIVE,
    UNKNOWN_PIECE_COLOUR,
    get_piece_colours,
    mix_colours,
)
from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.pieces import BOARD_WIDTH, PIECE_DRAWINGS
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_number
from tetrion.game import Game
from tetrion.game_facts import VisiblePieces, describe_action, has_attack_layout
from tetrion.interrupts import report_stop
from tetrion.position import Position, describe_counters, uses_levels
from tetrion.stack import Stack

_ACTION_MOVES = 4  # moves for which an action text is shown


class WatchedState(NamedTuple):
    """A game after a move; `mode` is the agent's mode, or empty. `action` is the last action text."""

    stack: Stack
    position: Position
    last_placement: Placement | None = None
    mode: str = ""
    is_over: bool = False
    attack: int = 0
    action: tuple[str, ...] = ()
    action_moves: int = 0  # for which the action text has been shown


class WatchedGame:
    """A game of an agent that advances one move per call of `make_move`; call `close` at the end."""

    def __init__(self, agent: Agent, game: Game, max_pieces: int) -> None:
        self.agent = agent
        self.rules = game.rules
        self.seed = game.seed
        self.game = game
        self.max_pieces = max_pieces
        self.is_finished = False  # whether there is no further move
        self.state = WatchedState(game.stack, game.position)
        self._resources = ExitStack()
        self._events = step_game(self._resources.enter_context(agent.start_player()), game, max_pieces)
        self._advance_to_decision()

    def make_move(self) -> bool:
        """Make a move and wait for the next decision; return False if there is no further move."""
        if self.is_finished:
            return False
        self._advance_to_decision()
        return True

    def _advance_to_decision(self) -> None:
        for event in self._events:
            if isinstance(event, PlacementEvent):
                self.state = self.state._replace(
                    stack=self.game.stack, last_placement=event.placement, attack=self.game.attack
                )
                self._update_action(event)
            elif isinstance(event, PieceEvent):
                self.state = self.state._replace(position=event.position)
            elif isinstance(event, DecisionEvent):
                self.state = self.state._replace(mode=event.decision.mode)
                return
            elif isinstance(event, EndEvent):
                self.state = self.state._replace(position=event.position, is_over=event.is_over)
                self.is_finished = True

    def _update_action(self, event: PlacementEvent) -> None:
        """Show the action text of a placement, or the former one for some moves."""
        lines = describe_action(event.locked_piece, event.position)
        shown = 0 if lines else self.state.action_moves + 1
        action = lines or (self.state.action if shown < _ACTION_MOVES else ())
        self.state = self.state._replace(action=action, action_moves=shown)

    def restart(self) -> "WatchedGame":
        """Close this game and return a new one with the same pieces."""
        self.close()
        return WatchedGame(self.agent, Game(self.rules, self.seed), self.max_pieces)

    def close(self) -> None:
        """End the agent's process, if it has one."""
        self._resources.close()


_OLD_CELL_DIMMING = 0.25  # share of the background colour in all cells except those of the last placement
_KEY_LEGEND = (("Space", "pause"), ("N", "next move"), ("+ −", "speed"), ("R", "restart"), ("Q", "quit"))
_COLUMN_GAP = 3  # characters
_MAX_HEADING_WIDTH = 28  # characters, as wide as the status
_MEASURING_WIDTH = 1000  # characters, wider than any layout


class WatchStatus(NamedTuple):
    """The state of a watched game: pause, speed and keyboard."""

    is_paused: bool
    speed: float  # requested moves per second
    measured_speed: float | None  # measured pieces per second; None during the first second
    has_keyboard: bool


class PanelLayout(NamedTuple):
    """An arrangement of the board and the columns next to it, and the size that it needs, in characters."""

    panel: Table
    columns: int
    rows: int

    @classmethod
    def from_parts(cls, board: Text, *side_columns: RenderableType) -> "PanelLayout":
        """Arrange a board and columns side by side and measure them."""
        panel = Table.grid(padding=(0, _COLUMN_GAP))
        panel.add_row(board, *side_columns)
        board_lines = board.plain.split("\n")
        sizes = [(len(board_lines[0]), len(board_lines)), *map(measure_size, side_columns)]
        widths, heights = zip(*sizes, strict=True)
        return cls(panel, sum(widths) + _COLUMN_GAP * len(side_columns), max(heights))

    def count_missing_characters(self, console: Console) -> int:
        """Return by how much a terminal must be enlarged; a row of characters is about twice as high as wide."""
        return max(0, self.columns - console.width) + 2 * max(0, self.rows - console.height)


def measure_size(part: RenderableType) -> tuple[int, int]:
    """Return the columns and rows that a part of the view needs."""
    lines = CleanConsole(width=_MEASURING_WIDTH, file=io.StringIO()).render_lines(part, pad=False)
    return max(map(Segment.get_line_length, lines)), len(lines)


def find_layout(game: WatchedGame, status: WatchStatus, console: Console) -> PanelLayout | None:
    """Return the best layout that fits the terminal, or None if it is too small for all of them."""
    layouts = make_layouts(game, status, is_coloured=console.color_system is not None)
    return next((layout for layout in layouts if not layout.count_missing_characters(console)), None)


def make_layouts(game: WatchedGame, status: WatchStatus, *, is_coloured: bool) -> Iterator[PanelLayout]:
    """Yield the possible layouts, best first: a large or a small board, with one or two columns next to it.

    The small board needs colours, because each of its characters shows two cells.
    """
    counters = render_counters(game.state, status)
    status_text = render_status(game, status)
    boards = [render_board(game.state, coloured=is_coloured)]
    boards += [render_half_block_board(game.state)] if is_coloured else []
    for board in boards:
        if has_attack_layout(game.rules):
            drawings, letters = (render_attack_heading(game, with_drawings) for with_drawings in (True, False))
            side_by_side = Table.grid(padding=(0, _COLUMN_GAP))
            side_by_side.add_row(counters, status_text)
            yield PanelLayout.from_parts(board, Group(drawings, Text(), side_by_side))
            yield PanelLayout.from_parts(board, Group(letters, Text(), side_by_side))
            yield PanelLayout.from_parts(board, Group(letters, side_by_side))
            yield PanelLayout.from_parts(board, Group(letters, Text(), counters, Text(), status_text))
        else:
            one_column = Group(render_heading(game, 3), Text(), counters, Text(), status_text)
            yield PanelLayout.from_parts(board, one_column)
            yield PanelLayout.from_parts(board, Group(render_heading(game, 2), Text(), status_text), counters)


def render_size_message(game: WatchedGame, status: WatchStatus, console: Console) -> Text:
    """Return the message for a terminal that is too small: its size, and the nearest size that is sufficient."""
    layouts = make_layouts(game, status, is_coloured=console.color_system is not None)
    nearest = min(layouts, key=lambda layout: layout.count_missing_characters(console))
    keys = ", or press Q to quit" if status.has_keyboard else ""
    return Text(
        f"This terminal is too small: {console.width} columns × {console.height} rows. The game needs "
        f"{nearest.columns} × {nearest.rows}. Enlarge the terminal to continue{keys}."
    )


def get_cell_colour(state: WatchedState, column: int, row: int) -> str | None:
    """Return the colour of a cell, or None if it is empty; the last placement is the brightest."""
    letter = state.stack.get_cell(column, row)
    if letter == EMPTY_CELL:
        return None
    if letter == UNKNOWN_CELL:
        return UNKNOWN_PIECE_COLOUR
    colour = get_piece_colours("tetrion")[letter]
    return (
        colour
        if (column, row) in find_newest_cells(state)
        else mix_colours(colour, BOARD_BACKGROUND, _OLD_CELL_DIMMING)
    )


def find_newest_cells(state: WatchedState) -> set[Cell]:
    """Return the cells of the last placement, or an empty set if one of its rows was cleared."""
    if state.last_placement is None:
        return set()
    cells = set(state.last_placement.cells)
    is_intact = all(state.stack.get_cell(column, row) == state.last_placement.piece for column, row in cells)
    return cells if is_intact else set()


def render_left_frame(state: WatchedState, rows: int) -> tuple[str, str]:
    """Return a character of the left frame and its style: a heavy line beside the rows of garbage that wait.

    `rows` is the number of rows below it. Garbage that cannot rise at the next lock is dim.
    """
    batches = state.position.garbage
    if rows >= sum(waiting for waiting, _ in batches):
        return "│", "dim"
    return "┃", NEGATIVE if rows < state.position.due_garbage else f"dim {NEGATIVE}"


def render_board(state: WatchedState, *, coloured: bool) -> Text:
    """Return the visible rows in a frame; a cell is two characters wide."""
    text = Text(no_wrap=True)
    for row in reversed(range(state.stack.height)):
        text.append(*render_left_frame(state, row))
        for column in range(BOARD_WIDTH):
            colour = get_cell_colour(state, column, row)
            block = "██" if coloured else 2 * state.stack.get_cell(column, row)
            text.append(block if colour else " ·", colour or "dim")
        text.append("│\n", "dim")
    return text.append(f"└{2 * BOARD_WIDTH * '─'}┘", "dim")


def render_half_block_board(state: WatchedState) -> Text:
    """Return the visible rows with two rows per line of text, using half-block characters."""
    text = Text(no_wrap=True)
    for upper in reversed(range(1, state.stack.height + state.stack.height % 2, 2)):
        text.append(*render_left_frame(state, upper - 1))
        for column in range(BOARD_WIDTH):
            above, below = (get_cell_colour(state, column, row) or BOARD_BACKGROUND for row in (upper, upper - 1))
            text.append("▀", f"{above} on {below}")
        text.append("│\n", "dim")
    return text.append(f"└{BOARD_WIDTH * '─'}┘", "dim")


def render_heading(game: WatchedGame, max_pieces: int) -> RenderableType:
    """Return the agent, the rules, and the current and next pieces, at most `max_pieces` in total."""
    letters = (game.state.position.piece or "") + game.state.position.next
    return Group(*render_title(game), Text(), Text("Next", "dim"), render_pieces(letters[:max_pieces]))


def render_title(game: WatchedGame) -> tuple[Text, Text]:
    """Return the agent, and the rules with the seed."""
    title = Text(shorten(game.agent.name), "bold", no_wrap=True)
    return title, Text(shorten(f"{game.rules}, seed {game.seed}"), "dim", no_wrap=True)


def render_attack_heading(game: WatchedGame, with_drawings: bool) -> RenderableType:
    """Return the agent, the rules, the held, current and next pieces as drawings or letters, and the action text."""
    position = game.state.position
    pieces = VisiblePieces.from_position(position)
    labelled = {"Hold": pieces.hold, "Piece": position.piece or "", "Next": pieces.next}
    if not pieces.has_hold:
        del labelled["Hold"]
    table = Table.grid(padding=(0, 2))
    if with_drawings:
        table.add_row(*(Text(label, "dim") for label in labelled))
        table.add_row(*map(render_pieces, labelled.values()))
    else:
        parts = [part for label, letters in labelled.items() for part in (Text(label, "dim"), render_letters(letters))]
        table.add_row(*parts)
    action = Text(" · ".join(game.state.action), f"bold {ACCENT}", no_wrap=True)
    spacing = [Text()] if with_drawings else []
    return Group(*render_title(game), *spacing, table, *spacing, action)


def render_letters(letters: str) -> Text:
    """Return the letters of pieces in their colours; a dash for none."""
    colours = get_piece_colours("tetrion")
    return Text.assemble(*((letter, colours[letter]) for letter in letters)) if letters else Text(NO_VALUE, "dim")


def shorten(text: str) -> str:
    """Return a text that is not wider than the status line, shortened by an ellipsis if necessary."""
    return text if len(text) <= _MAX_HEADING_WIDTH else f"{text[: _MAX_HEADING_WIDTH - 1]}…"


def render_pieces(letters: str) -> RenderableType:
    """Return pieces side by side in their spawn orientation; a dash for none."""
    if not letters:
        return Text(f"{NO_VALUE}\n", "dim")
    table = Table.grid(padding=(0, 1))
    table.add_row(*(render_piece(letter) for letter in letters))
    return table


def render_piece(letter: str) -> Text:
    """Return a piece in its spawn orientation, two lines high."""
    rows = PIECE_DRAWINGS[letter]
    lines = ["".join("██" if cell == "#" else "  " for cell in row) for row in rows]
    return Text("\n".join([*lines, *[""] * (2 - len(lines))]), get_piece_colours("tetrion")[letter], no_wrap=True)


def render_counters(state: WatchedState, status: WatchStatus) -> RenderableType:
    """Return the table of counters."""
    position = state.position
    counters = {
        "Score": f"{position.score:,}",
        "Lines": f"{position.lines:,}",
        **({"Level": f"{position.level:,}"} if uses_levels(position.rules) else {}),
        "Pieces": f"{position.pieces:,}",
        **list_further_counters(state),
        **({"Mode": state.mode.capitalize()} if state.mode else {}),
        "Pieces/s": NO_VALUE if status.measured_speed is None else format_number(status.measured_speed),
    }
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right", min_width=8)
    for name, value in counters.items():
        table.add_row(Text(name, "dim"), Text(value, "bold"))
    return table


def list_further_counters(state: WatchedState) -> dict[str, str]:
    """Return the points per line, or attack, back-to-backs, combo and the garbage that waits."""
    position = state.position
    rules = position.rules
    if not has_attack_layout(rules):
        return {"Points per line": format_number(position.score / position.lines, 0) if position.lines else NO_VALUE}
    waiting = sum(rows for rows, _ in position.garbage)
    return {
        **({"Attack": f"{state.attack:,}"} if rules.attack != "none" else {}),
        "Back-to-back": f"{max(0, position.back_to_back - 1):,}",
        "Combo": f"{max(0, position.combo - 1):,}",
        **({"Garbage": f"{waiting:,}"} if rules.garbage_rows else {}),
    }


def render_status(game: WatchedGame, status: WatchStatus) -> RenderableType:
    """Return whether the game is playing, its speed, and the keys."""
    speed = format_number(status.speed, 0 if status.speed >= 1 else 2)
    moves = f"{speed} {'move' if status.speed == 1 else 'moves'} per second"
    text = f"Paused, {moves}" if status.is_paused else f"Playing, {moves}"
    if game.state.is_over:
        text = "Game over"
    elif game.is_finished:
        text = f"Stopped after {format_count(game.state.position.pieces, 'piece')}"
    if not status.has_keyboard:
        return Text(text, "bold")
    legend = Table.grid(padding=(0, 1))
    for key, meaning in _KEY_LEGEND:
        legend.add_row(Text(key, "bold"), Text(meaning, "dim"))
    return Group(Text(text, "bold"), Text(), legend)


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
            with open_keyboard():
                run_session(session, console)
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


def run_session(session: WatchSession, console: Console) -> None:
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
    print_wrapped(
        f"{game.agent.name}, rules {game.rules}, seed {game.seed}: "
        f"{describe_counters(position.pieces, position.lines, position.score)}{points}{attack}{over}"
    )
