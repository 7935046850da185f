"""The points of placements, and what agents choose: by exhaustive lookahead, or by a plain beam search in layers."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tests.reference.attack import Clear, compute_attack, is_difficult
from tests.reference.board import Board, Placement, fill_cells, full_rows, get_cells, remove_full_rows
from tests.reference.features import ATTACK_FEATURES, FEATURES, SMALLEST, Landing, MeasuredBoard, Outcome
from tests.reference.game import Game
from tests.reference.movement import PieceMotion, find_placements
from tests.reference.patterns import PATTERNS, show_view
from tests.reference.pieces import PIECES, Cell
from tests.reference.rules import Rules

Term = int | list[int]  # the weight of a feature, or a table of points by value; the table of a pattern
Terms = Mapping[str, Term]

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
ADDITIVE_ATTACK_FEATURES = {
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
ADDITIVE_FEATURES = PLACEMENT_FEATURES | ADDITIVE_ATTACK_FEATURES
UNKNOWN = "?"  # a piece that is not dealt
WORST_POINTS = -(2**31)


# The points of a placement


def compute_points(name: str, value: int, term: Term) -> int:
    """Return the points for a feature's value: the weight times the value, or the table entry for the value.

    The first entry of a table is for the feature's smallest value; values outside the table take the nearest entry.
    """
    if isinstance(term, int):
        return term * value
    entry = value - SMALLEST.get(name, 0)
    return term[max(0, min(entry, len(term) - 1))]


def list_points(
    before: MeasuredBoard, piece: str, cells: list[Cell], removed: bool, terms: Terms, view_rows: int = 0
) -> dict[str, int]:
    """Return the points of a placement that fills these cells, for each feature or pattern, except those of attack.

    `removed`: whether they are measured after full rows are removed; `view_rows`: the height of the view on which
    patterns are measured.
    """
    landing = Landing(before, piece, cells, removed)
    view = MeasuredBoard(show_view(landing.after.board, view_rows, max(before.heights)))
    points = {}
    for name, term in terms.items():
        if name in PATTERNS:
            assert isinstance(term, list)
            points[name] = sum(term[entry] for entry in PATTERNS[name](view))
        elif name not in ATTACK_FEATURES:
            points[name] = compute_points(name, FEATURES[name](landing), term)
    return points


# The placements of a position


class Plan(NamedTuple):
    """The evaluation function and the search of an agent.

    `removed`: whether features are measured after full rows are removed; `expect`: whether the expectation over the
    next unknown piece is added; `beam`: the number of options (lookahead) or states (beam search) followed per piece, 0
    for all; `view_rows`: the height of the view on which patterns are measured.
    """

    terms: Terms
    removed: bool = True
    depth: int = 1
    expect: bool = False
    beam: int = 0
    view_rows: int = 0


class Search(NamedTuple):
    """The values that stay the same during a search; `gravity` is in frames per row."""

    rules: Rules
    gravity: int
    plan: Plan


class KnownState(NamedTuple):
    """What a player knows of a game: the board, the current piece and the preview, the hold box and the counters."""

    board: Board
    pieces: str
    hold: str = ""
    can_hold: bool = False
    combo: int = 0
    back_to_back: int = 0

    @classmethod
    def from_game(cls, game: Game) -> "KnownState":
        can_hold = bool(game.rules.hold)
        return cls(game.board, game.known_pieces, game.hold, can_hold, game.combo, game.back_to_back)

    def get_piece(self, placement: Placement) -> str:
        """Return the piece of a placement: the current one, or the swapped-in piece."""
        return self.list_pieces()[placement.with_hold]

    def list_pieces(self) -> list[str]:
        """Return the current piece and, if it can be exchanged, the swapped-in piece; empty if there is none."""
        return [self.pieces[:1], self.hold or self.pieces[1:2]] if self.can_hold else [self.pieces[:1]]


class Option(NamedTuple):
    """A placement and its outcome.

    `points` counts all features; `gain` counts only the features of the placement, which add up along a variation.
    """

    placement: Placement
    points: int
    gain: int
    state: KnownState
    survives: bool


def find_options(state: KnownState, search: Search) -> list[Option]:
    """Return all placements in order, those with hold last; none if the current piece does not come into play."""
    rules, plan = search.rules, search.plan
    before = MeasuredBoard(state.board)
    options = []
    for with_hold, piece in enumerate(state.list_pieces()):
        motion = PieceMotion(state.board, piece, rules) if piece else None
        if motion is None or motion.is_blocked or (rules.movement != "drop" and not motion.can_spawn):
            if with_hold == 0 and piece:
                return []
            continue
        for found in find_placements(motion, search.gravity):
            placement = found._replace(with_hold=bool(with_hold))
            cells = get_cells(piece, placement, rules.rotation)
            outcome = make_outcome(state, placement, rules)
            points = list_points(before, piece, cells, plan.removed, plan.terms, plan.view_rows)
            for name in plan.terms.keys() & ATTACK_FEATURES.keys():
                points[name] = compute_points(name, ATTACK_FEATURES[name](outcome), plan.terms[name])
            gain = sum(part for name, part in points.items() if name in ADDITIVE_FEATURES)
            survives = not rules.ends_game(cells, outcome.board)
            after = make_state_after(state, placement, outcome, rules)
            options.append(Option(placement, sum(points.values()), gain, after, survives))
    return options


def make_outcome(state: KnownState, placement: Placement, rules: Rules) -> Outcome:
    """Return the outcome of a placement."""
    piece = state.get_piece(placement)
    with_piece = fill_cells(state.board, get_cells(piece, placement, rules.rotation))
    board, rows = remove_full_rows(with_piece), len(full_rows(with_piece))
    is_perfect = rows > 0 and not any(any(row) for row in board)
    clear = Clear(placement.spin, rows, state.combo, state.back_to_back, is_perfect)
    chain = is_difficult(rules.attack, clear) if rows else state.back_to_back > 0
    combo = state.combo + 1 if rows else 0
    return Outcome(board, rules.height, piece, clear.spin, rows, compute_attack(rules.attack, clear), combo, chain)


def make_state_after(state: KnownState, placement: Placement, outcome: Outcome, rules: Rules) -> KnownState:
    """Return the state after a placement; no garbage rises."""
    hold, pieces = state.hold, state.pieces[1:]
    if placement.with_hold:
        hold = state.pieces[:1] or UNKNOWN
        pieces = pieces if state.hold else pieces[1:]
    chain = state.back_to_back
    if outcome.lines:
        chain = chain + 1 if outcome.has_back_to_back else 0
    return KnownState(outcome.board, pieces, hold, bool(rules.hold), outcome.combo, chain)


# Exhaustive lookahead: every variation is played to its end


# The number of pieces of a variation that survive, then its points (summed over seven pieces if a piece is unknown).
VariationValue = tuple[int, int]


def prefer_survivors(options: list[Option]) -> list[Option]:
    """Return the options without those that end the game, unless all do."""
    return [option for option in options if option.survives] or options


def apply_beam(options: list[Option], beam: int) -> list[Option]:
    """Return the best options that the beam follows, in their original order; a beam of 0 follows all."""
    if not beam:
        return options
    best = sorted(options, key=lambda option: -option.points)[:beam]
    return [option for option in options if option in best]


def evaluate_option(option: Option, has_unknown: bool, search: Search) -> VariationValue:
    """Return the value of the best variation that starts with an option.

    The pieces of its state follow, and after them, if `has_unknown`, one unknown piece.
    """
    piece_count = len(PIECES) if search.plan.expect else 1
    known = option.state.pieces
    if not option.survives:
        return 0, option.points * piece_count
    if not known and not has_unknown:
        return 1, option.points
    if not known:
        best = [compute_max_points(option.state._replace(pieces=piece), search) for piece in PIECES]
        return 2, option.gain * piece_count + sum(best)
    is_last = not known[1:] and not has_unknown
    options = apply_beam(prefer_survivors(find_options(option.state, search)), 0 if is_last else search.plan.beam)
    if not options or not options[0].survives:
        return 1, option.points * piece_count
    survived, points = max(evaluate_option(following, has_unknown, search) for following in options)
    return survived + 1, points + option.gain * piece_count


def compute_max_points(state: KnownState, search: Search) -> int:
    return max((option.points for option in find_options(state, search) if option.survives), default=WORST_POINTS)


def choose_placement(board: Board, known: str, rules: Rules, gravity: int, plan: Plan) -> Placement | None:
    """Return the first placement of the best variation, the first in order if several are equal.

    `known` are the piece in play and the preview; `gravity` is in frames per row. Return None if nothing fits.
    """
    search = Search(rules, gravity, plan)
    options = apply_beam(prefer_survivors(find_options(KnownState(board, known[: plan.depth]), search)), plan.beam)
    values = [evaluate_option(option, plan.expect, search) for option in options]
    return options[values.index(max(values))].placement if options else None


def choose_in_game(game: Game, plan: Plan) -> Placement:
    """Return the placement that an agent without hold chooses in a game that is not over."""
    placement = choose_placement(game.board, game.known_pieces, game.rules, int(game.gravity), plan)
    assert placement is not None
    return placement


# Beam search by layers over the known pieces and the one in the hold box


class SearchedPath(NamedTuple):
    """A sequence of placements: the number and the placement of each step, the state at its end, and its points."""

    numbers: tuple[int, ...]
    placements: tuple[Placement, ...]
    state: KnownState
    value: int
    gain: int


def extend_path(path: SearchedPath, search: Search, must_survive: bool) -> list[SearchedPath]:
    """Return the path with each placement that may follow it."""
    return [
        SearchedPath(
            (*path.numbers, number),
            (*path.placements, option.placement),
            option.state,
            path.gain + option.points,
            path.gain + option.gain,
        )
        for number, option in enumerate(find_options(path.state, search))
        if option.survives or not must_survive
    ]


def merge_paths(paths: Iterable[SearchedPath]) -> list[SearchedPath]:
    """Return the best path to each state, best first; ties go to the first in order."""
    best: dict[str, SearchedPath] = {}
    for path in sorted(paths, key=lambda path: (-path.value, path.numbers)):
        best.setdefault(repr(path.state), path)
    return list(best.values())


def search_paths(state: KnownState, rules: Rules, plan: Plan) -> list[SearchedPath]:
    """Return the paths of the last layer that has any, best first; the first one is what the agent chooses."""
    search = Search(rules, 0, plan)
    depth = min(plan.depth, len(state.pieces) + bool(state.hold))
    layer = [SearchedPath((), (), state, 0, 0)]
    for number in range(depth):
        following = [after for path in layer for after in extend_path(path, search, must_survive=True)]
        if not following:
            break
        layer = merge_paths(following)
        if plan.beam and number + 1 < depth:
            layer = layer[: plan.beam]
    if not layer[0].placements:
        layer = merge_paths(extend_path(layer[0], search, must_survive=False))
    return layer
