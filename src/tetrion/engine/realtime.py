"""A game in real time: a falling piece, a clock of frames, and keys that are pressed, held and released."""

from typing import Any

import numpy as np

from tetrion.engine.choose import SIXTEEN, has_place
from tetrion.engine.compiler import compiled, compiled_apart, entry_with
from tetrion.engine.motion import DOWN, DROP, LEFT, RIGHT, SKY, Place, enters, entrance, moved, rests
from tetrion.engine.near import Scratch, settle_on_lanes
from tetrion.engine.pieces import TALL
from tetrion.engine.play import OVER, PLAYING, Games, Setting, commit, deal_any, interval_of
from tetrion.engine.rules import BY_GRAVITY, NO_ENTRY
from tetrion.engine.scoring import frames_to_entry
from tetrion.engine.words import Array

FALLING = np.dtype(
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
SIDEWAYS, DOWNWARDS = range(2)  # what can be held
NOTHING = -1

SETTLE, PRESS, HOLD, RELEASE, TICK = range(5)  # what can be done


@compiled
def place_of(fall: Any) -> Place:
    """Where the piece is."""
    return int(fall.place[0]), int(fall.place[1]), int(fall.place[2])


@compiled
def put(game: Any, fall: Any, rules: Any, place: Place) -> None:
    """Let the piece be there; frames of rest begin anew when it comes to rest lower than before."""
    fall.place[0], fall.place[1], fall.place[2] = place
    if rules.lock > 0 and place[2] < fall.lowest and rests(game.board, rules, int(game.queue[0]), place):
        fall.lowest, fall.rested = place[2], 0


@compiled_apart
def enter(game: Any, fall: Any, rules: Any) -> None:
    """Let the next piece enter, or end the game if it cannot."""
    piece = int(game.queue[0])
    if not enters(game.board, rules, piece):
        game.status = OVER
        return
    fall.there, fall.counted, fall.rested, fall.lowest = 1, 0, 0, SKY
    fall.interval = interval_of(game, rules)
    put(game, fall, rules, entrance(rules, piece))


@compiled_apart
def lock(game: Any, fall: Any, rules: Any, scratch: Scratch) -> None:
    """Fix the piece where it is, or end the game if it sticks out."""
    state, x, row = place_of(fall)
    orientation, lines = int(rules.orientation[game.queue[0], state]), game.lines
    fall.there = 0
    if row + TALL[orientation] > rules.rows:
        game.status = OVER
        return
    commit(settle_on_lanes, game, rules, (orientation, x, row))
    deal_any(game, rules, scratch)
    fall.wait = frames_to_entry(rules, row, game.lines - lines)


@compiled_apart
def press(game: Any, fall: Any, rules: Any, key: int, scratch: Scratch) -> bool:
    """Do what a key does; tells whether it did anything."""
    if not fall.there or not rules.key[key]:
        return False
    piece, before = int(game.queue[0]), place_of(fall)
    place = moved(game.board, rules, piece, before, key)
    put(game, fall, rules, place)
    if key == DOWN and place != before:
        game.score += rules.points_a_row
    if rules.locks[key] and (key == DROP or place == before):
        lock(game, fall, rules, scratch)
        return True
    return place != before


@compiled
def repeat(game: Any, fall: Any, rules: Any, what: int, delay: int, every: int, scratch: Scratch) -> None:
    """Count a frame for a key that is held, and press it again when its time has come."""
    key = int(fall.held[what])
    if key == NOTHING:
        return
    fall.since[what] += 1
    since = int(fall.since[what])
    if every > 0 and since >= delay and (since - delay) % every == 0:
        press(game, fall, rules, key, scratch)


@compiled
def settle(game: Any, fall: Any, rules: Any, scratch: Scratch) -> None:
    """Let in the next piece if it has not to wait, and lock it if it rests and may not wait."""
    if game.status == PLAYING and not fall.there and fall.wait == 0:
        enter(game, fall, rules)
    waits = not fall.there or rules.lock != 0 or not rests(game.board, rules, int(game.queue[0]), place_of(fall))
    if game.status == PLAYING and not waits:
        lock(game, fall, rules, scratch)


@compiled
def tick(game: Any, fall: Any, rules: Any, scratch: Scratch) -> None:
    """Let a frame pass: keys that are held, then gravity, then what has waited."""
    game.frames += 1
    waited = fall.there == 0
    repeat(game, fall, rules, SIDEWAYS, int(rules.repeat_delay), int(rules.repeat_every), scratch)
    repeat(game, fall, rules, DOWNWARDS, int(rules.down_every), int(rules.down_every), scratch)
    if waited:
        fall.wait = max(fall.wait - 1, 0)
    elif fall.there:
        fall_or_rest(game, fall, rules, scratch)
    settle(game, fall, rules, scratch)


@compiled
def fall_or_rest(game: Any, fall: Any, rules: Any, scratch: Scratch) -> None:
    """Let gravity and the lock delay count a frame."""
    piece, place = int(game.queue[0]), place_of(fall)
    resting = rests(game.board, rules, piece, place)
    if fall.interval > 0:
        fall.counted += 1
        if fall.counted >= fall.interval:
            fall.counted = 0
            if not resting:
                put(game, fall, rules, moved(game.board, rules, piece, place, DOWN))
            elif rules.lock == BY_GRAVITY:
                lock(game, fall, rules, scratch)
                return
    if rules.lock > 0 and resting:
        fall.rested += 1
        if fall.rested >= rules.lock:
            lock(game, fall, rules, scratch)


@compiled
def hold(fall: Any, key: int, down: bool) -> None:
    """Note that a key goes down or up; of left and right the one that was pressed last counts."""
    what = DOWNWARDS if key == DOWN else SIDEWAYS
    if down:
        fall.held[what], fall.since[what] = key, 0
    elif fall.held[what] == key:
        fall.held[what] = NOTHING


@entry_with(SIXTEEN, seconds=20)
def prepare_next(memory: Array, games: Games, falls: Array, setting: Setting) -> None:
    """After a placement: let the next piece enter, or end the game if it may not or has no place, as without a clock.

    A piece that can be placed although it finds its entrance blocked stays out; the next key or frame ends the game.
    """
    game, fall, rules, scratch = games[0], falls[0], setting.rules[0], memory[0]
    fall.there, fall.wait = 0, 0
    deal_any(game, rules, scratch)
    if game.status == PLAYING:
        piece = int(game.queue[0])
        free_entrance = enters(game.board, rules, piece)
        may_enter = free_entrance or rules.over != NO_ENTRY
        if not may_enter or not has_place(game.board, rules, piece, interval_of(game, rules), scratch):
            game.status = OVER
        elif free_entrance:
            enter(game, fall, rules)


@entry_with(SIXTEEN, seconds=25)
def act(memory: Array, games: Games, falls: Array, setting: Setting, action: int, number: int) -> int:
    """Do something in the first of the games: an action, with a key or a number of frames.

    Tells whether a key did anything, or how many frames have passed: no more than until a piece locks.
    """
    game, fall, rules, scratch = games[0], falls[0], setting.rules[0], memory[0]
    done, pieces = 0, game.pieces
    if action in (PRESS, HOLD) and game.status == PLAYING:
        done = int(press(game, fall, rules, number, scratch))
    if action in (HOLD, RELEASE) and number in (LEFT, RIGHT, DOWN):
        hold(fall, number, action == HOLD)
    if action == TICK:
        while done < number and game.status == PLAYING and game.pieces == pieces:
            tick(game, fall, rules, scratch)
            done += 1
    elif action != RELEASE and game.pieces == pieces:
        settle(game, fall, rules, scratch)
    return done
