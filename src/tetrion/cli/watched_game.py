"""A game that is watched in the terminal, one move at a time."""

from contextlib import ExitStack
from typing import NamedTuple

from tetrion.agents.agent import Agent
from tetrion.agents.stepped_game import DecisionEvent, EndEvent, PieceEvent, PlacementEvent, step_game
from tetrion.board import Placement
from tetrion.game import Game
from tetrion.game_facts import describe_action
from tetrion.position import Position
from tetrion.stack import Stack

_ACTION_MOVES = 4  # moves for which an action text is shown


class WatchedState(NamedTuple):
    """A game after a move; `mode` is the agent's mode, or empty. `action` is the last action text."""

    stack: Stack
    position: Position
    last_placement: Placement | None = None
    mode: str = ""
    is_over: bool = False
    attack: int = 0
    action: tuple[str, ...] = ()
    action_moves: int = 0  # for which the action text has been shown


class WatchedGame:
    """A game of an agent that advances one move per call of `make_move`; call `close` at the end."""

    def __init__(self, agent: Agent, game: Game, max_pieces: int) -> None:
        self.agent = agent
        self.rules = game.rules
        self.seed = game.seed
        self.game = game
        self.max_pieces = max_pieces
        self.is_finished = False  # whether there is no further move
        self.state = WatchedState(game.stack, game.position)
        self._resources = ExitStack()
        self._events = step_game(self._resources.enter_context(agent.start_player()), game, max_pieces)
        self._advance_to_decision()

    def make_move(self) -> bool:
        """Make a move and wait for the next decision; return False if there is no further move."""
        if self.is_finished:
            return False
        self._advance_to_decision()
        return True

    def _advance_to_decision(self) -> None:
        for event in self._events:
            if isinstance(event, PlacementEvent):
                self.state = self.state._replace(
                    stack=self.game.stack, last_placement=event.placement, attack=self.game.attack
                )
                self._update_action(event)
            elif isinstance(event, PieceEvent):
                self.state = self.state._replace(position=event.position)
            elif isinstance(event, DecisionEvent):
                self.state = self.state._replace(mode=event.decision.mode)
                return
            elif isinstance(event, EndEvent):
                self.state = self.state._replace(position=event.position, is_over=event.is_over)
                self.is_finished = True

    def _update_action(self, event: PlacementEvent) -> None:
        """Show the action text of a placement, or the former one for some moves."""
        lines = describe_action(event.locked_piece, event.position)
        shown = 0 if lines else self.state.action_moves + 1
        action = lines or (self.state.action if shown < _ACTION_MOVES else ())
        self.state = self.state._replace(action=action, action_moves=shown)

    def restart(self) -> "WatchedGame":
        """Close this game and return a new one with the same pieces."""
        self.close()
        return WatchedGame(self.agent, Game(self.rules, self.seed), self.max_pieces)

    def close(self) -> None:
        """End the agent's process, if it has one."""
        self._resources.close()
