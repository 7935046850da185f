"""What a replay's page is told of a game: every move as a few numbers, played by the engine."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from tetrion.board import Cell
from tetrion.drawing.palette import get_piece_colours
from tetrion.engine.pieces import BOARD_WIDTH, PIECE_DRAWINGS, SHAPES
from tetrion.evaluation.replay_steps import ReplayStep, iterate_steps
from tetrion.game import Game
from tetrion.replay import GameEvent, Replay

PAGE_CELL_SIZE = 32  # the size of a cell in the page's drawings
_OUTLINE_INSET = 2.5  # of the middle of an outline's stroke, from the border of its cells
_KEY_CODES = {"left": "l", "right": "r", "rotate": "t", "back": "b", "down": "d", "drop": "p"}
_MAX_KEYS_PER_MOVE = 200  # of a move that are written down: nobody reads more
_NO_WAITING_ROW = -1


class PageShape(NamedTuple):
    """A piece in one of its orientations, its cells counted from its leftmost column and its lowest row."""

    letter: str
    cells: list[Cell]
    tall: int
    contour: str
    colour: str


def build_page_data(replay: Replay, game: Game) -> dict[str, Any]:
    """Everything that the page draws from; `game` is the replay played to its end.

    A move is its shape's number, column, row, the row in which the piece waits, the points that it earns, the level
    after it, the rows that it clears, and in real time its keys.
    """
    moves, rules = list(iterate_steps(replay)), replay.rules
    orientations = list(dict.fromkeys((step.placement.piece, step.placement.orientation) for step in moves))
    shapes = [make_page_shape(letter, orientation) for letter, orientation in orientations]
    told = []
    for step in moves:
        place = step.placement
        shape = orientations.index((place.piece, place.orientation))
        where = [shape, place.column, place.row, find_waiting_row(step, shapes[shape].tall)]
        earned = [step.after.score - step.before.score, step.after.level, find_cleared_rows(step)]
        told.append([*where, *earned, *([] if replay.key_events is None else [encode_pressed_keys(step.keys)])])
    return {
        "shapes": [shape._asdict() for shape in shapes],
        "moves": told,
        "queue": "".join(step.placement.piece for step in moves) + game.piece + game.next,
        "preview": rules.preview,
        "height": rules.height,
        "width": BOARD_WIDTH,
        "cell": PAGE_CELL_SIZE,
        "level": Game(rules, replay.seed, replay.number).level,
        "over": game.is_over,
        "keys": {sign: name for name, sign in _KEY_CODES.items()},
        "sizes": {
            letter: [PAGE_CELL_SIZE * len(rows[0]), PAGE_CELL_SIZE * len(rows)]
            for letter, rows in PIECE_DRAWINGS.items()
        },
    }


def make_page_shape(piece: str, orientation: int) -> PageShape:
    """One of the engine's orientations with its outline."""
    cells = [(x, y) for x, bits in enumerate(SHAPES[orientation]) for y in range(4) if bits >> y & 1]
    tall = 1 + max(y for _, y in cells)
    return PageShape(
        piece, cells, tall, trace_outline({(x, tall - 1 - y) for x, y in cells}), get_piece_colours("tetrion")[piece]
    )


def find_waiting_row(step: ReplayStep, shape_height: int) -> int:
    """The row at the top of the well where a piece is shown before it is placed, or `NOWHERE` if it has no room."""
    place, columns = step.placement, step.before.board.columns
    row = step.before.rules.height - shape_height
    free = not any(columns[x] >> (row + y - place.row) & 1 for x, y in place.cells)
    return row if row > place.row and free else _NO_WAITING_ROW


def find_cleared_rows(step: ReplayStep) -> list[int]:
    """The rows that a move has cleared, counted from the floor before they went."""
    if step.after.lines == step.before.lines:
        return []
    columns = list(step.before.board.columns)
    for column, row in step.placement.cells:
        columns[column] |= 1 << row
    return [row for row in range(step.before.board.rows) if all(column >> row & 1 for column in columns)]


def encode_pressed_keys(events: Iterable[GameEvent]) -> str:
    """The keys that went down, a letter each."""
    return "".join(_KEY_CODES[what] for _, action, what in events if action in ("press", "keydown"))[
        :_MAX_KEYS_PER_MOVE
    ]


def trace_outline(cells: set[Cell]) -> str:
    """A path around the cells of a piece, which are counted from above."""
    ends = {}  # of the border's pieces by where they begin, clockwise
    for x, y in cells:
        for beside, start, end in (
            ((x, y - 1), (x, y), (x + 1, y)),
            ((x + 1, y), (x + 1, y), (x + 1, y + 1)),
            ((x, y + 1), (x + 1, y + 1), (x, y + 1)),
            ((x - 1, y), (x, y + 1), (x, y)),
        ):
            if beside not in cells:
                ends[start] = end
    border = [min(ends)]
    while (end := ends[border[-1]]) != border[0]:
        border.append(end)
    corners = []
    for before, (x, y), after in zip([border[-1], *border], border, [*border[1:], border[0]], strict=False):
        turn_x, turn_y = after[0] - before[0], after[1] - before[1]
        if turn_x and turn_y:
            corners.append(
                f"{PAGE_CELL_SIZE * x - _OUTLINE_INSET * turn_y:g} {PAGE_CELL_SIZE * y + _OUTLINE_INSET * turn_x:g}"
            )
    return f"M{'L'.join(corners)}Z"
