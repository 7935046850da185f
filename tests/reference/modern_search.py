"""Search over the known pieces of a modern game, with hold and spins: a plain beam search by layers."""

from collections.abc import Mapping
from typing import NamedTuple

from tests.reference.attack import Clear, compute_attack, is_difficult
from tests.reference.board import Board, fill_cells, full_rows, remove_full_rows
from tests.reference.features import MeasuredBoard
from tests.reference.full_game import ends_game
from tests.reference.lookahead import PLACEMENT_FEATURES
from tests.reference.modern_features import ATTACK_FEATURES, Outcome
from tests.reference.modern_game import ModernGame, ModernPlacement
from tests.reference.modern_movement import ModernMotion
from tests.reference.modern_rules import ModernRules
from tests.reference.movement import get_rotated_cells
from tests.reference.simple_game import list_points

ADDITIVE_MODERN_FEATURES = {
    "attack",
    "combo",
    "perfect_clear",
    "simple_lines",
    "tetris",
    "spin_single",
    "spin_double",
    "spin_triple",
    "mini_spin_clear",
    "wasted_t",
}
UNKNOWN = "?"  # a piece that is not dealt


class KnownState(NamedTuple):
    """What a player knows of a game: the board, the current piece and the preview, the hold box and the counters."""

    board: Board
    pieces: str
    hold: str
    can_hold: bool
    combo: int
    back_to_back: int

    @classmethod
    def from_game(cls, game: ModernGame) -> "KnownState":
        return cls(game.board, game.known_pieces, game.hold, True, game.combo, game.back_to_back)


class ModernPlan(NamedTuple):
    """The weights and the search of an agent; a beam of 0 keeps all states."""

    weights: Mapping[str, int]
    depth: int
    beam: int = 0


class SearchedPath(NamedTuple):
    """A sequence of placements: the number and the placement of each step, the state at its end, and its points."""

    numbers: tuple[int, ...]
    placements: tuple[ModernPlacement, ...]
    state: KnownState
    value: int
    gain: int


def get_placed_piece(state: KnownState, with_hold: bool) -> str:
    """Return the piece that is placed with or without hold; empty if there is none."""
    if with_hold:
        return state.hold or state.pieces[1:2]
    return state.pieces[:1]


def list_state_placements(state: KnownState, rules: ModernRules) -> list[ModernPlacement]:
    """Return all placements in order; those with hold come last."""
    placements = []
    for with_hold in (False, True) if rules.hold and state.can_hold else (False,):
        piece = get_placed_piece(state, with_hold)
        if piece and not is_blocked(state.board, piece, rules):
            found = ModernMotion(state.board, piece, rules).find_placements()
            placements += [ModernPlacement(with_hold, placement) for placement in found]
    return placements


def is_blocked(board: Board, piece: str, rules: ModernRules) -> bool:
    """Return whether a new piece ends the game."""
    return rules.game_over in ("entry", "lock-out") and not ModernMotion(board, piece, rules).can_spawn


def is_stopped(board: Board, piece: str, rules: ModernRules) -> bool:
    """Return whether a current piece does not come into play, so that it can be neither placed nor exchanged."""
    can_spawn = ModernMotion(board, piece, rules).can_spawn
    return is_blocked(board, piece, rules) or (rules.movement != "drop" and not can_spawn)


def make_outcome(state: KnownState, placement: ModernPlacement, rules: ModernRules) -> Outcome:
    """Return the outcome of a placement."""
    piece = get_placed_piece(state, placement.with_hold)
    with_piece = fill_cells(state.board, get_rotated_cells(rules.rotation, piece, placement.placement.position))
    board, rows = remove_full_rows(with_piece), len(full_rows(with_piece))
    is_perfect = rows > 0 and not any(any(row) for row in board)
    clear = Clear(placement.placement.spin, rows, state.combo, state.back_to_back, is_perfect)
    chain = is_difficult(rules.attack, clear) if rows else state.back_to_back > 0
    combo = state.combo + 1 if rows else 0
    return Outcome(board, rules.height, piece, clear.spin, rows, compute_attack(rules.attack, clear), combo, chain)


def make_state_after(state: KnownState, placement: ModernPlacement, outcome: Outcome) -> KnownState:
    """Return the state after a placement; no garbage rises."""
    hold, pieces = state.hold, state.pieces[1:]
    if placement.with_hold:
        hold = state.pieces[:1] or UNKNOWN
        pieces = pieces if state.hold else pieces[1:]
    chain = state.back_to_back
    if outcome.lines:
        chain = chain + 1 if outcome.has_back_to_back else 0
    return KnownState(outcome.board, pieces, hold, True, outcome.combo, chain)


def measure_points(
    state: KnownState, placement: ModernPlacement, outcome: Outcome, rules: ModernRules, weights: Mapping[str, int]
) -> dict[str, int]:
    """Return the points of a placement for each feature."""
    cells = get_rotated_cells(rules.rotation, outcome.piece, placement.placement.position)
    others = {name: weight for name, weight in weights.items() if name not in ATTACK_FEATURES}
    points = list_points(MeasuredBoard(state.board), outcome.piece, cells, True, others)
    for name in weights.keys() & ATTACK_FEATURES.keys():
        points[name] = weights[name] * ATTACK_FEATURES[name](outcome)
    return points


def extend_path(path: SearchedPath, rules: ModernRules, plan: ModernPlan, must_survive: bool) -> list[SearchedPath]:
    """Return the path with each placement that may follow it."""
    state = path.state
    if state.pieces and is_stopped(state.board, state.pieces[0], rules):
        return []
    paths = []
    for number, placement in enumerate(list_state_placements(state, rules)):
        outcome = make_outcome(state, placement, rules)
        cells = get_rotated_cells(rules.rotation, outcome.piece, placement.placement.position)
        if must_survive and ends_game(rules, cells, outcome.board):
            continue
        points = measure_points(state, placement, outcome, rules, plan.weights)
        additive = PLACEMENT_FEATURES | ADDITIVE_MODERN_FEATURES
        gain = path.gain + sum(part for name, part in points.items() if name in additive)
        paths.append(
            SearchedPath(
                (*path.numbers, number),
                (*path.placements, placement),
                make_state_after(state, placement, outcome),
                path.gain + sum(points.values()),
                gain,
            )
        )
    return paths


def merge_paths(paths: list[SearchedPath]) -> list[SearchedPath]:
    """Return the best path to each state, best first; of equal ones the first in order."""
    best: dict[str, SearchedPath] = {}
    for path in sorted(paths, key=lambda path: (-path.value, path.numbers)):
        best.setdefault(repr(path.state), path)
    return list(best.values())


def search_paths(state: KnownState, rules: ModernRules, plan: ModernPlan) -> list[SearchedPath]:
    """Return the paths of the last layer that has any, best first; the first one is what the agent chooses."""
    depth = min(plan.depth, len(state.pieces) + bool(state.hold))
    layer = [SearchedPath((), (), state, 0, 0)]
    for number in range(depth):
        following = [after for path in layer for after in extend_path(path, rules, plan, must_survive=True)]
        if not following:
            break
        layer = merge_paths(following)
        if plan.beam and number + 1 < depth:
            layer = layer[: plan.beam]
    if not layer[0].placements:
        layer = merge_paths(extend_path(layer[0], rules, plan, must_survive=False))
    return layer
