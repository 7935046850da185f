"""A game in real time: a falling piece, a clock of frames, and keys that are pressed, held and released."""

from typing import Any

import numpy as np

from tetrion.engine.batch_play import (
    STATUS_OVER,
    STATUS_PLAYING,
    EngineSettings,
    GameRecords,
    commit_placement,
    compute_gravity_interval,
    deal_preview_any_randomiser,
)
from tetrion.engine.compiler import compile_entry_with_memory, compile_inline, compile_separate
from tetrion.engine.local_evaluation import Scratch, lock_piece_simd
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
from tetrion.engine.placement_choice import SIMD_SCRATCH_DTYPE, has_placement
from tetrion.engine.rules import END_SPAWN_BLOCKED, LOCK_BY_GRAVITY
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.scoring import compute_entry_delay

FALLING_DTYPE = np.dtype(
    [
        ("there", np.int64),  # 1 while a piece is in play
        ("place", np.int64, 3),  # its state, leftmost column, lowest row
        ("interval", np.int64),  # frames that it takes for a row; 0: it does not fall
        ("counted", np.int64),  # frames since it fell a row
        ("rested", np.int64),  # frames that it has rested
        ("lowest", np.int64),  # the lowest row in which it has
        ("wait", np.int64),  # frames until the next piece enters
        ("held", np.int64, 2),  # the key that is held of left and right, and down if it is; −1 for none
        ("since", np.int64, 2),  # frames for which they have been
    ],
    align=True,
)
SIDEWAYS_SLOT, DOWN_SLOT = range(2)  # what can be held
NO_KEY = -1

ACTION_SPAWN_OR_LOCK, ACTION_PRESS, ACTION_KEY_DOWN, ACTION_KEY_UP, ACTION_TICK = range(5)  # what can be done


@compile_inline
def get_piece_state(fall: Any) -> PieceState:
    """Where the piece is."""
    return int(fall.place[0]), int(fall.place[1]), int(fall.place[2])


@compile_inline
def set_piece_state(game: Any, fall: Any, rules: Any, piece_state: PieceState) -> None:
    """Let the piece be there; frames of rest begin anew when it comes to rest lower than before."""
    fall.place[0], fall.place[1], fall.place[2] = piece_state
    if (
        rules.lock_delay > 0
        and piece_state[2] < fall.lowest
        and is_resting(game.board, rules, int(game.queue[0]), piece_state)
    ):
        fall.lowest, fall.rested = piece_state[2], 0


@compile_separate
def spawn_piece(game: Any, fall: Any, rules: Any) -> None:
    """Let the next piece enter, or end the game if it cannot."""
    piece = int(game.queue[0])
    if not can_spawn(game.board, rules, piece):
        game.status = STATUS_OVER
        return
    fall.there = 1
    fall.counted = 0
    fall.rested = 0
    fall.lowest = MOVEMENT_ROWS
    fall.interval = compute_gravity_interval(game, rules)
    set_piece_state(game, fall, rules, get_spawn_state(rules, piece))


@compile_separate
def lock_falling_piece(game: Any, fall: Any, rules: Any, scratch: Scratch) -> None:
    """Fix the piece where it is, or end the game if it sticks out."""
    state, x, row = get_piece_state(fall)
    orientation, lines = int(rules.orientation[game.queue[0], state]), game.lines
    fall.there = 0
    if row + ORIENTATION_HEIGHTS[orientation] > rules.rows:
        game.status = STATUS_OVER
        return
    commit_placement(lock_piece_simd, game, rules, (orientation, x, row))
    deal_preview_any_randomiser(game, rules, scratch)
    fall.wait = compute_entry_delay(rules, row, game.lines - lines)


@compile_separate
def press_key(game: Any, fall: Any, rules: Any, key: int, scratch: Scratch) -> bool:
    """Do what a key does; tells whether it did anything."""
    if not fall.there or not rules.key[key]:
        return False
    piece, before = int(game.queue[0]), get_piece_state(fall)
    place = apply_key(game.board, rules, piece, before, key)
    set_piece_state(game, fall, rules, place)
    if key == KEY_DOWN and place != before:
        game.score += rules.points_a_row
    if rules.locks[key] and (key == KEY_DROP or place == before):
        lock_falling_piece(game, fall, rules, scratch)
        return True
    return place != before


@compile_inline
def repeat_pressed_key(game: Any, fall: Any, rules: Any, slot: int, delay: int, every: int, scratch: Scratch) -> None:
    """Count a frame for a key that is held, and press it again when its time has come."""
    key = int(fall.held[slot])
    if key == NO_KEY:
        return
    fall.since[slot] += 1
    since = int(fall.since[slot])
    if every > 0 and since >= delay and (since - delay) % every == 0:
        press_key(game, fall, rules, key, scratch)


