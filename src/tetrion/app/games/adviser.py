"""Somebody to ask: an agent that says beside the window what it would do, for one position after another."""

from tetrion.app.games.deciding import Decider, Decision
from tetrion.position import Position


class Adviser:
    """An agent that is asked. A mistake of its own is a text in `problem`, until it is asked `afresh`."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self._decider: Decider | None = None
        self._asked: Position | None = None
        self._decision: Decision | None = None

    @property
    def name(self) -> str:
        """The agent's name."""
        known = self._decider.agent if self._decider else None
        return known.name if known else self.agent

    @property
    def problem(self) -> str:
        """What has gone wrong with the agent, else nothing."""
        return self._decider.problem if self._decider else ""

    @property
    def preparing(self) -> bool:
        """Whether a part of the engine is compiled for it."""
        return bool(self._decider and self._decider.preparing)

    @property
    def thinking(self) -> bool:
        """Whether an answer is still to come."""
        return self._asked is not None and self._decision is None and not self.problem

    @property
    def decision(self) -> Decision | None:
        """What it would do in the position that it was asked about last; None while it thinks."""
        return self._decision

    def ask(self, position: Position, best: int = 0, *, afresh: bool = False) -> None:
        """Ask about a position, with reasons for so many of the best placements; the same one is asked once."""
        if self._decider is None or (afresh and self.problem):
            self._begin()
        if self._decider is None or (position is self._asked and not afresh):
            return
        self._asked, self._decision = position, None
        self._decider.ask(position, best)

    def update(self) -> None:
        """Hear what it has told."""
        told = self._decider.take() if self._decider else None
        if told is not None and told.position is self._asked:
            self._decision = told

    def change(self, agent: str) -> None:
        """Ask another one from now on."""
        if agent != self.agent:
            self.close()
            self.agent = agent

    def forget(self) -> None:
        """What was asked does not matter any more."""
        self._asked = self._decision = None

    def close(self) -> None:
        """Ask nothing more."""
        if self._decider:
            self._decider.close()
        self._decider = None
        self.forget()

    def _begin(self) -> None:
        self.close()
        self._decider = Decider(self.agent)
