"""An agent's game as a terminal shows it: the board in blocks, and everything that is known beside it."""

from typing import NamedTuple

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from tetrion.board import EMPTY, Cell
from tetrion.cli.courses import Course, View
from tetrion.drawing.palette import WELL, mixed, pieces_of
from tetrion.engine.pieces import DRAWINGS, WIDTH
from tetrion.evaluation.words import figure
from tetrion.position import has_levels

QUIET = 0.25  # how much of the well's colour the cells have that were not placed last
LEGEND = (("Space", "pause"), ("N", "next move"), ("+ −", "speed"), ("R", "restart"), ("Q", "quit"))
GAP = 3
ROWS_BESIDE = 22  # of everything that stands beside the board, one under another


class State(NamedTuple):
    """How a game is watched."""

    paused: bool
    speed: float  # moves a second that are wanted
    reached: float | None  # pieces a second that there were; None if nobody knows yet
    keys: bool  # whether somebody can press any


def panel(course: Course, state: State, console: Console) -> RenderableType:
    """Everything: on a low terminal the board is drawn in half blocks, and the numbers have a column of their own."""
    coloured, high = console.color_system is not None, console.height > ROWS_BESIDE
    numbers, now = figures(course.view, state), status(course, state)
    large = not coloured or console.height > course.rules.height + 1
    drawn = board(course.view, coloured=coloured) if large else low_board(course.view)
    table = Table.grid(padding=(0, GAP))
    if high:
        table.add_row(drawn, Group(heading(course, 3), Text(), numbers, Text(), now))
    else:
        table.add_row(drawn, Group(heading(course, 2), Text(), now), numbers)
    return table


def colour_of(view: View, column: int, row: int) -> str | None:
    """The colour of a cell; what was placed last is the brightest."""
    letter = view.stack.at(column, row)
    if letter == EMPTY:
        return None
    colour = pieces_of("tetrion")[letter]
    return colour if (column, row) in newest(view) else mixed(colour, WELL, QUIET)


def newest(view: View) -> set[Cell]:
    """The cells of the last placement, if none of its rows was cleared."""
    if view.last is None:
        return set()
    cells = set(view.last.cells)
    there = all(view.stack.at(column, row) == view.last.piece for column, row in cells)
    return cells if there else set()


def board(view: View, *, coloured: bool) -> Text:
    """The visible rows in a frame, a cell being two columns."""
    drawn = Text(no_wrap=True)
    for row in reversed(range(view.stack.height)):
        drawn.append("│", "dim")
        for column in range(WIDTH):
            colour = colour_of(view, column, row)
            filled = "██" if coloured else 2 * view.stack.at(column, row)
            drawn.append(filled if colour else " ·", colour or "dim")
        drawn.append("│\n", "dim")
    return drawn.append(f"└{2 * WIDTH * '─'}┘", "dim")


def low_board(view: View) -> Text:
    """The same in half the rows: an upper and a lower half block a column."""
    drawn = Text(no_wrap=True)
    for upper in reversed(range(1, view.stack.height + view.stack.height % 2, 2)):
        drawn.append("│", "dim")
        for column in range(WIDTH):
            above, below = (colour_of(view, column, row) or WELL for row in (upper, upper - 1))
            drawn.append("▀", f"{above} on {below}")
        drawn.append("│\n", "dim")
    return drawn.append(f"└{WIDTH * '─'}┘", "dim")


def heading(course: Course, most: int) -> RenderableType:
    """Who plays what, and what comes next, if there is room for so many pieces."""
    title = Text(course.agent.name, "bold", overflow="ellipsis", no_wrap=True)
    rules = Text(f"{course.rules}, seed {course.seed}", "dim", overflow="ellipsis", no_wrap=True)
    letters = (course.view.position.piece or "") + course.view.position.next
    return Group(title, rules, Text(), Text("Next", "dim"), coming(letters[:most]))


def coming(letters: str) -> RenderableType:
    """Pieces side by side, as they enter."""
    table = Table.grid(padding=(0, 2))
    table.add_row(*(piece(letter) for letter in letters))
    return table


def piece(letter: str) -> Text:
    """A piece as it enters, two rows high."""
    rows = DRAWINGS[letter]
    lines = ["".join("██" if sign == "#" else "  " for sign in row) for row in rows]
    return Text("\n".join([*lines, *[""] * (2 - len(lines))]), pieces_of("tetrion")[letter], no_wrap=True)


def figures(view: View, state: State) -> RenderableType:
    """The counters."""
    position = view.position
    points = figure(position.score / position.lines, 0) if position.lines else "–"
    told = {
        "Score": f"{position.score:,}",
        "Lines": f"{position.lines:,}",
        **({"Level": f"{position.level:,}"} if has_levels(position.rules) else {}),
        "Pieces": f"{position.pieces:,}",
        "Points a line": points,
        **({"Mode": view.mode.capitalize()} if view.mode else {}),
        "Pieces/s": "–" if state.reached is None else figure(state.reached),
    }
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right", min_width=8)
    for name, value in told.items():
        table.add_row(Text(name, "dim"), Text(value, "bold"))
    return table


def status(course: Course, state: State) -> RenderableType:
    """Whether it goes on, how fast, and what can be pressed."""
    moves = f"{figure(state.speed, 0 if state.speed >= 1 else 2)} {'move' if state.speed == 1 else 'moves'} a second"
    words = f"Paused, {moves}" if state.paused else f"Playing, {moves}"
    if course.view.over:
        words = "Game over"
    elif course.ended:
        words = f"Stopped after {course.view.position.pieces:,} pieces"
    if not state.keys:
        return Text(words, "bold")
    legend = Table.grid(padding=(0, 1))
    for key, meaning in LEGEND:
        legend.add_row(Text(key, "bold"), Text(meaning, "dim"))
    return Group(Text(words, "bold"), Text(), legend)
