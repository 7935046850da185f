"""Modern games in real time: hold as a key, spins by the last action, lock delay with restarts, 20G.

The order of events in a frame is that of `realtime.py`: held keys repeat, then gravity and the lock delay count the
frame, then a piece spawns. A move or rotation of a resting piece restarts its lock delay, at most `lock_resets` times;
after that the piece locks at once when it moves and rests, or lands. It gets all of them back when it rests lower than
before.
"""

from typing import Annotated

from tetrion.engine.batch_play import STATUS_OVER, STATUS_PLAYING
from tetrion.engine.compiler import compile_entry, compile_entry_with_memory, compile_inline, compile_separate
from tetrion.engine.garbage import advance_clock
from tetrion.engine.modern_motion import NO_TURN, apply_modern_key, compute_spin
from tetrion.engine.modern_play import (
    commit_modern_placement,
    deal_modern_preview,
    exchange_held_piece,
    prepare_modern_position,
)
from tetrion.engine.modern_records import ModernGameRecord, ModernGameRecords, ModernRulesRecord, ModernRulesRecords
from tetrion.engine.piece_motion import (
    KEY_DOWN,
    KEY_DROP,
    KEY_HOLD,
    MOVEMENT_ROWS,
    PieceState,
    apply_key,
    can_spawn,
    get_spawn_state,
    is_resting,
    is_turn,
)
from tetrion.engine.pieces import ORIENTATION_HEIGHTS
from tetrion.engine.realtime import (
    ACTION_KEY_DOWN,
    ACTION_KEY_UP,
    ACTION_PRESS,
    ACTION_TICK,
    DOWN_SLOT,
    NO_KEY,
    PRESS_REPEAT,
    SHIFT_REPEAT,
    SIDEWAYS_SLOT,
    EngineAction,
    FallingRecord,
    count_key_frame,
    find_repeat_slot,
    get_piece_state,
    update_pressed_key,
)
from tetrion.engine.records import Int64, Int64Array, Records
from tetrion.engine.rules import LOCK_BY_GRAVITY
from tetrion.engine.scoring import (
    FINE_FRAME,
    FIRST_FINE_GRAVITY,
    compute_fine_gravity,
    compute_frames_per_row,
    compute_level,
    compute_spawn_delay,
)
from tetrion.engine.spins import ModernScratch

TURN_SLOT, HOLD_SLOT = 2, 3  # after the slots of keys that repeat
_SLOT_COUNT = 4


class ModernFallingRecord(FallingRecord):
    """The falling piece of a modern game, and the keys that are held down."""

    pressed_keys: Annotated[Int64Array, _SLOT_COUNT]
    pressed_frames: Annotated[Int64Array, _SLOT_COUNT]
    frame_units: Int64  # by which `gravity_frames` grows in a frame; `interval` has the same unit
    turn: Int64  # the last successful action of the piece, such as NO_TURN
    used_resets: Int64  # restarts of the lock delay since the piece rests in its lowest row


@compile_inline
def set_modern_gravity(game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord) -> None:
    """Set the gravity of a new piece, which may be several rows per frame."""
    level = compute_level(rules, game.lines)
    if rules.gravity_system >= FIRST_FINE_GRAVITY:
        fall.interval = compute_fine_gravity(rules, level, game.frames)
        fall.frame_units = FINE_FRAME
    else:
        fall.interval = compute_frames_per_row(rules, level, game.frames)
        fall.frame_units = 1


@compile_separate
def spawn_modern_piece(game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord) -> None:
    """Spawn the current piece, or end the game if it is blocked."""
    piece = int(game.queue[0])
    fall.is_active = 0
    if not can_spawn(game.board, rules, piece):
        game.status = STATUS_OVER
        return
    piece_state = get_spawn_state(rules, piece)
    fall.is_active = 1
    fall.piece_state[0], fall.piece_state[1], fall.piece_state[2] = piece_state
    fall.turn = NO_TURN
    fall.gravity_frames = 0
    fall.lock_frames = 0
    fall.used_resets = 0
    fall.lowest_row = piece_state[2] if is_resting(game.board, rules, piece, piece_state) else MOVEMENT_ROWS
    set_modern_gravity(game, fall, rules)


@compile_inline
def hold_falling_piece(game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord) -> bool:
    """Exchange the falling piece for the one in the hold box, or the next one; return whether that is allowed."""
    if not rules.hold or game.used_hold:
        return False
    exchange_held_piece(game)
    deal_modern_preview(game, rules)
    spawn_modern_piece(game, fall, rules)
    return True


@compile_separate
def apply_initial_keys(game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord) -> None:
    """Apply the keys for hold and rotation that are down when a piece spawns, where the rules allow that."""
    if fall.is_active and rules.initial_hold and fall.pressed_keys[HOLD_SLOT] != NO_KEY:
        hold_falling_piece(game, fall, rules)
    key = int(fall.pressed_keys[TURN_SLOT])
    if fall.is_active and rules.initial_rotation and key != NO_KEY:
        move_by_key(game, fall, rules, key)


