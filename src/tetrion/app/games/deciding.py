"""An agent that decides beside the window: asked in one frame, heard in a later one, and never waited for."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import NamedTuple

from tetrion.agents import AnyAgent, DataAgent, Explanation, OwnAgent, RandomKeys, load
from tetrion.agents.own.running import Child
from tetrion.app.problems import keep_problem
from tetrion.app.readiness import engine
from tetrion.app.turn import rest
from tetrion.board import Placement
from tetrion.drawing.ways import way
from tetrion.errors import AgentError, TetrionError
from tetrion.position import Position


class Step(NamedTuple):
    """A key on the way, or as many of them as let the piece fall; and where it is then."""

    key: str
    place: Placement


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

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The way as a person would go it: rows downwards one after another are one step, the last one a drop."""
        steps: list[Step] = []
        for key, place in zip(self.keys, self.path, strict=False):
            if key == "down" and steps and steps[-1].key == "down":
                steps.pop()
            steps.append(Step(key, place))
        if steps and steps[-1].key == "down":
            steps[-1] = Step("drop", steps[-1].place)
        return tuple(steps)


class Question(NamedTuple):
    """What an agent is asked; the seed of the game is for a person's own agent, whose chance depends on it."""

    number: int
    position: Position
    best: int
    seed: int


Job = Callable[[], None]


class Decider:
    """A thread that loads an agent and lets it decide; a mistake in the agent is a text in `problem`.

    Whatever an agent does happens in this thread, so that an agent that remembers is asked once a move.
    """

    def __init__(self, agent: AnyAgent | str | Path) -> None:
        self.name = agent if isinstance(agent, str) else agent.name
        self.agent: AnyAgent | None = None
        self.problem = ""
        self._working = False
        self._child: Child | None = None
        self._closed = False
        self._last, self._answered = 0, 0  # numbers of questions
        self._asked: SimpleQueue[Question | Job | None] = SimpleQueue()
        self._told: SimpleQueue[Decision] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, args=(agent,), name="tetrion-decides", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> bool:
        """Whether a question has not been answered yet."""
        return self._answered < self._last and not self.problem

    @property
    def preparing(self) -> bool:
        """Whether it waits for a part of the engine that is being compiled, for it or for somebody else."""
        return engine().compiles and (self.waiting or self._working) and not self.problem

    def ask(self, position: Position, best: int = 0, seed: int = 0) -> None:
        """Ask what to do in a position, with reasons for so many of the best placements."""
        self._last += 1
        self._asked.put(Question(self._last, position, best, seed))

    def run(self, job: Job) -> None:
        """Let something be done in the thread, once all questions are answered."""
        self._asked.put(job)

    def take(self) -> Decision | None:
        """The newest decision that has not been taken yet."""
        newest = None
        while True:
            try:
                newest = self._told.get_nowait()
            except Empty:
                return newest

    def close(self) -> None:
        """Ask nothing more; a person's own agent that is still thinking is ended, whatever it does."""
        self._closed = True
        self._asked.put(None)
        if self._child is not None:
            threading.Thread(target=self._child.close, name="tetrion-ends", daemon=True).start()

    # In the thread.

    def choose(self, position: Position, seed: int = 0) -> Placement:
        """The agent's choice; its own chance begins anew with every game, as when games are counted."""
        agent = self.agent
        if isinstance(agent, OwnAgent) and self._child is not None:
            if position.pieces == 0:
                self._child.begin(seed)
            return self._child.choose(position)
        if agent is None or isinstance(agent, RandomKeys):
            raise AgentError(f"{self.name} presses keys without deciding where to go.")
        return agent.choose(position)

    def decided(self, position: Position, best: int = 0, seed: int = 0) -> Decision:
        """What the agent decides, and why."""
        begun = perf_counter()
        placement = position.checked(self.choose(position, seed))
        return self.reasoned(position, placement, best, perf_counter() - begun)

    def reasoned(self, position: Position, placement: Placement, best: int = 0, seconds: float = 0) -> Decision:
        """A decision that has been made, with its reasons and its way."""
        data = self.agent if isinstance(self.agent, DataAgent) else None
        explanation = data.explain(position, best, rest) if data and best else None
        keys, path = way(position, placement)
        return Decision(position, placement, data.mode(position) if data else "", explanation, keys, path, seconds)

    def tell(self, decision: Decision) -> None:
        """Let a decision be taken."""
        self._told.put(decision)

    def _work(self, agent: AnyAgent | str | Path) -> None:
        try:
            self.agent = self._ready(load(agent) if isinstance(agent, str | Path) else agent)
            while (asked := self._newest()) is not None:
                if isinstance(asked, Question):
                    self.tell(self.decided(*asked[1:]))
                    self._answered = asked.number
                else:
                    self._working = True
                    asked()
                    self._working = False
        except TetrionError as mistake:
            self.problem = "" if self._closed else str(mistake)
        except Exception as problem:  # whatever an agent does, the window goes on
            self.problem = f"{self.name} has failed: {problem!r}. Details are in {keep_problem(problem)}."
        finally:
            if self._child is not None:
                self._child.close()

    def _ready(self, agent: AnyAgent) -> AnyAgent:
        """An agent that can be asked; a person's own has a process, in which a mistake of its class shows at once."""
        if isinstance(agent, OwnAgent) and not self._closed:
            self._child = agent.start()
            self._child.begin()
        return agent

    def _newest(self) -> Question | Job | None:
        """The next thing to do; a question that is not the last one interests nobody any more."""
        asked = self._asked.get()
        while isinstance(asked, Question) and not self._asked.empty():
            asked = self._asked.get()
        return asked
