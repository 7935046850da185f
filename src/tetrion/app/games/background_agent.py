"""An agent that decides in a background thread, so that the window never waits for it."""

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
    """A key press on the path of a piece (or several soft drops in a row), and the placement after it."""

    key: str
    placement: Placement


@dataclass(frozen=True)
class AgentDecision:
    """A decision of an agent in a position: the placement, its explanation if available, and the keys that lead to it.

    `path` contains the placement of the piece after each of the keys.
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
        """The keys in display form: soft drops in a row are one step, and at the end they become a hard drop."""
        steps: list[PathStep] = []
        for key, placement in zip(self.keys, self.path, strict=False):
            if key == "down" and steps and steps[-1].key == "down":
                steps.pop()
            steps.append(PathStep(key, placement))
        if steps and steps[-1].key == "down":
            steps[-1] = PathStep("drop", steps[-1].placement)
        return tuple(steps)


class AgentRequest(NamedTuple):
    """A request for a decision; `seed` is that of the game and seeds the random numbers of a Python agent."""

    number: int
    position: Position
    explained_count: int
    seed: int


BackgroundJob = Callable[[], None]


class BackgroundAgent:
    """A thread that loads an agent and runs its decisions; `problem` holds the error message if the agent failed.

    The agent is only used in this thread, and only once per move, because it may have state.
    """

    def __init__(self, agent: AnyAgent | str | Path) -> None:
        self.name = agent if isinstance(agent, str) else agent.name
        self.agent: AnyAgent | None = None
        self.problem = ""
        self._is_running_job = False
        self._agent_process: AgentProcess | None = None
        self._is_closed = False
        self._last_request = 0
        self._last_answered = 0
        self._requests: SimpleQueue[AgentRequest | BackgroundJob | None] = SimpleQueue()
        self._decisions: SimpleQueue[AgentDecision] = SimpleQueue()
        self._thread = threading.Thread(target=self._run_thread, args=(agent,), name="tetrion-agent", daemon=True)
        self._thread.start()

    @property
    def is_waiting(self) -> bool:
        """Whether a request has not been answered yet."""
        return self._last_answered < self._last_request and not self.problem

    @property
    def is_compiling(self) -> bool:
        """Whether the agent waits for the engine to be compiled."""
        return get_engine_loader().is_compiling and (self.is_waiting or self._is_running_job) and not self.problem

    def ask(self, position: Position, explained_count: int = 0, seed: int = 0) -> None:
        """Ask for a decision, with an explanation of the best `explained_count` placements."""
        self._last_request += 1
        self._requests.put(AgentRequest(self._last_request, position, explained_count, seed))

    def run_job(self, job: BackgroundJob) -> None:
        """Run a job in the thread after all requests are answered."""
        self._requests.put(job)

    def take_decision(self) -> AgentDecision | None:
        """Return the newest decision and discard older ones; None if there is none."""
        newest = None
        while True:
            try:
                newest = self._decisions.get_nowait()
            except Empty:
                return newest

    def close(self) -> None:
        """Stop the agent without waiting; the process of a Python agent that is still thinking is killed."""
        self._is_closed = True
        self._requests.put(None)
        if self._agent_process is not None:
            threading.Thread(target=self._agent_process.close, name="tetrion-close-agent", daemon=True).start()

    # In the background thread.

    def choose(self, position: Position, seed: int = 0) -> Placement:
        """Return the choice of the agent; a Python agent is seeded at the start of each game, as in an evaluation."""
        agent = self.agent
        if isinstance(agent, PythonAgent) and self._agent_process is not None:
            if position.pieces == 0:
                self._agent_process.begin_game(seed)
            return self._agent_process.choose(position)
        if agent is None or isinstance(agent, RandomKeysAgent):
            raise AgentError(f"{self.name} presses random keys and does not choose placements.")
        return agent.choose(position)

    def decide(self, position: Position, explained_count: int = 0, seed: int = 0) -> AgentDecision:
        """Return the decision of the agent with its explanation."""
        start = perf_counter()
        placement = position.validate_placement(self.choose(position, seed))
        return self.explain_decision(position, placement, explained_count, perf_counter() - start)

    def explain_decision(
        self, position: Position, placement: Placement, explained_count: int = 0, seconds: float = 0
    ) -> AgentDecision:
        """Return the decision for a placement, with its explanation and its path; `seconds` is the thinking time."""
        agent = self.agent if isinstance(self.agent, WeightedAgent) else None
        explanation = None
        if agent and explained_count:
            explanation = agent.explain(position, explained_count, wait_while_drawing)
        keys, path = find_piece_path(position, placement)
        return AgentDecision(
            position=position,
            placement=placement,
            mode=agent.get_mode_name(position) if agent else "",
            explanation=explanation,
            keys=keys,
            path=path,
            seconds=seconds,
        )

    def publish_decision(self, decision: AgentDecision) -> None:
        """Make a decision available to `take_decision`."""
        self._decisions.put(decision)

    def _run_thread(self, agent: AnyAgent | str | Path) -> None:
        try:
            self.agent = self._start_agent_process(load_agent(agent) if isinstance(agent, str | Path) else agent)
            while (request := self._get_next_request()) is not None:
                if isinstance(request, AgentRequest):
                    self.publish_decision(self.decide(*request[1:]))
                    self._last_answered = request.number
                else:
                    self._is_running_job = True
                    request()
                    self._is_running_job = False
        except TetrionError as error:
            self.problem = "" if self._is_closed else str(error)
        except Exception as error:  # an agent must not crash the window
            self.problem = f"{self.name} crashed: {error!r}. Details are in {log_crash(error)}."
        finally:
            if self._agent_process is not None:
                self._agent_process.close()

    def _start_agent_process(self, agent: AnyAgent) -> AnyAgent:
        """Start the process of a Python agent, which reports errors of its class at once; return the agent."""
        if isinstance(agent, PythonAgent) and not self._is_closed:
            self._agent_process = agent.start_process()
            self._agent_process.begin_game()
        return agent

    def _get_next_request(self) -> AgentRequest | BackgroundJob | None:
        """Return the next request or job; of several requests in a row, only the last one."""
        request = self._requests.get()
        while isinstance(request, AgentRequest) and not self._requests.empty():
            request = self._requests.get()
        return request
