"""An agent that decides beside the window: asked in one frame, heard in a later one, and never waited for."""

import threading
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from time import perf_counter

from tetrion.agents import AnyAgent, DataAgent, Explanation, OwnAgent, RandomKeys, load
from tetrion.app.problems import keep_problem
from tetrion.board import Placement
from tetrion.engine.compiler import compiling
from tetrion.engine.motion import KEYS
from tetrion.errors import AgentError, PlacementError, TetrionError
from tetrion.game import Game
from tetrion.position import Position

PREPARING = "Preparing the engine, once after installing. About half a minute."


@dataclass(frozen=True)
class Decision:
    """What an agent has decided in a position: where to, why (if that was asked and it can tell), and how to get there.

    `path` is where the piece is after each of the keys.
    """

    position: Position
    placement: Placement
    mode: str
    explanation: Explanation | None
    keys: tuple[str, ...]
    path: tuple[Placement, ...]
    seconds: float


class Decider:
    """A thread that loads an agent and lets it decide; a mistake in the agent is a text in `problem`."""

    def __init__(self, agent: AnyAgent | str | Path) -> None:
        self.name = agent if isinstance(agent, str) else agent.name
        self.agent: AnyAgent | None = None
        self.problem = ""
        self.preparing = False  # whether a part of the engine is being compiled
        self.waiting = False
        self._asked: SimpleQueue[tuple[Position, int] | None] = SimpleQueue()
        self._told: SimpleQueue[Decision] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, args=(agent,), name="tetrion-decides", daemon=True)
        self._thread.start()

    def ask(self, position: Position, best: int = 0) -> None:
        """Ask what to do in a position, with reasons for so many of the best placements."""
        self.waiting = True
        self._asked.put((position, best))

    def take(self) -> Decision | None:
        """The newest decision that has not been taken yet."""
        newest = None
        while True:
            try:
                newest = self._told.get_nowait()
            except Empty:
                return newest

    def close(self) -> None:
        """Ask nothing more; whatever is under way ends by itself."""
        self._asked.put(None)

    def _work(self, agent: AnyAgent | str | Path) -> None:
        try:
            with compiling(self._prepares):
                self.agent = load(agent) if isinstance(agent, str | Path) else agent
                if isinstance(self.agent, OwnAgent):
                    self.agent.check()
                while asked := self._asked.get():
                    while not self._asked.empty():  # an older question interests nobody any more
                        newer = self._asked.get()
                        if newer is None:
                            return
                        asked = newer
                    self._told.put(decided(self.agent, *asked))
                    self.waiting = self.preparing = False
        except TetrionError as mistake:
            self.problem = str(mistake)
        except Exception as problem:  # whatever an agent does, the window goes on
            self.problem = f"{self.name} has failed: {problem!r}. Details are in {keep_problem(problem)}."
        finally:
            self.waiting = False
            if isinstance(self.agent, OwnAgent):
                self.agent.close()

    def _prepares(self, function: str) -> None:
        self.preparing = True


def decided(agent: AnyAgent, position: Position, best: int) -> Decision:
    """What an agent decides, and why."""
    begun = perf_counter()
    if isinstance(agent, RandomKeys):
        raise AgentError(f"{agent.name} presses keys without deciding where to go.")
    placement = position.checked(agent.choose(position))
    data = agent if isinstance(agent, DataAgent) else None
    seconds = perf_counter() - begun
    explanation = data.explain(position, best) if data and best else None
    keys, path = way(position, placement)
    return Decision(position, placement, data.mode(position) if data else "", explanation, keys, path, seconds)


def way(position: Position, placement: Placement) -> tuple[tuple[str, ...], tuple[Placement, ...]]:
    """The keys that bring a piece to a place, and where it is after each; nothing where there is no way by keys."""
    try:
        keys = position.keys(placement)
        free = position.rules.with_(keys="+".join(KEYS), lock_keys="none", gravity=0, entry_delay=0, clear_delay=0)
        game = Game.from_position(Position.of(position.board, placement.piece, position.next, free))
    except (PlacementError, TetrionError):
        return (), ()
    path = []
    for key in keys:
        game.press(key)
        if game.falling is None:
            break
        path.append(game.falling)
    return keys, tuple(path)
