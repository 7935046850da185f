"""The modern game by placements: hold, spins, combos, back-to-back, attack, garbage and the score of the guideline."""

from tetrion.engine.batch_play import STATUS_OVER, STATUS_PLAYING, append_to_queue
from tetrion.engine.best_placements import decode_placement
from tetrion.engine.bitboard import load_columns
from tetrion.engine.columns import or_columns
from tetrion.engine.compiler import compile_entry, compile_entry_with_memory, compile_inline, compile_separate
from tetrion.engine.garbage import (
    add_solo_garbage,
    advance_clock,
    cancel_garbage,
    count_cleared_garbage,
    get_garbage_time,
    raise_garbage,
)
from tetrion.engine.local_evaluation import lock_piece_simd
from tetrion.engine.modern_records import (
    ATTACK_BITS,
    MAX_CLEARED_ROWS,
    MAX_COUNTED_BACK_TO_BACK,
    MAX_COUNTED_COMBO,
    NO_SPIN,
    ModernGameRecord,
    ModernGameRecords,
    ModernRulesRecord,
    ModernRulesRecords,
)
from tetrion.engine.piece_motion import can_spawn
from tetrion.engine.pieces import ORIENTATION_HEIGHTS
from tetrion.engine.placement_choice import has_placement, is_blocked_out
from tetrion.engine.randomisers import deal_piece
from tetrion.engine.records import Records
from tetrion.engine.rules import END_ABOVE_TOP, END_LOCK_OUT, END_TOP_ROW, REACH_MOVEMENT
from tetrion.engine.scalar_or_simd import Array, popcount
from tetrion.engine.scoring import compute_level, compute_points
from tetrion.engine.spins import ModernScratch, decode_modern_placement, encode_spin_placements, find_spin_placements

NO_PIECE = -1
_MILLION = 10**6
_MAX_MULTIPLIER = 10**12  # of attack, in millionths: a larger one could overflow


@compile_inline
def deal_modern_preview(game: ModernGameRecord, rules: ModernRulesRecord) -> None:
    """Deal pieces until the current piece and the preview are known."""
    while game.known <= rules.preview:
        number = game.pieces + game.known + (game.hold > 0)
        piece, bag = deal_piece(rules, game.key, number, game.bag)
        game.bag = bag
        append_to_queue(game, piece)


@compile_inline
def get_piece_from_hold(game: ModernGameRecord, rules: ModernRulesRecord) -> int:
    """Return the piece that hold would bring into play, or NO_PIECE if hold is not possible."""
    if not rules.hold or game.used_hold:
        return NO_PIECE
    if game.hold > 0:
        return int(game.hold) - 1
    return int(game.queue[1]) if game.known > 1 else NO_PIECE


@compile_inline
def remove_current_piece(game: ModernGameRecord) -> None:
    """Remove the current piece from the queue."""
    game.known -= 1
    for index in range(game.known):
        game.queue[index] = game.queue[index + 1]


@compile_inline
def exchange_held_piece(game: ModernGameRecord) -> None:
    """Put the current piece into the hold box, and bring the one in it, or the next one, into play."""
    held = int(game.hold)
    game.hold = game.queue[0] + 1
    game.used_hold = 1
    if held > 0:
        game.queue[0] = held - 1
    else:
        remove_current_piece(game)


@compile_separate
def multiply_attack(
    game: ModernGameRecord, rules: ModernRulesRecord, fraction: int, surge: int, perfect_clear: int
) -> int:
    """Return an attack that grows with time; `fraction` is in 1,024ths and contains the surge."""
    frames = max(int(game.frames - rules.attack_growth_start), 0)
    milliseconds = frames * _MILLION // int(rules.frames_per_1000_seconds)
    multiplier = min(_MILLION + int(rules.attack_growth) * milliseconds, _MAX_MULTIPLIER)  # in millionths
    attack = (fraction - (surge << ATTACK_BITS)) * multiplier // (_MILLION << ATTACK_BITS)
    return attack + surge * multiplier // _MILLION + perfect_clear * multiplier // _MILLION


