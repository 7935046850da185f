"""A piece's turn: dealing, hold, its placements, how it is locked and what follows from that, and the end of a game.

The same source is compiled for small and for full records of games: what only a full game has (hold, spins, attack and
garbage) is in functions that `compile_for_full_games` removes for small ones.
"""

from collections.abc import Callable

from tetrion.engine.attack import (
    add_solo_garbage,
    advance_clock,
    cancel_garbage,
    compute_attack,
    compute_garbage_bonus,
    count_cleared_garbage,
    get_garbage_time,
    is_difficult,
    raise_garbage,
    raise_start_garbage,
)
from tetrion.engine.bitboard import BoardBefore, compute_outcome, load_columns
from tetrion.engine.columns import or_columns
from tetrion.engine.compiler import compile_entry_with_memory, compile_inline, compile_separate
from tetrion.engine.features.dellacherie_features import (
    column_transitions,
    eroded_cells,
    holes,
    landing_height,
    row_transitions,
    wells,
)
from tetrion.engine.local_evaluation import lock_piece_simd
from tetrion.engine.piece_motion import PieceOnBoard, can_spawn
from tetrion.engine.pieces import ORIENTATION_HEIGHTS, PIECES
from tetrion.engine.placement_choice import (
    ALL,
    BasicScratch,
    Drops,
    FoundPlacements,
    SimdScratch,
    examine_board,
    find_placements,
    has_placement,
    is_blocked_out,
    visit_drops,
)
from tetrion.engine.placements import Choice, OrientedPlacement, RotatedPlacement, decode_placement
from tetrion.engine.randomisers import ADVERSARY, deal_piece
from tetrion.engine.reachable_placements import RESTING_OFFSET, find_reachable_in_time
from tetrion.engine.records import (
    DROP_MOVEMENT,
    END_ABOVE_TOP,
    END_LOCK_OUT,
    END_TOP_ROW,
    MAX_CLEARED_ROWS,
    NO_SPIN,
    SPIN_KINDS,
    STEERED_MOVEMENT,
    TIMED_MOVEMENT,
    FullGameRecord,
    FullGameRecords,
    GameRecord,
    Records,
    RulesRecord,
    RulesRecords,
    compile_for_full_games,
)
from tetrion.engine.scalar_or_simd import Array, popcount
from tetrion.engine.scoring import compute_frames_per_row, compute_level, compute_points, compute_spawn_delay
from tetrion.engine.spins import KINDS_OFFSET, SpinScratch, encode_placements, find_spin_placements, has_spins
from tetrion.engine.steering import steer_piece

STATUS_PLAYING, STATUS_OVER, STATUS_CAPPED = range(3)
NO_PIECE = -1
_NO_PLACEMENT_VALUE = -(2**31)  # for the adversary: the value of a piece without any placement


# Dealing.


@compile_inline
def append_to_queue(game: GameRecord, piece: int) -> None:
    """Append a piece to the queue of a game."""
    game.queue[game.known] = piece
    game.known += 1


@compile_for_full_games(default=0)
def count_held_pieces(game: FullGameRecord, rules: RulesRecord) -> int:
    """Return 1 if there is a piece in the hold box, else 0; it is read only under rules with hold, which is faster."""
    return int(rules.hold != 0 and game.hold > 0)


@compile_inline
def deal_next(game: GameRecord, rules: RulesRecord) -> None:
    """Deal one piece with a randomiser that does not depend on the board."""
    raise_start_garbage(game, rules)
    number = game.pieces + game.known + count_held_pieces(game, rules)  # pieces dealt so far, the held one included
    piece, bag = deal_piece(rules, game.key, number, game.bag)
    game.bag = bag
    append_to_queue(game, piece)


@compile_inline
def deal_preview(game: GameRecord, rules: RulesRecord, scratch: object) -> None:
    """Deal pieces until the current piece and the preview are known; not for the adversary."""
    while game.known <= rules.preview:
        deal_next(game, rules)


