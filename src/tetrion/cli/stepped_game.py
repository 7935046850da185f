"""Any agent's game, a move at a time."""

from collections.abc import Callable, Generator
from typing import NamedTuple

from tetrion.agents import AnyAgent, PythonAgent, RandomKeysAgent, WeightedAgent
from tetrion.board import Placement
from tetrion.drawing.stack import Stack
from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.rules import Rules
from tetrion.evaluation.replay_steps import iterate_steps
from tetrion.game import Game
from tetrion.position import Position
from tetrion.replay import Replay


class SteppedGameState(NamedTuple):
    """A game after a move: what stands on its board, its counters, the pieces that are known, the last placement."""

    stack: Stack
    position: Position
    last_placement: Placement | None
    mode: str
    is_over: bool


class SteppedGame:
    """An agent's game. `view` is what is seen of it now; the next move is known already, so that nothing has to wait.

    Close it: an agent of a person's own has a process.
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
        """Whether there is no further move: the game is over, or has as many pieces as it may."""
        return self._next_state is None

    def make_move(self) -> bool:
        """Make a move; tells whether there was one."""
        if self._next_state is None:
            return False
        self.state = self._next_state
        self._next_state = next(self._states, None)
        return True

    def restart(self) -> "SteppedGame":
        """The same from the beginning."""
        self.close()
        return SteppedGame(self.agent, self.rules, self.seed, self.max_pieces)

    def close(self) -> None:
        """End whatever plays."""
        self._states.close()


GameStates = Generator[SteppedGameState, None, None]


def generate_states(agent: AnyAgent, rules: Rules, seed: int, max_pieces: int) -> GameStates:
    """The beginning of a game and then every move, until it is over or has so many pieces."""
    if isinstance(agent, RandomKeysAgent):
        yield from generate_by_keys(agent, rules, seed, max_pieces)
    elif isinstance(agent, PythonAgent):
        with agent.start_process() as child:
            child.begin_game(seed, 0)
            yield from generate_by_placements(child.choose, rules, seed, max_pieces)
    else:
        agent.get_engine_settings(rules)  # which says it in time if the rules show too few pieces
        yield from generate_by_placements(agent.choose, rules, seed, max_pieces, agent)


def generate_by_placements(
    choose: Callable[[Position], Placement],
    rules: Rules,
    seed: int,
    max_pieces: int,
    mode_agent: WeightedAgent | None = None,
) -> GameStates:
    """The game of whoever chooses placements."""
    game = Game(rules, seed)
    stack = Stack(height=rules.height)
    last = None
    while True:
        mode = mode_agent.get_mode_name(game.position) if mode_agent and not game.is_over else ""
        yield SteppedGameState(stack, game.position, last, mode, game.is_over)
        if game.is_over or game.pieces >= max_pieces:
            return
        last = choose(game.position)
        game.place(last)
        stack = stack.after_placement(last)


def generate_by_keys(agent: RandomKeysAgent, rules: Rules, seed: int, max_pieces: int) -> GameStates:
    """The game of whoever presses keys, which is soon lost; so it is played first, and then shown by its locks."""
    game = Game(rules, seed)
    agent.play(game, max_pieces, UNLIMITED)
    stack = Stack(height=rules.height)
    yield SteppedGameState(stack, Game(rules, seed).position, None, "", False)
    for step in iterate_steps(Replay.from_game(game)):
        stack = stack.after_placement(step.placement)
        yield SteppedGameState(stack, step.after, step.placement, "", game.is_over and step.number == game.pieces)
