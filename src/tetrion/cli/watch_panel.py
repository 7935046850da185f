"""The terminal view of a game: the board as blocks, and the counters and keys next to it."""

import io
from collections.abc import Iterator
from typing import NamedTuple

from rich.console import Console, Group, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from tetrion.board import EMPTY_CELL, UNKNOWN_CELL, Cell
from tetrion.cli.console_output import CleanConsole
from tetrion.cli.watched_game import WatchedGame, WatchedState
from tetrion.drawing.palette import (
    ACCENT,
    BOARD_BACKGROUND,
    NEGATIVE,
    UNKNOWN_PIECE_COLOUR,
    get_piece_colours,
    mix_colours,
)
from tetrion.engine.pieces import BOARD_WIDTH, PIECE_DRAWINGS
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_number
from tetrion.game_facts import VisiblePieces, has_attack_layout
from tetrion.position import uses_levels

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

    def fits_terminal(self, console: Console) -> bool:
        """Return whether a terminal has the columns and rows that the layout needs."""
        return self.columns <= console.width and self.rows <= console.height

    def count_missing_characters(self, console: Console) -> int:
        """Return by how much a terminal must be enlarged; a row of characters is about twice as high as wide."""
        return max(0, self.columns - console.width) + 2 * max(0, self.rows - console.height)


def measure_size(part: RenderableType) -> tuple[int, int]:
    """Return the columns and rows that a part of the view needs."""
    lines = CleanConsole(width=_MEASURING_WIDTH, file=io.StringIO()).render_lines(part, pad=False)
    return max(map(Segment.get_line_length, lines)), len(lines)


def find_layout(game: WatchedGame, status: WatchStatus, console: Console) -> PanelLayout | None:
    """Return the best layout that fits the terminal, or None if it is too small for all of them."""
    is_coloured = console.color_system is not None
    layouts = make_layouts(game, status, is_coloured=is_coloured)
    return next((layout for layout in layouts if layout.fits_terminal(console)), None)


def make_layouts(game: WatchedGame, status: WatchStatus, *, is_coloured: bool) -> Iterator[PanelLayout]:
    """Yield the possible layouts, best first: a large or a small board, with one or two columns next to it.

    The small board needs colours, because each of its characters shows two cells.
    """
    if has_attack_layout(game.rules):
        yield from make_attack_layouts(game, status, is_coloured=is_coloured)
        return
    counters = render_counters(game.state, status)
    status_text = render_status(game, status)
    board = render_board(game.state, coloured=is_coloured)
    one_column = Group(render_heading(game, 3), Text(), counters, Text(), status_text)
    first_column = Group(render_heading(game, 2), Text(), status_text)
    yield PanelLayout.from_parts(board, one_column)
    yield PanelLayout.from_parts(board, first_column, counters)
    if is_coloured:
        small_board = render_half_block_board(game.state)
        yield PanelLayout.from_parts(small_board, first_column, counters)
        yield PanelLayout.from_parts(small_board, one_column)


def make_attack_layouts(game: WatchedGame, status: WatchStatus, *, is_coloured: bool) -> Iterator[PanelLayout]:
    """Yield the possible layouts with the hold box, best first: with the pieces as drawings, or as letters."""
    counters = render_counters(game.state, status)
    status_text = render_status(game, status)
    side_by_side = Table.grid(padding=(0, _COLUMN_GAP))
    side_by_side.add_row(counters, status_text)
    drawings, letters = (render_attack_heading(game, with_drawings) for with_drawings in (True, False))
    boards = [render_board(game.state, coloured=is_coloured)]
    boards += [render_half_block_board(game.state)] if is_coloured else []
    for board in boards:
        yield PanelLayout.from_parts(board, Group(drawings, Text(), side_by_side))
        yield PanelLayout.from_parts(board, Group(letters, Text(), side_by_side))
        yield PanelLayout.from_parts(board, Group(letters, side_by_side))
        yield PanelLayout.from_parts(board, Group(letters, Text(), counters, Text(), status_text))


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
