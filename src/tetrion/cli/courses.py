"""Any agent's game, a move at a time."""

from collections.abc import Callable, Generator
from typing import NamedTuple

from tetrion.agents import AnyAgent, DataAgent, OwnAgent, RandomKeys
from tetrion.board import Placement
from tetrion.drawing.stack import Stack
from tetrion.engine.play import UNLIMITED
from tetrion.engine.rules import Rules
from tetrion.evaluation.moves import steps
from tetrion.game import Game
from tetrion.position import Position
from tetrion.replay import Replay


class View(NamedTuple):
    """A game after a move: what stands on its board, its counters, the pieces that are known, the last placement."""

    stack: Stack
    position: Position
    last: Placement | None
    mode: str
    over: bool


class Course:
    """An agent's game. `view` is what is seen of it now; the next move is known already, so that nothing has to wait.

    Close it: an agent of a person's own has a process.
    """

    def __init__(self, agent: AnyAgent, rules: Rules, seed: int, most_pieces: int = UNLIMITED) -> None:
        self.agent, self.rules, self.seed, self.most_pieces = agent, rules, seed, most_pieces
        self._views = views(agent, rules, seed, most_pieces)
        self.view = next(self._views)
        self._next = next(self._views, None)

    @property
    def ended(self) -> bool:
        """Whether there is no further move: the game is over, or has as many pieces as it may."""
        return self._next is None

    def move(self) -> bool:
        """Make a move; tells whether there was one."""
        if self._next is None:
            return False
        self.view, self._next = self._next, next(self._views, None)
        return True

    def again(self) -> "Course":
        """The same from the beginning."""
        self.close()
        return Course(self.agent, self.rules, self.seed, self.most_pieces)

    def close(self) -> None:
        """End whatever plays."""
        self._views.close()


Views = Generator[View, None, None]


def views(agent: AnyAgent, rules: Rules, seed: int, most_pieces: int) -> Views:
    """The beginning of a game and then every move, until it is over or has so many pieces."""
    if isinstance(agent, RandomKeys):
        yield from by_keys(agent, rules, seed, most_pieces)
    elif isinstance(agent, OwnAgent):
        with agent.start() as child:
            child.begin(seed, 0)
            yield from by_placements(child.choose, rules, seed, most_pieces)
    else:
        agent.setting(rules)  # which says it in time if the rules show too few pieces
        yield from by_placements(agent.choose, rules, seed, most_pieces, agent)


def by_placements(
    choose: Callable[[Position], Placement], rules: Rules, seed: int, most_pieces: int, modes: DataAgent | None = None
) -> Views:
    """The game of whoever chooses placements."""
    game, stack, last = Game(rules, seed), Stack(height=rules.height), None
    while True:
        mode = modes.mode(game.position) if modes and not game.over else ""
        yield View(stack, game.position, last, mode, game.over)
        if game.over or game.pieces >= most_pieces:
            return
        last = choose(game.position)
        game.place(last)
        stack = stack.after(last)


def by_keys(agent: RandomKeys, rules: Rules, seed: int, most_pieces: int) -> Views:
    """The game of whoever presses keys, which is soon lost; so it is played first, and then shown by its locks."""
    game = Game(rules, seed)
    agent.play(game, most_pieces, UNLIMITED)
    stack = Stack(height=rules.height)
    yield View(stack, Game(rules, seed).position, None, "", False)
    for step in steps(Replay.of(game)):
        stack = stack.after(step.placement)
        yield View(stack, step.after, step.placement, "", game.over and step.number == game.pieces)
