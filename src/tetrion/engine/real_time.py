"""Games in real time: a falling piece, a clock of frames, and keys that are pressed, held and released.

The order of events in a frame: held keys repeat, then gravity and the lock delay count the frame, then a piece spawns.
A move or rotation of a resting piece restarts its lock delay, at most `lock_resets` times; after that the piece locks
at once when it moves and rests, or lands. The count starts again when the piece rests lower than before.
"""

from typing import Annotated, Literal, NamedTuple

from tetrion.engine.attack import advance_clock
from tetrion.engine.compiler import compile_entry_with_memory, compile_inline, compile_separate
from tetrion.engine.local_evaluation import lock_piece_simd
from tetrion.engine.piece_motion import (
    KEY_DOWN,
    KEY_DROP,
    KEY_HOLD,
    KEY_LEFT,
    KEY_RIGHT,
    MOVEMENT_ROWS,
    NO_TURN,
    PieceState,
    apply_key,
    can_spawn,
    get_spawn_state,
    is_resting,
    is_turn,
    move_piece,
)
from tetrion.engine.pieces import ORIENTATION_HEIGHTS
from tetrion.engine.placement_choice import SimdScratch
from tetrion.engine.placements import OrientedPlacement
from tetrion.engine.placing import (
    STATUS_OVER,
    STATUS_PLAYING,
    deal_preview_unless_adversary,
    exchange_held_piece,
    lock_current_piece,
    prepare_position,
)
from tetrion.engine.records import (
    INSTANT_REPEAT,
    LOCK_BY_GRAVITY,
    TIMED_MOVEMENT,
    FullGameRecord,
    FullGameRecords,
    Int64,
    Int64Array,
    Record,
    Records,
    RulesRecord,
    RulesRecords,
)
from tetrion.engine.scoring import (
    FINE_FRAME,
    FIRST_FINE_GRAVITY,
    compute_fine_gravity,
    compute_frames_per_row,
    compute_level,
    compute_spawn_delay,
)
from tetrion.engine.spins import compute_spin

# The keys that act while they are held down or when a piece spawns. Left and right share a slot, as do all rotations.
SIDEWAYS_SLOT, DOWN_SLOT, TURN_SLOT, HOLD_SLOT = range(4)
_SLOT_COUNT = 4
NO_SLOT = -1
NO_KEY = -1
NO_REPEAT, PRESS_REPEAT, SHIFT_REPEAT = range(3)  # a held key does nothing, acts again, or moves the piece to the end

ACTION_SPAWN_OR_LOCK, ACTION_PRESS, ACTION_KEY_DOWN, ACTION_KEY_UP, ACTION_TICK = range(5)


class FallingRecord(Record[Literal["is_active", "piece_state"]]):
    """The falling piece of a game, and the keys that are held down."""

    is_active: Int64  # 1 while a piece is in play
    piece_state: Annotated[Int64Array, 3]  # rotation state, leftmost column, lowest row
    turn: Int64  # the last successful action of the piece, such as NO_TURN
    interval: Int64  # frames per row in units of `frame_units`; 0: the piece does not fall
    frame_units: Int64  # by which `gravity_frames` grows in a frame
    gravity_frames: Int64  # since gravity last moved the piece
    lock_frames: Int64  # frames that the piece has rested
    lowest_row: Int64  # the lowest row in which the piece has rested
    used_resets: Int64  # restarts of the lock delay since the piece rests in its lowest row
    spawn_wait: Int64  # frames until the next piece spawns
    pressed_keys: Annotated[Int64Array, _SLOT_COUNT]  # by slot: the key that is down, or NO_KEY
    pressed_frames: Annotated[Int64Array, _SLOT_COUNT]  # by slot: frames since it was pressed


FallingRecords = Records[FallingRecord]


class EngineAction(NamedTuple):
    """An action in a game in real time, such as ACTION_PRESS."""

    kind: int
    number: int  # a key or, for ACTION_TICK, a number of frames


class RealTimeGame(NamedTuple):
    """A game, its falling piece, its rules and the working memory."""

    game: FullGameRecord
    fall: FallingRecord
    rules: RulesRecord
    scratch: SimdScratch


@compile_inline
def get_piece_state(fall: FallingRecord) -> PieceState:
    """Return the state of the falling piece."""
    return PieceState(int(fall.piece_state[0]), int(fall.piece_state[1]), int(fall.piece_state[2]))


