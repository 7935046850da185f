"""Exhaustive lookahead: every variation is played to its end."""

from typing import NamedTuple

from tests.reference.board import Board, Placement, fill_cells, remove_full_rows
from tests.reference.features import FEATURES, MeasuredBoard
from tests.reference.movement import PieceMotion, find_placements, get_rotated_cells, sort_placements
from tests.reference.pieces import PIECES, Cell
from tests.reference.rules import Rules
from tests.reference.simple_game import Terms, list_points

PLACEMENT_FEATURES = {
    "landing_height",
    "eroded_cells",
    "lines",
    "one_line",
    "two_lines",
    "three_lines",
    "four_lines",
    "piece_top",
    "piece_bottom",
    "turns",
    "lowest_column_distance",
    "chance",
    "danger",
    "special_piece",
    "max_height_change",
    "bumpiness_change",
    "holes_change",
}
BOARD_FEATURES_READ_AT_THE_END = set(FEATURES) - PLACEMENT_FEATURES
WORST_POINTS = -(2**31)


class Plan(NamedTuple):
    """The lookahead settings of an agent.

    `removed`: whether features are measured after full rows are removed; `expect`: whether the expectation over the
    next unknown piece is added; `beam`: the number of options followed per piece, 0 for all; `view_rows`: the height of
    the view on which patterns are measured.
    """

    terms: Terms
    removed: bool
    depth: int
    expect: bool
    beam: int
    view_rows: int = 0


class Search(NamedTuple):
    """The values that stay the same during a search; `gravity` is in frames per row."""

    rules: Rules
    gravity: int
    plan: Plan


class Option(NamedTuple):
    """A placement and its outcome.

    `points` counts all features; `gain` counts only the features of the placement, which add up along a variation.
    """

    placement: Placement
    points: int
    gain: int
    board: Board
    survives: bool


# The number of pieces of a variation that survive, then its points (summed over seven pieces if a piece is unknown).
VariationValue = tuple[int, int]


def find_options(board: Board, piece: str, search: Search) -> list[Option]:
    """Return the placements of a piece in order, without those that end the game unless all do."""
    rules = search.rules
    terms = search.plan.terms
    motion = PieceMotion(board, piece, rules)
    if rules.game_over == "entry" and not motion.fits(motion.spawn_state):
        return []
    before = MeasuredBoard(board)
    options = []
    for placement in sort_placements(find_placements(motion, search.gravity)):
        cells = get_rotated_cells(rules.rotation, piece, placement)
        points = list_points(before, piece, cells, search.plan.removed, terms, search.plan.view_rows)
        gain = sum(part for name, part in points.items() if name in PLACEMENT_FEATURES)
        after = remove_full_rows(fill_cells(board, cells))
        options.append(Option(placement, sum(points.values()), gain, after, game_continues(cells, after, rules)))
    return [option for option in options if option.survives] or options


def game_continues(cells: list[Cell], after: Board, rules: Rules) -> bool:
    if rules.game_over == "top-row":
        return not any(any(row) for row in after[rules.height - 1 :])
    return rules.game_over != "above" or all(row < rules.height for _, row in cells)


def apply_beam(options: list[Option], beam: int) -> list[Option]:
    """Return the best options that the beam follows, in their original order; a beam of 0 follows all."""
    if not beam:
        return options
    best = sorted(options, key=lambda option: -option.points)[:beam]
    return [option for option in options if option in best]


def evaluate_option(option: Option, known: str, has_unknown: bool, search: Search) -> VariationValue:
    """Return the value of the best variation that begins with an option.

    The pieces `known` follow, and after them, if `has_unknown`, one unknown piece.
    """
    piece_count = len(PIECES) if search.plan.expect else 1
    if not option.survives:
        return 0, option.points * piece_count
    if not known and not has_unknown:
        return 1, option.points
    if not known:
        best = [compute_max_points(option.board, piece, search) for piece in PIECES]
        return 2, option.gain * piece_count + sum(best)
    is_last = not known[1:] and not has_unknown
    options = apply_beam(find_options(option.board, known[0], search), 0 if is_last else search.plan.beam)
    if not options or not options[0].survives:
        return 1, option.points * piece_count
    survived, points = max(evaluate_option(following, known[1:], has_unknown, search) for following in options)
    return survived + 1, points + option.gain * piece_count


def compute_max_points(board: Board, piece: str, search: Search) -> int:
    options = find_options(board, piece, search)
    return max((option.points for option in options if option.survives), default=WORST_POINTS)


def choose_ahead(board: Board, known: str, rules: Rules, gravity: int, plan: Plan) -> Placement | None:
    """Return the first placement of the best variation, the first in order if several are equal.

    `known` are the piece in play and the preview; `gravity` is in frames per row. Return None if nothing fits.
    """
    search = Search(rules, gravity, plan)
    pieces = known[: plan.depth]
    options = apply_beam(find_options(board, pieces[0], search), plan.beam)
    values = [evaluate_option(option, pieces[1:], plan.expect, search) for option in options]
    return options[values.index(max(values))].placement if options else None