@compile_inline
def spawn_or_lock(game: Any, fall: Any, rules: Any, scratch: Scratch) -> None:
    """Let in the next piece if it has not to wait, and lock it if it rests and may not wait."""
    if game.status == STATUS_PLAYING and not fall.there and fall.wait == 0:
        spawn_piece(game, fall, rules)
    waits = (
        not fall.there
        or rules.lock_delay != 0
        or not is_resting(game.board, rules, int(game.queue[0]), get_piece_state(fall))
    )
    if game.status == STATUS_PLAYING and not waits:
        lock_falling_piece(game, fall, rules, scratch)


@compile_inline
def advance_frame(game: Any, fall: Any, rules: Any, scratch: Scratch) -> None:
    """Let a frame pass: keys that are held, then gravity, then what has waited."""
    game.frames += 1
    waited = fall.there == 0
    repeat_pressed_key(game, fall, rules, SIDEWAYS_SLOT, int(rules.das), int(rules.arr), scratch)
    repeat_pressed_key(
        game, fall, rules, DOWN_SLOT, int(rules.soft_drop_interval), int(rules.soft_drop_interval), scratch
    )
    if waited:
        fall.wait = max(fall.wait - 1, 0)
    elif fall.there:
        apply_gravity(game, fall, rules, scratch)
    spawn_or_lock(game, fall, rules, scratch)


@compile_inline
def apply_gravity(game: Any, fall: Any, rules: Any, scratch: Scratch) -> None:
    """Let gravity and the lock delay count a frame."""
    piece, place = int(game.queue[0]), get_piece_state(fall)
    resting = is_resting(game.board, rules, piece, place)
    if fall.interval > 0:
        fall.counted += 1
        if fall.counted >= fall.interval:
            fall.counted = 0
            if not resting:
                set_piece_state(game, fall, rules, apply_key(game.board, rules, piece, place, KEY_DOWN))
            elif rules.lock_delay == LOCK_BY_GRAVITY:
                lock_falling_piece(game, fall, rules, scratch)
                return
    if rules.lock_delay > 0 and resting:
        fall.rested += 1
        if fall.rested >= rules.lock_delay:
            lock_falling_piece(game, fall, rules, scratch)


@compile_inline
def update_pressed_key(fall: Any, key: int, is_down: bool) -> None:
    """Note that a key goes down or up; of left and right the one that was pressed last counts."""
    what = DOWN_SLOT if key == KEY_DOWN else SIDEWAYS_SLOT
    if is_down:
        fall.held[what], fall.since[what] = key, 0
    elif fall.held[what] == key:
        fall.held[what] = NO_KEY


@compile_entry_with_memory(SIMD_SCRATCH_DTYPE, seconds=20)
def prepare_next_piece(memory: Array, games: GameRecords, falls: Array, setting: EngineSettings) -> None:
    """After a placement: let the next piece enter, or end the game if it may not or has no place, as without a clock.

    A piece that can be placed although it finds its entrance blocked stays out; the next key or frame ends the game.
    """
    game = games[0]
    fall = falls[0]
    rules = setting.rules[0]
    scratch = memory[0]
    fall.there, fall.wait = 0, 0
    deal_preview_any_randomiser(game, rules, scratch)
    if game.status == STATUS_PLAYING:
        piece = int(game.queue[0])
        free_entrance = can_spawn(game.board, rules, piece)
        may_enter = free_entrance or rules.game_over != END_SPAWN_BLOCKED
        if not may_enter or not has_placement(game.board, rules, piece, compute_gravity_interval(game, rules), scratch):
            game.status = STATUS_OVER
        elif free_entrance:
            spawn_piece(game, fall, rules)


@compile_entry_with_memory(SIMD_SCRATCH_DTYPE, seconds=25)
def perform_action(
    memory: Array, games: GameRecords, falls: Array, setting: EngineSettings, action: int, number: int
) -> int:
    """Do something in the first of the games: an action, with a key or a number of frames.

    Tells whether a key did anything, or how many frames have passed: no more than until a piece locks.
    """
    game = games[0]
    fall = falls[0]
    rules = setting.rules[0]
    scratch = memory[0]
    done, pieces = 0, game.pieces
    if action in (ACTION_PRESS, ACTION_KEY_DOWN) and game.status == STATUS_PLAYING:
        done = int(press_key(game, fall, rules, number, scratch))
    if action in (ACTION_KEY_DOWN, ACTION_KEY_UP) and number in (KEY_LEFT, KEY_RIGHT, KEY_DOWN):
        update_pressed_key(fall, number, action == ACTION_KEY_DOWN)
    if action == ACTION_TICK:
        while done < number and game.status == STATUS_PLAYING and game.pieces == pieces:
            advance_frame(game, fall, rules, scratch)
            done += 1
    elif action != ACTION_KEY_UP and game.pieces == pieces:
        spawn_or_lock(game, fall, rules, scratch)
    return done