@compile_inline
def set_gravity(live: RealTimeGame) -> None:
    """Set the gravity of a new piece: several rows per frame, unless placements have a clock, in whole frames."""
    game, fall, rules, _ = live
    level = compute_level(rules, game.lines)
    if rules.gravity_system >= FIRST_FINE_GRAVITY and rules.movement < TIMED_MOVEMENT:
        fall.interval = compute_fine_gravity(rules, level, game.frames)
        fall.frame_units = FINE_FRAME
    else:
        fall.interval = compute_frames_per_row(rules, level, game.frames)
        fall.frame_units = 1


@compile_separate
def spawn_piece(live: RealTimeGame) -> None:
    """Spawn the current piece, or end the game if it is blocked."""
    game, fall, rules, _ = live
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
    fall.lowest_row = piece_state.row if is_resting(game.board, rules, piece, piece_state) else MOVEMENT_ROWS
    set_gravity(live)


@compile_inline
def hold_falling_piece(live: RealTimeGame) -> bool:
    """Exchange the falling piece for the one in the hold box, or for the next one; return whether that is allowed."""
    game, _, rules, _ = live
    if not rules.hold or game.used_hold:
        return False
    exchange_held_piece(game)
    deal_preview_unless_adversary(game, rules)
    spawn_piece(live)
    return True


@compile_separate
def apply_initial_keys(live: RealTimeGame) -> None:
    """Apply the keys for hold and rotation that are down when a piece spawns, where the rules allow that."""
    _, fall, rules, _ = live
    if fall.is_active and rules.initial_hold and fall.pressed_keys[HOLD_SLOT] != NO_KEY:
        hold_falling_piece(live)
    key = int(fall.pressed_keys[TURN_SLOT])
    if fall.is_active and rules.initial_rotation and key != NO_KEY:
        move_by_key(live, key)


@compile_separate
def move_falling_piece(live: RealTimeGame, after: PieceState, turn: int) -> bool:
    """Move the falling piece; return whether it locks at once, because it rests and has no restarts left."""
    game, fall, rules, _ = live
    piece = int(game.queue[0])
    has_restarts = rules.lock_resets == 0 or fall.used_resets < rules.lock_resets
    if rules.lock_resets > 0 and has_restarts and is_resting(game.board, rules, piece, get_piece_state(fall)):
        fall.used_resets += 1
        fall.lock_frames = 0
    fall.piece_state[0], fall.piece_state[1], fall.piece_state[2] = after
    fall.turn = turn
    if not is_resting(game.board, rules, piece, after):
        return False
    if after.row < fall.lowest_row:
        fall.lowest_row = after.row
        fall.lock_frames = 0
        fall.used_resets = 0
        return False
    return not has_restarts


@compile_separate
def move_by_key(live: RealTimeGame, key: int) -> tuple[bool, bool]:
    """Apply a key to the falling piece; return whether it was successful, and whether the piece locks."""
    game, fall, rules, _ = live
    before = get_piece_state(fall)
    moved = move_piece(game.board, rules, int(game.queue[0]), (before, int(fall.turn)), key)
    rows = before.row - moved.piece_state.row
    if key == KEY_DROP:
        game.score += rows * rules.points_per_hard_drop_row
    elif key == KEY_DOWN:
        game.score += rows * rules.points_per_soft_drop_row
    locks = rules.key_locks[key] != 0 and (key == KEY_DROP or not moved.is_successful)
    if moved.is_successful:
        locks |= move_falling_piece(live, moved.piece_state, moved.turn)
    return moved.is_successful, locks


@compile_separate
def lock_falling_piece(live: RealTimeGame) -> None:
    """Lock the falling piece with its spin, or end the game if it extends above the board."""
    game, fall, rules, _ = live
    piece = int(game.queue[0])
    state, x, row = get_piece_state(fall)
    orientation = int(rules.orientation_of_state[piece, state])
    lines_before = game.lines
    fall.is_active = 0
    if row + ORIENTATION_HEIGHTS[orientation] > rules.rows:
        game.status = STATUS_OVER
        return
    spin = compute_spin(game.board, rules, piece, PieceState(state, x, row), int(fall.turn))
    lock_current_piece(lock_piece_simd, game, rules, OrientedPlacement(orientation, x, row), spin)
    deal_preview_unless_adversary(game, rules)
    fall.spawn_wait = compute_spawn_delay(rules, row, game.lines - lines_before)


@compile_separate
def press_key(live: RealTimeGame, key: int) -> bool:
    """Apply a key press; return whether it had an effect."""
    _, fall, rules, _ = live
    if not fall.is_active or not rules.has_key[key]:
        return False
    if key == KEY_HOLD:
        if not hold_falling_piece(live):
            return False
        apply_initial_keys(live)
        return True
    is_successful, locks = move_by_key(live, key)
    if locks:
        lock_falling_piece(live)
    return is_successful or locks


