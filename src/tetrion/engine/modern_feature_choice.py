"""Choice of the placement of an agent with modern features: each kind of spin is scored, with and without hold."""

from typing import Annotated, Any, NamedTuple

from tetrion.engine.best_placements import WORST_POINTS, Search, encode_placement
from tetrion.engine.bitboard import BoardBefore, compute_heights, place_piece_on_columns, remove_full_rows
from tetrion.engine.columns import or_columns
from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.lookahead import SearchScratch
from tetrion.engine.modern_features import ModernOutcome, score_modern_features
from tetrion.engine.modern_play import NO_PIECE, compute_attack, get_piece_from_hold, is_difficult
from tetrion.engine.modern_records import MAX_CLEARED_ROWS, SPIN_KINDS, ModernGameRecord
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.placement_choice import examine_board, is_blocked_out, score_placement, survives
from tetrion.engine.records import MAX_KNOWN_PIECES, MAX_ROTATION_STATES, Int32Array, Int64Array
from tetrion.engine.rules import END_LOCK_OUT
from tetrion.engine.scalar_or_simd import bit_length, gather_at, popcount, to_int, where
from tetrion.engine.simd_lanes import LANE_NUMBERS, LANES, any_lane_set, load, reduce_max, reduce_min
from tetrion.engine.spins import KINDS_OFFSET, SPINS_SIZE, encode_modern_placement, find_spin_placements

NO_CODE = -1
_CLEAR_KINDS = MAX_CLEARED_ROWS + 1  # no rows to four; further entries are for perfect clears


class ModernSearchScratch(SearchScratch):
    """Working memory of an agent that plays the modern game."""

    spins: Annotated[Int32Array, SPINS_SIZE]
    queue: Annotated[Int64Array, MAX_KNOWN_PIECES]  # a copy of the game's queue
    # By cleared rows, and then for perfect clears: the attack, and whether back-to-back goes on.
    attacks: Annotated[Int32Array, 2 * _CLEAR_KINDS]
    chains: Annotated[Int32Array, 2 * _CLEAR_KINDS]


class BestCode(NamedTuple):
    """The best placement so far: its points and its code."""

    points: int
    code: int


@compile_inline
def tabulate_clears(game: ModernGameRecord, rules: Any, spin: int, scratch: ModernSearchScratch) -> None:
    """Write the attack of each possible clear with a kind of spin, and whether back-to-back goes on after it."""
    for is_perfect in range(2):
        for lines in range(_CLEAR_KINDS):
            entry = is_perfect * _CLEAR_KINDS + lines
            scratch.attacks[entry] = 0
            scratch.chains[entry] = game.back_to_back > 0
            if lines > 0:
                scratch.attacks[entry] = compute_attack(game, rules, lines, spin, is_perfect != 0)
                scratch.chains[entry] = is_difficult(rules, lines, spin, is_perfect != 0)


@compile_inline
def score_with_modern_features(
    game: ModernGameRecord,
    before: BoardBefore,
    search: Search[ModernSearchScratch],
    possible: bool,
    placed: tuple[int, int, int, int, int],
) -> int:
    """Return the agent's score of placements, given as piece, spin, orientation, column and row."""
    piece, spin, orientation, x, row = placed
    points = score_placement(before, search, possible, (orientation, x, row))
    columns, _, full = place_piece_on_columns(before.board, orientation, x, row)
    lines = popcount(full)
    columns = remove_full_rows(columns, full)
    entry = lines + to_int(or_columns(columns) == 0) * _CLEAR_KINDS
    outcome = ModernOutcome(
        columns,
        compute_heights(columns),
        int(search.rules.height),
        piece,
        spin,
        lines,
        gather_at(search.scratch.attacks, 0, entry),
        to_int(lines > 0) * int(game.combo + 1),
        gather_at(search.scratch.chains, 0, entry),
    )
    return points + score_modern_features(search.agent, outcome)


@compile_separate
def find_best_of_kind(
    game: ModernGameRecord,
    search: Search[ModernSearchScratch],
    placed: tuple[int, int, int],
    must_survive: bool,
    best: BestCode,
) -> BestCode:
    """Return the best placement so far after those of a piece with a kind of spin, given as piece, hold and spin."""
    piece, hold, spin = placed
    rules: Any = search.rules
    spins = search.scratch.spins
    before = examine_board(game.board, rules.rows, search.agent.mask, search.scratch.heights)
    x = load(LANE_NUMBERS, 0)
    for rotation in range(rules.rotation_count[piece]):
        orientation = int(rules.orientations[piece, rotation])
        remaining = load(spins, KINDS_OFFSET + (spin * MAX_ROTATION_STATES + rotation) * LANES)
        while any_lane_set(remaining):
            topmost = remaining & (0 - remaining)  # bit 0 of a flood is the top row
            remaining, possible = remaining ^ topmost, topmost != 0
            row = where(possible, MOVEMENT_ROWS - bit_length(topmost), 0)
            if must_survive:
                possible = possible & survives(game.board, rules, orientation, x, row)
            placement = piece, spin, orientation, x, row
            points = score_with_modern_features(game, before, search, possible, placement)
            points = where(possible, points, WORST_POINTS)
            highest = int(reduce_max(points))
            if highest > WORST_POINTS and highest >= best.points:
                codes = where(points == highest, encode_placement(rotation, x, row), MOVEMENT_ROWS * LANES * LANES)
                code = encode_modern_placement(int(reduce_min(codes)), spin, hold)
                if highest > best.points or code < best.code:
                    best = BestCode(highest, code)
    return best


@compile_inline
def choose_by_modern_features(game: ModernGameRecord, search: Search[ModernSearchScratch]) -> int:
    """Return the code of the best placement, or NO_CODE; one that ends the game is chosen only if all do."""
    rules: Any = search.rules
    best = BestCode(WORST_POINTS, NO_CODE)
    for attempt in range(2):
        must_survive = attempt == 0 and rules.game_over >= END_LOCK_OUT
        for hold in range(2):
            piece = get_piece_from_hold(game, rules) if hold else int(game.queue[0])
            if piece != NO_PIECE and not is_blocked_out(game.board, rules, piece):
                find_spin_placements(game.board, rules, piece, search.scratch)  # type: ignore[arg-type]
                for spin in range(len(SPIN_KINDS)):
                    tabulate_clears(game, rules, spin, search.scratch)
                    best = find_best_of_kind(game, search, (piece, hold, spin), must_survive, best)
        if best.code != NO_CODE or not must_survive:
            break
    return best.code