@compile_inline
def deal_preview_any_randomiser(game: GameRecord, rules: RulesRecord, scratch: BasicScratch) -> None:
    """Deal pieces until the current piece and the preview are known, with any randomiser."""
    while game.known <= rules.preview:
        if rules.randomiser == ADVERSARY and game.pieces + game.known > 0:
            append_to_queue(game, find_worst_piece(game.board, rules, scratch))
        else:
            deal_next(game, rules)


@compile_inline
def deal_preview_unless_adversary(game: GameRecord, rules: RulesRecord) -> None:
    """Deal pieces until the current piece and the preview are known, except those of the adversary.

    The entry points for games in real time take 3 s less to compile without the adversary's evaluation. Its pieces are
    dealt by `deal_adversary`, which their callers call before a piece spawns.
    """
    if rules.randomiser != ADVERSARY:
        while game.known <= rules.preview:
            deal_next(game, rules)


@compile_entry_with_memory(BasicScratch.dtype, seconds=4)
def deal_adversary(memory: Records[BasicScratch], games: FullGameRecords, rules: RulesRecords) -> None:
    """Deal the pieces of the adversary in the first game until the current piece and the preview are known."""
    deal_preview_any_randomiser(games[0], rules[0], memory[0])


@compile_inline
def _improve_drop_value(before: BoardBefore, placement: OrientedPlacement, order: int, best: int) -> int:
    """Return the larger one of a value and twice that of a drop; the landing height counts in half rows."""
    after = compute_outcome(before, True, placement.orientation, placement.column, placement.row)
    gain = eroded_cells(after) - row_transitions(after) - column_transitions(after) - wells(after)
    return max(best, 2 * (gain - 4 * holes(after)) - landing_height(after))


@compile_separate
def compute_best_drop_value(board: Array, rules: RulesRecord, piece: int, scratch: BasicScratch) -> int:
    """Return twice the value of a piece's best straight drop by Dellacherie's evaluation function."""
    before = examine_board(board, rules.rows, 0, scratch.heights)
    return visit_drops(_improve_drop_value, before, Drops(before, rules, piece), ALL, _NO_PLACEMENT_VALUE)


@compile_inline
def find_worst_piece(board: Array, rules: RulesRecord, scratch: BasicScratch) -> int:
    """Return the piece of the adversary (after Brzustowski 1992): the one whose best drop has the lowest value."""
    worst_piece = 0
    lowest_value = compute_best_drop_value(board, rules, 0, scratch)
    for piece in range(1, len(PIECES)):
        value = compute_best_drop_value(board, rules, piece, scratch)
        if value < lowest_value:
            worst_piece, lowest_value = piece, value
    return worst_piece


# Hold.


@compile_inline
def get_piece_from_hold(game: FullGameRecord, rules: RulesRecord) -> int:
    """Return the swapped-in piece, or NO_PIECE if hold is not possible."""
    if not rules.hold or game.used_hold:
        return NO_PIECE
    if game.hold > 0:
        return int(game.hold) - 1
    return int(game.queue[1]) if game.known > 1 else NO_PIECE


@compile_inline
def get_placed_piece(game: FullGameRecord, rules: RulesRecord, hold: int) -> int:
    """Return the current piece or, with hold, the swapped-in one; NO_PIECE if it is unknown or cannot spawn."""
    current = int(game.queue[0]) if game.known > 0 else NO_PIECE
    piece = get_piece_from_hold(game, rules) if hold else current
    return NO_PIECE if piece != NO_PIECE and is_blocked_out(game.board, rules, piece) else piece


@compile_inline
def remove_current_piece(game: GameRecord) -> None:
    """Remove the current piece from the queue."""
    game.known -= 1
    for index in range(game.known):
        game.queue[index] = game.queue[index + 1]


@compile_inline
def exchange_held_piece(game: FullGameRecord) -> None:
    """Exchange the current piece for the one in the hold box, or for the next one if the box is empty."""
    held = int(game.hold)
    game.hold = game.queue[0] + 1
    game.used_hold = 1
    if held > 0:
        game.queue[0] = held - 1
    else:
        remove_current_piece(game)


# Locking.


