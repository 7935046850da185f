"""Agents in background threads, so that the window never waits for them; an adviser is asked about single positions."""

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from tetrion.agents import Agent, Decision, Player, as_agent
from tetrion.agents.agent_loading import find_code_file
from tetrion.agents.code_consent import require_consent
from tetrion.app.background_task import BackgroundTask, wait_while_drawing
from tetrion.board import Placement
from tetrion.game import Game
from tetrion.position import Position

BackgroundJob = Callable[[Player], None]


def check_agent_code(name: str | Path) -> None:
    """Raise CodeConsentError if an agent runs Python code that the user has not allowed.

    An agent file is checked for this when it is loaded; a Python class, which is nothing but code, only here.
    """
    path = find_code_file(name)
    if path is not None and path.exists():
        require_consent(path)


class BackgroundAgent(BackgroundTask):
    """A thread that loads an agent and runs jobs with its player; it starts with the first job.

    The player is only used in this thread, or while no job runs, because it may have state.
    """

    def __init__(self, agent: Agent | str | Path) -> None:
        super().__init__()
        self.given_agent = agent
        self.agent: Agent | None = None  # when it is loaded
        self._player: Player | None = None
        self._is_busy = False
        self._jobs: SimpleQueue[BackgroundJob | None] = SimpleQueue()

    @property
    def name(self) -> str:
        """The agent's name; before the agent is loaded, how it was given."""
        return self.agent.name if self.agent else str(getattr(self.given_agent, "name", self.given_agent))

    @property
    def is_compiling(self) -> bool:
        """Whether the agent waits for the engine to be compiled."""
        return super().is_compiling and self._is_busy

    def run_job(self, job: BackgroundJob) -> None:
        """Run a job in the thread, after those that were given before it."""
        self._jobs.put(job)
        if self._thread.ident is None:
            self.start()

    def close(self) -> None:
        """Stop the agent without waiting; the process of a Python agent that is still thinking is killed."""
        self.stop()
        self._jobs.put(None)
        if self._player is not None:
            threading.Thread(target=self._player.close, name="tetrion-close-agent", daemon=True).start()

    def run(self) -> None:
        """Load the agent and run jobs until it is closed."""
        if isinstance(self.given_agent, str | Path):
            check_agent_code(self.given_agent)
        agent = as_agent(self.given_agent)
        with agent.start_player() as self._player:
            if self._stop_event.is_set():
                return
            self.agent = agent
            while (job := self._jobs.get()) is not None:
                self._is_busy = True
                job(self._player)
                self._is_busy = False


class Adviser(BackgroundAgent):
    """An agent that gives advice about single positions, until an error occurs."""

    given_agent: str

    def __init__(self, agent: str) -> None:
        super().__init__(agent)
        self._asked_position: Position | None = None
        self.decision: Decision | None = None  # about the last position; None while the agent is thinking

    @property
    def is_thinking(self) -> bool:
        """Whether the agent has not answered yet."""
        return self._asked_position is not None and self.decision is None and not self.problem

    def get_decision(self, position: Position) -> Decision | None:
        """Return the decision about a position; None if it was not the last one asked about, or has no answer yet."""
        return self.decision if position is self._asked_position else None

    def ask(self, position: Position, explained_count: int = 0) -> None:
        """Ask about a position, with an explanation of the best `explained_count` placements.

        A position is not asked about twice in a row.
        """
        if position is not self._asked_position:
            self._asked_position = position
            self.decision = None
            self.run_job(partial(self._decide, position, explained_count))

    def _decide(self, position: Position, explained_count: int, player: Player) -> None:
        """Decide about a position, in the background thread, unless another one has been asked about meanwhile."""
        if position is self._asked_position:
            if not position.pieces:
                player.begin_game(Game.from_position(position))
            decision = player.decide(position, explained_count, wait_while_drawing)
            if position is self._asked_position:
                self.decision = decision


def describe_advice(name: str, placement: Placement) -> str:
    """Return a sentence about the recommended placement, which is drawn as a dotted outline."""
    if placement.hold:
        return f"{name} would use hold and play {placement.piece} at the dotted outline."
    return f"{name} would play at the dotted outline."
