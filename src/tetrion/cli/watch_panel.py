"""The terminal view of a game: the board as blocks, and the counters and keys next to it."""

from typing import NamedTuple

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from tetrion.board import EMPTY_CELL, Cell
from tetrion.cli.watched_game import WatchedGame, WatchedState
from tetrion.drawing.palette import BOARD_BACKGROUND, get_piece_colours, mix_colours
from tetrion.engine.pieces import BOARD_WIDTH, PIECE_DRAWINGS
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.position import uses_levels

_OLD_CELL_DIMMING = 0.25  # share of the background colour in all cells except those of the last placement
_KEY_LEGEND = (("Space", "pause"), ("N", "next move"), ("+ −", "speed"), ("R", "restart"), ("Q", "quit"))
_COLUMN_GAP = 3  # characters
_SIDE_PANEL_ROWS = 22  # lines that a single column next to the board needs


class WatchStatus(NamedTuple):
    """The state of a watched game: pause, speed and keyboard."""

    is_paused: bool
    speed: float  # requested moves per second
    measured_speed: float | None  # measured pieces per second; None during the first second
    has_keyboard: bool


def render_watch_panel(game: WatchedGame, status: WatchStatus, console: Console) -> RenderableType:
    """Return the whole view; a terminal with few lines gets half blocks and a second column."""
    is_coloured = console.color_system is not None
    counters = render_counters(game.state, status)
    status_text = render_status(game, status)
    fits_full_blocks = not is_coloured or console.height > game.rules.height + 1
    board = render_board(game.state, coloured=is_coloured) if fits_full_blocks else render_half_block_board(game.state)
    table = Table.grid(padding=(0, _COLUMN_GAP))
    if console.height > _SIDE_PANEL_ROWS:
        table.add_row(board, Group(render_heading(game, 3), Text(), counters, Text(), status_text))
    else:
        table.add_row(board, Group(render_heading(game, 2), Text(), status_text), counters)
    return table


def get_cell_colour(state: WatchedState, column: int, row: int) -> str | None:
    """Return the colour of a cell, or None if it is empty; the last placement is the brightest."""
    letter = state.stack.get_cell(column, row)
    if letter == EMPTY_CELL:
        return None
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


def render_board(state: WatchedState, *, coloured: bool) -> Text:
    """Return the visible rows in a frame; a cell is two characters wide."""
    text = Text(no_wrap=True)
    for row in reversed(range(state.stack.height)):
        text.append("│", "dim")
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
        text.append("│", "dim")
        for column in range(BOARD_WIDTH):
            above, below = (get_cell_colour(state, column, row) or BOARD_BACKGROUND for row in (upper, upper - 1))
            text.append("▀", f"{above} on {below}")
        text.append("│\n", "dim")
    return text.append(f"└{BOARD_WIDTH * '─'}┘", "dim")


def render_heading(game: WatchedGame, max_pieces: int) -> RenderableType:
    """Return the agent, the rules, and the current and next pieces, at most `max_pieces` in total."""
    title = Text(game.agent.name, "bold", overflow="ellipsis", no_wrap=True)
    rules = Text(f"{game.rules}, seed {game.seed}", "dim", overflow="ellipsis", no_wrap=True)
    letters = (game.state.position.piece or "") + game.state.position.next
    return Group(title, rules, Text(), Text("Next", "dim"), render_next_pieces(letters[:max_pieces]))


def render_next_pieces(letters: str) -> RenderableType:
    """Return pieces side by side in their spawn orientation."""
    table = Table.grid(padding=(0, 2))
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
    points = format_number(position.score / position.lines, 0) if position.lines else "–"
    counters = {
        "Score": f"{position.score:,}",
        "Lines": f"{position.lines:,}",
        **({"Level": f"{position.level:,}"} if uses_levels(position.rules) else {}),
        "Pieces": f"{position.pieces:,}",
        "Points per line": points,
        **({"Mode": state.mode.capitalize()} if state.mode else {}),
        "Pieces/s": "–" if status.measured_speed is None else format_number(status.measured_speed),
    }
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right", min_width=8)
    for name, value in counters.items():
        table.add_row(Text(name, "dim"), Text(value, "bold"))
    return table


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
