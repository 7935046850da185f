"""A game that an agent plays before a person's eyes: decision, keys, fall, clear; slowly, or as fast as it can."""

import threading
from collections.abc import Iterator
from time import perf_counter, sleep

from tetrion.agents import AnyAgent, DataAgent, OwnAgent, RandomKeys
from tetrion.agents.keys import KEYS_A_SECOND
from tetrion.app.deciding import Decider, Decision
from tetrion.app.follower import Follower, Lock
from tetrion.app.problems import keep_problem
from tetrion.board import Placement
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.game import Game

USUAL_SPEED = 2.0  # moves a second (Medico: half a second each)
BEFORE_A_CLEAR = 0.3  # seconds at that speed
SLIDES_UP_TO = 8.0  # moves a second; above there is no way to be seen
STEPS_UP_TO = 30.0  # moves a second; above, moves are made beside the window
MOST_KEPT = 200_000  # pieces of a game that is kept
SLICE = 0.004  # seconds between looks at what the person wants
THINKS_EVERY = 0.1  # seconds
FALL = 0.35  # the share of a move in which the piece falls after its last key


class Seat:
    """An agent at a game. `auto` lets it go on by itself, `step` makes one move; `speed` is in moves a second."""

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
        self.decider = Decider(agent)
        self.game = Game(rules, seed)
        self.follower = Follower(self.game)
        self.decision: Decision | None = None
        self.locks: list[Lock] = []  # since whoever watches has looked
        self.clearing: Lock | None = None
        self.whole = True  # whether all placements are known, so that the game can be kept
        self._moving, self._left, self._steps = 0.0, 0.0, 0
        self._asked, self._since = False, 0.0
        self._sprint: Sprint | None = None
        self._presses: Iterator[None] | None = None

    # What is seen.

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.decider.agent.name if self.decider.agent else self.decider.name

    @property
    def problem(self) -> str:
        """What has gone wrong with the agent, else nothing."""
        return self.decider.problem or (self._sprint.problem if self._sprint else "")

    @property
    def sprinting(self) -> bool:
        """Whether moves are made too fast to be seen."""
        return self._sprint is not None

    @property
    def share(self) -> float:
        """How far the move is that is seen, from 0 to 1."""
        return min(1.0, self._moving * self.speed) if self._under_way else 0.0

    @property
    def keys_pressed(self) -> int:
        """How many of the decision's keys have been pressed."""
        if not self.decision or not self._under_way or self.speed > SLIDES_UP_TO:
            return 0
        keys = len(self.decision.keys)
        return min(keys, int(self.share / (1 - FALL) * keys))

    @property
    def active(self) -> Placement | None:
        """Where the piece in play is seen."""
        if self.game.over or self.clearing:
            return None
        decision = self.decision
        if not decision or not self._under_way or self.sprinting:
            return self.game.falling
        if self.speed > SLIDES_UP_TO:
            return decision.placement
        return on_the_way(decision, self.game.falling, self.share, self.keys_pressed)

    @property
    def target(self) -> Placement | None:
        """Where the agent has decided to go."""
        usable = self.decision and not self.sprinting and self.decision.position.pieces == self.game.pieces
        return self.decision.placement if self.decision and usable and not self.clearing else None

    @property
    def thinking(self) -> bool:
        """Whether the agent is still deciding."""
        return self._asked and self.decision_of_now is None

    @property
    def decision_of_now(self) -> Decision | None:
        """The decision, if it is about the piece in play."""
        decision = self.decision
        return decision if decision and decision.position.pieces == self.game.pieces else None

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
        if (told := self.decider.take()) is not None:
            self.decision = told
        if self.game.over or self.problem:
            self._stop_sprint()
            return
        if self.auto and self.speed > STEPS_UP_TO:
            self._watch_sprint()
            return
        self._stop_sprint()
        self._clear(seconds)
        if not self.clearing:
            self._move(seconds)

    def restart(self, seed: int | None = None) -> None:
        """Begin anew, with other pieces if a seed is given."""
        self._stop_sprint()
        self.seed = self.seed if seed is None else seed
        self.game = Game(self.rules, self.seed)
        self.follower, self.decision, self.clearing, self.locks = Follower(self.game), None, None, []
        self._moving, self._left, self._steps, self._asked, self.whole = 0.0, 0.0, 0, False, True
        self._presses = None
        if self.problem:
            self.decider.close()
            self.decider = Decider(self.decider.name)

    def close(self) -> None:
        """End what goes on beside the window."""
        self._stop_sprint()
        self.decider.close()

    def _clear(self, seconds: float) -> None:
        if self.clearing:
            self._left -= seconds
            if self._left <= 0:
                self.clearing = None

    def _move(self, seconds: float) -> None:
        if isinstance(self.decider.agent, RandomKeys):
            self._press_keys(self.decider.agent, seconds)
            return
        if self.decision_of_now is None:
            if not self._asked:
                self._asked = True
                reasons = self.best if self._since >= THINKS_EVERY else 0
                self._since = 0.0 if reasons else self._since
                self.decider.ask(self.game.position, reasons)
            return
        if self._under_way:
            self._moving += seconds
            if self.share >= 1:
                self._place()

    def _place(self) -> None:
        decision = self.decision_of_now
        if decision is None:
            return
        self.game.place(decision.placement)
        self._moved()

    def _moved(self) -> None:
        self._asked, self._steps, self._moving = False, 0, 0.0
        new = self.follower.follow()
        self.locks += new
        if new and new[-1].full and self.speed <= SLIDES_UP_TO:
            self.clearing, self._left = new[-1], BEFORE_A_CLEAR * min(1.0, 2 * USUAL_SPEED / self.speed)

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
        if self._sprint is None:
            if self.decider.agent is None:
                return
            self.clearing, self._asked = None, False
            self._sprint = Sprint(self, self.decider.agent)
        self._sprint.speed = self.speed
        if self.best and self._since >= THINKS_EVERY and not self.decider.waiting:
            self._since = 0.0
            with self._sprint.lock:
                if not self.game.over:
                    self.decider.ask(self.game.position, self.best)

    def _stop_sprint(self) -> None:
        if self._sprint is not None:
            self._sprint.stop()
            if self._sprint.problem:
                self.decider.problem = self._sprint.problem
            self._sprint, self._asked, self._moving = None, False, 0.0
            self.follower.follow()


