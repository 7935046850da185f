"""An agent that decides beside the window: asked in one frame, heard in a later one, and never waited for."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import NamedTuple

from tetrion.agents import AnyAgent, Explanation, PythonAgent, RandomKeysAgent, WeightedAgent, load_agent
from tetrion.agents.python_agent.agent_process import AgentProcess
from tetrion.app.crash_log import log_crash
from tetrion.app.engine_loading import get_engine_loader
from tetrion.app.frame_priority import wait_while_drawing
from tetrion.board import Placement
from tetrion.drawing.piece_path import find_piece_path
from tetrion.errors import AgentError, TetrionError
from tetrion.position import Position


class PathStep(NamedTuple):
    """A key on the way, or as many of them as let the piece fall; and where it is then."""

    key: str
    placement: Placement


@dataclass(frozen=True)
class AgentDecision:
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
    def steps(self) -> tuple[PathStep, ...]:
        """The way as a person would go it: rows downwards one after another are one step, the last one a drop."""
        steps: list[PathStep] = []
        for key, place in zip(self.keys, self.path, strict=False):
            if key == "down" and steps and steps[-1].key == "down":
                steps.pop()
            steps.append(PathStep(key, place))
        if steps and steps[-1].key == "down":
            steps[-1] = PathStep("drop", steps[-1].placement)
        return tuple(steps)


class AgentRequest(NamedTuple):
    """What an agent is asked; the seed of the game is for a person's own agent, whose chance depends on it."""

    number: int
    position: Position
    explained_count: int
    seed: int


BackgroundJob = Callable[[], None]


class BackgroundAgent:
    """A thread that loads an agent and lets it decide; a mistake in the agent is a text in `problem`.

    Whatever an agent does happens in this thread, so that an agent that remembers is asked once a move.
    """

    def __init__(self, agent: AnyAgent | str | Path) -> None:
        self.name = agent if isinstance(agent, str) else agent.name
        self.agent: AnyAgent | None = None
        self.problem = ""
        self._is_running_job = False
        self._agent_process: AgentProcess | None = None
        self._is_closed = False
        # numbers of questions
        self._last_request = 0
        self._last_answered = 0
        self._requests: SimpleQueue[AgentRequest | BackgroundJob | None] = SimpleQueue()
        self._decisions: SimpleQueue[AgentDecision] = SimpleQueue()
        self._thread = threading.Thread(target=self._run_thread, args=(agent,), name="tetrion-decides", daemon=True)
        self._thread.start()

    @property
    def is_waiting(self) -> bool:
        """Whether a question has not been answered yet."""
        return self._last_answered < self._last_request and not self.problem

    @property
    def is_compiling(self) -> bool:
        """Whether it waits for a part of the engine that is being compiled, for it or for somebody else."""
        return get_engine_loader().is_compiling and (self.is_waiting or self._is_running_job) and not self.problem

    def ask(self, position: Position, explained_count: int = 0, seed: int = 0) -> None:
        """Ask what to do in a position, with reasons for so many of the best placements."""
        self._last_request += 1
        self._requests.put(AgentRequest(self._last_request, position, explained_count, seed))

    def run_job(self, job: BackgroundJob) -> None:
        """Let something be done in the thread, once all questions are answered."""
        self._requests.put(job)

    def take_decision(self) -> AgentDecision | None:
        """The newest decision that has not been taken yet."""
        newest = None
        while True:
            try:
                newest = self._decisions.get_nowait()
            except Empty:
                return newest

    def close(self) -> None:
        """Ask nothing more; a person's own agent that is still thinking is ended, whatever it does."""
        self._is_closed = True
        self._requests.put(None)
        if self._agent_process is not None:
            threading.Thread(target=self._agent_process.close, name="tetrion-ends", daemon=True).start()

    # In the thread.

    def choose(self, position: Position, seed: int = 0) -> Placement:
        """The agent's choice; its own chance begins anew with every game, as when games are counted."""
        agent = self.agent
        if isinstance(agent, PythonAgent) and self._agent_process is not None:
            if position.pieces == 0:
                self._agent_process.begin_game(seed)
            return self._agent_process.choose(position)
        if agent is None or isinstance(agent, RandomKeysAgent):
            raise AgentError(f"{self.name} presses keys without deciding where to go.")
        return agent.choose(position)

    def decide(self, position: Position, explained_count: int = 0, seed: int = 0) -> AgentDecision:
        """What the agent decides, and why."""
        begun = perf_counter()
        placement = position.validate_placement(self.choose(position, seed))
        return self.explain_decision(position, placement, explained_count, perf_counter() - begun)

    def explain_decision(
        self, position: Position, placement: Placement, explained_count: int = 0, seconds: float = 0
    ) -> AgentDecision:
        """A decision that has been made, with its reasons and its way."""
        data = self.agent if isinstance(self.agent, WeightedAgent) else None
        explanation = data.explain(position, explained_count, wait_while_drawing) if data and explained_count else None
        keys, path = find_piece_path(position, placement)
        return AgentDecision(
            position, placement, data.get_mode_name(position) if data else "", explanation, keys, path, seconds
        )

    def publish_decision(self, decision: AgentDecision) -> None:
        """Let a decision be taken."""
        self._decisions.put(decision)

    def _run_thread(self, agent: AnyAgent | str | Path) -> None:
        try:
            self.agent = self._start_agent_process(load_agent(agent) if isinstance(agent, str | Path) else agent)
            while (asked := self._get_next_request()) is not None:
                if isinstance(asked, AgentRequest):
                    self.publish_decision(self.decide(*asked[1:]))
                    self._last_answered = asked.number
                else:
                    self._is_running_job = True
                    asked()
                    self._is_running_job = False
        except TetrionError as mistake:
            self.problem = "" if self._is_closed else str(mistake)
        except Exception as problem:  # whatever an agent does, the window goes on
            self.problem = f"{self.name} has failed: {problem!r}. Details are in {log_crash(problem)}."
        finally:
            if self._agent_process is not None:
                self._agent_process.close()

    def _start_agent_process(self, agent: AnyAgent) -> AnyAgent:
        """An agent that can be asked; a person's own has a process, in which a mistake of its class shows at once."""
        if isinstance(agent, PythonAgent) and not self._is_closed:
            self._agent_process = agent.start_process()
            self._agent_process.begin_game()
        return agent

    def _get_next_request(self) -> AgentRequest | BackgroundJob | None:
        """The next thing to do; a question that is not the last one interests nobody any more."""
        asked = self._requests.get()
        while isinstance(asked, AgentRequest) and not self._requests.empty():
            asked = self._requests.get()
        return asked
