"""An agent's game as a terminal shows it: the board in blocks, and everything that is known beside it."""

from typing import NamedTuple

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from tetrion.board import EMPTY_CELL, Cell
from tetrion.cli.stepped_game import SteppedGame, SteppedGameState
from tetrion.drawing.palette import BOARD_BACKGROUND, get_piece_colours, mix_colours
from tetrion.engine.pieces import BOARD_WIDTH, PIECE_DRAWINGS
from tetrion.evaluation.number_format import format_number
from tetrion.position import uses_levels

_OLD_CELL_DIMMING = 0.25  # how much of the well's colour the cells have that were not placed last
_KEY_LEGEND = (("Space", "pause"), ("N", "next move"), ("+ −", "speed"), ("R", "restart"), ("Q", "quit"))
_COLUMN_GAP = 3
_SIDE_PANEL_ROWS = 22  # of everything that stands beside the board, one under another


class WatchStatus(NamedTuple):
    """How a game is watched."""

    is_paused: bool
    speed: float  # moves a second that are wanted
    measured_speed: float | None  # pieces a second that there were; None if nobody knows yet
    has_keyboard: bool  # whether somebody can press any


def render_watch_panel(game: SteppedGame, state: WatchStatus, console: Console) -> RenderableType:
    """Everything: on a low terminal the board is drawn in half blocks, and the numbers have a column of their own."""
    coloured, high = console.color_system is not None, console.height > _SIDE_PANEL_ROWS
    numbers, now = render_counters(game.state, state), render_status(game, state)
    large = not coloured or console.height > game.rules.height + 1
    drawn = render_board(game.state, coloured=coloured) if large else render_half_block_board(game.state)
    table = Table.grid(padding=(0, _COLUMN_GAP))
    if high:
        table.add_row(drawn, Group(render_heading(game, 3), Text(), numbers, Text(), now))
    else:
        table.add_row(drawn, Group(render_heading(game, 2), Text(), now), numbers)
    return table


def get_cell_colour(view: SteppedGameState, column: int, row: int) -> str | None:
    """The colour of a cell; what was placed last is the brightest."""
    letter = view.stack.get_cell(column, row)
    if letter == EMPTY_CELL:
        return None
    colour = get_piece_colours("tetrion")[letter]
    return (
        colour if (column, row) in find_newest_cells(view) else mix_colours(colour, BOARD_BACKGROUND, _OLD_CELL_DIMMING)
    )


def find_newest_cells(view: SteppedGameState) -> set[Cell]:
    """The cells of the last placement, if none of its rows was cleared."""
    if view.last_placement is None:
        return set()
    cells = set(view.last_placement.cells)
    there = all(view.stack.get_cell(column, row) == view.last_placement.piece for column, row in cells)
    return cells if there else set()


def render_board(view: SteppedGameState, *, coloured: bool) -> Text:
    """The visible rows in a frame, a cell being two columns."""
    drawn = Text(no_wrap=True)
    for row in reversed(range(view.stack.height)):
        drawn.append("│", "dim")
        for column in range(BOARD_WIDTH):
            colour = get_cell_colour(view, column, row)
            filled = "██" if coloured else 2 * view.stack.get_cell(column, row)
            drawn.append(filled if colour else " ·", colour or "dim")
        drawn.append("│\n", "dim")
    return drawn.append(f"└{2 * BOARD_WIDTH * '─'}┘", "dim")


def render_half_block_board(view: SteppedGameState) -> Text:
    """The same in half the rows: an upper and a lower half block a column."""
    drawn = Text(no_wrap=True)
    for upper in reversed(range(1, view.stack.height + view.stack.height % 2, 2)):
        drawn.append("│", "dim")
        for column in range(BOARD_WIDTH):
            above, below = (get_cell_colour(view, column, row) or BOARD_BACKGROUND for row in (upper, upper - 1))
            drawn.append("▀", f"{above} on {below}")
        drawn.append("│\n", "dim")
    return drawn.append(f"└{BOARD_WIDTH * '─'}┘", "dim")


def render_heading(game: SteppedGame, max_pieces: int) -> RenderableType:
    """Who plays what, and what comes next, if there is room for so many pieces."""
    title = Text(game.agent.name, "bold", overflow="ellipsis", no_wrap=True)
    rules = Text(f"{game.rules}, seed {game.seed}", "dim", overflow="ellipsis", no_wrap=True)
    letters = (game.state.position.piece or "") + game.state.position.next
    return Group(title, rules, Text(), Text("Next", "dim"), render_next_pieces(letters[:max_pieces]))


def render_next_pieces(letters: str) -> RenderableType:
    """Pieces side by side, as they enter."""
    table = Table.grid(padding=(0, 2))
    table.add_row(*(render_piece(letter) for letter in letters))
    return table


def render_piece(letter: str) -> Text:
    """A piece as it enters, two rows high."""
    rows = PIECE_DRAWINGS[letter]
    lines = ["".join("██" if sign == "#" else "  " for sign in row) for row in rows]
    return Text("\n".join([*lines, *[""] * (2 - len(lines))]), get_piece_colours("tetrion")[letter], no_wrap=True)


def render_counters(view: SteppedGameState, state: WatchStatus) -> RenderableType:
    """The counters."""
    position = view.position
    points = format_number(position.score / position.lines, 0) if position.lines else "–"
    told = {
        "Score": f"{position.score:,}",
        "Lines": f"{position.lines:,}",
        **({"Level": f"{position.level:,}"} if uses_levels(position.rules) else {}),
        "Pieces": f"{position.pieces:,}",
        "Points a line": points,
        **({"Mode": view.mode.capitalize()} if view.mode else {}),
        "Pieces/s": "–" if state.measured_speed is None else format_number(state.measured_speed),
    }
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right", min_width=8)
    for name, value in told.items():
        table.add_row(Text(name, "dim"), Text(value, "bold"))
    return table


def render_status(game: SteppedGame, state: WatchStatus) -> RenderableType:
    """Whether it goes on, how fast, and what can be pressed."""
    moves = (
        f"{format_number(state.speed, 0 if state.speed >= 1 else 2)} {'move' if state.speed == 1 else 'moves'} a second"
    )
    words = f"Paused, {moves}" if state.is_paused else f"Playing, {moves}"
    if game.state.is_over:
        words = "Game over"
    elif game.is_finished:
        words = f"Stopped after {game.state.position.pieces:,} pieces"
    if not state.has_keyboard:
        return Text(words, "bold")
    legend = Table.grid(padding=(0, 1))
    for key, meaning in _KEY_LEGEND:
        legend.add_row(Text(key, "bold"), Text(meaning, "dim"))
    return Group(Text(words, "bold"), Text(), legend)
