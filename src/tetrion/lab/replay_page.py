"""A replay as one HTML page: the engine plays the game here, and the page shows its moves in any browser."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tetrion.board import EMPTY_CELL, UNKNOWN_CELL, Cell
from tetrion.drawing.palette import (
    ACTIVE_CELL,
    BLACK,
    BOARD_BACKGROUND,
    BOARD_OUTLINE,
    CELL_CORNER_RADIUS,
    CELL_EDGE_WHITENESS,
    CELL_LIP_HEIGHT,
    GAME_OVER_CELL,
    GRADE_COLOURS,
    GRID_LINE_COLOUR,
    LOCKED_CELL,
    NEGATIVE,
    WHITE,
    get_body_colour,
    get_piece_colours,
    mix_colours,
)
from tetrion.engine.pieces import BOARD_WIDTH, PIECE_DRAWINGS, SHAPES
from tetrion.engine.rules import Rules
from tetrion.errors import ReplayError, describe_value
from tetrion.evaluation.number_format import format_count
from tetrion.evaluation.replay_review import GRADE_EXPLANATION, LOSS_EXPLANATION, ReplayStep, Review, iterate_steps
from tetrion.game import Game, GameEvent
from tetrion.game_facts import VisiblePieces, describe_action, has_attack_layout
from tetrion.lab.page_templates import render_template
from tetrion.position import Position, uses_levels
from tetrion.replay import Replay


def render_replay_page(replay: Replay, review: Review | None = None) -> str:
    """Return a self-contained HTML page of a replay, with the grades of its moves if a review is given."""
    if not isinstance(replay, Replay):
        raise ReplayError(f"Expected a Replay, for example from Replay.load; given {describe_value(replay)}.")
    rules = replay.rules
    result = replay.result
    return render_template(
        "replay.html.jinja",
        player=replay.agent or "A player",
        rules=str(rules),
        chips={"Rules": str(rules), "Seed": str(replay.seed)}
        | ({"Game": f"{replay.number:,}"} if replay.number else {}),
        result=f"{format_count(int(result['lines']), 'line')}, {format_count(int(result['score']), 'point')}.",
        counters=list_page_counters(rules),
        has_hold=bool(rules.hold),
        has_garbage=bool(rules.garbage_rows),
        has_keys=replay.key_events is not None,
        radius=f"{CELL_CORNER_RADIUS * PAGE_CELL_SIZE:g}",
        cells=make_cell_drawings(),
        pieces={letter: list_drawn_cells(rows) for letter, rows in PIECE_DRAWINGS.items()},
        colours={
            "background": BOARD_BACKGROUND,
            "outline": BOARD_OUTLINE,
            "grid": GRID_LINE_COLOUR,
            "cleared": WHITE,
            "waiting": NEGATIVE,
        },
        review=review,
        grade_colours=GRADE_COLOURS,
        grade_explanation=f"{LOSS_EXPLANATION} {GRADE_EXPLANATION}",
        data=build_page_data(replay, replay.play(), review),
    )


def list_page_counters(rules: Rules) -> dict[str, str]:
    """Return the counters that a page shows under these rules, as labels by name."""
    level = {"level": "Level"} if uses_levels(rules) else {}
    attack = {"attack": "Attack"} if rules.attack != "none" else {}
    chains = {"back-to-backs": "Back-to-back", "combo": "Combo"} if has_attack_layout(rules) else {}
    return {"score": "Score", "lines": "Lines", **level, "pieces": "Pieces", **attack, **chains}


def make_cell_drawings() -> dict[str, list[tuple[float, int, str]]]:
    """Return the drawing of each piece's cells in each state, by name.

    It consists of the lower lip, the upper edge and the face, each as (top, height, colour).
    """
    side = PAGE_CELL_SIZE - 1
    face = side - round(CELL_LIP_HEIGHT * PAGE_CELL_SIZE)
    drawings = {}
    for name, state in {"active": ACTIVE_CELL, "locked": LOCKED_CELL, "over": GAME_OVER_CELL}.items():
        for letter in [*PIECE_DRAWINGS, GARBAGE_LETTER]:
            body = get_body_colour(letter, state)
            drawings[f"{name}{letter}"] = [
                (0.5, side, mix_colours(body, BLACK, 0.30)),
                (0.5, face, mix_colours(body, WHITE, CELL_EDGE_WHITENESS[state])),
                (1.5, face - 1, body),
            ]
    return drawings


def list_drawn_cells(rows: Sequence[str]) -> list[Cell]:
    """Return the filled cells of a drawing, as (column, row from the top)."""
    return [(x, y) for y, row in enumerate(rows) for x, symbol in enumerate(row) if symbol == "#"]


PAGE_CELL_SIZE = 32  # size of a cell in SVG units
_OUTLINE_INSET = 2.5  # distance of the outline's centre line from the edge of the cells, in SVG units
_KEY_CODES = {
    "left": "l",
    "right": "r",
    "rotate": "t",
    "back": "b",
    "half": "h",
    "down": "d",
    "drop": "p",
    "hold": "o",
}
_MAX_KEYS_PER_MOVE = 200  # further keys of a move are omitted
_NO_WAITING_ROW = -1
GARBAGE_LETTER = "g"


class PageShape(NamedTuple):
    """A piece in one orientation; its cells are relative to its leftmost column and lowest row."""

    piece: str
    cells: list[Cell]
    height: int
    outline: str
    colour: str


def build_page_data(replay: Replay, game: Game, review: Review | None = None) -> dict[str, Any]:
    """Return everything that the page draws; `game` is the replay played to its end.

    A move is a list: shape number, column, row, row in which the piece waits, points earned, level after the move,
    rows cleared and, in real-time replays, the keys pressed. `details` are what the attack layout shows.
    `grades` has one list per graded move: its grade, its cost in words and, if another placement is better, the shape
    number, column and row of that.
    """
    steps = list(iterate_steps(replay))
    rules = replay.rules
    better = [move.better_placement for move in review.moves] if review else []
    shown = [*(step.placement for step in steps), *(placement for placement in better if placement)]
    orientations = list(dict.fromkeys((placement.piece, placement.orientation) for placement in shown))
    shapes = [make_page_shape(letter, orientation) for letter, orientation in orientations]
    moves = []
    for step in steps:
        placement = step.placement
        shape = orientations.index((placement.piece, placement.orientation))
        location = [shape, placement.column, placement.row, find_waiting_row(step, shapes[shape].height)]
        outcome = [step.after.score - step.before.score, step.after.level, list(step.locked_piece.full_rows)]
        keys = [] if replay.key_events is None else [encode_pressed_keys(step.keys)]
        moves.append([*location, *outcome, *keys])
    return {
        "shapes": [shape._asdict() for shape in shapes],
        "moves": moves,
        "grades": list_grades(review, orientations) if review else [],
        "gradeColours": GRADE_COLOURS,
        "queue": "".join(step.placement.piece for step in steps) + game.piece + game.next,
        "details": build_details(steps, game) if has_attack_layout(rules) else None,
        "preview": rules.preview,
        "height": rules.height,
        "width": BOARD_WIDTH,
        "cell": PAGE_CELL_SIZE,
        "level": Game(rules, replay.seed, replay.number).level,
        "over": game.is_over,
        "keys": {code: name for name, code in _KEY_CODES.items()},
        "sizes": {
            letter: [PAGE_CELL_SIZE * len(rows[0]), PAGE_CELL_SIZE * len(rows)]
            for letter, rows in PIECE_DRAWINGS.items()
        },
    }


def list_grades(review: Review, orientations: Sequence[tuple[str, int]]) -> list[list[str | int]]:
    """Return the grade of each move, its cost in words, and the better placement, if there is one."""
    grades = []
    for move in review.moves:
        grade: list[str | int] = [move.grade, "" if move.is_best else move.describe_cost(review.agent)]
        if best := move.better_placement:
            grade += [orientations.index((best.piece, best.orientation)), best.column, best.row]
        grades.append(grade)
    return grades


def build_details(steps: Sequence[ReplayStep], game: Game) -> dict[str, Any]:
    """Return what the attack layout shows of a game; `game` is the replay played to its end.

    `states` has one entry before each move and one at the end: held piece, whether it can be taken, next pieces,
    attack, back-to-backs, combo, the rows of each batch of garbage that waits, and how many rows are due. `holds` are
    the moves with hold, `actions` the action texts by the number of the move, and `garbage` the rows that rose after
    it; moves are counted from 1, and 0 is the start of the game.
    """
    states = [make_state(VisiblePieces.from_position(step.before, step.placement), step.before) for step in steps]
    last = VisiblePieces.from_position(game.position)
    actions = {step.number: describe_action(step.locked_piece, step.after) for step in steps}
    return {
        "states": [*states, make_state(last, game.position)],
        "holds": [step.number for step in steps if step.placement.hold],
        "actions": {number: lines for number, lines in actions.items() if lines},
        "garbage": {
            number: [row.replace(UNKNOWN_CELL, GARBAGE_LETTER).replace(EMPTY_CELL, " ") for row in rows]
            for number, rows in game.garbage_rises.items()
        },
    }


def make_state(pieces: VisiblePieces, position: Position) -> list[str | int | list[int]]:
    """Return the pieces, counters and garbage that are shown before a move, or at the end."""
    counters = [position.attack, max(0, position.back_to_back - 1), max(0, position.combo - 1)]
    garbage = [rows for rows, _ in position.garbage]
    return [pieces.hold, int(pieces.can_hold), pieces.next, *counters, garbage, position.due_garbage]


def make_page_shape(piece: str, orientation: int) -> PageShape:
    """Return an orientation of a piece with its outline."""
    cells = [(x, y) for x, bits in enumerate(SHAPES[orientation]) for y in range(4) if bits >> y & 1]
    height = 1 + max(y for _, y in cells)
    outline = trace_outline({(x, height - 1 - y) for x, y in cells})
    return PageShape(piece, cells, height, outline, get_piece_colours("tetrion")[piece])


def find_waiting_row(step: ReplayStep, shape_height: int) -> int:
    """Return the row at the top of the board where the piece waits, or -1 if it does not fit there."""
    placement = step.placement
    columns = step.before.board.columns
    row = step.before.rules.height - shape_height
    is_free = not any(columns[x] >> (row + y - placement.row) & 1 for x, y in placement.cells)
    return row if row > placement.row and is_free else _NO_WAITING_ROW


def encode_pressed_keys(events: Iterable[GameEvent]) -> str:
    """Return the keys that were pressed, one letter each."""
    return "".join(_KEY_CODES[key] for _, action, key in events if action in ("press", "keydown"))[:_MAX_KEYS_PER_MOVE]


def trace_outline(cells: set[Cell]) -> str:
    """Return an SVG path around the cells of a piece; rows are counted from the top."""
    ends = {}  # end of each border segment by its start, clockwise
    for x, y in cells:
        for neighbour, start, end in (
            ((x, y - 1), (x, y), (x + 1, y)),
            ((x + 1, y), (x + 1, y), (x + 1, y + 1)),
            ((x, y + 1), (x + 1, y + 1), (x, y + 1)),
            ((x - 1, y), (x, y + 1), (x, y)),
        ):
            if neighbour not in cells:
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
