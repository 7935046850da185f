"""The animation of a piece to the placement that an agent has chosen, key by key."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from tetrion.agents.agent import KeyStep
from tetrion.board import Placement
from tetrion.drawing.board_animation import SLIDE_MILLISECONDS, ease_out

_FALL_SHARE = 0.35  # the part of a move in which the piece falls after a hard drop
_LAST_KEY_SHARE = 0.92  # the time of the last key if it is not a hard drop


@lru_cache(maxsize=32)
def merge_soft_drops(steps: tuple[KeyStep, ...]) -> tuple[KeyStep, ...]:
    """Return keys in display form: soft drops in a row are one step, and at the end they become a hard drop."""
    merged: list[KeyStep] = []
    for step in steps:
        if step.key == "down" and merged and merged[-1].key == "down":
            merged.pop()
        merged.append(step)
    if merged and merged[-1].key == "down":
        merged[-1] = merged[-1]._replace(key="drop")
    return tuple(merged)


@dataclass(frozen=True)
class MoveAnimation:
    """A move from `start` to `target` by keys, at `progress` from 0 to 1 and at `speed` moves per second."""

    key_steps: tuple[KeyStep, ...]
    start: Placement | None
    target: Placement | None
    progress: float
    speed: float

    @property
    def steps(self) -> tuple[KeyStep, ...]:
        """The keys and the location of the piece after each, in display form."""
        return merge_soft_drops(self.key_steps)

    @cached_property
    def key_times(self) -> tuple[float, ...]:
        """The time of each key as a share of the move, equally spaced."""
        if not self.steps:
            return ()
        end = 1 - _FALL_SHARE if self.steps[-1].key == "drop" else _LAST_KEY_SHARE
        count = len(self.steps)
        return tuple(end * (number + 1) / count for number in range(count))

    @cached_property
    def keys_pressed(self) -> int:
        """The number of keys pressed so far."""
        return sum(time <= self.progress for time in self.key_times)

    @property
    def placement(self) -> Placement | None:
        """The placement of the piece after the last pressed key."""
        if not self.steps:  # no path is known: the piece jumps to its target
            return self.target if self.progress > 1 - _FALL_SHARE else self.start
        return self.steps[self.keys_pressed - 1].piece if self.keys_pressed else self.start

    @cached_property
    def offset(self) -> tuple[float, float]:
        """The columns and rows between `placement` and where the piece is drawn."""
        if not self.keys_pressed:
            return 0.0, 0.0
        key, after = self.steps[self.keys_pressed - 1]
        before = self.steps[self.keys_pressed - 2].piece if self.keys_pressed > 1 else self.start
        if before is None or after is None:
            return 0.0, 0.0
        elapsed = self.progress - self.key_times[self.keys_pressed - 1]
        if key in ("left", "right"):
            remaining = 1 - ease_out(1000 * elapsed / self.speed / SLIDE_MILLISECONDS)
            return (before.column - after.column) * remaining, 0.0
        if key in ("down", "drop"):
            remaining = 1 - min(1.0, elapsed / self._key_duration) ** 2
            return 0.0, (before.row - after.row) * remaining
        return 0.0, 0.0

    @property
    def _key_duration(self) -> float:
        """The share of the move until the next key, or until its end."""
        next_time = self.key_times[self.keys_pressed] if self.keys_pressed < len(self.key_times) else 1.0
        return max(1e-6, next_time - self.key_times[self.keys_pressed - 1])
