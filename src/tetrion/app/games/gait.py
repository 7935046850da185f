"""How a piece is seen to go where an agent has decided: key by key, sliding, and falling in the end."""

from dataclasses import dataclass
from functools import cached_property

from tetrion.app.games.deciding import Decision, Step
from tetrion.board import Placement
from tetrion.drawing.motion import SLIDE, eased

FALL = 0.35  # the share of a move in which the piece falls after its last key
UNTIL = 0.92  # where it does not fall in the end, its last key comes so late


@dataclass(frozen=True)
class Gait:
    """A move that is seen: `share` of it is over, at `speed` moves a second; the piece has entered at a place."""

    decision: Decision
    entered: Placement | None
    share: float
    speed: float

    @property
    def steps(self) -> tuple[Step, ...]:
        """The keys and where they lead."""
        return self.decision.steps

    @cached_property
    def times(self) -> tuple[float, ...]:
        """When each key is pressed, as a share of the move; in between there is as much time, and a drop comes last."""
        if not self.steps:
            return ()
        drops = self.steps[-1].key == "drop"
        end, count = (1 - FALL, len(self.steps)) if drops else (UNTIL, len(self.steps))
        return tuple(end * (number + 1) / count for number in range(count))

    @cached_property
    def made(self) -> int:
        """How many keys have been pressed."""
        return sum(time <= self.share for time in self.times)

    @property
    def place(self) -> Placement | None:
        """Where the piece is, or arrives."""
        if not self.steps:  # nobody knows a way: it stays, and is there
            return self.decision.placement if self.share > 1 - FALL else self.entered
        return self.steps[self.made - 1].place if self.made else self.entered

    @cached_property
    def away(self) -> tuple[float, float]:
        """How many columns and rows it still is from there."""
        if not self.made:
            return 0.0, 0.0
        key, now = self.steps[self.made - 1]
        before = self.steps[self.made - 2].place if self.made > 1 else self.entered
        if before is None:
            return 0.0, 0.0
        since = self.share - self.times[self.made - 1]
        if key in ("left", "right"):
            left = 1 - eased(1000 * since / self.speed / SLIDE)
            return (before.column - now.column) * left, 0.0
        if key in ("down", "drop"):
            left = 1 - min(1.0, since / self._lasts) ** 2
            return 0.0, (before.row - now.row) * left
        return 0.0, 0.0

    @property
    def _lasts(self) -> float:
        """The share of the move until the next key, or its end."""
        after = self.times[self.made] if self.made < len(self.times) else 1.0
        return max(1e-6, after - self.times[self.made - 1])
