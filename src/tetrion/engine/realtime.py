"""Games in real time: a falling piece, a clock of frames, and keys that are pressed, held and released."""

from typing import Annotated, Literal, NamedTuple

from tetrion.engine.batch_play import (
    STATUS_OVER,
    STATUS_PLAYING,
    EngineSettings,
    commit_placement,
    compute_gravity_interval,
    deal_preview_any_randomiser,
    prepare_position,
)
from tetrion.engine.compiler import compile_entry_with_memory, compile_inline, compile_separate
from tetrion.engine.local_evaluation import lock_piece_simd
from tetrion.engine.piece_motion import (
    KEY_DOWN,
    KEY_DROP,
    KEY_LEFT,
    KEY_RIGHT,
    MOVEMENT_ROWS,
    PieceState,
    apply_key,
    can_spawn,
    get_spawn_state,
    is_resting,
)
from tetrion.engine.pieces import ORIENTATION_HEIGHTS
from tetrion.engine.placement_choice import SimdScratch
from tetrion.engine.records import GameRecord, GameRecords, Int64, Int64Array, Record, Records, RulesRecord
from tetrion.engine.rules import INSTANT_REPEAT, LOCK_BY_GRAVITY
from tetrion.engine.scoring import compute_spawn_delay


class FallingRecord(Record[Literal["is_active", "piece_state"]]):
    """The falling piece of a game, and the keys that are held down."""

    is_active: Int64  # 1 while a piece is in play
    piece_state: Annotated[Int64Array, 3]  # rotation state, leftmost column, lowest row
    interval: Int64  # frames per row; 0: the piece does not fall
    gravity_frames: Int64  # frames since gravity last moved the piece
    lock_frames: Int64  # frames that the piece has rested
    lowest_row: Int64  # the lowest row in which the piece has rested
    spawn_wait: Int64  # frames until the next piece spawns
    pressed_keys: Annotated[Int64Array, 2]  # by slot: the key that is down, or NO_KEY
    pressed_frames: Annotated[Int64Array, 2]  # by slot: frames since it was pressed


SIDEWAYS_SLOT, DOWN_SLOT = range(2)  # left and right share a slot
NO_SLOT = -1
NO_KEY = -1
NO_REPEAT, PRESS_REPEAT, SHIFT_REPEAT = range(3)  # a held key does nothing, acts again, or moves as far as it can

ACTION_SPAWN_OR_LOCK, ACTION_PRESS, ACTION_KEY_DOWN, ACTION_KEY_UP, ACTION_TICK = range(5)


class EngineAction(NamedTuple):
    """An action in a game in real time, such as ACTION_PRESS."""

    kind: int
    number: int  # a key or, for ACTION_TICK, a number of frames


@compile_inline
def get_piece_state(fall: FallingRecord) -> PieceState:
    """Return the state of the falling piece."""
    return int(fall.piece_state[0]), int(fall.piece_state[1]), int(fall.piece_state[2])


@compile_inline
def set_piece_state(game: GameRecord, fall: FallingRecord, rules: RulesRecord, piece_state: PieceState) -> None:
    """Set the state of the falling piece; the lock delay restarts when it rests in a lower row than before."""
    fall.piece_state[0], fall.piece_state[1], fall.piece_state[2] = piece_state
    if (
        rules.lock_delay > 0
        and piece_state[2] < fall.lowest_row
        and is_resting(game.board, rules, int(game.queue[0]), piece_state)
    ):
        fall.lowest_row = piece_state[2]
        fall.lock_frames = 0


@compile_separate
def spawn_piece(game: GameRecord, fall: FallingRecord, rules: RulesRecord) -> None:
    """Spawn the next piece, or end the game if it is blocked."""
    piece = int(game.queue[0])
    if not can_spawn(game.board, rules, piece):
        game.status = STATUS_OVER
        return
    fall.is_active = 1
    fall.gravity_frames = 0
    fall.lock_frames = 0
    fall.lowest_row = MOVEMENT_ROWS
    fall.interval = compute_gravity_interval(game, rules)
    set_piece_state(game, fall, rules, get_spawn_state(rules, piece))


@compile_separate
def lock_falling_piece(game: GameRecord, fall: FallingRecord, rules: RulesRecord, scratch: SimdScratch) -> None:
    """Lock the falling piece, or end the game if it extends above the board."""
    state, x, row = get_piece_state(fall)
    orientation = int(rules.orientation_of_state[game.queue[0], state])
    lines_before = game.lines
    fall.is_active = 0
    if row + ORIENTATION_HEIGHTS[orientation] > rules.rows:
        game.status = STATUS_OVER
        return
    commit_placement(lock_piece_simd, game, rules, (orientation, x, row))
    deal_preview_any_randomiser(game, rules, scratch)
    fall.spawn_wait = compute_spawn_delay(rules, row, game.lines - lines_before)


@compile_separate
def press_key(game: GameRecord, fall: FallingRecord, rules: RulesRecord, key: int, scratch: SimdScratch) -> bool:
    """Apply a key press; return whether it had an effect."""
    if not fall.is_active or not rules.has_key[key]:
        return False
    before = get_piece_state(fall)
    after = apply_key(game.board, rules, int(game.queue[0]), before, key)
    set_piece_state(game, fall, rules, after)
    if key == KEY_DOWN and after != before:
        game.score += rules.points_per_soft_drop_row
    if rules.key_locks[key] and (key == KEY_DROP or after == before):
        lock_falling_piece(game, fall, rules, scratch)
        return True
    return after != before


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


