"""Somebody to ask: an agent that says beside the window what it would do, for one position after another."""

from tetrion.app.games.background_agent import AgentDecision, BackgroundAgent
from tetrion.position import Position


class Adviser:
    """An agent that is asked. A mistake of its own is a text in `problem`, until it is asked `afresh`."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self._background_agent: BackgroundAgent | None = None
        self._asked_position: Position | None = None
        self._decision: AgentDecision | None = None

    @property
    def name(self) -> str:
        """The agent's name."""
        known = self._background_agent.agent if self._background_agent else None
        return known.name if known else self.agent

    @property
    def problem(self) -> str:
        """What has gone wrong with the agent, else nothing."""
        return self._background_agent.problem if self._background_agent else ""

    @property
    def is_compiling(self) -> bool:
        """Whether a part of the engine is compiled for it."""
        return bool(self._background_agent and self._background_agent.is_compiling)

    @property
    def is_thinking(self) -> bool:
        """Whether an answer is still to come."""
        return self._asked_position is not None and self._decision is None and not self.problem

    @property
    def decision(self) -> AgentDecision | None:
        """What it would do in the position that it was asked about last; None while it thinks."""
        return self._decision

    def ask(self, position: Position, explained_count: int = 0, *, force: bool = False) -> None:
        """Ask about a position, with reasons for so many of the best placements; the same one is asked once."""
        if self._background_agent is None or (force and self.problem):
            self._start_agent()
        if self._background_agent is None or (position is self._asked_position and not force):
            return
        self._asked_position = position
        self._decision = None
        self._background_agent.ask(position, explained_count)

    def update(self) -> None:
        """Hear what it has told."""
        told = self._background_agent.take_decision() if self._background_agent else None
        if told is not None and told.position is self._asked_position:
            self._decision = told

    def change_agent(self, agent: str) -> None:
        """Ask another one from now on."""
        if agent != self.agent:
            self.close()
            self.agent = agent

    def clear_decision(self) -> None:
        """What was asked does not matter any more."""
        self._asked_position = self._decision = None

    def close(self) -> None:
        """Ask nothing more."""
        if self._background_agent:
            self._background_agent.close()
        self._background_agent = None
        self.clear_decision()

    def _start_agent(self) -> None:
        self.close()
        self._background_agent = BackgroundAgent(self.agent)
