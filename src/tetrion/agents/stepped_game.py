"""A game of an agent as a stream of events, for everything that shows or examines a game piece by piece."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tetrion.agents.agent import Agent, Chooser, Decision, Player
from tetrion.agents.agent_loading import as_agent
from tetrion.agents.weighted_agent import as_weighted_agent, get_agent_settings, raise_feature_errors
from tetrion.board import Placement
from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.records import FullGameRecord
from tetrion.engine.rules import Rules
from tetrion.game import Game, copy_game_record, play_compiled, watch_locks
from tetrion.position import Position, read_position
from tetrion.stack import LockedPiece


class PieceEvent(NamedTuple):
    """A new piece is to be placed in this position."""

    position: Position


class DecisionEvent(NamedTuple):
    """The player has decided."""

    decision: Decision


class KeyEvent(NamedTuple):
    """The player has pressed a key in the game; players that choose placements press none."""

    key: str
    game: Game

    @property
    def piece(self) -> Placement | None:
        """The falling piece after the key, until the next event; None between two pieces."""
        return self.game.falling_piece


@dataclass(frozen=True)
class PlacementEvent:
    """A piece has locked; full rows are not removed yet. `record` is the engine's record of the game at this moment."""

    locked_piece: LockedPiece
    record: FullGameRecord
    rules: Rules

    @property
    def placement(self) -> Placement:
        """The placement of the piece."""
        return self.locked_piece.placement

    @property
    def position(self) -> Position:
        """The position after the placement, with the next pieces that the player had seen."""
        return read_position(self.record, self.rules, self.rules.preview)


class ClearEvent(NamedTuple):
    """Full rows have been removed."""

    locked_piece: LockedPiece


class EndEvent(NamedTuple):
    """The game is over, or has reached its maximum number of pieces or lines."""

    position: Position
    is_over: bool


PlayEvent = PieceEvent | DecisionEvent | KeyEvent | PlacementEvent | ClearEvent | EndEvent


@dataclass
class ExplanationRequest:
    """How many placements a player explains with its next decisions; may be changed during a game.

    `on_candidate` is called before each of them is computed.
    """

    count: int = 0
    on_candidate: Callable[[], None] = lambda: None


def step_game(
    player: Player,
    game: Game,
    max_pieces: int = UNLIMITED,
    max_lines: int = UNLIMITED,
    explanations: ExplanationRequest | None = None,
) -> Iterator[PlayEvent]:
    """Play a game and yield its events, until it is over or has reached a maximum."""
    request = explanations or ExplanationRequest()
    locks = list[PlacementEvent]()
    player.begin_game(game)
    while not game.is_over and game.pieces < max_pieces and game.lines < max_lines:
        yield PieceEvent(game.position)
        decision = player.decide(game.position, request.count, request.on_candidate)
        yield DecisionEvent(decision)
        locks.clear()
        with watch_locks(game, lambda piece: locks.append(PlacementEvent(piece, copy_game_record(game), game.rules))):
            for key in player.play_piece(game, decision):
                yield KeyEvent(key, game)
        for event in locks:
            yield event
            if event.locked_piece.full_rows:
                yield ClearEvent(event.locked_piece)
    yield EndEvent(game.position, game.is_over)


def play_pieces(agent: Agent | Chooser | str | Path, game: Game, pieces: int = UNLIMITED) -> int:
    """Let an agent place up to `pieces` pieces in a game and return how many it placed."""
    loaded_agent = as_agent(agent)
    loaded_agent.check_rules(game.rules)
    before = game.pieces
    # Steered pieces can miss their targets, which the events of the game keep.
    if game.rules.movement != "steered" and (compiled_agent := as_weighted_agent(loaded_agent)):
        placed = play_compiled(game, get_agent_settings(compiled_agent, game.rules), pieces)
        raise_feature_errors(compiled_agent)
        return placed
    with loaded_agent.start_player() as player:
        for _ in step_game(player, game, before + pieces):
            pass
    return game.pieces - before
