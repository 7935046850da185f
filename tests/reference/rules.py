"""Rules, and the levels, gravity, points and delays that they define."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

FLAT_POINTS = [0, 40, 100, 300, 1200]
NES_GRAVITY = [48, 43, 38, 33, 28, 23, 18, 13, 8, 6, 5, 5, 5, 4, 4, 4, 3, 3, 3] + 10 * [2] + [1]


@dataclass(frozen=True)
class Rules:
    """The rules of a game; docs/rules.md explains the fields."""

    height: int
    hidden_rows: int
    spawn_height: int
    preview: int
    randomiser: str
    rotation: str
    half_turn_kicks: str
    movement: str
    keys: str
    lock_keys: str
    lock_delay: str | int
    gravity: str | int
    frames_per_second: float
    thinking_frames: int
    frames_per_key: int
    das: int
    arr: str | int
    soft_drop_interval: str | int
    spawn_delay: str | int
    clear_delay: int
    scoring: str
    start_level: int
    level_system: str
    game_over: str

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Self:
        """Create rules from values by field name; other keys are ignored."""
        return cls(**{field.name: values[field.name] for field in fields(cls)})

    @property
    def rows(self) -> int:
        """Number of rows of the board, including hidden rows."""
        return self.height + self.hidden_rows

    def has_key(self, key: str) -> bool:
        return key in self.keys.split("+")

    def locks_with(self, key: str) -> bool:
        return key in self.lock_keys.split("+")

    def compute_level(self, lines: int) -> int:
        """Return the level after this number of cleared lines."""
        if self.level_system == "fixed":
            return self.start_level
        if self.level_system == "tens":
            return self.start_level + lines // 10
        first_increase = min(10 * self.start_level + 10, max(100, 10 * self.start_level - 50))
        return self.start_level if lines < first_increase else self.start_level + 1 + (lines - first_increase) // 10

    def frames_per_row(self, level: int, frames: int) -> int:
        """Return the gravity, in frames per row, of a piece that spawns at this level and frame of the game."""
        if self.gravity == "gavrilov":
            return max(120, 370 - 5 * (frames // 5000))
        if self.gravity == "tetrais":
            return 1000 - 100 * min(level, 9)
        if self.gravity == "nes":
            return NES_GRAVITY[min(level, 29)]
        return int(self.gravity)

    def compute_points(self, lines: int, level: int) -> int:
        """Return the points for a piece that clears this number of lines; `level` is the level after the clear."""
        if self.scoring == "lines":
            return lines
        if self.scoring == "tetrais":
            return FLAT_POINTS[lines] + 1
        if self.scoring == "nes":
            return FLAT_POINTS[lines] * (level + 1)
        return FLAT_POINTS[lines]

    def compute_spawn_delay(self, lowest_row: int, lines: int) -> int:
        """Return the number of frames from a lock to the spawn of the next piece."""
        nes_delay = min(18, 10 + 2 * ((lowest_row + 2) // 4))
        delay = nes_delay if self.spawn_delay == "nes" else int(self.spawn_delay)
        return delay + self.clear_delay if lines else delay
