"""Who takes part in a match: an agent at its seat, or a person with keys; to whoever looks on they are alike."""

from collections.abc import Callable, Mapping
from typing import ClassVar

import pygame

from tetrion.agents import RandomKeys
from tetrion.app.deciding import PREPARING
from tetrion.app.follower import Follower, Lock
from tetrion.app.hands import Hands
from tetrion.app.seat import BEFORE_A_CLEAR, Seat
from tetrion.app.shelf import PERSON, keep_game
from tetrion.board import Placement
from tetrion.engine.rules import Rules
from tetrion.game import Game

CONSIDERED = 12  # placements that an agent's thinking shows
LINES = ("one", "two", "three", "four")  # sounds
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
        self.waits_for = "" if decision or by_keys or self.problem or seat.decision else LOADING
        if self.waits_for and decider.preparing:
            self.waits_for = PREPARING
        self.clearing = seat.clearing
        self.decided = (decision is not None or by_keys) and not seat.clearing
        self.active = None if seat.sprinting else seat.active  # a piece is nowhere long enough to be seen
        self.goal = seat.target
        reasons = decision.explanation if decision and seat.best and not seat.clearing else None
        self.considered = tuple(c.placement for c in reasons.candidates) if reasons else ()

    def rest(self) -> None:
        """Pause, moves that are made beside the window too."""
        if self.seat.sprinting:
            self.seat.auto = False
            self.update(0)

    def close(self) -> None:
        """End what goes on beside the window."""
        self.seat.close()

    def keep(self) -> str:
        """Keep the game, unless it was so long that its beginning is forgotten."""
        self.kept = self.kept or not self.seat.whole
        return super().keep()


class PersonPlayer(Player):
    """The person at the keyboard."""

    person = True

    def __init__(self, rules: Rules, seed: int, keys: Mapping[str, str], sound: Callable[[str], None]) -> None:
        game = Game(rules, seed)
        super().__init__(PERSON, game, Follower(game))
        self.hands, self.waits_for, self.active = Hands(game, keys), "", game.falling
        self._sound = sound
        self._freely, self._until, self._left = False, 0, 0.0

    @property
    def plays(self) -> bool:
        """Whether time passes in the game."""
        return not self.out and (self._freely or self.game.pieces < self._until)

    def hear(self, event: pygame.event.Event) -> bool:
        """Hear a key; one that is pressed while others are waited for is no key of the next piece."""
        if event.type == pygame.KEYDOWN and not self.plays:
            return self.hands.knows(event)
        return self.hands.hear(event)

    def place_next(self) -> None:
        """Place one piece and then wait."""
        self._until = self.game.pieces + 1

    def go(self, freely: bool) -> None:
        """Place one piece after another, or wait."""
        self._freely = freely

    def rest(self) -> None:
        """Pause, with all keys let go of."""
        self.hands.let_go()

    def update(self, seconds: float) -> None:
        """Let time pass, and make what was done heard."""
        self._left -= seconds
        if self._left <= 0:
            self.clearing = None
        if self.plays:
            before, level = self.game.falling, self.game.level
            self.hands.update(seconds)
            self._hear_moves(before, level)
        self.decided = not self.clearing
        self.active = None if self.out else self.game.falling
        self.goal = None if self.out or self.clearing else self.game.ghost

    def _hear_moves(self, before: Placement | None, level: int) -> None:
        locks, now = self.follower.follow(), self.game.falling
        for lock in locks:
            self._sound(LINES[lock.lines - 1] if lock.lines else "lock")
            if lock.full:
                self.clearing, self._left = lock, BEFORE_A_CLEAR
        if self.game.over:
            self._sound("over")
        elif self.game.level != level:
            self._sound("level")
        elif before and now and not locks and before.rotation != now.rotation:
            self._sound("rotate")
        elif before and now and not locks and before.column != now.column:
            self._sound("move")
