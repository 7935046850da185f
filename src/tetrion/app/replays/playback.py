"""A replay before a person's eyes: real-time games with their exact motion, others placement by placement."""

from tetrion.app.games.deciding import Decision
from tetrion.app.games.follower import Lock
from tetrion.app.games.gait import Gait
from tetrion.app.games.seat import BEFORE_A_CLEAR, SLIDES_UP_TO, USUAL_SPEED
from tetrion.app.replays.reel import Reel
from tetrion.app.toolkit.speeds import SPEEDS as EVERY_SPEED
from tetrion.board import Placement
from tetrion.drawing.stack import Stack
from tetrion.drawing.ways import way
from tetrion.replay import repeat

SPEEDS = tuple(speed for speed in EVERY_SPEED if speed <= 1000)  # moves a second
TIMED_SPEEDS = (0.25, 0.5, 1, 2, 4, 8, 16, 32)  # times as fast as it was
STEPS_UP_TO = 60  # moves a second; above, moves are left out of sight
KEYS_SHOWN = 8
SHOWN_FOR = 0.5  # seconds that a key is seen after it was pressed


class Playback:
    """Where a replay is just now. `auto` lets it go on by itself; `speed` is one of `speeds`."""

    def __init__(self, reel: Reel, auto: bool = True) -> None:
        self.reel, self.auto = reel, auto
        self.speeds = TIMED_SPEEDS if reel.timed else SPEEDS
        self.speed = self.usual
        self.clearing: Lock | None = None
        self.locks: list[Lock] = []  # since whoever watches has looked
        self.keys: list[str] = []  # pressed of late, in real time
        self._left, self._due, self._keys_left = 0.0, 0.0, 0.0
        self._way: Decision | None = None
        self._seek(0)

    # What is seen.

    @property
    def over(self) -> bool:
        """Whether it has come to its end."""
        return self.moves >= self.reel.moves and self.game.frames >= int(self.reel.replay.result["frames"])

    @property
    def moves(self) -> int:
        """How many moves have been made."""
        return self.game.pieces

    @property
    def target(self) -> Placement | None:
        """Where the piece in play will come to rest."""
        known = self.moves < self.reel.moves and not self.clearing
        return self.reel.replay.placements[self.moves] if known else None

    @property
    def active(self) -> Placement | None:
        """Where the piece in play is seen."""
        if self.game.over or (self.clearing and not self.reel.timed):
            return None
        falling, target = self.game.falling, self.target
        if self.reel.timed or target is None or not self._due:
            return falling
        if not self.slowly:
            return target
        return Gait(self._decision(target), falling, min(1.0, self._due), self.speed).place

    def _decision(self, placement: Placement) -> Decision:
        if self._way is None or self._way.position.pieces != self.moves:
            position = self.game.position
            self._way = Decision(position, placement, "", None, *way(position, placement), 0.0)
        return self._way

    # What a person does.

    def seek(self, moves: int) -> None:
        """Go to where so many moves have been made."""
        moves = max(0, min(self.reel.moves, moves))
        if moves != self.moves or self._due or self.clearing:
            self._seek(moves)

    def step(self, moves: int) -> None:
        """Go so many moves on, or back."""
        before, stack = self.moves, self.stack
        self.seek(before + moves)
        if self.moves == before + 1:
            self.locks.append(locked(stack, self.reel.replay.placements[before]))

    def _seek(self, moves: int) -> None:
        self.game, self.stack, self._event = self.reel.at(moves)
        self.game.placements_made.clear()
        self.clearing, self._due, self._way = None, 0.0, None
        self.keys.clear()
        if self.reel.timed and moves < self.reel.moves:
            self._let_enter(moves)

    def _let_enter(self, moves: int) -> None:
        """Let time pass until the next piece is there, so that it is seen."""
        while self.game.falling is None and self.moves == moves and not self.over:
            self._pass(1)

    # What goes on.

    def update(self, seconds: float) -> None:
        """Let time pass."""
        self._keys_left -= seconds
        if self._keys_left <= 0:
            self.keys.clear()
        if self.clearing:
            self._left -= seconds
            if self._left <= 0:
                self.clearing = None
        if not self.auto or self.over:
            self.auto = self.auto and not self.over
            return
        if self.reel.timed:
            self._due += seconds * self.speed * self.game.rules.frames
            frames, self._due = int(self._due), self._due % 1
            self._pass(frames)
            self._follow()
        elif not self.clearing:
            self._due += seconds * self.speed
            if self._due >= 1:
                self._move(int(self._due))

    def _move(self, moves: int) -> None:
        if self.speed > STEPS_UP_TO:
            left = self._due % 1
            self.seek(self.moves + moves)
            self._due = left
            return
        for _ in range(min(moves, self.reel.moves - self.moves)):
            self.game.place(self.reel.replay.placements[self.moves])
        self._due = self._due % 1 if not self.slowly else 0.0
        self._follow()

    def _pass(self, frames: int) -> None:
        """Let frames pass in real time, and everything happen that happened in them."""
        until = min(self.game.frames + frames, int(self.reel.replay.result["frames"]))
        events = self.reel.events
        while self._event < len(events) and events[self._event][0] <= until:
            frame, action, key = events[self._event]
            self.game.tick(max(0, frame - self.game.frames))
            repeat(self.game, events[self._event])
            self._event += 1
            if action in ("press", "hold"):
                self.keys = [*self.keys[1 - KEYS_SHOWN :], key]
                self._keys_left = SHOWN_FOR
        self.game.tick(max(0, until - self.game.frames))

    def _follow(self) -> None:
        """Note the pieces that have come to rest."""
        new = self.game.placements_made[:]
        self.game.placements_made.clear()
        for placement in new:
            lock = locked(self.stack, placement)
            self.stack = lock.lying.cleared() if lock.full else lock.lying
            self.locks.append(lock)
            self.clearing = lock if lock.full and self.slowly else None
            self._left = BEFORE_A_CLEAR * min(1.0, 2 * self.usual / self.speed)

    @property
    def usual(self) -> float:
        """The speed at the beginning."""
        return 1.0 if self.reel.timed else USUAL_SPEED

    @property
    def slowly(self) -> bool:
        """Whether every motion can be seen."""
        return self.speed <= SLIDES_UP_TO * self.usual / USUAL_SPEED


def locked(stack: Stack, placement: Placement) -> Lock:
    """A piece that comes to rest on a stack."""
    lying = stack.with_piece(placement)
    return Lock(placement, lying, lying.full_rows)
