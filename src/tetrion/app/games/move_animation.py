"""How a piece is seen to go where an agent has decided: key by key, sliding, and falling in the end."""

from dataclasses import dataclass
from functools import cached_property

from tetrion.app.games.background_agent import AgentDecision, PathStep
from tetrion.board import Placement
from tetrion.drawing.board_animation import SLIDE_MILLISECONDS, ease_out

_FALL_SHARE = 0.35  # the share of a move in which the piece falls after its last key
_LAST_KEY_SHARE = 0.92  # where it does not fall in the end, its last key comes so late


@dataclass(frozen=True)
class MoveAnimation:
    """A move that is seen: `share` of it is over, at `speed` moves a second; the piece has entered at a place."""

    decision: AgentDecision
    spawn_placement: Placement | None
    progress: float
    speed: float

    @property
    def steps(self) -> tuple[PathStep, ...]:
        """The keys and where they lead."""
        return self.decision.steps

    @cached_property
    def key_times(self) -> tuple[float, ...]:
        """When each key is pressed, as a share of the move; in between there is as much time, and a drop comes last."""
        if not self.steps:
            return ()
        drops = self.steps[-1].key == "drop"
        end, count = (1 - _FALL_SHARE, len(self.steps)) if drops else (_LAST_KEY_SHARE, len(self.steps))
        return tuple(end * (number + 1) / count for number in range(count))

    @cached_property
    def keys_pressed(self) -> int:
        """How many keys have been pressed."""
        return sum(time <= self.progress for time in self.key_times)

    @property
    def placement(self) -> Placement | None:
        """Where the piece is, or arrives."""
        if not self.steps:  # nobody knows a way: it stays, and is there
            return self.decision.placement if self.progress > 1 - _FALL_SHARE else self.spawn_placement
        return self.steps[self.keys_pressed - 1].placement if self.keys_pressed else self.spawn_placement

    @cached_property
    def offset(self) -> tuple[float, float]:
        """How many columns and rows it still is from there."""
        if not self.keys_pressed:
            return 0.0, 0.0
        key, now = self.steps[self.keys_pressed - 1]
        before = self.steps[self.keys_pressed - 2].placement if self.keys_pressed > 1 else self.spawn_placement
        if before is None:
            return 0.0, 0.0
        since = self.progress - self.key_times[self.keys_pressed - 1]
        if key in ("left", "right"):
            left = 1 - ease_out(1000 * since / self.speed / SLIDE_MILLISECONDS)
            return (before.column - now.column) * left, 0.0
        if key in ("down", "drop"):
            left = 1 - min(1.0, since / self._key_duration) ** 2
            return 0.0, (before.row - now.row) * left
        return 0.0, 0.0

    @property
    def _key_duration(self) -> float:
        """The share of the move until the next key, or its end."""
        after = self.key_times[self.keys_pressed] if self.keys_pressed < len(self.key_times) else 1.0
        return max(1e-6, after - self.key_times[self.keys_pressed - 1])
