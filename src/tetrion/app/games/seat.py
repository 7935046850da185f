"""A game that an agent plays before a person's eyes: decision, keys, fall, clear; slowly, or as fast as it can."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from tetrion.agents import AnyAgent, DataAgent, OwnAgent, RandomKeys
from tetrion.agents.keys import KEYS_A_SECOND
from tetrion.app.games.deciding import Decider, Decision
from tetrion.app.games.follower import Follower, Lock
from tetrion.app.games.gait import Gait
from tetrion.app.games.sprint import MOST_KEPT, THINKS_EVERY, Sprint, Thought
from tetrion.board import Placement
from tetrion.drawing.motion import CLEAR
from tetrion.engine.rules import Rules
from tetrion.game import Game
from tetrion.position import Position

__all__ = ["MOST_KEPT", "SLIDES_UP_TO", "STEPS_UP_TO", "USUAL_SPEED", "Seat"]

USUAL_SPEED = 2.0  # moves a second (Medico: half a second each)
BEFORE_A_CLEAR = 0.3  # seconds at that speed
SLIDES_UP_TO = 8.0  # moves a second; above there is no way to be seen
STEPS_UP_TO = 30.0  # moves a second; above, moves are made beside the window
LATE = 0.1  # of a move: so much of the wait for a decision counts as part of it
MEASURED = 2.0  # seconds over which moves a second are counted, or longer where they are few
SAMPLES = 4  # at least


class Seat:
    """An agent at a game. `auto` lets it go on by itself, `step` makes one move; `speed` is in moves a second.

    The same agent, rules and seed play the same game at any speed, and the same as when games are only counted.
    """

    def __init__(
        self,
        agent: AnyAgent | str,
        rules: Rules,
        seed: int,
        *,
        best: int = 0,
        speed: float = USUAL_SPEED,
        auto: bool = True,
    ) -> None:
        self.rules, self.seed, self.best, self.speed, self.auto = rules, seed, best, speed, auto
        self._agent = agent
        self.decider = Decider(agent)
        self._begin()

    def _begin(self) -> None:
        self.game = Game(self.rules, self.seed)
        self.follower = Follower(self.game)
        self.decision: Decision | None = None  # the last one
        self._fresh = False  # whether it is about the piece in play
        self.thought: Thought | None = None  # the last decision whose reasons are known
        self.locks: list[Lock] = []  # since whoever watches has looked
        self.clearing: Lock | None = None
        self.whole = True  # whether all placements are known, so that the game can be kept
        self._moving, self._left, self._pause, self._steps = 0.0, 0.0, 1.0, 0
        self._asked: Position | None = None
        self._since = THINKS_EVERY
        self._sprint: Sprint | None = None
        self._presses: Iterator[None] | None = None
        self._counted: deque[tuple[float, int]] = deque([(perf_counter(), 0)])

    # What is seen.

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.decider.agent.name if self.decider.agent else self.decider.name

    @property
    def problem(self) -> str:
        """What has gone wrong with the agent, else nothing."""
        return self.decider.problem

    @property
    def sprinting(self) -> bool:
        """Whether moves are made too fast to be seen."""
        return self._sprint is not None

    @property
    def position(self) -> Position:
        """The position, or while moves are made too fast to be seen, one of the last."""
        return self._sprint.position if self._sprint else self.game.position

    @property
    def rate(self) -> float | None:
        """How many moves a second were made of late; None before the first ones."""
        (first, fewer), (last, more) = self._counted[0], self._counted[-1]
        return (more - fewer) / (last - first) if more > fewer and last > first else None

    @property
    def share(self) -> float:
        """How far the move is that is seen, from 0 to 1."""
        return min(1.0, self._moving * self.speed) if self._under_way else 0.0

    @property
    def gait(self) -> Gait | None:
        """How the piece is seen to go where the agent has decided; None if it is not on its way."""
        decision = self.decision_of_now
        slow = self.speed <= SLIDES_UP_TO and not self.sprinting and not self.clearing
        return Gait(decision, self.game.falling, self.share, self.speed) if decision and slow else None

    @property
    def keys_pressed(self) -> int:
        """How many of the decision's steps have been made."""
        return self.gait.made if self.gait and self._under_way else 0

    @property
    def active(self) -> Placement | None:
        """Where the piece in play is seen; it is not while moves are made too fast."""
        if self.sprinting or self.game.over or self.clearing:
            return None
        if (decision := self.decision_of_now) is None or not self._under_way:
            return self.game.falling
        return self.gait.place if self.gait else decision.placement

    @property
    def away(self) -> tuple[float, float]:
        """How many columns and rows the piece in play is seen away from there, on its way."""
        return self.gait.away if self.gait and self._under_way else (0.0, 0.0)

    @property
    def target(self) -> Placement | None:
        """Where the agent has decided to go."""
        decision = self.decision_of_now
        return decision.placement if decision and not self.clearing else None

    @property
    def cleared(self) -> float:
        """Since how many milliseconds of the animation rows have been cleared."""
        return CLEAR * (1 - self._left / self._pause) if self.clearing else 0.0

    @property
    def thinking(self) -> bool:
        """Whether the agent is still deciding, or not there yet."""
        return self.decider.agent is None or self._asked is not None

    @property
    def decision_of_now(self) -> Decision | None:
        """The decision, if it is about the piece in play."""
        return self.decision if self._fresh and not self.sprinting else None

    @property
    def _under_way(self) -> bool:
        return self.decision_of_now is not None and (self.auto or self._steps > 0)

    # What goes on.

    def step(self) -> None:
        """Make one move, whatever `auto` says."""
        if not self.auto and not self._steps:
            self._steps, self._moving = 1, 0.0

    def update(self, seconds: float) -> None:
        """Let time pass."""
        self._since += seconds
        self._count()
        self._hear()
        if self.game.over or self.problem:
            self._stop_sprint()
        elif self.auto and self.speed > STEPS_UP_TO:
            self._watch_sprint()
        else:
            self._stop_sprint()
            self._clear(seconds)
            if not self.clearing:
                self._move(seconds)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Moves that are made beside the window wait meanwhile, so that drawing has the processor to itself."""
        sprint = self._sprint
        if sprint:
            sprint.hold(True)
        try:
            yield
        finally:
            if sprint:
                sprint.hold(False)

    def restart(self, seed: int | None = None) -> None:
        """Begin anew, with other pieces if a seed is given; an agent that still thinks is left to itself."""
        self.settle()
        self.seed = self.seed if seed is None else seed
        own = isinstance(self.decider.agent, OwnAgent) or self.decider.agent is None
        if self.problem or (own and self._asked is not None):
            self.decider.close()
            self.decider = Decider(self._agent)
        self._begin()

    def settle(self) -> None:
        """Make no more moves beside the window until the next update: the game can be looked at and kept."""
        self._stop_sprint()

    def close(self) -> None:
        """End what goes on beside the window."""
        self.settle()
        self.decider.close()

    def _count(self) -> None:
        """Note how many moves have been made by now."""
        now, pieces = perf_counter(), self.game.pieces
        if pieces != self._counted[-1][1]:
            self._counted.append((now, pieces))
        while len(self._counted) > SAMPLES and now - self._counted[0][0] > MEASURED:
            self._counted.popleft()

    def _hear(self) -> None:
        """Take a decision that was asked for."""
        told = self.decider.take()
        if told is not None and told.position is self._asked:
            self.decision, self._asked, self._fresh = told, None, True
            self._moving = min(self._moving, LATE / self.speed) if self.speed <= SLIDES_UP_TO else self._moving
            if told.explanation or not isinstance(self.decider.agent, DataAgent):
                self.thought = Thought(told, self.follower.stack)

    def _ask(self) -> None:
        if self._asked is None and not self._fresh and not self.game.over:
            reasons = self.best if self._since >= THINKS_EVERY else 0
            self._since = 0.0 if reasons else self._since
            self._asked = self.game.position
            self.decider.ask(self._asked, reasons, self.seed)

    def _clear(self, seconds: float) -> None:
        if self.clearing:
            self._left -= seconds
            if self._left <= 0:
                self.clearing = None

    def _move(self, seconds: float) -> None:
        agent = self.decider.agent
        if isinstance(agent, RandomKeys):
            self._press_keys(agent, seconds)
        if agent is None or isinstance(agent, RandomKeys):  # nobody who decides, or not yet
            return
        if self.auto or self._steps:
            self._moving += seconds
        if self._under_way and self.share >= 1:
            self._place()
        if not self.clearing:
            self._ask()

    def _place(self) -> None:
        if self.decision is not None and self._fresh:
            self.game.place(self.decision.placement)
            self._moved(max(0.0, self._moving - 1 / self.speed))

    def _moved(self, over: float = 0.0) -> None:
        """A piece has come to rest; so much time is left over for the next one."""
        self._fresh, self._steps, self._moving = False, 0, min(over, 1 / self.speed)
        new = self.follower.follow()
        self.locks += new
        if new and new[-1].full and self.speed <= SLIDES_UP_TO:
            self._pause = BEFORE_A_CLEAR * min(1.0, 2 * USUAL_SPEED / self.speed)
            self.clearing, self._left = new[-1], self._pause

    def _press_keys(self, agent: RandomKeys, seconds: float) -> None:
        """Let an agent that presses keys press as many as are due: sixty a second at the usual speed."""
        if not self.auto and not self._steps:
            return
        self._moving += seconds * KEYS_A_SECOND * self.speed / USUAL_SPEED
        while self._moving >= 1 and not self.game.over:
            self._moving -= 1
            pieces = self.game.pieces
            next(self.presses(agent), None)
            if self.game.pieces != pieces:
                self._moved()
                return

    def presses(self, agent: RandomKeys) -> Iterator[None]:
        """The keys that an agent of keys presses in this game, one after another."""
        if self._presses is None:
            self._presses = agent.presses(self.game)
        return self._presses

    # As fast as it can.

    def _watch_sprint(self) -> None:
        """Let moves be made beside the window; what has been decided before comes first."""
        if self._sprint is None:
            agent = self.decider.agent
            if agent is None or self._asked is not None:
                return
            self.clearing = None
            self._place()
            if self.game.over:
                return
            presses = self.presses(agent) if isinstance(agent, RandomKeys) else None
            self._sprint = Sprint(self.decider, self.game, self.follower, self.speed, presses)
        sprint = self._sprint
        sprint.speed, sprint.best = self.speed, self.best
        self.thought = sprint.thought or self.thought

    def _stop_sprint(self) -> None:
        if self._sprint is not None:
            self._asked = self._sprint.stop()
            self.whole = self.whole and self._sprint.whole
            self.thought = self._sprint.thought or self.thought
            self._sprint, self._fresh, self._moving = None, False, 0.0
