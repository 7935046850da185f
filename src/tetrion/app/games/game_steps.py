"""The stepped game of an agent in the window: decided in a background thread, carried out when it is shown."""

from collections.abc import Iterator
from queue import Empty, SimpleQueue

from tetrion.agents import Decision, Player
from tetrion.agents.stepped_game import DecisionEvent, ExplanationRequest, PlacementEvent, PlayEvent, step_game
from tetrion.app.frame_priority import wait_while_drawing
from tetrion.game import Game


class GameSteps:
    """Advances one game from decision to decision; `explained_count` placements are explained with the next one.

    `decide` runs in the background thread, and the other methods while no decision is being made.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._explanations = ExplanationRequest(0, wait_while_drawing)
        self._decisions: SimpleQueue[Decision] = SimpleQueue()
        self._events: Iterator[PlayEvent] = iter(())
        self._has_begun = False

    @property
    def explained_count(self) -> int:
        """The number of placements that are explained with the next decision."""
        return self._explanations.count

    @explained_count.setter
    def explained_count(self, count: int) -> None:
        self._explanations.count = count

    def decide(self, player: Player) -> None:
        """Advance to the next decision and publish it."""
        if decision := self.make_decision(player):
            decision.find_keys()  # here, so that the window does not wait for them
            self.publish_decision(decision)

    def make_decision(self, player: Player) -> Decision | None:
        """Advance to the next decision and return it; None if the game is over."""
        if not self._has_begun:
            self._has_begun = True
            self._events = step_game(player, self.game, explanations=self._explanations)
        return next((event.decision for event in self._events if isinstance(event, DecisionEvent)), None)

    def publish_decision(self, decision: Decision) -> None:
        """Make a decision available to `take_decision`."""
        self._decisions.put(decision)

    def take_decision(self) -> Decision | None:
        """Return the published decision; None if there is none."""
        try:
            return self._decisions.get_nowait()
        except Empty:
            return None

    def carry_out(self) -> None:
        """Carry out the last decision, until the piece locks or the game is over."""
        next((event for event in self._events if isinstance(event, PlacementEvent)), None)

    def press_key(self) -> bool:
        """Let the player press its next key; return whether the piece has locked."""
        return isinstance(next(self._events, None), PlacementEvent)
