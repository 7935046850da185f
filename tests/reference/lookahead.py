"""Looking ahead, plainly: every line of play is tried to its end."""

from typing import NamedTuple

from reference.board import Board, Placement, filled, remove_full_rows
from reference.features import FEATURES, MeasuredBoard, features_of_cells
from reference.movement import Well, cells_at, ordered, resting_places
from reference.rules import Rules
from reference.simple_game import Terms, points

PIECES = "IOTSZJL"
BOARD_FEATURES_READ_AT_THE_END = {
    name
    for name in FEATURES
    if name
    not in {
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
}
WORST = -(2**31)


class Plan(NamedTuple):
    """How an agent looks ahead."""

    terms: Terms
    removed: bool
    depth: int
    expect: bool
    beam: int


class Option(NamedTuple):
    """A placement: its points alone, what it brings to a longer line, its board, whether the game goes on."""

    placement: Placement
    points: int
    gain: int
    board: Board
    survives: bool


Worth = tuple[
    int, int
]  # how many pieces of the line survive, then its points (a sum over seven where pieces are unknown)


def options(board: Board, piece: str, rules: Rules, gravity: int, plan: Plan) -> list[Option]:
    """The placements of a piece in order; those that end the game only if all do."""
    well = Well(board, piece, rules)
    if rules.game_over == "entry" and not well.fits(well.entrance):
        return []
    found, before = [], MeasuredBoard(board)
    for placement in ordered(resting_places(well, gravity)):
        cells = cells_at(rules.rotation, piece, placement)
        values = features_of_cells(before, piece, cells, plan.removed, plan.terms)
        worth = {name: points(name, values[name], term) for name, term in plan.terms.items()}
        gain = sum(part for name, part in worth.items() if name not in BOARD_FEATURES_READ_AT_THE_END)
        after = remove_full_rows(filled(board, cells))
        found.append(Option(placement, sum(worth.values()), gain, after, goes_on(cells, after, rules)))
    return [option for option in found if option.survives] or found


def goes_on(cells: list[tuple[int, int]], after: Board, rules: Rules) -> bool:
    if rules.game_over == "top-row":
        return not any(any(row) for row in after[rules.height - 1 :])
    return rules.game_over != "above" or all(row < rules.height for _, row in cells)


def followed(found: list[Option], plan: Plan) -> list[Option]:
    """Those options that the beam lets through, still in order."""
    if not plan.beam:
        return found
    best = sorted(found, key=lambda option: -option.points)[: plan.beam]
    return [option for option in found if option in best]


def worth(option: Option, known: str, unknown: bool, rules: Rules, gravity: int, plan: Plan) -> Worth:
    """What the best line is worth that begins with an option, if these pieces are still to come."""
    shares = len(PIECES) if plan.expect else 1
    if not option.survives:
        return 0, option.points * shares
    if not known and not unknown:
        return 1, option.points
    if not known:
        best = [max_points(option.board, piece, rules, gravity, plan) for piece in PIECES]
        return 2, option.gain * shares + sum(best)
    found = followed(
        options(option.board, known[0], rules, gravity, plan), plan if known[1:] or unknown else plan._replace(beam=0)
    )
    if not found or not found[0].survives:
        return 1, option.points * shares
    survived, most = max(worth(next_one, known[1:], unknown, rules, gravity, plan) for next_one in found)
    return survived + 1, most + option.gain * shares


def max_points(board: Board, piece: str, rules: Rules, gravity: int, plan: Plan) -> int:
    found = options(board, piece, rules, gravity, plan)
    return max((option.points for option in found if option.survives), default=WORST)


def choose_ahead(board: Board, known: str, rules: Rules, gravity: int, plan: Plan) -> Placement | None:
    """The first placement of the best line; of equals the first in order."""
    pieces = known[: plan.depth]
    found = followed(options(board, pieces[0], rules, gravity, plan), plan)
    best = max((worth(option, pieces[1:], plan.expect, rules, gravity, plan) for option in found), default=None)
    for option in found:
        if worth(option, pieces[1:], plan.expect, rules, gravity, plan) == best:
            return option.placement
    return None
