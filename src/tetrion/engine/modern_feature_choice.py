"""Scores of placements by an agent with modern features: each kind of spin is scored, with and without hold."""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, TypeVar

from tetrion.engine.best_placements import WORST_POINTS, Search, encode_placement
from tetrion.engine.bitboard import BoardBefore, compute_heights, place_piece_on_columns, remove_full_rows
from tetrion.engine.columns import or_columns
from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.lookahead import SearchScratch
from tetrion.engine.modern_features import ModernOutcome, score_modern_features
from tetrion.engine.modern_play import NO_PIECE, compute_attack, get_piece_from_hold, is_difficult
from tetrion.engine.modern_records import MAX_CLEARED_ROWS, SPIN_KINDS, ModernGameRecord
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.placement_choice import examine_board, is_blocked_out, reaches_top_row, score_placement, survives
from tetrion.engine.records import MAX_KNOWN_PIECES, MAX_ROTATION_STATES, Int32Array, Int64Array
from tetrion.engine.scalar_or_simd import bit_length, gather_at, popcount, to_int, where
from tetrion.engine.simd_lanes import LANE_NUMBERS, LANES, any_lane_set, load
from tetrion.engine.spins import KINDS_OFFSET, SPINS_SIZE, find_spin_placements, has_spins

_CLEAR_KINDS = MAX_CLEARED_ROWS + 1  # no rows to four; further entries are for perfect clears


class ModernChoiceScratch(SearchScratch):
    """Working memory of an agent that scores the placements of a modern game."""

    spins: Annotated[Int32Array, SPINS_SIZE]
    queue: Annotated[Int64Array, MAX_KNOWN_PIECES]  # a copy of the game's queue
    # By cleared rows, and then for perfect clears: the attack, and whether back-to-back goes on.
    attacks: Annotated[Int32Array, 2 * _CLEAR_KINDS]
    chains: Annotated[Int32Array, 2 * _CLEAR_KINDS]


class PlacedKind(NamedTuple):
    """The placements of a piece with a kind of spin, with or without hold; all, or those that the game survives."""

    piece: int
    hold: int
    spin: int
    must_survive: bool


class ScoredLanes(NamedTuple):
    """Sixteen placements with their scores, one per lane."""

    points: int  # WORST_POINTS where there is no placement
    codes: int  # without spin and hold
    outcome: ModernOutcome


FoundT = TypeVar("FoundT")
ConsiderLanes = Callable[[ModernGameRecord, Any, PlacedKind, ScoredLanes, FoundT], FoundT]


@compile_inline
def tabulate_clears(game: ModernGameRecord, rules: Any, spin: int, scratch: ModernChoiceScratch) -> None:
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
def make_modern_outcome(
    game: ModernGameRecord,
    before: BoardBefore,
    search: Search[ModernChoiceScratch],
    kind: PlacedKind,
    placement: tuple[int, int, int],
) -> ModernOutcome:
    """Return the outcome of placements, given as orientation, column and row."""
    orientation, x, row = placement
    columns, _, full = place_piece_on_columns(before.board, orientation, x, row)
    lines = popcount(full)
    columns = remove_full_rows(columns, full)
    entry = lines + to_int(or_columns(columns) == 0) * _CLEAR_KINDS
    return ModernOutcome(
        columns,
        compute_heights(columns),
        int(search.rules.height),
        kind.piece,
        kind.spin,
        lines,
        gather_at(search.scratch.attacks, 0, entry),
        to_int(lines > 0) * int(game.combo + 1),
        gather_at(search.scratch.chains, 0, entry),
    )


@compile_separate
def examine_kind(
    consider: ConsiderLanes[FoundT],
    game: ModernGameRecord,
    search: Search[ModernChoiceScratch],
    kind: PlacedKind,
    found: FoundT,
) -> FoundT:
    """Pass the placements of a kind to `consider`, sixteen at a time, and return what it has found."""
    rules: Any = search.rules
    spins = search.scratch.spins
    board = game.board[:]
    before = examine_board(board, rules.rows, search.agent.mask, search.scratch.heights)
    x = load(LANE_NUMBERS, 0)
    is_too_high = reaches_top_row(board, rules)
    for rotation in range(rules.rotation_count[kind.piece]):
        orientation = int(rules.orientations[kind.piece, rotation])
        remaining = load(spins, KINDS_OFFSET + (kind.spin * MAX_ROTATION_STATES + rotation) * LANES)
        while any_lane_set(remaining):
            topmost = remaining & (0 - remaining)  # bit 0 of a flood is the top row
            remaining, possible = remaining ^ topmost, topmost != 0
            row = where(possible, MOVEMENT_ROWS - bit_length(topmost), 0)
            placement = orientation, x, row
            if kind.must_survive:
                possible = possible & survives(board, rules, is_too_high, placement)
            points = score_placement(before, search, possible, placement)
            outcome = make_modern_outcome(game, before, search, kind, placement)
            points = where(possible, points + score_modern_features(search.agent, outcome), WORST_POINTS)
            found = consider(
                game, search, kind, ScoredLanes(points, encode_placement(rotation, x, row), outcome), found
            )
    return found


@compile_inline
def examine_placements(
    consider: ConsiderLanes[FoundT],
    game: ModernGameRecord,
    search: Search[ModernChoiceScratch],
    must_survive: bool,
    found: FoundT,
) -> FoundT:
    """Pass all placements in a game to `consider`; return what it has found.

    If the current piece is unknown, only the one in the hold box is placed.
    """
    rules: Any = search.rules
    board = game.board[:]
    for hold in range(1 + int(rules.hold)):  # a constant number would make the compiler repeat the code
        current = int(game.queue[0]) if game.known > 0 else NO_PIECE
        piece = get_piece_from_hold(game, rules) if hold else current
        if piece != NO_PIECE and not is_blocked_out(board, rules, piece):
            find_spin_placements(board, rules, piece, search.scratch)  # type: ignore[arg-type]
            for spin in range(len(SPIN_KINDS) if has_spins(rules, piece) else 1):
                tabulate_clears(game, rules, spin, search.scratch)
                found = examine_kind(consider, game, search, PlacedKind(piece, hold, spin, must_survive), found)
    return found