@compile_inline
def compute_guideline_points(game: FullGameRecord, rules: RulesRecord, lines: int, spin: int, is_perfect: bool) -> int:
    """Return the points of a placement for spins, combos and perfect clears, before the counters of the game change."""
    is_back_to_back = lines > 0 and game.back_to_back > 0 and is_difficult(rules, lines, spin, is_perfect)
    points = int(rules.spin_points[spin, lines])
    if is_back_to_back:
        points += points // 2
    if lines > 0:
        points += int(rules.combo_points * game.combo)
    if is_perfect:
        is_best = is_back_to_back and lines == MAX_CLEARED_ROWS
        points += int(rules.perfect_clear_points[MAX_CLEARED_ROWS + 1 if is_best else lines])
    return points * compute_level(rules, game.lines)


@compile_for_full_games(default=0)
def count_clear(game: FullGameRecord, rules: RulesRecord, full_rows: int, lines: int, spin: int) -> int:
    """Score and count the spin, combo and back-to-back of a placement, if the rules have any; return its attack."""
    if not rules.needs_full_games:  # a full record then has zeros here, like a game without them
        return 0
    game.spin = spin
    game.placed_from_hold = game.used_hold
    game.used_hold = 0
    if lines == 0:
        game.score += compute_guideline_points(game, rules, 0, spin, False)
        game.clears_by_spin[spin, 0] += spin != NO_SPIN
        game.combo = 0
        return 0
    is_perfect = or_columns(load_columns(game.board, 0)) == 0
    attack = compute_attack(game, rules, lines, spin, is_perfect)
    attack += compute_garbage_bonus(rules, lines, spin, count_cleared_garbage(game, full_rows))
    game.score += compute_guideline_points(game, rules, lines, spin, is_perfect)
    game.clears_by_spin[spin, lines] += 1
    game.longest_combo = max(game.longest_combo, game.combo)
    game.combo += 1
    game.perfect_clears += is_perfect
    if is_difficult(rules, lines, spin, is_perfect):
        game.back_to_backs += game.back_to_back > 0
        game.back_to_back += 1
    else:
        game.back_to_back = 0
    return attack


@compile_for_full_games(default=None)
def exchange_garbage(game: FullGameRecord, rules: RulesRecord, attack: int, lines: int, now: int) -> None:
    """Cancel garbage with the attack of a placement, then raise due rows; `now` is the time before the piece locked."""
    if not rules.needs_full_games:
        return
    game.attack += attack
    game.sent += cancel_garbage(game, rules, attack)
    is_blocked = lines > 0 and rules.garbage_blocking != 0
    if game.status == STATUS_PLAYING and not is_blocked and not raise_garbage(game, rules, now):
        game.status = STATUS_OVER
    if game.status == STATUS_PLAYING:
        add_solo_garbage(game, rules)


@compile_inline
def end_after_lock(game: GameRecord, rules: RulesRecord, placement: OrientedPlacement) -> None:
    """End the game if the rules do not allow a piece where it was placed, or the stack that it leaves."""
    if rules.game_over == END_LOCK_OUT and placement.row >= rules.height:
        game.status = STATUS_OVER
    if rules.game_over == END_ABOVE_TOP and placement.row + ORIENTATION_HEIGHTS[placement.orientation] > rules.height:
        game.status = STATUS_OVER
    if rules.game_over == END_TOP_ROW and or_columns(load_columns(game.board, 0)) >> (rules.height - 1) != 0:
        game.status = STATUS_OVER


