"""The time that a decision takes: what can still be reached, and by which keys, under the rules of `timed` movement."""

from collections.abc import Iterator
from dataclasses import replace

from tetrion.agents.player import KeyStep
from tetrion.board import Placement
from tetrion.engine.rules import MAX_RULE_FRAMES
from tetrion.game import Game
from tetrion.position import Position


def add_decision_time(position: Position, frames: int) -> Position:
    """Return a position under `timed` movement whose first key can be pressed `frames` frames after the spawn."""
    rules = position.rules
    lock_delay = 0 if rules.lock_delay == 0 else "gravity"  # timed movement allows no others
    return replace(position, rules=rules.with_(movement="timed", lock_delay=lock_delay, thinking_frames=frames))


def is_decision_in_time(position: Position, frames: int) -> bool:
    """Return whether every placement of a position can still be reached after a decision that takes `frames` frames."""
    if frames > MAX_RULE_FRAMES:
        return False
    return set(position.placements()) <= set(add_decision_time(position, frames).placements())


def find_keys_after_decision(position: Position, placement: Placement, frames: int) -> tuple[KeyStep, ...]:
    """Return the steps to a placement after a decision that takes `frames` frames, in which the piece falls.

    The first step starts where the piece is after the decision. As in `Position.find_keys`, each row is a step down,
    whether a key or gravity makes it. The placement must be reachable in time, see `is_decision_in_time`.
    """
    timed_position = add_decision_time(position, frames)
    timed_keys = timed_position.find_timed_keys(placement)
    game = Game.from_position(timed_position)
    game.tick(frames)
    piece = locate_piece(game, placement)
    steps = list[KeyStep]()
    for frame, key in timed_keys:
        game.tick(position.frames + frame - game.frames)
        steps += step_down(piece, locate_piece(game, placement))
        game.press(key)
        piece = locate_piece(game, placement)
        steps.append(KeyStep(key, piece))
    return (*steps, *step_down(piece, placement))


def locate_piece(game: Game, placement: Placement) -> Placement:
    """Return the falling piece of a game; once it has locked, its placement."""
    return placement if game.placements_made else game.falling_piece or placement


def step_down(start: Placement, end: Placement) -> Iterator[KeyStep]:
    """Yield the rows from one location of a piece to a lower one."""
    for row in range(start.row - 1, end.row - 1, -1):
        yield KeyStep("down", replace(start, row=row))
