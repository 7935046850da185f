"""A replay as a sequence of moves: the position before, the placement, and the position after."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from tetrion.agents.replay_agent import ReplayAgent
from tetrion.agents.stepped_game import PlacementEvent, step_game
from tetrion.board import Placement
from tetrion.game import Game
from tetrion.position import Position
from tetrion.replay import GameEvent, Replay
from tetrion.stack import LockedPiece


class ReplayStep(NamedTuple):
    """A move: the position before it, the placement, the position after it, and its keys if it was in real time.

    The keys are those pressed since the previous lock, each with its frame. The position after the move has the board,
    the counters and the next pieces that the player had seen.
    """

    number: int
    before: Position
    locked_piece: LockedPiece
    after: Position
    keys: tuple[GameEvent, ...]

    @property
    def placement(self) -> Placement:
        """The placement of the piece."""
        return self.locked_piece.placement


def iterate_steps(replay: Replay) -> Iterator[ReplayStep]:
    """Yield the moves of a replay; a `ReplayError` names the first move that does not match the recording."""
    game = Game(replay.rules, replay.seed, replay.number)
    before = game.position
    event_count = 0
    with ReplayAgent(replay).start_player() as player:
        for event in step_game(player, game, len(replay.placements)):
            if isinstance(event, PlacementEvent):
                after = event.position
                seen = find_position_before(before, event.placement, after)
                keys = tuple(game.events[event_count:]) if replay.key_events is not None else ()
                yield ReplayStep(after.pieces, seen, event.locked_piece, after, keys)
                before = after
                event_count = len(game.events)
        player.finish()


def find_position_before(previous: Position, placement: Placement, after: Position) -> Position:
    """Return the position in which a player made a placement; `previous` is the one after the placement before."""
    next_pieces = (after.piece or "") + after.next
    if not placement.hold:
        return replace(previous, piece=placement.piece, next=next_pieces, bag=after.bag)
    if not previous.hold:  # the piece was the first of the preview; in real time, hold then reveals another one
        next_pieces = (placement.piece + next_pieces)[: previous.rules.preview]
    return replace(previous, piece=after.hold, next=next_pieces, bag=after.bag)