@compile_inline
def shift_instantly(live: RealTimeGame, key: int) -> None:
    """Move the falling piece as far as a held key can; this counts as one move."""
    game, fall, rules, _ = live
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
        press_key(live, key)  # down may lock the piece
        return
    if key == KEY_DOWN:
        game.score += (before.row - after.row) * rules.points_per_soft_drop_row
    if move_falling_piece(live, after, NO_TURN):
        lock_falling_piece(live)


@compile_inline
def count_key_frame(fall: FallingRecord, rules: RulesRecord, slot: int) -> int:
    """Count one frame for the key that is held down in a slot; return whether it repeats now, such as NO_REPEAT."""
    if fall.pressed_keys[slot] == NO_KEY:
        return NO_REPEAT
    interval = int(rules.arr) if slot == SIDEWAYS_SLOT else int(rules.soft_drop_interval)
    delay = int(rules.das) if slot == SIDEWAYS_SLOT else interval
    fall.pressed_frames[slot] += 1
    frames = int(fall.pressed_frames[slot]) - delay
    if frames < 0 or interval == 0:
        return NO_REPEAT
    if interval == INSTANT_REPEAT:
        return SHIFT_REPEAT
    return PRESS_REPEAT if frames % interval == 0 else NO_REPEAT


@compile_separate
def repeat_pressed_key(live: RealTimeGame, slot: int) -> None:
    """Count one frame for the key that is held down in a slot, and repeat its press when it is due."""
    _, fall, rules, _ = live
    repeat = count_key_frame(fall, rules, slot)
    if repeat == PRESS_REPEAT:
        press_key(live, int(fall.pressed_keys[slot]))
    elif repeat == SHIFT_REPEAT:
        shift_instantly(live, int(fall.pressed_keys[slot]))


@compile_separate
def spawn_or_lock(live: RealTimeGame) -> None:
    """Spawn the next piece if its delay is over, and lock a resting piece if the rules have no lock delay.

    A piece of the adversary that is not dealt yet spawns in the next call.
    """
    game, fall, rules, _ = live
    if game.status == STATUS_PLAYING and not fall.is_active and fall.spawn_wait == 0 and game.known > 0:
        spawn_piece(live)
        apply_initial_keys(live)
    locks_at_once = (
        fall.is_active
        and rules.lock_delay == 0
        and is_resting(game.board, rules, int(game.queue[0]), get_piece_state(fall))
    )
    if game.status == STATUS_PLAYING and locks_at_once:
        lock_falling_piece(live)


@compile_inline
def fall_by_gravity(live: RealTimeGame, rows: int) -> bool:
    """Move the piece down by up to `rows` rows; return whether it locks at once."""
    game, fall, rules, _ = live
    piece = int(game.queue[0])
    after = get_piece_state(fall)
    for _ in range(min(rows, MOVEMENT_ROWS)):
        after = apply_key(game.board, rules, piece, after, KEY_DOWN)
    return move_falling_piece(live, after, NO_TURN)