@compile_inline
def compute_attack(game: ModernGameRecord, rules: ModernRulesRecord, lines: int, spin: int, is_perfect: bool) -> int:
    """Return the attack of a clear without the bonus for rows of garbage; its parts are rounded down one by one."""
    base = int(rules.base_attack[spin, lines])
    back_to_back = min(int(game.back_to_back), MAX_COUNTED_BACK_TO_BACK)
    combo = min(int(game.combo), MAX_COUNTED_COMBO)
    perfect_clear = int(rules.perfect_clear_attack[combo]) if is_perfect else 0
    ends_chain = not is_difficult(rules, lines, spin, is_perfect)
    if is_perfect and rules.perfect_clear_replaces:
        fraction = 0
    elif ends_chain:
        fraction = int(rules.simple_attack[base, back_to_back, combo])
    else:
        fraction = int(rules.difficult_attack[base, back_to_back, combo])
    if rules.attack_growth == 0:
        return (fraction >> ATTACK_BITS) + perfect_clear
    surge = int(rules.surges[back_to_back]) if ends_chain and fraction > 0 else 0
    return multiply_attack(game, rules, fraction, surge, perfect_clear)


@compile_inline
def compute_garbage_bonus(rules: ModernRulesRecord, lines: int, spin: int, cleared_garbage: int) -> int:
    """Return the attack that a tetris or a spin adds because it clears rows of garbage."""
    is_special = lines == MAX_CLEARED_ROWS or spin != NO_SPIN
    return int(rules.garbage_clear_bonus) if cleared_garbage > 0 and is_special else 0


@compile_inline
def is_difficult(rules: ModernRulesRecord, lines: int, spin: int, is_perfect: bool) -> bool:
    """Return whether a clear counts for back-to-back."""
    return lines == MAX_CLEARED_ROWS or spin != NO_SPIN or (is_perfect and rules.perfect_clear_is_difficult != 0)


@compile_inline
def compute_modern_points(
    game: ModernGameRecord, rules: ModernRulesRecord, lines: int, spin: int, is_perfect: bool
) -> int:
    """Return the points of a placement, before the counters of the game change."""
    if rules.combo_points == 0:
        return compute_points(rules, lines, compute_level(rules, game.lines + lines))
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


@compile_inline
def count_clear(game: ModernGameRecord, rules: ModernRulesRecord, lines: int, spin: int, is_perfect: bool) -> None:
    """Update the counters of clears, combos and back-to-back after a placement."""
    if lines > 0 or spin != NO_SPIN:
        game.clears_by_spin[spin, lines] += 1
    if lines == 0:
        game.combo = 0
        return
    game.lines += lines
    game.clears[lines - 1] += 1
    game.longest_combo = max(game.longest_combo, game.combo)
    game.combo += 1
    game.perfect_clears += is_perfect
    if is_difficult(rules, lines, spin, is_perfect):
        game.back_to_backs += game.back_to_back > 0
        game.back_to_back += 1
    else:
        game.back_to_back = 0


@compile_separate
def commit_modern_placement(
    game: ModernGameRecord, rules: ModernRulesRecord, choice: tuple[int, int, int], spin: int
) -> None:
    """Lock the current piece, remove full rows, send attack, let garbage rise, and end the game if required."""
    orientation, x, row = choice
    now = get_garbage_time(game, rules)
    full = lock_piece_simd(game.board, orientation, x, row)
    lines = popcount(full) if full else 0
    is_perfect = lines > 0 and or_columns(load_columns(game.board, 0)) == 0
    attack = 0
    if lines > 0:
        attack = compute_attack(game, rules, lines, spin, is_perfect)
        attack += compute_garbage_bonus(rules, lines, spin, count_cleared_garbage(game, full))
    game.score += compute_modern_points(game, rules, lines, spin, is_perfect)
    count_clear(game, rules, lines, spin, is_perfect)
    game.pieces += 1
    game.placement[0], game.placement[1], game.placement[2] = orientation, x, row
    game.spin = spin
    game.placed_from_hold = game.used_hold
    game.used_hold = 0
    remove_current_piece(game)
    end_after_lock(game, rules, row, row + int(ORIENTATION_HEIGHTS[orientation]))
    game.attack += attack
    game.sent += cancel_garbage(game, rules, attack)
    is_blocked = lines > 0 and rules.garbage_blocking != 0
    if game.status == STATUS_PLAYING and not is_blocked and not raise_garbage(game, rules, now):
        game.status = STATUS_OVER
    if game.status == STATUS_PLAYING:
        add_solo_garbage(game, rules)


