"""Moves too fast to be seen: an agent plays on in its own thread, and looks every few milliseconds what is wanted."""

import threading
from collections.abc import Iterator
from math import inf
from time import perf_counter, sleep, thread_time
from typing import NamedTuple

from tetrion.agents import DataAgent, RandomKeys
from tetrion.app.games.deciding import Decider, Decision
from tetrion.app.games.follower import Follower
from tetrion.drawing.stack import Stack
from tetrion.engine.play import Setting
from tetrion.game import Game
from tetrion.position import Position

MOST_KEPT = 200_000  # pieces of a game that is kept
SLICE = 0.003  # seconds between looks at what the person wants
NAP = 0.002  # seconds, where nothing is due
A_CALL = 16  # moves between looks at the clock
LONGEST_HOLD = 0.1  # seconds
BEHIND = 0.25  # seconds; what has been missed by more is not made up for
SLOW = 0.004  # seconds of work a move, from which on nobody waits for one
THINKS_EVERY = 0.1  # seconds


class Thought(NamedTuple):
    """A decision and the stack that it was made on."""

    decision: Decision
    stack: Stack


class Sprint:
    """Makes many moves a second in a game, in the thread of who decides.

    `position` and `thought` are what is seen of it meanwhile; the game itself may only be touched again after `stop`.
    """

    def __init__(
        self, decider: Decider, game: Game, follower: Follower, speed: float, presses: Iterator[None] | None
    ) -> None:
        self.decider, self.game, self.follower, self.speed, self.best = decider, game, follower, speed, 0
        self.position, self.whole = game.position, True
        self.thought: Thought | None = None
        self.choosing: Position | None = None  # what the agent is being asked
        self._presses = presses
        self._lock, self._stopped = threading.Lock(), False
        self._setting: Setting | None = None
        self._thinks = 0.0
        self._free = threading.Event()
        self._free.set()
        decider.run(self._work)

    def hold(self, held: bool) -> None:
        """Let it wait while something more urgent is done, such as drawing; or go on."""
        if held:
            self._free.clear()
        else:
            self._free.set()

    def stop(self) -> Position | None:
        """End it within milliseconds; tells what the agent is still being asked, its answer then being told."""
        self._stopped = True
        self._free.set()
        with self._lock:
            self.follower.catch_up()
            return self.choosing

    def _work(self) -> None:
        begun, made, speed = perf_counter(), 0, self.speed
        while not self._stopped and not self.game.over:
            self._free.wait(LONGEST_HOLD)
            now = perf_counter()
            if speed != self.speed or (speed < inf and (now - begun) * speed - made > BEHIND * speed):
                begun, made, speed = now, 0, self.speed
            due = A_CALL if speed == inf else int((now - begun) * speed) - made
            if due > 0:
                made += self._some(due)
            else:
                sleep(NAP)
            self._think()

    def _some(self, due: int) -> int:
        """Make moves for a slice of time, and no more than are due if that is counted; tells how many."""
        agent = self.decider.agent
        if isinstance(agent, DataAgent) and self._setting is not None:
            return self._play(self._setting, due)
        if isinstance(agent, RandomKeys):
            return self._press()
        return self._choose()

    def _choose(self) -> int:
        """One move of an agent that may take its time: nobody waits for it."""
        with self._lock:
            if self._stopped:  # while it was held: whoever stopped it asks the agent himself
                return 0
            position = self.choosing = self.game.position
        begun = thread_time()
        placement = position.checked(self.decider.choose(position, self.game.seed))
        taken, agent = thread_time() - begun, self.decider.agent
        with self._lock:
            placed = not self._stopped
            if placed:
                self.choosing = None
                self.game.place(placement)
                self._noted()
        if not placed:
            self.decider.tell(self.decider.reasoned(position, placement, 0, taken))
        elif isinstance(agent, DataAgent) and taken < SLOW:
            self._setting = agent.setting(self.game.rules)
        return int(placed)

    def _play(self, setting: Setting, due: int) -> int:
        """Moves of an agent that takes hardly any time."""
        made, end, unlimited = 0, perf_counter() + SLICE, self.speed == inf
        with self._lock:
            if self._stopped:
                return 0
            while self._goes_on(end) and (unlimited or made < due):
                made += self.game.play(setting, A_CALL if unlimited else min(due - made, A_CALL))
            if isinstance(self.decider.agent, DataAgent):
                self.decider.agent.check_features()
            self._noted()
        return made

    def _press(self) -> int:
        """Keys until a piece locks, or for a slice of time."""
        with self._lock:
            if self._stopped:
                return 0
            pieces, end = self.game.pieces, perf_counter() + SLICE
            while self._goes_on(end) and self.game.pieces == pieces:
                next(self._presses or iter(()), None)
            self._noted()
            return self.game.pieces - pieces

    def _goes_on(self, end: float) -> bool:
        return not self._stopped and self._free.is_set() and not self.game.over and perf_counter() < end

    def _noted(self) -> None:
        self.follower.catch_up()
        if len(self.game.placements_made) >= MOST_KEPT:
            self.whole = False
            self.follower.forget_placements()
        self.position = self.game.position

    def _think(self) -> None:
        """Tell why, now and then; not of a person's own agent, which is asked once a move."""
        agent, now = self.decider.agent, perf_counter()
        if self.best and isinstance(agent, DataAgent) and now - self._thinks >= THINKS_EVERY and not self.game.over:
            self._thinks, position, stack = now, self.position, self.follower.stack
            begun = perf_counter()
            placement = position.checked(agent.choose(position))
            decision = self.decider.reasoned(position, placement, self.best, perf_counter() - begun)
            self.thought = Thought(decision, stack)