@compile_inline
def lock_current_piece(
    lock_cells: Callable[[Array, int, int, int, int], int],
    game: GameRecord,
    rules: RulesRecord,
    placement: OrientedPlacement,
    spin: int,
) -> None:
    """Lock the current piece, remove full rows, count and send what follows from that, and end the game if required.

    `lock_cells` changes the board: in scalar code, or with all columns in SIMD lanes.
    """
    # The order matters: attack and the points of the guideline depend on the counters before the clear, other points on
    # the level after it, and a lock out ends the game before garbage rises.
    orientation, x, row = placement
    now = get_garbage_time(game, rules)
    full_rows = lock_cells(game.board, orientation, x, row, rules.clearing)
    lines = popcount(full_rows) if full_rows else 0
    counted_lines = min(lines, MAX_CLEARED_ROWS)  # a hanging clear can leave a full row, which is cleared with the next
    attack = count_clear(game, rules, full_rows, lines, spin)
    if lines > 0:
        game.lines += lines
        game.clears[counted_lines - 1] += 1
    game.score += compute_points(rules, counted_lines, compute_level(rules, game.lines))
    game.pieces += 1
    game.placement[0], game.placement[1], game.placement[2] = orientation, x, row
    remove_current_piece(game)
    end_after_lock(game, rules, placement)
    exchange_garbage(game, rules, attack, lines, now)


@compile_for_full_games(default=None)
def _use_hold(game: FullGameRecord, hold: int) -> None:
    if hold:
        exchange_held_piece(game)


@compile_for_full_games(default=None)
def _pass_placement_frames(game: FullGameRecord, rules: RulesRecord) -> None:
    if rules.placement_frames and game.status == STATUS_PLAYING:
        advance_clock(game, rules, int(rules.placement_frames))


@compile_inline
def place_untimed(game: GameRecord, rules: RulesRecord, choice: Choice, scratch: object) -> None:
    """Place the current or the swapped-in piece, and advance the clock by `placement_frames`."""
    _use_hold(game, choice.hold)
    lock_current_piece(lock_piece_simd, game, rules, choice.placement, choice.spin)
    _pass_placement_frames(game, rules)


@compile_inline
def compute_gravity_interval(game: GameRecord, rules: RulesRecord) -> int:
    """Return the gravity interval (frames per row) of the current piece."""
    return compute_frames_per_row(rules, compute_level(rules, game.lines), game.frames)


@compile_inline
def find_rotation(rules: RulesRecord, piece: int, orientation: int) -> int:
    """Return the rotation of a piece that has an orientation."""
    rotation = 0
    while rules.orientations[piece, rotation] != orientation:
        rotation += 1
    return rotation


@compile_inline
def steer_current_piece(
    game: GameRecord, rules: RulesRecord, target: OrientedPlacement
) -> tuple[OrientedPlacement, int]:
    """Return where the current piece locks if it is steered to a target, and after how many frames."""
    piece = int(game.queue[0])
    goal = RotatedPlacement(find_rotation(rules, piece, target.orientation), target.column, target.row)
    steered = steer_piece(PieceOnBoard(game.board, rules, piece), compute_gravity_interval(game, rules), goal)
    state, x, row = steered.piece_state
    return OrientedPlacement(int(rules.orientation_of_state[piece, state]), x, row), steered.frames


@compile_inline
def place_timed(game: GameRecord, rules: RulesRecord, choice: Choice, scratch: SimdScratch) -> None:
    """Place a piece; under timed and steered movement, advance the clock until the next piece spawns.

    Under steered movement the choice is a target that the piece can miss.
    """
    orientation, x, row = choice.placement
    lines_before = game.lines
    frames = 0
    if rules.movement == STEERED_MOVEMENT:
        placement, frames = steer_current_piece(game, rules, choice.placement)
        orientation, x, row = placement
        if row + ORIENTATION_HEIGHTS[orientation] > rules.rows:
            game.status = STATUS_OVER
            return
        choice = Choice(placement, choice.spin, choice.hold)
    elif rules.movement == TIMED_MOVEMENT:  # rules with hold have no clock
        piece = int(game.queue[0])
        goal = RotatedPlacement(find_rotation(rules, piece, orientation), x, row)
        interval = compute_gravity_interval(game, rules)
        on_board = PieceOnBoard(game.board, rules, piece)
        # Practice also makes placements that cannot be reached in time; they take no time.
        frames = max(find_reachable_in_time(on_board, interval, scratch.flood, goal), 0)
    place_untimed(game, rules, choice, scratch)
    if rules.movement >= TIMED_MOVEMENT:
        game.frames += frames + compute_spawn_delay(rules, row, game.lines - lines_before)


