"""A game of any agent, one move at a time."""

from collections.abc import Callable, Generator
from typing import NamedTuple

from tetrion.agents import AnyAgent, PythonAgent, RandomKeysAgent, WeightedAgent
from tetrion.board import Placement
from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.rules import Rules
from tetrion.evaluation.replay_steps import iterate_steps
from tetrion.game import Game
from tetrion.position import Position
from tetrion.replay import Replay
from tetrion.stack import Stack


class SteppedGameState(NamedTuple):
    """A game after a move; `mode` is the agent's mode, or empty."""

    stack: Stack
    position: Position
    last_placement: Placement | None
    mode: str
    is_over: bool


class SteppedGame:
    """A game of an agent that advances one move per call of `make_move`.

    The next state is always computed in advance. Call `close` at the end: a Python agent runs in its own process.
    """

    def __init__(self, agent: AnyAgent, rules: Rules, seed: int, max_pieces: int = UNLIMITED) -> None:
        self.agent = agent
        self.rules = rules
        self.seed = seed
        self.max_pieces = max_pieces
        self._states = generate_states(agent, rules, seed, max_pieces)
        self.state = next(self._states)
        self._next_state = next(self._states, None)

    @property
    def is_finished(self) -> bool:
        """Whether there is no further move: the game is over or has reached its maximum number of pieces."""
        return self._next_state is None

    def make_move(self) -> bool:
        """Make a move; return False if there is none."""
        if self._next_state is None:
            return False
        self.state = self._next_state
        self._next_state = next(self._states, None)
        return True

    def restart(self) -> "SteppedGame":
        """Close this game and return a new one with the same pieces."""
        self.close()
        return SteppedGame(self.agent, self.rules, self.seed, self.max_pieces)

    def close(self) -> None:
        """End the agent's process, if it has one."""
        self._states.close()


GameStates = Generator[SteppedGameState, None, None]


def generate_states(agent: AnyAgent, rules: Rules, seed: int, max_pieces: int) -> GameStates:
    """Yield the initial state and the state after every move, until the game is over or has `max_pieces` pieces."""
    if isinstance(agent, RandomKeysAgent):
        yield from generate_by_keys(agent, rules, seed, max_pieces)
    elif isinstance(agent, PythonAgent):
        with agent.start_process() as process:
            process.begin_game(seed, 0)
            yield from generate_by_placements(process.choose, rules, seed, max_pieces)
    else:
        agent.get_engine_settings(rules)  # raises an error if the preview is too short for the agent
        yield from generate_by_placements(agent.choose, rules, seed, max_pieces, agent)


def generate_by_placements(
    choose: Callable[[Position], Placement],
    rules: Rules,
    seed: int,
    max_pieces: int,
    mode_agent: WeightedAgent | None = None,
) -> GameStates:
    """Yield the states of a game in which `choose` chooses the placements."""
    game = Game(rules, seed)
    last_placement = None
    while True:
        mode = mode_agent.get_mode_name(game.position) if mode_agent and not game.is_over else ""
        yield SteppedGameState(game.stack, game.position, last_placement, mode, game.is_over)
        if game.is_over or game.pieces >= max_pieces:
            return
        last_placement = choose(game.position)
        game.place(last_placement)


def generate_by_keys(agent: RandomKeysAgent, rules: Rules, seed: int, max_pieces: int) -> GameStates:
    """Yield the states of a game of random keys, one per locked piece.

    The game is played to its end before the first state; games of random keys are short.
    """
    game = Game(rules, seed)
    agent.play(game, max_pieces, UNLIMITED)
    stack = Stack(height=rules.height)
    yield SteppedGameState(stack, Game(rules, seed).position, None, "", False)
    for step in iterate_steps(Replay.from_game(game)):
        stack = stack.after_placement(step.placement)
        yield SteppedGameState(stack, step.after, step.placement, "", game.is_over and step.number == game.pieces)
