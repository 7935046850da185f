"""Where the piece of an agent is drawn: it falls while the agent decides, and then moves key by key to its target."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from tetrion.agents import Decision
from tetrion.agents.agent import KeyStep, find_keys_after_decision, is_decision_in_time
from tetrion.board import Placement
from tetrion.drawing.board_animation import SLIDE_MILLISECONDS, ease_out
from tetrion.game import Game

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


class DecisionFall:
    """Lets the current piece of a game fall by gravity while its player decides; the game itself does not change.

    Under `timed` movement a decision takes `thinking_frames`, and the piece falls for this time in any case. Otherwise
    the time of a decision must not change the game: the piece falls only while every placement could still be reached
    by the rules of `timed` movement. Without a clock (`drop` and `reach` movement) the fall starts in the top rows,
    where a piece above the board is drawn. Under modern rules and `steered`
    movement the piece waits where it spawns.
    """

    def __init__(self, game: Game) -> None:
        self._position = position = game.position
        self._spawn = spawn = game.falling_piece
        rules = game.rules
        self._frames_per_row = position.frames_per_row if spawn else 0
        self.has_clock = rules.movement == "timed" and self._frames_per_row > 0
        self._seconds_per_row = self._frames_per_row / rules.frames_per_second
        self._hidden_rows = 0
        self._max_rows = 0  # until the piece rests
        if spawn and (landing := game.ghost):
            self._hidden_rows = 0 if self.has_clock else spawn.row - game.stack.lower_into_view(spawn).row
            self._max_rows = spawn.row - landing.row
        frames_until_rest = self._max_rows * self._frames_per_row
        self._thinking_frames = min(rules.thinking_frames, frames_until_rest) if self.has_clock else 0
        self._thinking_seconds = self._thinking_frames / rules.frames_per_second
        self._seconds = 0.0
        self._rows = 0  # without the hidden rows
        self._is_blocked = not self._frames_per_row or rules.is_modern or rules.movement == "steered"
        self._key_steps: tuple[KeyStep, ...] = ()
        self._key_steps_for: tuple[int, Decision] | None = None  # the frames and the decision of `_key_steps`

    @property
    def piece(self) -> Placement | None:
        """The location of the piece, written as a placement; None if there is no falling piece."""
        return replace(self._spawn, row=self._spawn.row - self.rows) if self._spawn else None

    @property
    def rows(self) -> int:
        """The number of rows from the spawn to the piece."""
        return self._rows + self._hidden_rows if self._rows else 0

    @property
    def is_complete(self) -> bool:
        """Whether the time that the rules set for a decision has passed."""
        return self._seconds >= self._thinking_seconds

    def update(self, seconds: float) -> None:
        """Let the piece fall for `seconds`."""
        self._seconds += seconds
        while not self._is_blocked and self._seconds >= (self._rows + 1) * self._seconds_per_row:
            self._is_blocked = not self._can_fall()
            self._rows += not self._is_blocked

    def _can_fall(self) -> bool:
        """Return whether the piece may fall one more row."""
        rows = self._hidden_rows + self._rows + 1
        frames = rows * self._frames_per_row
        if rows > self._max_rows:
            return False
        return frames <= self._thinking_frames or is_decision_in_time(self._position, frames)

    def find_key_steps(self, decision: Decision) -> tuple[KeyStep, ...]:
        """Return the steps from where the piece is now to the placement of a decision; they are computed once."""
        frames = max(self._thinking_frames, self.rows * self._frames_per_row)
        if decision.placement is None or (frames == 0 and not self.has_clock):
            return decision.find_keys()
        if self._key_steps_for != (frames, decision):
            self._key_steps_for = frames, decision
            self._key_steps = find_keys_after_decision(self._position, decision.placement, frames)
        return self._key_steps
