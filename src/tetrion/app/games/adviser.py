"""An agent that gives advice about positions, asked in the background."""

from functools import partial
from pathlib import Path

from tetrion.agents import Decision, Player
from tetrion.app.background_task import wait_while_drawing
from tetrion.app.games.background_agent import BackgroundAgent
from tetrion.board import Placement
from tetrion.game import Game
from tetrion.position import Position


class Adviser:
    """An agent that is asked for decisions; after an error, `close` it before the next question."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self._background_agent: BackgroundAgent | None = None
        self._asked_position: Position | None = None
        self._decision: Decision | None = None

    @property
    def name(self) -> str:
        """The agent's name."""
        return self._background_agent.name if self._background_agent else self.agent

    @property
    def problem(self) -> str:
        """The error message of the agent, or ""."""
        return self._background_agent.problem if self._background_agent else ""

    def take_code_file(self) -> Path | None:
        """Return the Python file that must be allowed before the agent can be loaded, once; None without one."""
        return self._background_agent.take_code_file() if self._background_agent else None

    @property
    def is_compiling(self) -> bool:
        """Whether the agent waits for the engine to be compiled."""
        return bool(self._background_agent and self._background_agent.is_compiling)

    @property
    def is_thinking(self) -> bool:
        """Whether the agent has not answered yet."""
        return self._asked_position is not None and self._decision is None and not self.problem

    @property
    def decision(self) -> Decision | None:
        """The decision for the last position; None while the agent is thinking."""
        return self._decision

    def get_decision(self, position: Position) -> Decision | None:
        """Return the decision about a position; None if it was not the last one asked about, or has no answer yet."""
        return self._decision if position is self._asked_position else None

    def ask(self, position: Position, explained_count: int = 0) -> None:
        """Ask about a position, with an explanation of the best `explained_count` placements.

        A position is not asked about twice in a row.
        """
        if self._background_agent is None:
            self._background_agent = BackgroundAgent(self.agent)
        if position is not self._asked_position:
            self._asked_position = position
            self._decision = None
            self._background_agent.run_job(partial(self._decide, position, explained_count))

    def _decide(self, position: Position, explained_count: int, player: Player) -> None:
        """Decide about a position, in the background thread, unless another one has been asked about meanwhile."""
        if position is self._asked_position:
            if not position.pieces:
                player.begin_game(Game.from_position(position))
            decision = player.decide(position, explained_count, wait_while_drawing)
            if position is self._asked_position:
                self._decision = decision

    def change_agent(self, agent: str) -> None:
        """Use another agent from now on."""
        if agent != self.agent:
            self.close()
            self.agent = agent

    def close(self) -> None:
        """Stop the agent and forget the last position; the next question starts the agent again."""
        if self._background_agent:
            self._background_agent.close()
        self._background_agent = None
        self._asked_position = None
        self._decision = None


def describe_advice(name: str, placement: Placement) -> str:
    """Return a sentence about the placement of an agent, which is drawn as a dotted outline."""
    if placement.hold:
        return f"{name} would use hold and play {placement.piece} at the dotted outline."
    return f"{name} would play at the dotted outline."