@compile_separate
def move_falling_piece(
    game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord, after: PieceState, turn: int
) -> bool:
    """Move the falling piece; return whether it locks at once, because it rests and has no restarts left."""
    piece = int(game.queue[0])
    has_restarts = rules.lock_resets == 0 or fall.used_resets < rules.lock_resets
    if rules.lock_resets > 0 and has_restarts and is_resting(game.board, rules, piece, get_piece_state(fall)):
        fall.used_resets += 1
        fall.lock_frames = 0
    fall.piece_state[0], fall.piece_state[1], fall.piece_state[2] = after
    fall.turn = turn
    if not is_resting(game.board, rules, piece, after):
        return False
    if after[2] < fall.lowest_row:
        fall.lowest_row = after[2]
        fall.lock_frames = 0
        fall.used_resets = 0
        return False
    return not has_restarts


@compile_separate
def move_by_key(
    game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord, key: int
) -> tuple[bool, bool]:
    """Apply a key to the falling piece; return whether it was successful, and whether the piece locks."""
    before = get_piece_state(fall)
    moved = apply_modern_key(game.board, rules, int(game.queue[0]), (before, int(fall.turn)), key)
    rows = before[2] - moved.piece_state[2]
    if key == KEY_DROP:
        game.score += rows * rules.points_per_hard_drop_row
    elif key == KEY_DOWN:
        game.score += rows * rules.points_per_soft_drop_row
    locks = rules.key_locks[key] != 0 and (key == KEY_DROP or not moved.is_successful)
    if moved.is_successful:
        locks |= move_falling_piece(game, fall, rules, moved.piece_state, moved.turn)
    return moved.is_successful, locks


@compile_separate
def lock_modern_piece(game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord) -> None:
    """Lock the falling piece with its spin, or end the game if it extends above the board."""
    piece = int(game.queue[0])
    state, x, row = get_piece_state(fall)
    orientation = int(rules.orientation_of_state[piece, state])
    lines_before = game.lines
    fall.is_active = 0
    if row + ORIENTATION_HEIGHTS[orientation] > rules.rows:
        game.status = STATUS_OVER
        return
    spin = compute_spin(game.board, rules, piece, (state, x, row), int(fall.turn))
    commit_modern_placement(game, rules, (orientation, x, row), spin)
    deal_modern_preview(game, rules)
    fall.spawn_wait = compute_spawn_delay(rules, row, game.lines - lines_before)


@compile_separate
def press_modern_key(game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord, key: int) -> bool:
    """Apply a key press; return whether it had an effect."""
    if not fall.is_active or not rules.has_key[key]:
        return False
    if key == KEY_HOLD:
        if not hold_falling_piece(game, fall, rules):
            return False
        apply_initial_keys(game, fall, rules)
        return True
    is_successful, locks = move_by_key(game, fall, rules, key)
    if locks:
        lock_modern_piece(game, fall, rules)
    return is_successful or locks


@compile_inline
def shift_instantly(game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord, key: int) -> None:
    """Move the falling piece as far as a held key can; this counts as one move."""
    if not fall.is_active or not rules.has_key[key]:
        return
    piece = int(game.queue[0])
    before = get_piece_state(fall)
    after = before
    following = apply_key(game.board, rules, piece, after, key)
    while following != after:
        after = following
        following = apply_key(game.board, rules, piece, after, key)
    if after == before:
        press_modern_key(game, fall, rules, key)  # down may lock the piece
        return
    if key == KEY_DOWN:
        game.score += (before[2] - after[2]) * rules.points_per_soft_drop_row
    if move_falling_piece(game, fall, rules, after, NO_TURN):
        lock_modern_piece(game, fall, rules)


@compile_separate
def repeat_modern_key(game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord, slot: int) -> None:
    """Count one frame for the key that is held down in a slot, and repeat its press when it is due."""
    repeat = count_key_frame(fall, rules, slot)
    if repeat == PRESS_REPEAT:
        press_modern_key(game, fall, rules, int(fall.pressed_keys[slot]))
    elif repeat == SHIFT_REPEAT:
        shift_instantly(game, fall, rules, int(fall.pressed_keys[slot]))


@compile_separate
def spawn_or_lock_modern(game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord) -> None:
    """Spawn the next piece if its delay is over, and lock a resting piece if the rules have no lock delay."""
    if game.status == STATUS_PLAYING and not fall.is_active and fall.spawn_wait == 0:
        spawn_modern_piece(game, fall, rules)
        apply_initial_keys(game, fall, rules)
    locks_at_once = (
        fall.is_active
        and rules.lock_delay == 0
        and is_resting(game.board, rules, int(game.queue[0]), get_piece_state(fall))
    )
    if game.status == STATUS_PLAYING and locks_at_once:
        lock_modern_piece(game, fall, rules)


