"""Who takes part in a match: an agent at its seat, or a person with keys; to whoever looks on they are alike."""

from collections.abc import Callable, Mapping
from typing import ClassVar

import pygame

from tetrion.agents import RandomKeys
from tetrion.app.games.follower import Follower, Lock
from tetrion.app.games.playing import Playing
from tetrion.app.games.seat import Seat
from tetrion.app.readiness import PREPARING
from tetrion.app.shelf import PERSON, keep_game
from tetrion.board import Placement
from tetrion.engine.rules import Rules
from tetrion.game import Game

CONSIDERED = 12  # placements that an agent's thinking shows
LOADING = "Loading."


class Player:
    """Somebody in a match, as seen after its last `update`; a child says who decides."""

    person: ClassVar[bool] = False

    def __init__(self, name: str, game: Game, follower: Follower) -> None:
        self.name, self.game, self.follower = name, game, follower
        self.problem = ""
        self.waits_for = LOADING  # what must be done before it can begin
        self.clearing: Lock | None = None
        self.active: Placement | None = None  # where the piece in play is seen
        self.goal: Placement | None = None  # where it would land, or the agent wants to go
        self.considered: tuple[Placement, ...] = ()
        self.decided = False  # whether the piece in play could be placed at once
        self.kept = False
        self._measured, self._holes = -1, 0

    @property
    def out(self) -> bool:
        """Whether it plays no more."""
        return self.game.over or bool(self.problem)

    @property
    def height(self) -> int:
        """How many rows the stack has."""
        return len(self.follower.stack.rows)

    @property
    def holes(self) -> int:
        """How many cells lie empty below filled ones."""
        if self._measured != self.game.pieces:
            self._measured, self._holes = self.game.pieces, self.game.board.features()["holes"]
        return self._holes

    @property
    def standing(self) -> tuple[int, int]:
        """Points and lines: who has more is ahead."""
        return self.game.score, self.game.lines

    def place_next(self) -> None:
        """Place one piece and then wait."""
        raise NotImplementedError

    def go(self, freely: bool) -> None:
        """Place one piece after another, or wait."""
        raise NotImplementedError

    def update(self, seconds: float) -> None:
        """Let time pass."""
        raise NotImplementedError

    def rest(self) -> None:
        """Pause: `update` is not called for a while."""

    def close(self) -> None:
        """End what goes on beside the window."""

    def keep(self) -> str:
        """Keep the game, once; tells what a person should know if that failed."""
        if self.kept:
            return ""
        self.kept = True
        return keep_game(self.game, self.name)[1]


class AgentPlayer(Player):
    """An agent; `name` is what it is called in the match, `agent` what one types for it."""

    def __init__(self, name: str, agent: str, rules: Rules, seed: int, speed: float) -> None:
        self.seat = Seat(agent, rules, seed, speed=speed, auto=False)
        super().__init__(name, self.seat.game, self.seat.follower)
        self.away = (0.0, 0.0)  # columns and rows that the piece in play is away from where it is seen next
        self.cleared = 0.0  # milliseconds since rows began to be cleared

    @property
    def must_ask(self) -> bool:
        """Whether the agent will be asked in the next `update`."""
        seat = self.seat
        known = seat.decision_of_now is not None or seat.thinking or isinstance(seat.decider.agent, RandomKeys)
        return not (known or seat.clearing or self.out)

    def place_next(self) -> None:
        """Place one piece and then wait."""
        self.seat.step()

    def go(self, freely: bool) -> None:
        """Place one piece after another, or wait."""
        self.seat.auto = freely

    def update(self, seconds: float) -> None:
        """Let time pass and see what the agent does."""
        seat = self.seat
        seat.update(seconds)
        seat.locks.clear()
        decider, decision = seat.decider, seat.decision_of_now
        by_keys = isinstance(decider.agent, RandomKeys)
        self.problem = seat.problem
        self.waits_for = "" if by_keys or self.problem or seat.decision else LOADING
        if self.waits_for and decider.preparing:
            self.waits_for = PREPARING
        self.clearing, self.cleared = seat.clearing, seat.cleared
        self.decided = (decision is not None or by_keys) and not seat.clearing
        self.active, self.away, self.goal = seat.active, seat.away, seat.target
        reasons = decision.explanation if decision and seat.best and not seat.clearing else None
        self.considered = tuple(c.placement for c in reasons.candidates) if reasons else ()

    def close(self) -> None:
        """End what goes on beside the window."""
        self.seat.close()


class PersonPlayer(Player):
    """The person at the keyboard."""

    person = True

    def __init__(
        self, rules: Rules, seed: int, keys: Mapping[str, str], sound: Callable[[str], None], moves: bool
    ) -> None:
        self.playing = Playing(Game(rules, seed), keys, moves)
        super().__init__(PERSON, self.playing.game, self.playing.follower)
        self.waits_for, self.decided, self.active = "", True, self.game.falling
        self._sound = sound
        self._freely, self._until = False, 0

    @property
    def plays(self) -> bool:
        """Whether time passes in the game."""
        return not self.out and (self._freely or self.game.pieces < self._until)

    def hear(self, event: pygame.event.Event) -> bool:
        """Hear a key; one that is pressed while others are waited for is no key of the next piece."""
        if event.type == pygame.KEYDOWN and not self.plays:
            return self.playing.hands.knows(event)
        return self.playing.hands.hear(event)

    def place_next(self) -> None:
        """Place one piece and then wait."""
        self._until = self.game.pieces + 1

    def go(self, freely: bool) -> None:
        """Place one piece after another, or wait."""
        self._freely = freely

    def rest(self) -> None:
        """Pause, with all keys let go of."""
        self.playing.hands.let_go()

    def update(self, seconds: float) -> None:
        """Let time pass, and make what was done heard."""
        if self.plays:
            for heard in self.playing.update(seconds):
                self._sound(heard)
        else:
            self.playing.moving.update(seconds)
        self.active = None if self.out else self.game.falling
        self.goal = None if self.out or self.playing.moving.clearing else self.game.ghost
