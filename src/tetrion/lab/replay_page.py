"""A replay as one HTML page: the engine plays the game here, and the page shows it in any browser."""

from collections.abc import Sequence

from tetrion.board import Cell
from tetrion.drawing.palette import (
    BLACK,
    BOARD_BACKGROUND,
    BOARD_OUTLINE,
    GRADE_COLOURS,
    GRID_LINE_COLOUR,
    NEGATIVE,
    WHITE,
    mix_colours,
)
from tetrion.engine.pieces import PIECE_DRAWINGS
from tetrion.engine.rules import Rules
from tetrion.errors import ReplayError
from tetrion.evaluation.number_format import format_count
from tetrion.evaluation.replay_review import GRADE_EXPLANATION, LOSS_EXPLANATION, Review
from tetrion.game_facts import has_attack_layout
from tetrion.lab.page_templates import render_template
from tetrion.lab.replay_page_data import GARBAGE_LETTER, PAGE_CELL_SIZE, build_page_data
from tetrion.position import uses_levels
from tetrion.replay import Replay


def render_replay_page(replay: Replay, review: Review | None = None) -> str:
    """Return a self-contained HTML page of a replay, with the grades of its moves if a review is given."""
    if not isinstance(replay, Replay):
        raise ReplayError(f"Expected a Replay, for example from Replay.load; given {replay!r}.")
    from tetrion.drawing.cells import CELL_CORNER_RADIUS

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
    from tetrion.drawing import cells

    side = PAGE_CELL_SIZE - 1
    face = side - round(cells.CELL_LIP_HEIGHT * PAGE_CELL_SIZE)
    drawings = {}
    for name, state in {"active": cells.ACTIVE_CELL, "locked": cells.LOCKED_CELL, "over": cells.GAME_OVER_CELL}.items():
        for letter in [*PIECE_DRAWINGS, GARBAGE_LETTER]:
            body = cells.get_body_colour(letter, state)
            drawings[f"{name}{letter}"] = [
                (0.5, side, mix_colours(body, BLACK, 0.30)),
                (0.5, face, mix_colours(body, WHITE, cells.CELL_EDGE_WHITENESS[state])),
                (1.5, face - 1, body),
            ]
    return drawings


def list_drawn_cells(rows: Sequence[str]) -> list[Cell]:
    """Return the filled cells of a drawing, as (column, row from the top)."""
    return [(x, y) for y, row in enumerate(rows) for x, symbol in enumerate(row) if symbol == "#"]