@compile_inline
def fall_by_gravity(game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord, rows: int) -> bool:
    """Move the piece down by up to `rows` rows; return whether it locks at once."""
    piece = int(game.queue[0])
    after = get_piece_state(fall)
    for _ in range(min(rows, MOVEMENT_ROWS)):
        after = apply_key(game.board, rules, piece, after, KEY_DOWN)
    return move_falling_piece(game, fall, rules, after, NO_TURN)


@compile_inline
def apply_modern_gravity(game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord) -> None:
    """Count one frame for gravity and for the lock delay, and move or lock the piece when they are due."""
    rests = is_resting(game.board, rules, int(game.queue[0]), get_piece_state(fall))
    if fall.interval > 0:
        fall.gravity_frames += fall.frame_units
        rows = int(fall.gravity_frames // fall.interval)
        fall.gravity_frames -= rows * fall.interval
        if rows > 0 and rests and rules.lock_delay == LOCK_BY_GRAVITY:
            lock_modern_piece(game, fall, rules)
            return
        if rows > 0 and not rests and fall_by_gravity(game, fall, rules, rows):
            lock_modern_piece(game, fall, rules)
            return
    if rules.lock_delay > 0 and rests:
        fall.lock_frames += 1
        if fall.lock_frames >= rules.lock_delay:
            lock_modern_piece(game, fall, rules)


@compile_inline
def advance_modern_frame(game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord) -> None:
    """Advance the game by one frame: key repeat, then gravity or the spawn delay, then spawning and locking."""
    advance_clock(game, rules, 1)
    was_waiting = fall.is_active == 0
    repeat_modern_key(game, fall, rules, SIDEWAYS_SLOT)
    repeat_modern_key(game, fall, rules, DOWN_SLOT)
    if was_waiting:
        fall.spawn_wait = max(fall.spawn_wait - 1, 0)
    elif fall.is_active:
        apply_modern_gravity(game, fall, rules)
    spawn_or_lock_modern(game, fall, rules)


@compile_inline
def find_slot(key: int) -> int:
    """Return the slot of a key that acts while it is held down or when a piece spawns, or NO_SLOT."""
    if key == KEY_HOLD:
        return HOLD_SLOT
    return TURN_SLOT if is_turn(key) else find_repeat_slot(key)


@compile_inline
def prepare_and_spawn_modern(
    game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord, scratch: ModernScratch
) -> None:
    """Spawn the next piece of a game after a placement, or end the game as in a game without a clock.

    If the spawn position is blocked but a piece still has a placement, the piece does not spawn: the next key or frame
    ends the game.
    """
    fall.is_active = 0
    fall.spawn_wait = 0
    prepare_modern_position(game, rules, scratch)
    if game.status == STATUS_PLAYING and can_spawn(game.board, rules, int(game.queue[0])):
        spawn_modern_piece(game, fall, rules)


@compile_separate
def act_in_modern_game(
    game: ModernGameRecord, fall: ModernFallingRecord, rules: ModernRulesRecord, action: EngineAction
) -> int:
    """Perform an action in a game.

    Return whether a key had an effect (1 or 0), or the number of frames that have passed. The clock stops when a piece
    locks.
    """
    kind, number = action
    result = 0
    pieces_before = game.pieces
    if kind in (ACTION_PRESS, ACTION_KEY_DOWN) and game.status == STATUS_PLAYING:
        result = int(press_modern_key(game, fall, rules, number))
    if kind in (ACTION_KEY_DOWN, ACTION_KEY_UP):
        update_pressed_key(fall, find_slot(number), number, kind == ACTION_KEY_DOWN)
    if kind == ACTION_TICK:
        while result < number and game.status == STATUS_PLAYING and game.pieces == pieces_before:
            advance_modern_frame(game, fall, rules)
            result += 1
    elif kind != ACTION_KEY_UP and game.pieces == pieces_before:
        spawn_or_lock_modern(game, fall, rules)
    return result


@compile_entry_with_memory(ModernScratch.dtype, seconds=8)
def prepare_next_modern_piece(
    memory: Records[ModernScratch],
    games: ModernGameRecords,
    falls: Records[ModernFallingRecord],
    rules: ModernRulesRecords,
) -> None:
    """Spawn the next piece of the first game after a placement, or end the game."""
    prepare_and_spawn_modern(games[0], falls[0], rules[0], memory[0])


@compile_entry(seconds=10)
def perform_modern_action(
    games: ModernGameRecords, falls: Records[ModernFallingRecord], rules: ModernRulesRecords, action: EngineAction
) -> int:
    """Perform an action in the first game; return what `act_in_modern_game` returns."""
    return act_in_modern_game(games[0], falls[0], rules[0], action)
