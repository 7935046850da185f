"""Environments with placement actions: each action is a rotation and a column, and the environment drops the piece."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from benchmarks.cross_checks.check_counts import (
    BOARDS,
    ENDS,
    EXTRA_ACTIONS,
    GAINS,
    MISSING_ACTIONS,
    MOVES,
    CheckCounts,
)
from tetrion import Board, Placement, Position, Rules
from tetrion.engine.pieces import PIECE_OF_ORIENTATION, PIECES
from tetrion.engine.rotation_systems import find_corner, find_orientation

Reply = dict[str, Any]
AskFunction = Callable[[str, Any], Reply]  # sends a method and its argument to the host of an environment
ChooseFunction = Callable[[Position], Placement]


class PlacementAction(NamedTuple):
    """An action of an environment: its numbers, and the piece that it drops, as the engine describes it."""

    rotation: int
    column: int
    orientation: int  # the engine's number
    left: int  # the column of the leftmost cell
    is_legal: bool

    def leads_to(self, placement: Placement) -> bool:
        """Return whether the action drops a piece in the orientation and column of a placement."""
        return (self.orientation, self.left) == (placement.orientation, placement.column)


def read_position(reply: Reply, rules: Rules) -> Position:
    """Return the position that an environment shows."""
    piece = PIECES[PIECE_OF_ORIENTATION[find_orientation(reply["shapes"][0])]]
    return Position.from_board(Board.from_text(reply["grid"], rules.rows), piece, rules=rules)


def list_actions(reply: Reply) -> Iterator[PlacementAction]:
    """Yield all actions of an environment, legal or not."""
    for rotation, (shape, mask) in enumerate(zip(reply["shapes"], reply["mask"], strict=True)):
        orientation = find_orientation(shape)
        first_left = reply["first_column"] + find_corner(shape)[0]
        for column, is_legal in enumerate(mask):
            yield PlacementAction(rotation, column, orientation, first_left + column, is_legal)


def compare_actions(position: Position, actions: list[PlacementAction], counts: CheckCounts) -> None:
    """Compare which actions are legal in the environment and in the engine."""
    drops = {(placement.orientation, placement.column) for placement in position.placements()}
    for action in actions:
        is_legal_here = (action.orientation, action.left) in drops
        counts.compare(EXTRA_ACTIONS, action.is_legal and not is_legal_here, False)
        counts.compare(MISSING_ACTIONS, is_legal_here and not action.is_legal, False)


def is_over(position: Position) -> bool:
    """Return whether the game is over in a position under its rules."""
    return not position.can_spawn or not position.placements()


def check_placement_game(
    ask: AskFunction, seed: int, choose: ChooseFunction, *, rules: Rules, time_limit: int | None, counts: CheckCounts
) -> None:
    """Play a game in an environment, which may end it at a time limit, and compare every move with the engine."""
    reply = ask("reset", seed)
    position = read_position(reply, rules)
    gained = 0.0
    moves = 0
    while not reply["is_over"]:
        actions = list(list_actions(reply))
        compare_actions(position, actions, counts)
        placement = choose(position)
        action = next((action for action in actions if action.is_legal and action.leads_to(placement)), None)
        counts.compare(MOVES, action is None, False)
        if action is None:
            break
        reply = ask("step", (action.rotation, action.column))
        expected = position.after(placement)
        position, previous = read_position(reply, rules), position
        moves += 1
        gained += reply["gain"]
        counts.compare(BOARDS, position.board, expected.board)
        counts.compare(GAINS, reply["gain"], expected.score - previous.score)
        counts.compare(ENDS, reply["is_over"], is_over(position) or moves == time_limit)
    counts.returns.append(gained)