@compile_inline
def decode_choice(game: FullGameRecord, rules: RulesRecord, code: int) -> Choice:
    """Return an encoded placement as a choice."""
    rotated, spin, hold = decode_placement(code)
    piece = get_piece_from_hold(game, rules) if hold else int(game.queue[0])
    orientation = int(rules.orientations[piece, rotated.rotation])
    return Choice(OrientedPlacement(orientation, rotated.column, rotated.row), spin, hold)


@compile_entry_with_memory(SimdScratch.dtype, seconds=5)
def place_piece(memory: Records[SimdScratch], games: FullGameRecords, rules: RulesRecords, code: int) -> None:
    """Make an encoded placement in the first game; no piece is dealt."""
    place_timed(games[0], rules[0], decode_choice(games[0], rules[0], code), memory[0])


# The placements of a position, and the end of a game without any.


@compile_inline
def is_stopped_at_spawn(board: Array, rules: RulesRecord, piece: int) -> bool:
    """Return whether the current piece ends the game where it spawns, so that it cannot be exchanged either.

    A piece that must be moved from there to its place has none if it cannot spawn, even if the rules have no block out.
    """
    return is_blocked_out(board, rules, piece) or (
        rules.movement != DROP_MOVEMENT and not can_spawn(board, rules, piece)
    )


@compile_separate
def encode_placements_of_piece(
    game: FullGameRecord, rules: RulesRecord, hold: int, scratch: SpinScratch, codes: Array
) -> int:
    """Write the codes of the placements of the current or, with hold, of the swapped-in piece; return their number."""
    piece = get_placed_piece(game, rules, hold)
    if piece == NO_PIECE:
        return 0
    if has_spins(rules, piece):
        find_spin_placements(game.board, rules, piece, 0, scratch)
        found = FoundPlacements(game.board, rules, piece, scratch.spins, KINDS_OFFSET)
        return encode_placements(found, len(SPIN_KINDS), hold, codes)
    find_placements(game.board, rules, piece, compute_gravity_interval(game, rules), scratch)
    found = FoundPlacements(game.board, rules, piece, scratch.flood, RESTING_OFFSET)
    return encode_placements(found, 1, hold, codes)


@compile_inline
def encode_all_placements(game: FullGameRecord, rules: RulesRecord, scratch: SpinScratch, codes: Array) -> int:
    """Write the codes of all placements of the current and of the swapped-in piece; return their number."""
    if rules.hold and is_stopped_at_spawn(game.board, rules, int(game.queue[0])):
        return 0
    count = 0
    for hold in range(1 + int(rules.hold)):
        count += encode_placements_of_piece(game, rules, hold, scratch, codes[count:])
    return count


@compile_entry_with_memory(SpinScratch.dtype, seconds=5)
def list_placements(memory: Records[SpinScratch], games: FullGameRecords, rules: RulesRecords, codes: Array) -> int:
    """Write the code of each placement in the first game; return the number of placements."""
    return encode_all_placements(games[0], rules[0], memory[0], codes)


@compile_inline
def has_any_placement(game: FullGameRecord, rules: RulesRecord, scratch: SimdScratch) -> bool:
    """Return whether the current piece or the swapped-in one has a placement; the current one must spawn."""
    if rules.hold and is_stopped_at_spawn(game.board, rules, int(game.queue[0])):
        return False
    interval = compute_gravity_interval(game, rules)
    for hold in range(1 + int(rules.hold)):
        piece = get_placed_piece(game, rules, hold)
        if piece != NO_PIECE and has_placement(game.board, rules, piece, interval, scratch):
            return True
    return False


@compile_separate
def prepare_position(game: FullGameRecord, rules: RulesRecord, scratch: SimdScratch) -> None:
    """Deal the next pieces; the game is over if the current piece cannot spawn or nothing can be placed."""
    deal_preview_unless_adversary(game, rules)
    if game.status == STATUS_PLAYING and not has_any_placement(game, rules, scratch):
        game.status = STATUS_OVER