@compile_inline
def apply_gravity(live: RealTimeGame) -> None:
    """Count one frame for gravity and for the lock delay, and move or lock the piece when they are due."""
    game, fall, rules, _ = live
    rests = is_resting(game.board, rules, int(game.queue[0]), get_piece_state(fall))
    if fall.interval > 0:
        fall.gravity_frames += fall.frame_units
        if fall.gravity_frames >= fall.interval:
            rows = int(fall.gravity_frames // fall.interval)
            fall.gravity_frames -= rows * fall.interval
            if fall_by_gravity(live, rows) if not rests else rules.lock_delay == LOCK_BY_GRAVITY:
                lock_falling_piece(live)
                return
    if rules.lock_delay > 0 and rests:
        fall.lock_frames += 1
        if fall.lock_frames >= rules.lock_delay:
            lock_falling_piece(live)


@compile_inline
def advance_frame(live: RealTimeGame) -> None:
    """Advance the game by one frame: key repeat, then gravity or the spawn delay, then spawning and locking."""
    game, fall, rules, _ = live
    advance_clock(game, rules, 1)
    was_waiting = fall.is_active == 0
    repeat_pressed_key(live, SIDEWAYS_SLOT)
    repeat_pressed_key(live, DOWN_SLOT)
    if was_waiting:
        fall.spawn_wait = max(fall.spawn_wait - 1, 0)
    elif fall.is_active:
        apply_gravity(live)
    spawn_or_lock(live)


@compile_inline
def count_quiet_frames(live: RealTimeGame, limit: int) -> int:
    """Return for how many frames, at most `limit`, only the clock and the counters of the falling piece change."""
    game, fall, rules, _ = live
    if fall.pressed_keys[SIDEWAYS_SLOT] != NO_KEY or fall.pressed_keys[DOWN_SLOT] != NO_KEY:
        return 0
    frames = limit
    if not fall.is_active:
        return max(min(frames, int(fall.spawn_wait) - 1), 0)
    if fall.interval > 0:
        frames = min(frames, int((fall.interval - 1 - fall.gravity_frames) // fall.frame_units))
    if rules.lock_delay >= 0 and is_resting(game.board, rules, int(game.queue[0]), get_piece_state(fall)):
        frames = min(frames, int(rules.lock_delay - 1 - fall.lock_frames))
    return max(frames, 0)


@compile_inline
def pass_quiet_frames(live: RealTimeGame, frames: int) -> None:
    """Advance the clock and the counters of the falling piece by a number of frames in which nothing else happens."""
    game, fall, rules, _ = live
    advance_clock(game, rules, frames)
    if not fall.is_active:
        fall.spawn_wait -= frames
        return
    if fall.interval > 0:
        fall.gravity_frames += frames * fall.frame_units
    if rules.lock_delay > 0 and is_resting(game.board, rules, int(game.queue[0]), get_piece_state(fall)):
        fall.lock_frames += frames


@compile_inline
def find_key_slot(key: int) -> int:
    """Return the slot of a key that acts while it is held down or when a piece spawns, or NO_SLOT."""
    if key in (KEY_LEFT, KEY_RIGHT):
        return SIDEWAYS_SLOT
    if is_turn(key):
        return TURN_SLOT
    if key == KEY_HOLD:
        return HOLD_SLOT
    return DOWN_SLOT if key == KEY_DOWN else NO_SLOT


@compile_inline
def update_pressed_key(fall: FallingRecord, slot: int, key: int, is_down: bool) -> None:
    """Record that a key of a slot goes down or up; of keys that share a slot, the last one that was pressed counts."""
    if slot == NO_SLOT:
        return
    if is_down:
        fall.pressed_keys[slot] = key
        fall.pressed_frames[slot] = 0
    elif fall.pressed_keys[slot] == key:
        fall.pressed_keys[slot] = NO_KEY


@compile_inline
def prepare_and_spawn(live: RealTimeGame) -> None:
    """Spawn the next piece of a game after a placement, or end the game as in a game without a clock.

    If the spawn position is blocked but a piece still has a placement, the piece does not spawn: the next key or frame
    ends the game.
    """
    game, fall, rules, scratch = live
    fall.is_active = 0
    fall.spawn_wait = 0
    prepare_position(game, rules, scratch)
    if game.status == STATUS_PLAYING and can_spawn(game.board, rules, int(game.queue[0])):
        spawn_piece(live)


@compile_separate
def act_in_game(live: RealTimeGame, action: EngineAction) -> int:
    """Perform an action in a game.

    Return whether a key had an effect (1 or 0), or the number of frames that have passed. The clock stops when a piece
    locks.
    """
    game, fall, _, _ = live
    kind, number = action
    result = 0
    pieces_before = game.pieces
    if kind in (ACTION_PRESS, ACTION_KEY_DOWN) and game.status == STATUS_PLAYING:
        result = int(press_key(live, number))
    if kind in (ACTION_KEY_DOWN, ACTION_KEY_UP):
        update_pressed_key(fall, find_key_slot(number), number, kind == ACTION_KEY_DOWN)
    if kind == ACTION_TICK:
        while result < number and game.status == STATUS_PLAYING and game.pieces == pieces_before:
            quiet = count_quiet_frames(live, number - result)
            if quiet > 0:  # slow gravity has hundreds of frames in which nothing happens
                pass_quiet_frames(live, quiet)
            else:
                advance_frame(live)
            result += max(quiet, 1)
    elif kind != ACTION_KEY_UP and game.pieces == pieces_before:
        spawn_or_lock(live)
    return result


@compile_entry_with_memory(SimdScratch.dtype, seconds=8)
def prepare_next_piece(
    memory: Records[SimdScratch], games: FullGameRecords, falls: FallingRecords, rules: RulesRecords
) -> None:
    """Spawn the next piece of the first game after a placement, or end the game."""
    prepare_and_spawn(RealTimeGame(games[0], falls[0], rules[0], memory[0]))


@compile_entry_with_memory(SimdScratch.dtype, seconds=10)
def perform_action(
    memory: Records[SimdScratch],
    games: FullGameRecords,
    falls: FallingRecords,
    rules: RulesRecords,
    action: EngineAction,
) -> int:
    """Perform an action in the first game; return what `act_in_game` returns."""
    return act_in_game(RealTimeGame(games[0], falls[0], rules[0], memory[0]), action)
