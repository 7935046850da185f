"""The fall of a new piece while its player decides, and the keys that are pressed afterwards."""

from dataclasses import replace

from tetrion.agents import Decision
from tetrion.agents.agent import KeyStep, find_keys_after_decision, is_decision_in_time
from tetrion.board import Placement
from tetrion.game import Game


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