def on_the_way(decision: Decision, entered: Placement | None, share: float, pressed: int) -> Placement | None:
    """Where a piece is seen on its way: by its keys, and in the end falling to where it comes to rest."""
    path, placement = decision.path, decision.placement
    if not path:
        return placement if share > 1 - FALL else entered
    if share < 1 - FALL:
        return path[pressed - 1] if pressed else entered
    return placement


class Sprint:
    """A thread that makes many moves a second in a seat's game, and looks every few milliseconds whether to stop."""

    def __init__(self, seat: Seat, agent: AnyAgent) -> None:
        self.seat, self.agent, self.speed, self.problem = seat, agent, seat.speed, ""
        self.lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name="tetrion-sprints", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it; a person's own agent is given a moment and then left alone."""
        self._stopped.set()
        self._thread.join(0.5)

    def _work(self) -> None:
        seat, begun, made = self.seat, perf_counter(), 0
        speed = self.speed
        try:
            while not self._stopped.is_set() and not seat.game.over:
                if speed != self.speed:
                    speed, begun, made = self.speed, perf_counter(), 0
                due = int((perf_counter() - begun) * speed) - made
                if due > 0:
                    with self.lock:
                        made += self._slice(due)
                sleep(SLICE / 2)
        except TetrionError as mistake:
            self.problem = str(mistake)
        except Exception as problem:  # whatever an agent does, the window goes on
            self.problem = f"{seat.name} has failed: {problem!r}. Details are in {keep_problem(problem)}."

    def _slice(self, due: int) -> int:
        """Make moves for some milliseconds, and no more than are due; tells how many."""
        seat, end, made = self.seat, perf_counter() + SLICE, 0
        game = seat.game
        while made < due and not game.over and perf_counter() < end and not self._stopped.is_set():
            if isinstance(self.agent, DataAgent):
                self.agent.check_features()
                game.play(self.agent.setting(game.rules))
            elif isinstance(self.agent, OwnAgent):
                placement = self.agent.choose(game.position)
                if self._stopped.is_set():
                    break
                game.place(placement)
            else:
                next(seat.presses(self.agent), None)
            made += 1
            seat.follower.follow()
        if len(game.placements_made) >= MOST_KEPT:
            seat.whole = False
            seat.follower.forget_placements()
        return made if made < due or perf_counter() < end else due