@compile_inline
def end_after_lock(game: ModernGameRecord, rules: ModernRulesRecord, row: int, top: int) -> None:
    """End the game if the rules do not allow a piece in these rows, or the stack that it leaves."""
    if rules.game_over == END_LOCK_OUT and row >= rules.height:
        game.status = STATUS_OVER
    if rules.game_over == END_ABOVE_TOP and top > rules.height:
        game.status = STATUS_OVER
    if rules.game_over == END_TOP_ROW and or_columns(load_columns(game.board, 0)) >> (rules.height - 1) != 0:
        game.status = STATUS_OVER


@compile_inline
def is_stopped_at_spawn(board: Array, rules: ModernRulesRecord, piece: int) -> bool:
    """Return whether the current piece ends the game where it spawns, so that it cannot be exchanged either.

    A piece that must be moved from there to its place has none if it cannot spawn, even if the rules have no block out.
    """
    return is_blocked_out(board, rules, piece) or (
        rules.movement == REACH_MOVEMENT and not can_spawn(board, rules, piece)
    )


@compile_inline
def encode_modern_placements(
    game: ModernGameRecord, rules: ModernRulesRecord, scratch: ModernScratch, codes: Array
) -> int:
    """Write the codes of all placements of the current piece and of the one that hold brings; return their number."""
    count = 0
    if is_stopped_at_spawn(game.board, rules, int(game.queue[0])):
        return count
    for hold in range(1 + int(rules.hold)):
        piece = get_piece_from_hold(game, rules) if hold else int(game.queue[0])
        if piece != NO_PIECE and not is_blocked_out(game.board, rules, piece):
            find_spin_placements(game.board, rules, piece, scratch)
            count = encode_spin_placements(int(rules.rotation_count[piece]), hold, scratch.spins, codes, count)
    return count


@compile_entry_with_memory(ModernScratch.dtype, seconds=5)
def list_modern_placements(
    memory: Records[ModernScratch], games: ModernGameRecords, rules: ModernRulesRecords, codes: Array
) -> int:
    """Write the code of each placement in a game; return the number of placements."""
    return encode_modern_placements(games[0], rules[0], memory[0], codes)


@compile_inline
def place_code(game: ModernGameRecord, rules: ModernRulesRecord, code: int) -> None:
    """Make an encoded placement at the present frame; after it the frames of a placement pass."""
    placement, spin, hold = decode_modern_placement(code)
    if hold:
        exchange_held_piece(game)
    rotation, x, row = decode_placement(placement)
    orientation = int(rules.orientations[int(game.queue[0]), rotation])
    commit_modern_placement(game, rules, (orientation, x, row), spin)
    if game.status == STATUS_PLAYING:
        advance_clock(game, rules, int(rules.placement_frames))


@compile_entry(seconds=5)
def place_modern(games: ModernGameRecords, rules: ModernRulesRecords, code: int) -> None:
    """Make an encoded placement; no piece is dealt."""
    place_code(games[0], rules[0], code)


@compile_inline
def has_any_placement(game: ModernGameRecord, rules: ModernRulesRecord, scratch: ModernScratch) -> bool:
    """Return whether the current piece or the one that hold brings has a placement; the current one must spawn."""
    piece, other = int(game.queue[0]), get_piece_from_hold(game, rules)
    if is_stopped_at_spawn(game.board, rules, piece):
        return False
    if has_placement(game.board, rules, piece, 0, scratch):
        return True
    can_use_hold = other != NO_PIECE and not is_blocked_out(game.board, rules, other)
    return can_use_hold and has_placement(game.board, rules, other, 0, scratch)


@compile_separate
def prepare_modern_position(game: ModernGameRecord, rules: ModernRulesRecord, scratch: ModernScratch) -> None:
    """Deal the next pieces; the game is over if the current piece cannot spawn or nothing can be placed."""
    deal_modern_preview(game, rules)
    if game.status == STATUS_PLAYING and not has_any_placement(game, rules, scratch):
        game.status = STATUS_OVER