@compile_inline
def repeat_pressed_key(
    game: GameRecord, fall: FallingRecord, rules: RulesRecord, slot: int, scratch: SimdScratch
) -> None:
    """Count one frame for the key that is held down in a slot, and repeat its press when it is due."""
    if count_key_frame(fall, rules, slot) == PRESS_REPEAT:
        press_key(game, fall, rules, int(fall.pressed_keys[slot]), scratch)


@compile_inline
def spawn_or_lock(game: GameRecord, fall: FallingRecord, rules: RulesRecord, scratch: SimdScratch) -> None:
    """Spawn the next piece if its delay is over, and lock a resting piece if the rules have no lock delay."""
    if game.status == STATUS_PLAYING and not fall.is_active and fall.spawn_wait == 0:
        spawn_piece(game, fall, rules)
    locks_at_once = (
        fall.is_active
        and rules.lock_delay == 0
        and is_resting(game.board, rules, int(game.queue[0]), get_piece_state(fall))
    )
    if game.status == STATUS_PLAYING and locks_at_once:
        lock_falling_piece(game, fall, rules, scratch)


@compile_inline
def advance_frame(game: GameRecord, fall: FallingRecord, rules: RulesRecord, scratch: SimdScratch) -> None:
    """Advance the game by one frame: key repeat, then gravity or the spawn delay, then spawning and locking."""
    game.frames += 1
    was_waiting = fall.is_active == 0
    repeat_pressed_key(game, fall, rules, SIDEWAYS_SLOT, scratch)
    repeat_pressed_key(game, fall, rules, DOWN_SLOT, scratch)
    if was_waiting:
        fall.spawn_wait = max(fall.spawn_wait - 1, 0)
    elif fall.is_active:
        apply_gravity(game, fall, rules, scratch)
    spawn_or_lock(game, fall, rules, scratch)


@compile_inline
def apply_gravity(game: GameRecord, fall: FallingRecord, rules: RulesRecord, scratch: SimdScratch) -> None:
    """Count one frame for gravity and for the lock delay, and move or lock the piece when they are due."""
    piece = int(game.queue[0])
    piece_state = get_piece_state(fall)
    resting = is_resting(game.board, rules, piece, piece_state)
    if fall.interval > 0:
        fall.gravity_frames += 1
        if fall.gravity_frames >= fall.interval:
            fall.gravity_frames = 0
            if not resting:
                set_piece_state(game, fall, rules, apply_key(game.board, rules, piece, piece_state, KEY_DOWN))
            elif rules.lock_delay == LOCK_BY_GRAVITY:
                lock_falling_piece(game, fall, rules, scratch)
                return
    if rules.lock_delay > 0 and resting:
        fall.lock_frames += 1
        if fall.lock_frames >= rules.lock_delay:
            lock_falling_piece(game, fall, rules, scratch)


@compile_inline
def find_repeat_slot(key: int) -> int:
    """Return the slot of a key that repeats while it is held down, or NO_SLOT."""
    if key in (KEY_LEFT, KEY_RIGHT):
        return SIDEWAYS_SLOT
    return DOWN_SLOT if key == KEY_DOWN else NO_SLOT


@compile_inline
def update_pressed_key(fall: FallingRecord, slot: int, key: int, is_down: bool) -> None:
    """Record that a key of a slot goes down or up; of keys that share a slot the one that was pressed last counts."""
    if slot == NO_SLOT:
        return
    if is_down:
        fall.pressed_keys[slot] = key
        fall.pressed_frames[slot] = 0
    elif fall.pressed_keys[slot] == key:
        fall.pressed_keys[slot] = NO_KEY


@compile_entry_with_memory(SimdScratch.dtype, seconds=8)
def prepare_next_piece(
    memory: Records[SimdScratch], games: GameRecords, falls: Records[FallingRecord], settings: EngineSettings
) -> None:
    """Spawn the next piece of the first game after a placement, or end the game as in a game without a clock.

    If the spawn position is blocked but the piece still has a placement, the piece does not spawn: the next key or
    frame ends the game.
    """
    game = games[0]
    fall = falls[0]
    rules = settings.rules[0]
    scratch = memory[0]
    fall.is_active = 0
    fall.spawn_wait = 0
    prepare_position(game, rules, scratch)
    if game.status == STATUS_PLAYING and can_spawn(game.board, rules, int(game.queue[0])):
        spawn_piece(game, fall, rules)


@compile_entry_with_memory(SimdScratch.dtype, seconds=8)
def perform_action(
    memory: Records[SimdScratch],
    games: GameRecords,
    falls: Records[FallingRecord],
    settings: EngineSettings,
    action: EngineAction,
) -> int:
    """Perform an action in the first game.

    Return whether a key had an effect (1 or 0), or the number of frames that have passed. The clock stops when a piece
    locks.
    """
    game = games[0]
    fall = falls[0]
    rules = settings.rules[0]
    scratch = memory[0]
    kind, number = action
    result = 0
    pieces_before = game.pieces
    if kind in (ACTION_PRESS, ACTION_KEY_DOWN) and game.status == STATUS_PLAYING:
        result = int(press_key(game, fall, rules, number, scratch))
    if kind in (ACTION_KEY_DOWN, ACTION_KEY_UP):
        update_pressed_key(fall, find_repeat_slot(number), number, kind == ACTION_KEY_DOWN)
    if kind == ACTION_TICK:
        while result < number and game.status == STATUS_PLAYING and game.pieces == pieces_before:
            advance_frame(game, fall, rules, scratch)
            result += 1
    elif kind != ACTION_KEY_UP and game.pieces == pieces_before:
        spawn_or_lock(game, fall, rules, scratch)
    return result
